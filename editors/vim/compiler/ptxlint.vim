" :compiler ptxlint, then :make: findings of the current file in the quickfix list, typed e, w and n.
if exists('current_compiler')
  finish
endif
let current_compiler = 'ptxlint'

if exists(':CompilerSet') != 2
  command -nargs=* CompilerSet setlocal <args>
endif

let s:keep_cpo = &cpoptions
set cpoptions&vim
CompilerSet makeprg=ptxlint\ --format\ oneline\ %:S
CompilerSet errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %tote:\ %m
let &cpoptions = s:keep_cpo
unlet s:keep_cpo
