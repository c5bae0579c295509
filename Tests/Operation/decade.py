"""Imports ten years of one phone into a service under live load: Tests/Operation/decade.py PROGRAM [OPTIONS]

A fleet sends 1,000 locations a second; after a minute a file with three million locations of one phone is imported in
the background. Printed: minutes until the locations are stored and until their history is evaluated, memory, and how
long live requests and events take before and during the import. Fails when a live request is refused, or when the
import does not store each location once.
"""

import argparse
import asyncio
import http.client
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

from endurance import CENTER, METRIC, Device, quantile, regions, request

DAY = 86_400
YEARS = 10
HOME = (CENTER[0] + 0.01, CENTER[1] - 0.02)
OFFICE = (CENTER[0] - 0.03, CENTER[1] + 0.05)
BATCH = 50


def stops(day, source):
    """The stops of a day with their ends in seconds after midnight: home, work or errands, home."""
    if day % 7 < 5:
        yield HOME, source.uniform(7.2, 8.8) * 3600
        yield OFFICE, source.uniform(11.8, 12.4) * 3600
        yield (OFFICE[0] + 0.003, OFFICE[1] + 0.002), source.uniform(12.8, 13.4) * 3600
        yield OFFICE, source.uniform(16.5, 18.5) * 3600
        if source.random() < 0.4:
            yield (CENTER[0] + 0.02, CENTER[1] + 0.03), source.uniform(19.5, 21) * 3600
    else:
        yield HOME, source.uniform(9, 11.5) * 3600
        for hour in (13, 16, 19):
            if source.random() < 0.6:
                where = CENTER[0] + source.gauss(0, 0.04), CENTER[1] + source.gauss(0, 0.06)
                yield where, (hour + source.uniform(0, 1.5)) * 3600
    yield HOME, DAY


def fixes_of(day, spacing, source):
    """The fixes of a day. `spacing`: seconds between fixes on the way; eight times that at a stop."""
    second, here = 0.0, HOME
    for stop, end in stops(day, source):
        meters = math.hypot((stop[0] - here[0]) * 111_195, (stop[1] - here[1]) * 73_000)
        travel = meters / source.uniform(5, 12)
        arrival = second + travel
        while second < arrival:
            share = 1 - (arrival - second) / travel
            yield second, here[0] + (stop[0] - here[0]) * share, here[1] + (stop[1] - here[1]) * share, 8
            second += spacing * source.uniform(0.7, 1.3)
        here = stop
        while second < end:
            accuracy = source.choice([10, 15, 20, 40])
            error = accuracy / 200_000
            yield second, stop[0] + source.gauss(0, error), stop[1] + source.gauss(0, error), accuracy
            second += 8 * spacing * source.uniform(0.7, 1.3)


def write_history(path, count, years, seed):
    """Writes a CSV file with exactly `count` fixes of about `years` years, the last one 30 days ago."""
    source = random.Random(seed)
    days = round(years * 365.25)
    # A first pass over some days says which spacing gives the count.
    sample = sum(1 for day in range(28) for _ in fixes_of(day, 20, random.Random(seed + day))) / 28
    spacing = 20 * sample / (count / days)
    rows = []
    day = 0
    while len(rows) < count:
        for second, lat, lon, accuracy in fixes_of(day, spacing, source):
            rows.append((day * DAY + second, lat, lon, accuracy))
        day += 1
    del rows[count:]
    start = int(time.time()) - 30 * DAY - math.ceil(rows[-1][0])
    with path.open("w") as file:
        file.write("time,lat,lon,accuracy\n")
        for second, lat, lon, accuracy in rows:
            file.write(f"{start + second:.3f},{lat:.6f},{lon:.6f},{accuracy}\n")
    return path.stat().st_size / 1e6, rows[-1][0] / DAY


class Load:
    """The live fleet, and how long the service takes for each of its requests."""

    def __init__(self, port, token, options):
        self.port, self.token, self.rate = port, token, options.rate
        self.fleet = [Device(number, random.Random(number)) for number in range(options.devices)]
        self.latencies, self.refused, self.sent, self.is_over = [], 0, 0, False

    async def send(self):
        """Sends at the steady rate over one connection; a late answer makes the next request late, which counts."""
        streams = await asyncio.open_connection("127.0.0.1", self.port)
        source, start, elapsed = random.Random(1), time.time(), len(self.fleet) / self.rate
        while not self.is_over:
            due = start + self.sent / self.rate
            await asyncio.sleep(max(0, due - time.time()))
            batch = [
                self.fleet[(self.sent + n) % len(self.fleet)].fix(time.time(), elapsed, source) for n in range(BATCH)
            ]
            body = "\n".join(json.dumps(fix, separators=(",", ":")) for fix in batch).encode()
            status, _ = await request(streams, "POST", "/v1/locations", self.token, body, "application/x-ndjson")
            self.latencies.append((time.time() - due) * 1000)
            self.refused += status != 200
            self.sent += BATCH

    def take(self):
        """The sorted latencies since the last call, in milliseconds."""
        taken, self.latencies = sorted(self.latencies), []
        return taken


def share(values, fraction):
    return values[min(len(values) - 1, int(fraction * len(values)))] if values else math.nan


async def call(port, token, method, path, body=b"", kind="application/json"):
    streams = await asyncio.open_connection("127.0.0.1", port, limit=1 << 26)
    try:
        return await request(streams, method, path, token, body, kind)
    finally:
        streams[1].close()


def upload(port, token, file):
    """Starts the import, on a thread: the event loop would measure its own work on the large body as latency."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    try:
        connection.request(
            "POST", "/v1/imports?file=decade.csv&deviceId=jane/phone", file.read_bytes(),
            {"Authorization": f"Bearer {token}", "Content-Type": "text/csv"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


async def delays(port):
    """The histogram of the time from an event's cause to its message."""
    _, text = await call(port, "", "GET", "/metrics")
    return {
        float(labels.split('"')[1].replace("+Inf", "inf")): int(value)
        for name, labels, value in METRIC.findall(text.decode())
        if name == "fencepost_event_delay_seconds_bucket"
    }


def memory(process):
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return {name: int(value) / 1024 for name, value in re.findall(r"(VmRSS|VmHWM):\s+(\d+)", text)}


def row(name, latencies, buckets, before, process):
    found = memory(process)
    print(
        f"{name:>28} {len(latencies) * BATCH:>10} {share(latencies, 0.5):8.1f} {share(latencies, 0.99):8.1f} "
        f"{share(latencies, 1):8.1f} {quantile(buckets, before, 0.99):8.1f} "
        f"{found['VmRSS']:8.0f} {found['VmHWM']:8.0f}", flush=True)


async def campaign(port, token, file, process, options):
    """Returns the finished import and the number of refused live requests."""
    load = Load(port, token, options)
    sender = asyncio.create_task(load.send())
    print(
        f"{'':>28} {'fixes':>10} {'p50 ms':>8} {'p99 ms':>8} {'max ms':>8} "
        f"{'event99':>8} {'RSS MB':>8} {'peak MB':>8}",
        flush=True)
    await asyncio.sleep(5)  # the first requests include the first positions of the fleet
    load.take()
    before = await delays(port)
    await asyncio.sleep(options.baseline)
    after = await delays(port)
    row("live alone", load.take(), after, before, process)
    begin, before = time.time(), after
    status, body = await asyncio.to_thread(upload, port, token, file)
    if status != 202:
        sys.exit(f"the import was answered with {status}: {body[:300]!r}")
    job, state, times = json.loads(body), "", {"staged": time.time() - begin}
    after = await delays(port)
    row("while the file is read", load.take(), after, before, process)
    shown = time.time()
    while job["state"] not in ("done", "cancelled"):
        await asyncio.sleep(1)
        status, body = await call(port, token, "GET", f"/v1/imports/{job['id']}")
        job = json.loads(body) if status == 200 else sys.exit(f"{status}: {body[:300]!r}")
        if state == "storing" and job["state"] != state:
            times["stored"] = time.time() - begin
        if time.time() - shown >= options.every or job["state"] != state:
            before, after = after, await delays(port)
            row(f"{job['state']} {100 * job['progress']:.0f} %", load.take(), after, before, process)
            shown, state = time.time(), job["state"]
        if sender.done():
            await sender
    times["done"] = time.time() - begin
    before, after = after, await delays(port)
    await asyncio.sleep(min(options.baseline, 30))
    row("afterwards", load.take(), await delays(port), after, process)
    load.is_over = True
    await sender
    print(" ".join(f"{name} after {seconds / 60:.1f} min;" for name, seconds in times.items()))
    return job, load.refused


async def run(options, folder):
    source = random.Random(options.seed)
    collection = regions(source, options.regions)
    for name, (lat, lon) in (("home", HOME), ("office", OFFICE)):
        collection["features"].append({
            "type": "Feature", "id": name, "properties": {"radius": 150},
            "geometry": {"type": "Point", "coordinates": [lon, lat]},
        })
    (folder / "regions.geojson").write_text(json.dumps(collection))
    (folder / "config.json").write_text(json.dumps({"server": {"port": 0}, "regions": ["regions.geojson"]}))
    file = folder / "decade.csv"
    megabytes, days = write_history(file, options.fixes, options.years, options.seed)
    print(f"{options.fixes} fixes of {days / 365.25:.1f} years, {megabytes:.0f} MB, seed {options.seed}; "
          f"{options.rate:.0f} live fixes/s of {options.devices} devices, {options.regions + 2} regions", flush=True)
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [options.program, "serve", "--config", "config.json"], cwd=folder, stdout=subprocess.PIPE, stderr=log,
            text=True)
    try:
        while not (found := re.search(r'"url":"http://[^"]*:(\d+)"', (folder / "log").read_text())):
            await asyncio.sleep(0.1)
        port, token = int(found.group(1)), process.stdout.readline().strip()
        job, refused = await campaign(port, token, file, process, options)
    finally:
        process.terminate()
        code = process.wait(timeout=120)
    size = (folder / "fencepost.sqlite").stat().st_size / 1e6
    print(f"{job['stored']} stored, {job['duplicates']} duplicates, events {job['events']}, database {size:.0f} MB")
    print(f"{refused} live requests refused")
    return 1 if refused or code or job["state"] != "done" or job["stored"] != options.fixes else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--fixes", type=int, default=3_000_000)
    parser.add_argument("--years", type=float, default=YEARS)
    parser.add_argument("--rate", type=float, default=1000, help="live fixes per second")
    parser.add_argument("--devices", type=int, default=5000)
    parser.add_argument("--regions", type=int, default=1000)
    parser.add_argument("--baseline", type=float, default=60, help="seconds of live load before the import")
    parser.add_argument("--every", type=float, default=30, help="seconds between two rows")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        sys.exit(asyncio.run(run(options, pathlib.Path(name))))


if __name__ == "__main__":
    main()
