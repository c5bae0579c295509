#!/usr/bin/env python3
"""Runs a cluster on this machine under load, disturbs it, and checks that nothing acknowledged is lost or doubled.

Three NATS servers, three nodes, devices that send until each location is acknowledged, and a receiver of webhooks,
all on the loopback; between nodes and servers are relays that can be cut. Exits with 0 only if every acknowledged
location is stored once, the events are those that `fencepost watch` finds in the acknowledged locations, every event
has one message, and the copies are equal.
"""

import argparse
import array
import concurrent.futures
import glob
import http.client
import http.server
import json
import os
import random
import shutil
import selectors
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from disks import Disks
from faults import FAULTS, FULL_DISKS, chosen, disturb

SQUARE = [[13.400, 52.500], [13.406, 52.500], [13.406, 52.504], [13.400, 52.504], [13.400, 52.500]]
PROCESSES = [f"{kind}-{index}" for kind in ("nats", "node") for index in range(3)]
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

    def __init__(self, name, command, folder, clock=0):
        self.name, self.command, self.folder, self.process = name, command, folder, None
        self.paused = False
        # The seconds by which its clock is wrong.
        self.environment = os.environ | ({"FENCEPOST_CLOCK_OFFSET": str(clock)} if clock else {})

    def start(self):
        with open(f"{self.folder}/{self.name}.out", "ab") as out, open(f"{self.folder}/{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(
                self.command, stdout=out, stderr=log, cwd=self.folder, env=self.environment)

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


class Relay(threading.Thread):
    """A port that passes everything on to another one, until it is cut: then bytes are lost without a word, and its
    connections end when it is mended, since nothing sends the lost bytes again."""

    def __init__(self, port, target):
        super().__init__(daemon=True)
        self.target = target
        # Towards the target, and back.
        self.cut = [False, False]
        # Whether bytes were lost.
        self.is_torn = False
        self.selector = selectors.DefaultSelector()
        self.listener = socket.create_server(("127.0.0.1", port), backlog=64)
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        self.start()

    def run(self):
        while True:
            for key, _ in self.selector.select(0.2):
                if key.data is None:
                    self.accept()
                elif key.fileobj.fileno() >= 0:
                    self.pass_on(key.fileobj, *key.data)
            if self.is_torn and self.cut == [False, False]:
                self.is_torn = False
                for key in list(self.selector.get_map().values()):
                    if key.data is not None and key.fileobj.fileno() >= 0:
                        self.close(key.fileobj, key.data[0])

    def accept(self):
        client, _ = self.listener.accept()
        try:
            server = socket.create_connection(("127.0.0.1", self.target), timeout=2)
        except OSError:
            client.close()
            return
        for connection in (client, server):
            connection.settimeout(5)
        self.selector.register(client, selectors.EVENT_READ, (server, 0))
        self.selector.register(server, selectors.EVENT_READ, (client, 1))

    def pass_on(self, source, target, direction):
        try:
            data = source.recv(1 << 18)
            if data and self.cut[direction]:
                self.is_torn = True
            elif data:
                target.sendall(data)
            if data:
                return
        except OSError:
            pass
        self.close(source, target)

    def close(self, *connections):
        for connection in connections:
            try:
                self.selector.unregister(connection)
            except (KeyError, ValueError):
                pass
            connection.close()


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
    def __init__(self, options, folder, disks):
        self.folder, self.disks = folder, disks
        ports = free_ports(28)
        self.servers, self.nodes = [], []
        self.ports, self.ports_of_nats = ports[9:12], ports[:3]
        self.program, self.partitions, self.copies = options.program, options.partitions, options.copies
        # The databases that a fault has removed, and that have to come back.
        self.lost = []
        self.receiver = http.server.ThreadingHTTPServer(("127.0.0.1", ports[12]), Receiver)
        threading.Thread(target=self.receiver.serve_forever, daemon=True).start()
        # Those between the servers, by the one that connects and the other one.
        pairs = [(index, other) for index in range(3) for other in range(3) if other != index]
        self.routes = {pair: Relay(port, ports[3 + pair[1]]) for pair, port in zip(pairs, ports[22:])}
        for index in range(3):
            others = [port for pair, port in zip(pairs, ports[22:]) if pair[0] == index]
            routes = ", ".join(f"nats://127.0.0.1:{port}" for port in others)
            with open(f"{folder}/nats-{index}.conf", "w", encoding="utf-8") as file:
                file.write(
                    f"server_name: n{index}\nlisten: 127.0.0.1:{ports[index]}\nhttp: 127.0.0.1:{ports[6 + index]}\n"
                    # Without a limit a server takes three quarters of its disk for one, of which a stream reserves.
                    f'jetstream {{ store_dir: "{folder}/nats-{index}", sync_interval: always, max_file_store: 1TB }}\n'
                    # Nodes do not learn the addresses behind the relays.
                    f"cluster {{ name: fencepost, listen: 127.0.0.1:{ports[3 + index]}, routes: [{routes}], "
                    # Nor do the servers: nothing listens at port 1, so each goes through its relays.
                    "no_advertise: true, advertise: \"127.0.0.1:1\" }\n")
            self.servers.append(Process(f"nats-{index}", [options.nats, "-c", f"{folder}/nats-{index}.conf"], folder))
        with open(f"{folder}/regions.geojson", "w", encoding="utf-8") as file:
            json.dump(REGIONS, file)
        # Those of a node, one for each server.
        self.relays = [[Relay(ports[13 + 3 * node + server], ports[server]) for server in range(3)]
                       for node in range(3)]
        hook = {"id": "test", "url": f"http://127.0.0.1:{ports[12]}/hook", "secret": "whsec_" + "QUFB" * 8}
        for index in range(3):
            config = {
                "server": {"host": "127.0.0.1", "port": self.ports[index]}, "regions": ["regions.geojson"],
                "storage": {"path": self.storage(index)}, "endpoints": [hook],
                "webhooks": {"allowHTTP": True, "allowedNetworks": ["127.0.0.0/8"]}, "log": {"format": "text"},
                "cluster": {
                    "url": [f"nats://127.0.0.1:{port}" for port in ports[13 + 3 * index:16 + 3 * index]],
                    "node": f"node-{index}", "partitions": self.partitions,
                    "monitors": [f"http://127.0.0.1:{port}" for port in ports[6:9]],
                    **({"copies": self.copies} if self.copies else {})}}
            with open(f"{folder}/node-{index}.json", "w", encoding="utf-8") as file:
                json.dump(config, file)
            command = [options.program, "serve", "--config", f"{folder}/node-{index}.json"]
            # An hour late, right, an hour early.
            self.nodes.append(Process(f"node-{index}", command, folder, (index - 1) * 3600 if options.skew else 0))

    def storage(self, node):
        """The database of a node, or the folder of its databases."""
        return f"node-{node}/fencepost.sqlite" if self.partitions == 1 else f"node-{node}"

    def databases(self, node):
        """The paths of a node's databases, the configuration's first; also those of parts of which it has no copy."""
        if self.partitions == 1:
            return [f"{self.folder}/{self.storage(node)}"]
        names = ["config", *(f"p{part:04}" for part in range(self.partitions))]
        return [f"{self.folder}/{self.storage(node)}/{name}.sqlite" for name in names]

    def cut(self, node, directions=(True, True)):
        """Loses what a node and the servers send each other, or one direction of it."""
        for relay in self.relays[node]:
            relay.cut = list(directions)

    def cut_server(self, server):
        """Loses what a NATS server and the others send each other; nodes reach all of them."""
        for pair, relay in self.routes.items():
            if server in pair:
                relay.cut = [True, True]

    def mend(self):
        for relay in [*self.routes.values(), *(relay for relays in self.relays for relay in relays)]:
            relay.cut = [False, False]

    def start(self, devices, begin):
        """Starts all processes; with devices, begins with the database of a single node that has one location of each.

        Returns the token of that node; None for a cluster that begins empty.
        """
        for server in self.servers:
            server.start()
        token = self.begin_with_single_node(devices, begin) if devices else None
        for node in self.nodes:
            node.start()
        return token

    def begin_with_single_node(self, devices, begin):
        with open(f"{self.folder}/node-0.json", encoding="utf-8") as file:
            config = json.load(file)
        del config["cluster"]
        os.makedirs(f"{self.folder}/node-0", exist_ok=True)
        if self.partitions > 1:
            config["storage"]["path"] = f"{self.storage(0)}/fencepost.sqlite"
        with open(f"{self.folder}/single.json", "w", encoding="utf-8") as file:
            json.dump(config, file)
        single = Process("single", [self.program, "serve", "--config", f"{self.folder}/single.json"], self.folder)
        single.start()
        self.wait("the single node", 60, lambda: request(self.ports[0], "GET", "/readyz", None, timeout=2)[0] == 200)
        token = self.wait("the token of the single node", 30, lambda: self.first_line("single"))
        body = json.dumps({"locations": [before(device, begin) for device in devices]})
        status, answer = request(self.ports[0], "POST", "/v1/locations", token, body)
        if status != 200 or single.stop() != 0:
            raise SystemExit(f"the single node: {status} {answer[:300]!r}. The logs are in {self.folder}.")
        self.wait("the import", 60, lambda: subprocess.run(
            [self.program, "cluster", "import", "--config", f"{self.folder}/node-0.json"],
            capture_output=True, check=False).returncode == 0)
        return token

    def trim(self):
        """Removes all records of the logs but the newest of each."""
        text = self.status()
        if not text:
            return
        status = json.loads(text)
        logs = [status["log"]] if self.partitions == 1 else [
            next(part["log"] for part in status["parts"] if part["name"] == name)
            for name in ["config", *map(str, range(self.partitions))]]
        for name, log in zip(self.streams(), logs):
            self.ask_nats(f"$JS.API.STREAM.PURGE.{name}", json.dumps({"seq": log["last"]}))

    def streams(self):
        """The names of the logs in NATS, the configuration's first."""
        if self.partitions == 1:
            return ["fencepost_log"]
        return ["fencepost_cfg", *(f"fencepost_log_{part}" for part in range(self.partitions))]

    def ask_nats(self, subject, text):
        """The answer of the first server that works."""
        for port, server in zip(self.ports_of_nats, self.servers):
            if server.process.poll() is None and not server.paused:
                return ask(port, subject, text)
        raise SystemExit(f"no NATS server works that could answer {subject}")

    def are_servers_level(self):
        """Whether all servers have all of the logs."""
        for name in self.streams():
            text = self.ask_nats(f"$JS.API.STREAM.INFO.{name}", "")
            replicas = json.loads(text).get("cluster", {}).get("replicas", [])
            if len(replicas) < 2 or not all(item["current"] and not item.get("offline") for item in replicas):
                return False
        return True

    def is_ready(self, node):
        return request(self.ports[node], "GET", "/readyz", None, timeout=2)[0] == 200

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
        """The index of the node that leads and is ready; None for none. Only it checks its engine. With several
        partitions, the node that leads most of them; None while one of them has no leader."""
        if self.partitions > 1:
            text = self.status()
            status = json.loads(text) if text else {"parts": [], "nodes": []}
            if not status["parts"] or any("leader" not in part for part in status["parts"]):
                return None
            most = max(status["nodes"], key=lambda node: node.get("leads", 0))
            return int(most["name"].split("-")[1])
        for index, port in enumerate(self.ports):
            if self.nodes[index].paused:
                continue
            status, body = request(port, "GET", "/readyz", None, timeout=2)
            if status == 200 and "engine" in json.loads(body)["checks"]:
                return index
        return None

    def positions(self):
        """How far the copies of each part are, by the labels of its metric."""
        found = {}
        for port in self.ports:
            lines = request(port, "GET", "/metrics", None, timeout=5)[1].decode().splitlines()
            values = {kind: {line.split()[0].removeprefix(kind): int(float(line.split()[1]))
                             for line in lines if line.startswith(kind)}
                      for kind in ("fencepost_cluster_copy", "fencepost_cluster_log_position")}
            for labels, position in values["fencepost_cluster_log_position"].items():
                if values["fencepost_cluster_copy"].get(labels) == 1:
                    found.setdefault(labels, []).append(position)
        return found

    def count_of_copies(self, part):
        """How many nodes have a copy of a part, by its name in the status or the labels of its metric."""
        return 3 if self.copies is None or "config" in part else min(3, self.copies)

    def is_replaced(self, path):
        """Whether a lost database is there again; or its copies, which were about to move, are on the other nodes."""
        name = os.path.basename(path)
        paths = [other for node in range(3) for other in self.databases(node) if os.path.basename(other) == name]
        return os.path.exists(path) or (
            self.copies is not None and sum(map(os.path.exists, paths)) >= self.count_of_copies(name))

    def have_all(self, newest):
        """Whether all copies of each part are as far as the newest was."""
        found = self.positions()
        return all(sum(position >= max(former) for position in found.get(part, [])) >= self.count_of_copies(part)
                   for part, former in newest.items())

    def wait(self, text, patience, condition):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            try:
                value = condition()
            except (ConnectionError, TimeoutError):
                # A NATS server has just been started, or its servers elect and answer nothing.
                value = None
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
    status, _, answer = exchange(port, method, path, token, body, timeout)
    return status, answer


def exchange(port, method, path, token, body, timeout):
    """The status, the headers and the body of a response; (0, {}, b"") when there is none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    headers = {"authorization": f"Bearer {token}"} if token else {}
    if body is not None:
        headers["content-type"] = "application/json"
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    except (OSError, http.client.HTTPException):
        return 0, {}, b""
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


def location(device, index, step, begin):
    """A location of a device, a second after the one before: 40 inside, 40 outside."""
    inside = (step // 40) % 2 == 0
    return {"deviceId": device, "timestamp": (begin + step) * 1000, "latitude": 52.502 if inside else 52.512,
            "longitude": round(13.403 + (index % 50) * 1e-5, 6), "horizontalAccuracy": 5}


def before(device, begin):
    """What the single node had."""
    return location(device, 0, 40, begin - 3600)


class Load(threading.Thread):
    """Sends locations of some devices, each again and to the next node until it is acknowledged."""

    def __init__(self, cluster, token, number, devices, begin):
        super().__init__(daemon=True)
        self.cluster, self.token, self.number = cluster, token, number
        # Each begins at another node: what one does not lead, it decodes and sends on.
        self.first = number % 3
        self.devices = [f"d{number}-{index}" for index in range(devices)]
        # The steps of which all devices' locations are acknowledged.
        self.acknowledged = array.array("q")
        self.ended = threading.Event()
        self.start_time = begin
        self.gaps = []
        self.last = time.monotonic()
        self.next = self.last + 0.1
        self.errors = {}
        # Answers that no fault may bring, as sentences.
        self.findings = set()

    def run(self):
        port, step = self.first, 0
        while not self.ended.is_set():
            step += 1
            locations = [location(device, index, step, self.start_time) for index, device in enumerate(self.devices)]
            body = json.dumps({"locations": locations})
            while True:
                status, headers, answer = exchange(
                    self.cluster.ports[port], "POST", "/v1/locations", self.token, body, timeout=25)
                if status == 200:
                    break
                kind = f"{status} {json.loads(answer)['code']}" if answer else str(status)
                self.errors[kind] = self.errors.get(kind, 0) + 1
                if status not in (0, 503):
                    say(f"unexpected answer {status}: {answer[:200]!r}")
                    self.findings.add(f"an answer was {kind}")
                if status == 503 and "retry-after" not in headers:
                    self.findings.add(f"an answer was {kind} without Retry-After")
                port = (port + 1) % 3
                time.sleep(0.05)
            report = json.loads(answer)
            if report["accepted"] + report["duplicates"] != len(locations):
                say(f"not all locations are accepted: {answer[:200]!r}")
            self.acknowledged.append(step)
            self.gaps.append((time.monotonic(), time.monotonic() - self.last))
            self.last = time.monotonic()
            time.sleep(max(0, self.next - self.last))
            self.next = max(self.next + 0.1, self.last)

    def refused(self):
        """Answers that said that the request failed; no connection is none."""
        return sum(count for kind, count in list(self.errors.items()) if kind != "0")


def listed(cluster, token, path):
    """All items of a list."""
    leader, items, cursor = cluster.wait("a leader", 60, cluster.leader), [], ""
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


def expected_events(cluster, loads, options):
    """The ids of the events that `fencepost watch` finds in the acknowledged locations. Locations that were sent and
    not acknowledged do not matter: each was sent again."""
    with open(f"{cluster.folder}/sent.ndjson", "w", encoding="utf-8") as file:
        for load in loads:
            for index, device in enumerate(load.devices):
                if options.single:
                    file.write(json.dumps(before(device, load.start_time)) + "\n")
                for step in load.acknowledged:
                    file.write(json.dumps(location(device, index, step, load.start_time)) + "\n")
    done = subprocess.run(
        [cluster.program, "watch", "--regions", f"{cluster.folder}/regions.geojson", "--output", "ndjson",
         f"{cluster.folder}/sent.ndjson"], capture_output=True, text=True, check=True)
    os.remove(f"{cluster.folder}/sent.ndjson")
    return {json.loads(line)["id"] for line in done.stdout.splitlines()}


def check(cluster, loads, token, options):
    """The findings, as sentences."""
    findings = sorted(set().union(*(load.findings for load in loads)))
    cluster.wait("a leader", 60, lambda: cluster.leader() is not None)
    acknowledged = stored_once = 0

    def stored(device):
        return [item["timestamp"] for item in listed(cluster, token, f"/v1/locations?deviceId={device}&limit=500")]

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for load in loads:
            # What the single node had is one more.
            sent = len(load.acknowledged) + (1 if options.single else 0)
            for device, times in zip(load.devices, pool.map(stored, load.devices)):
                acknowledged += sent
                stored_once += len(set(times))
                if len(times) != len(set(times)):
                    findings.append(f"{device}: a location is stored twice")
                if len(set(times)) < sent:
                    findings.append(f"{device}: {sent} acknowledged, {len(set(times))} stored")
    events = listed(cluster, token, "/v1/events?limit=500")
    ids = [event["id"] for event in events]
    if len(ids) != len(set(ids)):
        findings.append("an event is listed twice")
    expected = expected_events(cluster, loads, options)
    missing, wrong = expected - set(ids), set(ids) - expected
    if missing or wrong:
        findings.append(f"{len(missing)} events are missing, and {len(wrong)} are not those of the locations")
    cluster.wait("webhooks", 60, lambda: set(ids) <= set(Receiver.seen))
    doubled = [event for event, messages in Receiver.seen.items() if len(messages) > 1]
    if doubled:
        findings.append(f"{len(doubled)} events have messages under two ids")
    if set(Receiver.seen) - set(ids):
        findings.append(f"{len(set(Receiver.seen) - set(ids))} messages are of events that are not stored")
    say(f"{acknowledged} locations acknowledged, {stored_once} stored; {len(ids)} events, "
        f"{len(Receiver.seen)} of them received as webhooks")

    cluster.wait("copies at one position", 60, lambda: is_level(cluster, {}))
    print(cluster.status(("status",)), flush=True)
    return findings + compare(cluster) + diverged(cluster.folder)


def diverged(folder):
    """That nodes have evaluated otherwise than their leaders, by their logs."""
    findings = []
    for name in sorted(glob.glob(f"{folder}/*.log")):
        with open(name, encoding="utf-8", errors="replace") as file:
            lines = [line for line in file if "this node's evaluation has" in line]
        if lines:
            findings.append(f"{name} has {len(lines)} lines of events that differ, such as {lines[0].strip()}")
    return findings


def reports(cluster):
    """The times of the nodes' reports, by their names."""
    text = cluster.status()
    return {node["name"]: node["reportedAt"] for node in json.loads(text)["nodes"]} if text else {}


def is_level(cluster, former):
    """Whether all copies are at one position, by other reports than the former ones."""
    text = cluster.status()
    status = json.loads(text) if text else {"nodes": []}
    return len(status["nodes"]) == 3 and all(
        node["behind"] == 0 and node["reportedAt"] != former.get(node["name"]) for node in status["nodes"]) and all(
        len(part["copies"]) == cluster.count_of_copies(part["name"]) for part in status.get("parts", []))


def compare(cluster):
    """Ends all nodes at one moment, without a word to them, and compares their databases."""
    for _ in range(5):
        for node in cluster.nodes:
            node.send(signal.SIGKILL)
        for node in cluster.nodes:
            node.process.wait()
        parts = [[path for path in paths if os.path.exists(path)]
                 for paths in zip(*(cluster.databases(index) for index in range(3)))]
        if all(len({mark(path) for path in paths}) == 1 for paths in parts):
            break
        # The leader was in the middle of a transaction. What was reported before says nothing about the nodes now.
        former = reports(cluster)
        for node in cluster.nodes:
            node.start()
        cluster.wait("a leader after all were killed", 60, lambda: cluster.leader() is not None)
        cluster.wait("copies at one position", 60, lambda former=former: is_level(cluster, former))
    else:
        return ["the copies were never at one position"]
    findings = []
    for paths in parts:
        count = cluster.count_of_copies(os.path.basename(paths[0]))
        if len(paths) != count:
            findings.append(f"there are {len(paths)} copies in place of {count}: {', '.join(paths)}")
        contents = [rows(path) for path in paths]
        for path, content in zip(paths[1:], contents[1:]):
            tables = [table for table in contents[0] if contents[0][table] != content.get(table)]
            if tables:
                findings.append(f"{paths[0]} and {path} differ in {', '.join(tables)}")
    for path in (path for paths in parts for path in paths):
        doctor = subprocess.run(
            [cluster.program, "doctor", "--storage", path], capture_output=True, text=True, check=False)
        if doctor.returncode:
            findings.append(f"doctor of {path}: {doctor.stdout[:500]}")
    return findings


def conclude(findings, folder, sentence):
    """Says what was found, or the sentence where nothing was; returns the exit code of the script."""
    for finding in findings:
        say(f"FAILED: {finding}")
    say(f"the logs and databases are in {folder}" if findings else sentence)
    return 1 if findings else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the built fencepost")
    parser.add_argument("--nats", required=True, help="the nats-server")
    parser.add_argument("--rounds", type=int, default=0, help="random faults; 0 for one kill of the leader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", help="parts of the names of the faults to choose from, between commas")
    parser.add_argument("--single", action="store_true", help="begin with the database of a single node")
    parser.add_argument("--skew", action="store_true", help="one node's clock is an hour late, another's an hour early")
    parser.add_argument("--partitions", type=int, default=1, help="partitions of devices, each with a leader")
    parser.add_argument("--copies", type=int, help="copies of each partition; on all nodes without it")
    parser.add_argument("--rate", type=int, default=200, help="locations a second")
    parser.add_argument("--keep", action="store_true", help="keep the logs, also of a good end")
    options = parser.parse_args()
    # Four senders send a location of each of their devices ten times a second.
    options.devices = max(1, options.rate // 40)
    options.program, options.nats = os.path.abspath(options.program), os.path.abspath(options.nats)
    source = random.Random(options.seed)
    folder = tempfile.mkdtemp(prefix="fencepost-cluster-")
    faults = chosen(options.faults) if options.rounds else [FAULTS[0]]
    disks = None
    if any(fault in FULL_DISKS for fault in faults):
        disks = Disks(folder, PROCESSES, options.rounds, options.rate)
    if disks and disks.problem:
        skipped = [fault for fault in faults if fault in FULL_DISKS]
        say(f"Skipped: the faults of full disks ({len(skipped)}), since there are no small ones: {disks.problem}")
        faults = [fault for fault in faults if fault not in FULL_DISKS]
    if not faults:
        say("no fault is left")
        return 0
    cluster = Cluster(options, folder, disks)
    findings = ["it did not end"]
    try:
        say("starting three NATS servers and three nodes")
        devices = [f"d{number}-{index}" for number in range(4) for index in range(options.devices)]
        # So long ago that no deadline of the clock decides anything: events follow from the locations alone.
        begin = int(time.time()) - 10 * 86400
        token = cluster.start(devices if options.single else [], begin)
        leader = cluster.wait("a leader", 60, cluster.leader)
        token = token or cluster.wait("the first token", 30, cluster.token)
        say(f"node-{leader} leads; starting the load")
        loads = [Load(cluster, token, number, options.devices, begin) for number in range(4)]
        for load in loads:
            load.start()
        time.sleep(5)
        gaps = {}
        for number in range(max(1, options.rounds)):
            fault = source.choice(faults)
            silence, gap = disturb(cluster, loads, source, fault)
            gaps.setdefault(fault, []).append((silence, gap))
            count = sum(len(load.gaps) * options.devices for load in loads)
            say(f"round {number + 1}: {fault}: at most {silence:.1f} s without an acknowledgement, {gap:.1f} s for one "
                f"sender; {count} locations")
        for load in loads:
            load.ended.set()
        for load in loads:
            load.join()
        findings = check(cluster, loads, token, options)
        print("| fault | rounds | nobody's acknowledgement: median | longest | one sender's: longest |")
        print("|---|---|---|---|---|")
        for fault, values in sorted(gaps.items()):
            silences = sorted(silence for silence, _ in values)
            print(f"| {fault} | {len(values)} | {silences[len(values) // 2]:.1f} s | {silences[-1]:.1f} s | "
                  f"{max(gap for _, gap in values):.1f} s |", flush=True)
        errors = {}
        for load in loads:
            for status, count in load.errors.items():
                errors[status] = errors.get(status, 0) + count
        say(f"answers other than 200 (0 is no connection): {errors}")
    finally:
        cluster.end()
        keeps = bool(findings) or options.keep
        if disks:
            disks.end(keeps)
        if not keeps:
            shutil.rmtree(folder)
    return conclude(findings, folder, "nothing acknowledged is lost or doubled, and the copies are equal")


if __name__ == "__main__":
    sys.exit(main())
