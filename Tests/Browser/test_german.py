"""The page in German: by the language of the browser, and by the choice in the menu; numbers and times as there."""

import re

import pytest
from playwright.sync_api import expect

from conftest import MENU_VIEWS
from sample_data import CENTER, add_sample_data
from service import fix
from test_access import violations
from test_layout import PHONE, VIEW

TABS = {"Live": "Live", "Places": "Orte", "History": "Verlauf", "Reports": "Berichte", "Import": "Import",
        "Messages": "Nachrichten", "MQTT and Home Assistant": "MQTT und Home Assistant",
        "Apps": "Apps", "Access": "Zugriff"}


def sign_in(window, path=VIEW):
    page = window.page
    page.goto(window.service.url + path)
    page.get_by_label("Zugangstoken").fill(window.service.token)
    page.get_by_role("button", name="Anmelden", exact=True).click()
    expect(page.get_by_role("status").filter(has_text=re.compile("^Live"))).to_be_visible()
    return page


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_german_browser_gets_german(open_window, service, screenshots, options):
    add_sample_data(service)
    window = open_window(locale="de-DE", **options)
    page = sign_in(window)
    assert page.evaluate("document.documentElement.lang") == "de"
    for name, german in TABS.items():
        if name in MENU_VIEWS:
            page.locator("#menu summary").click()
            page.get_by_role("navigation", name="Weitere Ansichten").get_by_role("button", name=german).click()
        else:
            page.get_by_role("tab", name=german).click()
        expect(page.locator("section.view:not([hidden])")).to_have_accessible_name(german)
        expect(page.get_by_text(re.compile("(wird|werden) geladen")).filter(visible=True)).to_have_count(0)
        screenshots(page, f"german-{'phone' if options else 'light'}-{name.lower()}")
        # Longer words fit the window too.
        assert page.evaluate("document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth") <= 0
        assert violations(page, german) == []


def test_numbers_and_times_are_german(open_window, service):
    service.report(fix("jane/phone", *CENTER, ago=5, speed=0.75, accuracy=6.5))
    page = sign_in(open_window(locale="de-DE"), "/#device=jane%2Fphone")
    card = page.get_by_role("article", name="Gewähltes Gerät")
    expect(card).to_contain_text("2,7 km/h")
    expect(card).to_contain_text("± 6,5 m")
    # 24 hours: no AM or PM.
    title = card.locator("dd").nth(1).text_content() + card.text_content()
    assert re.search(r"\d\d:\d\d:\d\d", title) and not re.search(r"\b[AP]M\b", title), title


def test_the_menu_has_the_language_which_stays(window):
    page = window.sign_in()
    page.locator("#menu summary").click()
    with page.expect_navigation():
        page.get_by_role("group", name="Language").get_by_label("Deutsch").click()
    expect(page.get_by_role("tab", name="Orte")).to_be_visible()
    page.reload()
    expect(page.get_by_role("tab", name="Orte")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "de"
    page.locator("#menu summary").click()
    with page.expect_navigation():
        page.get_by_role("group", name="Sprache").get_by_label("Die des Browsers").click()
    expect(page.get_by_role("tab", name="Places")).to_be_visible()


def test_german_has_metres_and_may_have_feet(open_window, service):
    service.report(fix("van", *CENTER, accuracy=8.0, speed=13.4))
    window = open_window(locale="de")
    page = sign_in(window, f"{VIEW}&device=van")
    expect(page.get_by_text("48 km/h").first).to_be_visible()
    page.locator("#menu summary").click()
    with page.expect_navigation():
        page.get_by_role("group", name="Einheiten").get_by_label("Fuß und Meilen").click()
    expect(page.get_by_text("30 mph").first).to_be_visible()
