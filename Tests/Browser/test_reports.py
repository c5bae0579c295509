"""The Reports tab: a week as lanes, the heat map, distances, trips, a summary to save, and suggested places."""

import io
import re
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import openpyxl
from playwright.sync_api import expect

from service import METERS_PER_DEGREE

OFFICE = (38.71, -9.14)
DAYS = 4


def commute(day):
    """Half an hour at the office, a walk of 1.1 km to the north, and half an hour there, once a minute."""
    start = datetime.now(timezone.utc).replace(hour=8, minute=0, second=0, microsecond=0) - timedelta(days=day)
    meters = [0] * 30 + [1112 * step / 14 for step in range(1, 15)] + [1112] * 30
    return [
        {
            "deviceId": "jane/phone",
            "timestamp": (start + timedelta(minutes=minute)).isoformat(),
            "latitude": OFFICE[0] + north / METERS_PER_DEGREE,
            "longitude": OFFICE[1],
            "horizontalAccuracy": 8,
        }
        for minute, north in enumerate(meters)
    ]


def add_week(service):
    service.add_circle("office", "Office", *OFFICE, 150, tags=["work"])
    for day in range(DAYS + 7, 7, -1):
        service.report(*commute(day))


def week_of_data():
    return f"{datetime.now(timezone.utc) - timedelta(days=8):%Y-%m-%d}"


def open_reports(window):
    page = window.sign_in("/#tab=reports&device=jane/phone")
    page.get_by_label("Week of").fill(week_of_data())
    page.get_by_role("button", name="Show", exact=True).click()
    return page


def test_a_week_has_lanes_hours_distances_trips_and_a_summary(window, screenshots):
    add_week(window.service)
    page = open_reports(window)
    lanes = page.get_by_role("region", name="The week")
    expect(lanes.get_by_title(re.compile("^Office: ")).first).to_be_visible()
    expect(lanes.get_by_title(re.compile("^Unknown: ")).first).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("in regions, by weekday and hour"))).to_be_visible()
    distances = page.get_by_role("region", name="Distance by day")
    expect(distances.get_by_text(re.compile(r"^1\.[01] km$")).first).to_be_visible()
    expect(page.get_by_role("region", name="Trips").get_by_text(re.compile("walking")).first).to_be_visible()

    screenshots(page, "reports-summary-light")

    page.get_by_label("Summary by").select_option("region")
    page.get_by_label("and", exact=True).select_option("week")
    page.get_by_role("button", name="Show", exact=True).click()
    summary = page.get_by_role("region", name="Summary")
    expect(summary.get_by_role("rowheader", name="Office")).to_be_visible()
    with page.expect_download() as download:
        summary.get_by_role("button", name="Save as CSV").click()
    text = open(download.value.path(), encoding="utf-8").read()
    assert text.startswith("regionId,date,secondsInside"), text
    with page.expect_download() as download:
        summary.get_by_role("button", name="Save as Excel file").click()
    assert open(download.value.path(), "rb").read(2) == b"PK"


def test_the_page_shows_the_numbers_of_the_api(window):
    add_week(window.service)
    page = open_reports(window)
    row = page.get_by_role("region", name="Summary").get_by_role("row").nth(1)
    expect(row).to_be_visible()
    date = row.locator("td").first.text_content()
    zone = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    rows = window.service.get(
        "/v1/summaries", deviceId="jane/phone", timeZone=zone,
        **{"from": f"{date}T00:00:00Z", "to": f"{date}T23:59:59Z"},
    )["data"]
    seconds = next(row["secondsInside"] for row in rows if row["date"] == date)
    expect(row).to_contain_text(f"{int(seconds // 60)} min")


def test_the_summary_and_the_trips_are_of_the_device_of_a_group_or_of_all(window):
    service = window.service
    add_week(service)
    vans = [{**location, "deviceId": van} for van in ("van-1", "van-2") for location in commute(8)]
    service.report(*vans)
    service.request("PUT", "/v1/groups/vans", {"devices": ["van-*"]})
    page = open_reports(window)
    page.get_by_label("and", exact=True).select_option("week")
    rows = page.get_by_role("region", name="Summary").get_by_role("rowheader")
    for choice, devices in [("this device", ["jane/phone"]), ("group vans", ["van-1", "van-2"]),
                            ("all devices", ["jane/phone", "van-1", "van-2"])]:
        page.get_by_label("Summary, visits and trips of").select_option(label=choice)
        page.get_by_role("button", name="Show", exact=True).click()
        expect(rows).to_have_text(devices)
        trips = page.get_by_role("region", name="Trips").get_by_role("listitem")
        expect(trips.first).to_be_visible()
        for van in ("van-1", "van-2"):
            # Their only day is that of the week. The trips of one device do not repeat its name.
            expect(trips.filter(has_text=van)).to_have_count(int(van in devices))
    with page.expect_download() as download:
        page.get_by_role("region", name="Trips").get_by_role("button", name="Save as CSV").click()
    assert download.value.path().read_text().count("van-2") > 0


def saved_workbook(page, section):
    with page.expect_download() as download:
        page.get_by_role("region", name=section).get_by_role("button", name="Save as Excel file").click()
    return openpyxl.load_workbook(io.BytesIO(download.value.path().read_bytes())).active


def test_workbooks_have_names_local_dates_durations_and_the_units_of_the_viewer(open_window, service):
    add_week(service)
    service.request("PUT", "/v1/devices/jane%2Fphone/profile", {"name": "Jane"})
    window = open_window(locale="en-US", timezone_id="Asia/Kolkata")
    page = open_reports(window)
    expect(page.get_by_role("region", name="Trips").get_by_role("listitem").first).to_be_visible()
    sheet = saved_workbook(page, "Trips")
    head, *rows = sheet.values
    assert head[:7] == ("Device", "Device ID", "Start", "End", "From", "To", "Distance (mi)") and len(rows) >= 2
    # The last two rows are an empty one and the totals.
    rows, (_, totals) = rows[:-2], rows[-2:]
    trips = {trip["start"]["time"]: trip for trip in service.get("/v1/trips", deviceId="jane/phone")["data"]}
    zone = ZoneInfo("Asia/Kolkata")
    for row in rows:
        start = row[2].replace(tzinfo=zone).astimezone(timezone.utc)
        trip = next(trip for at, trip in trips.items()
                    if abs((datetime.fromisoformat(at) - start).total_seconds()) <= 0.5)
        assert row[0] == "Jane" and row[4] == ("Office" if trip["start"]["regions"] else None)
        assert abs(row[6] * 1609.344 - trip["distance"]) < 1
        assert row[7] == timedelta(seconds=trip["duration"])
    assert sheet["H2"].number_format == "[h]:mm" and sheet["C2"].number_format == "yyyy-mm-dd hh:mm:ss"
    assert totals[0] == "Total" and totals[7] == f"=SUBTOTAL(109,H2:H{len(rows) + 1})"
    assert sheet.auto_filter.ref == f"A1:Q{len(rows) + 1}"

    sheet = saved_workbook(page, "Summary")
    head, *rows = sheet.values
    assert head[:4] == ("Device", "Device ID", "Date", "Time inside") and "Distance (mi)" in head
    shown = page.get_by_role("region", name="Summary").locator("tbody tr")
    assert shown.count() == len(rows) - 2
    dates = [text for text in shown.locator("td:first-child").all_text_contents()]
    assert [f"{row[2]:%Y-%m-%d}" for row in rows[:-2]] == dates and all(row[0] == "Jane" for row in rows[:-2])


def test_visits_are_listed_and_saved_with_names_and_local_times(open_window, service):
    add_week(service)
    vans = [{**location, "deviceId": "van-1"} for location in commute(8)]
    service.report(*vans)
    service.request("PUT", "/v1/devices/jane%2Fphone/profile", {"name": "Jane"})
    page = open_reports(open_window(locale="en-US", timezone_id="Asia/Kolkata"))
    visits = page.get_by_role("region", name="Visits")
    rows = visits.get_by_role("listitem")
    expect(rows.first).to_be_visible()
    # Those of one device do not repeat its name.
    expect(rows.filter(has_text="Jane")).to_have_count(0)
    page.get_by_label("Summary, visits and trips of").select_option(label="all devices")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(rows.filter(has_text="van-1")).not_to_have_count(0)
    expect(rows.filter(has_text="Office · Jane")).not_to_have_count(0)
    with page.expect_download() as download:
        visits.get_by_role("button", name="Save as CSV").click()
    assert download.value.suggested_filename == "visits.csv"
    head, *lines = download.value.path().read_text().splitlines()
    assert head.startswith("id,deviceId,arrival,departure,latitude,longitude,") and len(lines) == rows.count()
    with page.expect_download() as download:
        visits.get_by_role("button", name="Save as GeoParquet").click()
    assert download.value.suggested_filename == "visits.parquet"
    content = download.value.path().read_bytes()
    assert content[:4] == content[-4:] == b"PAR1" and b"van-1" in content

    sheet = saved_workbook(page, "Visits")
    head, *cells = sheet.values
    assert head == ("Device", "Device ID", "Region", "Region ID", "Arrival", "Departure", "Duration", "Latitude",
                    "Longitude", "Accuracy (m)", "Visit ID")
    cells, (_, totals) = cells[:-2], cells[-2:]
    assert [line.split(",")[0] for line in lines] == [row[-1] for row in cells]
    zone = ZoneInfo("Asia/Kolkata")
    known = {visit["id"]: visit for visit in service.get("/v1/visits", limit=500)["data"]}
    durations = timedelta()
    for row in cells:
        visit = known[row[-1]]
        assert (row[0], row[1]) == ("Jane" if visit["deviceId"] == "jane/phone" else "van-1", visit["deviceId"])
        assert (row[2], row[3]) == (("Office", "office") if visit["regions"] else (None, None))
        for cell, name in ((row[4], "arrival"), (row[5], "departure")):
            moment = visit[name] and datetime.fromisoformat(visit[name])
            assert (cell is None) == (moment is None)
            if cell:
                assert abs((cell.replace(tzinfo=zone) - moment).total_seconds()) <= 0.5
        if visit["arrival"] and visit["departure"]:
            length = datetime.fromisoformat(visit["departure"]) - datetime.fromisoformat(visit["arrival"])
            assert abs((row[6] - length).total_seconds()) <= 1
            durations += row[6]
        else:
            assert row[6] is None
    assert durations > timedelta()
    known_row = next(index for index, row in enumerate(cells) if row[6]) + 2
    assert sheet[f"G{known_row}"].number_format == "[h]:mm"
    assert sheet[f"E{known_row}"].number_format == "yyyy-mm-dd hh:mm:ss"
    assert totals[0] == "Total" and totals[6] == f"=SUBTOTAL(109,G2:G{len(cells) + 1})"


def test_the_summary_of_a_fleet_is_sorted_searched_and_added_up_by_group(window):
    service = window.service
    add_week(service)
    vans = [f"van-{number}" for number in range(1, 61)]
    # Each van has one fix more at the office than the one before.
    times = [location for location in commute(8) if location["latitude"] == OFFICE[0]]
    service.report(*[{**location, "deviceId": van} for index, van in enumerate(vans)
                     for location in times[:6 + index % 20] + times[-1:]])
    service.request("PUT", "/v1/groups/small", {"devices": ["van-?"]})
    service.request("PUT", "/v1/groups/all", {"devices": ["van-*"]})
    page = open_reports(window)
    page.get_by_label("and", exact=True).select_option("week")
    page.get_by_label("Summary, visits and trips of").select_option(label="all devices")
    page.get_by_role("button", name="Show", exact=True).click()
    summary = page.get_by_role("region", name="Summary")
    names = summary.get_by_role("rowheader")
    # A page of them, in the order of the service.
    expect(names).to_have_count(50)
    expect(summary.get_by_role("status")).to_have_text("The first 50 of 61 rows")
    summary.get_by_role("button", name="Show more").click()
    expect(names).to_have_count(61)
    inside = summary.get_by_role("columnheader", name="Inside")
    inside.get_by_role("button").click()
    expect(inside).to_have_attribute("aria-sort", "descending")
    seconds = [int(value) for value in summary.locator("tbody tr td:nth-child(3) data").evaluate_all(
        "all => all.map((one) => one.value)")]
    assert seconds == sorted(seconds, reverse=True) and len(set(seconds)) > 1
    device = summary.get_by_role("columnheader", name="device")
    device.get_by_role("button").click()
    expect(names.nth(1)).to_have_text("van-1")
    expect(names.nth(10)).to_have_text("van-10")
    device.get_by_role("button").click()
    expect(names.first).to_have_text("van-60")
    summary.get_by_role("searchbox").fill("VAN-1")
    expect(names).to_have_count(11)
    expect(summary.get_by_role("status")).to_have_text("11 rows")
    rows = {row["deviceId"]: row["secondsInside"] for row in service.get(
        "/v1/summaries", period="week", timeZone="Europe/Lisbon",
        **{"from": f"{datetime.now(timezone.utc) - timedelta(days=15):%Y-%m-%dT00:00:00Z}"})["data"]}
    total = summary.locator("tfoot data").first
    expect(total).to_have_attribute("value", str(sum(rows[van] for van in vans if van.startswith("van-1"))))

    page.get_by_label("Summary by").select_option("group")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(names).to_have_text(["all", "small"])
    # Groups overlap, so they have no total.
    expect(summary.locator("tfoot tr")).to_have_count(0)
    values = summary.locator("tbody tr td:nth-child(3) data")
    expect(values.nth(1)).to_have_attribute("value", str(sum(rows[van] for van in vans[:9])))


def test_a_place_becomes_a_region(window):
    add_week(window.service)
    page = open_reports(window)
    places = page.get_by_role("region", name="Frequent places")
    expect(places.get_by_text(re.compile("entries and"))).not_to_have_count(0)
    places.get_by_label("Name of the region").first.fill("Park")
    places.get_by_role("button", name="Make it a region").first.click()
    expect(page.get_by_text("Region Park was added.")).to_be_visible()
    assert "Park" in [region["properties"].get("name") for region in window.service.regions()]


def test_reports_fit_a_phone(open_window, screenshots):
    window = open_window(viewport={"width": 360, "height": 740})
    add_week(window.service)
    page = open_reports(window)
    expect(page.get_by_role("region", name="Trips")).to_be_visible()
    screenshots(page, "reports-summary-phone")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
