#!/usr/bin/env bash
# Makes a release of a built program and tests each artefact as who installs uses it: Tests/Release/run.sh PROGRAM
# RELEASE_FOLDER is a release that is made already, with the test's key and registry. With TWICE=1 a second release has to have the same
# bytes. Exit codes: 0 works, 1 does not, 77 cannot be tested here.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$(realpath "${1:?Which program? Tests/Release/run.sh PROGRAM}")
version=0.0.1-test
tools=.build/release-test
[ "$(id -u)" = 0 ] || {
  echo 'The release is not tested: only root can enter the root file system of its image.' >&2
  exit 77
}
cmp -s Tests/Release/requirements.txt $tools/requirements.txt || {
  rm -rf $tools
  python3 -m venv $tools
  $tools/bin/pip install --quiet --disable-pip-version-check --no-deps -r Tests/Release/requirements.txt
  cp Tests/Release/requirements.txt $tools/
}

key=$PWD/.build/release-test/key.asc
if [ ! -s "$key" ]; then
  home=$(mktemp -d)
  gpg --homedir "$home" --batch --quiet --pinentry-mode loopback --passphrase '' \
    --quick-generate-key 'A test of Fencepost <test@fencepost.invalid>' ed25519 sign never 2>/dev/null
  gpg --homedir "$home" --batch --armor --export-secret-keys >"$key"
  gpgconf --homedir "$home" --kill all
  rm -rf "$home"
fi

make_release() {
  rm -rf ".build/release-$version"
  FENCEPOST_DEB_LEVEL=1 REGISTRY=registry.example.org/you SIGNING_KEY=$1 \
    Packaging/release/release.sh make "$version" "$program" >&2
}

folder=${RELEASE_FOLDER:-}
if [ -z "$folder" ]; then
  make_release "$key"
  folder=.build/release-$version
  if [ -n "${TWICE:-}" ]; then
    rm -rf $tools/first
    mv "$folder" $tools/first
    make_release "$key"
    # Signatures have the time of their making.
    diff <(grep -vE '(InRelease|Release.gpg)$' $tools/first/SHA256SUMS) \
      <(grep -vE '(InRelease|Release.gpg)$' "$folder/SHA256SUMS") || {
      echo 'The second release differs from the first.' >&2
      exit 1
    }
    echo 'A second release has the same bytes.'
  fi
fi
$tools/bin/python -B Tests/Release/release.py "$folder" "$key"
