"""The layout of the page: screenshots in both themes and on a phone; nothing is wider than the window."""

import pytest
from playwright.sync_api import expect

from sample_data import CENTER, add_sample_data
from town import Town

VIEW = f"/#map=14.5/{CENTER[0]}/{CENTER[1]}"
TABS = ["Live", "Places", "History", "Reports", "Import", "Messages", "Apps"]
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
FORMS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"color_scheme": "light", **PHONE},
}


def settle(page):
    """Waits until the fonts are loaded and the page is drawn."""
    page.evaluate("() => document.fonts.ready")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def expect_panel_on_top(page, image):
    """A pixel of the panel has the colour of the panel: no map layer covers it."""
    pixel = page.evaluate("""() => {
        const panel = document.getElementById("panel");
        const box = panel.getBoundingClientRect();
        const color = getComputedStyle(panel).backgroundColor.match(/\\d+/g).map(Number);
        return { x: box.left + 3, y: box.top + box.height / 2, scale: devicePixelRatio, color };
    }""")
    color = image.getpixel((round(pixel["x"] * pixel["scale"]), round(pixel["y"] * pixel["scale"])))
    assert list(color) == pixel["color"], f"the panel has the colour {color} instead of {pixel['color']}"


@pytest.mark.parametrize("form", FORMS)
def test_every_tab_fits_the_window(open_window, service, receiver, screenshots, form):
    add_sample_data(service, receiver)
    window = open_window(**FORMS[form])
    page = window.sign_in(VIEW)
    expect(page.get_by_role("listitem").filter(has_text="entered").first).to_be_visible()
    for tab in TABS:
        window.open_tab(tab)
        check_layout(page, screenshots, f"map-{form}-{tab.lower()}")
    window.open_tab("Live")
    page.get_by_role("listitem").filter(has_text="jane/phone entered Depot").get_by_role("link").click()
    card = page.get_by_role("article", name="Selected event")
    expect(card.get_by_text("delivered").first).to_be_visible()
    check_layout(page, screenshots, f"map-{form}")


@pytest.mark.parametrize("form", FORMS)
def test_streets_lie_below_regions_and_devices(open_window, service, receiver, screenshots, tmp_path, form):
    add_sample_data(service, receiver)
    window = open_window(**FORMS[form])
    page = window.sign_in(VIEW)
    Town(*CENTER).write_mbtiles(tmp_path / "town.mbtiles")
    tiles = []
    page.on("request", lambda request: "/tiles/" in request.url and tiles.append(request.url))
    offer = page.get_by_role("region", name="Streets", exact=True)
    check_layout(page, screenshots, f"streets-offer-{form}")
    with page.expect_navigation():
        with page.expect_file_chooser() as chooser:
            offer.get_by_role("button", name="A file", exact=True).click()
        chooser.value.set_files(tmp_path / "town.mbtiles")
    window.expect_live()
    expect(page.locator("canvas.leaflet-tile-loaded").first).to_be_attached()
    expect(page.get_by_role("listitem").filter(has_text="entered").first).to_be_visible()
    expect(page.locator("canvas.leaflet-tile:not(.leaflet-tile-loaded)")).to_have_count(0)
    # The last level of the file, and no earlier one made larger.
    assert tiles and all("/tiles/14/" in url for url in tiles), tiles
    check_layout(page, screenshots, f"streets-{form}")


def check_layout(page, screenshots, name, **options):
    """Takes a screenshot. The page must not be wider than the window, and nothing may cover the panel."""
    settle(page)
    expect_panel_on_top(page, screenshots(page, name, **options))
    overflow = page.evaluate("document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth")
    assert overflow <= 0, f"{name} is {overflow} pixels too wide"


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_service_shows_the_first_steps(open_window, screenshots, form):
    window = open_window(**FORMS[form])
    page = window.page
    page.goto(window.service.url + "/")
    expect(page.get_by_label("Access token")).to_be_visible()
    settle(page)
    screenshots(page, f"sign-in-{form}")
    window.sign_in()
    for tab in TABS:
        window.open_tab(tab)
        settle(page)
        screenshots(page, f"empty-{form}-{tab.lower()}")
