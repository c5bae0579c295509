"""A family: Google's history becomes days as stays and trips; a homecoming is one message in names."""

import re

from playwright.sync_api import expect

from google_files import FORMS, HOME, days
from service import fix, offset, walk
from test_access import violations
from test_messages import wait_until


def import_file(page, name, content):
    page.get_by_label("Choose a file, or drop it here").set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": content.encode()})
    file = page.get_by_role("region", name="The file")
    expect(file.get_by_role("heading", name=name)).to_be_visible()
    file.get_by_role("button", name="Start the import").click()
    expect(file.get_by_role("heading", name=f"{name} was imported")).to_be_visible()
    file.get_by_role("button", name="Close").click()


def rows_of(page):
    """The rows of a day as (title, times)."""
    parts = page.get_by_role("list", name="Stays and trips")
    expect(parts.first).to_be_visible()
    rows = [(row.locator(".diary-title").inner_text(), row.locator(".diary-time").inner_text())
            for row in parts.first.locator("li").all()]
    assert rows
    return rows


def test_four_forms_of_googles_history_are_days_with_the_names_that_they_know(window, service):
    page = window.sign_in("/#tab=import")
    page.get_by_label("Device of records that name none").fill("jane/phone")
    page.get_by_label("Device of records that name none").press("Tab")
    starts = dict(zip(FORMS, days(4)))
    for form, write in FORMS.items():
        import_file(page, *write(starts[form]))
    assert [device["id"] for device in service.get("/v1/devices")["data"]] == ["jane/phone"]
    assert violations(page, "import") == []
    # Google's words for home and work, and the names of places; a file of positions alone gets them from the others.
    expected = {
        "Records.json": ("Home", "Work"), "Semantic Location History": ("Home", "Bakery Müller"),
        "Android": ("Home", "Work"), "iOS": ("Home", "Work"),
    }
    for form, (home, other) in expected.items():
        page.goto(f"{service.url}/#tab=history&device=jane%2Fphone&day={starts[form]:%Y-%m-%d}")
        rows = rows_of(page)
        stays = [(title, times) for title, times in rows if title in (home, other)]
        assert [title for title, _ in stays] == [home, other, home], (form, rows)
        assert stays[0][1].startswith("until 08:0") and re.match("08:[12].* (to|–) 1[12]:", stays[1][1]), (form, stays)
        assert sum(re.match("Walked|Drove|Cycled|Moved", title) is not None for title, _ in rows) >= 2, (form, rows)
    assert violations(page, "a day") == []

    # Somebody gives a place another name, and it keeps it when the file is imported again.
    page.get_by_role("button", name=re.compile("Work")).first.click()
    page.get_by_label("Name of this place").fill("Studio")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The place is called Studio now.")).to_be_visible()
    expect(page.locator(".diary-title").get_by_text("Studio", exact=True)).to_be_visible()
    page.goto(f"{service.url}/#tab=import")
    import_file(page, *FORMS["iOS"](starts["iOS"]))
    page.goto(f"{service.url}/#tab=history&device=jane%2Fphone&day={starts['iOS']:%Y-%m-%d}")
    assert [title for title, _ in rows_of(page) if title in ("Home", "Work", "Studio")] == ["Home", "Studio", "Home"]


def test_a_homecoming_is_one_message_in_names(window, service, receiver):
    service.add_circle("home-2", "Home", *HOME, 120)
    service.post("/v1/endpoints", {"kind": "ntfy", "url": receiver.url.replace("/webhook", "/family")})
    service.request("PUT", "/v1/devices/jane%2Fphone/profile", {"name": "Jane"})
    # An hour ago she was away; she came home, and has been there for 40 minutes since.
    service.report(fix("jane/phone", *offset(*HOME, 0, -1500), ago=3600))
    service.report(*walk("jane/phone", *HOME, start=1400, end=0, steps=30, began=3300, took=900))
    service.report(*[fix("jane/phone", *HOME, ago=ago) for ago in range(2340, 0, -60)])
    wait_until(lambda: receiver.messages, window)
    # The visit is known too, and no message waits.
    wait_until(lambda: service.get("/v1/events", type="visit.arrived")["data"], window)
    wait_until(lambda: not service.get("/v1/deliveries", status="pending")["data"], window)
    [(_, message)] = receiver.messages
    assert re.fullmatch(r"Jane came home at \d\d?:\d\d.*", message["title"]), message
    assert "home-2" not in str({**message, "click": ""}), message
    assert "jane/phone" not in str({**message, "click": ""}), message
