#!/usr/bin/env python3
"""Ends the processes of nodes while they apply a certain record of the log, again and again.

    Tests/Cluster/poison.py --program PATH --nats PATH

A node that a record has ended twice fetches the copy of a node that has passed it. Where none has, the node says so and
does not end again, and the cluster begins again without the record. Exits with 0 only if that holds, and the copies are
equal.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from cluster import Cluster, conclude, listed, location, mark, request, say

# A record of the service's first seconds, which the first leader has committed before the others are there.
RECORD = 5


class Lab:
    def __init__(self, options, folder):
        options.single, options.skew, options.partitions, options.copies = False, False, 1, None
        self.cluster, self.folder, self.findings = Cluster(options, folder, None), folder, []
        self.begin, self.sent, self.token = int(time.time()) - 10 * 86400, 0, None
        self.plain = {name: value for name, value in os.environ.items() if name != "FENCEPOST_CRASH_AT"}

    def check(self, what, holds, detail=""):
        say(what)
        if not holds:
            self.findings.append(f"{what}: {detail}")

    def start(self, index, fault=None):
        node = self.cluster.nodes[index]
        node.environment = self.plain | ({"FENCEPOST_CRASH_AT": fault, "SWIFT_BACKTRACE": "enable=no"} if fault else {})
        node.start()
        return node

    def send(self, index, count=5):
        """Sends locations of a device, each in a commit of its own."""
        for _ in range(count):
            body = json.dumps({"locations": [location("bus-1", 0, self.sent, self.begin)]})
            self.cluster.wait("a location is stored", 40, lambda body=body: request(
                self.cluster.ports[index], "POST", "/v1/locations", self.token, body)[0] == 200)
            self.sent += 1

    def log(self, index):
        with open(f"{self.folder}/node-{index}.log", encoding="utf-8") as file:
            return file.read()

    def metric(self, index, name):
        lines = request(self.cluster.ports[index], "GET", "/metrics", None, timeout=5)[1].decode().splitlines()
        return next((float(line.split()[1]) for line in lines if line.startswith(name + " ")), None)

    def role(self, index):
        text = self.cluster.status()
        nodes = json.loads(text)["nodes"] if text else []
        return next((node["role"] for node in nodes if node["name"] == f"node-{index}"), None)

    def die_twice(self, index, fault):
        for _ in range(2):
            status = self.start(index, fault).process.wait(60)
            self.check(f"node-{index} ends by the record", status < 0, status)
        return self.start(index, fault)

    def command(self, *words):
        return subprocess.run(
            [self.cluster.program, "cluster", words[0], "--config", f"{self.folder}/node-0.json", *words[1:]],
            capture_output=True, text=True, check=False, cwd=self.folder)


def passed_by_the_leader(lab):
    cluster, fault = lab.cluster, f"fault:record:{RECORD}"
    for server in cluster.servers:
        server.start()
    lab.start(0)
    cluster.wait("a leader", 60, cluster.leader)
    lab.token = cluster.wait("the first token", 30, lambda: cluster.first_line("node-0"))
    lab.send(0)
    lab.check("the leader has passed the record", lab.metric(0, "fencepost_cluster_log_position") > RECORD)
    for index in (1, 2):
        lab.die_twice(index, fault)
        cluster.wait(f"node-{index} follows", 30, lambda index=index: lab.role(index) == "follower")
        lab.check(f"node-{index} names the record", "a record is set aside" in lab.log(index)
                  and f"position={RECORD}" in lab.log(index), lab.log(index)[-2000:])
        lab.check(f"node-{index} counts it", lab.metric(index, "fencepost_cluster_set_aside_records_total") == 1)
    lab.send(1)
    newest = cluster.positions()
    cluster.wait("all copies are equal", 30, lambda: cluster.have_all(newest))
    cluster.nodes[0].kill()
    lab.send(1)
    lab.check("another node leads, with all locations",
              len(listed(cluster, lab.token, "/v1/locations?deviceId=bus-1")) == lab.sent)
    lab.start(0)
    cluster.wait("the former leader follows", 40, lambda: lab.role(0) == "follower")
    newest = cluster.positions()
    cluster.wait("all copies are equal", 30, lambda: cluster.have_all(newest))
    done = lab.command("check", "--compare")
    lab.check("cluster check --compare finds nothing", done.returncode == 0, done.stdout + done.stderr)


def passed_by_nobody(lab):
    """A leader is lost between the append of a record and its commit, and the record ends whoever applies it."""
    cluster = lab.cluster
    for node in cluster.nodes:
        lab.check(f"{node.name} ends with 0", node.stop() == 0)
    # By the copy: the node that is started next leads with the next record, and its first commit is the one after.
    def doctor():
        return subprocess.run([cluster.program, "doctor", "--storage", f"{lab.folder}/{cluster.storage(0)}"],
                              capture_output=True, text=True, check=False)
    lab.check("doctor finds nothing", doctor().returncode == 0, doctor().stdout)
    record = max(mark(path)[1] for index in range(3) for path in cluster.databases(index)) + 2
    status = lab.start(0, "appended:1").process.wait(60)
    lab.check("the leader is killed between append and commit", status == -9, status)
    lab.die_twice(0, f"fault:record:{record}")
    cluster.wait("the node says what it waits for", 40, lambda: "a record is set aside" in lab.log(0))
    time.sleep(10)
    lab.check("the node lives", cluster.nodes[0].process.poll() is None)
    lab.check("no copy is asked for", "fetching a copy" not in lab.log(0).split("a record is set aside")[-1])
    # It counts from the first question on.
    cluster.wait("readyz is 503: nobody leads", 40, lambda: request(cluster.ports[0], "GET", "/readyz", None)[0] == 503)
    text = lab.command("status", "--json").stdout
    lab.check("cluster status names the record", f"record {record} of the log" in text, text)
    lab.check("doctor names the record", doctor().returncode == 1 and f"Record {record} of" in doctor().stdout,
              doctor().stdout)
    lab.check("the node ends with 0", cluster.nodes[0].stop() == 0)
    done = lab.command("recover")
    lab.check("recover says that a record is lost", done.returncode == 1 and "--force" in done.stderr, done.stderr)
    done = lab.command("recover", "--force")
    lab.check("the cluster begins again without it", done.returncode == 0, done.stderr)
    lab.start(0, f"fault:record:{record}")
    cluster.wait("a leader", 60, cluster.leader)
    lab.send(0, 3 * RECORD)
    lab.check("it has all locations",
              len(listed(cluster, lab.token, "/v1/locations?deviceId=bus-1")) == lab.sent)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the built fencepost")
    parser.add_argument("--nats", required=True, help="the nats-server")
    options = parser.parse_args()
    options.program, options.nats = os.path.abspath(options.program), os.path.abspath(options.nats)
    folder = tempfile.mkdtemp(prefix="fencepost-poison-")
    lab = Lab(options, folder)
    is_done = False
    try:
        passed_by_the_leader(lab)
        passed_by_nobody(lab)
        is_done = not lab.findings
    finally:
        lab.cluster.end()
        if is_done:
            shutil.rmtree(folder)
    return conclude(lab.findings, folder, "no record ends a node a third time, and the copies are equal")


if __name__ == "__main__":
    sys.exit(main())
