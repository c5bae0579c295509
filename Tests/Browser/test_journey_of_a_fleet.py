"""A fleet: regions from QGIS, 200 vans in four groups, the week of a group as a workbook, 5,000 devices on the map."""

import datetime
import io
import json
import random
import re

from openpyxl import load_workbook
from playwright.sync_api import expect

from sample_data import CENTER
from service import fix, offset
from test_access import violations

GROUPS = ["north", "east", "south", "west"]
COUNT = 5000
# The time of the first cluster that the map draws, since the page was opened.
FIRST_CLUSTER = """
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
        if (/^[1-9][\\d.,]*k?$/.test(text)) globalThis.firstCluster ??= performance.now();
        return write.call(this, text, ...more);
    };
"""


def qgis_file():
    """What QGIS saves as GeoJSON: a name, a coordinate system, numbers as ids, multi-polygons with attributes."""
    def square(latitude, longitude, half):
        corners = [(half, -half), (half, half), (-half, half), (-half, -half), (half, -half)]
        return [[round(lon, 7), round(lat, 7)] for lat, lon in (offset(latitude, longitude, *corner)
                                                                for corner in corners)]

    features = [{
        "type": "Feature", "properties": {"fid": number + 1, "name": name, "depot_no": f"D{number + 1:02}"},
        "geometry": {"type": "MultiPolygon", "coordinates": [[square(*offset(*CENTER, north, east), 150)]]},
    } for number, (name, (north, east)) in enumerate(depots().items())]
    return json.dumps({
        "type": "FeatureCollection", "name": "depots",
        "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}, "features": features})


def depots():
    return {f"Depot {name}": place for name, place in
            zip(GROUPS, [(4000, 0), (0, 4000), (-4000, 0), (0, -4000)])}


def drive(service, vans):
    """Two days of last week: an hour in the depot of the group, a tour, and back."""
    today = datetime.datetime.now(datetime.timezone.utc).replace(hour=8, minute=0, second=0, microsecond=0)
    monday = today - datetime.timedelta(days=today.weekday() + 7)
    for group, devices in vans.items():
        north, east = depots()[f"Depot {group}"]
        locations = []
        for index, van in enumerate(devices):
            for day in (0, 1):
                start = monday + datetime.timedelta(days=day, seconds=7 * index)
                path = [(minute, 0) for minute in range(0, 61, 5)] + [
                    (60 + 2 * step, 600 * min(step, 20 - step)) for step in range(1, 21)] + [
                    (100 + minute, 0) for minute in range(5, 31, 5)]
                for minute, far in path:
                    latitude, longitude = offset(*CENTER, north + far, east + 10 * (index % 5))
                    moment = start + datetime.timedelta(minutes=minute)
                    locations.append({"deviceId": van, "timestamp": moment.isoformat(), "latitude": latitude,
                                      "longitude": longitude, "horizontalAccuracy": 8})
        service.report(*locations)
    return monday.date()


def test_a_group_has_regions_of_qgis_and_a_workbook_of_its_week(window, service):
    page = window.sign_in(f"/#tab=regions&map=12/{CENTER[0]}/{CENTER[1]}")
    page.get_by_role("button", name="Import").click()
    form = page.locator("form").filter(has_text="Import regions")
    form.get_by_label("File (or drop it here)").set_input_files(
        {"name": "depots.geojson", "mimeType": "application/geo+json", "buffer": qgis_file().encode()})
    expect(form.get_by_text("depots.geojson: 4 regions")).to_be_visible()
    expect(form.get_by_role("listitem").filter(has_text="Depot north")).to_be_visible()
    assert service.regions() == []
    form.get_by_role("button", name="Store 4 regions").click()
    expect(page.get_by_text("4 regions added, 0 replaced.").first).to_be_visible()
    assert {region["properties"]["name"] for region in service.regions()} == set(depots())

    vans = {group: [f"{group}/van-{number:02}" for number in range(1, 51)] for group in GROUPS}
    for group in GROUPS:
        service.request("PUT", f"/v1/groups/{group}", {"devices": [f"{group}/*"]})
    monday = drive(service, vans)
    page.goto(f"{service.url}/#tab=reports&device=north%2Fvan-01")
    page.reload()
    window.expect_live()
    expect(page.get_by_role("status").filter(has_text="200 devices")).to_be_visible()
    page.get_by_label("Week of").fill(f"{monday:%Y-%m-%d}")
    page.get_by_label("Summary, visits and trips of").select_option(label="group east")
    page.get_by_label("and", exact=True).select_option("week")
    page.get_by_role("button", name="Show", exact=True).click()
    summary = page.get_by_role("region", name="Summary")
    expect(summary.get_by_role("rowheader")).to_have_count(50)
    expect(summary.get_by_role("rowheader").first).to_have_text("east/van-01")
    assert violations(page, "the week of a group") == []

    with page.expect_download() as download:
        summary.get_by_role("button", name="Save as Excel file").click()
    with page.expect_request(lambda request: "/v1/summaries" in request.url and "format=" not in request.url) as asked:
        page.get_by_role("button", name="Show", exact=True).click()
    rows = service.get(re.sub(r"^https?://[^/]+", "", asked.value.url))["data"]
    assert len(rows) == 50 and all(row["secondsInside"] > 3600 for row in rows), rows[:1]
    check_workbook(download.value.path().read_bytes(), rows)


def seconds_of(cell):
    """A duration of a cell: a number of seconds, or what openpyxl makes of a cell with the format of a duration."""
    value = cell.value
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, datetime.datetime):
        return (value - datetime.datetime(1899, 12, 30)).total_seconds()
    if isinstance(value, datetime.time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return value * 86_400 if "h" in cell.number_format.lower().replace("general", "") else value


def check_workbook(content, rows):
    """Every van of the group, and no other, is in the first sheet with the seconds and metres of the API."""
    table = list(load_workbook(io.BytesIO(content)).worksheets[0].iter_rows())
    head = next(index for index, line in enumerate(table) if "device" in str(line[0].value).lower())
    names = [str(cell.value).lower() for cell in table[head]]
    [device, inside, distance] = [next(index for index, name in enumerate(names) if word in name)
                                  for word in ("device", "inside", "distance")]
    by_device = {line[device].value: line for line in table[head + 1:] if "van" in str(line[device].value)}
    assert sorted(by_device) == sorted(row["deviceId"] for row in rows)
    for row in rows:
        line = by_device[row["deviceId"]]
        assert abs(seconds_of(line[inside]) - row["secondsInside"]) < 1, (line[inside].value, row)
        meters = line[distance].value * (1000 if "km" in names[distance] else 1)
        assert abs(meters - row["distance"]) < 1, (meters, row)


def test_five_thousand_devices_are_clusters_at_once(window, service):
    chance = random.Random(2)
    service.report(*[fix(f"d{number:04}", *offset(*CENTER, chance.gauss(0, 4000), chance.gauss(0, 4000)), ago=1.0)
                     for number in range(COUNT)])
    page = window.sign_in(f"/#map=11/{CENTER[0]}/{CENTER[1]}")
    page.add_init_script(FIRST_CLUSTER)
    page.reload()
    window.expect_live()
    page.wait_for_function("globalThis.firstCluster !== undefined")
    print(f"\n{COUNT} devices: the first cluster is drawn {page.evaluate('firstCluster') / 1000:.2f} s after the "
          "page was opened")
    expect(page.get_by_role("status").filter(has_text="5,000 devices")).to_be_visible()
    # The list has a page of them, and the field finds each.
    panel = page.get_by_role("tabpanel", name="Live")
    expect(panel.locator(".device-table tbody tr")).to_have_count(25)
    page.get_by_role("searchbox", name="Filter by the name").fill("d4321")
    expect(panel.locator(".device-table tbody tr")).to_have_count(1)
