"""Runs the service under the system call filter of its systemd unit: Tests/Operation/sandbox.py PROGRAM

Only systemd can apply the whole sandbox. This applies the part that can break a program, the filter of system calls,
with the groups as systemd defines them, and uses the service: ingest, page, endpoints, reload, backup, stop. It also
compares the files that the process opened for writing with the folder of its database.
Exit codes: 0 works, 1 does not, 77 cannot be tested here.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

UNIT = pathlib.Path(__file__).resolve().parents[2] / "docs/deploy/fencepost.service"
REGION = {
    "type": "Feature",
    "id": "office",
    "geometry": {"type": "Polygon", "coordinates": [[[10, 50], [10.1, 50], [10.1, 50.1], [10, 50.1], [10, 50]]]},
    "properties": {"name": "Office", "crossing": "raw"},
}


def members(group):
    """The system calls of a group of systemd, with those of the groups in it."""
    command = ["systemd-analyze", "syscall-filter", group]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = set()
    for line in map(str.strip, text.splitlines()[1:]):
        if line.startswith("@"):
            names |= members(line)
        elif line and not line.startswith("#"):
            names.add(line)
    return names


def allowed_calls():
    """What the unit allows, line by line as systemd reads it."""
    allowed = set()
    for line in re.findall(r"^SystemCallFilter=(.*)$", UNIT.read_text(), re.MULTILINE):
        names = set()
        for word in line.removeprefix("~").split():
            names |= members(word) if word.startswith("@") else {word}
        allowed = allowed - names if line.startswith("~") else allowed | names
    return allowed


def confine(names):
    """Installs the filter in this process, before it becomes the service."""
    import seccomp

    rules = seccomp.SyscallFilter(seccomp.ERRNO(1))
    for name in sorted(names):
        try:
            rules.add_rule(seccomp.ALLOW, name)
        except (RuntimeError, ValueError):
            pass  # A call of another architecture.
    rules.load()


def start(program, folder, names):
    config = {
        "server": {"port": 0},
        "storage": {"path": "fencepost.sqlite"},
        "regions": ["region.geojson"],
        "log": {"format": "json"},
    }
    (folder / "region.geojson").write_text(json.dumps(REGION))
    (folder / "config.json").write_text(json.dumps(config))
    log = (folder / "log").open("w")
    return subprocess.Popen(
        [program, "serve", "--config", "config.json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        preexec_fn=lambda: confine(names),
    )


def port(folder, process):
    for _ in range(300):
        found = re.search(r'"url":"http://[^"]*:(\d+)"', (folder / "log").read_text())
        if found:
            return int(found.group(1))
        if process.poll() is not None:
            break
        time.sleep(0.1)
    sys.exit("The service does not start under the filter:\n" + (folder / "log").read_text())


def writable(process):
    """Regular files that the process has open for writing."""
    files = set()
    for link in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            description = (link.parents[1] / "fdinfo" / link.name).read_text()
            target = os.readlink(link)
        except FileNotFoundError:
            # It was closed since it was listed.
            continue
        flags = int(re.search(r"flags:\s+0(\d+)", description).group(1), 8)
        if flags & 3 and target.startswith("/") and not target.startswith("/dev/"):
            files.add(target)
    return files


def main(program):
    try:
        import seccomp  # noqa: F401

        names = allowed_calls()
    except (ImportError, FileNotFoundError) as error:
        print(f"The sandbox is not tested: {error}. It needs Debian's python3-seccomp and systemd.", file=sys.stderr)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        process = start(program, folder, names)
        address = f"http://127.0.0.1:{port(folder, process)}"
        token = process.stdout.readline().strip()

        def call(path, body=None):
            request = urllib.request.Request(
                address + path, body, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=20) as response:
                return response.read().decode()

        now = int(time.time())
        fixes = [
            {"deviceId": "d", "timestamp": now - 60 + n, "lat": 50.2 - 0.15 * (n > 20), "lon": 10.05, "acc": 5}
            for n in range(40)
        ]
        call("/v1/locations", json.dumps({"locations": fixes}).encode())
        endpoint = {"url": "https://192.0.2.1/hook", "events": ["*"]}
        refused = None
        try:
            call("/v1/endpoints", json.dumps(endpoint).encode())
        except urllib.error.HTTPError as error:
            refused = error.code
        assert refused == 422, f"a reserved address was answered with {refused}"
        call("/v1/endpoints", json.dumps({"url": "https://example.com/hook", "events": ["*"]}).encode())
        events = json.loads(call("/v1/events"))["data"]
        assert [event["type"] for event in events] == ["region.entered"], events
        assert "<html" in call("/"), "no page"
        assert "fencepost_events_total" in call("/metrics"), "no metrics"
        process.send_signal(signal.SIGHUP)
        outside = {path for path in writable(process) if not path.startswith(str(folder))}
        assert not outside, f"open for writing outside of the folder: {outside}"
        backup = subprocess.run(
            [program, "backup", "--config", "config.json", "copy.sqlite"], cwd=folder, capture_output=True, text=True,
            preexec_fn=lambda: confine(names))
        assert backup.returncode == 0, backup.stderr
        process.terminate()
        assert process.wait(timeout=20) == 0, "it does not stop with 0"
    print(f"The service works under the filter of {UNIT.name} ({len(names)} system calls allowed).")


main(os.path.abspath(sys.argv[1]))
