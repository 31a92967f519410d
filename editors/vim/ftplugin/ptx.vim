if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=s1:/*,mb:*,ex:*/,:// commentstring=//\ %s
setlocal iskeyword=@,48-57,_,$,% tabstop=8
setlocal suffixesadd=.ptx
compiler ptxlint

let b:undo_ftplugin = 'setlocal comments< commentstring< iskeyword< tabstop< suffixesadd< makeprg< errorformat<'
