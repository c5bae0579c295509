#!/usr/bin/env bash
# Runs all Swift tests of a debug build: Tests/run.sh
#
# Two processes at a time, each with one test after the other: one for what needs sockets, processes or the clock, of
# which several block a thread while they wait, and one for the rest, which then runs the tests of the server a second
# time, with each request sent to a cluster's node that does not lead, and those of the program and of its kills two times
# more, each as a cluster of one node with one partition and with three (not without .build/nats/bin/nats-server, which
# make nats-server installs). Their logs are .build/test-service.log, test-pure.log, test-clustered.log and
# test-cluster-of-one-1.log and -3.log there; what failed is printed at the end.
set -uo pipefail
cd "$(dirname "$0")/.."
bundle=$(${SWIFT:-swift} build --show-bin-path)/fencepostPackageTests.xctest
service='^Fencepost(Command|MQTT|NATS|Program|Server|Service|Store|Webhooks)Tests\.'

part() {
  local name=$1
  shift
  "$bundle" --testing-library swift-testing --no-parallel "$@" >".build/test-$name.log" 2>&1
  local status=$?
  # A summary line even where a crash left none.
  grep -aE '(Test run with|^error)' ".build/test-$name.log" | tail -1 | sed "s/^/$name: /" || true
  if [ $status -ne 0 ]; then
    echo "$name: failed with exit code $status; the whole log is .build/test-$name.log"
    grep -aE '^✘|error:|[Ff]atal error' ".build/test-$name.log" | head -100
    tail -n 5 ".build/test-$name.log"
  fi >&2
  return $status
}

# The tests of the program as a cluster of one node, on a NATS server of their own.
cluster_of_one() {
  local nats=.build/nats/bin/nats-server folder port status
  if [ ! -x "$nats" ]; then
    echo 'The tests of the program as a cluster are skipped: make nats-server installs what they need.' >&2
    return 0
  fi
  folder=$(mktemp -d)
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  printf 'listen: 127.0.0.1:%s\njetstream { store_dir: "%s", sync_interval: always }\n' "$port" "$folder" \
    >"$folder/nats.conf"
  "$nats" -c "$folder/nats.conf" >"$folder/nats.log" 2>&1 &
  local server=$!
  status=0
  for partitions in 1 3; do
    CLUSTER_OF_TESTS=nats://127.0.0.1:$port PARTITIONS_OF_TESTS=$partitions part cluster-of-one-$partitions \
      --filter '^FencepostProgramTests\.(ServiceTests|CrashTests)' || status=1
  done
  kill $server
  wait $server 2>/dev/null
  rm -rf "$folder"
  return $status
}

mkdir -p .build
{
  status=0
  part pure --skip "$service" || status=1
  # Those of several partitions have fronts of their own.
  FENCEPOST_CLUSTERED=1 part clustered --filter '^FencepostServerTests\.' --skip '^FencepostServerTests\.Part' ||
    status=1
  cluster_of_one || status=1
  exit $status
} &
pure=$!
status=0
part service --filter "$service" || status=1
wait $pure || status=1
exit $status
