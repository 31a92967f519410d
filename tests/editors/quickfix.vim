" vim -S quickfix.vim: what :make makes of $SAMPLE, and the syntax of some words, into $RESULT.
let s:out = []
execute 'edit' $SAMPLE
call add(s:out, 'filetype ' . &filetype . ', compiler ' . get(b:, 'current_compiler', get(g:, 'current_compiler', '')))
silent make
for s:found in getqflist()
  call add(s:out, s:found.lnum . ':' . s:found.col . ' ' . s:found.type . ' ' . matchstr(s:found.text, '\[\w*\]$'))
endfor
for [s:line, s:word] in [[1, 'words'], [5, 'entry'], [5, 'u64'], [10, 'ld'], [10, 'param'], [10, '%rd1'], [11, '%tid'], [12, 'mvo'], [12, '0x10'], [13, 'Loop'], [16, '@']]
  call cursor(s:line, 1)
  call search('\V' . s:word, 'c', s:line)
  call add(s:out, s:word . ' ' . synIDattr(synID(line('.'), col('.'), 1), 'name'))
endfor
call writefile(s:out, $RESULT)
qall!
