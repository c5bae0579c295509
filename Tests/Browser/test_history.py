"""The History tab: the time line, the playback, several days, and the explanation of an event."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from playwright.sync_api import expect

from service import fix, walk

OFFICE = (38.71, -9.14)


def address():
    """The History tab with yesterday, today and tomorrow, so that the test does not depend on the time of day."""
    yesterday = datetime.now(ZoneInfo("Europe/Lisbon")) - timedelta(days=1)
    return f"/#tab=history&device=jane/phone&day={yesterday:%Y-%m-%d}&days=3"


def add_visit_to_office(service):
    """A device enters the office and leaves it again within the last ten minutes."""
    service.add_circle("office", "Office", *OFFICE, 150)
    service.report(*walk("jane/phone", *OFFICE, start=500, end=0, steps=14, began=600, took=140))
    service.report(*walk("jane/phone", *OFFICE, start=0, end=-500, steps=14, began=300, took=140))


def test_a_day_has_its_fixes_stays_and_events(window):
    add_visit_to_office(window.service)
    page = window.sign_in(address())
    events = page.get_by_role("list", name="Events")
    expect(events.get_by_text("entered Office")).to_be_visible()
    expect(events.get_by_text("left Office")).to_be_visible()
    dock = page.get_by_role("region", name="Time line")
    expect(dock).to_be_visible()
    expect(dock.get_by_role("img", name=re.compile(r"\d+ fixes"))).to_be_visible()
    expect(dock.get_by_text("Office", exact=True)).to_be_visible()

    # The time line is only visible with this tab.
    page.get_by_role("tab", name="Live").click()
    expect(dock).to_be_hidden()
    page.get_by_role("tab", name="History").click()
    expect(dock).to_be_visible()


def test_the_keyboard_controls_the_playback(window):
    add_visit_to_office(window.service)
    page = window.sign_in(address())
    slider = page.get_by_role("slider", name="Playback time")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("in no region"))
    slider.focus()
    before = slider.input_value()
    page.keyboard.press("ArrowRight")
    assert int(slider.input_value()) > int(before)
    page.keyboard.press("ArrowLeft")
    assert slider.input_value() == before
    page.get_by_role("button", name="Next event").click()
    expect(slider).to_have_attribute("aria-valuetext", re.compile("in Office"))
    slider.focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_an_event_shows_its_explanation(window):
    add_visit_to_office(window.service)
    page = window.sign_in(address())
    row = page.get_by_role("button", name=re.compile("^entered Office"))
    row.click()
    expect(row).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("img", name=re.compile("Cross-section of the boundary"))).to_be_visible()
    expect(page.get_by_text(re.compile(r"inside the boundary, with an accuracy of ±"))).to_be_visible()
    assert "event=evt_" in page.url
    row.click()
    expect(row).to_have_attribute("aria-expanded", "false")


def test_a_day_without_data_shows_a_message(window):
    window.service.report(fix("jane/phone", *OFFICE))
    page = window.sign_in("/#tab=history&device=jane/phone&day=2020-02-02")
    expect(page.get_by_text("No data for this period")).to_be_visible()
    page.goto(window.service.url + "/#tab=history&device=jane/phone&day=2020-02-02&days=31")
    expect(page.get_by_label("Number of days")).to_have_value("31")


def test_the_form_offers_the_devices_at_its_own_address_in_natural_order(window):
    window.service.report(*(fix(f"van-{number}", *OFFICE) for number in (10, 9, 100)))
    page = window.sign_in("/#tab=history")
    expect(page.locator("#known-devices option")).to_have_count(3)
    names = page.locator("#known-devices option").evaluate_all("options => options.map((one) => one.value)")
    assert names == ["van-9", "van-10", "van-100"]


def test_several_days_end_today_at_the_latest(window):
    window.service.report(fix("jane/phone", *OFFICE))
    page = window.sign_in("/#tab=history")
    today = datetime.now(ZoneInfo("Europe/Lisbon")).date()
    page.get_by_label("Device", exact=True).fill("jane/phone")
    page.get_by_label("Number of days").select_option("7")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#history-day")).to_have_value(str(today - timedelta(days=6)))
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator("#history-day")).to_have_value(str(today - timedelta(days=6)))
    page.get_by_role("button", name="Previous", exact=True).click()
    expect(page.locator("#history-day")).to_have_value(str(today - timedelta(days=13)))


def test_a_misspelt_device_is_named_with_the_one_that_was_meant(window):
    window.service.report(fix("jane/phone", *OFFICE), fix("van-1", *OFFICE))
    page = window.sign_in("/#tab=history")
    page.get_by_label("Device", exact=True).fill("jnae/phone")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("The service knows no device “jnae/phone”.")).to_be_visible()
    page.get_by_role("link", name="jane/phone").click()
    expect(page.get_by_label("Device", exact=True)).to_have_value("jane/phone")
    expect(page.get_by_role("region", name="Time line")).to_be_visible()


def test_the_time_line_is_in_the_panel_of_a_phone(open_window):
    window = open_window(viewport={"width": 360, "height": 740})
    add_visit_to_office(window.service)
    page = window.sign_in(address())
    panel = page.get_by_role("tabpanel", name="History")
    expect(panel.get_by_role("region", name="Time line")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
