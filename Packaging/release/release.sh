#!/usr/bin/env bash
# Makes all artefacts of a release of one architecture, that of the machine with Debian 12, as root:
#   Packaging/release/release.sh check VERSION           whether the version and the target can be used, before a long build
#   Packaging/release/release.sh make VERSION PROGRAM    .build/release-VERSION, of a program that is built
# REGISTRY, as registry.example.org/you, is where the chart and the add-on pull the images. SIGNING_KEY, a key of gpg's
# keyring or a file with an exported secret key, signs the apt repository and the checksums. With STRICT=1 the version has
# to be that of the program. docs/release.md says more. The same sources, program and packages of Debian give the same bytes,
# but for signatures.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=Packaging/release
command=${1:-}
version=${2:-}
target=.build/release-$version
registry=${REGISTRY:-registry.invalid}

fail() {
  echo "$1" >&2
  exit 1
}

check_version() {
  [[ $version =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9a-z]+(\.[0-9a-z]+)*)?$ ]] ||
    fail "VERSION has to be like 0.3.0 or 0.3.0-rc.1, not '$version': make release VERSION=0.3.0"
  [ ! -e "$target" ] || fail "$target exists already: remove it, or choose another version."
  [[ $registry =~ ^[a-z0-9]+([.:/_-]+[a-z0-9]+)*$ ]] ||
    fail "REGISTRY has to be like registry.example.org/you, in small letters, not '$registry'."
  local declared
  declared=$(sed -n 's/.*let current = "\(.*\)"/\1/p' Sources/FencepostModel/FencepostVersion.swift)
  [ "$declared" = "$version" ] || differ "the sources" "$declared"
}

differ() {
  [ -z "${STRICT:-}" ] || fail "The version is $version, that of $1 $2: change FencepostVersion.swift, or the tag."
  echo "A trial: the version is $version, that of $1 $2. For a release change FencepostVersion.swift first." >&2
}

check_tools() {
  local missing='' pair
  for pair in dh:debhelper chrpath:chrpath mmdebstrap:mmdebstrap umoci:umoci apt-ftparchive:apt-utils gpg:gnupg \
    python3:python3-venv xz:xz-utils tsc:node-typescript; do
    command -v "${pair%:*}" >/dev/null || missing="$missing ${pair#*:}"
  done
  [ -z "$missing" ] || fail "Tools are missing: apt-get install$missing"
  [ "$(id -u)" = 0 ] || fail 'Only root can make the root file systems of the images: run make release as root.'
  grep -q '^VERSION_CODENAME=bookworm$' /etc/os-release ||
    fail 'A release is made on Debian 12 (bookworm), whose libraries the program loads.'
}

# Before minutes of packing: the scripts that sign look it up again.
check_key() (
  # shellcheck source-path=SCRIPTDIR
  . $here/signing.sh
  prepare_signing
)

# The program with its completions, man page and licences, from what the Debian package has.
pack_program() {
  local tree=$work/program name=fencepost-$version-linux-$architecture
  dpkg-deb -x "$deb" "$work/unpacked"
  mkdir -p "$tree/$name"
  cp -a "$work/unpacked/usr/." "$tree/$name/"
  cp LICENSE "$tree/$name/"
  pack "$tree" "$name" "$output/$name.tar.xz" "xz -T2 -${FENCEPOST_DEB_LEVEL:-6}"
}

# A tar archive without anything that depends on the machine or the time: pack FOLDER NAME FILE COMPRESSION
pack() {
  tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw --mtime="@$SOURCE_DATE_EPOCH" \
    --format=gnu -cf - "$2" | $4 >"$3"
}

pack_chart() {
  local chart=$work/chart/fencepost
  mkdir -p "$work/chart"
  cp -r docs/deploy/helm/fencepost "$chart"
  sed -i -e "s/^version: .*/version: $version/" -e "s/^appVersion: .*/appVersion: \"$version\"/" "$chart/Chart.yaml"
  sed -i "s|registry\.invalid|$registry|" "$chart/values.yaml"
  pack "$work/chart" fencepost "$output/fencepost-$version.tgz" 'gzip -9n'
}

# The add-on that pulls its image: the one of docs/deploy without what builds it.
pack_addon() {
  local addon=$work/addon/fencepost-home-assistant
  mkdir -p "$addon/fencepost"
  cp docs/deploy/home-assistant/repository.yaml "$addon/"
  sed -e "s/^version: .*/version: \"$version\"/" docs/deploy/home-assistant/fencepost/config.yaml \
    >"$addon/fencepost/config.yaml"
  echo "image: \"$registry/fencepost-addon-{arch}\"" >>"$addon/fencepost/config.yaml"
  pack "$work/addon" fencepost-home-assistant "$output/fencepost-home-assistant-$version.tar.gz" 'gzip -9n'
}

# The clients of the API, in the form that pip and npm install. SOURCE_DATE_EPOCH is the time in both.
make_clients() {
  local tools=.build/client-tools
  [ -x $tools/bin/python ] || python3 -m venv $tools
  $tools/bin/pip install --quiet --disable-pip-version-check -r Packaging/clients/requirements.txt
  VERSION=$version $tools/bin/python -B Packaging/clients/make.py "$1" "$work/clients" >&2
  cp "$work"/clients/python/dist/fencepost_client-*.whl "$output/"
  # As `npm pack` makes it: the folder is called package.
  mv "$work/clients/typescript" "$work/clients/package"
  [ -s "$work/clients/package/dist/index.js" ] || fail 'The client in TypeScript was not compiled.'
  pack "$work/clients" package "$output/fencepost-client-$version.tgz" 'gzip -9n'
}

make_release() {
  local program=$1
  [ -x "$program" ] || fail "There is no program at '$program': BINARY= names one that is built."
  program=$(realpath "$program")
  local reported
  reported=$("$program" --version) || fail "$program does not run on this machine."
  [ "$reported" = "$version" ] || differ "the program" "$reported"
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
  architecture=$(dpkg --print-architecture)
  export SOURCE_DATE_EPOCH
  work=$(mktemp -d)
  # What fails leaves no folder that looks like a release.
  trap 'rm -rf "$work"' EXIT
  output=$work/release
  mkdir -p "$output" .build

  echo 'Packing the program ...' >&2
  deb=$(Packaging/deb/build.sh "$program" "$output" "${version/-/\~}" | tail -n 1)
  mv "$output/fencepost.cdx.json" "$output/fencepost_${version}_$architecture.cdx.json"
  pack_program
  pack_chart
  pack_addon
  echo 'Making the clients ...' >&2
  make_clients "$program"
  $here/image.sh service "$version" "$deb" "$output"
  $here/image.sh addon "$version" "$deb" "$output"
  $here/repository.sh "$output/apt" "$deb"
  $here/sums.sh "$output"
  mv "$output" "$target"
  [ -n "${REGISTRY:-}" ] ||
    echo 'REGISTRY is not given: the chart and the add-on name registry.invalid, where no image is.' >&2
  [ -n "${SIGNING_KEY:-}" ] || echo 'SIGNING_KEY is not given: the apt repository and SHA256SUMS are not signed.' >&2
  (cd "$target" && find . -type f -printf '%s %P\n' | sort -k 2 | numfmt --to=si --suffix=B --padding=8)
  echo "Made $target."
}

case $command in
  check) check_version ;;
  make)
    check_version
    check_tools
    check_key
    make_release "${3:-}"
    ;;
  *) fail 'Which command? Packaging/release/release.sh check VERSION, or make VERSION PROGRAM' ;;
esac
