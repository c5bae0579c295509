#!/usr/bin/env python3
"""Starts nodes in ways that cannot work, and checks that each is refused with its exit code and what to do.

    Tests/Cluster/refusals.py --program PATH --nats PATH

One NATS server that syncs every write, and one that does not. Exits with 0 only if all are refused as they should be.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time

from cluster import Process, ask, free_ports, request, say
from scripts import run


class Lab:
    """A NATS server with synced writes, one without, and nodes with any configuration."""

    def __init__(self, options, folder):
        self.program, self.folder, self.findings, self.number = options.program, folder, [], 0
        self.nodes = []
        self.ports = free_ports(6)
        self.servers = [self.server(options, "synced", 0, "sync_interval: always"), self.server(options, "lazy", 2, "")]

    def server(self, options, name, first, setting):
        with open(f"{self.folder}/{name}.conf", "w", encoding="utf-8") as file:
            file.write(f"listen: 127.0.0.1:{self.ports[first]}\nhttp: 127.0.0.1:{self.ports[first + 1]}\n"
                       f'jetstream {{ store_dir: "{self.folder}/{name}", {setting} }}\n')
        server = Process(name, [options.nats, "-c", f"{self.folder}/{name}.conf"], self.folder)
        server.start()
        return server

    def config(self, cluster, storage=None, is_synced=True, broker=None, port=4):
        """The path of a configuration of a node; `cluster` replaces members of its section, None the section."""
        self.number += 1
        first = 0 if is_synced else 2
        config = {"server": {"host": "127.0.0.1", "port": self.ports[port]}, "log": {"format": "text"},
                  "storage": {"path": storage or f"{self.folder}/{self.number}.sqlite"}}
        if cluster is not None:
            config["cluster"] = {
                "url": f"nats://127.0.0.1:{self.ports[first]}", "node": "a", "replicas": 1, "logLimit": 64 << 20,
                "monitors": [f"http://127.0.0.1:{self.ports[first + 1]}"], **cluster}
        if broker is not None:
            config["mqtt"] = {"host": "127.0.0.1", **broker}
        path = f"{self.folder}/{self.number}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        return path

    def refused(self, what, config, status, words, command=("serve",)):
        """Runs a command that has to end with a status and a sentence."""
        try:
            done = subprocess.run([self.program, *command, "--config", config], capture_output=True, text=True,
                                  timeout=40, check=False, cwd=self.folder)
            if done.returncode != status or words not in done.stderr:
                self.findings.append(f"{what}: {done.returncode}, {done.stderr[-400:]!r}")
        except subprocess.TimeoutExpired as error:
            self.findings.append(f"{what}: did not end; {(error.stderr or b'')[-400:]!r}")
        say(what)

    def running(self, config, name):
        node = Process(name, [self.program, "serve", "--config", config], self.folder)
        node.start()
        self.nodes.append(node)
        return node

    def ready(self, patience=40):
        """The body of /readyz when it is 200; None after a time."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            status, body = request(self.ports[4], "GET", "/readyz", None, timeout=2)
            if status == 200 and "engine" in json.loads(body)["checks"]:
                return json.loads(body)
            time.sleep(0.1)
        return None

    def check(self, what, holds, detail=""):
        say(what)
        if not holds:
            self.findings.append(f"{what}: {detail}")

    def end(self):
        for process in [*self.servers, *self.nodes]:
            if process.process.poll() is None:
                process.kill()


def stream(name, subject, **settings):
    return json.dumps({"name": name, "subjects": [subject], "storage": "file", "num_replicas": 1, **settings})


def test(lab):
    lab.refused("no monitoring to see the syncs", lab.config({"monitors": []}), 78, "cluster.monitors")
    lab.refused("servers that do not sync", lab.config({}, is_synced=False), 78, "sync_interval: always")
    lab.refused("three replicas on one server", lab.config({"replicas": 3}), 78, "cluster.replicas")
    lab.refused("a log for which there is no room", lab.config({"logLimit": 1 << 49}), 78, "cluster.logLimit")
    for setting in ({"max_age": 10**9}, {"discard": "old", "max_msgs": 5}):
        ask(lab.ports[0], "$JS.API.STREAM.CREATE.other_log", stream("other_log", "other.log.0", **setting))
        lab.refused(f"a stream with {setting}", lab.config({"name": "other"}), 78, "other_log")
        ask(lab.ports[0], "$JS.API.STREAM.DELETE.other_log", "")

    # Neither has reported when the other one looks.
    twins = [lab.running(lab.config({"name": "twins"}, port=port), f"twin-{port}") for port in (4, 5)]
    end = time.monotonic() + 40
    while time.monotonic() < end and all(twin.process.poll() is None for twin in twins):
        time.sleep(0.05)
    time.sleep(3)
    found = [twin.process.poll() for twin in twins]
    lab.check("of two nodes with one name that start together, one ends", sorted(found, key=str) == [75, None], found)
    led = []
    for twin in twins:
        with open(f"{lab.folder}/{twin.name}.log", encoding="utf-8") as log:
            led.append("this node leads" in log.read())
        twin.stop()
    lab.check("the one that ends has not led", led == [status is None for status in found], (led, found))

    # A cluster that works, whose copy and name are then used wrongly.
    storage = f"{lab.folder}/first.sqlite"
    good = lab.config({}, storage)
    node = lab.running(good, "first")
    lab.check("a node of a cluster of one leads", lab.ready() is not None, lab.folder)
    lab.refused("the name of a node that runs", lab.config({"node": "a"}, port=5), 75, "cluster.node")
    lab.refused("the import of a database that is in use", good, 75, "", ("cluster", "import"))
    lab.check("SIGTERM ends it with 0", node.stop() == 0)
    lab.refused("a copy without its cluster", lab.config(None, storage), 73, "copy of a cluster")
    lab.refused("a copy of another cluster", lab.config({"name": "north"}, storage), 78, "cluster north")
    lab.refused("the import of a copy", good, 78, "copy of another cluster", ("cluster", "import"))

    lab.refused("another number of partitions", lab.config({"partitions": 3}, f"{lab.folder}/other"), 78,
                "cluster.partitions to 1")
    lab.refused("copies of one partition", lab.config({"copies": 2}), 78, "cluster.partitions above 1")
    lab.refused("one copy", lab.config({"partitions": 3, "copies": 1}), 78, "lost with one disk")
    publishing = lab.config({"partitions": 3}, broker={"publish": {"prefix": "fencepost"}})
    lab.refused("partitions with a broker to publish to", publishing, 78, "mqtt.publish")

    single = f"{lab.folder}/single.sqlite"
    node = lab.running(lab.config(None, single), "single")
    lab.check("a single node runs", lab.ready() is not None)
    node.stop()
    used = lab.config({}, single)
    lab.refused("a single node's database", used, 78, "cluster import")
    lab.refused("the import into a cluster that exists", used, 78, "already",
                ("cluster", "import"))
    node = lab.running(lab.config(None, single), "single")
    lab.check("a refused import leaves a single node", lab.ready() is not None)
    node.stop()
    os.mkdir(f"{lab.folder}/divided")
    shutil.copy(single, f"{lab.folder}/divided/fencepost.sqlite")
    divided = lab.config({"partitions": 3, "name": "divided"}, f"{lab.folder}/divided")
    lab.refused("a single node's database, for several partitions", divided, 78, "cluster import")

    os.mkdir(f"{lab.folder}/parts")
    shutil.copy(storage, f"{lab.folder}/parts/config.sqlite")
    lab.refused("a copy of several partitions without its cluster",
                lab.config(None, f"{lab.folder}/parts/fencepost.sqlite"), 73, "several partitions")

    # What a newer version would have written.
    ask(lab.ports[0], "$KV.fencepost_cluster.cluster", json.dumps({"id": "1", "format": 99, "key": "2"}))
    lab.refused("a cluster of a newer version", lab.config({}), 78, "newer Fencepost")

    # NATS is away at the start, and comes.
    lab.servers[0].kill()
    node = lab.running(lab.config({"name": "late"}), "late")
    end = time.monotonic() + 20
    answer = (0, b"")
    while time.monotonic() < end and answer[0] != 503:
        answer = request(lab.ports[4], "GET", "/readyz", None, timeout=2)
        time.sleep(0.1)
    lab.check("without NATS a node is not ready", answer[0] == 503 and b"NATS" in answer[1], answer)
    lab.servers[0].start()
    lab.check("it leads when NATS is there", lab.ready() is not None)
    node.kill()
    # A copy that has rows of which the log says that they come.
    copy = f"{lab.folder}/differs.sqlite"
    subprocess.run([lab.program, "backup", copy, "--storage", f"{lab.folder}/{lab.number}.sqlite"], check=True)
    database = sqlite3.connect(copy)
    database.execute("UPDATE replica SET sequence = 0, position = 0, epoch = 0")
    database.commit()
    database.close()
    node = lab.running(lab.config({"name": "late", "node": "b"}, copy), "differs")
    end = time.monotonic() + 60
    answer = (0, b"")
    while time.monotonic() < end and b"differs" not in answer[1]:
        answer = request(lab.ports[4], "GET", "/readyz", None, timeout=2)
        time.sleep(0.1)
    lab.check("a copy that differs says so", answer[0] == 503 and b"Move it away" in answer[1], answer)
    node.kill()


if __name__ == "__main__":
    sys.exit(run(__doc__, "refusals", Lab, test))
