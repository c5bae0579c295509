"""Who was in an area: drawing it, the list, the day of a device, files, and areas that are wrong."""

import re

from playwright.sync_api import expect

from test_access import violations
from test_drawing import DrawingPage
from test_history import sample_day

# The café on the corner, where jane was.
CAFE = (38.7124, -9.144)
VIEW = f"/#map=16/{CAFE[0]}/{CAFE[1]}"
PATH = "/v1/query/presences"


def open_tool(window, shape="Circle"):
    page = window.sign_in(VIEW)
    window.open_tab("Places")
    page.get_by_role("button", name="Who was here?").click()
    expect(page.get_by_role("heading", name="Who was here")).to_be_focused()
    page.get_by_label("Shape of the area").select_option(shape)
    return DrawingPage(page)


def ask(page, start="2026-03-06T00:00", end="2026-03-07T00:00"):
    page.locator("#presence-from").fill(start)
    page.locator("#presence-to").fill(end)
    page.get_by_role("button", name="Ask", exact=True).click()


def test_who_was_in_a_circle(window):
    sample_day(window.service)
    drawing = open_tool(window)
    page = drawing.page
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
    drawing.click(0, 0)
    drawing.click(80, 0)
    ask(page)
    rows = page.get_by_role("list", name="Who was here").get_by_role("listitem")
    expect(rows.first).to_be_visible()
    # The service gives the same answer.
    answer = window.service.post(PATH, {
        "center": {"latitude": CAFE[0], "longitude": CAFE[1]}, "radius": 149,
        "from": "2026-03-06T00:00:00Z", "to": "2026-03-07T00:00:00Z"})["data"]
    expect(rows).to_have_count(len(answer))
    jane = rows.filter(has_text="jane/phone").first
    expect(jane).to_contain_text(re.compile(r"08:\d\d.* to .*, \d+ min.*% sure"))
    assert violations(page, "who was here") == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    lines = download.value.path().read_text().splitlines()
    assert lines[0].startswith("deviceId,arrival,departure,duration") and len(lines) == len(answer) + 1
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as Excel file").click()
    assert download.value.path().read_bytes()[:2] == b"PK"

    # At another time nobody was there, and a time that ends before it begins is refused where it is typed.
    ask(page, "2026-03-05T00:00", "2026-03-06T00:00")
    expect(page.get_by_text("Nobody was here")).to_be_visible()
    ask(page, "2026-03-07T00:00", "2026-03-06T00:00")
    assert page.locator("#presence-to").evaluate("field => field.validationMessage").startswith("The end has")
    expect(page.get_by_text("Nobody was here")).to_be_visible()

    # A row leads to the day of its device.
    ask(page)
    rows.filter(has_text="jane/phone").get_by_role("link").first.click()
    expect(page.get_by_role("list", name="Stays and trips").get_by_text("Home").first).to_be_visible()
    assert "tab=history" in page.url and "device=jane/phone" in page.url and "day=2026-03-06" in page.url


def test_a_polygon_that_crosses_itself_is_refused_at_its_corner(window):
    sample_day(window.service)
    drawing = open_tool(window, "Polygon")
    page = drawing.page
    for east, south in [(-80, -80), (80, 80), (80, -80), (-80, 80)]:
        drawing.click(east, south)
    ask(page)
    expect(page.get_by_role("alert").filter(has_text="There is no answer")).to_be_visible()
    window.ignore_problems("422")
    # Another shape begins empty, and the tool leaves nothing on the map.
    page.get_by_label("Shape of the area").select_option("Circle")
    expect(drawing.vertices()).to_have_count(0)
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_role("button", name="Who was here?")).to_be_visible()
    expect(page.locator(".drawing")).to_have_count(0)
