#!/usr/bin/env python3
"""Divides the devices of a cluster of two nodes among three partitions, and uses it as operators and clients would.

    Tests/Cluster/partitions.py --program PATH --nats PATH

Exits with 0 only if each device is in one partition and every node shows all, an erased device is nowhere, an endpoint
that a receiver has given up is off everywhere and on again everywhere, an alert rule applies everywhere at once,
commands of the machine reach all partitions, and the cluster begins again with its backup.
"""

import http.server
import json
import sqlite3
import subprocess
import sys
import threading
import time

from cluster import request
from commands import CANARY, SQUARE, Lab, erase
from scripts import run

DEVICES = [f"van-{number}" for number in range(20)]
PARTS = ["config", "p0000", "p0001", "p0002"]


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes messages, and answers with the status of the class."""

    status = 410
    count = 0

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        Receiver.count += 1
        self.send_response(Receiver.status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class DividedLab(Lab):
    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=self.receiver.serve_forever, daemon=True).start()
        for name in "ab":
            path = f"{folder}/{name}.json"
            with open(path, encoding="utf-8") as file:
                config = json.load(file)
            config["cluster"]["partitions"] = 3
            config["webhooks"] = {"allowHTTP": True, "allowedNetworks": ["127.0.0.0/8"]}
            with open(path, "w", encoding="utf-8") as file:
                json.dump(config, file)

    def rows(self, node, part, query):
        database = sqlite3.connect(f"file:{self.folder}/{node}/{part}.sqlite?mode=ro", uri=True)
        try:
            return [row[0] for row in database.execute(query)]
        finally:
            database.close()

    def leader(self, part):
        return next((item.get("leader") for item in self.status().get("parts", []) if item["name"] == part), None)


def divide(lab):
    lab.check("a region", lab.ask("b", "PUT", "/v1/regions/square", SQUARE)[0] == 201)
    answers = [lab.drive(device, "ab"[index % 2])[1] for index, device in enumerate(DEVICES)]
    lab.check("every location is accepted", all(answer["accepted"] == 10 for answer in answers), answers)
    lists = {path: [lab.all(node, path) for node in "ab"] for path in ("/v1/devices", "/v1/events")}
    lab.check("both nodes show the same", all(first == second for first, second in lists.values()))
    ids = [device["id"] for device in lists["/v1/devices"][0]]
    lab.check("every device once, by id", ids == sorted(DEVICES), ids)
    entered = [event["deviceId"] for event in lists["/v1/events"][0] if event["type"] == "region.entered"]
    lab.check("every device has entered once", sorted(entered) == sorted(DEVICES), entered)

    def stored():
        return {part: lab.rows("a", part, "SELECT DISTINCT device_id FROM event") for part in PARTS}

    lab.wait("the copies of a", lambda: sum(map(len, stored().values())) >= len(DEVICES))
    found = stored()
    lab.check("each device is in one partition, and none in the configuration",
              not found["config"] and sorted(sum(found.values(), [])) == sorted(DEVICES)
              and all(found[part] for part in PARTS[1:]), found)


def alerts(lab):
    """A rule of the configuration's part applies in all partitions with the answer, and so does a group."""
    made = lab.ask("a", "PUT", "/v1/groups/low", {"devices": ["low-*"]})
    lab.check("a group", made[0] == 200, made)
    made = lab.ask("b", "POST", "/v1/alert-rules", {"id": "low", "type": "battery", "below": 0.2, "groups": ["low"]})
    lab.check("a rule", made[0] == 201, made)
    devices = [f"low-{number}" for number in range(12)]

    def send(minute, level, node):
        moment = (int(time.time()) - 1800 + 60 * minute) * 1000
        return lab.ask(node, "POST", "/v1/locations", {"locations": [
            {"deviceId": device, "timestamp": moment, "latitude": 52.6, "longitude": 13.4, "batteryLevel": level}
            for device in [*devices, "other"]]})

    def started():
        return sorted(event["deviceId"] for event in lab.all("b", "/v1/events")
                      if event["type"] == "alert.battery" and event["alert"]["state"] == "started")

    def alerting():
        return sorted(device["id"] for device in lab.all("a", "/v1/devices") if device.get("alerts"))

    send(0, 0.1, "a")
    lab.check("it applies at once in all partitions", started() == sorted(devices), started())
    lab.check("the devices alert", alerting() == sorted(devices), alerting())
    lab.ask("a", "PUT", "/v1/groups/low", {"devices": ["low-1", "other"]})
    send(1, 0.1, "b")
    lab.check("a changed group does too", started() == sorted([*devices, "other"]), started())
    lab.check("who left it alerts no longer", alerting() == ["low-1", "other"], alerting())
    lab.check("both nodes list it", [[rule["id"] for rule in lab.all(node, "/v1/alert-rules")] for node in "ab"]
              == [["low"]] * 2)


def turn_off(lab):
    url = f"http://127.0.0.1:{lab.receiver.server_address[1]}/"
    made = lab.ask("a", "POST", "/v1/endpoints", {"id": "hook", "url": url, "events": ["region.entered"]})
    lab.check("an endpoint", made[0] == 201, made)

    def states():
        return [lab.rows(node, part, "SELECT is_active FROM endpoint") for node in "ab" for part in PARTS]

    def shown():
        return [lab.ask(node, "GET", "/v1/endpoints/hook")[1]["state"] for node in "ab"]

    lab.drive("gone-1", "a")
    lab.wait("an endpoint that is off everywhere after 410", lambda: states() == [[0]] * 8, 20)
    lab.check("both nodes show it", shown() == ["disabled"] * 2, shown())
    Receiver.status, Receiver.count = 200, 0
    lab.check("it is turned on", lab.ask("b", "PATCH", "/v1/endpoints/hook", {"state": "active"})[0] == 200)
    lab.check("both nodes show that", shown() == ["active"] * 2, shown())
    for number in range(6):
        lab.drive(f"back-{number}", "ab"[number % 2])
    lab.wait("messages of all partitions", lambda: Receiver.count == 6, 20)
    lab.wait("an endpoint that is on everywhere", lambda: states() == [[1]] * 8, 20)


def commands(lab):
    """Commands on the machine of the node that leads the configuration: they need a token for what other nodes lead."""
    node = lab.leader("config")
    service = ("--server", f"http://127.0.0.1:{lab.ports[0]}", "--token", lab.token)

    def run(*words):
        return subprocess.run([lab.program, *words, "--config", f"{lab.folder}/{node}.json"], capture_output=True,
                              text=True, timeout=60, check=False, cwd=lab.folder)

    with open(f"{lab.folder}/old.csv", "w", encoding="utf-8") as file:
        file.write("device,timestamp,latitude,longitude\n")
        for number in range(30):
            file.write(f"old-{number % 6},2026-01-0{1 + number % 9}T10:{number:02}:00Z,52.502,13.403\n")
    refused = run("import", "old.csv")
    lab.check("no other node takes a command without a token",
              refused.returncode == 77 and "--server and --token" in refused.stderr, refused.stderr)
    made = run("token", "create", "--name", "local", "--scope", "read")
    lab.check("a token is made without one", made.returncode == 0 and "fp_" in made.stdout, made.stderr)
    done = run("import", "old.csv", *service)
    lab.check("a file of several devices is imported", done.returncode == 0 and '"stored":30' in done.stdout,
              done.stdout + done.stderr)
    with open(f"{lab.folder}/long.csv", "w", encoding="utf-8") as file:
        file.write("device,timestamp,latitude,longitude\n")
        for number in range(200_000):
            day, hour, minute = 1 + number // 86400, number // 3600 % 24, number // 60 % 60
            file.write(f"long-{number % 6},2025-12-{day:02}T{hour:02}:{minute:02}:{number % 60:02}Z,52.502,13.403\n")
    # A leader that changes meanwhile answers 503, since nobody knows then how much it has stored.
    rest(lab)
    with open(f"{lab.folder}/long.csv", "rb") as file:
        status, body = request(lab.ports[0], "POST", "/v1/imports?format=csv", lab.token, file.read(), timeout=120)
    lab.check("a long file is imported in the background", status == 202, (status, body[:300]))
    if status != 202:
        return
    job = json.loads(body)
    path = f"/v1/imports/{job['id']}"
    lab.wait("its end in all partitions", lambda: lab.ask("b", "GET", path)[1]["state"] == "done")
    shown = [lab.ask(node, "GET", "/v1/imports")[1]["data"] for node in "ab"]
    lab.check("it is listed once, with all locations",
              [[item["locations"] for item in items if item["id"] == job["id"]] for items in shown] == [[200_000]] * 2,
              shown)
    lab.check("it can be removed from all", lab.ask("a", "DELETE", path)[0] == 204)
    lab.check("the token is listed", "first" in run("token", "list", *service).stdout)
    other = "b" if node == "a" else "a"
    lab.run("lead", "--part", "config", other, text=f"{other} leads config")
    lab.run("lead", other, status=64, text="--part is one of config, 0, 1, 2")


def rest(lab):
    """Waits until every part has a leader and none has changed for longer than the nodes need to report it."""
    former, since = None, time.monotonic()

    def has_rested():
        nonlocal former, since
        leaders = [part.get("leader") for part in lab.status()["parts"]]
        if None in leaders or leaders != former:
            former, since = leaders, time.monotonic()
        return time.monotonic() - since > 12

    lab.wait("leaders that stay", has_rested)


def begin_again(lab):
    rest(lab)
    before = [lab.all("a", path) for path in ("/v1/devices", "/v1/events", "/v1/alert-rules")]
    lab.run("backup", "backup", text="p0002.sqlite")
    lab.run("check", "--compare", text="8 of them")
    for node in lab.nodes.values():
        node.stop()
    lab.run("restore", "backup", text="begins again")
    lab.remove("b")
    lab.start("a", "b")
    after = [lab.all("b", path) for path in ("/v1/devices", "/v1/events", "/v1/alert-rules")]
    lab.check("the backup has everything", after == before)
    lab.check("the cluster goes on", lab.drive("new", "b")[1]["accepted"] == 10)


def test(lab):
    lab.server.start()
    lab.start("a")
    with open(f"{lab.folder}/a.out", encoding="utf-8") as file:
        lab.token = file.readline().strip()
    lab.start("b")
    lab.wait("both nodes to lead", lambda: all(node.get("leads") for node in lab.status()["nodes"]))
    divide(lab)
    alerts(lab)
    expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    share = lab.ask("a", "POST", "/v1/shares", {"name": "a link", "devices": [CANARY], "expires": expires})
    lab.check("a share link", share[0] == 201, share)
    erase(lab)
    lab.check("the link is gone with its device", lab.ask("b", "GET", "/v1/shares")[1]["data"] == [])
    turn_off(lab)
    commands(lab)
    begin_again(lab)


if __name__ == "__main__":
    sys.exit(run(__doc__, "partitions", DividedLab, test))
