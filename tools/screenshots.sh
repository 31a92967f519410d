#!/usr/bin/env bash
# tools/screenshots.sh PTXLINT [EDITOR...] -- pictures of the editors for editors/*/screenshot.png: each editor that is installed
# opens a sample in a terminal of a display of its own. Wants Xvfb, xterm, ImageMagick and the editors.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD ptxlint=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- vim nvim emacs
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export HOME=$work DISPLAY=:97 PATH=$(dirname "$ptxlint"):$PATH LC_ALL=C.UTF-8
cp testdata/ptx/transpose.sm_90.lineinfo.ptx "$work/kernel.ptx"
printf 'gpu: h200\n' >"$work/.ptxlint.yaml"
Xvfb "$DISPLAY" -screen 0 966x516x24 -nolisten tcp >/dev/null 2>&1 &
until xdpyinfo >/dev/null 2>&1; do sleep 0.1; done

# shoot OUTPUT SECONDS COMMAND... -- what a terminal shows some time after the command began.
shoot() {
    local output=$1 seconds=$2
    shift 2
    (cd "$work" && exec xterm -tn xterm-256color -geometry 120x34+0+0 -fa 'DejaVu Sans Mono' -fs 9 -bg '#1e1e2e' -fg '#d9e0ee' -e "$@") &
    local terminal=$!
    sleep "$seconds"
    import -window root -colors 16 -type Palette -define png:compression-level=9 "$output"
    kill "$terminal" 2>/dev/null || true
    wait "$terminal" 2>/dev/null || true
}

for editor; do
    command -v "$editor" >/dev/null || continue
    case $editor in
    vim)
        mkdir -p "$work/.vim/pack/ptxlint/start"
        ln -s "$root/editors/vim" "$work/.vim/pack/ptxlint/start/ptxlint"
        printf 'set nocompatible\nfiletype plugin indent on\nsyntax on\nset number background=dark t_Co=256\n' >"$work/.vimrc"
        shoot editors/vim/vim.png 4 vim -c 'silent make' -c 'copen 8' -c 'wincmd p' kernel.ptx
        ;;
    nvim)
        mkdir -p "$work/.local/share/nvim/site/pack/ptxlint/start" "$work/.config/nvim"
        ln -s "$root/editors/vim" "$work/.local/share/nvim/site/pack/ptxlint/start/ptxlint"
        printf "vim.o.number = true\nvim.o.signcolumn = 'yes'\nvim.o.termguicolors = true\nvim.cmd('colorscheme desert')\nvim.cmd('hi NormalFloat guibg=#303446 guifg=#d9e0ee | hi DiagnosticVirtualTextInfo guifg=#89b4fa | hi SignColumn guibg=#1e1e2e')\nrequire('ptxlint').setup { settings = { gpu = 'h200' } }\n" >"$work/.config/nvim/init.lua"
        shoot editors/vim/neovim.png 6 nvim -c 'lua vim.defer_fn(function() vim.diagnostic.goto_next({ float = false }) vim.lsp.buf.hover() end, 3000)' kernel.ptx
        ;;
    emacs)
        cat >"$work/init.el" <<EL
(setq inhibit-startup-screen t)
(menu-bar-mode -1)
(load-theme 'wombat t)
(add-to-list 'load-path "$root/editors/emacs")
(require 'ptx-mode)
(setq ptx-ptxlint-arguments '("--gpu" "h200"))
(add-hook 'ptx-mode-hook #'flymake-mode)
(find-file "kernel.ptx")
(run-with-timer 4 nil (lambda () (flymake-goto-next-error) (flymake-show-buffer-diagnostics)))
EL
        shoot editors/emacs/emacs.png 7 emacs -nw -q -l "$work/init.el"
        ;;
    esac
done
