"""The card of a device: its removal."""

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
