#!/usr/bin/env bash
# Runs the Swift tests of a debug build: Tests/run.sh [none | all | PART]
#
# Four processes at a time, each with one test after the other, since most of what needs sockets, processes or the clock
# waits: the rest, the store and what works on it alone, the service and its commands, and the scripts of the cluster.
#
# Long tests with many seeds run a quarter of them, which follows from the commit and is printed, as the matrix of CI is;
# `all` runs them all.
#
# The matrix repeats tests in other surroundings: those of the server with each request sent to a cluster's node that does
# not lead; those of the program and of its kills as a cluster of one node with one partition and with three, and as one
# of the nodes of a cluster of three, which leads, which sends all on to another one, and with three partitions that the
# nodes share; and further faults of the cluster. `none` leaves it out, `all` runs it, a number from 1 to 6 runs that sixth.
# Clusters need .build/nats/bin/nats-server, which make nats-server installs.
#
# The logs are .build/test-service.log, test-store.log, test-pure.log and so on; what failed is printed at the end.
set -uo pipefail
cd "$(dirname "$0")/.."
bundle=$(${SWIFT:-swift} build --show-bin-path)/fencepostPackageTests.xctest
matrix=${1:-none}
kinds=6
store='^Fencepost(MQTT|NATS|Node|Service|Store|Webhooks)Tests\.'
service='^Fencepost(Command|Program|Server)Tests\.'
tests='^FencepostProgramTests\.'
scripts='^FencepostProgramTests\.ClusterTests/run'

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

# The tests of the program as one node of a cluster, whose partitions are the first argument.
cluster_of_one() {
  CLUSTER_OF_TESTS=$2 PARTITIONS_OF_TESTS=$1 part "cluster-of-one-$1" --filter "$tests(ServiceTests|CrashTests)"
}
cluster_of_one_with_1() { cluster_of_one 1 "$1"; }
cluster_of_one_with_3() { cluster_of_one 3 "$1"; }

# The tests of the program as one of three nodes. Where it leads, each kill waits until another node has taken over.
forwards() {
  CLUSTER_OF_TESTS=$1 LEADER_OF_TESTS=companion part cluster-of-three-forwards \
    --filter "$tests(ServiceTests|CrashTests|FollowerTests|ReportAgreementTests)"
}
leads() {
  CLUSTER_OF_TESTS=$1 LEADER_OF_TESTS=own FENCEPOST_SOAK_ROUNDS=1 part cluster-of-three-leads \
    --filter "$tests(ServiceTests|CrashTests)"
}
shares_partitions() {
  CLUSTER_OF_TESTS=$1 PARTITIONS_OF_TESTS=3 FENCEPOST_SOAK_ROUNDS=3 part cluster-of-three-3 \
    --filter "$tests(ServiceTests|CrashTests)"
}

# Those of several partitions have routers of their own.
follower() {
  FENCEPOST_CLUSTERED=1 part clustered --filter '^FencepostServerTests\.' --skip '^FencepostServerTests\.Part'
}

# One of the six surroundings of the matrix.
surroundings() {
  if [ "$1" != 1 ] && [ ! -x .build/nats/bin/nats-server ]; then
    echo 'The tests of the program as a cluster are skipped: make nats-server installs what they need.' >&2
    return 0
  fi
  case $1 in
    1) follower ;;
    2) nats 1 cluster_of_one_with_1 ;;
    3) nats 1 cluster_of_one_with_3 ;;
    4) nats 3 forwards ;;
    5) nats 3 leads ;;
    6) nats 3 shares_partitions ;;
  esac
}

case $matrix in
  none) chosen=() ;;
  all) mapfile -t chosen < <(seq "$kinds") ;;
  [1-6]) chosen=("$matrix") ;;
  *)
    echo "Tests/run.sh: $matrix is no part of the matrix: none, all, or 1 to $kinds" >&2
    exit 64
    ;;
esac

if [ "$matrix" != all ]; then
  commit=$(git rev-parse HEAD 2>/dev/null || date +%j)
  export SEEDS_OF_TESTS=${SEEDS_OF_TESTS:-$((16#${commit:0:3} % 4 + 1))/4}
  echo "Of the seeds of long tests this run has the share $SEEDS_OF_TESTS; make test-all has all."
fi

mkdir -p .build
parts=()
part pure --skip "$store" --skip "$service" & parts+=($!)
part store --filter "$store" & parts+=($!)
MATRIX_OF_TESTS=$matrix part scripts --filter "$scripts" & parts+=($!)
status=0
part service --filter "$service" --skip "$scripts" || status=1
for number in "${chosen[@]}"; do surroundings "$number" || status=1; done
for running in "${parts[@]}"; do wait "$running" || status=1; done
exit $status
