"""Tests the files under docs/deploy with the programs that read them: Tests/Operation/deploy.py

The dashboard has only metrics that the sources have, and queries that Prometheus can parse; Caddy and nginx accept
their configurations; the compose file fits its schema; the add-on's start script passes on what Home Assistant gives.
PROMTOOL, CADDY and NGINX in the environment are the paths of the programs. What needs a program that is not there is
left out, with a message.
"""

import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = REPOSITORY / "docs/deploy"


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def leave_out(what, package):
    print(f"{what} is not tested: apt-get install {package}.", file=sys.stderr)


def known_metrics():
    """The names of metrics in the sources. A histogram has three series."""
    names = set()
    for file in (REPOSITORY / "Sources").rglob("*.swift"):
        names |= set(re.findall(r'"((?:fencepost|process)_[a-z_]+)"', file.read_text()))
    return names


def series_of(expression):
    """The names of series in a query."""
    return set(re.findall(r"\b(?:fencepost|process)_[a-z_]+\b", expression))


def program(name):
    """The path of a program, or nothing."""
    path = os.environ.get(name.upper()) or shutil.which(name)
    return path if path and os.access(path, os.X_OK) else None


def check_dashboard():
    path = DEPLOY / "grafana/fencepost.json"
    if run(sys.executable, DEPLOY / "grafana/make.py") != path.read_text():
        sys.exit(f"{path} is not what make.py writes.")
    known = known_metrics()
    panels = [panel for panel in json.loads(path.read_text())["panels"] if panel["type"] != "row"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    for expression in expressions:
        for name in series_of(expression):
            if name not in known and name.removesuffix("_bucket") not in known:
                sys.exit(f"The dashboard has {name}, which the service does not have.")
    places = [tuple(panel["gridPos"].values()) for panel in panels]
    if len(set(places)) != len(places):
        sys.exit("Panels of the dashboard cover each other.")
    promtool = program("promtool")
    if not promtool:
        leave_out("The syntax of the dashboard's queries", "prometheus")
        return
    rules = [
        {"record": f"panel{index}", "expr": expression.replace("$__rate_interval", "5m")}
        for index, expression in enumerate(expressions)
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "rules.yml")
        file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
        run(promtool, "check", "rules", file)
    print(f"The dashboard's {len(expressions)} queries have only metrics of the service, and can be parsed.")


def check_caddy():
    caddy = program("caddy")
    if not caddy:
        leave_out("The configuration of Caddy", "caddy")
        return
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, HOME=folder, XDG_DATA_HOME=folder, XDG_CONFIG_HOME=folder)
        environment["FENCEPOST_NAME"] = "fencepost.example.org"
        for file in (DEPLOY / "proxy/Caddyfile", DEPLOY / "compose/Caddyfile", DEPLOY / "cluster/Caddyfile"):
            options = ["--config", str(file), "--adapter", "caddyfile"]
            run(caddy, "validate", *options, env=environment)
            adapted = run(caddy, "adapt", *options, env=environment)
            if '"fencepost.example.org"' not in adapted or '"flush_interval":-1' not in adapted.replace(" ", ""):
                sys.exit(f"{file} does not mean what it says:\n{adapted}")
    print("Caddy accepts its configurations.")


def check_nginx():
    nginx = program("nginx")
    if not nginx or not shutil.which("openssl"):
        leave_out("The configuration of nginx", "nginx-light openssl")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        request = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=fencepost.example.org"]
        run("openssl", "req", *request, "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem")
        site = (DEPLOY / "proxy/nginx.conf").read_text()
        site = site.replace("/etc/letsencrypt/live/fencepost.example.org/", f"{folder}/")
        # Ports that any user may open: nginx opens them for its test.
        site = re.sub(r"listen (\[::\]:)?(80|443)", "listen unix:%s/socket" % folder, site)
        (folder / "site").write_text(dedupe(site))
        # Unpacked and not installed, nginx has none of its own folders.
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        paths = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
        (folder / "nginx.conf").write_text(
            f"pid {folder}/pid; error_log {folder}/log; events {{}} "
            f"http {{ access_log off; {paths} include {folder}/site; }}")
        # It reads sockets to take over from a variable of its name.
        environment = {name: value for name, value in os.environ.items() if name != "NGINX"}
        run(nginx, "-t", "-c", folder / "nginx.conf", "-e", folder / "log", env=environment)
    print("nginx accepts its configuration.")


def dedupe(site):
    """One socket for each server: the addresses of both families became one."""
    number, lines = 0, []
    for block in site.split("server {"):
        seen = False
        for line in block.split("\n"):
            if "listen unix:" in line:
                if seen:
                    continue
                seen, number = True, number + 1
                line = line.replace("/socket", f"/socket{number}")
            lines.append(line)
        lines[-1] += "server {"
    return "\n".join(lines).removesuffix("server {")


def check_compose():
    tool = REPOSITORY / ".build/lint-tools/bin/check-jsonschema"
    if not tool.exists():
        print("The compose file is not tested: `make lint` installs its schema.", file=sys.stderr)
        return
    files = [DEPLOY / "compose/compose.yaml", DEPLOY / "cluster/compose.yaml"]
    run(tool, "--builtin-schema", "vendor.compose-spec", *files)
    print("The compose files fit their schema.")


def check_cluster():
    """The configurations of the nodes and of the NATS servers, as the containers read them."""
    fencepost = sys.argv[1] if len(sys.argv) > 1 else None
    if fencepost:
        environment = dict(os.environ, FENCEPOST_CLUSTER_NODE="node-2")
        run(fencepost, "config", "check", DEPLOY / "cluster/config.json", env=environment)
    server = REPOSITORY / ".build/nats/bin/nats-server"
    if not server.exists():
        print("The configuration of NATS is not tested: `make nats-server` installs it.", file=sys.stderr)
        return
    run(server, "-t", "-c", DEPLOY / "cluster/nats.conf", env=dict(os.environ, NATS_NODE="nats-2"))
    print("NATS accepts the configuration of the cluster.")


class Supervisor(http.server.BaseHTTPRequestHandler):
    """Answers as Home Assistant's supervisor does about its broker."""

    def do_GET(self):
        asked = self.path == "/services/mqtt" and self.headers["Authorization"] == "Bearer of-the-supervisor"
        data = {"host": "core-mosquitto", "port": 1883, "ssl": False, "username": "addons", "password": "a b$c"}
        self.send_response(200 if asked else 401)
        self.end_headers()
        self.wfile.write(json.dumps({"result": "ok", "data": data}).encode())

    def log_message(self, *arguments):
        pass


def check_addon():
    if not shutil.which("jq") or not shutil.which("curl"):
        leave_out("The add-on of Home Assistant", "jq curl")
        return
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Supervisor)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for stand_in, text in (("chown", "exit 0"), ("setpriv", "exec env")):
            (folder / stand_in).write_text(f"#!/bin/sh\n{text}\n")
            (folder / stand_in).chmod(0o755)
        (folder / "options.json").write_text('{"log_level": "debug"}')
        environment = {
            "PATH": f"{folder}:{os.environ['PATH']}",
            "FENCEPOST_OPTIONS": str(folder / "options.json"),
            "FENCEPOST_STATE": str(folder),
            "FENCEPOST_SUPERVISOR": f"http://127.0.0.1:{server.server_port}",
        }
        script = DEPLOY / "home-assistant/fencepost/run.sh"
        alone = run("sh", script, env=environment).splitlines()
        with_broker = run("sh", script, env=dict(environment, SUPERVISOR_TOKEN="of-the-supervisor")).splitlines()
        refused = run("sh", script, env=dict(environment, SUPERVISOR_TOKEN="wrong")).splitlines()
    server.shutdown()
    for line in ("FENCEPOST_LOG_LEVEL=debug", "FENCEPOST_SERVER_HOST=0.0.0.0"):
        if line not in alone or line not in with_broker:
            sys.exit(f"The add-on does not set {line}.")
    for line in ("MQTT_HOST=core-mosquitto", "MQTT_PORT=1883", "MQTT_USERNAME=addons", "MQTT_PASSWORD=a b$c"):
        if f"FENCEPOST_{line}" not in with_broker:
            sys.exit(f"The add-on does not set FENCEPOST_{line}.")
    if any(line.startswith("FENCEPOST_MQTT") for line in [*alone, *refused]):
        sys.exit("The add-on names a broker that there is not.")
    version = re.search(r'^version: "(.*)"$', (script.parent / "config.yaml").read_text(), re.MULTILINE).group(1)
    source = (REPOSITORY / "Sources/FencepostModel/FencepostVersion.swift").read_text()
    if f'"{version}"' not in source:
        sys.exit(f"The add-on has version {version}, the program another.")
    print("The add-on of Home Assistant starts the service with its options and its broker.")


def main():
    check_dashboard()
    check_caddy()
    check_nginx()
    check_compose()
    check_cluster()
    check_addon()


if __name__ == "__main__":
    main()
