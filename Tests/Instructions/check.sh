#!/usr/bin/env bash
# Counts the instructions of the paths that every fix takes, and fails if one needs 10 % more than figures.txt says.
#
#   check.sh PROGRAM            compares
#   check.sh PROGRAM --update   writes figures.txt again; commit it with the change that explains it
#
# PROGRAM is fencepost-hotpath, built in release mode. Counts, unlike times, are the same on a busy machine.
set -euo pipefail
program=$1
figures=$(dirname "$0")/figures.txt
count=5000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# callgrind 3.19 gives up on the debug information of Swift 6.
strip --strip-debug -o "$scratch/program" "$program"

measure() {
  SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    --toggle-collect='*measuredRun*' "$scratch/program" "$1" "$count" 2>"$scratch/$1.log" >&2 ||
    { cat "$scratch/$1.log" >&2; return 1; }
  awk -v count="$count" '/Collected :/ { print int($4 / count + 0.5) }' "$scratch/$1.log"
}

paths=$("$scratch/program" | tail -n +2 || true)
printf '%-20s %14s %14s\n' path 'instructions' 'at most'
failed=0
: >"$scratch/figures.txt"
for path in $paths; do
  now=$(measure "$path")
  [ -n "$now" ] || { echo "check.sh: callgrind counted nothing for $path" >&2; exit 1; }
  echo "$path $now" >>"$scratch/figures.txt"
  before=$(awk -v path="$path" '$1 == path { print $2 }' "$figures" 2>/dev/null || true)
  limit=$((${before:-$now} * 110 / 100))
  mark=''
  if [ "${2:-}" != --update ]; then
    if [ -z "$before" ]; then mark='  no figure: run it with --update'; failed=1; fi
    if [ "$now" -gt "$limit" ]; then mark="  was $before"; failed=1; fi
  fi
  printf '%-20s %14s %14s%s\n' "$path" "$now" "$limit" "$mark"
done
if [ "${2:-}" = --update ]; then cp "$scratch/figures.txt" "$figures"; exit; fi
if [ "$failed" = 1 ]; then
  echo 'A hot path needs more instructions than it did: mend it, or say why in the commit that updates the figures.' >&2
  exit 1
fi
