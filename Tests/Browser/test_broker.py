"""The view MQTT: a broker is set, tested, changed and removed in the page, with a real mosquitto."""

import json
import re
import shutil
import socket
import subprocess
import time

import pytest
from playwright.sync_api import expect

from test_access import violations
from test_german import sign_in as sign_in_german
from test_layout import PHONE
from test_mqtt import OFFICE, PROGRAM, Broker, restart_with, wait_until
from test_users import add_user, sign_in

VIEW = "/#tab=mqtt"


@pytest.fixture
def broker(tmp_path):
    """A broker that checks the password of who states a name, and lets the test read without one."""
    passwords = shutil.which("mosquitto_passwd")
    if PROGRAM is None or passwords is None:
        pytest.skip("mosquitto is not installed")
    users, rights = tmp_path / "users", tmp_path / "rights"
    subprocess.run([passwords, "-b", "-c", users, "fencepost", "opensesame"], check=True, capture_output=True)
    rights.write_text("topic readwrite #\nuser fencepost\ntopic readwrite #\n")
    broker = Broker(tmp_path, f"password_file {users}", f"acl_file {rights}")
    yield broker
    broker.kill()


def fill(view, broker, password="opensesame"):
    view.get_by_label("Host", exact=False).first.fill("127.0.0.1")
    view.get_by_label("Port", exact=True).fill(str(broker.port))
    view.get_by_label("User name").fill("fencepost")
    view.get_by_label("Password", exact=True).fill(password)


def walk_in(broker, device):
    """An OwnTracks phone comes to the office and stays."""
    for ago, latitude in ((60, OFFICE[0] + 0.01), (30, OFFICE[0]), (20, OFFICE[0]), (10, OFFICE[0])):
        broker.client.publish(f"owntracks/{device}", json.dumps({
            "_type": "location", "lat": latitude, "lon": OFFICE[1], "acc": 5, "tst": int(time.time()) - ago}), 1)


def test_a_broker_is_set_up_tested_broken_and_removed(window, broker, screenshots):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    window.sign_in()
    view = window.open_tab("MQTT and Home Assistant")
    expect(view.get_by_text("No broker yet")).to_be_visible()
    assert violations(window.page, "no broker") == []
    fill(view, broker)
    view.get_by_role("button", name="Test", exact=True).click()
    expect(view.get_by_text(f"✓ The broker at 127.0.0.1:{broker.port} has accepted")).to_be_visible()
    expect(view.get_by_text("Home Assistant shows 0 devices with 0 entities")).to_be_visible()
    assert service.get("/v1/mqtt")["isSet"] is False

    view.get_by_role("button", name="Connect", exact=True).click()
    card = view.get_by_role("article", name="The broker")
    for name in ("Messages of phones", "Events and positions"):
        expect(card.get_by_role("region", name=name).get_by_text("✓ connected")).to_be_visible()
    expect(view.get_by_text("No broker yet")).to_be_hidden()
    walk_in(broker, "jane/phone")
    wait_until(lambda: '"region.entered"' in (broker.last("fencepost/events/jane/phone") or ""))
    wait_until(lambda: broker.last("fencepost/presence/jane/phone/office") == "ON")
    assert service.get("/v1/devices/jane%2Fphone")["lastLocation"]["latitude"] == pytest.approx(OFFICE[0])
    expect(card.get_by_text(re.compile("[4-9] messages received"))).to_be_visible()
    view.get_by_role("button", name="Test", exact=True).click()
    expect(view.get_by_text("Home Assistant shows 1 device with 7 entities")).to_be_visible()
    assert len([topic for topic in broker.kept() if topic.startswith("homeassistant/")]) == 7
    # The password is nowhere in the page, and stays where its field is empty.
    assert "opensesame" not in window.page.content()
    expect(view.get_by_label("Password", exact=True)).to_have_attribute("placeholder", "unchanged")
    screenshots(window.page, "mqtt-light")

    view.get_by_label("Password", exact=True).fill("wrong")
    view.get_by_role("button", name="Save", exact=True).click()
    for name in ("Messages of phones", "Events and positions"):
        link = card.get_by_role("region", name=name)
        expect(link.get_by_text("✕ not connected")).to_be_visible()
        expect(link.get_by_text("The broker refuses the connection. Check user name and password.")).to_be_visible()
    assert violations(window.page, "a wrong password") == []
    assert "fencepost/devices/jane/phone" in broker.kept(), "the same broker keeps what it has"

    remove = view.get_by_role("button", name="Remove the broker")
    remove.click()
    remove.click()
    expect(window.page.get_by_text("The broker is removed, and what it kept is cleared.")).to_be_visible()
    wait_until(lambda: broker.kept() == set())
    expect(view.get_by_text("No broker yet")).to_be_visible()
    expect(view.get_by_label("User name")).to_have_value("")
    assert service.get("/v1/endpoints")["data"] == []


def test_what_is_wrong_is_said_at_its_field(window, broker):
    # The browser logs the refused request.
    window.allows_connection_errors = True
    window.sign_in(VIEW)
    view = window.page.get_by_role("region", name="MQTT and Home Assistant", exact=True)
    host = view.get_by_label("Host", exact=False).first
    host.fill("mqtt://127.0.0.1")
    view.get_by_text("Topics and client id").click()
    topic = view.get_by_label("Topic of the phones")
    topic.fill("owntracks/#/more")
    view.get_by_text("Topics and client id").click()
    view.get_by_role("button", name="Connect", exact=True).click()
    expect(host).to_have_attribute("aria-invalid", "true")
    expect(host).to_be_focused()
    expect(host).to_have_accessible_description(re.compile("without mqtt:// and without a port"))
    expect(topic).to_have_accessible_description(re.compile("a topic filter such as owntracks/#"))
    host.fill("127.0.0.1")
    view.get_by_role("button", name="Connect", exact=True).click()
    # What is wrong is never hidden.
    expect(topic).to_be_focused()
    topic.fill("")
    # A port at which nothing listens.
    view.get_by_label("Port", exact=True).fill("9")
    view.get_by_role("button", name="Test", exact=True).click()
    expect(view.get_by_text("Nothing answers at this host and port.")).to_be_visible()
    fill(view, broker)
    view.get_by_role("button", name="Connect", exact=True).click()
    expect(view.get_by_text("✓ connected").first).to_be_visible()
    # The stored password goes to no other broker, and what is being typed stays while the page looks at the broker.
    host.fill("localhost")
    view.get_by_role("button", name="Save", exact=True).click()
    password = view.get_by_label("Password", exact=True)
    expect(password).to_have_accessible_description(re.compile("Enter the password again"))
    window.page.wait_for_timeout(3500)
    expect(host).to_have_value("localhost")


def test_a_broker_that_is_away_at_its_removal_is_named(window, broker, tmp_path):
    window.sign_in(VIEW)
    view = window.page.get_by_role("region", name="MQTT and Home Assistant", exact=True)
    fill(view, broker)
    view.get_by_role("button", name="Connect", exact=True).click()
    expect(view.get_by_text("✓ connected").first).to_be_visible()
    walk_in(broker, "jane/phone")
    wait_until(lambda: "fencepost/devices/jane/phone" in broker.kept())
    broker.kill()
    expect(view.get_by_text("✕ not connected").first).to_be_visible()
    remove = view.get_by_role("button", name="Remove the broker")
    remove.click()
    remove.click()
    note = view.get_by_text(re.compile(rf"The broker 127.0.0.1:{broker.port} keeps \d+ messages of this service"))
    expect(note).to_be_visible()
    broker.start()


def test_a_broker_of_the_configuration_is_shown_and_tested(window, broker):
    restart_with(window.service, host="127.0.0.1", port=broker.port, homeAssistant=True)
    window.sign_in(VIEW)
    view = window.page.get_by_role("region", name="MQTT and Home Assistant", exact=True)
    expect(view.get_by_text(re.compile(r"The configuration \(.*fencepost\.json\) names the broker"))).to_be_visible()
    expect(view.get_by_text("✓ connected").first).to_be_visible()
    expect(view.get_by_label("User name")).to_be_hidden()
    expect(view.get_by_role("button", name="Remove the broker")).to_be_hidden()
    view.get_by_role("button", name="Test", exact=True).click()
    expect(view.get_by_text("has accepted the connection")).to_be_visible()


@pytest.fixture
def encrypted(tmp_path):
    """A broker with a port for TLS, whose certificate is of an authority that no machine knows."""
    openssl = shutil.which("openssl")
    if PROGRAM is None or openssl is None:
        pytest.skip("mosquitto or openssl is not installed")
    folder = tmp_path / "encrypted"
    folder.mkdir()
    (folder / "names").write_text("subjectAltName=DNS:localhost\n")
    key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    for command in (
        f"req -x509 -subj /CN=authority -days 2 -keyout ca.key -out ca.pem {key}",
        f"req -subj /CN=localhost -keyout server.key -out server.csr {key}",
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
    ):
        subprocess.run([openssl, *command.split()], cwd=folder, check=True, capture_output=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    broker = Broker(folder, f"listener {port} 127.0.0.1", f"certfile {folder}/server.pem",
                    f"keyfile {folder}/server.key")
    broker.encrypted_port = port
    broker.authority = (folder / "ca.pem").read_text()
    yield broker
    broker.kill()


def test_a_broker_with_an_authority_of_its_own_and_another_one_to_publish_to(window, broker, encrypted):
    service = window.service
    # The browser logs the refused request.
    window.allows_connection_errors = True
    service.add_circle("office", "Office", *OFFICE, 150)
    window.sign_in(VIEW)
    view = window.page.get_by_role("region", name="MQTT and Home Assistant", exact=True)
    certificate = view.get_by_label("Certificate of the authority")
    expect(certificate).to_be_hidden()
    view.get_by_label("Host", exact=False).first.fill("localhost")
    view.get_by_label("Encrypted (TLS)").check()
    expect(view.get_by_label("Port", exact=True)).to_have_value("8883")
    view.get_by_label("Port", exact=True).fill(str(encrypted.encrypted_port))
    test = view.get_by_role("button", name="Test", exact=True)
    test.click()
    expect(view.get_by_text("✕ The encrypted connection failed.")).to_be_visible()
    certificate.fill("/etc/ssl/ca.crt")
    test.click()
    expect(certificate).to_have_attribute("aria-invalid", "true")
    expect(certificate).to_have_accessible_description(re.compile("This is no certificate in PEM: paste"))
    certificate.fill(f"Here it is:\n{encrypted.authority}")
    test.click()
    expect(view.get_by_text(f"✓ The broker at localhost:{encrypted.encrypted_port} has accepted")).to_be_visible()
    expect(certificate).not_to_have_attribute("aria-invalid", "true")
    assert violations(window.page, "a certificate") == []
    view.get_by_role("button", name="Connect", exact=True).click()
    card = view.get_by_role("article", name="The broker")
    for name in ("Messages of phones", "Events and positions"):
        expect(card.get_by_role("region", name=name).get_by_text("✓ connected")).to_be_visible()
    wait_until(lambda: encrypted.last("fencepost/status") == "online")
    assert service.get("/v1/mqtt")["settings"]["caCertificate"] == encrypted.authority
    expect(certificate).to_have_value(encrypted.authority)

    view.get_by_text("Publish to another broker").click()
    view.get_by_label("Its host").fill("mqtt://127.0.0.1")
    view.get_by_label("Its port").fill(str(broker.port))
    view.get_by_label("Its user").fill("fencepost")
    view.get_by_label("Its password").fill("opensesame")
    save = view.get_by_role("button", name="Save", exact=True)
    save.click()
    expect(view.get_by_label("Its host")).to_be_focused()
    expect(view.get_by_label("Its host")).to_have_accessible_description(re.compile("without mqtt://"))
    view.get_by_label("Its host").fill("127.0.0.1")
    save.click()
    link = card.get_by_role("region", name=f"Events and positions, to 127.0.0.1:{broker.port}")
    expect(link.get_by_text("✓ connected")).to_be_visible()
    wait_until(lambda: encrypted.kept() == set())
    # The phone is at the first broker, and the event at the other one. The stored settings count after a restart.
    service.stop()
    service.start()
    wait_until(lambda: service.get("/v1/mqtt").get("publishing", {}).get("isConnected"))
    walk_in(encrypted, "jane/phone")
    wait_until(lambda: '"region.entered"' in (broker.last("fencepost/events/jane/phone") or ""))
    assert encrypted.kept() == set()

    window.page.reload()
    expect(certificate).to_have_value(encrypted.authority)
    expect(view.get_by_label("Its host")).to_have_value("127.0.0.1")
    expect(view.get_by_label("Its password")).to_have_attribute("placeholder", "unchanged")
    save.click()
    expect(view.get_by_text("✓ Saved.")).to_be_visible()
    assert service.get("/v1/mqtt")["settings"]["publishTo"]["passwordIsSet"] is True
    view.get_by_label("Its host").fill("")
    save.click()
    wait_until(lambda: encrypted.last("fencepost/status") == "online")
    assert "publishTo" not in service.get("/v1/mqtt")["settings"]


WORDS = {
    "en-GB": ("MQTT and Home Assistant", "✕ not connected", "The broker refuses the connection.", (
        "Topics and client id", "Publish to another broker", "Steps in Home Assistant",
        "In the configuration file instead")),
    "de-DE": ("MQTT und Home Assistant", "✕ nicht verbunden", "Der Broker lehnt die Verbindung ab.", (
        "Themen und Client-Id", "Bei einem anderen Broker veröffentlichen", "Schritte in Home Assistant",
        "Stattdessen in der Konfigurationsdatei")),
}


@pytest.mark.parametrize("locale", WORDS)
def test_it_fits_a_phone(open_window, service, broker, screenshots, locale):
    service.request("PUT", "/v1/mqtt", {
        "host": "127.0.0.1", "port": broker.port, "username": "fencepost", "password": "wrong", "homeAssistant": True})
    wait_until(lambda: service.get("/v1/mqtt")["receiving"].get("lastFailure"))
    window = open_window(**PHONE, locale=locale)
    page = window.sign_in(VIEW) if locale == "en-GB" else sign_in_german(window, VIEW)
    title, state, failure, parts = WORDS[locale]
    view = page.get_by_role("region", name=title, exact=True)
    expect(view.get_by_text(state).first).to_be_visible()
    expect(view.get_by_text(failure).first).to_be_visible()
    for part in parts:
        view.get_by_text(part, exact=True).click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(page, "MQTT on a phone") == []
    screenshots(page, f"mqtt-phone-{locale[:2]}")


def test_only_administrators_see_it(open_window, service):
    add_user(service, "erin", "editor")
    window = open_window()
    sign_in(window, "erin")
    window.page.locator("#menu summary").click()
    views = window.page.get_by_role("navigation", name="More views")
    expect(views.get_by_role("button", name="Messages")).to_be_visible()
    expect(views.get_by_role("button", name="MQTT and Home Assistant")).to_be_hidden()
