#!/usr/bin/env bash
# Makes an apt repository of Debian packages: Packaging/release/repository.sh FOLDER PACKAGE ...
# SIGNING_KEY signs it (signing.sh). Any web server can serve the folder.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
# shellcheck source-path=SCRIPTDIR
. "$here/signing.sh"
mkdir -p "${1:?Which folder? Packaging/release/repository.sh FOLDER PACKAGE ...}"
folder=$(realpath "$1")
shift
[ $# -gt 0 ] || {
  echo 'Which packages? Packaging/release/repository.sh FOLDER PACKAGE ...' >&2
  exit 1
}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date +%s)}
prepare_signing
pool=$folder/pool/main/f/fencepost
mkdir -p "$pool"
architectures=
for package; do
  install -m 644 "$package" "$pool/"
  architectures="$architectures $(dpkg-deb -f "$package" Architecture)"
done
architectures=$(tr ' ' '\n' <<<"$architectures" | sort -u | xargs)

cd "$folder"
for architecture in $architectures; do
  index=dists/stable/main/binary-$architecture
  mkdir -p "$index"
  apt-ftparchive --arch "$architecture" packages pool >"$index/Packages"
  gzip -9nk "$index/Packages"
  xz -k "$index/Packages"
done
# Valid until it is replaced: releases have no rhythm.
apt-ftparchive -o APT::FTPArchive::Release::Origin=Fencepost -o APT::FTPArchive::Release::Label=Fencepost \
  -o APT::FTPArchive::Release::Suite=stable -o APT::FTPArchive::Release::Codename=stable \
  -o "APT::FTPArchive::Release::Architectures=$architectures" -o APT::FTPArchive::Release::Components=main \
  -o APT::FTPArchive::Release::Description='Geofence and visit monitor' release dists/stable |
  sed "s/^Date: .*/Date: $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")/" >"$folder/Release.part"
mv Release.part dists/stable/Release

trust='Trusted: yes'
if [ -n "$signer" ]; then
  sign --clearsign --output dists/stable/InRelease dists/stable/Release
  sign --armor --detach-sign --output dists/stable/Release.gpg dists/stable/Release
  gpg --batch --quiet --export "$signer" >fencepost.gpg
  trust='Signed-By: /etc/apt/keyrings/fencepost.gpg'
fi
# The address is where the folder is served.
cat >fencepost.sources <<SOURCES
Types: deb
URIs: https://packages.example.org/fencepost
Suites: stable
Components: main
$trust
SOURCES
