"""What a user states about a stay: its name, its times, that two are one, or that there was none."""

import re

from playwright.sync_api import expect

from test_access import violations
from test_history import SAMPLE_DAY, rows_of, sample_day


def select(page, title):
    """Selects a stay and opens its form."""
    day = page.get_by_role("list", name="Stays and trips")
    row = day.get_by_role("button", name=re.compile(title)).first
    # A stay that was corrected stays selected.
    if row.get_attribute("aria-pressed") != "true":
        row.click()
    page.get_by_text("Correct this stay", exact=True).click()


def test_a_stay_is_named_divided_joined_and_removed(window):
    sample_day(window.service)
    page = window.sign_in(SAMPLE_DAY)
    day = page.get_by_role("list", name="Stays and trips")
    expect(day.get_by_text("Home").first).to_be_visible()
    before = rows_of(page)
    assert "Office 08:42 to 12:18" in before

    select(page, "Office 08:42")
    page.get_by_label("What it was").fill("Conference")
    assert violations(page, "a stay that is corrected") == []
    page.get_by_role("button", name="Save the correction").click()
    expect(day.get_by_role("button", name=re.compile("Conference 08:42 to 12:18"))).to_be_visible()

    # A shorter time divides the stay, and the rest keeps its name.
    select(page, "Conference")
    page.get_by_label("Until").fill("2026-03-06T10:00")
    page.get_by_label("What it was").fill("Breakfast")
    page.get_by_role("button", name="Save the correction").click()
    expect(day.get_by_role("button", name=re.compile("Breakfast 08:42 to 10:00"))).to_be_visible()
    expect(day.get_by_role("button", name=re.compile("Conference 10:00 to 12:18"))).to_be_visible()

    # It is kept when the device is evaluated again, and in the summary there are two visits where there was one.
    window.service.post("/v1/devices/jane%2Fphone/evaluations", {})
    page.reload()
    expect(day.get_by_role("button", name=re.compile("Breakfast 08:42 to 10:00"))).to_be_visible()

    select(page, "Breakfast")
    page.get_by_role("button", name="Join with the next stay").click()
    expect(day.get_by_role("button", name=re.compile("Breakfast 08:42 to 12:18"))).to_be_visible()
    expect(day.get_by_text("Conference")).to_have_count(0)

    select(page, "Breakfast")
    page.get_by_role("button", name="There was no stay").click()
    expect(day.get_by_text("Breakfast")).to_have_count(0)
    page.get_by_role("status").filter(has_text="The stay is removed.").get_by_role("button", name="Undo").click()
    expect(day.get_by_role("button", name=re.compile("Breakfast 08:42 to 12:18"))).to_be_visible()
    select(page, "Breakfast")
    page.get_by_role("button", name="Take the correction back").click()
    expect(day.get_by_role("button", name=re.compile("Office 08:42 to 12:18"))).to_be_visible()
    assert rows_of(page) == before


def test_a_wrong_time_is_refused_where_it_is_typed(window):
    sample_day(window.service)
    page = window.sign_in(SAMPLE_DAY)
    select(page, "Office 08:42")
    page.get_by_label("Until").fill("2026-03-06T08:00")
    page.get_by_role("button", name="Save the correction").click()
    expect(page.get_by_text("The departure has to be after the arrival.")).to_be_visible()
    assert window.service.get("/v1/devices/jane%2Fphone/stay-corrections")["data"] == []
    window.ignore_problems("422")
