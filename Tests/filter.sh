#!/usr/bin/env bash
# Runs the tests whose names match a pattern, and builds only the modules that these tests need.
#
#   Tests/filter.sh PATTERN    a regular expression over module, suite and function: DeviceMonitor, FencepostGEOSTests
#
# It builds in debug mode in a folder of its own, .build-part: a change to one module is compiled and tested in seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
pattern=$1
swift=${SWIFT:-swift}

# A test target matches by its own name, or by that of a file or a suite in it.
modules=$(
  {
    ls Tests | grep -E 'Tests$' | grep -E "$pattern" || true
    find Tests -name '*.swift' -path '*Tests/*' | grep -E "$pattern[^/]*$" | cut -d/ -f2 || true
    grep -rlE "(struct|class|func) \w*($pattern)" --include='*.swift' Tests | grep -E '^Tests/\w+Tests/' | cut -d/ -f2 || true
  } | sort -u | paste -sd, -
)
if [ -z "$modules" ]; then
  echo "No test module, suite or function matches '$pattern'. The suites are the structs under Tests/*Tests." >&2
  exit 64
fi
echo "Building and testing $modules ..." >&2
export FENCEPOST_ONLY=$modules
"$swift" build --build-tests --scratch-path .build-part
bin=$("$swift" build --show-bin-path --scratch-path .build-part)
# The program under test knows no such setting, and says so.
unset FENCEPOST_ONLY
exec "$bin/fencepostPackageTests.xctest" --testing-library swift-testing --no-parallel --filter "$pattern"
