"""The images of the documentation, over a made-up city with a coast: --write-images stores them in docs/images."""

import math
import random
import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from city import City
from sample_data import CENTER, add_sample_data
from service import offset
from test_layout import FORMS, check_layout, settle

VIEW = f"/#map=14.5/{CENTER[0]}/{CENTER[1]}"
# Places in metres east and south of the middle of the city.
HOME, CAFE, OFFICE, GYM = (-1000, -420), (-60, -140), (1180, -380), (560, -700)


@pytest.fixture(scope="module")
def city():
    return City(*CENTER)


@pytest.fixture
def city_service(city, service, tmp_path):
    """The service, with the streets of the city."""
    city.write_mbtiles(tmp_path / "city.mbtiles")
    content = (tmp_path / "city.mbtiles").read_bytes()
    service.request("PUT", f"/v1/map/file?name=city.mbtiles&offset=0&total={len(content)}", content,
                    Content_Type="application/octet-stream")
    return service


def at(point):
    """The position of a point of the city."""
    return offset(*CENTER, -point[1], point[0])


class Walker:
    """Writes the fixes of a phone that stays and moves."""

    def __init__(self, city, start, device):
        self.city, self.time, self.device = city, start, device
        self.random = random.Random(7)
        self.fixes = []

    def fix(self, point, noise, **more):
        latitude, longitude = at((point[0] + self.random.gauss(0, noise), point[1] + self.random.gauss(0, noise)))
        self.fixes.append({
            "deviceId": self.device, "timestamp": self.time.isoformat(), "latitude": round(latitude, 6),
            "longitude": round(longitude, 6), "horizontalAccuracy": 8, "batteryLevel": 0.74, **more})

    def stay(self, point, minutes):
        for _ in range(round(minutes / 2)):
            self.fix(point, 4, speed=0.0)
            self.time += timedelta(minutes=2)

    def move(self, start, end, speed):
        """Along the main streets, with a fix every 15 seconds."""
        path = [start, *self.city.way(start, end), end]
        left = 0.0
        for a, b in zip(path, path[1:]):
            length = math.dist(a, b)
            while left < length:
                part = left / length if length else 0
                self.fix((a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part), 2, speed=speed)
                self.time += timedelta(seconds=15)
                left += speed * 15
            left -= length


def add_day(service, city):
    """Jane's yesterday: home, a café, the office, the gym, and home again."""
    for identifier, name, place, radius, tags in [
            ("home", "Home", HOME, 110, ["home"]), ("cafe", "Café Lua", CAFE, 70, ["food"]),
            ("office", "Office", OFFICE, 130, ["work"]), ("gym", "Gym", GYM, 80, ["sport"])]:
        service.add_circle(identifier, name, *at(place), radius, tags=tags)
    today = datetime.now(ZoneInfo("Europe/Lisbon")).replace(hour=0, minute=0, second=0, microsecond=0)
    walker = Walker(city, today - timedelta(days=1), "jane/phone")
    walker.stay(HOME, 484)
    walker.move(HOME, CAFE, 1.4)
    walker.stay(CAFE, 26)
    walker.move(CAFE, OFFICE, 4.6)
    walker.stay(OFFICE, 240)
    walker.move(OFFICE, GYM, 1.5)
    walker.stay(GYM, 62)
    walker.time += timedelta(minutes=47)
    walker.fix(OFFICE, 3)
    walker.stay(OFFICE, 186)
    walker.move(OFFICE, HOME, 7.5)
    walker.stay(HOME, (today - walker.time).total_seconds() / 60 - 2)
    service.report(*walker.fixes)
    service.request("PUT", "/v1/devices/jane%2Fphone/profile", {"name": "Jane", "color": "#8a1c7c"})
    return today - timedelta(days=1)


def add_week(service, city):
    """Last week: five days like the one above, each a little later, and a weekend at home."""
    add_day(service, city)
    today = datetime.now(ZoneInfo("Europe/Lisbon")).replace(hour=0, minute=0, second=0, microsecond=0)
    monday = today - timedelta(days=today.weekday() + 7)
    walker = Walker(city, monday, "jane/phone")
    for day in range(7):
        end = monday + timedelta(days=day + 1)
        if day < 5:
            walker.stay(HOME, 470 + 12 * day)
            walker.move(HOME, OFFICE, 4.6)
            walker.stay(OFFICE, 220)
            walker.move(OFFICE, CAFE, 1.5)
            walker.stay(CAFE, 40)
            walker.move(CAFE, OFFICE, 1.5)
            walker.stay(OFFICE, 200)
            if day % 2:
                walker.move(OFFICE, GYM, 1.5)
                walker.stay(GYM, 70)
            walker.move(GYM if day % 2 else OFFICE, HOME, 7.5)
        walker.stay(HOME, (end - walker.time).total_seconds() / 60)
    service.report(*[fix for fix in walker.fixes if fix["timestamp"] < (today - timedelta(days=1)).isoformat()])
    return monday


def wait_for_streets(page):
    expect(page.locator("canvas.leaflet-tile-loaded").first).to_be_attached()
    expect(page.locator("canvas.leaflet-tile:not(.leaflet-tile-loaded)")).to_have_count(0)
    settle(page)


@pytest.mark.parametrize("form", ["light", "phone"])
def test_a_day_of_history(open_window, city, city_service, screenshots, form):
    day = add_day(city_service, city)
    window = open_window(**FORMS[form])
    page = window.sign_in(f"/#tab=history&device=jane%2Fphone&day={day:%Y-%m-%d}")
    titles = page.locator(".diary-title")
    expect(titles.first).to_have_text("Home")
    names = titles.all_inner_texts()
    assert [name for name in names if name in ("Home", "Café Lua", "Office", "Gym")] == [
        "Home", "Café Lua", "Office", "Gym", "Office", "Home"], names
    assert any(name.startswith("Walked") for name in names) and "No data" in names, names
    wait_for_streets(page)
    check_layout(page, screenshots, f"day-{form}", of_documentation=True)


@pytest.mark.parametrize("form", FORMS)
def test_the_card_of_an_event(open_window, city_service, screenshots, form):
    add_sample_data(city_service)
    window = open_window(**FORMS[form])
    page = window.sign_in(VIEW)
    page.get_by_role("listitem").filter(has_text="jane/phone entered Depot").get_by_role("link").click()
    card = page.get_by_role("article", name="Selected event")
    expect(card.get_by_text("delivered").first).to_be_visible()
    wait_for_streets(page)
    check_layout(page, screenshots, f"map-{form}", of_documentation=True)


@pytest.mark.parametrize("form", ["light", "phone"])
def test_streets(open_window, city_service, screenshots, form):
    add_sample_data(city_service)
    window = open_window(**FORMS[form])
    page = window.sign_in(VIEW)
    expect(page.get_by_role("listitem").filter(has_text="entered").first).to_be_visible()
    wait_for_streets(page)
    check_layout(page, screenshots, f"streets-{form}", of_documentation=True)


@pytest.mark.parametrize("form", ["light", "phone"])
def test_the_week_of_a_device(open_window, city, city_service, screenshots, form):
    monday = add_week(city_service, city)
    page = open_window(**FORMS[form]).sign_in("/#tab=reports&device=jane%2Fphone")
    page.get_by_label("Week of").fill(f"{monday:%Y-%m-%d}")
    page.get_by_role("button", name="Show", exact=True).click()
    lanes = page.get_by_role("region", name="The week")
    expect(lanes.get_by_title(re.compile("^Office: ")).nth(4)).to_be_visible()
    expect(page.get_by_role("region", name="Summary").get_by_role("rowheader")).not_to_have_count(0)
    if form == "phone":
        page.locator("#sheet-handle").click()
    page.get_by_role("region", name="The week").scroll_into_view_if_needed()
    lanes.evaluate("(node) => node.scrollIntoView({ block: 'start' })")
    check_layout(page, screenshots, f"reports-{form}", of_documentation=True)


def test_the_question_about_streets(open_window, service, screenshots):
    add_sample_data(service)
    page = open_window(**FORMS["phone"]).sign_in(VIEW)
    expect(page.get_by_role("region", name="Streets", exact=True)).to_be_visible()
    check_layout(page, screenshots, "streets-offer-phone", of_documentation=True)
