"""The Import tab: a file is recognised and shown before anything is stored, then imported, at once or later."""

import re
from datetime import datetime, timedelta, timezone

import pytest
from playwright.sync_api import expect

PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
FORMS = {"light": {}, "phone": PHONE}
HOME = (38.71, -9.14)


def walk_file(fixes, days_ago=3):
    """A CSV file of somebody who walks around a square through the region, and two broken lines."""
    start = datetime.now(timezone.utc) - timedelta(days=days_ago)
    lines = ["time,lat,lon,accuracy"]
    for step in range(fixes):
        side, part = divmod(step % 400, 100)
        along = part / 100
        north, east = [(0, along), (along, 1), (1, 1 - along), (1 - along, 0)][side]
        moment = (start - timedelta(seconds=20 * (fixes - step))).isoformat()
        lines.append(f"{moment},{HOME[0] + 0.01 * north:.6f},{HOME[1] + 0.01 * east:.6f},8")
    return "\n".join([*lines, "never,1,1,1", f"{start.isoformat()},95,1,1", ""]).encode()


def open_import(window, name, content, device="jane/phone"):
    page = window.sign_in("/#tab=import")
    page.get_by_label("Device of records that name none").fill(device)
    page.get_by_label("Choose a file, or drop it here").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": content})
    return page


def fact(container, term):
    return container.locator("dl.facts > div").filter(has=container.page.get_by_text(term, exact=True)).locator("dd")


@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_shown_before_it_is_imported(open_window, service, screenshots, form):
    service.add_circle("home", "Home", *HOME, 150)
    window = open_window(**FORMS[form])
    page = open_import(window, "walk.csv", walk_file(400))
    file = page.get_by_role("region", name="The file")
    expect(fact(file, "Format")).to_have_text("csv")
    expect(fact(file, "New")).to_have_text("400 locations")
    expect(fact(file, "Rejected")).to_have_text("2 records")
    expect(fact(file, "Events")).to_contain_text("left")
    expect(file.get_by_text("line 402")).to_be_visible()
    expect(file.get_by_text("jane/phone")).to_be_visible()
    assert service.get("/v1/devices")["data"] == []
    # The map shows the file: its canvas has pixels, and the view is that of the file.
    assert re.search(r"/38\.7\d+/-9\.1", page.evaluate("location.hash"))
    screenshots(page, f"import-{form}", of_documentation=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]

    file.get_by_role("button", name="Start the import").click()
    expect(file.get_by_role("heading", name="walk.csv was imported")).to_be_visible()
    expect(fact(file, "Stored")).to_have_text("400 locations")
    assert len(service.get("/v1/locations", deviceId="jane/phone", limit=500)["data"]) == 400
    assert service.get("/v1/events", deviceId="jane/phone")["data"]

    file.get_by_role("button", name="Close").click()
    page.get_by_label("Choose a file, or drop it here").set_input_files(
        {"name": "again.csv", "mimeType": "text/csv", "buffer": walk_file(0)})
    expect(file.get_by_text("The file has no location that can be stored.")).to_be_visible()
    expect(file.get_by_role("button", name="Start the import")).to_be_disabled()


def test_another_device_is_previewed_again_and_a_broken_file_is_refused(window, service):
    page = open_import(window, "walk.csv", walk_file(40))
    file = page.get_by_role("region", name="The file")
    expect(file.get_by_text("jane/phone")).to_be_visible()
    page.get_by_label("Device of records that name none").fill("van/7")
    page.get_by_label("Device of records that name none").press("Tab")
    expect(file.get_by_text("van/7")).to_be_visible()
    file.get_by_role("button", name="Discard").click()
    page.get_by_label("Choose a file, or drop it here").set_input_files(
        {"name": "broken.gpx", "mimeType": "text/xml", "buffer": b'<gpx><trk><trkseg><trkpt lat="1" lon="2">'})
    expect(file.get_by_role("alert")).to_contain_text("broken.gpx cannot be imported")
    window.ignore_problems("422")
    assert service.get("/v1/devices")["data"] == []


def test_a_preview_names_what_is_twice_in_the_file_and_what_is_stored(window, service):
    content = walk_file(20)
    lines = content.decode().splitlines()
    page = open_import(window, "walk.csv", "\n".join([*lines, *lines[1:6], ""]).encode())
    file = page.get_by_role("region", name="The file")
    expect(fact(file, "New")).to_have_text("20 locations")
    expect(fact(file, "Duplicates")).to_have_text("0 stored already, 5 twice in the file")
    file.get_by_role("button", name="Start the import").click()
    expect(fact(file, "Stored")).to_have_text("20 locations")
    expect(fact(file, "Duplicates")).to_have_text("5, stored already or twice in the file")
    file.get_by_role("button", name="Close").click()
    page.get_by_label("Choose a file, or drop it here").set_input_files(
        {"name": "again.csv", "mimeType": "text/csv", "buffer": content})
    expect(fact(file, "Duplicates")).to_have_text("20 stored already")


def test_a_long_file_is_imported_in_the_background_and_can_be_cancelled(window, service):
    page = open_import(window, "years.csv", walk_file(60_000))
    page.get_by_role("button", name="Start the import").click()
    jobs = page.get_by_role("region", name="Imports", exact=True)
    expect(jobs.get_by_text("years.csv")).to_be_visible()
    expect(jobs.get_by_role("progressbar")).to_be_visible()
    jobs.get_by_role("button", name="Cancel").click()
    expect(jobs.get_by_text(re.compile("^Cancelled"))).to_be_visible()
    jobs.get_by_text("Report").click()
    expect(fact(jobs, "Rejected")).to_have_text("2 records")
    assert service.get("/v1/imports")["data"][0]["state"] == "cancelled"
