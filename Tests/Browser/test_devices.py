"""Devices: their card, their removal, groups of many on the map, and the legend."""

import re

from playwright.sync_api import expect

from service import fix, walk

OFFICE = (38.71, -9.14)


def test_a_device_is_removed_with_all_that_is_stored_of_it(window):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    for device in ("van-2", "van-10"):
        service.report(*walk(device, *OFFICE, start=500, end=0, steps=14, began=150, took=140))
    page = window.sign_in("/#device=van-2")
    card = page.get_by_role("article", name="Selected device")
    expect(card).to_be_visible()
    card.get_by_role("button", name="Remove").click()
    assert service.get("/v1/events", deviceId="van-2")["data"]
    card.get_by_role("button", name="Press again to erase all of it").click()
    expect(page.get_by_text("van-2 was removed.")).to_be_visible()
    expect(card).to_be_hidden()
    assert [device["id"] for device in service.get("/v1/devices")["data"]] == ["van-10"]
    assert not service.get("/v1/events", deviceId="van-2")["data"]


def test_the_card_of_a_device_scrolls_into_view(window):
    window.service.report(*(fix(f"van-{number}", *OFFICE) for number in range(1, 26)))
    page = window.sign_in()
    link = page.get_by_role("link", name="van-25", exact=True)
    link.scroll_into_view_if_needed()
    link.click()
    card = page.get_by_role("article", name="Selected device")
    expect(card.get_by_role("heading", name="van-25")).to_be_in_viewport()
    expect(card.get_by_role("button", name="Remove")).to_be_in_viewport()


def test_a_test_device_is_removed_after_its_walk(window):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    page = window.sign_in()
    # The empty list offers it, and what it says is not about iOS.
    page.get_by_role("tabpanel", name="Live").get_by_role("button", name="Walk a test device").click()
    tool = page.locator("details.tool", has=page.locator("summary", has_text="Walk a test device"))
    expect(tool).to_be_visible()
    expect(tool.get_by_text("iPhone")).to_be_hidden()
    remove = page.get_by_role("button", name="Remove the test device")
    expect(remove).to_be_hidden()
    page.get_by_role("button", name="Walk in", exact=True).click()
    expect(page.get_by_text("test/walker is moving.")).to_be_visible()
    with page.expect_response(lambda answer: answer.url.endswith("/v1/locations")):
        pass
    entered = page.get_by_role("listitem").filter(has_text="test/walker entered Office")
    expect(entered).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("test/walker has stopped.")).to_be_visible()
    remove.click()
    expect(page.get_by_text("test/walker was removed.")).to_be_visible()
    expect(page.get_by_role("article", name="Selected device")).to_be_hidden()
    # Its events leave with it.
    expect(entered).to_have_count(0)
    expect(page.get_by_text("No events yet")).to_be_visible()
    assert service.get("/v1/devices")["data"] == [] and service.get("/v1/apps")["data"] == []


def test_a_walk_has_a_simulated_app_once_the_tab_apps_was_used(window):
    window.service.add_circle("office", "Office", *OFFICE, 150)
    page = window.sign_in()
    tool = window.open_tool("Walk a test device")
    choice = tool.get_by_label("Simulate an iPhone app that the system has terminated")
    expect(choice).to_be_hidden()
    window.open_tab("Apps")
    window.open_tab("Live")
    expect(choice).to_be_checked()
    # The next visit knows it too.
    page.reload()
    window.expect_live()
    expect(window.open_tool("Walk a test device").get_by_label("Simulate an iPhone app")).to_be_checked()


def test_people_come_first_with_place_age_and_battery(window):
    service = window.service
    service.add_circle("town", "Town", *OFFICE, 900)
    service.add_circle("office", "Office", *OFFICE, 150)
    service.request("PUT", "/v1/devices/jane%2Fphone/profile", {"name": "Jane", "color": "#b5179e"})
    service.report(fix("jane/phone", *OFFICE, ago=150, batteryLevel=0.12))
    service.report(fix("van-1", OFFICE[0] + 0.05, OFFICE[1], ago=20, speed=14.0))
    service.report(fix("bob", OFFICE[0] - 0.05, OFFICE[1], ago=3 * 3600))
    page = window.sign_in()
    cards = page.get_by_role("list", name="Devices").get_by_role("listitem")
    expect(cards).to_have_count(3)
    # By name: an order that no fix changes.
    assert [card.locator(".person-name").inner_text() for card in cards.all()] == ["bob", "Jane", "van-1"]
    expect(cards.nth(1)).to_contain_text("Office")
    expect(cards.nth(1)).to_contain_text("2 min ago")
    expect(cards.nth(1).locator(".low")).to_have_text(re.compile("12"))
    expect(cards.nth(1).locator(".initial")).to_have_text("J")
    expect(cards.nth(2)).to_contain_text("On the way, 50 km/h")
    expect(cards.nth(0)).to_contain_text("In no region")
    expect(cards.nth(0)).to_contain_text("silent")
    events = page.get_by_role("region", name="Events")
    assert cards.first.bounding_box()["y"] < events.bounding_box()["y"]
    cards.nth(1).get_by_role("link").click()
    expect(page.get_by_role("article", name="Selected device").get_by_role("heading", name="Jane")).to_be_visible()


def test_many_devices_are_a_table_that_is_sorted_by_its_columns(window):
    service = window.service
    service.report(*(fix(f"van-{number}", *OFFICE, ago=5 * number, speed=float(number % 7), batteryLevel=number / 20)
                     for number in range(1, 16)))
    page = window.sign_in()
    rows = page.locator(".device-table tbody tr")
    expect(rows).to_have_count(15)
    first = lambda: rows.first.get_by_role("rowheader").get_by_role("link").inner_text()  # noqa: E731
    assert first() == "van-1"
    for column, name in [("Speed", "van-6"), ("Battery", "van-1"), ("Last report", "van-1"), ("Device", "van-1")]:
        page.get_by_role("columnheader", name=column).get_by_role("button").click()
        assert first() == name, column
    # Who may read the groups has a column of them.
    expect(page.get_by_role("columnheader", name="Group")).to_have_count(0)
    service.request("PUT", "/v1/groups/night", {"devices": ["van-1?"]})
    page.reload()
    page.get_by_role("columnheader", name="Group").get_by_role("button").click()
    expect(rows.first).to_contain_text("night")
    assert first() == "van-10"
    page.get_by_role("columnheader", name="Device").get_by_role("button").click()
    assert first() == "van-1"
    # A fix of another device does not move the rows.
    before = rows.all_inner_texts()[0]
    service.report(fix("van-15", *OFFICE, ago=0, speed=1.0))
    expect(rows.last).to_contain_text("s ago")
    assert rows.all_inner_texts()[0].split()[0] == before.split()[0] == "van-1"


def test_many_devices_are_groups_that_a_click_opens(window):
    # 30 by 30 devices, 11 m apart.
    window.service.report(*(
        fix(f"d{row:02}{column:02}", OFFICE[0] + row * 1e-4, OFFICE[1] + column * 1e-4, ago=1.0)
        for row in range(30) for column in range(30)))
    page = window.sign_in(f"/#map=13/{OFFICE[0] + 15e-4}/{OFFICE[1] + 15e-4}")
    expect(page.get_by_role("status").filter(has_text="900 devices")).to_be_visible()
    box = page.locator("#map").bounding_box()
    centre = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    zoom = "Number(location.hash.match(/map=([0-9.]+)/)[1])"
    assert page.evaluate(zoom) == 13
    page.mouse.click(*centre)
    page.wait_for_function(f"{zoom} >= 15")
    expect(page.get_by_role("article", name="Selected device")).to_be_hidden()


def test_the_legend_says_what_the_signs_mean(window):
    page = window.sign_in()
    page.get_by_role("button", name="Legend").click()
    legend = page.get_by_role("region", name="Legend")
    expect(legend.get_by_text("device inside a region")).to_be_visible()
    page.keyboard.press("Escape")
    expect(legend).to_be_hidden()
    page.set_viewport_size({"width": 360, "height": 740})
    page.get_by_role("button", name="Legend").click()
    expect(legend.get_by_role("button", name="Close the legend")).to_be_in_viewport()
    legend.get_by_role("button", name="Close the legend").click()
    expect(legend).to_be_hidden()
