#!/usr/bin/env python3
"""Runs each command for a cluster on two nodes and one NATS server, as its operator would.

    Tests/Cluster/commands.py --program PATH --nats PATH

Exits with 0 only if all do what they say: the leader changes without a failed request, copies that differ are found, a
backup and an export have the data, and the cluster begins again with a copy after its log was lost, and with a backup.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time

from cluster import Process, ask, free_ports, request, say
from scripts import run

SQUARE = {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [
    [[13.400, 52.500], [13.406, 52.500], [13.406, 52.504], [13.400, 52.504], [13.400, 52.500]]]}}


class Lab:
    # Each node's name is a letter; their ports are in this order.
    names = "ab"

    def __init__(self, options, folder):
        self.program, self.folder, self.findings, self.token = options.program, folder, [], None
        # Processes besides the nodes and the server.
        self.others = []
        self.ports = free_ports(5)
        with open(f"{folder}/nats.conf", "w", encoding="utf-8") as file:
            file.write(f"listen: 127.0.0.1:{self.ports[3]}\nhttp: 127.0.0.1:{self.ports[4]}\n"
                       f'jetstream {{ store_dir: "{folder}/nats", sync_interval: always }}\n')
        self.server = Process("nats", [options.nats, "-c", f"{folder}/nats.conf"], folder)
        self.nodes = {}
        for index, name in enumerate("ab"):
            config = {"server": {"host": "127.0.0.1", "port": self.ports[index]}, "log": {"format": "text"},
                      # A folder.
                      "storage": {"path": f"{folder}/{name}"},
                      "cluster": {"url": f"nats://127.0.0.1:{self.ports[3]}", "node": name, "replicas": 1,
                                  "logLimit": 64 << 20, "monitors": [f"http://127.0.0.1:{self.ports[4]}"]}}
            with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
                json.dump(config, file)
            self.nodes[name] = Process(name, [self.program, "serve", "--config", f"{folder}/{name}.json"], folder)

    def check(self, what, holds, detail=""):
        say(what)
        if not holds:
            self.findings.append(f"{what}: {detail}")

    def run(self, *words, node="a", status=0, text=""):
        """Runs a command for the cluster; returns what it printed."""
        done = subprocess.run([self.program, "cluster", words[0], "--config", f"{self.folder}/{node}.json", *words[1:]],
                              capture_output=True, text=True, timeout=90, check=False, cwd=self.folder)
        self.check("cluster " + " ".join(words), done.returncode == status and text in done.stdout + done.stderr,
                   f"{done.returncode}, {done.stdout[-400:]!r}, {done.stderr[-400:]!r}")
        return done.stdout

    def wait(self, what, condition, patience=60):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.1)
        raise SystemExit(f"{what}: not within {patience} s. The logs are in {self.folder}.")

    def port(self, name):
        return self.ports[self.names.index(name)]

    def is_ready(self, name):
        return request(self.port(name), "GET", "/readyz", None, timeout=2)[0] == 200

    def ask(self, name, method, path, content=None):
        body = None if content is None else json.dumps(content)
        status, answer = request(self.port(name), method, path, self.token, body)
        return status, json.loads(answer) if answer else None

    def all(self, name, path):
        """All items of a list."""
        items, cursor = [], ""
        while True:
            status, page = self.ask(name, "GET", f"{path}?limit=7{cursor}")
            if status != 200:
                self.findings.append(f"GET {path} at {name}: {status} {page}")
                return []
            items += page["data"]
            if not page["nextCursor"]:
                return items
            cursor = f"&cursor={page['nextCursor']}"

    def drive(self, device, name):
        """From outside the square into it, an hour ago."""
        end = int(time.time()) - 3600
        return self.ask(name, "POST", "/v1/locations", {"locations": [
            {"deviceId": device, "timestamp": (end - 60 * minute) * 1000, "latitude": 52.502 + (minute > 5) * 0.1,
             "longitude": 13.403, "horizontalAccuracy": 5} for minute in range(10, 0, -1)]})

    def start(self, *names):
        for name in names:
            self.nodes[name].start()
            self.wait(f"node {name}", lambda name=name: self.is_ready(name))
        self.wait("a leader", lambda: self.status().get("leader") is not None)
        self.wait("equal copies", lambda: len({node["position"] for node in self.status()["nodes"]
                                               if node["role"] != "gone"}) == 1)

    def status(self):
        done = subprocess.run([self.program, "cluster", "status", "--json", "--config", f"{self.folder}/a.json"],
                              capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.stdout.strip() else {"leader": None, "nodes": []}

    def post(self, minute, node="a"):
        location = {"deviceId": "van", "timestamp": f"2026-03-01T08:{minute:02}:00Z", "latitude": 52.502,
                    "longitude": 13.403, "horizontalAccuracy": 5}
        return request(self.port(node), "POST", "/v1/locations", self.token,
                       json.dumps({"locations": [location]}))

    def count(self, port=None):
        """Locations of the device."""
        status, body = request(port or self.ports[0], "GET", "/v1/locations?deviceId=van&limit=500", self.token)
        return len(json.loads(body)["data"]) if status == 200 else f"{status} {body[:200]!r}"

    def end(self):
        for process in [*self.nodes.values(), *self.others, self.server]:
            if process.process and process.process.poll() is None:
                process.kill()

    def remove(self, name):
        shutil.rmtree(f"{self.folder}/{name}")


def change_leader(lab):
    """Locations that are sent all the time while the leader changes."""
    answers, ended = [], threading.Event()

    def send():
        minute = 1
        while not ended.is_set():
            answers.append(lab.post(minute % 60, "ab"[minute % 2])[0])
            minute += 1
            time.sleep(0.02)

    sender = threading.Thread(target=send)
    sender.start()
    for name in ("b", "a", "b"):
        lab.run("lead", name, text=f"{name} leads")
        lab.check(f"{name} leads", lab.status().get("leader") == name, lab.status())
        with open(f"{lab.folder}/{name}.log", encoding="utf-8") as file:
            lines = [line for line in file if " states " in line]
        lab.check(f"{name} has loaded nothing for it", "states are ready" in lines[-1], lines)
    ended.set()
    sender.join()
    lab.check(f"{len(answers)} requests meanwhile succeed", set(answers) == {200}, sorted(set(answers)))


def lead_after_kill(lab):
    """A node that has just been started does not take part yet: its last report is of the run before."""
    lab.nodes["a"].kill()
    lab.nodes["a"].start()
    lab.run("lead", "a", text="a leads")
    lab.check("a leads after its start", lab.status().get("leader") == "a", lab.status())
    lab.run("lead", "b", text="b leads")


CANARY = "canary-6f1d"


def holders(lab):
    """The files that have the canary, in the folders of the nodes and of the NATS server."""
    found = []
    for folder in ("a", "b", "nats"):
        for path, _, names in os.walk(f"{lab.folder}/{folder}"):
            for name in names:
                try:
                    with open(f"{path}/{name}", "rb") as file:
                        if CANARY.encode() in file.read():
                            found.append(os.path.relpath(f"{path}/{name}", lab.folder))
                except OSError:  # Sockets, and files that are gone.
                    pass
    return found


def erase(lab):
    """A device is erased from all copies at once, and from NATS soon."""
    for minute in range(30):
        location = {"deviceId": CANARY, "timestamp": f"2026-03-01T08:{minute:02}:00Z", "latitude": 52.502 + minute % 2,
                    "longitude": 13.403, "horizontalAccuracy": 5}
        request(lab.ports[minute % 2], "POST", "/v1/locations", lab.token, json.dumps({"locations": [location]}))
    lab.wait("the canary in both copies", lambda: {"a", "b"} <= {name.split("/")[0] for name in holders(lab)})
    began = time.monotonic()
    status, body = request(lab.ports[0], "DELETE", f"/v1/devices/{CANARY}?erase=true", lab.token)
    say(f"erasing took {time.monotonic() - began:.1f} s; it is left in {holders(lab)}")
    # A server keeps the log of its own cluster for some minutes; this one is alone.
    left = holders(lab)
    lab.check("an erased device is in no copy and not in the log", status == 204 and not left,
              (status, body[:200], left))


def test(lab):
    lab.server.start()
    lab.start("a")
    with open(f"{lab.folder}/a.out", encoding="utf-8") as file:
        lab.token = file.readline().strip()
    lab.start("b")
    lab.check("storage.path is a folder", os.path.exists(f"{lab.folder}/a/fencepost.sqlite"))
    request(lab.ports[1], "PUT", "/v1/regions/square", lab.token, json.dumps(SQUARE))
    lab.check("a location by each node", [lab.post(0, "a")[0], lab.post(1, "b")[0]] == [200, 200])
    lab.run("check", "--compare", text="2 of them")
    lab.run("lead", "c", status=66, text="no node c")
    change_leader(lab)
    lead_after_kill(lab)
    erase(lab)
    lab.run("remove", "b", status=75, text="Stop it first")
    lab.run("remove", "c", status=66)

    # Copies of the database.
    before = lab.count()
    lab.run("backup", "backup.sqlite", text="was written to backup.sqlite")
    lab.run("backup", "backup.sqlite", status=73)
    lab.run("backup", "backup.sqlite", "--force")
    lab.run("export", "single.sqlite")
    single = Process("single", [lab.program, "serve", "--port", str(lab.ports[2]), "--storage", "single.sqlite"],
                     lab.folder)
    lab.others.append(single)
    single.start()
    lab.wait("the exported database", lambda: request(lab.ports[2], "GET", "/readyz", None, timeout=2)[0] == 200)
    lab.check("an exported database has the history", lab.count(lab.ports[2]) == before, lab.count(lab.ports[2]))
    single.stop()

    # A copy that differs.
    lab.nodes["a"].stop()
    database = sqlite3.connect(f"{lab.folder}/a/fencepost.sqlite")
    database.execute("UPDATE token SET definition = definition || ' '")
    database.commit()
    database.close()
    lab.start("a")
    lab.run("check", "--compare", "--json", status=1, text="differ in token")
    lab.nodes["a"].stop()
    lab.remove("a")
    lab.start("a")
    lab.run("check", "--compare")

    # The log is lost.
    lab.run("recover", status=78, text="Stop all nodes")
    for node in lab.nodes.values():
        node.stop()
    ask(lab.ports[3], "$JS.API.STREAM.DELETE.fencepost_log", "")
    lab.run("recover", text="begins again")
    lab.remove("b")
    lab.start("a", "b")
    lab.check("nothing is lost with the log", lab.count() == before, lab.count())
    lab.check("the cluster goes on", lab.post(59, "b")[0] == 200 and lab.post(58, "a")[0] == 200)
    lab.run("check", "--compare")

    # Back to the backup.
    for node in lab.nodes.values():
        node.stop()
    lab.run("restore", "nothing.sqlite", status=66)
    lab.run("restore", "backup.sqlite", text="begins again")
    lab.remove("b")
    lab.start("a", "b")
    lab.check("the cluster is as the backup was", lab.count() == before, lab.count())
    lab.run("check", "--compare", node="b")
    lab.server.kill()
    lab.run("check", status=69)


if __name__ == "__main__":
    sys.exit(run(__doc__, "commands", Lab, test))
