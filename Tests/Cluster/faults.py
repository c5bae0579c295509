"""The faults of the soak of the cluster: how each begins and ends, and what must hold while it lasts."""

import json
import os
import subprocess
import time

from disks import Notices, Slow, set_limits

def longest_gap(loads, since):
    """The longest time that one sender waited."""
    return max([gap for load in loads for at, gap in list(load.gaps) if at >= since] or [0])


def longest_silence(loads, since):
    """The longest time in which nobody got an acknowledgement; a sender may wait longer, for a node that is paused."""
    times = sorted(at for load in loads for at, _ in list(load.gaps) if at >= since - 1)
    return max([later - earlier for earlier, later in zip(times, times[1:])] or [0])


FULL_DISKS = [
    "a follower's disk is full", "the leader's disk is full", "the disks of all nodes are full",
    "the disk of a NATS server is full", "the disks of two NATS servers are full"]
OTHER_DISKS = [
    "the log reaches its limit", "the log has no room", "the leader's disk is slow",
    "the disk of a NATS server is slow"]
# Where a node is killed, by the name of the point for FENCEPOST_CRASH_AT; the first three after a command lets it lead.
ENDS = {
    "a leader ends between the log and its database": "appended", "a node ends as it begins to lead": "led",
    "a leader ends when it has handed over": "handedOver", "a follower ends after it has applied records": "applied"}
FAULTS = [
    "kill -9 of the leader", "SIGTERM of the leader", "SIGSTOP of the leader past its lease", "kill -9 of a follower",
    "kill -9 of a NATS server", "SIGSTOP of a NATS server", "kill -9 of the leader and of a NATS server",
    "SIGSTOP of two NATS servers", "loss of a follower's disk behind a trimmed log",
    "the leader is cut off from NATS", "what the leader sends to NATS is lost", "what NATS sends to the leader is lost",
    "a follower is cut off from NATS", "a NATS server is cut off from the others",
    "a command makes another node lead", "SIGTERM of all nodes, one by one", *ENDS, *FULL_DISKS, *OTHER_DISKS]
# What a log says whose disk is full.
SIGNS_OF_NODES = ["No disk space", "cannot be read or written", "cannot be opened"]
SIGNS_OF_SERVERS = ["no space left", "out of space", "insufficient"]


def chosen(parts):
    """The faults whose name has one of the parts between commas; all for None."""
    return [fault for fault in FAULTS if any(part in fault for part in (parts or "").split(","))]


def restart(cluster, node):
    """Stops a node as its machine's administrator does, and starts it again."""
    status = node.stop()
    if status != 0:
        raise SystemExit(f"{node.name} ended with {status} after SIGTERM. The logs are in {cluster.folder}.")
    node.start()


def lead(cluster, index):
    """Makes a node lead by a command, which works on any node's configuration."""
    done = try_lead(cluster, index)
    if done.returncode:
        raise SystemExit(f"cluster lead node-{index}: {done.stderr}. The logs are in {cluster.folder}.")


def can_lead(cluster, index):
    """Whether the command makes a node lead, which may end of it, or have no copy yet."""
    has_copy = cluster.partitions == 1 or copies(cluster, index)
    return has_copy and try_lead(cluster, index).returncode == 0


def copies(cluster, index):
    """The names of the parts of which a node has copies."""
    parts = json.loads(cluster.wait("the status", 60, cluster.status))["parts"]
    return [item["name"] for item in parts if f"node-{index}" in item["copies"]]


def try_lead(cluster, index):
    """The result of the command that makes a node lead, the last of the parts of which it has copies."""
    part = ["--part", copies(cluster, index)[-1]] if cluster.partitions > 1 else []
    return subprocess.run(
        [cluster.program, "cluster", "lead", "--config", f"{cluster.folder}/node-{index}.json", *part, f"node-{index}"],
        capture_output=True, text=True, check=False)


def end_at(cluster, source, index, point):
    """Starts a node so that it is killed at a point, and brings it there."""
    node = cluster.nodes[index]
    count = source.randrange(1, 40) if point in ("appended", "applied") else 1
    former = node.environment
    node.environment = former | {"FENCEPOST_CRASH_AT": f"{point}:{count}"}
    restart(cluster, node)
    node.environment = former
    if point != "applied":
        # A node that has just begun cannot lead yet.
        cluster.wait("the node as leader", 60, lambda: node.process.poll() is not None or can_lead(cluster, index))
    if point == "handedOver":
        # Again, since with several partitions leaders move on their own too.
        for leader in ((index + 1) % 3, index) * 5:
            if node.process.poll() is None:
                can_lead(cluster, leader)
    cluster.wait(f"the end of {node.name} at {point}:{count}", 60, lambda: node.process.poll() is not None)


def begin_fault(cluster, source, fault, leader):
    """Returns the processes that are started again at the end."""
    node = cluster.nodes[leader]
    other = (leader + source.choice([1, 2])) % 3
    servers = source.sample(cluster.servers, 2)
    if fault == "SIGTERM of the leader":
        restart(cluster, node)
    elif fault == "SIGTERM of all nodes, one by one":
        for index in range(3):
            restart(cluster, cluster.nodes[index])
            cluster.wait("the node again", 60, lambda index=index: cluster.is_ready(index))
    elif fault == "a command makes another node lead":
        lead(cluster, other)
    elif fault in ENDS:
        node = cluster.nodes[other]
        end_at(cluster, source, other, ENDS[fault])
    elif fault == "the leader is cut off from NATS":
        cluster.cut(leader)
    elif fault == "what the leader sends to NATS is lost":
        cluster.cut(leader, (True, False))
    elif fault == "what NATS sends to the leader is lost":
        cluster.cut(leader, (False, True))
    elif fault == "a follower is cut off from NATS":
        cluster.cut(other)
    elif fault == "a NATS server is cut off from the others":
        cluster.cut_server(cluster.servers.index(servers[0]))
    elif fault in ("kill -9 of a follower", "loss of a follower's disk behind a trimmed log"):
        node = cluster.nodes[other]
        node.kill()
    elif "of the leader" in fault and "kill" in fault:
        node.kill()
    elif fault == "SIGSTOP of the leader past its lease":
        node.pause()
    if "loss" in fault:
        cluster.lost = [path for path in cluster.databases(cluster.nodes.index(node)) if os.path.exists(path)]
        for path in cluster.lost:
            for suffix in ("", "-wal", "-shm"):
                if os.path.exists(path + suffix):
                    os.remove(path + suffix)
    if "kill" in fault and "NATS" in fault:
        servers[0].kill()
    if fault == "SIGSTOP of a NATS server":
        servers[0].pause()
    if fault == "SIGSTOP of two NATS servers":
        servers[0].pause()
        servers[1].pause()
    return [node, *servers]


def fill(cluster, source, fault, leader):
    """Fills disks, and waits until all have been noticed. Returns the processes that have them."""
    index = leader if "leader" in fault else (leader + source.choice([1, 2])) % 3
    nodes = cluster.nodes if "all nodes" in fault else [cluster.nodes[index]]
    servers = source.sample(cluster.servers, 2 if "two" in fault else 1)
    processes, signs = (servers, SIGNS_OF_SERVERS) if "NATS" in fault else (nodes, SIGNS_OF_NODES)
    names = [process.name for process in processes]
    notices = Notices(cluster.folder, names, signs)
    for name in names:
        cluster.disks.fill(name)
    cluster.wait(f"a sign of a full disk of {', '.join(names)}", 60, notices.have_come)
    return processes


def refuse(cluster, loads, seconds):
    """Nothing can be stored for some seconds: every sender is refused, by 503, and none gets an acknowledgement."""
    time.sleep(1)
    counts = [(len(load.acknowledged), load.refused()) for load in loads]
    time.sleep(seconds)
    for load, (acknowledged, refused) in zip(loads, counts):
        if len(load.acknowledged) > acknowledged:
            raise SystemExit(f"what could not be stored was acknowledged. The logs are in {cluster.folder}.")
        if load.refused() == refused:
            raise SystemExit(f"a sender had no answer in {seconds} s. The logs are in {cluster.folder}.")


def wait_for_all(cluster, loads, since):
    cluster.wait("acknowledgements after a fault", 90, lambda: all(load.last > since for load in loads))


def oldest(cluster):
    """The sequences of the oldest records of the devices' logs."""
    infos = [cluster.ask_nats(f"$JS.API.STREAM.INFO.{name}", "") for name in cluster.streams()]
    return [json.loads(info)["state"]["first_seq"] for info in infos[-cluster.partitions:]]


def spoil_disks(cluster, loads, source, fault):
    """A fault of disks, from its beginning to its end, after which no node may need a restart."""
    leader = cluster.wait("a leader", 60, cluster.leader)
    if fault == "the log reaches its limit":
        names = cluster.streams()
        former = set_limits(cluster.ask_nats, names, lambda name, size: size + source.randrange(1, 2000))
        first = oldest(cluster)
        cluster.wait("room that the cluster makes itself", 60, lambda: all(
            now > before for now, before in zip(oldest(cluster), first)))
        time.sleep(source.uniform(2, 6))
        wait_for_all(cluster, loads, time.monotonic())
        set_limits(cluster.ask_nats, names, lambda name, size: former[name])
    elif fault == "the log has no room":
        names = cluster.streams()
        former = set_limits(cluster.ask_nats, names, lambda name, size: 1)
        # The first requests wait for a leader for 15 s.
        refuse(cluster, loads, source.uniform(17, 22))
        set_limits(cluster.ask_nats, names, lambda name, size: former[name])
    elif "slow" in fault:
        slow = Slow(source.choice(cluster.servers) if "NATS" in fault else cluster.nodes[leader])
        time.sleep(source.uniform(9, 16))
        slow.end()
    else:
        processes = fill(cluster, source, fault, leader)
        if "two" in fault:
            refuse(cluster, loads, source.uniform(17, 22))
        elif processes[0] in cluster.servers:
            # A node can begin meanwhile.
            index = source.randrange(3)
            restart(cluster, cluster.nodes[index])
            cluster.wait("a node that begins with two servers", 60, lambda: cluster.is_ready(index))
            time.sleep(source.uniform(2, 6))
        else:
            time.sleep(source.uniform(5, 12))
        cluster.disks.free()
        for process in processes:
            if process.process.poll() is not None:
                raise SystemExit(f"{process.name} ended with a full disk. The logs are in {cluster.folder}.")
            # NATS turns JetStream off on a server whose disk is full, until somebody starts that server again.
            if process in cluster.servers:
                process.stop()
                process.start()


def spoil(cluster, source, fault):
    """Any other fault, from its beginning to its end."""
    leader = cluster.wait("a leader", 60, cluster.leader)
    processes = begin_fault(cluster, source, fault, leader)
    lasts = "SIGSTOP" in fault or "NATS is lost" in fault or "to the leader is lost" in fault or "cut off" in fault
    time.sleep(source.uniform(9, 16) if lasts else source.uniform(1, 8))
    if "trimmed" in fault:
        cluster.trim()
    cluster.mend()
    for process in processes:
        if process.paused:
            process.go_on()
        if process.process.poll() is not None:
            process.start()


def disturb(cluster, loads, source, fault):
    """One fault; returns the longest time without an acknowledgement that it brought to all senders, and to one."""
    cluster.wait("a leader", 60, cluster.leader)
    began = time.monotonic()
    refused = sum(load.refused() for load in loads)
    if fault in FULL_DISKS or fault in OTHER_DISKS:
        spoil_disks(cluster, loads, source, fault)
    else:
        spoil(cluster, source, fault)
    # One that came while it lasted shows nothing.
    ended = time.monotonic() if fault in FULL_DISKS or fault in OTHER_DISKS else began + 1
    wait_for_all(cluster, loads, ended)
    cluster.wait("a leader", 60, lambda: cluster.leader() is not None)
    # Each node takes part again, not only those that the load needs.
    newest = cluster.positions()
    cluster.wait("all nodes", 60, lambda: cluster.have_all(newest))
    cluster.wait("all servers", 60, cluster.are_servers_level)
    if "loss" in fault:
        cluster.wait("a new copy", 60, lambda: all(map(cluster.is_replaced, cluster.lost)))
    time.sleep(3)
    if ("SIGTERM" in fault or "command" in fault) and sum(load.refused() for load in loads) > refused:
        raise SystemExit(f"a planned change of the leader refused requests. The logs are in {cluster.folder}.")
    return longest_silence(loads, began), longest_gap(loads, began)
