"""Plans: made with a form, walked by a device, and shown as the rounds of a day with their verdicts."""

import datetime
import re

import pytest
from playwright.sync_api import expect

from service import fix
from test_access import violations

GATE, HALL = (38.71, -9.14), (38.72, -9.14)
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_guard_walks_a_round_that_was_made_with_the_form(open_window, options):
    window = open_window(**options)
    service = window.service
    service.add_circle("gate", "North gate", *GATE, 120)
    service.add_circle("hall", "Great hall", *HALL, 120)
    service.report(fix("guard", *GATE, 120), fix("guard", *GATE, 60), fix("guard", *GATE))
    page = window.sign_in("/#tab=plans")
    panel = page.get_by_role("region", name="Plans", exact=True)
    panel.get_by_text("Add a plan", exact=True).click()
    panel.get_by_label("Name").fill("Night")
    devices = panel.get_by_label("Devices")
    devices.fill("guard")
    devices.press("Enter")
    start = datetime.datetime.now(datetime.timezone.utc).replace(second=0) + datetime.timedelta(minutes=1)
    if start.hour == 23:
        pytest.skip("the windows of this test would be on two dates")
    panel.get_by_role("button", name="Add a place").click()
    for index, (name, minutes) in enumerate((("North gate", (0, 10)), ("Great hall", (20, 30)))):
        place = panel.get_by_role("group", name="Place").nth(index)
        region = place.get_by_role("combobox", name="Region")
        region.fill(name)
        region.press("Enter")
        for label, minute in zip(("From", "To"), minutes):
            place.get_by_label(label, exact=True).fill((start + datetime.timedelta(minutes=minute)).strftime("%H:%M"))
    panel.get_by_label("Time zone").fill("Atlantis")
    panel.get_by_role("button", name="Add the plan").click()
    expect(panel.get_by_role("alert").filter(has_text="There is no time zone")).to_be_visible()
    window.ignore_problems("422")
    panel.get_by_label("Time zone").fill("UTC")
    panel.get_by_role("button", name="Add the plan").click()
    card = panel.get_by_role("article", name="Plan: Night")
    expect(card).to_be_visible()
    expect(card.get_by_role("listitem")).to_have_count(2)
    assert violations(page, "a plan") == []
    [plan] = service.get("/v1/plans")["data"]
    assert plan["devices"] == ["guard"] and [place["region"] for place in plan["places"]] == ["gate", "hall"]

    # The guard is at the gate when the window begins.
    page.wait_for_timeout(max((start - datetime.datetime.now(datetime.timezone.utc)).total_seconds() + 1, 0) * 1000)
    service.report(fix("guard", *GATE))
    card.get_by_role("button", name="Rounds").click()
    rounds = panel.get_by_role("region", name="Rounds of a day")
    expect(rounds.get_by_role("row")).to_have_count(3)
    expect(rounds.get_by_role("row", name=re.compile("North gate"))).to_contain_text("visited")
    expect(rounds.get_by_role("row", name=re.compile("Great hall"))).to_contain_text("not yet")
    assert violations(page, "the rounds of a day") == []
    with page.expect_download() as download:
        rounds.get_by_role("button", name="Save as CSV").click()
    assert ",gate," in download.value.path().read_text()
    card.get_by_role("button", name="End", exact=True).click()
    expect(panel.get_by_text("No plans")).to_be_visible()
    assert service.get("/v1/plans")["data"] == []
