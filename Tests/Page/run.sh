#!/usr/bin/env bash
# Tests the modules of the map page that need no browser, in node: Tests/Page/run.sh [TEST-FILE ...]
# Then the compiler of TypeScript checks the types of the page's modules. Both are packages of Debian, `nodejs` and
# `node-typescript`; what is not installed is skipped, aloud.
set -uo pipefail
cd "$(dirname "$0")/../.."
status=0
mkdir -p .build

if command -v node >/dev/null; then
  tests=("$@")
  [ $# -gt 0 ] || tests=(Tests/Page/*.test.js)
  # The output is long, and of interest only where a test fails.
  output=$(env TZ=Europe/Lisbon LC_ALL=en_GB.UTF-8 node --test "${tests[@]}" 2>&1) || {
    echo "$output"
    status=1
  }
  grep -E '^(#|ℹ) (pass|fail) ' <<<"$output" | sed -E 's/^(#|ℹ) /page: /' | paste -sd ' '
else
  echo 'The tests of the page in node are skipped: node is not installed (apt-get install nodejs).' >&2
fi

python3 -B Tests/Page/test_api_types.py 2>.build/test-page.log || {
  cat .build/test-page.log >&2
  status=1
}

if command -v tsc >/dev/null; then
  # A checker that finds nothing in a bad sample is not at work.
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  printf 'const number = 1;\nnumber.length();\n' >"$folder/a.js"
  if tsc --allowJs --checkJs --noEmit --target ES2022 "$folder/a.js" >/dev/null; then
    echo 'The check of types fails its self-test: it passes a bad sample.' >&2
    status=1
  fi
  tsc --project Sources/FencepostPage || status=1
else
  echo 'The types of the page are not checked: tsc is not installed (apt-get install node-typescript).' >&2
fi

exit $status
