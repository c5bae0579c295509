"""Fences about where devices stand: armed on the card of a device, also by the clock, and broken when it is towed."""

import pytest
from playwright.sync_api import expect

from service import fix
from test_access import violations
from test_messages import wait_until

PLACE = (38.71, -9.14)
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


def park(service, minutes):
    """Sends a location a minute, up to a minute ago."""
    service.report(*[
        fix("van", PLACE[0] + (minute % 3) * 1e-5, PLACE[1], 60 * (minutes - minute)) for minute in range(minutes)
    ])


def tow(service, north):
    service.report(fix("van", PLACE[0] + north, PLACE[1]))


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_parked_van_is_watched_towed_and_watched_each_night(open_window, options):
    window = open_window(**options)
    service = window.service
    park(service, 40)
    page = window.sign_in("/#map=17/38.71/-9.14&device=van")
    card = page.get_by_role("article", name="Selected device")
    card.get_by_text("Fence where it stands", exact=True).click()
    expect(card.get_by_text("No fence.")).to_be_visible()
    card.get_by_role("button", name="Arm it here now").click()
    expect(card.get_by_role("status").filter(has_text="Armed since")).to_be_visible()
    state = service.get("/v1/devices/van/fence")
    assert state["state"] == "armed" and abs(state["latitude"] - PLACE[0]) < 3e-5 and state["radius"] == 50
    assert violations(page, "a fence") == []
    # It is towed.
    tow(service, 0.004)
    tow(service, 0.0045)
    expect(card.get_by_role("status").filter(has_text="Moved at")).to_be_visible()
    panel = page.get_by_role("tabpanel", name="Live")
    expect(panel.get_by_text("van was moved:").first).to_be_attached()
    events = service.get("/v1/events", type="fence.*")["data"]
    assert [event["type"] for event in events] == ["fence.armed", "fence.broken"]
    card.get_by_role("button", name="Disarm", exact=True).click()
    expect(card.get_by_text("No fence.")).to_be_visible()
    # Each night, and another radius.
    card.get_by_label("Radius in metres").fill("80")
    card.get_by_label("Arm it by the clock").check()
    card.get_by_label("From", exact=True).fill("21:30")
    card.get_by_label("To", exact=True).fill("05:15")
    card.get_by_label("Nights that begin on").select_option("Mon-Fri")
    card.get_by_label("Time zone").fill("Europe/Lisbon")
    card.get_by_role("button", name="Save", exact=True).first.click()
    wait_until(lambda: service.get("/v1/devices/van").get("fence", {}).get("schedule") == {
        "timeZone": "Europe/Lisbon", "weekly": ["Mon-Fri 21:30-05:15"]}, window)
    assert service.get("/v1/devices/van/fence")["radius"] == 80
    # A zone that does not exist is refused in words.
    card.get_by_label("Time zone").fill("Atlantis")
    card.get_by_role("button", name="Save", exact=True).first.click()
    expect(card.get_by_role("alert").filter(has_text="Write a schedule as")).to_be_visible()
    window.ignore_problems("422")
    card.get_by_role("button", name="Remove the fence").click()
    expect(card.get_by_text("No fence.")).to_be_visible()
    assert "fence" not in service.get("/v1/devices/van")


def test_a_refusal_says_what_to_do(open_window):
    window = open_window()
    service = window.service
    two_days = 2 * 86_400
    service.report(fix("van", *PLACE, two_days), fix("van", *PLACE, two_days - 60))
    page = window.sign_in("/#device=van")
    card = page.get_by_role("article", name="Selected device")
    card.get_by_text("Fence where it stands", exact=True).click()
    card.get_by_role("button", name="Arm it here now").click()
    expect(card.get_by_role("alert").filter(has_text="older than a day")).to_be_visible()
    window.ignore_problems("409")
