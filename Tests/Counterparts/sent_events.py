"""A service that sends all that it can, and what receives it: a part of asyncapi.py."""

import dataclasses
import email
import functools
import http.server
import json
import re
import subprocess
import threading
import time

import paho.mqtt.client as mqtt
import requests
import sseclient
from aiosmtpd.controller import Controller

import broker

FORMATS = {"webhook": "standard", "webhookBinary": "binary", "webhookStructured": "structured",
           "webhookBatch": "batch"}
# With the path of its URL and what else each kind needs.
PEOPLE = {"ntfy": ("/family", {"token": "tk_1", "priority": 3}), "gotify": ("", {"token": "g"}), "slack": ("/hook", {}),
          "discord": ("/hook", {}), "apprise": ("/notify", {"urls": ["json://localhost"]})}
LONGEST = 60
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fccfc0500f0004850180"
    "84a98c210000000049454e44ae426082")


@dataclasses.dataclass
class Message:
    """What arrived: from which server of the document, where, and what."""

    server: str
    address: str
    body: bytes
    headers: dict = dataclasses.field(default_factory=dict)
    # Of an endpoint: its channel.
    kind: str = None
    method: str = None
    qos: int = None
    # The type of the event that it says that it is.
    type: str = None


def type_of(body):
    """The type of the event that a body is about, if it says one."""
    found = re.search(rb'"type": ?"(?:fencepost[.])?([a-z]+[.][a-z]+)"', body)
    return found and found[1].decode()


class Receiver(http.server.BaseHTTPRequestHandler):
    """One endpoint, which answers with the status of its server."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        kind = self.server.kind
        if kind:
            headers = dict(self.headers)
            cloud = {name.lower(): value for name, value in headers.items()}.get("ce-type", "")
            self.server.received.append(Message(
                "receiver", self.path, body, headers, kind, "POST",
                type=cloud.removeprefix("fencepost.") or type_of(body)))
        self.send_response(self.server.status)
        self.send_header("content-length", "0")
        self.end_headers()

    do_PUT = do_POST

    def log_message(self, *details):
        pass


class Mailbox:
    """Takes mails."""

    def __init__(self, received):
        self.received = received

    async def handle_DATA(self, server, session, envelope):  # noqa: N802, the name is given by aiosmtpd
        mail = email.message_from_bytes(envelope.content)
        headers = {name.lower(): str(value) for name, value in mail.items()}
        self.received.append(Message("mail", "", envelope.content.split(b"\r\n\r\n", 1)[1], headers, "email"))
        return "250 OK"


class World:
    """A service with a broker and an endpoint of each kind, and what they received."""

    def __init__(self, program, folder, free_port):
        self.folder, self.program, self.received = folder / "asyncapi", program, []
        self.folder.mkdir()
        (port, self.broker_port, mail_port) = (free_port() for _ in range(3))
        self.url, self.servers = f"http://127.0.0.1:{port}", []
        self.broker = broker.start_broker(self.folder, self.broker_port)
        self.mail = Controller(Mailbox(self.received), hostname="127.0.0.1", port=mail_port)
        self.mail.start()
        self.reader = self.subscribe(lambda message: self.received.append(self.published(message)))
        configuration = {
            "storage": {"path": "fencepost.sqlite"}, "server": {"host": "127.0.0.1", "port": port}, "timeZone": "UTC",
            "webhooks": {"allowHTTP": True, "allowedNetworks": ["127.0.0.0/8"]},
            "mqtt": {"host": "127.0.0.1", "port": self.broker_port, "homeAssistant": True,
                     "publish": {"ownTracks": True, "names": {"jane/phone": "Jané"}}},
            "monitor": {"staleAfter": 3600}}
        (self.folder / "fencepost.json").write_text(json.dumps(configuration))

    def __enter__(self):
        create = [self.program, "token", "create", "--storage", "fencepost.sqlite", "--name", "a", "--scope", "admin"]
        token = subprocess.run(create, cwd=self.folder, capture_output=True, text=True, check=True).stdout
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["Authorization"] = "Bearer " + re.search(r"fp_\S+", token)[0]
        with (self.folder / "log").open("w") as log:
            self.process = subprocess.Popen(
                [self.program, "serve", "--config", "fencepost.json"], cwd=self.folder, stdout=log,
                stderr=subprocess.STDOUT)
        broker.wait("the start of the service", self.is_ready, LONGEST)
        return self

    def __exit__(self, *_):
        broker.stop(self.reader)
        self.mail.stop()
        for process in (self.process, self.broker):
            process.terminate()
            process.wait(20)
        for server in self.servers:
            server.shutdown()

    def is_ready(self):
        try:
            return self.session.get(f"{self.url}/readyz", timeout=2).ok
        except requests.ConnectionError:
            return False

    def ask(self, method, path, body=None, **options):
        answer = self.session.request(method, self.url + path, json=body, timeout=30, **options)
        if not answer.ok:
            raise SystemExit(f"{method} {path}: {answer.status_code} {answer.text[:400]}")
        return answer.json() if answer.content else None

    # MARK: What receives

    def subscribe(self, take):
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        subscribed = threading.Event()
        client.on_connect = lambda client, *_: client.subscribe("#", 2)
        client.on_subscribe = lambda *_: subscribed.set()
        client.on_message = lambda _, __, message: take(message)
        client.connect("127.0.0.1", self.broker_port)
        client.loop_start()
        if not subscribed.wait(10):
            raise SystemExit("mosquitto: no subscription")
        return client

    @staticmethod
    def published(message):
        return Message("broker", message.topic, message.payload, qos=message.qos, type=type_of(message.payload))

    def kept(self):
        """What the broker gives a new subscriber."""
        found = []
        client = self.subscribe(lambda message: message.retain and found.append(self.published(message)))
        time.sleep(1)
        broker.stop(client)
        return found

    def stream(self, **query):
        """What the stream has after an id, until it is quiet."""
        answer = self.session.get(f"{self.url}/v1/stream", params=query, stream=True, timeout=3)
        found = []
        try:
            for event in sseclient.SSEClient(answer).events():
                fields = {"event": event.event} | ({"id": event.id} if event.id else {})
                found.append(Message("service", "/v1/stream", event.data.encode(), fields, type=event.event))
        except requests.ConnectionError:
            pass
        return found

    def listen(self, kind, status=200):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        server.kind, server.status, server.received = kind, status, self.received
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    def add_endpoints(self):
        everything = {"events": ["*"], "history": True, "corrections": True}
        for kind, form in FORMATS.items():
            self.ask("POST", "/v1/endpoints", {"id": kind, "url": self.listen(kind), "format": form, **everything})
        for kind, (path, more) in PEOPLE.items():
            self.ask("POST", "/v1/endpoints", {
                "id": kind, "kind": kind, "url": self.listen(kind) + path, "events": ["*"],
                "link": "https://fence.example.org", **more})
        self.ask("POST", "/v1/endpoints", {
            "id": "email", "kind": "email", "url": f"smtp://127.0.0.1:{self.mail.port}", "from": "fence@example.org",
            "to": ["jane@example.org"], "events": ["*"]})
        self.ask("POST", "/v1/endpoints", {"id": "discreet", "url": self.listen("webhook"), "includeLocation": False,
                                           "events": ["*"]})
        self.ask("POST", "/v1/endpoints", {"id": "gone", "url": self.listen(None, 410), "events": ["region.entered"]})
        self.ask("POST", "/v1/endpoints", {"id": "broken", "url": self.listen(None, 400), "events": ["region.exited"],
                                           "devices": ["jane/*"]})

    # MARK: What happens

    def everything(self):
        """Has events of all types happen, and gives what was received and what the broker keeps."""
        self.add_endpoints()
        self.add_places()
        end = self.begin_round()
        self.drive()
        self.tow()
        self.meet()
        self.correct()
        self.end_deliveries()
        for endpoint in [*FORMATS, *PEOPLE, "email", "mqtt"]:
            self.ask("POST", f"/v1/endpoints/{endpoint}/test", {})
        self.ask("POST", "/v1/report-schedules", {
            "id": "daily", "name": "Daily", "frequency": "daily", "timeZone": "UTC",
            "endpoints": [*FORMATS, "ntfy", "discord", "email"]})
        self.ask("POST", "/v1/report-schedules/daily/send")
        self.end_round(end)
        self.settle()
        kept = self.kept()
        for query in ({}, {"explain": "true"}):
            self.received += self.stream(lastEventId="0", history="true", corrections="true", **query)
        self.received += self.stream(lastEventId="1000000000")
        self.remove()
        return self.received, kept

    def settle(self):
        def is_settled():
            pending = self.ask("GET", "/v1/deliveries?status=pending&limit=200")["data"]
            return all(entry["endpointId"] in ("broken", "gone") for entry in pending)
        broker.wait("the end of all deliveries", is_settled, LONGEST)
        time.sleep(6)  # The retained topics follow within five seconds.

    def add_places(self):
        def circle(longitude, latitude, **properties):
            return {"type": "Feature", "properties": {"radius": 150, **properties},
                    "geometry": {"type": "Point", "coordinates": [longitude, latitude]}}
        self.ask("PUT", "/v1/regions/office", circle(
            16.37, 48.2, name="Büro", tags=["work"], dwell=["PT5M"], speedLimit="30 km/h",
            metadata={"externalId": 7, "owner": {"name": "A"}}))
        # Its events are too large for messages, so that a part is left out.
        self.ask("PUT", "/v1/regions/large", circle(
            16.37, 48.2, name="Large", metadata="m" * 4000, tags=[f"{number:02}" + "🏠" * 62 for number in range(64)],
            devices=["tom/*"]))
        self.ask("PUT", "/v1/regions/a%2Fb%23", circle(16.5, 48.2, name="Odd"))
        self.ask("PUT", "/v1/apps/diary", {
            "id": "diary", "name": "Diary", "devices": ["jane/*"],
            "given": {"platform": "iOS", "osVersion": "17.4", "grant": "always", "lifecycle": "terminated",
                      "terminatedBy": "system", "infoPlist": [
                          "NSLocationWhenInUseUsageDescription:Yours",
                          "NSLocationAlwaysAndWhenInUseUsageDescription:Yours"]},
            "services": [{"service": "regionCircular", "identifier": "office"}, {"service": "visits"}]})
        for rule in (
            {"type": "speed", "above": "100 km/h", "devices": ["vans/*"]},
            {"type": "battery", "below": 0.15}, {"type": "unplugged"}, {"type": "accuracy"}, {"type": "jump"},
            {"id": "school", "type": "absent", "region": "office", "by": "08:15", "devices": ["tom/*"]},
            {"id": "late", "type": "present", "region": "office", "at": "08:40", "devices": ["tom/*"]},
            {"type": "silent", "above": 1800, "devices": ["vans/*"]}):
            self.ask("POST", "/v1/alert-rules", rule)
        self.ask("POST", "/v1/proximity-rules", {
            "distance": 100, "devices": ["vans/met"], "others": ["vans/meets"], "dwell": 60, "unaccompanied": True})

    def send(self, device, start, fixes):
        """Locations: seconds after the start, metres to the north and east of the office, and other members."""
        self.ask("POST", "/v1/locations", {"locations": [
            {"deviceId": device, "timestamp": start + seconds, "latitude": 48.2 + north / 111_195,
             "longitude": 16.37 + east / 74_100, "horizontalAccuracy": 5, **more}
            for seconds, north, east, more in fixes]}, headers={"traceparent": TRACE})

    def tow(self):
        """A van that stands is fenced, towed, and let go."""
        now = int(time.time())
        self.send("vans/parked", now, [(-minute * 60, 9000, 9000, {}) for minute in range(40, 4, -1)])
        self.ask("PUT", "/v1/devices/vans%2Fparked/fence", {"radius": 60})
        self.send("vans/parked", int(time.time()), [(1, 9400, 9000, {}), (2, 9420, 9000, {})])
        self.ask("DELETE", "/v1/devices/vans%2Fparked/fence")

    def meet(self):
        """A van comes to another one, stays, and leaves it."""
        start = int(time.time()) // 86400 * 86400 - 40_000
        way = [2000 - i * 100 for i in range(20)] + [0] * 20 + [i * 100 for i in range(20)]
        self.send("vans/meets", start, [(i * 10, 9000, -9000, {}) for i in range(60)])
        self.send("vans/met", start, [(i * 10, 9000 + north, -9000, {}) for i, north in enumerate(way)])

    def begin_round(self):
        """A guard is at the first of two places, both expected in the next minute. Gives when that ends."""
        self.ask("PUT", "/v1/regions/yard", {"type": "Feature", "properties": {"radius": 150}, "geometry": {
            "type": "Point", "coordinates": [16.35, 48.19]}})
        now = int(time.time())
        self.send("guard", now, [(-120, 0, 0, {}), (-60, 0, 0, {}), (0, 0, 0, {})])
        start = (now + 5) // 60 * 60 + 60

        def clock(moment):
            return time.strftime("%H:%M", time.gmtime(moment))
        if clock(start + 60) == "00:00":
            time.sleep(120)
            return self.begin_round()
        window = {"from": clock(start), "to": clock(start + 60)}
        self.ask("POST", "/v1/plans", {
            "id": "round", "name": "Round", "timeZone": "UTC", "ordered": True, "devices": ["guard"],
            "places": [{"region": "office", **window}, {"region": "yard", **window}]})
        return start + 60

    def end_round(self, end):
        """The guard comes to the second place after it was missed."""
        time.sleep(max(end - 29 - time.time(), 0))
        self.send("guard", end - 30, [(0, 0, 0, {})])
        time.sleep(max(end + 35 - time.time(), 0))
        self.send("guard", int(time.time()) - 2, [(second, -1112, -1482, {}) for second in range(3)])

    def drive(self):
        day = int(time.time()) // 86400 * 86400 - 86400  # Yesterday, in UTC.
        seven, minute = day + 7 * 3600, 60
        inside = [(i * minute, 0, 0, {"batteryLevel": 0.5, "speed": 1.2, "course": 90, "altitude": 200,
                                      "verticalAccuracy": 3}) for i in range(25)]
        away = [(i * minute, 3000, 0, {"speed": 0}) for i in range(30, 70)]
        self.send("jane/phone", seven, [(-600, -3000, 0, {}), (-540, -3000, 0, {})] + inside + away)
        self.ask("PUT", "/v1/devices/jane%2Fphone/face", None, data=PICTURE, headers={"content-type": "image/png"})
        tom = [(i * minute, 3000, 0, {}) for i in range(0, 85)] + [(i * minute, 0, 0, {}) for i in range(85, 115)]
        self.send("tom/phone", seven, tom + [(i * minute, 3000, 0, {}) for i in range(116, 130)])
        fast = [(i * 10, i * 400, 0, {"speed": 40}) for i in range(6)]
        fast += [(60 + i * 10, 2400, 0, {"speed": 0}) for i in range(4)]
        power = [(200, 2400, 0, {"batteryLevel": 1, "batteryState": "full"}),
                 (260, 2400, 0, {"batteryLevel": 0.9, "batteryState": "unplugged"}),
                 (320, 2400, 0, {"batteryLevel": 0.1, "batteryState": "unplugged"}),
                 (380, 2400, 0, {"batteryLevel": 0.3, "batteryState": "charging"})]
        vague = [(440 + i * minute, 2400, 0, {"horizontalAccuracy": 600}) for i in range(20)] + [(1700, 2400, 0, {})]
        later = [(1760, 2400, 0, {}), (1820, 90_000, 0, {}), (1880, 90_000, 0, {}), (1940, 90_000, 0, {}),
                 (12_000, 90_000, 0, {}), (12_060, 90_000, 0, {})]
        self.send("vans/1", seven, fast + power + vague + later)
        slow = [(i * 10, -140 + i * 20, 0, {"speed": 15}) for i in range(12)]
        left = [(200 + i * minute, 4000, 0, {"speed": 0}) for i in range(5)]
        self.send("odd +#%/1", seven, [(-60, -2000, 0, {})] + slow + left)

    def correct(self):
        """Late locations that show that somebody came later, and was not there another time."""
        start = int(time.time()) // 86400 * 86400 - 86400
        base = [(0, 3000, 0, {}), (600, 0, 0, {}), (660, 0, 0, {}), (3600, 3000, 0, {}), (3660, 3000, 0, {})]
        self.send("kim/phone", start, base)
        self.settle()
        self.send("kim/phone", start, [(60 * i, 3000, 0, {}) for i in range(12, 60)])
        self.send("kim/phone", start, [(570, 0, 0, {}), (580, 0, 0, {}), (590, 0, 0, {})])
        self.settle()

    def end_deliveries(self):
        """Tries the messages of an endpoint that fails as often as they are tried at all."""
        def delivery():
            [found] = self.ask("GET", "/v1/deliveries?endpointId=broken")["data"]
            return found

        def has_tried(count):
            return len(delivery()["attempts"]) > count

        while (entry := delivery())["status"] != "exhausted":
            self.ask("POST", f"/v1/deliveries/{entry['id']}/retry")
            broker.wait("another attempt", functools.partial(has_tried, len(entry["attempts"])), LONGEST)

    def remove(self):
        """What is at the broker about things that are gone is cleared."""
        self.ask("DELETE", "/v1/regions/office")
        self.ask("DELETE", "/v1/devices/jane%2Fphone?erase=true")
        time.sleep(7)
        self.process.terminate()
        self.process.wait(20)
