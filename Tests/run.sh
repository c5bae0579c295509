#!/usr/bin/env bash
# Runs all Swift tests of a debug build: Tests/run.sh
#
# Two processes at a time, each with one test after the other: one for what needs sockets, processes or the clock, of
# which several block a thread while they wait, and one for the rest, which then runs the tests of the server a second
# time, with each request sent to a cluster's node that does not lead, and those of the program and of its kills five times
# more: as a cluster of one node with one partition and with three, and as one of the nodes of a cluster of three, which
# leads, which sends all on to another one, and with three partitions that the nodes share (not without
# .build/nats/bin/nats-server, which make nats-server installs). Their logs are .build/test-service.log, test-pure.log,
# test-clustered.log, test-cluster-of-one-1.log and so on; what failed is printed at the end.
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
    grep -aE '^✘|error:|[Ff]atal error|FAILED: |: not within ' ".build/test-$name.log" | head -100
    tail -n 5 ".build/test-$name.log"
  fi >&2
  return $status
}

# Runs a function with so many NATS servers of its own, which end with it. It gets their addresses as an argument.
nats() (
  local program=.build/nats/bin/nats-server folder servers=() ports clients others routes urls index
  folder=$(mktemp -d)
  trap 'kill "${servers[@]}" 2>/dev/null; wait "${servers[@]}" 2>/dev/null; rm -rf "$folder"' EXIT
  # Below the ports that the system gives to outgoing connections.
  read -ra ports < <(python3 - "$(($1 * 2))" <<'PYTHON'
import random, socket, sys
ports = []
while len(ports) < int(sys.argv[1]):
    port = random.randrange(20000, 32000)
    with socket.socket() as tried:
        if port not in ports and tried.connect_ex(("127.0.0.1", port)):
            ports.append(port)
print(*ports)
PYTHON
  )
  clients=("${ports[@]:0:$1}")
  others=("${ports[@]:$1}")
  routes=$(printf 'nats://127.0.0.1:%s, ' "${others[@]}")
  for index in "${!clients[@]}"; do
    {
      printf 'server_name: n%s\nlisten: 127.0.0.1:%s\n' "$index" "${clients[index]}"
      printf 'jetstream { store_dir: "%s", sync_interval: always }\n' "$folder/$index"
      [ "$1" = 1 ] ||
        printf 'cluster { name: tests, listen: 127.0.0.1:%s, routes: [%s] }\n' "${others[index]}" "${routes%, }"
    } >"$folder/$index.conf"
    "$program" -c "$folder/$index.conf" >"$folder/$index.log" 2>&1 &
    servers+=($!)
  done
  urls=$(printf 'nats://127.0.0.1:%s,' "${clients[@]}")
  "$2" "${urls%,}"
)

tests='^FencepostProgramTests\.'

# The tests of the program as a cluster of one node.
cluster_of_one() {
  local status=0 partitions
  for partitions in 1 3; do
    CLUSTER_OF_TESTS=$1 PARTITIONS_OF_TESTS=$partitions part cluster-of-one-$partitions \
      --filter "$tests(ServiceTests|CrashTests)" || status=1
  done
  return $status
}

# The tests of the program as one of three nodes. Where it leads, each kill waits until another node has taken over.
cluster_of_three() {
  local status=0
  CLUSTER_OF_TESTS=$1 LEADER_OF_TESTS=companion part cluster-of-three-forwards \
    --filter "$tests(ServiceTests|CrashTests|FollowerTests|ReportAgreementTests)" || status=1
  CLUSTER_OF_TESTS=$1 LEADER_OF_TESTS=own FENCEPOST_SOAK_ROUNDS=1 part cluster-of-three-leads \
    --filter "$tests(ServiceTests|CrashTests)" || status=1
  CLUSTER_OF_TESTS=$1 PARTITIONS_OF_TESTS=3 FENCEPOST_SOAK_ROUNDS=3 part cluster-of-three-3 \
    --filter "$tests(ServiceTests|CrashTests)" || status=1
  return $status
}

clusters() {
  if [ ! -x .build/nats/bin/nats-server ]; then
    echo 'The tests of the program as a cluster are skipped: make nats-server installs what they need.' >&2
    return 0
  fi
  local status=0
  nats 1 cluster_of_one || status=1
  nats 3 cluster_of_three || status=1
  return $status
}

mkdir -p .build
{
  status=0
  part pure --skip "$service" || status=1
  # Those of several partitions have fronts of their own.
  FENCEPOST_CLUSTERED=1 part clustered --filter '^FencepostServerTests\.' --skip '^FencepostServerTests\.Part' ||
    status=1
  clusters || status=1
  exit $status
} &
pure=$!
status=0
part service --filter "$service" || status=1
wait $pure || status=1
exit $status
