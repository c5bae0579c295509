"""Requests and the stream of events through nginx and Caddy, with the configurations of docs/deploy/proxy."""

import json
import pathlib
import re
import shutil
import socket
import subprocess
import time

import requests
import sseclient

FILES = pathlib.Path(__file__).resolve().parents[2] / "docs/deploy/proxy"
PATH = "/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"


def nginx(folder, port, service):
    """The documented server without its certificate, at another port."""
    server = (FILES / "nginx.conf").read_text().split("server {")[2]
    server = re.sub(r"^\s*(listen|ssl_\w+) .*\n", "", server, flags=re.M).replace(
        "127.0.0.1:8080", f"127.0.0.1:{service}"
    )
    text = (
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}\nhttp {{\n"
        + "".join(
            f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        + f"server {{ listen 127.0.0.1:{port};{server}}}\n"
    )
    (folder / "nginx.conf").write_text(text)
    return ["-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]


def caddy(folder, port, service):
    site = (FILES / "Caddyfile").read_text().replace("127.0.0.1:8080", f"127.0.0.1:{service}")
    site = site.replace("fencepost.example.org {", f"http://127.0.0.1:{port} {{")
    (folder / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + site)
    return ["run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


def check(url, session, folder, free_port):
    """The service has a region at 48.2, 16.37."""
    service = int(url.rsplit(":", 1)[1])
    for name, arguments in (("nginx", nginx), ("caddy", caddy)):
        program = shutil.which(name, path=PATH)
        if not program:
            print(f"{name} is not installed: its part is left out.")
            continue
        port = free_port()
        place = folder / name
        place.mkdir()
        process = subprocess.Popen(
            [program, *arguments(place, port, service)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"HOME": str(place), "PATH": PATH},
        )
        try:
            through(name, f"http://127.0.0.1:{port}", session, port)
        finally:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                # Caddy waits for streams that are open.
                process.kill()
                process.wait(10)


def through(name, url, session, port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.05)
    made = requests.Session()
    made.trust_env = False
    made.headers.update(session.headers)
    answer = made.get(f"{url}/readyz", timeout=10)
    if not answer.ok or not made.get(f"{url}/v1/regions", timeout=10).ok:
        raise SystemExit(f"{name}: {answer.status_code} {answer.text[:200]}")

    def enter(device):
        location = {
            "deviceId": device,
            "timestamp": time.time(),
            "latitude": 48.2,
            "longitude": 16.37,
            "horizontalAccuracy": 5,
        }
        if not made.post(f"{url}/v1/locations", json={"locations": [location]}, timeout=10).ok:
            raise SystemExit(f"{name}: the location is not accepted")

    def entry(stream, device):
        """The id of the entry, and when it arrived."""
        for event in sseclient.SSEClient(stream).events():
            if event.event == "region.entered" and json.loads(event.data)["deviceId"] == device:
                return event.id, time.monotonic()
        raise SystemExit(f"{name}: the stream ends without the entry of {device}")

    # As browsers ask: an encoding of the proxy must not hold events back.
    headers = {"accept": "text/event-stream", "accept-encoding": "gzip"}
    with made.get(f"{url}/v1/stream", stream=True, timeout=20, headers=headers) as stream:
        time.sleep(0.3)
        sent = time.monotonic()
        enter(f"{name}/one")
        last, arrived = entry(stream, f"{name}/one")
    if arrived - sent > 1:
        raise SystemExit(f"{name}: the event arrived after {arrived - sent:.1f} s")
    # While nobody is connected; the stream continues behind the last event.
    enter(f"{name}/two")
    with made.get(f"{url}/v1/stream", stream=True, timeout=20, headers={**headers, "last-event-id": last}) as stream:
        for event in sseclient.SSEClient(stream).events():
            device = json.loads(event.data)["deviceId"] if event.data and event.event == "region.entered" else None
            if device == f"{name}/one":
                raise SystemExit(f"{name}: the event is in the stream again after Last-Event-ID")
            if device == f"{name}/two":
                break
    print(
        f"{name}: requests and the stream pass, an event in {arrived - sent:.2f} s, and Last-Event-ID continues."
    )
