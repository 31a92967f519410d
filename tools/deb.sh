#!/bin/sh
# deb.sh [FOLDER] -- the Debian package of the tree as git has it, in FOLDER (default: build-deb). Needs debhelper; tools/setup.sh has the rest.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build-deb}
rm -rf "$out"
mkdir -p "$out/ptxlint"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -c | tar -x -C "$out/ptxlint"
cp -R contrib/debian "$out/ptxlint/debian"
cd "$out/ptxlint"
DEB_BUILD_OPTIONS="noddebs" DEB_CFLAGS_STRIP=-g dpkg-buildpackage -b -uc -us -tc >../build.log 2>&1 || { tail -20 ../build.log >&2; exit 1; }
ls ../*.deb
