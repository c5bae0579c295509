"""Starts the service for a test."""

import json
import re
import socket
import subprocess
import sys
import time

import requests


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def start(program, folder, port, broker_port, more=None):
    """The running service and a session with its token; with a port of a broker it is connected to that.

    `more` has further keys of the configuration.
    """
    configuration = {"storage": {"path": "fencepost.sqlite"}, "server": {"host": "127.0.0.1", "port": port},
                     "webhooks": {"allowHTTP": True, "allowedNetworks": ["127.0.0.0/8"]}}
    if broker_port:
        configuration["mqtt"] = {"host": "127.0.0.1", "port": broker_port, "publish": True}
    configuration |= more or {}
    (folder / "fencepost.json").write_text(json.dumps(configuration))
    create = [program, "token", "create", "--storage", "fencepost.sqlite", "--name", "test", "--scope", "admin"]
    token = re.search(r"fp_\S+", subprocess.run(create, cwd=folder, capture_output=True, text=True, check=True).stdout)
    log = (folder / "log").open("a")
    process = subprocess.Popen(
        [program, "serve", "--config", "fencepost.json"], cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    session = requests.Session()
    session.trust_env = False
    session.headers["Authorization"] = f"Bearer {token[0]}"
    for _ in range(300):
        try:
            if session.get(f"http://127.0.0.1:{port}/readyz", timeout=2).ok:
                return process, session
        except requests.ConnectionError:
            pass
        time.sleep(0.1)
    process.kill()
    sys.exit("The service did not start: " + (folder / "log").read_text()[-500:])
