"""Three users from an empty service to what they want, on a desktop and a phone: a family, a fleet, an app's engineer.

Nothing outside of this machine is asked for anything; axe finds nothing at the end of each step.
"""

import base64
import datetime
import json
import re
import urllib.parse

import pytest
from playwright.sync_api import expect

from conftest import Window
from sample_data import CENTER
from service import Service, fix, offset, walk
from test_access import violations
from test_drawing import DrawingPage
from test_messages import wait_until
from test_mqtt import Broker, PROGRAM
from test_phones import scanned, send, unix
from test_tiles import write_mbtiles

PASSWORD = "correct horse battery staple"
DESKTOP = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"}
PHONE = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def start(request, browser, program, tmp_path):
    """Starts a service with a configuration, and opens its page."""
    opened = []

    def begin(**configuration):
        service = Service(program, tmp_path)
        service.config.write_text(json.dumps(json.loads(service.config.read_text()) | configuration))
        opened.append(service.start())
        opened.append(Window(browser, service, **request.param))
        return opened

    yield begin
    service, window = opened
    try:
        window.close()
    finally:
        service.stop()


def make_first_user(window, name):
    """The first user, with the keyboard alone; the token is the one that the service printed."""
    page = window.page
    page.goto(f"{window.service.url}/#map=15/{CENTER[0]}/{CENTER[1]}")
    expect(page.get_by_label("Access token")).to_be_focused()
    page.keyboard.type(window.service.token)
    form = page.get_by_role("region", name="Sign in")
    form.get_by_label("Name").focus()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    assert violations(page, "first user") == []
    page.keyboard.press("Enter")
    window.expect_live()
    return page


def test_a_family_gets_a_message_when_somebody_comes_home(start, tmp_path, receiver):
    if PROGRAM is None:
        pytest.skip("mosquitto is not installed")
    broker = Broker(tmp_path)
    try:
        write_mbtiles(tmp_path / "map.mbtiles")
        service, window = start(
            map={"tiles": "map.mbtiles"}, mqtt={"host": "127.0.0.1", "port": broker.port, "homeAssistant": True})
        page = make_first_user(window, "Ann")
        # Streets, from a file of this machine.
        page.goto(f"{service.url}/#map=7/{CENTER[0]}/{CENTER[1]}")
        expect(page.locator("img.leaflet-tile-loaded").first).to_be_visible()
        page.goto(f"{service.url}/#map=15/{CENTER[0]}/{CENTER[1]}")

        # A phone, by its code.
        tool = window.open_tool("Add a phone")
        tool.get_by_label("Person").fill("jane")
        tool.get_by_label("App", exact=True).select_option(label="OwnTracks (iOS, Android)")
        tool.get_by_role("button", name="Show the settings").click()
        link = scanned(tool)
        assert violations(page, "add a phone") == []
        settings = json.loads(base64.b64decode(urllib.parse.parse_qs(link.query)["inline"][0]))
        basic = base64.b64encode(f"{settings['username']}:{settings['password']}".encode()).decode()
        names = {"X_Limit_U": settings["username"], "X_Limit_D": settings["deviceId"]}

        def report(location):
            message = {"_type": "location", "lat": location["latitude"], "lon": location["longitude"],
                       "acc": location["horizontalAccuracy"], "tst": unix(location), "tid": "jp"}
            assert send(settings["url"], message, Authorization=f"Basic {basic}", **names) == 200

        report(fix("jane/phone", *offset(*CENTER, 0, -900), ago=600))
        expect(tool.locator(".finding.good")).to_have_text("The first location has arrived.")

        # Home, on the map.
        window.open_tab("Places")
        drawing = DrawingPage(page)
        drawing.start("Circle")
        drawing.click(0, -60)
        drawing.click(40, -60)
        assert violations(page, "drawing") == []
        drawing.save("Home")
        [home] = service.regions()
        longitude, latitude = home["geometry"]["coordinates"]

        # Messages to the family's phones.
        panel = window.open_tab("Messages")
        panel.get_by_text("Add an endpoint").click()
        panel.get_by_label("Kind").select_option("ntfy")
        panel.get_by_label("URL with the topic").fill(receiver.url.replace("/webhook", "/family"))
        assert violations(page, "an endpoint") == []
        panel.get_by_role("button", name="Add the endpoint").click()
        expect(panel.get_by_role("article").first).to_contain_text("ntfy 127.0.0.1")

        for location in walk("jane/phone", latitude, longitude, start=700, end=0, steps=16, began=300, took=280):
            report(location)
        wait_until(lambda: receiver.messages, window)
        title = receiver.messages[0][1]["title"]
        assert re.match(r"Jane (arrived at|came) [Hh]ome at \d\d?:\d\d", title), title
        window.open_tab("Live")
        expect(page.get_by_role("listitem").filter(has_text="entered Home").first).to_be_visible()

        # Home Assistant has an entity for it.
        wait_until(lambda: broker.last(f"fencepost/presence/jane/phone/{home['id']}") == "ON", window)
        found = [json.loads(message.payload) for message in broker.messages
                 if message.topic.startswith("homeassistant/binary_sensor/")]
        assert any(f"jane/phone/{home['id']}" in entity["state_topic"] for entity in found)
    finally:
        broker.kill()


def test_a_fleet_has_groups_an_alert_a_report_and_a_link_that_ends(start):
    service, window = start(monitor={"alerts": [{"id": "fast", "type": "speed", "above": "90 km/h", "for": 10}]})
    page = make_first_user(window, "Sam")
    service.add_circle("depot", "Depot", *CENTER, 200)
    vans = [f"van-{number}" for number in range(1, 201)]
    for ago in (1200, 900):
        locations = [fix(van, *offset(*CENTER, 40 * (index % 20) - 400, 90 * (index // 20) - 400), ago=ago, speed=0.0)
                     for index, van in enumerate(vans)]
        service.report(*locations)
    for group, devices in (("north", [f"van-{n}" for n in range(1, 101)]), ("south", ["van-1??"])):
        service.request("PUT", f"/v1/groups/{group}", {"devices": devices})
    expect(page.get_by_role("status").filter(has_text="Live, 200 devices")).to_be_visible()
    assert violations(page, "200 devices") == []

    # One of them drives too fast.
    service.report(*[fix("van-12", *offset(*CENTER, 0, 1000 + 30 * second), ago=300 - second, speed=30.0, course=90.0)
                     for second in range(0, 60, 5)])
    panel = window.open_tab("Live")
    alert = panel.get_by_role("listitem").filter(has_text="van-12").filter(has_text=re.compile("km/h|speed", re.I))
    expect(alert.first).to_be_attached()
    [event] = service.get("/v1/events", type="alert.speed")["data"]
    assert event["deviceId"] == "van-12"

    # The day of a van as an Excel file.
    page.goto(f"{service.url}/#tab=reports&device=van-12")
    page.get_by_label("Week of").fill(f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}")
    page.get_by_role("button", name="Show", exact=True).click()
    summary = page.get_by_role("region", name="Summary")
    with page.expect_download() as download:
        summary.get_by_role("button", name="Save as Excel file").click()
    assert open(download.value.path(), "rb").read(2) == b"PK"
    assert violations(page, "reports") == []

    # A link to one van, which ends.
    panel = window.open_tab("Access")
    panel.get_by_text("Share devices").click()
    form = panel.locator("form").filter(has_text="Ends after")
    form.get_by_label("Devices").fill("van-12")
    form.get_by_label("Devices").press("Enter")
    form.get_by_label("Devices").press("Tab")
    form.get_by_label("Ends after").select_option(label="1 hour")
    form.get_by_role("button", name="Make a link").click()
    assert "/share#fpl_" in panel.get_by_label("Share link", exact=True).input_value()
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=6)
    share = service.post("/v1/shares", {"devices": ["van-12"], "name": "Delivery", "expires": soon.isoformat()})
    page.goto(service.url + share["path"])
    expect(page.get_by_role("heading", name="Delivery")).to_be_visible()
    window.allows_connection_errors = True
    page.wait_for_timeout(max(0, (soon - datetime.datetime.now(datetime.timezone.utc)).total_seconds() * 1000 + 500))
    page.reload()
    expect(page.get_by_text("This link has ended or was revoked.")).to_be_visible()


def test_an_engineer_learns_whether_the_app_is_started(start):
    service, window = start()
    page = make_first_user(window, "Kim")
    window.open_tab("Places")
    drawing = DrawingPage(page)
    drawing.start("Circle")
    drawing.click(0, -60)
    drawing.click(40, -60)
    drawing.save("Shop")
    panel = window.open_tab("Apps")
    panel.get_by_text("Add an app", exact=True).click()
    panel.get_by_label("Name").fill("Courier")
    panel.get_by_label("Devices").fill("test/*")
    assert violations(page, "an app") == []
    panel.get_by_role("button", name="Add the app").click()
    card = panel.get_by_role("article", name="App Courier")
    expect(card.get_by_text("terminated by the system")).to_be_visible()

    window.open_tab("Places")
    page.get_by_role("tabpanel", name="Places").get_by_role("link", name="Shop").click()
    page.get_by_role("article", name="Selected region").get_by_role("button", name="Walk in").click()
    expect(page.get_by_role("listitem").filter(has_text="test/walker entered Shop").first).to_be_attached()
    panel = window.open_tab("Apps")
    card = panel.get_by_role("article", name="App Courier")
    expect(card.get_by_text("starts the app in the background").first).to_be_visible()
    card.get_by_text(re.compile("Decided by RELAUNCH")).first.click()
    source = card.locator(".rule-sources").get_by_role("link").first
    expect(source).to_have_attribute("href", re.compile("^https://developer.apple.com/"))
    assert violations(page, "decisions") == []

    # Force-quit it: nothing starts it then.
    card.get_by_role("button", name="Open", exact=True).click()
    expect(card.get_by_text("in the foreground")).to_be_visible()
    card.get_by_role("button", name="Force quit").click()
    expect(card.get_by_text("force-quit by the user")).to_be_visible()
    window.ignore_problems("/v1/apps/test-app")
