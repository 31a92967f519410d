#!/bin/sh
# release.sh [FOLDER] -- the program as one static file, with its manual page, completions and licence, packed for a release: in FOLDER
# (default: build-release) ptxlint-linux-ARCH.tar.gz and its .sha256. It runs on any Linux of that ARCH. tools/setup.sh has what it is built with.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build-release}
name=ptxlint-linux-$(uname -m)
rm -rf "$out"
meson setup "$out/build" --prefer-static -Dhardening=true -Dmd4c=disabled -Dc_link_args=-static-pie >"$out.log" 2>&1 || { tail -20 "$out.log" >&2; exit 1; }
ninja -C "$out/build" ptxlint >>"$out.log" 2>&1 || { tail -3 "$out.log" >&2; exit 1; }
mv "$out.log" "$out/build.log"
packed=$out/$name
mkdir -p "$packed/bin" "$packed/share/man/man1" "$packed/share/completions"
strip -o "$packed/bin/ptxlint" "$out/build/ptxlint"
python3 tests/shipped/check-hardening.py "$packed/bin/ptxlint"
"$packed/bin/ptxlint" manual >"$packed/share/man/man1/ptxlint.1"
for shell in bash zsh fish; do
    "$packed/bin/ptxlint" completions "$shell" >"$packed/share/completions/ptxlint.$shell"
done
cp LICENSE "$packed/"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" -C "$packed" -c . | gzip -9n >"$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
ls "$out/$name.tar.gz" "$out/$name.tar.gz.sha256"
