"""What paho-mqtt publishes and receives through mosquitto with each QoS, and with clean and kept sessions."""

import json
import shutil
import socket
import subprocess
import threading
import time

import paho.mqtt.client as mqtt

PROGRAM = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")


def wait(what, condition, seconds=20):
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            raise SystemExit(f"mosquitto: {what} did not happen in {seconds} s")
        time.sleep(0.05)
    return found


def start_broker(folder, port):
    """A broker that keeps sessions."""
    settings = folder / "mosquitto.conf"
    settings.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
        f"persistence_location {folder}/\nuser root\nmax_queued_messages 10000\n"
    )
    process = subprocess.Popen([PROGRAM, "-c", str(settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answers():
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close() is None
        except OSError:
            return False

    wait("its start", answers)
    return process


def client(port, name, clean, qos=None, received=None):
    """A client; with a QoS it subscribes to the events."""
    made = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name, clean_session=clean)
    connected = threading.Event()

    def on_connect(made, _, flags, reason, __):
        if qos is not None:
            made.subscribe("fencepost/events/#", qos)
        else:
            connected.set()

    made.on_connect = on_connect
    made.on_subscribe = lambda *_: connected.set()
    if received is not None:
        made.on_message = lambda _, __, message: received.append((message.topic, message.payload, message.qos))
    made.connect("127.0.0.1", port)
    made.loop_start()
    if not connected.wait(10):
        raise SystemExit(f"mosquitto: the client {name} is not connected")
    return made


def stop(made):
    made.disconnect()
    made.loop_stop()


def publish(made, topic, payload, qos, retain):
    made.publish(topic, json.dumps(payload), qos=qos, retain=retain).wait_for_publish(10)


def entries(received):
    """The devices that entered, of the messages so far."""
    messages = [json.loads(payload) for _, payload, _ in list(received) if payload]
    return [message["data"]["deviceId"] for message in messages if message["type"] == "region.entered"]


def check(url, session, port, restart):
    """The service is connected to the broker at the port, publishes there, and has a region at 48.2, 16.37."""

    def locations(device):
        found = session.get(f"{url}/v1/locations", params={"deviceId": device, "limit": 200}, timeout=10)
        return found.json()["data"] if found.ok else []

    now = int(time.time()) - 3600
    count = 0
    events = {}
    subscribers = {}
    for qos in (0, 1, 2):
        events[qos] = []
        subscribers[qos] = client(port, f"reader{qos}", False, qos, events[qos])
    for clean in (True, False):
        for qos in (0, 1, 2):
            for retain in (False, True):
                user = f"q{qos}{'c' if clean else 'k'}{'r' if retain else 'n'}"
                topic = f"owntracks/{user}/phone"
                sender = client(port, f"sender-{user}", clean)
                for step in range(3):
                    payload = {
                        "_type": "location",
                        "lat": 48.2 + 0.00001 * step,
                        "lon": 16.37,
                        "acc": 5,
                        "tst": now + 60 * step,
                    }
                    publish(sender, topic, payload, qos, retain)
                    # A phone that has no acknowledgement sends it again.
                    if step == 1:
                        publish(sender, topic, payload, qos, retain)
                stop(sender)
                wait(f"{user}: 3 locations", lambda user=user: len(locations(f"{user}/phone")) == 3)
                count += 1
    for qos, received in events.items():
        wait(f"{count} entries with QoS {qos}", lambda received=received: len(entries(received)) >= count)
        devices = entries(received)
        if len(devices) != len(set(devices)) or len(devices) != count:
            raise SystemExit(f"mosquitto: QoS {qos} has entries of {sorted(devices)}")
        stop(subscribers[qos])
    # A kept session gets what was published while the client was away, once.
    sender = client(port, "sender-late", True)
    publish(
        sender, "owntracks/late/phone", {"_type": "location", "lat": 48.2, "lon": 16.37, "acc": 5, "tst": now}, 2, False
    )
    stop(sender)
    wait("the location while the reader is away", lambda: locations("late/phone"))
    time.sleep(1)
    again = []
    reader = client(port, "reader2", False, 2, again)
    wait("the kept event", lambda: "late/phone" in entries(again))
    time.sleep(0.5)
    kept = [device for device in entries(again) if device == "late/phone"]
    stop(reader)
    if len(kept) != 1:
        raise SystemExit(f"mosquitto: a kept session got the event {len(kept)} times")
    # What the broker has retained comes again with the new subscription after its restart, and is no new location.
    restart()
    sender = client(port, "sender-again", True)

    def arrives():
        publish(sender, "owntracks/again/phone", {"_type": "location", "lat": 10, "lon": 10, "tst": now}, 1, False)
        time.sleep(0.2)
        return locations("again/phone")

    wait("the connection after the restart", arrives, 60)
    stop(sender)
    for user in ("q0cr", "q1cr", "q2cr", "q2kr"):
        if len(locations(f"{user}/phone")) != 3:
            raise SystemExit(f"mosquitto: {user} has {len(locations(f'{user}/phone'))} locations instead of 3")
    print(
        f"mosquitto, paho-mqtt: {count} publishers with QoS 0, 1, 2, clean or kept, retained or not: each stored once."
    )
