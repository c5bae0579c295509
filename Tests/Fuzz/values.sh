#!/bin/sh
# Sends sequences of values at their ends through the service: Tests/Fuzz/values.sh [SECONDS] [SEED]
# It builds the tests of the server in release mode, runs ValueSequenceTests for that long, and prints the seed and the
# step of what it found. After a trap it goes on with the next seed, so that one finding does not hide the others.
set -eu
cd "$(dirname "$0")/../.."

seconds=${1:-60}
seed=${2:-1}
scratch=${FUZZ_SCRATCH:-.build-values}
mkdir -p "$scratch/found"
if [ -z "${FUZZ_PROGRAM:-}" ]; then
  FENCEPOST_ONLY=FencepostServerTests ${SWIFT:-swift} build --build-tests -c release -Xswiftc -enable-testing \
    --scratch-path "$scratch" >&2
  FUZZ_PROGRAM=$scratch/release/fencepostPackageTests.xctest
fi

status=0
end=$(($(date +%s) + seconds))
while left=$((end - $(date +%s))) && [ "$left" -gt 0 ]; do
  trace=$scratch/last.txt
  rm -f "$trace"
  if FENCEPOST_VALUES_SECONDS=$left FENCEPOST_VALUES_SEED=$seed FENCEPOST_VALUES_TRACE=$trace \
    "$FUZZ_PROGRAM" --testing-library swift-testing --filter ValueSequenceTests >"$scratch/values.log" 2>&1; then
    grep 'Values at their ends:' "$scratch/values.log"
    break
  fi
  status=1
  grep -m 20 'seed [0-9]* step' "$scratch/values.log" || true
  [ -f "$trace" ] || break
  # The process ended at this request.
  found=$(sed -n '1s/^seed \([0-9]*\) step.*/\1/p' "$trace")
  cp "$trace" "$scratch/found/seed-$found.txt"
  cp "$scratch/values.log" "$scratch/found/seed-$found.log"
  echo "The process ended after $((seconds - (end - $(date +%s)))) s: $(head -n 2 "$trace" | tr '\n' ' '| cut -c 1-300)"
  grep -m 3 -E 'Fatal error|Precondition|SIG' "$scratch/values.log" || true
  seed=$((found + 1))
done
exit $status
