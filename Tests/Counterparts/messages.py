"""A message for people, which the library behind Apprise's API takes and passes on."""

import http.server
import json
import queue
import threading
import time

import apprise


class Receiver(http.server.BaseHTTPRequestHandler):
    """Apprise's route for a stored configuration, and behind it a service that takes JSON."""

    asked, passed = queue.Queue(), queue.Queue()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        (self.asked if self.path.startswith("/notify/") else self.passed).put(body)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *details):
        pass


def check(url, session):
    """The service has a region at 48.2, 16.37."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    place = f"127.0.0.1:{server.server_port}"
    endpoint = {"kind": "apprise", "url": f"http://{place}/notify/family", "events": ["region.entered"]}
    made = session.post(f"{url}/v1/endpoints", json=endpoint, timeout=10)
    if not made.ok:
        raise SystemExit(f"Apprise: {made.status_code} {made.text[:300]}")
    location = {
        "deviceId": "zoë/phone",
        "timestamp": time.time(),
        "latitude": 48.2,
        "longitude": 16.37,
        "horizontalAccuracy": 5,
    }
    session.post(f"{url}/v1/locations", json={"locations": [location]}, timeout=10).raise_for_status()
    asked = Receiver.asked.get(timeout=30)
    if set(asked) - {"body", "title", "type", "tag", "format", "urls"} or not asked.get("body"):
        raise SystemExit(f"Apprise: its route has no member of {sorted(asked)}")
    if asked.get("type", "info") not in apprise.NOTIFY_TYPES:
        raise SystemExit(f"Apprise: {asked['type']} is no type of a notification")
    sender = apprise.Apprise()
    sender.add(f"json://{place}/final")
    if not sender.notify(
        body=asked["body"],
        title=asked.get("title", ""),
        notify_type=asked.get("type", "info"),
        body_format=asked.get("format"),
    ):
        raise SystemExit(f"Apprise does not send {asked}")
    final = Receiver.passed.get(timeout=10)
    if final["message"] != asked["body"] or final["title"] != asked.get("title", ""):
        raise SystemExit(f"Apprise passes on {final} instead of {asked}")
    session.delete(f"{url}/v1/endpoints/{made.json()['id']}", timeout=10)
    server.shutdown()
    print(f'Apprise: takes the message "{final["message"].splitlines()[0][:60]}" and passes it on.')
