#!/bin/sh
# Fuzzes the readers of external data: Tests/Fuzz/run.sh [SECONDS] [TARGET...]
# The seed corpus is Tests/Fuzz/Corpus and the fixtures of other tests. The folder of what was found is printed.
set -eu
cd "$(dirname "$0")/../.."

seconds=${1:-60}
[ $# -eq 0 ] || shift
formats='ndjson csv gpx kml geojson google json nmea owntracks'
files='regions config endpoint template index pmtiles mbtiles'
disk='log checkpoint database'
network='ingest mqtt answer message framing credentials addresses'
targets=${*:-$formats jsontext $files $disk $network}
scratch=${FUZZ_SCRATCH:-.build-fuzz}

# Without it libFuzzer would not see traps.
export SWIFT_BACKTRACE=enable=no
export FENCEPOST_FUZZ=build FENCEPOST_ONLY=fencepost-fuzz
set -- -c release --scratch-path "$scratch" --product fencepost-fuzz \
  -Xswiftc -sanitize=fuzzer -Xswiftc -parse-as-library -Xswiftc -enable-testing \
  -Xcxx -fsanitize=fuzzer-no-link -Xlinker --gc-sections
if [ -z "${FUZZ_PROGRAM:-}" ]; then
  ${SWIFT:-swift} build "$@" >&2
  FUZZ_PROGRAM=$(${SWIFT:-swift} build "$@" --show-bin-path)/fencepost-fuzz
fi
unset FENCEPOST_ONLY

# The fixtures of other tests that are seeds of a target too.
seeds() {
  fixtures=Tests/FencepostFormatsTests/Fixtures
  case $1 in
    csv) ls $fixtures/*.csv $fixtures/*.tsv ;;
    geojson) ls $fixtures/*.geojson ;;
    google) ls $fixtures/records.json $fixtures/semantic.json $fixtures/*-timeline.json ;;
    json | jsontext) ls $fixtures/native*.json ;;
    owntracks) ls $fixtures/*.rec $fixtures/owntracks.json ;;
    ndjson | gpx | kml | nmea) ls "$fixtures"/*."$1" ;;
    regions) ls Tests/FencepostRegionFilesTests/Golden/*.geojson ;;
    *) ;;
  esac
}

status=0
for target in $targets; do
  corpus=$scratch/corpus/$target
  found=$scratch/found/$target/
  mkdir -p "$corpus" "$found"
  for seed in $(seeds "$target") $(find "Tests/Fuzz/Corpus/$target" -type f 2>/dev/null); do cp "$seed" "$corpus/"; done
  dictionary=Tests/Fuzz/Corpus/$target.dict
  echo "Fuzzing $target for $seconds s ..." >&2
  # A target that opens files needs memory for the caches of SQLite.
  FENCEPOST_FUZZ=$target "$FUZZ_PROGRAM" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
    $([ ! -f "$dictionary" ] || echo "-dict=$dictionary") \
    -artifact_prefix="$found" -print_final_stats=1 "$corpus" >"$scratch/$target.log" 2>&1 || {
    tail -n 40 "$scratch/$target.log" >&2
    echo "$target: found a problem, see $found" >&2
    status=1
    continue
  }
  awk -v target="$target" '/cov: / { for (i = 1; i < NF; i++) { if ($i == "cov:") edges = $(i + 1)
      if ($i == "corp:") corpus = $(i + 1) } } /number_of_executed_units/ { runs = $2 }
    END { printf "%-12s %9d runs %7d edges, corpus %s\n", target, runs, edges, corpus }' "$scratch/$target.log"
done
exit $status
