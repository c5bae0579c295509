#!/bin/sh
# Tests the map page in Chromium: Tests/Browser/run.sh [PYTEST-ARGUMENTS]
# FENCEPOST is the path of the program; without it the program is built. Needs python3-venv and of Debian's
# chromium-headless-shell and chromium one.
set -eu
cd "$(dirname "$0")/../.."

if [ ! -x /usr/bin/chromium-headless-shell ] && [ ! -x /usr/bin/chromium ]; then
  echo 'The tests of the map page are skipped: install Chromium (apt-get install chromium-headless-shell).' >&2
  exit 0
fi
if [ -z "${FENCEPOST:-}" ]; then
  ${SWIFT:-swift} build --product fencepost >&2
  FENCEPOST=$(${SWIFT:-swift} build --show-bin-path)/fencepost
fi
tools=.build/browser-tools
if ! cmp -s Tests/Browser/requirements.txt "$tools/requirements.txt"; then
  rm -rf "$tools"
  mkdir -p .build
  python3 -m venv "$tools" || {
    echo 'The tests of the map page need the Python module venv: apt-get install python3-venv' >&2
    exit 69
  }
  "$tools/bin/pip" install --quiet --disable-pip-version-check -r Tests/Browser/requirements.txt >&2
  cp Tests/Browser/requirements.txt "$tools/"
fi
# Of a test with several sizes, themes or kinds, `commit` runs one, which follows from the commit; the default runs all.
if [ "${VARIANTS_OF_TESTS:-all}" = commit ]; then
  commit=$(git rev-parse HEAD 2>/dev/null || date +%j)
  VARIANTS_OF_TESTS=$(printf '%d' "0x$(printf '%.6s' "$commit")")
  echo "Of the sizes and themes of each test one is run: VARIANTS_OF_TESTS=$VARIANTS_OF_TESTS make test-browser repeats" \
    'them, make test-browser runs all.' >&2
fi
export FENCEPOST PYTHONDONTWRITEBYTECODE=1 VARIANTS_OF_TESTS="${VARIANTS_OF_TESTS:-all}"
# Three windows at a time: a test waits for its page and its service more than it computes.
browsers=${FENCEPOST_BROWSERS:-3}
# The services of the tests would refuse it as an unknown setting.
unset FENCEPOST_BROWSERS
exec "$tools/bin/python" -m pytest -q -p no:cacheprovider --numprocesses "$browsers" Tests/Browser "$@"
