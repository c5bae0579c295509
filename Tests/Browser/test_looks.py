"""How the page looks: pictures of it in both themes and on a phone, and that nothing sticks out of it."""

import pytest
from playwright.sync_api import expect

from scenes import CENTER, fill_town

VIEW = f"/#map=14.5/{CENTER[0]}/{CENTER[1]}"
TABS = ["Live", "Regions", "History", "Webhooks", "Apps"]
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
FORMS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"color_scheme": "light", **PHONE},
}


def settle(page):
    """Waits until everything asked for has come and is drawn."""
    page.evaluate("() => document.fonts.ready")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def expect_panel_on_top(page, picture):
    """The panel is what is seen where it is: what lies on the map stays on the map."""
    place = page.evaluate("""() => {
        const panel = document.getElementById("panel");
        const box = panel.getBoundingClientRect();
        const color = getComputedStyle(panel).backgroundColor.match(/\\d+/g).map(Number);
        return { x: box.left + 3, y: box.top + box.height / 2, scale: devicePixelRatio, color };
    }""")
    seen = picture.getpixel((round(place["x"] * place["scale"]), round(place["y"] * place["scale"])))
    assert list(seen) == place["color"], f"{seen} is seen where the panel is {place['color']}"


@pytest.mark.parametrize("form", FORMS)
def test_every_part_of_the_page_fits(open_window, service, receiver, pictures, form):
    fill_town(service, receiver)
    window = open_window(**FORMS[form])
    page = window.sign_in(VIEW)
    expect(page.get_by_role("listitem").filter(has_text="entered").first).to_be_visible()
    for tab in TABS:
        window.open_tab(tab)
        look(page, pictures, f"map-{form}-{tab.lower()}")
    window.open_tab("Live")
    page.get_by_role("listitem").filter(has_text="jane/phone entered Depot").get_by_role("link").click()
    card = page.get_by_role("article", name="Chosen event")
    expect(card.get_by_text("delivered").first).to_be_visible()
    look(page, pictures, f"map-{form}", of_documentation=True)


def look(page, pictures, name, **options):
    """Takes a picture; nothing may be wider than the window, or lie over the panel."""
    settle(page)
    picture = pictures(page, name, **options)
    expect_panel_on_top(page, picture)
    wide = page.evaluate("document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth")
    assert wide <= 0, f"{name} is {wide} pixels too wide"


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_service_says_what_to_do(open_window, pictures, form):
    window = open_window(**FORMS[form])
    page = window.page
    page.goto(window.service.url + "/")
    expect(page.get_by_label("Access token")).to_be_visible()
    settle(page)
    pictures(page, f"gate-{form}")
    window.sign_in()
    for tab in TABS:
        window.open_tab(tab)
        settle(page)
        pictures(page, f"empty-{form}-{tab.lower()}")
