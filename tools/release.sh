#!/bin/sh
# release.sh [FOLDER] -- the program as one static file, with its manual page, completions and licence, packed for a release: in FOLDER
# (default: build-release) ptxlint-linux-ARCH.tar.gz and its .sha256. It runs on any Linux of that ARCH; what `gpu measure` starts loads the
# driver of the GPU, and needs a C library as new as the one it was built with. tools/setup.sh has what it is built with.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build-release}
name=ptxlint-linux-$(uname -m)
rm -rf "$out"
meson setup "$out/build" -Dhardening=true >"$out.log" 2>&1 || { tail -20 "$out.log" >&2; exit 1; }
ninja -C "$out/build" ptxlint ptxlint-measure >>"$out.log" 2>&1 || { tail -3 "$out.log" >&2; exit 1; }
mv "$out.log" "$out/build.log"
packed=$out/$name
mkdir -p "$packed/bin" "$packed/lib/ptxlint" "$packed/share/man/man1" "$packed/share/completions"
strip -o "$packed/bin/ptxlint" "$out/build/ptxlint"
strip -o "$packed/lib/ptxlint/ptxlint-measure" "$out/build/ptxlint-measure"
python3 tests/shipped/check-hardening.py "$packed/bin/ptxlint"
"$packed/bin/ptxlint" manual >"$packed/share/man/man1/ptxlint.1"
for shell in bash zsh fish; do
    "$packed/bin/ptxlint" completions "$shell" >"$packed/share/completions/ptxlint.$shell"
done
cp LICENSE "$packed/"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" -C "$packed" -c . | gzip -9n >"$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
ls "$out/$name.tar.gz" "$out/$name.tar.gz.sha256"
