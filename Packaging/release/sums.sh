#!/usr/bin/env bash
# Writes SHA256SUMS of all files of a folder: Packaging/release/sums.sh FOLDER
# SIGNING_KEY signs it (signing.sh) as SHA256SUMS.asc.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
# shellcheck source-path=SCRIPTDIR
. "$here/signing.sh"
folder=${1:?Which folder? Packaging/release/sums.sh FOLDER}
prepare_signing
cd "$folder"
rm -f SHA256SUMS SHA256SUMS.asc
find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum >"${TMPDIR:-/tmp}/sums.$$"
mv "${TMPDIR:-/tmp}/sums.$$" SHA256SUMS
[ -z "$signer" ] || sign --armor --detach-sign --output SHA256SUMS.asc SHA256SUMS
