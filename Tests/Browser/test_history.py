"""The History tab: the time line, the playback, several days, and the explanation of an event."""

import pathlib
import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from playwright.sync_api import expect

from service import fix, offset, walk
from test_access import violations

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


def test_the_empty_history_offers_the_devices(window):
    window.service.report(fix("jane/phone", 38.71, -9.14, ago=60), fix("bob", 38.71, -9.14, ago=60))
    window.service.request("PUT", "/v1/devices/jane%2Fphone/profile", {"name": "Jane"})
    page = window.sign_in("/#tab=history")
    panel = page.get_by_role("tabpanel", name="History")
    expect(panel.locator(".empty").get_by_role("link")).to_have_text(["bob", "Jane"])
    panel.get_by_role("link", name="Jane").click()
    expect(page).to_have_url(re.compile("device=jane"))
    expect(panel.get_by_text("Select a device")).to_be_hidden()


def test_a_day_has_its_fixes_stays_and_events(window):
    add_visit_to_office(window.service)
    page = window.sign_in(address())
    events = page.get_by_role("list", name="Events")
    expect(events).to_be_hidden()
    page.get_by_text(re.compile("^All events")).click()
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
    page.get_by_text(re.compile("^All events")).click()
    row = page.get_by_role("button", name=re.compile("^entered Office"))
    row.click()
    expect(row).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("img", name=re.compile("Cross-section of the boundary"))).to_be_visible()
    expect(page.get_by_text(re.compile(r"inside the boundary, with an accuracy of ±"))).to_be_visible()
    assert "event=evt_" in page.url
    row.click()
    expect(row).to_have_attribute("aria-expanded", "false")


def sample_day(service):
    """The regions and the tracks of the sample day, on which jane goes to a café, the office and the market."""
    root = pathlib.Path(__file__).resolve().parents[2] / "Regions"
    service.request("POST", "/v1/regions", (root / "city.geojson").read_bytes())
    service.request("POST", "/v1/imports", (root / "tracks" / "day.ndjson").read_bytes())


SAMPLE_DAY = "/#tab=history&device=jane/phone&day=2026-03-06"


def rows_of(page):
    """The rows of the day without the durations, as somebody reads them."""
    return [" ".join(text.split()) for text in page.locator(".diary-text").all_inner_texts()]


def test_a_day_reads_as_stays_and_trips(window):
    service = window.service
    sample_day(service)
    page = window.sign_in(SAMPLE_DAY)
    day = page.get_by_role("list", name="Stays and trips")
    expect(day.get_by_text("Home").first).to_be_visible()
    rows = rows_of(page)
    assert rows[:2] == ["No data 00:00 to 07:05", "Home until 08:10"], rows
    assert "Office 08:42 to 12:18" in rows and "Cycled 1.8 km 17:23 to 17:33" in rows, rows
    assert rows[-2:] == ["Home since 19:15, last heard 20:11", "No data 20:11 to 00:00"], rows
    # The smallest region names a place: the café is in the old town.
    assert any(row.startswith("Café on the corner") for row in rows), rows
    # The totals are those of the summary that Reports show.
    query = {"deviceId": "jane/phone", "from": "2026-03-06T00:00:00Z", "to": "2026-03-07T00:00:00Z"}
    [summary] = service.get("/v1/summaries", **query, timeZone="Europe/Lisbon")["data"]
    stays = service.get("/v1/timeline", **query, timeZone="Europe/Lisbon")["visits"]
    totals = page.locator(".day-totals").inner_text()
    assert f"at {summary['visits']} places" in totals, totals
    stayed = sum(stay["seconds"] for stay in stays)
    assert totals.startswith(f"{int(stayed // 3600)} h {int(stayed % 3600 // 60)} min"), totals
    meters = sum(float(number) * (1000 if unit == "km" else 1) for number, unit in re.findall(
        r"([\d.]+) (km|m) (?:on|by)", totals))
    assert abs(meters - summary["distance"]) < 160, (totals, summary)  # each number is rounded to 0.1 km
    assert violations(page, "a day as stays and trips") == []


def test_a_row_of_the_day_and_the_map_move_together(window):
    sample_day(window.service)
    page = window.sign_in(SAMPLE_DAY)
    page.get_by_role("button", name="No streets").click()
    row = page.get_by_role("button", name=re.compile("^Cycled 1.8 km"))
    row.click()
    expect(row).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("part=leg-1043"))
    expect(page.locator(".day-clock")).to_have_text("Fri 6 Mar 17:23")
    expect(page.locator(".diary-parts > [aria-current=time]")).to_contain_text("Cycled")
    before = page.url
    office = page.get_by_role("button", name=re.compile("^.*Office 08:42"))
    office.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("before => location.hash.split('map=')[1] !== before.split('map=')[1]", arg=before)
    # A click on the pin of another stay selects its row: the one of the office is in the middle of the map.
    page.keyboard.press("Enter")
    expect(office).to_have_attribute("aria-pressed", "false")
    box = page.locator("#map").bounding_box()
    page.wait_for_timeout(400)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 - 18)
    expect(office).to_have_attribute("aria-pressed", "true")
    # The link opens the same part.
    page.reload()
    window.expect_live()
    expect(office).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".day-clock")).to_have_text("Fri 6 Mar 08:42")


def test_a_stay_says_between_which_times_it_began_and_time_without_data_is_a_row(window):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    far = offset(*OFFICE, 6000, 0)
    begin = datetime(2026, 3, 6, 8, tzinfo=ZoneInfo("Europe/Lisbon"))
    times = [(far, minutes) for minutes in range(0, 16, 5)] + [(OFFICE, minutes) for minutes in range(35, 66, 5)]
    service.report(*({
        "deviceId": "jane/phone", "timestamp": (begin + timedelta(minutes=minutes)).isoformat(), "latitude": latitude,
        "longitude": longitude, "horizontalAccuracy": 10,
    } for (latitude, longitude), minutes in times))
    page = window.sign_in(SAMPLE_DAY)
    expect(page.get_by_text("Arrived between 08:15 and 08:35")).to_be_visible()
    expect(page.get_by_text("Left between 08:15 and 08:35")).to_be_visible()
    rows = rows_of(page)
    assert rows[0] == "No data 00:00 to 08:00" and "No data 08:15 to 08:35" in rows, rows
    assert rows[1] == "A place without a name until 08:15", rows
    assert rows[-2:] == ["Office since 08:35, last heard 09:05", "No data 09:05 to 00:00"], rows


def test_a_day_without_data_shows_a_message(window):
    window.service.report(fix("jane/phone", *OFFICE))
    page = window.sign_in("/#tab=history&device=jane/phone&day=2020-02-02")
    expect(page.get_by_text("No data for this period")).to_be_visible()
    page.goto(window.service.url + "/#tab=history&device=jane/phone&day=2020-02-02&days=31")
    expect(page.get_by_label("Number of days")).to_have_value("31")


def test_the_form_offers_the_devices_at_its_own_address_in_natural_order(window):
    window.service.report(*(fix(f"van-{number}", *OFFICE) for number in (10, 9, 100)))
    page = window.sign_in("/#tab=history")
    page.get_by_label("Device", exact=True).click()
    options = page.locator(".picker [role=option]")
    expect(options).to_have_count(3)
    assert [name.split()[0] for name in options.all_inner_texts()] == ["van-9", "van-10", "van-100"]


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


def shown_span(page):
    """The part of the time line in minutes after its start, as the address has it; None for all of it."""
    found = re.search(r"[#&]span=(\d+)-(\d+)", page.url)
    return found and tuple(map(int, found.groups()))


def test_the_time_line_zooms_with_buttons_and_keys(window):
    add_visit_to_office(window.service)
    page = window.sign_in(address())
    dock = page.get_by_role("region", name="Time line")
    bar = dock.get_by_role("group", name="Zoom of the time line")
    slider = page.get_by_role("slider", name="Playback time")
    event = dock.get_by_role("button", name=re.compile("entered Office")).first
    expect(event).to_be_visible()
    narrow = event.bounding_box()["x"]
    expect(bar.get_by_role("button", name="Zoom out")).to_have_attribute("aria-disabled", "true")
    bar.get_by_role("button", name="Zoom in").click()
    expect(page).to_have_url(re.compile("span="))
    start, end = shown_span(page)
    assert end - start == 3 * 1440 / 2
    expect(bar.get_by_role("status")).to_have_text(re.compile(r"\d\d:\d\d to .*\d\d:\d\d"))

    # The keys zoom around the playback time, which stays visible.
    slider.focus()
    for _ in range(5):
        page.keyboard.press("+")
    page.wait_for_function(
        "() => { const part = location.hash.match(/span=(\\d+)-(\\d+)/); return part[2] - part[1] < 70; }")
    assert slider.evaluate("node => node.max - node.min") <= 70 * 60_000
    time = int(slider.input_value())
    assert slider.evaluate("node => Number(node.min)") <= time <= slider.evaluate("node => Number(node.max)")
    # Now the events are far apart.
    first, last = (dock.get_by_role("button", name=re.compile(text)).first
                   for text in ("entered Office", "left Office"))
    assert last.bounding_box()["x"] - first.bounding_box()["x"] > 30
    assert first.bounding_box()["x"] != narrow
    before = shown_span(page)
    bar.get_by_role("button", name="Earlier").click()
    page.wait_for_function("before => !location.hash.includes(before)", arg=f"span={before[0]}-{before[1]}")
    earlier = shown_span(page)
    assert earlier[0] < before[0] and abs((earlier[1] - earlier[0]) - (before[1] - before[0])) <= 1

    # The next event is shown, wherever it is.
    bar.get_by_role("button", name="Earlier").click()
    page.get_by_role("button", name="Next event").click()
    expect(dock.locator(".day-cursor")).to_be_visible()
    # A link shows the same part, and so does a reload.
    span = shown_span(page)
    page.reload()
    window.expect_live()
    expect(slider).to_be_visible()
    assert shown_span(page) == span
    slider.focus()
    page.keyboard.press("0")
    expect(page).not_to_have_url(re.compile("span="))
    expect(bar.get_by_role("button", name="Show all")).to_have_attribute("aria-disabled", "true")
    assert violations(page, "zoom of the time line") == []


def test_the_time_line_zooms_with_the_wheel_and_moves_sideways(window):
    add_visit_to_office(window.service)
    page = window.sign_in(address())
    dock = page.get_by_role("region", name="Time line")
    strip = dock.locator(".strip").nth(1)
    box = strip.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 5)
    page.mouse.wheel(0, -480)
    expect(page).to_have_url(re.compile("span="))
    start, end = shown_span(page)
    assert abs(end - start - 3 * 1440 / 4) <= 1
    # The time under the pointer stays there: a quarter of three days is a quarter of the part.
    assert abs((1080 - start) / (end - start) - 0.25) < 0.02
    page.mouse.wheel(200, 0)
    page.wait_for_function("start => Number(location.hash.match(/span=(\\d+)/)[1]) > start", arg=start)
    page.mouse.wheel(0, 4000)
    expect(page).not_to_have_url(re.compile("span="))
    # A part that makes no sense is the whole.
    for text in ("5-4", "900000-900100", "x", "0-1"):
        page.goto(f"{window.service.url}{address()}&span={text}")
        expect(dock.get_by_role("button", name="Zoom out")).to_have_attribute("aria-disabled", "true")


PINCH = """([node, from, to]) => {
  const box = node.getBoundingClientRect();
  const fire = (name, id, x) => node.dispatchEvent(new PointerEvent(name, {
    pointerId: id, pointerType: "touch", isPrimary: id === 11, bubbles: true, cancelable: true,
    clientX: box.x + x * box.width, clientY: box.y + 8,
  }));
  node.setPointerCapture = () => {};
  from.forEach((x, index) => fire("pointerdown", 11 + index, x));
  for (let step = 1; step <= 10; step += 1) {
    from.forEach((x, index) => fire("pointermove", 11 + index, x + ((to[index] - x) * step) / 10));
  }
  from.forEach((_, index) => fire("pointerup", 11 + index, to[index]));
}"""


def test_two_fingers_zoom_the_time_line_of_a_phone(open_window):
    window = open_window(viewport={"width": 360, "height": 740}, has_touch=True)
    add_visit_to_office(window.service)
    page = window.sign_in(address())
    panel = page.get_by_role("tabpanel", name="History")
    dock = panel.get_by_role("region", name="Time line")
    expect(dock).to_be_visible()
    lanes = dock.locator(".day-lanes")
    page.evaluate("node => { window.lanes = node; }", lanes.element_handle())
    page.evaluate(f"(parts) => ({PINCH})([window.lanes, ...parts])", [[0.6, 0.7], [0.5, 0.8]])
    expect(page).to_have_url(re.compile("span="))
    start, end = shown_span(page)
    assert 0.25 < (end - start) / (3 * 1440) < 0.45
    bar = dock.get_by_role("group", name="Zoom of the time line")
    for name in ("Earlier", "Later", "Zoom out", "Zoom in", "Show all"):
        button = bar.get_by_role("button", name=name).bounding_box()
        assert button["x"] >= 0 and button["x"] + button["width"] <= 360, name
        assert button["height"] >= 32, name
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(page, "zoom on a phone") == []


def test_the_time_line_is_in_the_panel_of_a_phone(open_window):
    window = open_window(viewport={"width": 360, "height": 740})
    add_visit_to_office(window.service)
    page = window.sign_in(address())
    panel = page.get_by_role("tabpanel", name="History")
    expect(panel.get_by_role("region", name="Time line")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_stay_in_no_region_gets_a_name(window):
    service = window.service
    sample_day(service)
    service.request("DELETE", "/v1/regions/home")
    page = window.sign_in(SAMPLE_DAY)
    day = page.get_by_role("list", name="Stays and trips")
    unnamed = day.get_by_role("button", name=re.compile("A place without a name"))
    expect(unnamed.last).to_be_visible()
    count = unnamed.count()
    assert not any(row.startswith("Home") for row in rows_of(page)), rows_of(page)
    # A stay in a region has its name already.
    day.get_by_role("button", name=re.compile("^.?.?Office")).first.click()
    name = page.get_by_label("Name of this place")
    expect(name).to_have_count(0)
    unnamed.last.click()
    name.fill("Granny's")
    assert violations(page, "a stay that is named") == []
    name.press("Enter")
    expect(day.get_by_role("button", name=re.compile("Granny's")).last).to_be_visible()
    expect(name).to_have_count(0)
    assert unnamed.count() < count
    [region] = [one for one in service.regions() if one["properties"]["name"] == "Granny's"]
    assert 50 <= region["properties"]["radius"] <= 300
    page.reload()
    expect(day.get_by_role("button", name=re.compile("Granny's")).last).to_be_visible()
