"""What the service publishes to a real mosquitto: events, the present, Home Assistant's discovery, and the will."""

import json
import shutil
import signal
import socket
import subprocess
import time

import paho.mqtt.client as mqtt
import pytest
from playwright.sync_api import expect

from service import fix, walk
from test_access import violations

OFFICE = (38.71, -9.14)
PROGRAM = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin")


class Broker:
    """A mosquitto that can be killed and started again at the same port, and a subscriber to all topics."""

    def __init__(self, folder, *lines):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.config = folder / "mosquitto.conf"
        self.config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n"
            + "".join(f"{line}\n" for line in lines))
        self.process = None
        self.client = None
        self.messages = []
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [PROGRAM, "-c", self.config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self.client.on_message = lambda _client, _data, message: self.messages.append(message)
        self.client.connect("127.0.0.1", self.port)
        self.client.subscribe("#", 1)
        self.client.loop_start()

    def kill(self):
        self.client.loop_stop()
        self.process.kill()
        self.process.wait()

    def last(self, topic):
        found = [message.payload.decode() for message in self.messages if message.topic == topic]
        return found[-1] if found else None

    def awaited(self, topic):
        """The last message of a topic, which may be on its way yet."""
        wait_until(lambda: self.last(topic) is not None)
        return self.last(topic)

    def kept(self):
        """The topics that the broker keeps messages for, those of the client's own subscription excepted."""
        return {topic for topic in {message.topic for message in self.messages}
                if self.last(topic) and not topic.startswith(("owntracks/", "fencepost/events/"))}

    def events(self):
        """Types of the events by id, as often as they came."""
        return [json.loads(message.payload)["data"]["eventId"]
                for message in self.messages if message.topic.startswith("fencepost/events/")]


@pytest.fixture
def broker(tmp_path):
    if PROGRAM is None:
        pytest.skip("mosquitto is not installed")
    broker = Broker(tmp_path)
    yield broker
    broker.kill()


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


def restart_with(service, **broker):
    service.stop()
    config = json.loads(service.config.read_text())
    config["mqtt"] = broker
    service.config.write_text(json.dumps(config))
    service.start()


def test_an_alert_is_an_entity_of_home_assistant(service, broker):
    config = json.loads(service.config.read_text())
    config["monitor"] = {"alerts": [{"type": "battery", "below": 0.15}]}
    service.config.write_text(json.dumps(config))
    restart_with(service, host="127.0.0.1", port=broker.port, homeAssistant=True)
    for ago, level, expected in ((60, 0.1, "ON"), (30, 0.9, "OFF")):
        service.report(fix("jane/phone", *OFFICE, ago=ago, batteryLevel=level))
        wait_until(lambda state=expected: broker.last("fencepost/alerts/jane/phone/battery") == state)
    [entity] = [message for message in broker.messages if message.topic.endswith("/alert_battery/config")][:1]
    assert json.loads(entity.payload)["state_topic"] == "fencepost/alerts/jane/phone/battery"
    assert [endpoint["ordered"] for endpoint in service.get("/v1/endpoints")["data"]] == [True]
    service.request("DELETE", "/v1/devices/jane%2Fphone")
    wait_until(lambda: broker.last("fencepost/alerts/jane/phone/battery") == "")


def test_the_page_says_whether_the_broker_is_connected_and_what_to_set(window, broker):
    window.allows_connection_errors = True
    restart_with(window.service, host="127.0.0.1", port=broker.port, homeAssistant=True)
    page = window.sign_in("/#tab=webhooks")
    card = page.get_by_role("article", name="MQTT and Home Assistant")
    expect(card.get_by_role("status").first).to_have_text("✓ connected")
    facts = dict(zip(card.locator("dt").all_inner_texts(), card.locator("dd").all_inner_texts()))
    assert facts == {"Broker": "127.0.0.1", "Port": str(broker.port), "Encryption": "none",
                     "Topics": "fencepost/#"}, facts
    card.get_by_role("button", name="Send test").click()
    expect(card.get_by_text("✓ The broker has accepted a test.")).to_be_visible()
    assert violations(page, "the broker") == []
    broker.kill()
    expect(card.get_by_role("status").first).to_have_text("✕ not connected")
    expect(card.get_by_text("meanwhile the messages wait")).to_be_visible()
    card.get_by_role("button", name="Send test").click()
    expect(card.get_by_text("The test did not reach the broker: connection failed.")).to_be_visible()
    broker.start()
    expect(card.get_by_role("status").first).to_have_text("✓ connected")
    card.get_by_role("button", name="Set up MQTT and Home Assistant").click()
    view = page.get_by_role("region", name="MQTT and Home Assistant", exact=True)
    view.get_by_text("In the configuration file instead").click()
    settings = json.loads(view.get_by_label("Settings for the configuration file").inner_text())
    # What is there to copy starts the service.
    assert settings["mqtt"] == {"host": "homeassistant.local", "username": "fencepost", "password": "…",
                                "homeAssistant": True}
    restart_with(window.service, **settings["mqtt"])


def test_home_assistant_finds_the_device_and_events_survive_the_broker(service, broker):
    restart_with(
        service, host="127.0.0.1", port=broker.port, homeAssistant=True,
        publish={"ownTracks": True, "names": {"jane/phone": "Jane"}})
    service.add_circle("office", "Office", *OFFICE, 150)
    service.report(*walk("jane/phone", *OFFICE, start=500, end=0, steps=14, began=400, took=140))
    wait_until(lambda: broker.last("fencepost/presence/jane/phone/office") == "ON")
    assert broker.awaited("fencepost/status") == "online"
    wait_until(lambda: json.loads(broker.awaited("fencepost/devices/jane/phone")).get("place") == "Office")
    assert abs(json.loads(broker.last("fencepost/devices/jane/phone"))["latitude"] - OFFICE[0]) < 0.01
    wait_until(lambda: json.loads(broker.awaited("fencepost/regions/office")) == {
        "name": "Office", "count": 1, "devices": ["jane/phone"]})
    wait_until(lambda: any(message.topic.startswith("homeassistant/device_tracker/") for message in broker.messages))
    trackers = [message for message in broker.messages if message.topic.startswith("homeassistant/device_tracker/")]
    tracker = json.loads(trackers[-1].payload)
    assert tracker["json_attributes_topic"] == "fencepost/devices/jane/phone" and tracker["device"]["name"] == "Jane"
    wait_until(broker.events)
    transition = json.loads(broker.awaited("owntracks/jane/phone/event"))
    assert transition["event"] == "enter" and transition["desc"] == "Office"
    # The service subscribes to the same topic, and ignores what it published.
    assert service.get("/v1/reports")["data"] == []
    assert [endpoint["kind"] for endpoint in service.get("/v1/endpoints")["data"]] == ["mqtt"]

    broker.kill()
    service.report(*walk("jane/phone", *OFFICE, start=0, end=500, steps=14, began=200, took=140))
    stored = [event["id"] for event in service.get("/v1/events")["data"]]
    assert len(stored) > len(broker.events())
    wait_until(lambda: any(delivery["attempts"] for delivery in service.get(
        "/v1/deliveries", status="pending")["data"]))
    broker.start()
    wait_until(lambda: set(broker.events()) == set(stored))
    assert len(broker.events()) == len(set(broker.events()))
    wait_until(lambda: broker.last("fencepost/presence/jane/phone/office") == "OFF")

    service.stop(signal.SIGKILL)
    wait_until(lambda: broker.last("fencepost/status") == "offline")
    service.start()
    wait_until(lambda: broker.last("fencepost/status") == "online")
    service.stop()
    wait_until(lambda: broker.last("fencepost/status") == "offline")


def test_the_name_of_a_device_is_a_card_for_friends_and_a_name_in_home_assistant(service, broker):
    restart_with(service, host="127.0.0.1", port=broker.port, homeAssistant=True,
                 publish={"ownTracks": True, "names": {"van": "The van"}})
    service.report(fix("jane/phone", *OFFICE), fix("van", *OFFICE))

    def tracker(device):
        found = [json.loads(message.payload) for message in broker.messages
                 if message.topic.startswith("homeassistant/device_tracker/") and message.payload]
        names = [entity["device"]["name"] for entity in found
                 if entity["json_attributes_topic"] == f"fencepost/devices/{device}"]
        return names[-1] if names else None

    wait_until(lambda: tracker("jane/phone") == "jane/phone" and tracker("van") == "The van")
    assert json.loads(broker.awaited("owntracks/van/info"))["name"] == "The van"
    for device in ("jane%2Fphone", "van"):
        service.request("PUT", f"/v1/devices/{device}/profile", {"name": "Jane"})
    wait_until(lambda: tracker("jane/phone") == "Jane")
    card = json.loads(broker.awaited("owntracks/jane/phone/info"))
    assert card == {"_type": "card", "name": "Jane", "tid": "ne", "_publisher": "fencepost"}
    # The configuration comes first.
    assert tracker("van") == "The van" and json.loads(broker.awaited("owntracks/van/info"))["name"] == "The van"
    # A picture of a device without a name is a card too.
    service.request("PUT", "/v1/devices/jane%2Fphone/profile", {})
    service.request("PUT", "/v1/devices/jane%2Fphone/face", b"\xff\xd8\xff\xe0picture", Content_Type="image/jpeg")
    wait_until(lambda: '"face"' in (broker.last("owntracks/jane/phone/info") or ""))
    assert json.loads(broker.last("owntracks/jane/phone/info"))["face"] == "/9j/4HBpY3R1cmU="
    service.request("DELETE", "/v1/devices/jane%2Fphone/face")
    wait_until(lambda: broker.last("owntracks/jane/phone/info") == "")
    wait_until(lambda: tracker("jane/phone") == "jane/phone")
    assert service.get("/v1/reports")["data"] == []


def test_messages_go_to_another_broker_than_the_one_with_the_phones(service, broker, tmp_path):
    (tmp_path / "other").mkdir()
    other = Broker(tmp_path / "other")
    try:
        restart_with(service, host="127.0.0.1", port=broker.port,
                     publishTo={"host": "127.0.0.1", "port": other.port})
        service.add_circle("office", "Office", *OFFICE, 150)
        wait_until(lambda: other.last("fencepost/status") == "online")
        # A phone reports to the first broker, and its state and its event are at the other one.
        for ago, latitude in ((60, OFFICE[0] + 0.01), (30, OFFICE[0]), (20, OFFICE[0]), (10, OFFICE[0])):
            broker.client.publish("owntracks/jane/phone", json.dumps({
                "_type": "location", "lat": latitude, "lon": OFFICE[1], "acc": 5, "tst": int(time.time()) - ago}), 1)
        wait_until(lambda: '"region.entered"' in (other.last("fencepost/events/jane/phone") or ""))
        wait_until(lambda: '"office"' in (other.last("fencepost/devices/jane/phone") or ""))
        assert not [message.topic for message in broker.messages if message.topic.startswith("fencepost/")]
    finally:
        other.kill()
