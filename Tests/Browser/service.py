"""A `fencepost serve` process with its own storage, and a client of its HTTP API."""

import json
import math
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timedelta, timezone

START_LIMIT = 60  # seconds: the machine may be busy
# With PAGE_FOLDER=folder, such as Sources/FencepostPage/Web, the files of the page come from there and not from the
# program, so that a change of them needs no build.
PAGE = ["--page", os.path.abspath(os.environ["PAGE_FOLDER"])] if os.environ.get("PAGE_FOLDER") else []
METERS_PER_DEGREE = 111_195.0  # along a meridian


class Service:
    """Starts on a free port with an empty storage; `restart` keeps both."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.port = 0
        self.token = None
        self.process = None
        self.starts = 0
        # The receivers of the tests listen on the loopback interface, which the service does not call by default.
        self.config = folder / "fencepost.json"
        self.config.write_text(
            json.dumps({"webhooks": {"allowHTTP": True, "allowedNetworks": ["127.0.0.0/8"]}})
        )

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        self.starts += 1
        out, log = self.folder / f"out-{self.starts}", self.folder / f"log-{self.starts}"
        with out.open("wb") as stdout, log.open("wb") as stderr:
            self.process = subprocess.Popen(
                [self.program, "serve", "--config", self.config, "--port", str(self.port)]
                + ["--storage", self.folder / "fencepost.sqlite"] + PAGE,
                stdout=stdout, stderr=stderr, stdin=subprocess.DEVNULL, cwd=self.folder,
                env={**os.environ, "TZ": "UTC"},
            )
        deadline = time.monotonic() + START_LIMIT
        while True:
            listening = re.search(rb'"msg":"listening".*?"port":(\d+)', log.read_bytes())
            token = re.search(rb"^fp_\w+", out.read_bytes(), re.MULTILINE)
            if listening and (self.token or token):
                break
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"fencepost serve did not start:\n{log.read_text()}")
            time.sleep(0.02)
        self.port = int(listening[1])
        self.token = self.token or token[0].decode()
        return self

    def stop(self, how=signal.SIGTERM):
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def restart(self):
        """Kills the process, as a power failure would, and starts it again at the same address."""
        self.stop(signal.SIGKILL)
        self.start()

    def request(self, method, path, body=None, **headers):
        """Sends a request and returns the body as JSON, text or bytes. Any status but 2xx fails the test."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Content-Type", "application/json")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                (content, kind) = (response.read(), response.headers.get("Content-Type", ""))
                if kind.startswith("image/"):
                    return content
                return json.loads(content) if "json" in kind else content.decode()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error

    def get(self, path, **query):
        return self.request("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))

    def post(self, path, body):
        return self.request("POST", path, body)

    def regions(self):
        """All regions, as GeoJSON features."""
        return self.request("GET", "/v1/regions", Accept="application/geo+json")["features"]

    def report(self, *fixes):
        """Sends fixes, as `fix` creates them; the service must accept all of them."""
        answer = self.post("/v1/locations", list(fixes))
        assert answer["accepted"] == len(fixes), answer

    def add_circle(self, identifier, name, latitude, longitude, radius, **properties):
        return self.post("/v1/regions", {
            "type": "Feature", "id": identifier,
            "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
            "properties": {"name": name, "radius": radius, **properties},
        })


def fix(device, latitude, longitude, ago=0.0, accuracy=8.0, **more):
    """A location as the API accepts it, with a timestamp `ago` seconds before now."""
    moment = datetime.now(timezone.utc) - timedelta(seconds=ago)
    return {
        "deviceId": device, "timestamp": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "latitude": round(latitude, 6), "longitude": round(longitude, 6), "horizontalAccuracy": accuracy, **more,
    }


def offset(latitude, longitude, north, east):
    """The position at a distance in metres north and east, exact enough for a few kilometres."""
    return (
        latitude + north / METERS_PER_DEGREE,
        longitude + east / (METERS_PER_DEGREE * math.cos(math.radians(latitude))),
    )


def walk(device, latitude, longitude, *, start, end, steps, began, took):
    """Fixes on a straight line from `start` to `end` metres west of a position (negative is east).

    The first fix is from `began` seconds ago, the last is `took` seconds later.
    """
    fixes = []
    for step in range(steps):
        fraction = step / (steps - 1)
        west = start + (end - start) * fraction
        fixes.append(fix(
            device, *offset(latitude, longitude, 0, -west), ago=began - took * fraction, accuracy=6.0,
            speed=round(abs(start - end) / took, 2), course=90.0 if start > end else 270.0,
        ))
    return fixes
