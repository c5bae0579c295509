#!/usr/bin/env python3
"""Compares the ingest of a single node with that of a cluster of one node and of three, on this machine, where the
requests go to the leader or to a node that follows, and with the devices divided among three leaders.

    Tests/Cluster/price.py --program PATH --bench PATH --nats PATH [--rounds N]

Release builds of fencepost and fencepost-bench. The three are measured in turn, each with an empty database. The nodes
of a cluster share the processors and the disk with the NATS servers and the generator, so it shows the price and no
scaling.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

from cluster import Process, free_ports, request

# How many nodes there are, which one gets the requests, and how many partitions: without several, the first node leads.
KINDS = {"single": (0, 0, 1), "cluster of one": (1, 0, 1), "cluster of three": (3, 0, 1), "to a follower": (3, 1, 1),
         "three partitions": (3, 0, 3)}
SECONDS = 8
LOADS = {
    "batches of 100, 8 connections": ["--batch", "100", "--connections", "8", "--devices", "12800"],
    "single positions, 32 connections": [
        "--batch", "1", "--format", "owntracks", "--connections", "32", "--devices", "3200"],
    "single positions, 400 connections": [
        "--batch", "1", "--format", "owntracks", "--connections", "400", "--devices", "4000"],
    "single positions, 100 a second": [
        "--batch", "1", "--format", "owntracks", "--connections", "8", "--devices", "800", "--rate", "100"],
}


def servers(options, folder, ports, count):
    """NATS servers that sync every write."""
    routes = ", ".join(f"nats://127.0.0.1:{port}" for port in ports[3:3 + count])
    for index in range(count):
        with open(f"{folder}/nats-{index}.conf", "w", encoding="utf-8") as file:
            file.write(f"server_name: n{index}\nlisten: 127.0.0.1:{ports[index]}\nhttp: 127.0.0.1:{ports[6 + index]}\n"
                       f'jetstream {{ store_dir: "{folder}/nats-{index}", sync_interval: always }}\n')
            if count > 1:
                file.write(f"cluster {{ name: price, listen: 127.0.0.1:{ports[3 + index]}, routes: [{routes}] }}\n")
        yield Process(f"nats-{index}", [options.nats, "-c", f"{folder}/nats-{index}.conf"], folder)


def nodes(options, folder, ports, count, partitions):
    """The nodes of a cluster; one of a service alone when it has no NATS servers."""
    for index in range(max(1, count)):
        config = {"server": {"host": "127.0.0.1", "port": ports[9 + index]}, "log": {"format": "text"},
                  "storage": {"path": f"{folder}/node-{index}.sqlite"}}
        if count:
            config["cluster"] = {
                "url": [f"nats://127.0.0.1:{port}" for port in ports[:count]], "node": f"node-{index}",
                "replicas": count, "logLimit": 1 << 30, "partitions": partitions,
                "monitors": [f"http://127.0.0.1:{port}" for port in ports[6:6 + count]]}
            if partitions > 1:
                config["storage"]["path"] = f"{folder}/node-{index}"
        with open(f"{folder}/node-{index}.json", "w", encoding="utf-8") as file:
            json.dump(config, file)
        yield Process(f"node-{index}", [options.program, "serve", "--config", f"{folder}/node-{index}.json"], folder)


def wait_for_leader(port, partitions):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        status, body = request(port, "GET", "/readyz", None, timeout=2)
        if status == 200 and (partitions > 1 or "engine" in json.loads(body)["checks"]):
            return
        time.sleep(0.1)
    raise SystemExit("no node was ready within a minute")


def first_token(folder, count):
    """What the node that led first has printed."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for index in range(count):
            with open(f"{folder}/node-{index}.out", encoding="utf-8") as file:
                token = file.readline().strip()
            if token:
                return token
        time.sleep(0.1)
    raise SystemExit("no node has printed the first token")


def processor_time(process):
    """Seconds of processor time of a process."""
    with open(f"/proc/{process.process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(options, kind, load):
    """Positions a second, median and 99th percentile of the answers in milliseconds, refused requests, and the leader's
    processor time for a position in microseconds."""
    folder = tempfile.mkdtemp(prefix="fencepost-price-")
    ports, processes = free_ports(12), []
    count, target, partitions = KINDS[kind]
    try:
        for process in servers(options, folder, ports, count):
            process.start()
            processes.append(process)
        leader = None
        for process in nodes(options, folder, ports, count, partitions):
            process.start()
            leader = leader or process
            processes.append(process)
            wait_for_leader(ports[9], partitions)
        # Followers have a copy, and nothing of the start is left to do.
        time.sleep(3)
        token = first_token(folder, max(1, count))
        before = processor_time(leader)
        done = subprocess.run(
            [options.bench, "ingest", "--port", str(ports[9 + target]), "--token", token, "--seconds", str(SECONDS),
             *LOADS[load]], capture_output=True, text=True, check=True)
        used = processor_time(leader) - before
        names = ["acknowledged", "answer after ms, p50", "answer after ms, p99", "refused"]
        figures = [float(re.search(name + r":? ([0-9.]+)", done.stdout)[1]) for name in names]
        return [*figures, used / SECONDS / figures[0] * 1e6]
    finally:
        for process in processes:
            process.kill()
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the release build of fencepost")
    parser.add_argument("--bench", required=True, help="the release build of fencepost-bench")
    parser.add_argument("--nats", required=True, help="the nats-server")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each; the median is shown")
    options = parser.parse_args()
    for name in ("program", "bench", "nats"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    for load in LOADS:
        results = {kind: [] for kind in KINDS}
        for _ in range(options.rounds):
            for kind in KINDS:
                results[kind].append(measure(options, kind, load))
        base = sorted(result[0] for result in results["single"])[options.rounds // 2]
        print(load)
        for kind, values in results.items():
            rate, half, late, refused, used = [sorted(column)[options.rounds // 2] for column in zip(*values)]
            print(f"  {kind:18}{rate:10.0f} positions/s ({rate / base:.2f}), answers after {half:.1f} ms, "
                  f"p99 {late:.1f} ms; {refused:.0f} refused; {used:.1f} µs of the first node's processors each",
                  flush=True)


if __name__ == "__main__":
    main()
