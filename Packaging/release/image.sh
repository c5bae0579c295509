#!/usr/bin/env bash
# Makes a container image without an engine: Packaging/release/image.sh service|addon VERSION PACKAGE FOLDER
# FOLDER gets an archive with the image and the SBOM of its packages. `service` is what docs/deploy/Containerfile builds,
# `addon` the add-on of Home Assistant, which begins as root. mmdebstrap installs the Debian package with what it depends
# on in an empty root, umoci makes the layer and the configuration. MIRROR is a mirror of Debian instead of the sources of this
# machine. FENCEPOST_IMAGE_LIMIT is the largest size in MB of an archive, 150 if not given.
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=$1
version=$2
package=$(realpath "$3")
output=$(realpath "$4")
architecture=$(dpkg --print-architecture)
limit=${FENCEPOST_IMAGE_LIMIT:-150}
tools=.build/release-tools
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=fencepost
[ "$kind" = service ] || name=fencepost-addon

# The names of the packages that the package needs, and what the kind needs.
packages() {
  dpkg-deb -f "$package" Depends | tr ',' '\n' | sed -E 's/^ *([a-z0-9.+-]+).*/\1/'
  printf '%s\n' ca-certificates tini usr-is-merged libhiredis0.14 librabbitmq4 librdkafka1
  [ "$kind" = service ] || printf '%s\n' curl jq
}

# The sources of this machine that are Debian's. Others would bring packages that no Debian has.
sources() {
  if [ -n "${MIRROR:-}" ]; then
    echo "deb $MIRROR bookworm main"
  else
    printf 'deb %s bookworm main\n' http://deb.debian.org/debian
    printf 'deb %s bookworm-updates main\n' http://deb.debian.org/debian
    printf 'deb %s bookworm-security main\n' http://deb.debian.org/debian-security
  fi
}

# Removes what differs from run to run or names this machine.
write_cleaner() {
  cat >"$work/clean.sh" <<'CLEAN'
#!/bin/sh
set -eu
cd "$1"
rm -rf tmp/* run/* var/log/* var/cache/* var/lib/apt/lists/* var/lib/systemd usr/share/locale usr/share/man
rm -f etc/apt/sources.list etc/hostname etc/resolv.conf etc/machine-id etc/*- var/lib/dpkg/*-old var/lib/dpkg/lock*
install -d -o 10001 -g 10001 data
CLEAN
  chmod 755 "$work/clean.sh"
}

make_root() {
  write_cleaner
  # mmdebstrap runs the hooks with the root as $1.
  # shellcheck disable=SC2016
  local hooks=("--customize-hook=upload '$package' /tmp/fencepost.deb"
    '--customize-hook=chroot "$1" dpkg --install /tmp/fencepost.deb')
  # shellcheck disable=SC2016
  [ "$kind" = service ] || hooks+=("--customize-hook=upload docs/deploy/home-assistant/fencepost/run.sh /run.sh"
    '--customize-hook=chmod 755 "$1/run.sh"')
  sources | mmdebstrap --quiet --variant=essential \
    --hook-directory=/usr/share/mmdebstrap/hooks/merged-usr --include="$(packages | paste -sd,)" --skip=output/dev \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-include=/usr/share/doc/fencepost/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    "${hooks[@]}" "--customize-hook=$work/clean.sh" bookworm "$work/root.tar" - >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    echo "The root of the image $name could not be made: mmdebstrap's last lines are above." >&2
    exit 1
  }
}

configure() {
  local layout=$1 created labels
  created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)
  labels=(--config.label org.opencontainers.image.title=Fencepost
    --config.label 'org.opencontainers.image.description=Geofence and visit monitor'
    --config.label "org.opencontainers.image.version=$version"
    --config.label org.opencontainers.image.licenses=Apache-2.0
    --config.label org.opencontainers.image.documentation=docs/install.md
    --config.label org.opencontainers.image.base.name=debian:12
    --config.label "org.opencontainers.image.created=$created")
  local own=(--config.user 10001:10001 --config.volume /data --config.workingdir /data --config.cmd serve
    --config.entrypoint tini --config.entrypoint -- --config.entrypoint fencepost
    --config.env FENCEPOST_SERVER_HOST=0.0.0.0 --config.env FENCEPOST_STORAGE_PATH=/data/fencepost.sqlite
    --config.env FENCEPOST_LOG_FORMAT=json)
  if [ "$kind" = addon ]; then
    local arch=$architecture
    [ "$arch" != arm64 ] || arch=aarch64
    own=(--config.entrypoint tini --config.entrypoint -- --config.entrypoint /run.sh)
    labels+=(--config.label io.hass.type=addon --config.label "io.hass.version=$version"
      --config.label "io.hass.arch=$arch")
  fi
  umoci config --image "$layout:$version" --no-history --created "$created" --author 'Fencepost maintainers' \
    --architecture "$architecture" --os linux --config.stopsignal SIGTERM --config.exposedports 8080/tcp \
    --config.env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${own[@]}" "${labels[@]}"
}

make_image() {
  local layout=$work/layout archive=$output/${name}_${version}_$architecture.oci.tar
  umoci init --layout "$layout"
  umoci new --image "$layout:$version"
  umoci raw add-layer --image "$layout:$version" --history.created "$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)" \
    --history.created_by 'mmdebstrap, fencepost.deb' "$work/root.tar"
  configure "$layout"
  python3 Packaging/release/archive.py "$layout" "$archive" "$name:$version"
  local size=$(($(stat -c %s "$archive") / 1000000))
  [ "$size" -lt "$limit" ] || {
    echo "The image $name has $size MB, not less than $limit." >&2
    exit 1
  }
}

# debsbom, from PyPI, reads the database of dpkg in the root.
install_tools() {
  cmp -s Packaging/release/requirements.txt $tools/requirements.txt && return
  rm -rf $tools
  python3 -m venv $tools &&
    $tools/bin/pip install --quiet --disable-pip-version-check -r Packaging/release/requirements.txt &&
    cp Packaging/release/requirements.txt $tools/ && return
  rm -rf $tools
  echo 'debsbom, which writes the SBOM of the image, cannot be installed from PyPI: python3-venv and the network are needed.' >&2
  exit 1
}

make_bill() {
  local created identity
  created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%T+00:00)
  identity=$(python3 -c 'import sys, uuid; print(uuid.uuid5(uuid.NAMESPACE_OID, " ".join(sys.argv[1:])))' \
    "$name" "$version" "$architecture" "$(sha256sum <"$work/root.tar")")
  $tools/bin/debsbom generate --sbom-type cdx --root - --distro-name "$name" --distro-version "$version" \
    --distro-arch "$architecture" --timestamp "$created" --cdx-serialnumber "$identity" --out "$work/bill" \
    <"$work/root.tar" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
  }
  install -m 644 "$work/bill.cdx.json" "$output/${name}_${version}_$architecture.image.cdx.json"
}

echo "Making the image $name ..." >&2
install_tools
make_root
make_image
make_bill
