"""A released Home Assistant from PyPI, installed, configured and run beside a broker."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

# What the configuration of the test uses, and what parts of Home Assistant import without asking for it.
USED = ["mqtt", "api", "config", "person", "zone", "automation", "counter", "group", "mobile_app", "rest_command"]
IMPORTED = ["recorder", "camera", "stream", "ffmpeg", "tts", "conversation", "hassio", "infrared", "radio_frequency"]
# Modules of speech that need a compiler and are not used here: a stand-in has the name that is imported.
STAND_INS = {"pymicro_vad": "MicroVad", "pyspeex_noise": "AudioProcessor"}

# Prints the requirements of integrations and of those that they depend on. Runs with Home Assistant's Python.
REQUIREMENTS = """
import json, pathlib, re, sys, homeassistant
root = pathlib.Path(homeassistant.__file__).parent
basic = re.search(r"^DEFAULT_INTEGRATIONS = .(.*?)^}", (root / "bootstrap.py").read_text(), re.S | re.M)[1]
waiting, found, done = sys.argv[1:] + re.findall(r'^    "([a-z_]+)"', basic, re.M), set(), set()
while waiting:
    name = waiting.pop()
    file = root / "components" / name / "manifest.json"
    if name not in done and file.exists():
        done.add(name)
        manifest = json.loads(file.read_text())
        found.update(manifest.get("requirements", []))
        waiting += manifest.get("dependencies", [])
print("\\n".join(sorted(found)))
"""

# Checks discovery with the schema that refuses unknown members; Home Assistant itself drops them without a word.
SCHEMAS = """
import asyncio, importlib, json, sys, tempfile
from homeassistant.core import HomeAssistant

async def main():
    home = HomeAssistant(tempfile.gettempdir())
    for topic, payload in json.load(sys.stdin).items():
        component = importlib.import_module("homeassistant.components.mqtt." + topic.split("/")[1])
        try:
            component.PLATFORM_SCHEMA_MODERN(payload)
        except Exception as fault:
            print("FAULT", topic, fault)
    print("CHECKED")
    await home.async_stop(force=True)

asyncio.run(main())
"""


def call(method, url, body=None, token=None, form=None):
    """An answer as JSON, or as text."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = urllib.parse.urlencode(form).encode() if form else None
    if body is not None:
        headers["Content-Type"], data = "application/json", json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError as error:
        error.msg += f" of {method} {url}: {error.read().decode(errors='replace')[:300]}"
        raise
    with contextlib.suppress(ValueError):
        return json.loads(text)
    return text


def until(condition, seconds, pause=0.25):
    """The first true value of a condition, or the last value when the time is over."""
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError):
            value = condition()
            if value or time.monotonic() > end:
                return value
        if time.monotonic() > end:
            return None
        time.sleep(pause)


class HomeAssistant:
    """One installation. With `root`, another system's folder, it runs there by chroot: for a newer Python."""

    def __init__(self, folder, version, python, root, port):
        self.root = pathlib.Path(root).resolve() if root else None
        self.folder = (self.root / "home-assistant" if self.root else folder) / (version or "newest")
        self.wanted, self.python, self.port = version, python, port
        self.url = f"http://127.0.0.1:{port}"
        self.process = self.token = None

    def command(self, *words):
        if not self.root:
            return list(map(str, words))
        return ["chroot", str(self.root), *(str(word).replace(str(self.root), "", 1) for word in words)]

    def run(self, *words, **options):
        done = subprocess.run(self.command(*words), capture_output=True, text=True, check=False, **options)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, words[:5]))} … ended with {done.returncode}:\n{done.stderr[-1500:]}")
        return done.stdout

    @property
    def program(self):
        return self.folder / "venv/bin/python"

    def install(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / "venv/core").exists():
            print("Installing Home Assistant from PyPI, some minutes …", file=sys.stderr)
            self.run(self.python, "-m", "venv", "--clear", self.folder / "venv")
            release = "homeassistant" + (f"=={self.wanted}" if self.wanted else "")
            self.run(self.program, "-m", "pip", "install", "--quiet", release)
            (self.folder / "venv/core").touch()
        self.version = self.run(self.program, "-c", "import homeassistant.const as c; print(c.__version__)").strip()
        self.release = tuple(map(int, self.version.split(".")[:2]))
        if not (self.folder / "venv/installed").exists():
            self.install_requirements()
            (self.folder / "venv/installed").touch()

    def install_requirements(self):
        is_new = self.release >= (2026, 1)
        packages = self.run(self.program, "-c", REQUIREMENTS, *USED, *IMPORTED[: None if is_new else 5]).split()
        folder = self.run(self.program, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        modules = pathlib.Path(f"{self.root or ''}{folder}")
        if is_new:
            packages = [name for name in packages if re.split("[=<>~ -]", name)[0] not in STAND_INS]
            for module, name in STAND_INS.items():
                (modules / f"{module}.py").write_text(f"class {name}: pass\n")
        if self.release < (2025, 1):
            # It asks for these without an upper bound, and later ones do not fit.
            packages += ["josepy<2", "acme<3", "numpy"]
        constraints = modules / "homeassistant/package_constraints.txt"
        self.run(self.program, "-m", "pip", "install", "--quiet", "-c", constraints, *packages)

    def configure(self, configuration, texts):
        """Writes the configuration, and further parts of it as texts of YAML, each in a file of its own."""
        folder = self.folder / "config"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        # YAML contains JSON.
        lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in configuration.items()]
        for number, (name, text) in enumerate(texts.items()):
            (folder / f"{number}.yaml").write_text(text)
            lines.append(f"{name}: !include {number}.yaml")
        (folder / "configuration.yaml").write_text("\n".join(lines) + "\n")

    def start(self, log):
        environment = {**os.environ, "PATH": f"{self.folder}/venv/bin:{os.environ['PATH']}"}
        if self.root:
            environment |= {"HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        words = self.command(self.program, "-m", "homeassistant", "-c", self.folder / "config", "--skip-pip")
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=environment)
        if not until(lambda: call("GET", self.url + "/manifest.json"), 150):
            sys.exit(f"Home Assistant did not start: {log.name}")
        if not self.token:
            self.sign_in()
        until(lambda: self.get("config")["state"] == "RUNNING", 60)

    def stop(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(40)
            except subprocess.TimeoutExpired:
                self.process.kill()
            self.process = None

    def sign_in(self):
        client = self.url + "/"
        user = {"client_id": client, "name": "Test", "username": "test", "password": "of the test", "language": "de"}
        code = call("POST", self.url + "/api/onboarding/users", user)["auth_code"]
        form = {"grant_type": "authorization_code", "code": code, "client_id": client}
        self.token = call("POST", self.url + "/auth/token", form=form)["access_token"]

    def get(self, path):
        return call("GET", f"{self.url}/api/{path}", token=self.token)

    def post(self, path, body):
        return call("POST", f"{self.url}/api/{path}", body, token=self.token)

    def add_broker(self, port):
        """Sets the integration up as a person would: with the forms that it shows."""
        values = {"broker": "127.0.0.1", "port": port, "set_ca_cert": "off", "set_client_cert": False}

        def filled(fields):
            found = {}
            for field in fields:
                if field["name"] in values:
                    found[field["name"]] = values[field["name"]]
                elif "schema" in field:
                    found[field["name"]] = filled(field["schema"])
                elif field.get("required") and "default" in field:
                    found[field["name"]] = field["default"]
            return found

        flow = self.post("config/config_entries/flow", {"handler": "mqtt", "show_advanced_options": False})
        while flow["type"] == "form" and not flow.get("errors"):
            step = filled(flow.get("data_schema") or [])
            flow = self.post(f"config/config_entries/flow/{flow['flow_id']}", step)
        if flow["type"] != "create_entry":
            sys.exit(f"The integration MQTT could not be set up: {flow}")

    def states(self):
        return {state["entity_id"]: state for state in self.get("states")}

    def state(self, entity):
        with contextlib.suppress(urllib.error.HTTPError):
            return self.get(f"states/{entity}")
        return None
