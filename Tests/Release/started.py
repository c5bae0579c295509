"""Starts the root file system of an image as an engine would, in namespaces that are made: started.py FILE

It serves within 5 s, takes the sample day, answers its health check, and ends with 0 after the stop signal.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BASE = "http://127.0.0.1:8080"
START_SECONDS = float(os.environ.get("FENCEPOST_START_SECONDS", 5))


def check(condition, message):
    if not condition:
        sys.exit(message)


def prepare(root):
    """What engines mount."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["mount", "-t", "proc", "proc", root / "proc"], check=True)
    (root / "dev").mkdir(exist_ok=True)
    for device in ("null", "urandom", "random"):
        (root / "dev" / device).touch()
        subprocess.run(["mount", "--bind", f"/dev/{device}", root / "dev" / device], check=True)


def variables(settings):
    """The image's environment: the service refuses variables that are no settings."""
    return dict(variable.split("=", 1) for variable in settings["Env"])


def start(description, root):
    settings = description["settings"]
    user = settings.get("User", "")
    command = ["chroot"]
    if user:
        command += [f"--userspec={user}", "--groups="]
    # chroot changes to / unless it is kept from it; the shell's own cd stands in for the engine.
    place = settings.get("WorkingDir") or "/"
    words = settings["Entrypoint"] + (settings.get("Cmd") or [])
    command += [root, "sh", "-c", f'cd {place} && exec "$@"', "sh", *words]
    log = open(root.parent / f"{description['kind']}.log", "w")
    return subprocess.Popen(command, env=variables(settings), stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def log_of(description, root):
    return (root.parent / f"{description['kind']}.log").read_text()


def token_of(description, root):
    found = re.search(r"fp_[0-9A-Za-z]{44}", log_of(description, root))
    return found.group() if found else None


def wait(condition, seconds, message):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    sys.exit(message())


def ready():
    try:
        with urllib.request.urlopen(f"{BASE}/readyz", timeout=1) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def call(token, path, data=None, kind="application/json"):
    request = urllib.request.Request(
        BASE + path, data, {"Authorization": f"Bearer {token}", "Content-Type": kind})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or b"null")


def crossings(events):
    """How often each device entered and left which region."""
    kinds = ("region.entered", "region.exited")
    found = (event for event in events if event["type"] in kinds)
    return Counter((event["deviceId"], event["type"], event["region"]["id"]) for event in found)


def watched(root, environment):
    """The crossings of the sample day by the image's own `fencepost watch`."""
    shutil.copytree(REPOSITORY / "Regions", root / "tmp/Regions")
    command = ["fencepost", "watch", "--regions", "/tmp/Regions", "--output", "ndjson"]
    command.append("/tmp/Regions/tracks/day.ndjson")
    command = ["chroot", root, *command]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    check(done.returncode == 0, f"fencepost watch ended with {done.returncode}:\n{done.stderr}")
    return crossings(map(json.loads, done.stdout.splitlines()))


def serve_day(root, token, environment):
    """The sample regions and the sample day give the events of `fencepost watch`."""
    wanted = watched(root, environment)
    check(sum(wanted.values()) > 50, f"The sample day has only {wanted}.")
    for file in sorted((REPOSITORY / "Regions").glob("*.geojson")):
        for feature in json.loads(file.read_text())["features"]:
            call(token, "/v1/regions", json.dumps(feature).encode())
    day = (REPOSITORY / "Regions/tracks/day.ndjson").read_bytes()
    answer = call(token, "/v1/locations", day, "application/x-ndjson")
    check(answer["accepted"] == day.count(b"\n") and not answer["rejected"], f"The day gives {answer}.")
    seen = Counter()

    def complete():
        seen.clear()
        seen.update(crossings(call(token, "/v1/events?limit=200")["data"]))
        return seen == wanted

    wait(complete, 30, lambda: f"Events are missing: {wanted - seen}; others are too many: {seen - wanted}.")


def child_of(process):
    """The service, which is a child of tini."""
    listing = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(listing[0]) if listing else process.pid


def main():
    description = json.loads(pathlib.Path(sys.argv[1]).read_text())
    root = pathlib.Path(description["root"])
    prepare(root)
    if description["kind"] == "addon":
        (root / "data").mkdir(exist_ok=True)
        os.chown(root / "data", 0, 0)
        (root / "data/options.json").write_text("{}")
    environment = variables(description["settings"])
    begun = time.monotonic()
    process = start(description, root)
    try:
        wait(ready, START_SECONDS, lambda: f"Not ready within {START_SECONDS} s:\n{log_of(description, root)}")
        took = time.monotonic() - begun
        user = pathlib.Path("/proc", str(child_of(process)), "status").read_text()
        check("Uid:\t0\t" not in user, "The service runs as root.")
        # It may be printed just after the service is ready.
        wait(lambda: token_of(description, root), 5, lambda: f"There is no first token:\n{log_of(description, root)}")
        serve_day(root, token_of(description, root), environment)
        command = ["chroot", root, *description["settings"]["Healthcheck"]["Test"][1:]]
        health = subprocess.run(command, env=environment, capture_output=True, check=False)
        check(health.returncode == 0, "The health check fails.")
        process.send_signal(signal.Signals[description["settings"]["StopSignal"]])
        check(process.wait(timeout=10) == 0, f"After the stop signal it ends with {process.returncode}.")
    finally:
        process.kill()
    check((root / "data/fencepost.sqlite").exists(), "The database is not in /data.")
    kind = description["kind"]
    print(f"The image {kind} is ready after {took:.1f} s, takes the sample day and stops cleanly.")


if __name__ == "__main__":
    main()
