#!/usr/bin/env python3
"""Measures how long a cluster with many devices acknowledges nothing while its leader changes.

    Tests/Cluster/handover.py --program PATH --nats PATH [--devices N] [--regions N] [--no-standby]

A release build of fencepost; three nodes and three NATS servers on this machine, regions in a grid, and five locations
of each device. Then one sender sends a location of one more device after the other while a command, SIGTERM and kill -9
change the leader.
"""

import argparse
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import types

from cluster import Cluster, request, say

LOCATIONS = 5
BATCH = 500


def grid(count):
    """Squares of about 200 m, side by side, half of the city covered."""
    side = max(1, round(count ** 0.5))
    features = []
    for index in range(count):
        west, south = 2.25 + 0.2 * (index % side) / side, 48.8 + 0.15 * (index // side) / side
        east, north = west + 0.14 / side, south + 0.105 / side
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        features.append({"type": "Feature", "id": f"r{index}", "properties": {},
                         "geometry": {"type": "Polygon", "coordinates": [ring]}})
    return {"type": "FeatureCollection", "features": features}


def location(device, latitude, longitude, seconds):
    return {"deviceId": device, "timestamp": seconds * 1000, "latitude": round(latitude, 6),
            "longitude": round(longitude, 6), "horizontalAccuracy": 10}


class Sender(threading.Thread):
    """Sends all locations of some devices to a node."""

    def __init__(self, port, token, devices, begin):
        super().__init__()
        self.port, self.token, self.devices, self.begin = port, token, devices, begin
        self.start()

    def run(self):
        source = random.Random(self.devices.start)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        spots = {device: (48.8 + source.random() * 0.15, 2.25 + source.random() * 0.2) for device in self.devices}
        for step in range(LOCATIONS):
            for first in range(0, len(self.devices), BATCH):
                lines = []
                for device in self.devices[first:first + BATCH]:
                    latitude, longitude = spots[device]
                    spots[device] = (latitude + source.uniform(-0.001, 0.001),
                                     longitude + source.uniform(-0.001, 0.001))
                    lines.append(json.dumps(location(f"d{device}", *spots[device], self.begin + 30 * step)))
                connection.request("POST", "/v1/locations", "\n".join(lines), {
                    "authorization": f"Bearer {self.token}", "content-type": "application/x-ndjson"})
                response = connection.getresponse()
                body = response.read()
                if response.status != 200:
                    raise SystemExit(f"{response.status} {body[:200]!r}")


class Probe(threading.Thread):
    """Sends one location after the other, to the next node where one does not acknowledge it."""

    def __init__(self, cluster, token, begin):
        super().__init__(daemon=True)
        self.cluster, self.token, self.begin = cluster, token, begin
        # When each was acknowledged, and how long after the one before.
        self.gaps, self.refused, self.ended = [], 0, threading.Event()
        self.start()

    def run(self):
        last, step, port = time.monotonic(), 0, 0
        while not self.ended.is_set():
            step += 1
            body = json.dumps({"locations": [location("probe", 48.85, 2.3, self.begin + step)]})
            status, _ = request(self.cluster.ports[port], "POST", "/v1/locations", self.token, body)
            now = time.monotonic()
            if status == 200:
                self.gaps.append((now, now - last))
                last = now
            else:
                self.refused += status != 0
                port = (port + 1) % 3
            time.sleep(0.01)

    def longest(self, since):
        return max(gap for at, gap in self.gaps if at >= since)


def change(cluster, options, what):
    """Changes the leader, and returns the node that was stopped; `None` for none."""
    leader = cluster.wait("a leader", 60, cluster.leader)
    if what == "a command":
        subprocess.run([options.program, "cluster", "lead", "--config", f"{cluster.folder}/node-0.json",
                        f"node-{(leader + 1) % 3}"], capture_output=True, check=False)
        return None
    node = cluster.nodes[leader]
    if what == "SIGTERM":
        node.stop(patience=120)
    else:
        node.kill()
    return node


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the release build of fencepost")
    parser.add_argument("--nats", required=True, help="the nats-server")
    parser.add_argument("--devices", type=int, default=100_000)
    parser.add_argument("--regions", type=int, default=10_000)
    parser.add_argument("--no-standby", action="store_true", help="nodes that follow do not evaluate")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="fencepost-handover-")
    cluster = Cluster(types.SimpleNamespace(
        program=os.path.abspath(options.program), nats=os.path.abspath(options.nats), partitions=1, copies=None,
        skew=False), folder, None)
    try:
        with open(f"{folder}/regions.geojson", "w", encoding="utf-8") as file:
            json.dump(grid(options.regions), file)
        for index in range(3):
            with open(f"{folder}/node-{index}.json", encoding="utf-8") as file:
                config = json.load(file)
            config["cluster"]["standby"] = not options.no_standby
            # So many events have no receiver here.
            config["endpoints"] = []
            with open(f"{folder}/node-{index}.json", "w", encoding="utf-8") as file:
                json.dump(config, file)
        cluster.start([], 0)
        leader = cluster.wait("a leader", 60, cluster.leader)
        token = cluster.wait("the first token", 30, cluster.token)
        begin = int(time.time()) - 86400
        parts = [range(part * options.devices // 4, (part + 1) * options.devices // 4) for part in range(4)]
        for sender in [Sender(cluster.ports[leader], token, part, begin) for part in parts]:
            sender.join()
        newest = cluster.positions()
        cluster.wait("all copies", 120, lambda: cluster.have_all(newest))
        time.sleep(8)
        say(f"{options.devices} devices, {options.regions} regions; the leader changes")
        probe = Probe(cluster, token, begin)
        time.sleep(2)
        for what in ("a command", "SIGTERM", "kill -9"):
            since, refused = time.monotonic(), probe.refused
            stopped = change(cluster, options, what)
            time.sleep(30)
            say(f"{what}: at most {probe.longest(since):.2f} s without an acknowledgement, "
                f"{probe.refused - refused} requests refused")
            if stopped:
                stopped.start()
                time.sleep(25)
        probe.ended.set()
        probe.join()
    finally:
        cluster.end()
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
