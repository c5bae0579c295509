#!/usr/bin/env python3
"""Runs a cluster on this machine under load, disturbs it, and checks that nothing acknowledged is lost or doubled.

Three NATS servers, three nodes, devices that send until each location is acknowledged, and a receiver of webhooks,
all on the loopback. Exits with 0 only if every acknowledged location is stored once, every event has one message,
and the copies are equal.
"""

import argparse
import http.client
import http.server
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

SQUARE = [[13.400, 52.500], [13.406, 52.500], [13.406, 52.504], [13.400, 52.504], [13.400, 52.500]]
REGIONS = {"type": "FeatureCollection", "features": [{
    "type": "Feature", "id": "square", "properties": {"name": "Square"},
    "geometry": {"type": "Polygon", "coordinates": [SQUARE]}}]}


def free_ports(count):
    """Ports that are free now, below the range that the system gives to outgoing connections."""
    ports = []
    while len(ports) < count:
        port = random.randrange(20000, 32000)
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in ports:
            ports.append(port)
    return ports


def say(text):
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


class Process:
    """A program that can be killed, paused and started again; its output is added to files."""

    def __init__(self, name, command, folder):
        self.name, self.command, self.folder, self.process = name, command, folder, None
        self.paused = False

    def start(self):
        with open(f"{self.folder}/{self.name}.out", "ab") as out, open(f"{self.folder}/{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=out, stderr=log, cwd=self.folder)

    def send(self, number):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self):
        self.send(signal.SIGKILL)
        self.process.wait()

    def stop(self, patience=30):
        """Asks it to end, and returns its exit status."""
        self.send(signal.SIGTERM)
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            return -9

    def pause(self):
        self.paused = True
        self.send(signal.SIGSTOP)

    def go_on(self):
        self.paused = False
        self.send(signal.SIGCONT)


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes webhooks: message ids by the id of their event."""

    seen = {}
    lock = threading.Lock()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.lock:
            self.seen.setdefault(body["data"]["eventId"], set()).add(self.headers["webhook-id"])
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Cluster:
    def __init__(self, options, folder):
        self.folder = folder
        ports = free_ports(13)
        self.servers, self.nodes = [], []
        self.ports, self.ports_of_nats = ports[9:12], ports[:3]
        self.program = options.program
        self.receiver = http.server.ThreadingHTTPServer(("127.0.0.1", ports[12]), Receiver)
        threading.Thread(target=self.receiver.serve_forever, daemon=True).start()
        routes = ", ".join(f"nats://127.0.0.1:{port}" for port in ports[3:6])
        for index in range(3):
            with open(f"{folder}/nats-{index}.conf", "w", encoding="utf-8") as file:
                file.write(
                    f"server_name: n{index}\nlisten: 127.0.0.1:{ports[index]}\nhttp: 127.0.0.1:{ports[6 + index]}\n"
                    f'jetstream {{ store_dir: "{folder}/nats-{index}", sync_interval: always }}\n'
                    f"cluster {{ name: fencepost, listen: 127.0.0.1:{ports[3 + index]}, routes: [{routes}] }}\n")
            self.servers.append(Process(f"nats-{index}", [options.nats, "-c", f"{folder}/nats-{index}.conf"], folder))
        with open(f"{folder}/regions.geojson", "w", encoding="utf-8") as file:
            json.dump(REGIONS, file)
        hook = {"id": "test", "url": f"http://127.0.0.1:{ports[12]}/hook", "secret": "whsec_" + "QUFB" * 8}
        for index in range(3):
            config = {
                "server": {"host": "127.0.0.1", "port": self.ports[index]}, "regions": ["regions.geojson"],
                "storage": {"path": f"node-{index}.sqlite"}, "endpoints": [hook],
                "webhooks": {"allowHTTP": True, "allowedNetworks": ["127.0.0.0/8"]}, "log": {"format": "text"},
                "cluster": {
                    "url": [f"nats://127.0.0.1:{port}" for port in ports[:3]], "node": f"node-{index}",
                    "monitors": [f"http://127.0.0.1:{port}" for port in ports[6:9]]}}
            with open(f"{folder}/node-{index}.json", "w", encoding="utf-8") as file:
                json.dump(config, file)
            command = [options.program, "serve", "--config", f"{folder}/node-{index}.json"]
            self.nodes.append(Process(f"node-{index}", command, folder))

    def start(self, devices):
        """Starts all processes; with devices, begins with the database of a single node that has one location of each.

        Returns the token of that node; None for a cluster that begins empty.
        """
        for server in self.servers:
            server.start()
        token = self.begin_with_single_node(devices) if devices else None
        for node in self.nodes:
            node.start()
        return token

    def begin_with_single_node(self, devices):
        with open(f"{self.folder}/node-0.json", encoding="utf-8") as file:
            config = json.load(file)
        del config["cluster"]
        with open(f"{self.folder}/single.json", "w", encoding="utf-8") as file:
            json.dump(config, file)
        single = Process("single", [self.program, "serve", "--config", f"{self.folder}/single.json"], self.folder)
        single.start()
        self.wait("the single node", 60, lambda: request(self.ports[0], "GET", "/readyz", None, timeout=2)[0] == 200)
        token = self.wait("the token of the single node", 30, lambda: self.first_line("single"))
        locations = [{"deviceId": device, "timestamp": (int(time.time()) - 7200) * 1000, "latitude": 52.512,
                      "longitude": 13.403, "horizontalAccuracy": 5} for device in devices]
        status, answer = request(
            self.ports[0], "POST", "/v1/locations", token, json.dumps({"locations": locations}))
        if status != 200 or single.stop() != 0:
            raise SystemExit(f"the single node: {status} {answer[:300]!r}. The logs are in {self.folder}.")
        self.wait("the import", 60, lambda: subprocess.run(
            [self.program, "cluster", "import", "--config", f"{self.folder}/node-0.json"],
            capture_output=True, check=False).returncode == 0)
        return token

    def trim(self):
        """Removes all records of the log but the newest."""
        text = self.status()
        if not text:
            return
        last = json.loads(text)["log"]["last"]
        for server in self.servers:
            if server.process.poll() is None and not server.paused:
                ask(self.ports_of_nats[self.servers.index(server)], "$JS.API.STREAM.PURGE.fencepost_log",
                    json.dumps({"seq": last}))
                return

    def first_line(self, name):
        """What a process has printed first; None for nothing."""
        with open(f"{self.folder}/{name}.out", encoding="utf-8") as file:
            return file.readline().strip() or None

    def token(self):
        """The first token, which the first leader prints."""
        return next(filter(None, (self.first_line(f"node-{index}") for index in range(3))), None)

    def status(self, command=("status", "--json")):
        for index in range(3):
            done = subprocess.run(
                [self.program, "cluster", *command, "--config", f"{self.folder}/node-{index}.json"],
                capture_output=True, text=True, check=False)
            if done.stdout.strip():
                return done.stdout
        return ""

    def leader(self):
        """The index of the node that leads and is ready; None for none. Only it checks its engine."""
        for index, port in enumerate(self.ports):
            if self.nodes[index].paused:
                continue
            status, body = request(port, "GET", "/readyz", None, timeout=2)
            if status == 200 and "engine" in json.loads(body)["checks"]:
                return index
        return None

    def wait(self, text, patience, condition):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            value = condition()
            if value is not None and value is not False:
                return value
            time.sleep(0.1)
        raise SystemExit(f"{text}: not within {patience} s. The logs are in {self.folder}.")

    def end(self):
        for process in self.nodes + self.servers:
            if process.process and process.process.poll() is None:
                process.go_on()
                process.kill()


def request(port, method, path, token, body=None, timeout=25):
    """The status and the body of a response; (0, b"") when there is none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    headers = {"authorization": f"Bearer {token}"} if token else {}
    if body is not None:
        headers["content-type"] = "application/json"
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.read()
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        connection.close()


def ask(port, subject, text):
    """Sends a request to a NATS server, and returns its answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        stream = connection.makefile("rb")
        stream.readline()
        connection.sendall(
            b'CONNECT {"verbose":false,"lang":"python","version":"1"}\r\nSUB answer 1\r\n'
            + f"PUB {subject} answer {len(text)}\r\n{text}\r\n".encode())
        while True:
            line = stream.readline()
            if line.startswith(b"MSG"):
                return stream.read(int(line.split()[-1])).decode()
            if line.startswith(b"PING"):
                connection.sendall(b"PONG\r\n")
            if not line:
                raise SystemExit(f"NATS did not answer {subject}")


class Load(threading.Thread):
    """Sends locations of some devices, each again and to the next node until it is acknowledged."""

    def __init__(self, cluster, token, number, devices):
        super().__init__(daemon=True)
        self.cluster, self.token, self.number = cluster, token, number
        self.devices = [f"d{number}-{index}" for index in range(devices)]
        self.acknowledged = {device: [] for device in self.devices}
        self.ended = threading.Event()
        self.start_time = int(time.time()) - 3600
        self.gaps = []
        self.last = time.monotonic()
        self.errors = {}

    def run(self):
        port, step = 0, 0
        while not self.ended.is_set():
            step += 1
            inside = (step // 40) % 2 == 0
            now = (self.start_time + step) * 1000
            locations = [
                {"deviceId": device, "timestamp": now, "latitude": 52.502 if inside else 52.512,
                 "longitude": 13.403 + index * 1e-5, "horizontalAccuracy": 5}
                for index, device in enumerate(self.devices)]
            body = json.dumps({"locations": locations})
            while True:
                status, answer = request(self.cluster.ports[port], "POST", "/v1/locations", self.token, body)
                if status == 200:
                    break
                kind = f"{status} {json.loads(answer)['code']}" if answer else str(status)
                self.errors[kind] = self.errors.get(kind, 0) + 1
                if status not in (0, 503):
                    say(f"unexpected answer {status}: {answer[:200]!r}")
                port = (port + 1) % 3
                time.sleep(0.05)
            report = json.loads(answer)
            if report["accepted"] + report["duplicates"] != len(locations):
                say(f"not all locations are accepted: {answer[:200]!r}")
            for device in self.devices:
                self.acknowledged[device].append(now)
            self.gaps.append((time.monotonic(), time.monotonic() - self.last))
            self.last = time.monotonic()
            time.sleep(0.1)

    def refused(self):
        """Answers that said that the request failed; no connection is none."""
        return sum(count for kind, count in list(self.errors.items()) if kind != "0")


def longest_gap(loads, since):
    return max([gap for load in loads for at, gap in list(load.gaps) if at >= since] or [0])


FAULTS = [
    "kill -9 of the leader", "SIGTERM of the leader", "SIGSTOP of the leader past its lease", "kill -9 of a follower",
    "kill -9 of a NATS server", "SIGSTOP of a NATS server", "kill -9 of the leader and of a NATS server",
    "SIGSTOP of two NATS servers", "loss of a follower's disk behind a trimmed log"]


def disturb(cluster, loads, source, fault):
    """One fault; returns the longest time without an acknowledgement that it brought."""
    leader = cluster.wait("a leader", 60, cluster.leader)
    began = time.monotonic()
    refused = sum(load.refused() for load in loads)
    node = cluster.nodes[leader]
    servers = source.sample(cluster.servers, 2)
    if fault == "SIGTERM of the leader":
        status = node.stop()
        if status != 0:
            raise SystemExit(f"{node.name} ended with {status} after SIGTERM. The logs are in {cluster.folder}.")
    elif "of the leader" in fault and "kill" in fault:
        node.kill()
    elif fault == "SIGSTOP of the leader past its lease":
        node.pause()
    elif fault in ("kill -9 of a follower", "loss of a follower's disk behind a trimmed log"):
        node = cluster.nodes[(leader + source.choice([1, 2])) % 3]
        node.kill()
    if "disk" in fault:
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(f"{cluster.folder}/{node.name}.sqlite{suffix}"):
                os.remove(f"{cluster.folder}/{node.name}.sqlite{suffix}")
    if "kill" in fault and "NATS" in fault:
        servers[0].kill()
    if fault == "SIGSTOP of a NATS server":
        servers[0].pause()
    if fault == "SIGSTOP of two NATS servers":
        servers[0].pause()
        servers[1].pause()
    time.sleep(source.uniform(9, 16) if "SIGSTOP" in fault else source.uniform(1, 8))
    if "trimmed" in fault:
        cluster.trim()
    for process in [node, *servers]:
        if process.paused:
            process.go_on()
        if process.process.poll() is not None:
            process.start()
    cluster.wait("acknowledgements after a fault", 90, lambda: all(load.last > began + 1 for load in loads))
    cluster.wait("a leader", 60, lambda: cluster.leader() is not None)
    if "disk" in fault:
        cluster.wait("a new copy", 60, lambda: os.path.exists(f"{cluster.folder}/{node.name}.sqlite"))
    time.sleep(3)
    if fault == "SIGTERM of the leader" and sum(load.refused() for load in loads) > refused:
        raise SystemExit(f"a planned change of the leader refused requests. The logs are in {cluster.folder}.")
    return longest_gap(loads, began)


def listed(cluster, token, path):
    """All items of a list."""
    leader, items, cursor = cluster.leader(), [], ""
    while True:
        status, body = request(cluster.ports[leader], "GET", path + cursor, token)
        if status != 200:
            raise SystemExit(f"GET {path}: {status} {body[:300]!r}")
        page = json.loads(body)
        items += page["data"]
        if not page.get("nextCursor"):
            return items
        cursor = "&cursor=" + urllib.parse.quote(page["nextCursor"])


def rows(path):
    """All rows of a database but those of the copy itself, by table."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    content = {name: sorted(map(repr, database.execute(f'SELECT * FROM "{name}"'))) for name in tables
               if name != "replica"}
    database.close()
    return content


def mark(path):
    """Up to where a copy has applied the log."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return database.execute("SELECT cluster, sequence, position, epoch FROM replica").fetchone()
    finally:
        database.close()


def check(cluster, loads, token, options):
    """The findings, as sentences."""
    findings = []
    cluster.wait("a leader", 60, lambda: cluster.leader() is not None)
    acknowledged = stored_once = 0
    for load in loads:
        for device, times in load.acknowledged.items():
            items = listed(cluster, token, f"/v1/locations?deviceId={device}&limit=500")
            stored = [item["timestamp"] for item in items]
            if options.single and len(set(stored)) == len(times):
                findings.append(f"{device}: the location of the single node is lost")
            acknowledged += len(times)
            stored_once += len(set(stored))
            if len(stored) != len(set(stored)):
                findings.append(f"{device}: a location is stored twice")
            if len(set(stored)) < len(times):
                findings.append(f"{device}: {len(times)} acknowledged, {len(set(stored))} stored")
    events = listed(cluster, token, "/v1/events?limit=500")
    ids = [event["id"] for event in events]
    if len(ids) != len(set(ids)):
        findings.append("an event is listed twice")
    cluster.wait("webhooks", 60, lambda: set(ids) <= set(Receiver.seen))
    doubled = [event for event, messages in Receiver.seen.items() if len(messages) > 1]
    if doubled:
        findings.append(f"{len(doubled)} events have messages under two ids")
    if set(Receiver.seen) - set(ids):
        findings.append(f"{len(set(Receiver.seen) - set(ids))} messages are of events that are not stored")
    say(f"{acknowledged} locations acknowledged, {stored_once} stored; {len(ids)} events, "
        f"{len(Receiver.seen)} of them received as webhooks")

    def is_level():
        text = cluster.status()
        nodes = json.loads(text)["nodes"] if text else []
        return len(nodes) == 3 and len({node["position"] for node in nodes}) == 1

    cluster.wait("copies at one position", 60, is_level)
    print(cluster.status(("status",)), flush=True)
    return findings + compare(cluster, is_level)


def compare(cluster, is_level):
    """Ends all nodes at one moment, without a word to them, and compares their databases."""
    paths = [f"{cluster.folder}/node-{index}.sqlite" for index in range(3)]
    for _ in range(5):
        for node in cluster.nodes:
            node.send(signal.SIGKILL)
        for node in cluster.nodes:
            node.process.wait()
        if len({mark(path) for path in paths}) == 1:
            break
        # The leader was in the middle of a transaction.
        for node in cluster.nodes:
            node.start()
        cluster.wait("a leader after all were killed", 60, lambda: cluster.leader() is not None)
        cluster.wait("copies at one position", 60, is_level)
    else:
        return ["the copies were never at one position"]
    findings = []
    contents = [rows(path) for path in paths]
    for index in (1, 2):
        tables = [table for table in contents[0] if contents[0][table] != contents[index].get(table)]
        if tables:
            findings.append(f"the copies of node-0 and node-{index} differ in {', '.join(tables)}")
    for path in paths:
        doctor = subprocess.run(
            [cluster.program, "doctor", "--storage", path], capture_output=True, text=True, check=False)
        if doctor.returncode:
            findings.append(f"doctor of {path}: {doctor.stdout[:500]}")
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the built fencepost")
    parser.add_argument("--nats", required=True, help="the nats-server")
    parser.add_argument("--rounds", type=int, default=0, help="random faults; 0 for one kill of the leader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", help="a part of the names of the faults to choose from")
    parser.add_argument("--single", action="store_true", help="begin with the database of a single node")
    parser.add_argument("--devices", type=int, default=5, help="of each of four senders")
    options = parser.parse_args()
    options.program, options.nats = os.path.abspath(options.program), os.path.abspath(options.nats)
    source = random.Random(options.seed)
    folder = tempfile.mkdtemp(prefix="fencepost-cluster-")
    cluster = Cluster(options, folder)
    findings = ["it did not end"]
    try:
        say("starting three NATS servers and three nodes")
        devices = [f"d{number}-{index}" for number in range(4) for index in range(options.devices)]
        token = cluster.start(devices if options.single else [])
        leader = cluster.wait("a leader", 60, cluster.leader)
        token = token or cluster.wait("the first token", 30, cluster.token)
        say(f"node-{leader} leads; starting the load")
        loads = [Load(cluster, token, number, options.devices) for number in range(4)]
        for load in loads:
            load.start()
        time.sleep(5)
        faults = [fault for fault in FAULTS if (options.faults or "") in fault]
        gaps = {}
        for number in range(max(1, options.rounds)):
            fault = source.choice(faults) if options.rounds else FAULTS[0]
            gap = disturb(cluster, loads, source, fault)
            gaps.setdefault(fault, []).append(gap)
            count = sum(len(load.gaps) * options.devices for load in loads)
            say(f"round {number + 1}: {fault}: at most {gap:.1f} s without an acknowledgement; {count} locations")
        for load in loads:
            load.ended.set()
        for load in loads:
            load.join()
        findings = check(cluster, loads, token, options)
        for fault, values in sorted(gaps.items()):
            values.sort()
            say(f"{fault}: {len(values)} times, median {values[len(values) // 2]:.1f} s, longest {values[-1]:.1f} s")
        errors = {}
        for load in loads:
            for status, count in load.errors.items():
                errors[status] = errors.get(status, 0) + count
        say(f"answers other than 200 (0 is no connection): {errors}")
    finally:
        cluster.end()
        if not findings:
            shutil.rmtree(folder)
    for finding in findings:
        say(f"FAILED: {finding}")
    if findings:
        say(f"the logs and databases are in {folder}")
        return 1
    say("nothing acknowledged is lost or doubled, and the copies are equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
