"""Runs the service under a steady load and records what it uses: Tests/Operation/endurance.py PROGRAM [OPTIONS]

A fleet in one city sends its positions in batches; ten endpoints receive every event, of which one refuses connections,
one answers 500 and one never answers. Every 10 s: memory, descriptors, size of database and write-ahead log, delay of
events, pending messages. Written to a CSV file; the table at the end has ten rows. Fails when a request is not answered
with 200, or when the lowest memory of the last third is more than 1 % per ten minutes above that of the middle one.
"""

import argparse
import asyncio
import csv
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

CENTER = (48.8566, 2.3522)
SIDE = 0.12
METRIC = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)
COLUMNS = [
    "minute", "fixes", "events", "resident_mb", "anonymous_mb", "descriptors", "database_mb", "wal_mb", "p50_ms",
    "p99_ms", "pending",
]


def regions(random_source, count):
    """Circles, and polygons of 40 vertices, some of which overlap."""
    features = []
    for number in range(count):
        lat = CENTER[0] + random_source.uniform(-SIDE, SIDE)
        lon = CENTER[1] + random_source.uniform(-SIDE, SIDE) * 1.5
        radius = random_source.choice([80, 120, 200, 400])
        if number % 3 == 0:
            ring = []
            for step in range(40):
                angle = 2 * math.pi * step / 40
                stretch = radius * random_source.uniform(0.8, 1.2) / 111_320
                east = stretch * math.cos(angle) / math.cos(math.radians(lat))
                ring.append([lon + east, lat + stretch * math.sin(angle)])
            geometry = {"type": "Polygon", "coordinates": [ring + ring[:1]]}
            properties = {}
        else:
            geometry = {"type": "Point", "coordinates": [lon, lat]}
            properties = {"radius": radius}
        features.append({"type": "Feature", "id": f"region-{number}", "geometry": geometry, "properties": properties})
    return {"type": "FeatureCollection", "features": features}


class Device:
    """Drives, walks and stands in turn."""

    def __init__(self, number, source):
        self.name = f"van/{number}"
        self.lat = CENTER[0] + source.uniform(-SIDE, SIDE)
        self.lon = CENTER[1] + source.uniform(-SIDE, SIDE) * 1.5
        self.course = source.uniform(0, 360)
        self.speed = 0.0
        self.until = 0.0

    def fix(self, now, elapsed, source):
        if now >= self.until:
            self.until = now + source.expovariate(1 / 400)
            self.speed = source.choice([0, 0, 0, 1.3, 9, 14])
        self.course = (self.course + source.gauss(0, 12)) % 360
        step = self.speed * elapsed / 111_320
        self.lat += step * math.cos(math.radians(self.course))
        self.lon += step * math.sin(math.radians(self.course)) / math.cos(math.radians(self.lat))
        if abs(self.lat - CENTER[0]) > SIDE or abs(self.lon - CENTER[1]) > 1.5 * SIDE:
            self.course = (self.course + 180) % 360
        error = source.choice([5, 8, 12, 30])
        return {
            "deviceId": self.name,
            "timestamp": int(now * 1000),
            "latitude": round(self.lat + source.gauss(0, error / 200_000), 6),
            "longitude": round(self.lon + source.gauss(0, error / 140_000), 6),
            "horizontalAccuracy": error,
            "speed": self.speed,
        }


async def receive(kind, reader, writer):
    """One connection of a receiver."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            if length:
                await reader.readexactly(int(length.group(1)))
            if kind == "silent":
                await asyncio.sleep(3600)
            status = b"500 Internal Server Error" if kind == "failing" else b"200 OK"
            writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        writer.close()


async def request(streams, method, path, token, body=b"", kind="application/json"):
    reader, writer = streams
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    writer.write(f"{head}Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()
    answer = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", answer, re.IGNORECASE).group(1))
    return int(answer.split(b" ", 2)[1]), await reader.readexactly(length)


async def send(port, token, devices, rate, end, source, counts):
    """Sends batches of 50 fixes at a steady rate, round the devices."""
    streams = await asyncio.open_connection("127.0.0.1", port)
    elapsed = len(devices) / rate
    start, sent = time.time(), 0
    while time.time() < end:
        batch = [devices[(sent + n) % len(devices)].fix(time.time(), elapsed, source) for n in range(50)]
        body = "\n".join(json.dumps(fix, separators=(",", ":")) for fix in batch).encode()
        status, answer = await request(streams, "POST", "/v1/locations", token, body, "application/x-ndjson")
        sent += 50
        counts["sent"] += 50
        if status != 200:
            counts["refused"] += 1
            print(f"{status}: {answer[:200]!r}", file=sys.stderr)
        await asyncio.sleep(max(0, start + sent / rate - time.time()))


def quantile(buckets, before, share):
    """The quantile of a histogram's growth, in ms; the upper bound of its bucket."""
    growth = [(bound, count - before.get(bound, 0)) for bound, count in sorted(buckets.items())]
    total = growth[-1][1] if growth else 0
    return next((bound * 1000 for bound, count in growth if total and count >= share * total), 0)


async def sample(port, process, folder, path, end, counts):
    """Writes a row every 10 s."""
    start, before, rows = time.time(), {}, []
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(COLUMNS)
        while time.time() < end:
            await asyncio.sleep(10)
            streams = await asyncio.open_connection("127.0.0.1", port)
            _, text = await request(streams, "GET", "/metrics", "")
            streams[1].close()
            events, pending, buckets = 0, 0, {}
            for name, labels, value in METRIC.findall(text.decode()):
                if name == "fencepost_events_total":
                    events += int(value)
                elif name == "fencepost_webhook_pending":
                    pending = int(value)
                elif name == "fencepost_event_delay_seconds_bucket":
                    buckets[float(labels.split('"')[1].replace("+Inf", "inf"))] = int(value)
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            memory = {name: int(value) / 1024 for name, value in re.findall(r"(VmRSS|RssAnon):\s+(\d+)", status)}
            sizes = [(folder / f"fencepost.sqlite{suffix}").stat().st_size / 1e6 for suffix in ("", "-wal")]
            row = [
                (time.time() - start) / 60, counts["sent"], events, memory["VmRSS"], memory["RssAnon"],
                len(os.listdir(f"/proc/{process.pid}/fd")), *sizes, quantile(buckets, before, 0.5),
                quantile(buckets, before, 0.99), pending,
            ]
            before = buckets
            rows.append(row)
            out.writerow([f"{value:.2f}" if isinstance(value, float) else value for value in row])
            file.flush()
    return rows


async def run(options, folder):
    source = random.Random(options.seed)
    (folder / "regions.geojson").write_text(json.dumps(regions(source, options.regions)))
    kinds = ["good"] * 7 + ["failing", "silent"]
    servers = [
        await asyncio.start_server(lambda r, w, kind=kind: receive(kind, r, w), "127.0.0.1", 0) for kind in kinds
    ]
    ports = [server.sockets[0].getsockname()[1] for server in servers] + [1]
    config = {
        "server": {"port": 0},
        "regions": ["regions.geojson"],
        "monitor": {"crossing": "confirmed"},
        "webhooks": {"allowHTTP": True, "allowedNetworks": ["127.0.0.0/8"]},
        "endpoints": [{"id": f"endpoint-{n}", "url": f"http://127.0.0.1:{port}/"} for n, port in enumerate(ports)],
    }
    (folder / "config.json").write_text(json.dumps(config))
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [options.program, "serve", "--config", "config.json"], cwd=folder, stdout=subprocess.PIPE, stderr=log,
            text=True)
    try:
        while not (found := re.search(r'"url":"http://[^"]*:(\d+)"', (folder / "log").read_text())):
            await asyncio.sleep(0.1)
        port, token = int(found.group(1)), process.stdout.readline().strip()
        end = time.time() + 60 * options.minutes
        counts = {"sent": 0, "refused": 0}
        fleet = [Device(number, source) for number in range(options.devices)]
        shares = [fleet[n :: options.connections] for n in range(options.connections)]
        senders = [
            send(port, token, share, options.rate / options.connections, end, random.Random(n), counts)
            for n, share in enumerate(shares)
        ]
        *_, rows = await asyncio.gather(*senders, sample(port, process, folder, options.csv, end, counts))
    finally:
        # Receivers that wait are cancelled with the loop.
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        process.terminate()
        code = process.wait(timeout=60)
    return rows, counts, code


def report(rows, counts, code):
    """Prints ten rows, and says whether the run passed."""
    print(" ".join(f"{name:>12}" for name in COLUMNS))
    for index in range(1, 11):
        row = rows[max(len(rows) * index // 10 - 1, 0)]
        print(" ".join(f"{value:12.1f}" if isinstance(value, float) else f"{value:12}" for value in row))
    # The lowest values: sorting the log needs memory for some seconds every few minutes.
    third = len(rows) // 3
    before, after = (min(row[4] for row in rows[start : start + third]) for start in (third, 2 * third))
    growth = (after / before - 1) / max(rows[-1][0] / 3, 1) * 10
    print(f"memory from the middle to the last third: {100 * growth:+.2f} % in ten minutes")
    print(f"{counts['refused']} requests refused")
    sys.exit(1 if counts["refused"] or growth > 0.01 or code else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--rate", type=float, default=3000, help="fixes per second")
    parser.add_argument("--devices", type=int, default=20_000)
    parser.add_argument("--regions", type=int, default=1000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", type=pathlib.Path, default=pathlib.Path(".build/endurance.csv"))
    options = parser.parse_args()
    options.csv = options.csv.absolute()
    with tempfile.TemporaryDirectory() as name:
        report(*asyncio.run(run(options, pathlib.Path(name))))


if __name__ == "__main__":
    main()
