"""The choice of streets in the page: offered to administrators at first sight; the content security policy follows."""

import base64
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from test_tiles import image, status, write_mbtiles, write_pmtiles

VIEW = "/#map=5/38.7/-9.1"
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
SIZES = pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])


def offer(page):
    return page.get_by_role("region", name="Streets", exact=True)


def press(page, name):
    """Presses a button of the offer, after which the page is loaded again."""
    with page.expect_navigation():
        offer(page).get_by_role("button", name=name, exact=True).click()


def answer_openstreetmap(window):
    requests = []

    def answer(route):
        requests.append(route.request.url)
        route.fulfill(body=image(1, 2, 3), content_type="image/png")

    window.context.route("https://tile.openstreetmap.org/**", answer)
    return requests


def policy(window):
    return status(window.service, "/")[2]["Content-Security-Policy"]


def box_is_free(page, locator):
    """Whether the middle of an element is not covered by another one."""
    return locator.evaluate("""element => {
        const box = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
    }""")


@SIZES
def test_openstreetmap_is_one_click_from_the_first_sight(open_window, options):
    window = open_window(**options)
    requests = answer_openstreetmap(window)
    page = window.sign_in(VIEW)
    for name in ["OpenStreetMap", "A file", "Another server", "No streets"]:
        button = offer(page).get_by_role("button", name=name, exact=True)
        expect(button).to_be_in_viewport()
        assert box_is_free(page, button), name
    assert requests == [] and "openstreetmap" not in policy(window)
    press(page, "OpenStreetMap")
    window.expect_live()
    expect(page.locator("img.leaflet-tile-loaded").first).to_be_visible()
    credit = page.get_by_role("link", name="© OpenStreetMap contributors")
    expect(credit).to_be_in_viewport()
    assert box_is_free(page, credit)
    assert requests and "img-src 'self' data: https://tile.openstreetmap.org;" in policy(window)
    expect(offer(page)).to_be_hidden()
    # And back.
    page.get_by_role("button", name="Streets", exact=True).click()
    press(page, "No streets")
    window.expect_live()
    requests.clear()
    expect(offer(page)).to_be_hidden()
    page.reload()
    window.expect_live()
    expect(offer(page)).to_be_hidden()
    assert requests == [] and "img-src 'self';" in policy(window)


@pytest.mark.parametrize("kind", ["pmtiles", "mbtiles"])
def test_a_file_is_chosen_sent_in_parts_and_shown(window, tmp_path, kind):
    path = tmp_path / f"lisbon.{kind}"
    {"mbtiles": write_mbtiles, "pmtiles": write_pmtiles}[kind](path)
    page = window.sign_in(VIEW)
    parts = []
    page.on("request", lambda request: "/v1/map/file" in request.url and parts.append(request.url))
    with page.expect_navigation():
        with page.expect_file_chooser() as chooser:
            offer(page).get_by_role("button", name="A file", exact=True).click()
        chooser.value.set_files(path)
    window.expect_live()
    tile = page.locator("img.leaflet-tile-loaded").first
    expect(tile).to_be_visible()
    assert len(parts) == -(-path.stat().st_size // (4 << 20))
    code, body, _ = status(window.service, "/tiles/6/33/20")
    assert code == 200 and body == image(6, 33, 20)
    # The service has it after a restart too.
    window.service.stop()
    window.service.start()
    assert status(window.service, "/tiles/6/33/20")[1] == image(6, 33, 20)
    window.allows_connection_errors = True
    window.ignore_problems("")


def test_a_file_is_dropped_on_the_map(window, tmp_path):
    write_mbtiles(tmp_path / "map.mbtiles")
    page = window.sign_in(VIEW)

    def drop(name, bytes_text):
        transfer = page.evaluate_handle(
            """([name, text]) => {
                const data = new DataTransfer();
                data.items.add(new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], name));
                return data;
            }""", [name, bytes_text])
        page.dispatch_event("#map", "drop", {"dataTransfer": transfer})

    drop("holiday.jpg", "AAAA")
    expect(offer(page).get_by_role("alert")).to_contain_text("holiday.jpg is no map")
    drop("short.pmtiles", "AAAA")
    expect(offer(page).get_by_role("alert")).to_contain_text("it ends too early")
    with page.expect_navigation():
        drop("map.mbtiles", base64.b64encode((tmp_path / "map.mbtiles").read_bytes()).decode())
    window.expect_live()
    expect(page.locator("img.leaflet-tile-loaded").first).to_be_visible()
    window.ignore_problems("/v1/map/file")


@SIZES
def test_another_server_needs_an_attribution(open_window, options):
    window = open_window(**options)
    page = window.sign_in(VIEW)
    window.context.route("https://tiles.example.org/**", lambda route: route.fulfill(
        body=image(1, 2, 3), content_type="image/png"))
    offer(page).get_by_role("button", name="Another server").click()
    address = offer(page).get_by_label("Address of the tiles")
    expect(address).to_be_focused()
    address.fill("https://tiles.example.org/{z}/{x}.png")
    offer(page).get_by_label("Attribution").fill("© Somebody")
    offer(page).get_by_role("button", name="Use this server").click()
    expect(offer(page).get_by_role("alert")).to_contain_text("an address with {z}, {x} and {y}")
    address.fill("https://tiles.example.org/{z}/{x}/{y}.png")
    press(page, "Use this server")
    window.expect_live()
    expect(page.locator("img.leaflet-tile-loaded").first).to_be_visible()
    expect(page.locator(".leaflet-control-attribution")).to_have_text("© Somebody")
    assert "https://tiles.example.org;" in policy(window)
    window.ignore_problems("/v1/map")


def test_who_may_not_choose_is_not_asked(window):
    issued = window.service.post("/v1/tokens", {"name": "visitor", "scopes": ["read"]})
    window.service.token = issued["token"]
    page = window.sign_in(VIEW)
    expect(page.get_by_role("button", name="Legend")).to_be_visible()
    expect(offer(page)).to_be_hidden()
    expect(page.get_by_role("button", name="Streets", exact=True)).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@SIZES
def test_axe_finds_nothing(open_window, options, scheme):
    page = open_window(color_scheme=scheme, **options).sign_in(VIEW)
    offer(page).get_by_role("button", name="Another server").click()
    found = Axe().run(page, context="section.streets")
    assert found.violations_count == 0, found.generate_report()
    page.keyboard.press("Escape")
    expect(offer(page)).to_be_hidden()
    page.get_by_role("button", name="Streets", exact=True).focus()
    page.keyboard.press("Enter")
    expect(offer(page)).to_be_visible()
    assert re.search("Streets", offer(page).get_by_role("heading").inner_text())
