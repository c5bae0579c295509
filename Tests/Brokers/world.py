"""A service with an endpoint at each broker that is installed, and what both do."""

import json
import os
import re
import subprocess
import sys
import time

import readers
import requests
import servers

# What else an endpoint of each kind has. The addresses are below what `readers` prepares.
MEMBERS = {
    "nats": {"subject": "fencepost.{device}.{type}"},
    "redis": {"stream": "fencepost:{device}"},
    "amqp": {"exchange": "fencepost", "routingKey": "fencepost.{device}.{type}"},
    "kafka": {},
}
HOME = {"type": "Feature", "id": "home", "properties": {"name": "Home", "radius": 150},
        "geometry": {"type": "Point", "coordinates": [16.37, 48.2]}}
INSIDE, OUTSIDE = (48.2, 16.37), (48.22, 16.40)


def url_of(server):
    return f"{server.name}://127.0.0.1:{server.port}" + ("/fencepost" if server.name == "kafka" else "")


class Service:
    """The program as a service, which can be killed and started again."""

    def __init__(self, program, folder, **webhooks):
        self.program, self.folder = program, folder
        self.port = servers.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        configuration = {
            "storage": {"path": "fencepost.sqlite"}, "server": {"host": "127.0.0.1", "port": self.port},
            "webhooks": {"allowHTTP": True, "allowedNetworks": ["127.0.0.0/8"], **webhooks}}
        (folder / "fencepost.json").write_text(json.dumps(configuration))
        # The variables of tests are no settings of the service.
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("FENCEPOST_")}
        create = self.run("token", "create", "--storage", "fencepost.sqlite", "--name", "test", "--scope", "admin")
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["Authorization"] = "Bearer " + re.search(r"fp_\S+", create.stdout)[0]
        self.process = None

    def run(self, *arguments, **options):
        return subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, text=True,
                              env=self.environment, check=False, **options)

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "serve", "--config", "fencepost.json"], cwd=self.folder, env=self.environment,
            stdout=(self.folder / "log").open("a"), stderr=subprocess.STDOUT)
        servers.wait("the start of the service", self.is_ready)

    def is_ready(self):
        if self.process.poll() is not None:
            sys.exit("The service ended: " + (self.folder / "log").read_text()[-1000:])
        try:
            return self.session.get(self.url + "/readyz", timeout=2).ok
        except requests.RequestException:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Asks it to end. Returns the seconds that it took."""
        begin = time.monotonic()
        self.process.terminate()
        self.process.wait(30)
        return time.monotonic() - begin

    def ask(self, method, path, body=None, status=None):
        """The answer as JSON; ends where its status is another one than expected (2xx without one)."""
        answer = self.session.request(method, self.url + path, json=body, timeout=30)
        if answer.status_code != status if status else not answer.ok:
            sys.exit(f"{method} {path}: {answer.status_code} {answer.text[:500]}")
        return answer.json() if answer.text else None

    def all(self, path):
        """All pages of a list."""
        found, cursor = [], None
        while True:
            page = self.ask("GET", path + (f"&cursor={cursor}" if cursor else ""))
            found += page["data"]
            cursor = page.get("nextCursor")
            if not cursor:
                return found

    def add(self, server, name=None, **settings):
        """Adds an endpoint at a broker."""
        self.ask("POST", "/v1/endpoints", {
            "id": name or server.name, "kind": server.name, "url": url_of(server), "ordered": True,
            **MEMBERS[server.name], **settings})

    def test(self, name):
        return self.ask("POST", f"/v1/endpoints/{name}/test")

    def send(self, device, fixes):
        """Sends locations, each as its seconds and whether it is inside of the region."""
        self.ask("POST", "/v1/locations", {"locations": [
            {"deviceId": device, "timestamp": seconds, "horizontalAccuracy": 5,
             "latitude": (INSIDE if is_inside else OUTSIDE)[0], "longitude": (INSIDE if is_inside else OUTSIDE)[1]}
            for seconds, is_inside in fixes]})

    def events(self):
        return self.all("/v1/events?limit=200")

    def pending(self, endpoint):
        return self.ask("GET", f"/v1/deliveries?endpointId={endpoint}&status=pending&limit=1")["data"]


def installed(folder, wanted=servers.ALL):
    """The brokers that are installed, started and prepared. The others are named."""
    found = []
    for kind in wanted:
        if kind.program() is None:
            print(f"Skipped: {kind.name}, which is not installed ({kind.advice}).", file=sys.stderr)
            continue
        server = kind(folder)
        found.append(server)
        server.start()
        readers.PREPARE[server.name](server)
    return found


def compare(service, server, found, endpoint=None):
    """Compares what a broker has with the events of the service.

    Returns how many messages came twice. Ends where one is missing, foreign or different, or out of the order of its
    device.
    """
    name = endpoint or server.name
    events = {event["id"]: event for event in service.events()}
    wanted = {record["eventId"] for record in service.all(f"/v1/deliveries?endpointId={name}&limit=200")}
    first = {}
    for message in found:
        first.setdefault(message.id, message)
    ids = {number for number, message in first.items() if json.loads(message.body).get("type") != "webhook.test"}
    if ids != wanted:
        sys.exit(f"{name}: {len(wanted - ids)} messages are lost, and {len(ids - wanted)} are foreign")
    last = {}
    for number, message in first.items():
        body = json.loads(message.body)
        data = body.get("data", body)
        if "deviceId" not in data:
            continue
        event = events[number]
        if (data["deviceId"], data["sequence"], data["eventId"]) != (
                event["deviceId"], event["sequence"], number):
            sys.exit(f"{name}: {number} is not the event: {message}")
        if message.key is not None and message.key != event["deviceId"]:
            sys.exit(f"{name}: {number} has the key {message.key}")
        if last.get(data["deviceId"], 0) >= data["sequence"]:
            sys.exit(f"{name}: {data['deviceId']} has {data['sequence']} behind {last[data['deviceId']]}")
        last[data["deviceId"]] = data["sequence"]
    return len(found) - len(first)
