#!/bin/sh
# Fuzzes the readers of external data: Tests/Fuzz/run.sh [SECONDS] [TARGET...]
# The test fixtures are the seed corpus. Findings are stored in the folder that is printed at the end.
set -eu
cd "$(dirname "$0")/../.."

seconds=${1:-60}
[ $# -eq 0 ] || shift
targets=${*:-ndjson csv gpx kml geojson google json nmea owntracks regions}
scratch=${FUZZ_SCRATCH:-.build-fuzz}
fixtures=Tests/FencepostFormatsTests/Fixtures

# Without it libFuzzer would not see traps.
export SWIFT_BACKTRACE=enable=no
export FENCEPOST_FUZZ=build
set -- -c release --scratch-path "$scratch" --product fencepost-fuzz \
  -Xswiftc -sanitize=fuzzer -Xswiftc -parse-as-library -Xcxx -fsanitize=fuzzer-no-link -Xlinker --gc-sections
${SWIFT:-swift} build "$@" >&2
program=$(${SWIFT:-swift} build "$@" --show-bin-path)/fencepost-fuzz

for target in $targets; do
  case $target in
    ndjson) seeds=*.ndjson ;;
    csv) seeds='*.csv *.tsv' ;;
    geojson | regions) seeds=*.geojson ;;
    google) seeds='records.json semantic.json *-timeline.json' ;;
    json) seeds='native*.json' ;;
    owntracks) seeds='*.rec owntracks.json' ;;
    *) seeds=*.$target ;;
  esac
  corpus=$scratch/corpus/$target
  found=$scratch/found/$target/
  mkdir -p "$corpus" "$found"
  # The patterns expand in the folder of the fixtures.
  # shellcheck disable=SC2086
  (cd "$fixtures" && for seed in $seeds; do echo "$seed"; done) |
    while read -r seed; do cp "$fixtures/$seed" "$corpus/"; done
  echo "Fuzzing $target for $seconds s ..." >&2
  if ! FENCEPOST_FUZZ=$target "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
    -artifact_prefix="$found" -print_final_stats=1 "$corpus" >"$scratch/$target.log" 2>&1; then
    tail -n 40 "$scratch/$target.log" >&2
    echo "$target: found a problem, see $found" >&2
    exit 1
  fi
  grep -E 'stat::number_of_executed_units|DONE|cov:' "$scratch/$target.log" | tail -n 2 >&2
done
