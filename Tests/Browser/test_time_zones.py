"""The time zone of a user, of the service and of the browser: days, messages and files have the one that was chosen."""

import io
import json
import re
import signal
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import openpyxl
from playwright.sync_api import expect

from service import fix, walk
from test_messages import wait_until
from test_users import add_user, sign_in

OFFICE = (38.71, -9.14)
BROWSER, SERVICE, USER = "Europe/Lisbon", "America/St_Johns", "Asia/Kolkata"
# In the evening of UTC, of the browser and of the service, and on the next day of the user.
EVENING = (datetime.now(timezone.utc) - timedelta(days=3)).replace(hour=19, minute=40, second=0, microsecond=0)


def set_zone_of_service(service, name, window=None):
    """Reloads the configuration, as an administrator does."""
    configuration = json.loads(service.config.read_text())
    service.config.write_text(json.dumps(configuration | {"timeZone": name}))
    service.process.send_signal(signal.SIGHUP)
    wait_until(lambda: service.get("/v1/access").get("timeZone") == name, window)


def add_evening(service):
    """Half an hour at the office, between two hours elsewhere."""
    service.add_circle("office", "Office", *OFFICE, 150)
    now = datetime.now(timezone.utc)
    for minute in range(-60, 91):
        away = 0 if 0 <= minute <= 30 else 0.02
        moment = EVENING + timedelta(minutes=minute)
        service.report(fix("jane/phone", OFFICE[0] + away, OFFICE[1], ago=(now - moment).total_seconds()))


def date_of(moment, zone):
    return f"{moment.astimezone(ZoneInfo(zone)):%Y-%m-%d}"


def choose_zone(window, name):
    """Sets the zone in the own account. The page is loaded again."""
    panel = window.open_tab("Access")
    panel.get_by_label("Time zone of the page").fill(name)
    with window.page.expect_navigation():
        panel.get_by_role("button", name="Use this time zone").click()
    window.expect_live()


def test_days_messages_and_files_have_the_zone_of_the_user(open_window, service, receiver):
    set_zone_of_service(service, SERVICE)
    add_evening(service)
    add_user(service, "jane", "admin")
    window = open_window(timezone_id=BROWSER)
    page = sign_in(window, "jane")
    window.expect_live()
    expect(page.locator(".zone")).to_have_text(f"Time zone: {SERVICE}, not that of this browser, {BROWSER}")
    choose_zone(window, USER)
    page.get_by_role("tab", name="Live").click()
    expect(page.locator(".zone")).to_have_text(f"Time zone: {USER}, not that of this browser, {BROWSER}")
    assert service.get("/v1/users")["data"][0]["timeZone"] == USER

    # History: the stay is at ten past one of the next day.
    assert date_of(EVENING, USER) != date_of(EVENING, BROWSER) == date_of(EVENING, SERVICE)
    with page.expect_request(re.compile("/v1/timeline")) as asked:
        page.goto(f"{service.url}/#tab=history&device=jane/phone&day={date_of(EVENING, USER)}&days=1")
        page.get_by_role("tabpanel", name="History").get_by_role("button", name="Show", exact=True).click()
    assert "timeZone=Asia%2FKolkata" in asked.value.url
    midnight = datetime.fromisoformat(date_of(EVENING, USER)).replace(tzinfo=ZoneInfo(USER))
    assert f"from={midnight.astimezone(timezone.utc):%Y-%m-%dT18%%3A30}" in asked.value.url
    panel = page.get_by_role("tabpanel", name="History")
    expect(panel.get_by_text(re.compile(r"^0?1:(09|1[0-2])")).first).to_be_visible()
    expect(panel).to_contain_text("Office")
    expect(panel).to_contain_text(f"(time zone {USER}, not that of this browser, {BROWSER})")

    # Reports: the workbook has the day of the user.
    page.goto(f"{service.url}/#tab=reports&device=jane/phone")
    page.get_by_label("Week of").fill(date_of(EVENING, USER))
    page.get_by_role("button", name="Show", exact=True).click()
    summary = page.get_by_role("region", name="Summary")
    with page.expect_download() as download:
        summary.get_by_role("button", name="Save as Excel file").click()
    with open(download.value.path(), "rb") as file:
        rows = list(openpyxl.load_workbook(io.BytesIO(file.read())).active.values)
    assert rows[0][1:4] == ("Device ID", "Date", "Time inside")
    inside = {f"{row[2]:%Y-%m-%d}": row[3].total_seconds() for row in rows[1:] if row[1] == "jane/phone" and row[3]}
    assert list(inside) == [date_of(EVENING, USER)] and 1500 < inside[date_of(EVENING, USER)] < 2100, rows

    # Messages: an endpoint that the page adds has the zone that its maker sees.
    panel = window.open_tab("Messages")
    panel.get_by_text("Add an endpoint").click()
    panel.get_by_label("Kind").select_option("ntfy")
    panel.get_by_label("URL with the topic").fill(receiver.url.replace("/webhook", "/family"))
    panel.get_by_text("Texts, names and quiet hours").click()
    panel.get_by_label("Title").fill("at {{time}}")
    # Before the answer it gets no events.
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.url.endswith("/v1/endpoints")):
        panel.get_by_role("button", name="Add the endpoint").click()
    expect(panel.get_by_role("article").first).to_be_visible()
    # One that names no zone has that of the service.
    url = receiver.url.replace("/webhook", "/ops")
    service.post("/v1/endpoints", {"kind": "ntfy", "url": url, "template": {"title": "at {{time}}"}})
    service.report(*walk("jane/phone", *OFFICE, start=500, end=0, steps=14, began=150, took=140))
    wait_until(lambda: {body["topic"] for _, body in receiver.messages} == {"family", "ops"}, window)
    events = service.get("/v1/events", type="region.entered", order="desc", limit=1)["data"]
    moment = datetime.fromisoformat(events[0]["timestamp"])
    titles = {body["topic"]: body["title"] for _, body in receiver.messages}
    assert titles == {
        topic: f"at {moment.astimezone(ZoneInfo(zone)):%H:%M}" for topic, zone in [("family", USER), ("ops", SERVICE)]
    }


def test_an_unknown_zone_is_refused_and_none_is_that_of_the_service(open_window, service):
    add_user(service, "jane", "viewer")
    window = open_window(timezone_id=BROWSER)
    page = sign_in(window, "jane")
    window.expect_live()
    zone = page.locator(".zone")
    expect(zone).to_have_text(f"Time zone: {BROWSER}")
    window.allows_connection_errors = True
    panel = window.open_tab("Access")
    panel.get_by_label("Time zone of the page").fill("Mars/Olympus")
    panel.get_by_role("button", name="Use this time zone").click()
    expect(panel.get_by_role("alert").filter(has_text="such as Europe/Lisbon")).to_be_visible()
    choose_zone(window, USER)
    page.get_by_role("tab", name="Live").click()
    expect(zone).to_contain_text(USER)
    choose_zone(window, "")
    page.get_by_role("tab", name="Live").click()
    expect(zone).to_have_text(f"Time zone: {BROWSER}")
    set_zone_of_service(service, SERVICE, window)
    page.reload()
    window.expect_live()
    expect(zone).to_contain_text(SERVICE)
    # Somebody else in the same browser has another choice.
    add_user(service, "sam", "viewer", timeZone="Asia/Kathmandu")
    panel = window.open_tab("Access")
    panel.get_by_role("listitem").filter(has_text="This browser").get_by_role("button", name="Sign out").click()
    form = page.get_by_role("region", name="Sign in")
    form.get_by_label("Name").fill("sam")
    form.get_by_label("Password").fill("correct horse battery staple")
    form.get_by_role("button", name="Sign in", exact=True).click()
    window.expect_live()
    page.get_by_role("tab", name="Live").click()
    expect(zone).to_contain_text("Asia/Kathmandu")
