"""One suite for the clients in Python and TypeScript: Tests/Clients/suite.py PROGRAM FOLDER [python | typescript ...]

FOLDER has the clients that Packaging/clients/make.py has made of PROGRAM. What each client reads is compared with what
the routes answer; webhooks are signed by the library of Standard Webhooks; the connection of the stream is cut after
each event.
"""

import contextlib
import datetime
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Counterparts"))

import service  # noqa: E402
import standardwebhooks  # noqa: E402

SECRET = "whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg=="
CIRCLE = {"type": "Feature", "properties": {"name": "Library", "radius": 120, "tags": ["public"]},
          "geometry": {"type": "Point", "coordinates": [16.36, 48.21]}}
SQUARE = {"type": "Feature", "properties": {"name": "Yard", "schedule": {"timeZone": "Europe/Vienna", "weekly": [
    "Mon-Fri 07:00-18:00"]}}, "geometry": {"type": "Polygon", "coordinates": [
        [[16.3, 48.2], [16.301, 48.2], [16.301, 48.201], [16.3, 48.201], [16.3, 48.2]]]}}
# Routes that answer with JSON, by tag: each is read by the client and over HTTP.
READ = [
    ("Regions", "listRegions", "/v1/regions", {}), ("Regions", "getRegion", "/v1/regions/library", "library"),
    ("Regions", "getRegion", "/v1/regions/yard", "yard"),
    ("Regions", "listRegionDevices", "/v1/regions/library/devices", "library"),
    ("Events", "listEvents", "/v1/events", {"type": "region.*"}), ("Events", "listEvents", "/v1/events", {"limit": 3}),
    ("Events", "listVisits", "/v1/visits", {}), ("Devices", "listDevices", "/v1/devices", {}),
    ("Devices", "getDevice", "/v1/devices/jane%2Fphone", "jane/phone"),
    ("Locations", "listLocations", "/v1/locations", {"deviceId": "jane/phone"}),
    ("Locations", "listQuarantine", "/v1/quarantine", {}), ("Webhooks", "listEndpoints", "/v1/endpoints", {}),
    ("Webhooks", "listDeliveries", "/v1/deliveries", {}), ("Tokens", "listTokens", "/v1/tokens", {}),
    ("Alerts", "listAlertRules", "/v1/alert-rules", {}), ("Users", "listUsers", "/v1/users", {}),
    ("Users", "listGroups", "/v1/groups", {}), ("System", "getVersion", "/v1/version", {}),
    ("Regions", "getRegion", "/v1/regions/nowhere", "nowhere"),
]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


class Driver:
    """A process that performs tasks with a client."""

    def __init__(self, language, folder, url, token):
        if language == "python":
            # Its own environment would take a minute; the wheel is read where it is.
            wheel = next((folder / "python" / "dist").glob("*.whl"))
            command, path = [sys.executable, "-B", HERE / "driver.py", url, token], {"PYTHONPATH": str(wheel)}
        else:
            command, path = ["node", HERE / "driver.cjs", folder / "typescript" / "dist" / "index.js", url, token], {}
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", **path})

    def __call__(self, **task):
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the client ended at {task}")
        return json.loads(line)


class Cut:
    """Passes connections on to a port, and ends each one after the first event that it has carried."""

    def __init__(self, port):
        self.port, self.connections = port, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            self.connections += 1
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        with client, socket.create_connection(("127.0.0.1", self.port)) as server, contextlib.suppress(BrokenPipeError):
            server.sendall(client.recv(65536))
            carried = b""
            while b"\ndata: " not in carried or not carried.endswith(b"\n\n"):
                # One byte at a time, so that it ends within what the server has sent together.
                byte = server.recv(1)
                if not byte:
                    return
                carried += byte
                client.sendall(byte)


def comparable(value):
    """A value without what types of a language change: null members, the form of times, the case of names."""
    if isinstance(value, dict):
        return {key.replace("_", "").lower(): comparable(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [comparable(one) for one in value]
    if isinstance(value, str) and TIME.fullmatch(value):
        return datetime.datetime.fromisoformat(value).timestamp()
    return value


def expect(condition, words):
    if not condition:
        sys.exit(words)


def signed(body, age=0, secret=SECRET):
    """The header fields of a webhook, as the library of Standard Webhooks signs it."""
    time = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=age)
    signature = standardwebhooks.Webhook(secret).sign("evt_1", time, body)
    return {"Webhook-Id": "evt_1", "webhook-timestamp": str(int(time.timestamp())), "webhook-signature": signature}


def suite(language, folder, port, session):
    """Everything that a client has to do.

    Returns:
        How many comparisons there were.
    """
    url, token = f"http://127.0.0.1:{port}", session.headers["Authorization"].removeprefix("Bearer ")
    client = Driver(language, folder, url, token)
    done = 0
    for id, region, kind in (("library", CIRCLE, "NewCircle"), ("yard", SQUARE, "NewPolygon")):
        type = kind if language == "python" else "NewRegion"
        given = client(do="call", tag="Regions", operation="putRegion", id=id, type=type, body=region)
        expect("geometry" in given, f"{language}: {id} was not stored: {given}")
        stored = session.get(f"{url}/v1/regions/{id}").json()
        for name, value in region["properties"].items():
            expect(stored["properties"].get(name) == value, f"{language}: {id} was stored without {name}: {stored}")
        expect(stored["geometry"]["coordinates"] == region["geometry"]["coordinates"], f"{language}: {stored}")
        done += 1
    start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) - datetime.timedelta(hours=2)
    path = [(minute, 16.30) for minute in range(3)] + [(minute, 16.36) for minute in range(10, 40)]
    path += [(minute, 16.40 + minute / 1000) for minute in range(45, 60)]
    batch = {"locations": [
        {"deviceId": "jane/phone", "latitude": 48.21, "longitude": east, "horizontalAccuracy": 8, "timestamp":
         (start + datetime.timedelta(minutes=minute)).isoformat().replace("+00:00", "Z")} for minute, east in path]}
    report = client(do="call", tag="Locations", operation="postLocations", type="LocationBatch", body=batch)
    expect(report["accepted"] == len(path), f"{language}: {report}")
    again = client(do="call", tag="Locations", operation="postLocations", type="LocationBatch", body=batch)
    expect(again["duplicates"] == len(path), f"{language}: {again}")
    for tag, operation, path, given in READ:
        query = given if isinstance(given, dict) else {}
        task = {"query": query} if isinstance(given, dict) else {"id": given}
        wanted = session.get(url + path, params=query).json()
        read = client(do="call", tag=tag, operation=operation, **task)
        expect(comparable(read) == comparable(wanted), f"{language}: {operation} reads\n{read}\nin place of\n{wanted}")
        done += 1
    body = json.dumps({"type": "region.entered", "data": {"deviceId": "jäne/phone"}}, ensure_ascii=False)
    right = signed(body)
    for headers, text, secret, is_right in [
        (right, body, SECRET, True), (right, body + " ", SECRET, False), (signed(body, 600), body, SECRET, False),
        (signed(body, -600), body, SECRET, False), (signed(body, 0, "whsec_" + "QUJD" * 8), body, SECRET, False),
        ({name: value for name, value in right.items() if name != "webhook-signature"}, body, SECRET, False),
        ({**right, "webhook-signature": "v2,abc v1,QUJD " + right["webhook-signature"]}, body, SECRET, True),
        ({**right, "Webhook-Id": "evt_2"}, body, SECRET, False),
    ]:
        read = client(do="verify", body=text, headers=headers, secret=secret)
        expect(read == (json.loads(body) if is_right else "refused"), f"{language}: {headers} is {read}")
        done += 1
    wanted = session.get(f"{url}/v1/events", params={"limit": 500}).json()["data"]
    wanted.sort(key=lambda event: event["sequence"])
    cut = Cut(port)
    read = client(do="stream", url=cut.url, after="0", count=len(wanted), query={"type": "*.*"})
    events = [event for _, event in read["events"]]
    expect(comparable(events) == comparable(wanted), f"{language}: other events: {read}")
    ids = [int(id) for id, _ in read["events"]]
    expect(ids == sorted(set(ids)), f"{language}: an event came twice: {ids}")
    expect(cut.connections == len(wanted) and read["pauses"] == len(wanted) - 1, f"{language}: {cut.connections}")
    client.process.stdin.close()
    client.process.wait(20)
    return done + len(wanted)


def main():
    program, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    for language in sys.argv[3:] or ("python", "typescript"):
        port = service.free_port()
        with tempfile.TemporaryDirectory() as name:
            process, session = service.start(program, pathlib.Path(name), port, None)
            try:
                count = suite(language, folder, port, session)
            finally:
                process.terminate()
                process.wait(20)
        print(f"{language}: {count} comparisons with the routes, webhooks and the stream are right.", flush=True)


if __name__ == "__main__":
    main()
