"""The page, the API, its CSV and the command line show the same figures of the same locations, to the second."""

import csv
import io
import json
import pathlib
import subprocess
import urllib.request
from datetime import date, timedelta

import pytest
from playwright.sync_api import expect

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data" / "tracks"
TRACKS = {
    "the sample day": ROOT / "Regions" / "tracks" / "day.ndjson",
    "a recorded phone": SHARED / "ios-b-20151106.ndjson",
    "another recorded phone": SHARED / "android-a-20150827.ndjson",
}
ZONE = "Europe/Lisbon"
COLUMNS = ["date", "secondsInside", "visits", "trips", "distance"]


def figures(row):
    """A row of any source: date, seconds inside, visits, trips, metres."""
    return [row["date"], *(float(row[name]) for name in COLUMNS[1:])]


@pytest.mark.parametrize("name,by", [("the sample day", "region"), *((name, "device") for name in TRACKS)])
def test_all_sources_agree(window, service, program, name, by):
    track = TRACKS[name]
    if not track.exists():
        pytest.skip(f"{track} is not there")
    text = track.read_bytes()
    first = json.loads(text.split(b"\n", 1)[0])
    device = first.get("deviceId") or first["device"]
    for path in sorted((ROOT / "Regions").glob("*.geojson")):
        service.request("POST", "/v1/regions", json.loads(path.read_text()), Content_Type="application/geo+json")
    request = urllib.request.Request(f"{service.url}/v1/imports?file={track.name}", text, method="POST")
    request.add_header("Authorization", f"Bearer {service.token}")
    request.add_header("Content-Type", "application/octet-stream")
    with urllib.request.urlopen(request, timeout=120) as response:
        assert response.status == 200

    day = date.fromisoformat(first["timestamp"][:10])
    monday = day - timedelta(days=day.weekday())
    page = window.sign_in(f"/#tab=reports&device={device}")
    page.get_by_label("Week of").fill(f"{day}")
    page.get_by_label("Summary, visits and trips of").select_option(label="all devices")
    page.get_by_label("Summary by").select_option(by)
    with page.expect_response(lambda answer: "/v1/summaries" in answer.url and f"by={by}" in answer.url) as shown:
        page.get_by_role("button", name="Show", exact=True).click()
    of_page = shown.value.json()["data"]
    # Without the titles, and without the totals of devices.
    expect(page.get_by_role("region", name="Summary").locator("tbody tr")).to_have_count(len(of_page))
    rows = page.evaluate("""() => [...document.querySelectorAll('[aria-label="Summary table"] tbody tr')].map((row) => {
        const cells = [...row.querySelectorAll("td")];
        const exact = (cell) => Number(cell.querySelector("data").value);
        return [cells[0].textContent, exact(cells[1]), Number(cells[2].textContent), Number(cells[3].textContent),
          exact(cells[4])];
    })""")
    assert len(rows) > 0
    assert rows == [figures(row) for row in of_page]

    query = {
        "by": by, "period": "day", "timeZone": ZONE, "from": shown.value.url.split("from=")[1].split("&")[0],
        "to": shown.value.url.split("to=")[1].split("&")[0],
    }
    query = {key: value.replace("%3A", ":") for key, value in query.items()}
    assert [figures(row) for row in service.get("/v1/summaries", **query)["data"]] == rows
    saved = service.get("/v1/summaries", format="csv", **query)
    assert [figures(row) for row in csv.DictReader(io.StringIO(saved))] == rows

    printed = subprocess.run(
        [program, "report", "--by", by, "--period", "day", "--time-zone", ZONE, "--output", "csv", "--quiet",
         "--regions", ROOT / "Regions", track],
        capture_output=True, text=True, check=True, cwd=ROOT,
    ).stdout
    week = {f"{monday + timedelta(days=number)}" for number in range(7)}
    lines = [figures(row) for row in csv.DictReader(io.StringIO(printed)) if row["date"] in week]
    assert lines == rows
