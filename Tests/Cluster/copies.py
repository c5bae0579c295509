#!/usr/bin/env python3
"""Runs four nodes with two copies of each of four partitions: copies are where they are to be, and nothing is lost
when nodes join, are killed and are removed.

    Tests/Cluster/copies.py --program PATH --nats PATH

Exits with 0 only if the databases on the disks are those that the cluster says, every node answers every request about
every device all the time, and nothing acknowledged is missing after a node was killed under load and another one took
its place.
"""

import json
import os
import subprocess
import sys
import threading
import time

from cluster import Process, ask, free_ports, request, say
from commands import SQUARE, Lab
from scripts import run

DEVICES = [f"van-{number}" for number in range(24)]
NODES = "abcd"
PARTITIONS = 4


def holders(members, part, copies=2):
    """The nodes that are to have copies of a partition: the highest hashes, as in CopyPlacement.swift."""
    def rank(name):
        mask, value = (1 << 64) - 1, 0xcbf29ce484222325
        for byte in f"{name}/{part}".encode():
            value = (value ^ byte) * 0x100000001b3 & mask
        value = (value ^ value >> 33) * 0xff51afd7ed558ccd & mask
        value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53 & mask
        return value ^ value >> 33

    return sorted(sorted(members, key=lambda name: (rank(name), name), reverse=True)[:copies])


class CopiesLab(Lab):
    """Four nodes and a gateway, of which a test starts those that it needs."""

    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.ports = self.ports[:2] + free_ports(3) + self.ports[3:]
        self.names = NODES + "g"
        for index, name in enumerate(self.names):
            self.configure(name, index, copies=2)
            self.nodes[name] = Process(name, [self.program, "serve", "--config", f"{folder}/{name}.json"], folder)

    def configure(self, name, index, **settings):
        config = {"server": {"host": "127.0.0.1", "port": self.ports[index]}, "log": {"format": "text"},
                  "storage": {"path": f"{self.folder}/{name}"},
                  "cluster": {"url": f"nats://127.0.0.1:{self.ports[5]}", "node": name, "replicas": 1,
                              "logLimit": 128 << 20, "monitors": [f"http://127.0.0.1:{self.ports[6]}"],
                              "role": "gateway" if name == "g" else "member", "partitions": PARTITIONS, **settings}}
        with open(f"{self.folder}/{name}.json", "w", encoding="utf-8") as file:
            json.dump(config, file)

    def start(self, *names):
        for name in names:
            self.nodes[name].start()
        for name in names:
            self.wait(f"node {name}", lambda name=name: self.is_ready(name))

    def status(self):
        done = subprocess.run([self.program, "cluster", "status", "--json", "--config", f"{self.folder}/a.json"],
                              capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.stdout.strip() else {"leader": None, "nodes": [], "parts": []}

    def reported(self):
        """The nodes that have copies of each partition, as the cluster says."""
        return [sorted(part["copies"]) for part in self.status()["parts"] if part["name"] != "config"]

    def stored(self, names):
        """The nodes that have files of each partition, as their folders say."""
        return [sorted(name for name in names if any(
            file.startswith(f"p{part:04}.sqlite") for file in os.listdir(f"{self.folder}/{name}")))
            for part in range(PARTITIONS)]

    def is_led(self):
        """Whether a holder leads each partition, and a node the configuration, as the cluster says."""
        parts = self.status()["parts"]
        return len(parts) == PARTITIONS + 1 and all(part.get("leader") in part["copies"] for part in parts)

    def settle(self, *names):
        """Waits until each partition is led, with two copies where they are to be and nowhere else; returns them."""
        expected = [holders([name for name in names if name != "g"], part) for part in range(PARTITIONS)]
        self.wait(f"two copies of each partition on {', '.join(names)}",
                  lambda: self.stored(names) == expected == self.reported(), 120)
        # A copy that was handed over has no leader for a moment.
        self.wait("a leader of each partition among its holders", self.is_led)
        found = self.stored(names)
        say(f"copies: {found}")
        for name in names:
            self.check(f"{name} has the configuration", os.path.exists(f"{self.folder}/{name}/config.sqlite"))
        return found


class Load(threading.Thread):
    """Sends a location of each device in turn to each node in turn, until it is acknowledged."""

    def __init__(self, lab, names):
        super().__init__(daemon=True)
        self.lab, self.names = lab, names
        self.acknowledged, self.ended = {device: set() for device in DEVICES}, threading.Event()
        self.start()

    def run(self):
        step = 0
        begin = int(time.time()) - 86400
        while not self.ended.is_set():
            device, at = DEVICES[step % len(DEVICES)], begin + step
            body = json.dumps({"locations": [{"deviceId": device, "timestamp": at * 1000, "latitude": 52.7,
                                              "longitude": 13.403, "horizontalAccuracy": 5}]})
            for attempt in range(400):
                status, _ = request(self.lab.port(self.names[(step + attempt) % len(self.names)]), "POST",
                                    "/v1/locations", self.lab.token, body)
                if status == 200:
                    self.acknowledged[device].add(at * 1000)
                    break
                time.sleep(0.05)
            step += 1
            time.sleep(0.01)

    def end(self, names):
        """Ends the load, and checks that every node has all of it, once."""
        self.ended.set()
        self.join()
        total = sum(map(len, self.acknowledged.values()))
        for name in names:
            wrong = []
            for device, times in self.acknowledged.items():
                status, page = self.lab.ask(name, "GET", f"/v1/locations?deviceId={device}&limit=500")
                stored = [item["timestamp"] for item in page["data"]] if status == 200 else []
                if len(set(stored)) != len(stored) or len(times) > len(stored):
                    wrong.append((device, len(times), len(stored)))
            self.lab.check(f"{total} acknowledged locations are stored once, says {name}",
                           total > 50 and not wrong, wrong)


def same_everywhere(lab, names):
    """Every node has the same lists, and each device and each of its events is in them once."""
    for path in ("/v1/devices", "/v1/events"):
        lists = [lab.all(name, path) for name in names]
        lab.check(f"{path} is the same on {', '.join(names)}", all(found == lists[0] for found in lists) and lists[0])
    devices = [device["id"] for device in lab.all(names[0], "/v1/devices")]
    lab.check("each device is listed once", devices == sorted(set(devices)) and set(DEVICES) <= set(devices), devices)
    entered = [event["deviceId"] for event in lab.all(names[-1], "/v1/events") if event["type"] == "region.entered"]
    lab.check("each device has entered once", sorted(entered) == sorted(DEVICES), entered)
    for name in names:
        answers = {device: lab.ask(name, "GET", f"/v1/devices/{device}")[0] for device in DEVICES}
        lab.check(f"{name} answers about every device", set(answers.values()) == {200}, answers)


def begin(lab):
    """Two nodes have everything; each one that joins takes copies over."""
    lab.server.start()
    lab.start("a")
    lab.wait("the first token", lambda: os.path.getsize(f"{lab.folder}/a.out"))
    with open(f"{lab.folder}/a.out", encoding="utf-8") as file:
        lab.token = file.readline().strip()
    lab.start("b")
    lab.settle("a", "b")
    lab.check("a region", lab.ask("b", "PUT", "/v1/regions/square", SQUARE)[0] == 201)
    answers = [lab.drive(device, "ab"[index % 2])[1] for index, device in enumerate(DEVICES)]
    lab.check("every location is accepted", all(answer.get("accepted") == 10 for answer in answers), answers)
    same_everywhere(lab, "ab")


def join(lab):
    """Two more nodes and a gateway join under load: a few copies move, and nothing is lost meanwhile."""
    load = Load(lab, "ab")
    before = lab.settle("a", "b")
    # The log has not all of it any more, so copies are fetched.
    for part in range(PARTITIONS):
        info = json.loads(ask(lab.ports[5], f"$JS.API.STREAM.INFO.fencepost_log_{part}", ""))
        ask(lab.ports[5], f"$JS.API.STREAM.PURGE.fencepost_log_{part}", json.dumps({"seq": info["state"]["last_seq"]}))
    lab.start("c")
    third = lab.settle("a", "b", "c")
    lab.check("only c has new copies", all(set(new) <= {*old, "c"} for old, new in zip(before, third)), third)
    lab.start("d", "g")
    fourth = lab.settle("a", "b", "c", "d", "g")
    lab.check("only d has new copies", all(set(new) <= {*old, "d"} for old, new in zip(third, fourth)), fourth)
    lab.check("both have taken some", any("c" in nodes for nodes in third) and any("d" in nodes for nodes in fourth))
    lab.check("the gateway has only the configuration",
              [file for file in os.listdir(f"{lab.folder}/g") if file.startswith("p0")] == [])
    load.end("abcdg")
    same_everywhere(lab, "abcdg")
    return fourth


def shown(lab, places):
    """What a node says about parts of which it has no copy, and what it refuses."""
    part = next(part for part in range(PARTITIONS) if "a" not in places[part])
    checks = lab.ask("a", "GET", "/readyz")[1]["checks"]
    lab.check("/readyz says that there is no copy", "no copy" in json.dumps(checks[f"partition{part}"]), checks)
    metrics = request(lab.port("a"), "GET", "/metrics", None)[1].decode()
    for number in range(PARTITIONS):
        value = 1 if "a" in places[number] else 0
        lab.check(f"the metric of the copy of {number}",
                  f'fencepost_cluster_copy{{part="{number}"}} {value}' in metrics, metrics)
    nodes = {node["name"]: node for node in lab.ask("b", "GET", "/v1/cluster")[1]["nodes"]}
    lab.check("/v1/cluster counts the copies", {name: node["copies"] for name, node in nodes.items()} == {
        name: 1 + sum(name in holders for holders in places) for name in lab.names}, nodes)
    lab.run("lead", "--part", str(part), "a", status=1, text="has no copy of it")
    lab.run("check", text="each partition has its 2 copies")
    lab.run("check", "--compare", text="13 of them")
    leader = next(item["leader"] for item in lab.status()["parts"] if item["name"] == str(part))
    holder = next(name for name in places[part] if name != leader)
    lab.run("lead", "--part", str(part), holder, text=f"{holder} leads {part}")


def lose(lab, places):
    """A node that has copies is killed under load. Others fetch them only when it is removed."""
    victim = next(name for name in "bcd" if any(name in nodes for nodes in places))
    rest = [name for name in lab.names if name != victim]
    load = Load(lab, rest)
    time.sleep(3)
    lab.nodes[victim].kill()
    say(f"{victim} is killed")
    lab.wait("leaders of all parts", lambda: all(
        item.get("leader") not in (None, victim) for item in lab.status()["parts"]))
    time.sleep(12)
    kept = [[name for name in nodes if name != victim] for nodes in places]
    lab.check("no copy moves while it is away", lab.stored(rest) == kept, (lab.stored(rest), kept))
    lab.run("remove", victim, text="is removed")
    after = lab.settle(*rest)
    lab.check("only what it had moves", all(
        set(old) - {victim} <= set(new) for old, new in zip(places, after)), (places, after))
    load.end(rest)
    same_everywhere(lab, rest)
    # It comes back with its old copies.
    load = Load(lab, lab.names)
    lab.start(victim)
    back = lab.settle(*lab.names)
    lab.check("the copies are where they were", back == places, (places, back))
    load.end(lab.names)
    lab.run("check", "--compare", text="13 of them")


def change_number(lab):
    """Other numbers of copies, node by node: three, then all."""
    for copies in (3, None):
        for index, name in enumerate(lab.names):
            lab.configure(name, index, **({"copies": copies} if copies else {}))
            lab.check(f"{name} stops", lab.nodes[name].stop() == 0)
            lab.start(name)
        expected = [3 if copies else len(lab.names)] * PARTITIONS
        lab.wait(f"{expected[0]} copies", lambda expected=expected: list(map(len, lab.stored(lab.names))) == expected
                 and list(map(len, lab.reported())) == expected, 90)
        same_everywhere(lab, lab.names)
    for index, name in enumerate(lab.names):
        lab.configure(name, index, copies=2)
        lab.check(f"{name} stops", lab.nodes[name].stop() == 0)
        lab.start(name)
    lab.settle(*lab.names)
    same_everywhere(lab, lab.names)


def begin_again(lab):
    """A backup of all partitions, and a cluster that begins with it on one node."""
    before = [lab.all("a", path) for path in ("/v1/devices", "/v1/events")]
    lab.run("backup", "backup", text="p0003.sqlite")
    for name in lab.names:
        lab.nodes[name].stop()
    lab.run("recover", status=66, text="This node has no")
    lab.run("restore", "backup", text="begins again")
    for name in "bcdg":
        lab.remove(name)
    lab.start("a")
    lab.check("one node serves all", [lab.all("a", path) for path in ("/v1/devices", "/v1/events")] == before)
    lab.start("b", "c", "d", "g")
    lab.settle(*lab.names)
    lab.check("the backup has everything", [lab.all("g", path) for path in ("/v1/devices", "/v1/events")] == before)
    lab.check("the cluster goes on", lab.drive("new", "d")[1]["accepted"] == 10)


def test(lab):
    begin(lab)
    places = join(lab)
    shown(lab, places)
    lose(lab, places)
    change_number(lab)
    begin_again(lab)


if __name__ == "__main__":
    sys.exit(run(__doc__, "copies", CopiesLab, test))
