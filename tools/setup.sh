#!/bin/sh
# setup.sh [PACKAGE...] -- the Debian packages that ptxlint is built and tested with, and those named; installs what is
# missing. Where nothing is missing it calls neither apt-get nor sudo.
set -eu

set -- gcc g++ libc6-dev meson ninja-build pkg-config re2c lemon python3 python3-venv \
    libjansson-dev libcsv-dev libyaml-dev libpopt-dev libutf8proc-dev libcmark-gfm-dev libcmark-gfm-extensions-dev libiberty-dev libxxhash-dev libcmocka-dev \
    libelf-dev liblz4-dev libzstd-dev zlib1g-dev liblzma-dev "$@"

command -v dpkg-query >/dev/null || {
    echo "setup: this is not Debian: install by hand what Debian calls $*" >&2
    exit 1
}

missing=''
for package; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=absent
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=''
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "setup: these packages are missing, and there is neither root nor sudo to install them with:$missing" >&2
        exit 1
    }
    as_root=sudo
fi

echo "setup: installing$missing"
# shellcheck disable=SC2086 # both are lists of words
{
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 update </dev/null
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $missing </dev/null
}
