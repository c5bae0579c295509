"""Devices: their card, their removal, groups of many on the map, and the legend."""

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
    page.get_by_text("Walk a test device", exact=True).click()
    remove = page.get_by_role("button", name="Remove the test device")
    expect(remove).to_be_hidden()
    page.get_by_role("button", name="Walk in", exact=True).click()
    expect(page.get_by_text("test/walker is moving.")).to_be_visible()
    with page.expect_response(lambda answer: answer.url.endswith("/v1/locations")):
        pass
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("test/walker has stopped.")).to_be_visible()
    remove.click()
    expect(page.get_by_text("test/walker was removed.")).to_be_visible()
    expect(page.get_by_role("article", name="Selected device")).to_be_hidden()
    assert service.get("/v1/devices")["data"] == [] and service.get("/v1/apps")["data"] == []
    # The page requests the test app, which need not exist.
    window.ignore_problems("/v1/apps/test-app")


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
