"""Add a phone: the QR codes, the token of the device, and the check of its first location."""

import base64
import datetime
import io
import json
import urllib.error
import urllib.parse
import urllib.request

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from sample_data import CENTER
from service import fix
from test_access import violations


def open_tool(window, app, person="jane", mode="precise"):
    """Opens the form and submits it for an app."""
    window.sign_in()
    tool = window.open_tool("Add a phone")
    tool.get_by_label("Person").fill(person)
    tool.get_by_label("App", exact=True).select_option(label=app)
    tool.get_by_label("Locations").select_option(mode)
    tool.get_by_role("button", name="Show the settings").click()
    expect(tool.locator(".phone-setup h2")).to_be_focused()
    return tool


def scanned(tool):
    """What a camera reads from the QR code on the screen."""
    code = tool.locator(".qr-code")
    code.scroll_into_view_if_needed()
    found = zxingcpp.read_barcodes(Image.open(io.BytesIO(code.screenshot())).convert("L"))
    assert len(found) == 1
    link = tool.locator(".phone-setup a").get_attribute("href")
    assert found[0].text == link
    return urllib.parse.urlsplit(link)


def send(url, body, **headers):
    """Sends what the app would send, and returns the status."""
    request = urllib.request.Request(url, json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    for name, value in headers.items():
        request.add_header(name.replace("_", "-"), value)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_owntracks_is_set_up_by_its_code_and_checked(window, service):
    tool = open_tool(window, "OwnTracks (iOS, Android)")
    expect(tool.locator(".finding")).to_have_text("Waiting for the first location …")
    link = scanned(tool)
    assert (link.scheme, link.path) == ("owntracks", "/config")
    settings = json.loads(base64.b64decode(urllib.parse.parse_qs(link.query)["inline"][0]))
    assert settings["_type"] == "configuration" and settings["mode"] == 3 and settings["monitoring"] == 2
    assert settings["url"] == f"{service.url}/pub"

    # As the app does with these settings.
    moment = fix("jane/phone", *CENTER)
    basic = base64.b64encode(f"{settings['username']}:{settings['password']}".encode()).decode()
    names = {"X_Limit_U": settings["username"], "X_Limit_D": settings["deviceId"]}
    location = {"_type": "location", "lat": CENTER[0], "lon": CENTER[1], "acc": 8, "tst": unix(moment), "tid": "jp"}
    assert send(settings["url"], location, Authorization=f"Basic {basic}", **names) == 200
    expect(tool.locator(".finding.good")).to_have_text("The first location has arrived.")
    expect(tool.locator(".finding")).to_have_count(1)

    # The token is for this device only.
    names["X_Limit_D"] = "tablet"
    assert send(settings["url"], location, Authorization=f"Basic {basic}", **names) == 403


def unix(location):
    return int(datetime.datetime.fromisoformat(location["timestamp"].replace("Z", "+00:00")).timestamp())


def test_overland_and_traccar_are_set_up_by_their_codes(open_window, service):
    link = scanned(open_tool(open_window(), "Overland (iOS, Android)"))
    values = {name: found[0] for name, found in urllib.parse.parse_qs(link.query).items()}
    assert (link.scheme, link.netloc) == ("overland", "setup") and values["device_id"] == "jane/phone"
    feature = {
        "type": "Feature", "geometry": {"type": "Point", "coordinates": [CENTER[1], CENTER[0]]},
        "properties": {"timestamp": fix("", 0, 0)["timestamp"], "device_id": values["device_id"]},
    }
    assert send(values["url"], {"locations": [feature]}, Authorization=f"Bearer {values['token']}") == 200

    tool = open_tool(open_window(), "Traccar Client (iOS, Android)", person="ann", mode="saving")
    link = scanned(tool)
    values = {name: found[0] for name, found in urllib.parse.parse_qs(link.query).items()}
    assert link.scheme == "org.traccar.client" and values["interval"] == "300" and values["id"] == "ann/phone"
    body = {"device_id": values["id"], "location": {
        "timestamp": fix("", 0, 0)["timestamp"], "coords": {"latitude": CENTER[0], "longitude": CENTER[1]}}}
    assert send(values["url"], body) == 200
    # Without an accuracy, and too seldom for a small region.
    expect(tool.locator(".finding.warn")).to_contain_text("no accuracy")
    assert {device["id"] for device in service.get("/v1/devices")["data"]} == {"jane/phone", "ann/phone"}


def test_the_check_says_what_is_wrong(window, service):
    service.add_circle("kiosk", "Kiosk", *CENTER, 30)
    tool = open_tool(window, "GPSLogger (Android)", mode="saving")
    expect(tool.locator(".qr-code")).to_have_count(0)
    expect(tool.locator(".facts")).to_contain_text("/ingest/gpslogger?%ALL&id=jane%2Fphone")
    with pytest.raises(AssertionError, match="all_rejected"):
        service.post("/v1/locations", [fix("jane/phone", *CENTER, ago=-90000)])
    expect(tool.locator(".finding.warn")).to_contain_text("A location was refused")
    service.report(fix("jane/phone", *CENTER, ago=3600, accuracy=400))
    expect(tool.locator(".finding.good")).to_be_visible()
    for text in ("accuracy is 400 m", "1 h 0 min old", "an entry can be missed"):
        expect(tool.locator(".finding.warn").filter(has_text=text)).to_be_visible()
    # A later location without faults turns the check green; the interval stays too long for the kiosk.
    service.report(fix("jane/phone", *CENTER))
    expect(tool.locator(".finding.warn")).to_have_count(1)


def test_home_assistant_passes_locations_on(window, service):
    tool = open_tool(window, "Home Assistant app (iOS, Android)")
    text = tool.locator(".phone-text").inner_text()
    assert f'url: "{service.url}/v1/locations"' in text and '"deviceId":"jane/phone"' in text
    expect(tool.locator(".warning")).to_contain_text("A phone cannot use this address")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_window, scheme):
    window = open_window(color_scheme=scheme, viewport={"width": 360, "height": 800})
    tool = open_tool(window, "OwnTracks (iOS, Android)")
    scanned(tool)
    assert violations(window.page, "add a phone") == []


def test_signing_out_removes_the_token(window):
    tool = open_tool(window, "OwnTracks (iOS, Android)")
    page = window.page
    settings = tool.locator(".phone-setup a").get_attribute("href").partition("inline=")[2]
    assert settings and settings in page.content()
    page.get_by_text("Menu").click()
    page.get_by_role("button", name="Sign out").click()
    # The page first has the service end the session, then removes what it shows.
    expect(page.locator(".phone-setup")).to_have_count(0)
    assert settings not in page.content()


def test_a_second_press_makes_no_second_token_and_the_code_is_in_view(window, service):
    tool = open_tool(window, "OwnTracks (iOS, Android)")
    page = window.page
    expect(tool.locator(".qr-code")).to_be_in_viewport(ratio=0.9)
    # Nothing about it looks like a fault.
    color = tool.locator(".phone-setup").evaluate("node => getComputedStyle(node).backgroundColor")
    assert color == page.locator("#panel").evaluate("node => getComputedStyle(node).backgroundColor")
    # What the code contains can be entered by hand too, with the interval.
    tool.get_by_text("Enter the settings by hand").click()
    expect(tool.locator(".facts").get_by_text("Locator interval")).to_be_visible()
    tokens = len(service.get("/v1/tokens")["data"])
    link = tool.locator(".phone-setup a").get_attribute("href")
    tool.get_by_role("button", name="Show the settings").click()
    expect(tool.locator(".phone-setup h2")).to_be_focused()
    assert tool.locator(".phone-setup a").get_attribute("href") == link
    assert len(service.get("/v1/tokens")["data"]) == tokens
    # Another device has its own.
    tool.get_by_label("Person").fill("bob")
    with page.expect_response(lambda answer: answer.url.endswith("/v1/tokens")):
        tool.get_by_role("button", name="Show the settings").click()
    expect(tool.get_by_role("heading", name="OwnTracks of bob/phone")).to_be_visible()
    assert len(service.get("/v1/tokens")["data"]) == tokens + 1


def test_owntracks_shows_the_friends_that_were_entered(window, service):
    service.report(fix("bob/phone", *CENTER), fix("van", *CENTER))
    service.request("PUT", "/v1/devices/bob%2Fphone/profile", {"name": "Bob"})
    window.sign_in()
    tool = window.open_tool("Add a phone")
    tool.get_by_label("App", exact=True).select_option(label="Overland (iOS, Android)")
    expect(tool.get_by_label("Friends")).to_be_hidden()
    tool.get_by_label("App", exact=True).select_option(label="OwnTracks (iOS, Android)")
    tool.get_by_label("Person").fill("jane")
    tool.get_by_label("Friends").fill("bob/phone, van, ")
    tool.get_by_role("button", name="Show the settings").click()
    expect(tool.locator(".phone-setup h2")).to_be_focused()
    inline = urllib.parse.parse_qs(scanned(tool).query)["inline"][0]
    token = json.loads(base64.b64decode(inline))["password"]
    request = urllib.request.Request(
        service.url + "/pub", json.dumps({"_type": "location", "lat": 38.7, "lon": -9.1, "acc": 9,
                                          "tst": int(datetime.datetime.now().timestamp())}).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        friends = json.load(answer)
    assert [(one["_type"], one.get("name")) for one in friends] == [
        ("card", "Bob"), ("location", None), ("card", "van"), ("location", None)]


def test_owntracks_gets_the_number_of_regions_that_was_entered(window, service):
    window.sign_in()
    tool = window.open_tool("Add a phone")
    tool.get_by_label("App", exact=True).select_option(label="OwnTracks (iOS, Android)")
    tool.get_by_label("Person").fill("jane")
    tool.get_by_label("Regions on the phone").fill("12")
    tool.get_by_role("button", name="Show the settings").click()
    expect(tool.locator(".phone-setup h2")).to_be_focused()
    configuration = json.loads(base64.b64decode(urllib.parse.parse_qs(scanned(tool).query)["inline"][0]))
    assert configuration["cmd"] is True
    issued = [token for token in service.get("/v1/tokens")["data"] if token["name"] == "OwnTracks: jane/phone"]
    assert issued and issued[-1]["regions"] == 12
