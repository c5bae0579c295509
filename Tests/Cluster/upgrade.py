#!/usr/bin/env python3
"""Upgrades three nodes of a cluster one by one under load, to a version with another schema of the database.

    Tests/Cluster/upgrade.py --program PATH --nats PATH [--partitions COUNT] [--kill]

The newer version is the same program, a debug build, with FENCEPOST_NEXT_SCHEMA=1. Exits with 0 only if no request
fails, older nodes lead as long as there are any, the next one takes over at once, nothing acknowledged is lost, all
copies have the new schema and are equal, and a node of the old version is refused with a sentence then.
"""

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

from cluster import Cluster, Load, check, conclude, request, say

NEXT = "FENCEPOST_NEXT_SCHEMA"
# Seconds without an acknowledgement while the next node takes over at once; a suspicion would take eight.
AT_ONCE = 6
# The same when the last older node is killed.
AFTER_KILL = 14


def schemas(cluster, nodes=range(3)):
    """The schemas of all copies."""
    found = set()
    for path in (path for node in nodes for path in cluster.databases(node)):
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        found.add(database.execute("PRAGMA user_version").fetchone()[0])
        database.close()
    return found


def leaders(cluster):
    """The nodes that lead something; None while a part has no leader."""
    text = cluster.status()
    status = json.loads(text) if text else {}
    names = {part.get("leader") for part in status.get("parts") or [status]}
    return None if None in names else {int(name.split("-")[1]) for name in names}


def are_working(cluster, count=3):
    """Whether so many nodes run, all follow or lead, and a node leads each part."""
    text = cluster.status()
    nodes = json.loads(text)["nodes"] if text else []
    roles = [node["role"] for node in nodes if node["role"] != "gone"]
    return len(roles) == count and set(roles) <= {"leader", "follower"} and leaders(cluster) is not None


def rest(cluster):
    """Waits until no leader has changed for longer than the nodes need to even out who leads how many partitions."""
    former, since = None, time.monotonic()
    while time.monotonic() - since < 15:
        text = cluster.status()
        now = [part.get("leader") for part in json.loads(text)["parts"]] if text else None
        if now != former:
            former, since = now, time.monotonic()
        time.sleep(0.5)


def set_version(node, is_next):
    environment = {name: value for name, value in os.environ.items() if name != NEXT}
    node.environment = environment | ({NEXT: "1"} if is_next else {})


class Upgrade:
    def __init__(self, cluster, token):
        self.cluster, self.token, self.findings, self.schema = cluster, token, [], 0

    def check(self, what, holds, detail=""):
        say(what)
        if not holds:
            self.findings.append(f"{what}: {detail}")

    def restart(self, index, loads, has_disk=True, is_killed=False):
        """Restarts a node as one of the next version; returns the longest time without an acknowledgement."""
        node, begin = self.cluster.nodes[index], time.monotonic()
        if is_killed:
            node.kill()
            # Its last report says for a minute that it can lead.
            self.cluster.wait("a newer node that leads", 30, lambda: index not in (leaders(self.cluster) or {index}))
        else:
            status = node.stop()
            self.check(f"node-{index} ends with 0", status == 0, status)
        keep(self.cluster, index)
        if not has_disk:
            shutil.rmtree(f"{self.cluster.folder}/node-{index}")
        set_version(node, True)
        node.start()
        self.cluster.wait(f"node-{index}", 60, lambda: self.cluster.is_ready(index))
        # Long enough for a wrong change of the leader to show.
        time.sleep(6)
        times = sorted(moment for load in loads for moment, _ in list(load.gaps) if moment > begin)
        return max(after - before for before, after in zip([begin, *times], [*times, time.monotonic()]))

    def answers(self):
        """The statuses of a list at each node."""
        return [request(port, "GET", "/v1/devices", self.token)[0] for port in self.cluster.ports]

    def run(self, loads, old, kills):
        """Upgrades all nodes, the last one after a stop or a kill; returns that."""
        [self.schema] = schemas(self.cluster)
        while len(old) > 1:
            # A leader, so that the next one is chosen among nodes of both versions.
            index = min(self.cluster.wait("leaders", 60, lambda: leaders(self.cluster)))
            old.remove(index)
            # The first one reads the whole log into a new copy, the second fetches one.
            if len(old) == 1:
                self.cluster.trim()
            silence = self.restart(index, loads, has_disk=False)
            self.check(f"node-{index} is of the next version; at most {silence:.1f} s without an acknowledgement",
                       silence < AT_ONCE)
            leading = self.cluster.wait("leaders", 60, lambda: leaders(self.cluster))
            self.check(f"only older nodes lead: {old}", leading and leading <= old, leading)
            found = schemas(self.cluster)
            self.check("all copies have the old schema", found == {self.schema}, found)
            self.check("all nodes answer", self.answers() == [200] * 3, self.answers())
            self.refuse_to_lead(index)
        [last] = old
        silence = self.restart(last, loads, is_killed=kills)
        self.check(f"a newer node took over: {silence:.1f} s without an acknowledgement",
                   silence < (AFTER_KILL if kills else AT_ONCE))
        self.cluster.wait("the new schema of all copies", 30, lambda: schemas(self.cluster) == {self.schema + 1})
        self.check("all nodes answer", self.answers() == [200] * 3, self.answers())
        refused = sum(load.refused() for load in loads)
        self.check("no request failed", refused == 0, [load.errors for load in loads])
        return last

    def refuse_to_lead(self, index):
        part = [] if self.cluster.partitions == 1 else ["--part", "config"]
        done = subprocess.run(
            [self.cluster.program, "cluster", "lead", "--config", f"{self.cluster.folder}/node-0.json", *part,
             f"node-{index}"], capture_output=True, text=True, check=False)
        self.check(f"node-{index} is not let lead", done.returncode == 75 and "newer version" in done.stderr,
                   (done.returncode, done.stdout, done.stderr))

    def run_command(self, *words, node=0):
        command = [self.cluster.program, "cluster", words[0], "--config", f"{self.cluster.folder}/node-{node}.json"]
        done = subprocess.run([*command, *words[1:]], capture_output=True, text=True, check=False,
                              cwd=self.cluster.folder)
        self.check("cluster " + " ".join(words), done.returncode == 0, (done.returncode, done.stdout, done.stderr))

    def restore_old(self, first, second):
        """Begins the cluster again with a backup of the old version, on two nodes."""
        for index in (first, second):
            self.cluster.nodes[index].stop()
        shutil.rmtree(f"{self.cluster.folder}/node-{second}")
        self.run_command("restore", "backup", node=first)
        for index in (first, second):
            self.cluster.nodes[index].start()
        self.cluster.wait("both copies", 60, lambda: are_working(self.cluster, 2))
        status, answer = request(self.cluster.ports[second], "GET", "/v1/devices", self.token)
        found = schemas(self.cluster, (first, second))
        self.check("the cluster goes on with the old backup, in the new schema",
                   found == {self.schema + 1} and status == 200 and json.loads(answer)["data"],
                   (found, status, answer[:300]))

    def refuse_old(self, index):
        """A node of the old version, with a copy of each kind."""
        node, folder = self.cluster.nodes[index], f"{self.cluster.folder}/node-{index}"
        for other in range(3):
            if other != index:
                self.cluster.nodes[other].start()
        self.cluster.wait("a leader", 60, self.cluster.leader)
        set_version(node, False)
        for what, words in (("the new copy", "newer Fencepost"), ("its old copy", "was upgraded to a newer Fencepost"),
                            ("no copy", "newer Fencepost")):
            if what != "the new copy":
                shutil.rmtree(folder)
                os.mkdir(folder)
            if what == "its old copy":
                shutil.copytree(kept(self.cluster, index), folder, dirs_exist_ok=True)
            size = os.path.getsize(f"{folder}.log")
            node.start()
            try:
                status = node.process.wait(60)
            except subprocess.TimeoutExpired:
                status = None
                node.kill()
            with open(f"{folder}.log", encoding="utf-8") as file:
                file.seek(size)
                text = file.read()
            self.check(f"the old version with {what} is refused",
                       status == 78 and words in text and "Install that version" in text, (status, text[-600:]))


def kept(cluster, index):
    return f"{cluster.folder}/kept-{index}"


def keep(cluster, index):
    """Keeps the databases of a node that is stopped, as they are."""
    # One that was killed has left its socket.
    shutil.copytree(f"{cluster.folder}/node-{index}", kept(cluster, index), ignore=shutil.ignore_patterns("*.sock"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the built fencepost, in debug mode")
    parser.add_argument("--nats", required=True, help="the nats-server")
    parser.add_argument("--partitions", type=int, default=1, help="partitions of devices, each with a leader")
    parser.add_argument("--copies", type=int, help="nodes with a copy of a partition; without it all")
    parser.add_argument("--kill", action="store_true", help="the last older node is killed")
    options = parser.parse_args()
    options.program, options.nats = os.path.abspath(options.program), os.path.abspath(options.nats)
    options.single, options.skew, options.devices = False, False, 3
    os.environ.pop(NEXT, None)
    folder = tempfile.mkdtemp(prefix="fencepost-upgrade-")
    cluster = Cluster(options, folder, None)
    findings = ["it did not end"]
    try:
        # So long ago that no deadline of the clock decides anything.
        begin = int(time.time()) - 10 * 86400
        cluster.start([], begin)
        cluster.wait("three nodes", 60, lambda: are_working(cluster))
        token = cluster.wait("the first token", 30, cluster.token)
        loads = [Load(cluster, token, number, options.devices, begin) for number in range(4)]
        for load in loads:
            load.start()
        # With several partitions, until the leaders are even.
        time.sleep(5 if options.partitions == 1 else 30)
        upgrade = Upgrade(cluster, token)
        upgrade.run_command("backup", "backup")
        last = upgrade.run(loads, {0, 1, 2}, options.kill)
        for load in loads:
            load.ended.set()
        for load in loads:
            load.join()
        # For the program as it examines the databases.
        os.environ[NEXT] = "1"
        if options.partitions > 1:
            rest(cluster)
        findings = upgrade.findings + check(cluster, loads, token, options)
        # They run still where the copies could not be compared.
        for node in cluster.nodes:
            if node.process.poll() is None:
                node.kill()
        upgrade.refuse_old(last)
        upgrade.restore_old(*({0, 1, 2} - {last}))
        findings += [finding for finding in upgrade.findings if finding not in findings]
    finally:
        cluster.end()
        if not findings:
            shutil.rmtree(folder)
    return conclude(findings, folder, "all nodes are upgraded, nothing is lost, and the copies are equal")


if __name__ == "__main__":
    sys.exit(main())
