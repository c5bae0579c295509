"""Runs a released Home Assistant next to mosquitto and the service, and compares what it shows with what was told.

Tests/HomeAssistant/run.py PROGRAM [--version 2024.3.3] [--python PYTHON] [--root FOLDER]. The first run installs Home
Assistant from PyPI under .build/home-assistant. A newer one needs a newer Python: --root is the folder of another
system, such as of debootstrap, whose --python is taken. What is wrong is printed; the exit code is 1 then. The logs of
the last run are under .build/home-assistant/logs.
"""

import argparse
import json
import math
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

from broker import Broker
from installation import SCHEMAS, HomeAssistant, call, until

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / ".build/home-assistant"
ORIGIN = (48.2, 16.37)
# Ids that topics cannot have as they are, and names with quotes, braces and signs.
ANN, BOB, CARL = "o'neil+1/#ü", "b/ä", "carl"
NAMES = {ANN: 'Ann "A." {{ 1 }}', BOB: "Bob ☕", CARL: "Carl"}
ENTITIES = {ANN: "ann_a_1", BOB: "bob", CARL: "carl"}
LONG = "Ä" * 256
# Id: name, metres east and north, radius, more properties.
REGIONS = {
    "quarter": ("Quarter", (0, 0), 420, {}),
    "z1": ("Zuhause bei uns", (0, 0), 100, {"tags": ["home"]}),
    "none": ("None", (1000, 0), 120, {}),
    "buero": ('Büro & <Co> "1" {{ 1 }}', (0, 1000), 120, {"dwell": 120}),
    "campus": ("A campus around it", (0, 1000), 360, {}),
    "long": (LONG, (1000, 1000), 120, {}),
}
# The zones have the names of regions, one of them in another case; none is where the device would be by coordinates.
ZONES = {"none": (3000, 0), REGIONS["buero"][0]: (3000, 500), "Werkstatt": (3000, 900)}


def position(east, north):
    metre = 1 / 111_195
    return ORIGIN[0] + north * metre, ORIGIN[1] + east * metre / math.cos(math.radians(ORIGIN[0]))


def feature(region):
    name, place, radius, more = REGIONS[region]
    latitude, longitude = position(*place)
    properties = {"name": name, "radius": radius, **more}
    geometry = {"type": "Point", "coordinates": [longitude, latitude]}
    return {"type": "Feature", "id": region, "properties": properties, "geometry": geometry}


def quoted(device):
    return urllib.parse.quote(device, safe="")


def free_ports(count):
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def automation_of_the_page(token, url, device, entity):
    """What the page shows for Home Assistant's app, as it is in the sources."""
    source = (REPOSITORY / "Sources/FencepostPage/Web/phones/apps.js").read_text()
    text = re.search(r"const homeAssistantFile = .*? => `(.*?)`;", source, re.S)[1]
    for name, value in (("base", url), ("id", device), ("token", token)):
        text = text.replace("${" + name + "}", value)
    return text.replace("device_tracker.phone", entity)


class Service:
    def __init__(self, program, folder, port, broker_port):
        self.program, self.folder, self.port, self.process = program, folder, port, None
        self.url = f"http://127.0.0.1:{port}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        configuration = {
            "storage": {"path": "fencepost.sqlite"}, "server": {"host": "127.0.0.1", "port": port},
            "visits": {"minimumStay": 300}, "monitor": {"alerts": [{"type": "battery", "below": 0.15}]},
            "mqtt": {"host": "127.0.0.1", "port": broker_port, "homeAssistant": True, "publish": {"names": NAMES}}}
        (folder / "fencepost.json").write_text(json.dumps(configuration))
        create = ["token", "create", "--storage", "fencepost.sqlite", "--name", "test", "--scope", "admin"]
        output = subprocess.run([program, *create], cwd=folder, capture_output=True, text=True, check=True).stdout
        self.token = re.search(r"fp_\S+", output)[0]

    def start(self, log):
        command = [self.program, "serve", "--config", "fencepost.json"]
        self.process = subprocess.Popen(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        if not until(lambda: self.call("GET", "regions"), 60):
            sys.exit(f"The service did not start: {log.name}")

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(30)
            self.process = None

    def call(self, method, path, body=None):
        return call(method, f"{self.url}/v1/{path}", body, self.token)


class Walker:
    """A device that moves through the last hour and a half."""

    def __init__(self, service, device):
        self.service, self.device, self.place, self.time = service, device, (600.0, 600.0), time.time() - 5400

    def send(self, places, **more):
        locations = []
        for number, place in enumerate(places):
            self.time += 15
            latitude, longitude = position(place[0] + number % 2, place[1] + number % 3)
            locations.append({"deviceId": self.device, "timestamp": self.time, "latitude": latitude,
                              "longitude": longitude, "horizontalAccuracy": 6, "batteryLevel": 0.8, **more})
        self.service.call("POST", "locations", {"locations": locations})
        self.place = places[-1]

    def go(self, place, minutes=4, **more):
        (x, y), (east, north) = self.place, place
        steps = max(1, round(math.dist(self.place, place) / 180))
        path = [(x + (east - x) * step / steps, y + (north - y) * step / steps) for step in range(1, steps + 1)]
        self.send(path + [place] * (minutes * 4), **more)


class Test:
    def __init__(self, options):
        ports = free_ports(3)
        logs = FOLDER / "logs"
        shutil.rmtree(logs, ignore_errors=True)
        logs.mkdir(parents=True)
        self.logs = {name: (logs / f"{name}.log").open("w") for name in ("broker", "service", "home-assistant")}
        self.broker = Broker(ports[0], logs)
        self.home = HomeAssistant(FOLDER, options.version, options.python, options.root, ports[1])
        self.service = Service(str(pathlib.Path(options.program).resolve()), FOLDER / "service", ports[2], ports[0])
        self.faults, self.count = [], 0

    def check(self, what, read, wanted, seconds=10):
        """Waits until `read` is `wanted`."""
        self.count += 1
        until(lambda: read() == wanted, seconds)
        seen = read()
        if seen != wanted:
            self.faults.append(f"{what}: {wanted!r} was expected, {seen!r} is shown")
            print("WRONG", self.faults[-1], flush=True)

    def state(self, entity):
        return lambda: (self.home.state(entity) or {}).get("state")

    def attribute(self, entity, name):
        return lambda: (self.home.state(entity) or {}).get("attributes", {}).get(name)

    def steps(self):
        self.ann, self.bob = Walker(self.service, ANN), Walker(self.service, BOB)
        return [self.upgrade, self.places, self.renaming, self.events, self.discovery, self.lost_messages, self.app,
                self.removal, self.log]

    def configuration(self):
        def automation(name, trigger, value):
            return {"alias": name, "id": name, "mode": "queued", "max": 50, "trigger": [{**trigger}],
                    "condition": [value] if value else [], "action": [
                        {"service": "counter.increment", "target": {"entity_id": f"counter.{name}"}}]}

        events = {"entered": "event.ann_a_1_region", "arrived": "event.ann_a_1_visit"}
        automations = [
            automation(name, {"platform": "state", "entity_id": entity},
                       "{{ trigger.from_state and trigger.to_state and trigger.from_state.state != 'unavailable' and "
                       "trigger.to_state.attributes.get('event_type') == '" + name + "' and "
                       "trigger.to_state.attributes.eventId != trigger.from_state.attributes.get('eventId') }}")
            for name, entity in events.items()]
        counters = dict.fromkeys(events, {})
        if self.home.release >= (2026, 6):
            counters["received"] = {}
            received = automation("received", {}, None)
            received["trigger"] = [{"trigger": "event.received", "target": {"entity_id": events["entered"]},
                                    "options": {"event_type": ["entered"]}}]
            automations.append(received)
        zones = []
        for name, place in ZONES.items():
            latitude, longitude = position(*place)
            zones.append({"name": name, "latitude": latitude, "longitude": longitude, "radius": 100})
        people = [{"id": entity, "name": f"Person {entity}", "device_trackers": [f"device_tracker.{entity}"]}
                  for entity in (ENTITIES[ANN], ENTITIES[BOB])]
        home = position(5000, 5000)
        return {
            "homeassistant": {"name": "Haus", "latitude": home[0], "longitude": home[1], "elevation": 0,
                              "unit_system": "metric", "time_zone": "UTC", "country": "AT", "currency": "EUR",
                              "language": "de"},
            "http": {"server_host": "127.0.0.1", "server_port": self.home.port}, "api": {}, "config": {},
            "mobile_app": {}, "logger": {"default": "warning"}, "zone": zones, "person": people,
            "counter": counters, "automation": automations,
            "group": {"family": {"entities": [person["device_trackers"][0] for person in people]}}}

    def start(self):
        self.home.install()
        print(f"Home Assistant {self.home.version}", flush=True)
        self.broker.start(self.logs["broker"])
        configuration = self.configuration()
        text = automation_of_the_page(self.service.token, self.service.url, "app/phone", "device_tracker.phone_of_test")
        if self.home.release < (2024, 10):
            # The page writes the words that Home Assistant has had since 2024.10.
            for new, old in (("triggers:", "trigger:"), ("- trigger: state", "- platform: state"),
                             ("conditions:", "condition:"), ("actions:", "action:"), ("- action:", "- service:")):
                text = text.replace(new, old)
        command, automation = text.split("automation:\n")
        self.home.configure(configuration, {"rest_command": command.partition("\n")[2], "automation page": automation})
        self.leave_old_messages()
        self.home.start(self.logs["home-assistant"])
        self.home.add_broker(self.broker.port)

    def leave_old_messages(self):
        """What version 0.2 has left at the broker: a device that exists, one that is gone, and a region that is."""
        for device in ("carl", "gone"):
            base = {"availability_topic": "fencepost/status", "origin": {"name": "Fencepost", "sw_version": "0.2.0"},
                    "device": {"identifiers": [f"fencepost_{device}"], "name": device.title()}}
            tracker = {**base, "unique_id": f"fencepost_{device}_tracker", "name": None, "source_type": "gps",
                       "state_topic": f"fencepost/devices/{device}", "value_template": "{{ value_json.place }}",
                       "json_attributes_topic": f"fencepost/devices/{device}"}
            presence = {**base, "unique_id": f"fencepost_{device}_in_old", "name": "In Old",
                        "state_topic": f"fencepost/presence/{device}/old"}
            for topic, payload in {
                f"homeassistant/device_tracker/fencepost_{device}/tracker/config": tracker,
                f"homeassistant/binary_sensor/fencepost_{device}/in_old/config": presence,
                f"fencepost/devices/{device}": {"place": "not_home", "latitude": 1, "longitude": 2},
            }.items():
                self.broker.publish(topic, json.dumps(payload))
            self.broker.publish(f"fencepost/presence/{device}/old", "ON")
            self.broker.publish(f"fencepost/alerts/{device}/battery", "ON")
        self.broker.publish("fencepost/status", "offline")

    def upgrade(self):
        """Old discovery is replaced while Home Assistant runs, and what is gone goes."""
        until(self.state("device_tracker.gone"), 20)
        self.check("the old tracker", self.state("device_tracker.gone"), "unavailable")
        self.service.start(self.logs["service"])
        for region in REGIONS:
            self.service.call("PUT", f"regions/{region}", feature(region))
        Walker(self.service, CARL).go(REGIONS["buero"][1])
        self.check("the tracker of before", self.state("device_tracker.carl"), REGIONS["buero"][0])
        self.check("the tracker of a device that is gone", self.state("device_tracker.gone"), None)
        self.check("a region of before", self.state("binary_sensor.carl_in_old"), None)
        old = [topic for topic in self.broker.retained() if "gone" in topic or "/old" in topic or "in_old" in topic]
        self.check("what is left of before", lambda: old, [])

    def places(self):
        stops = [((0, 0), "home", "zone.home"), ((1000, 0), "None", "zone.none"),
                 ((0, 1000), REGIONS["buero"][0], "zone.buro_co_1_1"), ((1000, 1000), LONG[:254] + "…", None),
                 ((2000, 2000), "not_home", None)]
        self.bob.go((0, 0))
        # The events of a first report would come before Home Assistant has the entities.
        self.ann.send([self.ann.place])
        self.check("an event before there was any", self.state(f"event.{ENTITIES[ANN]}_region"), "unknown")
        for place, state, zone in stops:
            self.ann.go(place, minutes=8)
            tracker = f"device_tracker.{ENTITIES[ANN]}"
            self.check(f"the tracker at {place}", self.state(tracker), state)
            self.check(f"in_zones at {place}", self.attribute(tracker, "in_zones"), [zone] if zone else [])
            self.check(f"the person at {place}", self.state(f"person.person_{ENTITIES[ANN]}"), state)
            if state != "None":
                # A sensor takes that word for no value, in some releases.
                self.check(f"the sensor at {place}", self.state(f"sensor.{ENTITIES[ANN]}_place"), state)
            latitude = self.service.call("GET", f"devices/{quoted(ANN)}")["lastLocation"]["latitude"]
            self.check(f"the latitude at {place}", self.attribute(tracker, "latitude"), latitude)
            self.check(f"the source at {place}", self.attribute(tracker, "source_type"), "gps")
            people = "2" if state == "home" else "1"
            self.check(f"who is at home, from {place}", self.state("zone.home"), people)
            self.check(f"the group, from {place}", self.state("group.family"), "home")
        self.check("the other one", self.state(f"device_tracker.{ENTITIES[BOB]}"), "home")

    def renaming(self):
        """A region gets the name of another zone while a device is inside."""
        name, place, radius, more = REGIONS["buero"]
        self.ann.go(place)
        REGIONS["buero"] = ("Werkstatt", place, radius, more)
        self.service.call("PUT", "regions/buero", feature("buero"))
        tracker = f"device_tracker.{ENTITIES[ANN]}"
        self.check("the tracker in a renamed region", self.state(tracker), "Werkstatt")
        self.check("in_zones of a renamed region", self.attribute(tracker, "in_zones"), ["zone.werkstatt"])

    def events(self):
        entity = f"event.{ENTITIES[ANN]}_region"
        # Each region that was entered: the campus twice, the others and the quarter once.
        known = self.service.call("GET", f"events?limit=500&deviceId={quoted(ANN)}")["data"]
        entered = [event for event in known if event["type"] == "region.entered"]
        arrived = [event for event in known if event["type"] == "visit.arrived"]
        self.check("entries", self.state("counter.entered"), str(len(entered)))
        self.check("arrivals", self.state("counter.arrived"), str(len(arrived)))
        if self.home.release >= (2026, 6):
            self.check("entries by event.received", self.state("counter.received"), str(len(entered)))
        self.check("the types of events", self.attribute(entity, "event_types"), ["entered", "exited", "dwelled"])
        last = [event for event in known if event["type"].startswith("region.")][-1]
        self.check("the last event", self.attribute(entity, "event_type"), last["type"].removeprefix("region."))
        self.check("its region", self.attribute(entity, "region_id"), last["region"]["id"])
        self.check("its time", self.attribute(entity, "timestamp"), last["timestamp"])

    def discovery(self):
        messages = {topic: json.loads(payload) for topic, payload in self.broker.retained().items()
                    if topic.startswith("homeassistant/")}
        output = self.home.run(self.home.program, "-c", SCHEMAS, input=json.dumps(messages)).splitlines()
        self.check("discovery by the strict schema", lambda: output, ["CHECKED"])
        self.check("whether there is discovery", lambda: len(messages) > 20, True)

    def lost_messages(self):
        """The broker and Home Assistant start again; the broker has forgotten everything."""
        self.ann.send([self.ann.place], batteryLevel=0.1)
        low = f"binary_sensor.{ENTITIES[ANN]}_battery_low"
        self.check("a battery that is low", self.state(low), "on")
        self.broker.stop()
        self.broker.start(self.logs["broker"])
        self.home.stop()
        self.home.start(self.logs["home-assistant"])
        self.check("the battery after that", self.state(low), "on", 60)
        self.check("the tracker after that", self.state(f"device_tracker.{ENTITIES[ANN]}"), "Werkstatt", 30)
        self.service.stop()
        self.check("the tracker without the service", self.state(f"device_tracker.{ENTITIES[ANN]}"), "unavailable", 20)
        self.service.start(self.logs["service"])
        self.check("the tracker with it again", self.state(f"device_tracker.{ENTITIES[ANN]}"), "Werkstatt", 30)

    def app(self):
        """The page's automation passes on what the app gives, and works with an app that gives only a position."""
        phone = {"device_id": "1", "app_id": "test", "app_name": "Test", "app_version": "1", "os_name": "iOS",
                 "device_name": "Phone of test", "manufacturer": "m", "model": "m", "os_version": "26",
                 "supports_encryption": False}
        hook = self.home.post("mobile_app/registrations", phone)["webhook_id"]
        until(lambda: self.home.state("device_tracker.phone_of_test"), 15)
        everything = {"speed": 12, "course": 270, "altitude": 151.5, "vertical_accuracy": 4, "battery": 63}
        for more, place in ((everything, (0, 0)), ({}, (900, 900))):
            latitude, longitude = position(*place)
            data = {"gps": [latitude, longitude], "gps_accuracy": 12, **more}
            call("POST", f"{self.home.url}/api/webhook/{hook}", {"type": "update_location", "data": data})
            found = {}

            def last(found=found):
                found.update(self.service.call("GET", "devices/app%2Fphone")["lastLocation"])
                return found["latitude"]

            self.check(f"the latitude from the app with {more}", lambda: until(last, 5), latitude)
            wanted = {"horizontalAccuracy": 12}
            if more:
                wanted |= {"speed": 12, "course": 270, "altitude": 151.5, "verticalAccuracy": 4, "batteryLevel": 0.63}
            seen = {name: found.get(name) for name in wanted}
            self.check(f"what the app gives of {list(more)}", lambda seen=seen: seen, wanted)

    def removal(self):
        self.service.call("DELETE", "regions/long")
        long = f"presence/{ANN.replace('+', '%2B').replace('#', '%23')}/long"
        self.check("a removed region", lambda: any(long in topic for topic in self.broker.retained()), False)
        self.service.call("DELETE", f"devices/{quoted(ANN)}")
        left = [entity for entity in self.home.states() if f".{ENTITIES[ANN]}" in entity]
        self.check("whether there was anything", lambda: len(left) > 10, True)
        self.check("entities of a removed device", lambda: [
            entity for entity in self.home.states() if f".{ENTITIES[ANN]}" in entity], [], 20)
        self.check("topics of a removed device", lambda: [
            topic for topic in self.broker.retained() if "neil" in topic], [])

    def log(self):
        text = re.sub("\x1b" + r"\[[0-9;]*m", "", pathlib.Path(self.logs["home-assistant"].name).read_text())
        about = r"mqtt|device_tracker|event\b|zone|person|group|automation|template|rest_command|helpers\.entity"
        # The broker was stopped on purpose, 0.2 had other templates, and 2024 says this of each message without a time.
        known = (r"Disconnected from|[Cc]onnect|Error returned from MQTT|not_setup|Invalid state message|"
                 r"Erroneous JSON: $|device_tracker\.(carl|gone)|\{\{ value_json\.place \}\}")
        lines = [line[24:] for line in text.splitlines() if re.search(" (WARNING|ERROR) ", line)
                 and re.search(about, line) and not re.search(known, line)]
        self.check("what Home Assistant complains about", lambda: sorted(set(lines))[:8], [], 0)

    def run(self):
        try:
            self.start()
            for step in self.steps():
                print(f"- {step.__name__.replace('_', ' ')}", flush=True)
                step()
        finally:
            for part in (self.service, self.home, self.broker):
                part.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--version", help="of Home Assistant; the newest that the Python can have without it")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--root", help="the folder of another system, to which --python belongs; needs root")
    test = Test(parser.parse_args())
    # Ends the three programs too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("interrupted"))
    test.run()
    passed = test.count - len(test.faults)
    print(f"Home Assistant {test.home.version}: {passed} checks passed, {len(test.faults)} failed")
    return 1 if test.faults else 0


if __name__ == "__main__":
    sys.exit(main())
