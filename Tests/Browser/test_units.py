"""Distances and speeds on the page, in the units of the browser's language or chosen ones; the service keeps metres."""

import re

import pytest
from playwright.sync_api import expect

from service import fix

OFFICE = (38.71, -9.14)
VIEW = "/#map=16/38.71/-9.14"
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


def open_card(window):
    """The card of a van with 13.4 m/s and an accuracy of 8 m."""
    window.service.report(fix("van", *OFFICE, accuracy=8.0, speed=13.4))
    page = window.sign_in(f"{VIEW}&device=van")
    return page, page.get_by_role("article", name="Selected device")


def choose(page, units):
    """Chooses units in the menu. The page is loaded again."""
    page.get_by_text("Menu", exact=True).click()
    with page.expect_navigation():
        page.get_by_role("group", name="Units").get_by_label(units).click()


def scale(page):
    return page.locator(".leaflet-control-scale-line")


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_units_follow_the_language_and_the_menu(open_window, options):
    window = open_window(locale="en-US", **options)
    page, card = open_card(window)
    expect(card).to_contain_text("30 mph")
    expect(card).to_contain_text("± 26 ft")
    expect(scale(page)).to_have_text(re.compile("^[0-9.]+ (ft|mi)$"))
    choose(page, "Metres and kilometres")
    for _ in range(2):
        # The card is that of the address, and the choice outlives another visit.
        window.expect_live()
        expect(card).to_contain_text("48 km/h")
        expect(card).to_contain_text("± 8.0 m")
        expect(scale(page)).to_have_text(re.compile("^[0-9.]+ k?m$"))
        page.reload()
    window.expect_live()
    choose(page, "Those of the browser's language")
    window.expect_live()
    expect(card).to_contain_text("30 mph")


@pytest.mark.parametrize("language", ["en-GB", "fr", "en"])
def test_other_languages_have_metres(open_window, language):
    page, card = open_card(open_window(locale=language))
    expect(card).to_contain_text("48 km/h")
    choose(page, "Feet and miles")
    expect(card).to_contain_text("30 mph")


def test_lengths_of_regions_are_stored_in_metres(open_window):
    window = open_window(locale="en-US")
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    page = window.sign_in(f"{VIEW}&region=office")
    panel = window.open_tab("Places")
    card = page.get_by_role("article", name="Selected region")
    card.get_by_role("button", name="Change").click()
    radius = panel.get_by_label("Radius, feet")
    expect(radius).to_have_value("492.13")
    panel.get_by_text("Devices and altitude", exact=True).click()
    panel.get_by_label("Maximum altitude, feet").fill("1000")
    panel.get_by_text("Detection and schedule", exact=True).click()
    panel.get_by_label("Speed limit").fill("30")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Office was saved.")).to_be_visible()
    [region] = service.regions()
    # A length that was only shown is as it was.
    assert region["properties"]["radius"] == 150
    assert region["properties"]["maxAltitude"] == pytest.approx(304.8, abs=1e-9)
    assert region["properties"]["speedLimit"] == "30 mph"
    expect(card).to_be_visible()
    card.get_by_role("button", name="Change").click()
    radius.fill("1000")
    radius.press("Tab")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Office was saved.")).to_have_count(2)
    [region] = service.regions()
    assert region["properties"]["radius"] == pytest.approx(304.8, abs=1e-9)


def test_the_values_of_alerts_are_converted(open_window):
    window = open_window(locale="en-US")
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 5000, speedLimit=50)
    page = window.sign_in()
    service.report(*(fix("van", OFFICE[0] + 0.0027 * step, OFFICE[1], ago=100 - 10 * step, speed=30.0)
                     for step in range(10)))
    panel = page.get_by_role("tabpanel", name="Live")
    expect(panel.get_by_text(re.compile("drives too fast.*67.1 mph, limit 31.1 mph"))).to_be_visible()


@pytest.mark.parametrize("language, speed", [("en-US@posix", "30 mph"), ("C", "48 km/h"), ("", "48 km/h")])
def test_a_language_that_is_no_tag_does_not_break_the_page(window, language, speed):
    window.page.add_init_script(f"Object.defineProperty(navigator, 'language', {{ get: () => {language!r} }})")
    _, card = open_card(window)
    expect(card).to_contain_text(speed)
