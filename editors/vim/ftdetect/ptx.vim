" NVIDIA PTX. PreTeXt, too, has .ptx files: those are XML.
autocmd BufNewFile,BufRead *.ptx if getline(1) !~# '^\s*<' | setfiletype ptx | endif
