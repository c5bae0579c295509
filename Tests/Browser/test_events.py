"""Events on the page: the list, the explanation, the deliveries, and the decision for a simulated app."""

import re

from playwright.sync_api import expect

from sample_data import BUNDLE
from service import fix, walk

OFFICE = (38.71, -9.14)


def test_an_event_shows_its_delivery_and_the_decision_for_a_terminated_app(window, receiver):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    service.post("/v1/apps", {
        "id": "courier", "name": "Courier", "devices": ["jane/*"], "given": BUNDLE,
        "services": [{"service": "regionCircular", "identifier": "office"}],
    })
    service.post("/v1/endpoints", {"id": "desk", "url": receiver.url, "events": ["region.entered"]})
    page = window.sign_in()
    service.report(*walk("jane/phone", *OFFICE, start=500, end=0, steps=14, began=150, took=140))

    entry = page.get_by_role("listitem").filter(has_text="jane/phone entered Office")
    expect(entry).to_have_count(1)
    expect(entry).to_contain_text("iOS starts")
    entry.get_by_role("link").click()
    card = page.get_by_role("article", name="Selected event")
    expect(card.get_by_role("heading", name="jane/phone entered Office")).to_be_visible()
    expect(card.get_by_role("heading", name="Why")).to_be_visible()
    expect(card.get_by_text("delivered").first).to_be_visible()
    expect(card).to_contain_text("RELAUNCH-04")
    [(headers, body)] = receiver.messages
    assert body["type"] == "region.entered" and body["data"]["region"]["id"] == "office"
    assert headers["webhook-id"] == body["data"]["eventId"]

    # The URL restores the same view.
    address = page.url
    assert "event=" in address and "device=jane" in address, address
    page.reload()
    window.expect_live()
    expect(page.get_by_role("article", name="Selected event")).to_contain_text("jane/phone entered Office")


def test_the_search_finds_groups_and_moves_the_map_to_regions(window):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    service.add_circle("cabin", "Cabin", 60.17, 24.94, 150)
    service.report(*(fix(name, 48.85, 2.35 + number / 100, ago=5) for number, name in enumerate(["van-1", "van-2"])))
    service.report(fix("bob", *OFFICE, ago=5))
    service.request("PUT", "/v1/groups/couriers", {"devices": ["van-*"]})
    page = window.sign_in(f"/#map=14/{OFFICE[0]}/{OFFICE[1]}")
    find = page.get_by_placeholder("Device, region or coordinates")
    devices = page.get_by_role("list", name="Devices").get_by_role("listitem")
    expect(devices).to_have_count(3)
    found = page.get_by_role("list", name="Found on the map")
    expect(found).to_be_hidden()
    find.fill("courier")
    expect(devices).to_have_count(2)
    expect(found.get_by_role("listitem")).to_contain_text("group, 2 devices")
    find.press("Enter")
    page.wait_for_function("/map=1[0-9.]*\\/48\\.8[45]/.test(decodeURIComponent(location.hash))")
    find.fill("cab")
    found.get_by_role("button", name="Cabin").click()
    page.wait_for_function("/map=1[0-9.]*\\/60\\.1[67]/.test(decodeURIComponent(location.hash))")
    find.fill("")
    expect(found).to_be_hidden()


def test_the_filter_hides_regions_on_the_map(window):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    service.add_circle("depot", "Depot", OFFICE[0] + 0.005, OFFICE[1], 150)
    service.report(*walk("anna", *OFFICE, start=500, end=120, steps=14, began=150, took=140))
    page = window.sign_in(f"/#map=15/{OFFICE[0] + 0.005}/{OFFICE[1]}")
    expect(page.get_by_role("listitem").filter(has_text="anna entered Office")).to_be_visible()
    find = page.get_by_placeholder("Device, region or coordinates")
    box = page.get_by_role("region", name="Map").bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    # 0.005 degrees of latitude are 150 pixels at this zoom level.
    for text, south, name in [
        ("anna", 0, None), ("anna", 150, "Office"), ("depot", 150, None), ("depot", 0, "Depot"), ("", 150, "Office"),
    ]:
        find.fill(text)
        page.mouse.click(middle[0], middle[1] + south)
        card = page.get_by_role("article", name="Selected region")
        expect(card).to_have_count(0 if name is None else 1, timeout=10_000)
        if name:
            expect(card.get_by_role("heading", name=name)).to_be_visible()
            # A click outside the regions ends the selection.
            page.mouse.click(middle[0] - 250, middle[1])
            page.get_by_role("tab", name="Live").click()


def test_the_status_counts_the_devices_only_when_all_are_loaded(window):
    window.service.report(fix("anna", *OFFICE))
    page = window.page
    waiting = []
    is_held = True
    page.route(re.compile(r"/v1/devices\?.*changedSince"),
               lambda route: waiting.append(route) if is_held else route.continue_())
    page.goto(window.service.url)
    page.get_by_label("Access token").fill(window.service.token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("status").filter(has_text="Loading …")).to_be_visible()
    is_held = False
    waiting[-1].continue_()
    expect(page.get_by_role("status").filter(has_text="Live, 1 device")).to_be_visible()


def test_the_feed_is_filtered_by_device_and_region(window):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    for name in ("anna", "bert"):
        service.report(*walk(name, *OFFICE, start=500, end=0, steps=14, began=150, took=140))
    page = window.sign_in()
    feed = page.get_by_role("listitem").filter(has_text=re.compile("entered Office"))
    expect(feed).to_have_count(2)
    page.get_by_placeholder("Device, region or coordinates").fill("bert")
    expect(feed).to_have_count(1)
    expect(feed).to_contain_text("bert")
    page.get_by_placeholder("Device, region or coordinates").fill("nobody")
    expect(feed).to_have_count(0)
    expect(page.get_by_text("No event matches the filter.")).to_be_visible()


def test_a_selected_object_comes_into_view(window):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    service.report(*walk("jane/phone", *OFFICE, start=500, end=0, steps=14, began=150, took=140))
    page = window.sign_in("/#map=6/48.2/16.4")
    page.get_by_role("listitem").filter(has_text="jane/phone entered Office").get_by_role("link").click()
    page.wait_for_function("location.hash.includes('event=') && location.hash.includes('map=15/38.71')")
    page.get_by_role("button", name="Zoom out").click()
    page.wait_for_function("location.hash.includes('event=') && location.hash.includes('map=14/38.7')")
    panel = window.open_tab("Places")
    panel.get_by_role("link", name="Office").click()
    # The map zooms to the region, also from another position.
    page.wait_for_function("Number(location.hash.match(/map=([\\d.]+)/)[1]) >= 15")
    page.go_back()
    expect(page.get_by_role("tabpanel", name="Places")).to_be_visible()
