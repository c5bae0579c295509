"""The frame of the page: four tabs, the views of the menu, the width of the panel, and a map without streets."""

import re

import pytest
from playwright.sync_api import expect

from conftest import MENU_VIEWS
from sample_data import CENTER, add_sample_data
from service import fix
from test_access import violations
from test_tiles import write_mbtiles
from town import Town

VIEW = f"/#map=14.5/{CENTER[0]}/{CENTER[1]}"


def width_of(page, selector):
    return page.locator(selector).bounding_box()["width"]


def test_four_tabs_have_icons_and_the_menu_has_the_other_views(window):
    add_sample_data(window.service)
    page = window.sign_in(VIEW)
    tabs = page.get_by_role("tab")
    assert tabs.all_inner_texts() == ["Live", "Places", "History", "Reports"]
    expect(page.locator(".tab .tab-icon")).to_have_count(4)
    page.locator("#menu summary").click()
    views = page.get_by_role("navigation", name="More views").get_by_role("button")
    assert views.all_inner_texts() == MENU_VIEWS
    page.keyboard.press("Escape")
    window.open_tab("Messages")
    # The menu closes, and no tab is selected; one is still reached with Tab.
    expect(page.get_by_role("navigation", name="More views")).to_be_hidden()
    expect(page.locator(".tab[aria-selected=true]")).to_have_count(0)
    expect(page.locator(".tab[tabindex='0']")).to_have_count(1)
    expect(page).to_have_url(re.compile("tab=webhooks"))
    page.go_back()
    expect(page.get_by_role("tabpanel", name="Live")).to_be_visible()


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_reports_import_and_access_have_the_width_of_the_page(open_window, size):
    window = open_window(viewport={"width": size[0], "height": size[1]})
    add_sample_data(window.service)
    page = window.sign_in(VIEW)
    for name in ["Reports", "Import", "Access"]:
        window.open_tab(name)
        assert width_of(page, "#panel") == size[0], name
        assert violations(page, name) == []
        window.open_tab("Live")
        assert width_of(page, "#panel") < 500
    # What is shown on the map is not covered.
    page.goto(f"{window.service.url}/#tab=import")
    track = (b'{"deviceId":"bob","timestamp":"2026-03-06T07:05:07Z","latitude":38.71,"longitude":-9.14}\n'
             b'{"deviceId":"bob","timestamp":"2026-03-06T07:15:07Z","latitude":38.72,"longitude":-9.15}\n')
    page.get_by_label("Choose a file, or drop it here").set_input_files(
        {"name": "track.ndjson", "mimeType": "text/plain", "buffer": track})
    expect(page.get_by_role("button", name="Start the import")).to_be_visible()
    assert width_of(page, "#panel") < 500


def test_a_large_screen_cuts_nothing_of_live(open_window, service):
    service.add_circle("long", "Kindergarten by the rose garden on the northern shore", *CENTER, 400)
    service.request("PUT", "/v1/groups/drivers-of-the-early-shift", {"devices": ["lorry/*"]})
    for number in range(15):
        service.report(fix(f"lorry/of-the-north-{number}", *CENTER, ago=60 * number, speed=12.0, battery=0.5))
    window = open_window(viewport={"width": 1920, "height": 1080})
    page = window.sign_in(f"{VIEW}&device=lorry/of-the-north-3")
    table = page.locator(".table-scroll").filter(has_text="drivers-of-the-early-shift")
    expect(table.get_by_role("row")).to_have_count(16)
    widths = table.evaluate("(node) => [node.scrollWidth, node.clientWidth]")
    assert widths[0] <= widths[1], widths
    # The hint of the search field is shown as a whole, and the card does not touch the field.
    assert page.get_by_role("searchbox").first.evaluate("""(field) => {
        const [canvas, style] = [document.createElement("canvas").getContext("2d"), getComputedStyle(field)];
        canvas.font = style.font;
        const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        return canvas.measureText(field.placeholder).width <= room;
    }""")
    bottom = page.get_by_role("searchbox").first.evaluate("(field) => field.getBoundingClientRect().bottom")
    assert page.get_by_role("article", name="Selected device").bounding_box()["y"] >= bottom + 8


def test_the_panel_has_the_width_that_somebody_gives_it(window):
    page = window.sign_in(VIEW)
    edge = page.get_by_role("separator", name="Width of the panel")
    before = width_of(page, "#panel")
    box = edge.bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 204, box["y"] + 200, steps=4)
    page.mouse.up()
    assert abs(width_of(page, "#panel") - before - 200) < 8
    # The map has the rest, and knows it.
    assert page.locator("#map").bounding_box()["width"] == 1280 - width_of(page, "#panel")
    edge.focus()
    dragged = width_of(page, "#panel")
    page.keyboard.press("ArrowLeft")
    assert width_of(page, "#panel") == dragged - 24
    expect(edge).to_have_attribute("aria-valuenow", str(int(dragged - 24)))
    page.keyboard.press("End")
    assert width_of(page, "#panel") == 1280 - 320
    page.keyboard.press("Home")
    assert width_of(page, "#panel") == 320
    page.reload()
    window.expect_live()
    assert width_of(page, "#panel") == 320
    edge.dblclick()
    assert width_of(page, "#panel") == before


def test_the_sheet_of_a_phone_shows_the_day_and_not_the_form(open_window):
    window = open_window(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    add_sample_data(window.service)
    page = window.sign_in(VIEW + "&tab=history&device=jane%2Fphone")
    expect(page.get_by_role("list", name="Stays and trips").first.get_by_role("listitem").first).to_be_in_viewport()
    expect(page.get_by_role("separator", name="Width of the panel")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(page, "a day on a phone") == []


def test_a_map_without_streets_says_so(window):
    page = window.sign_in(VIEW)
    expect(page.get_by_text("No streets on the map")).to_be_visible()


@pytest.mark.parametrize("kind", ["vector", "raster"])
def test_streets_that_do_not_load_say_so(open_window, service, tmp_path, kind):
    window = open_window()
    page = window.sign_in(VIEW)
    if kind == "vector":
        Town(*CENTER).write_mbtiles(tmp_path / "town.mbtiles")
    else:
        write_mbtiles(tmp_path / "town.mbtiles")
    with page.expect_navigation():
        with page.expect_file_chooser() as chooser:
            page.get_by_role("region", name="Streets", exact=True).get_by_role("button", name="A file").click()
        chooser.value.set_files(tmp_path / "town.mbtiles")
    window.expect_live()
    message = page.get_by_role("status").filter(has_text=re.compile("^Streets do not load from 127.0.0.1"))
    expect(message).to_be_hidden()
    # From now on, the tiles fail.
    window.allows_connection_errors = True
    page.route("**/tiles/**", lambda route: route.fulfill(status=503))
    # The pictures have eight levels, the town has the last ones.
    page.goto(service.url + (VIEW if kind == "vector" else "/#map=6/40/-5"))
    page.reload()
    window.expect_live()
    expect(message).to_be_visible()
    assert violations(page, "streets that do not load") == []
    # The base map is still there: at a level with a coast, land and sea have different colours.
    page.goto(f"{service.url}/#map=6/40/-5")
    expect(page).to_have_url(re.compile("map=6/"))
    page.wait_for_timeout(300)
    colors = page.evaluate("""() => {
        const canvas = document.querySelector(".leaflet-base-pane canvas");
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        const found = new Set();
        for (let at = 0; at < data.length; at += 4004) found.add(data.slice(at, at + 3).join());
        return found.size;
    }""")
    assert colors > 1
    page.goto(service.url + VIEW)
    expect(message).to_be_visible()
    page.get_by_role("button", name="Choose other streets").click()
    expect(page.get_by_role("region", name="Streets", exact=True)).to_be_visible()
    page.get_by_role("region", name="Streets", exact=True).get_by_role("button", name="Close").click()
    page.unroute("**/tiles/**")
    message.get_by_role("button", name="Try again").click()
    expect(message).to_be_hidden()
