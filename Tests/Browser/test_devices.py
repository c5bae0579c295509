"""The card of a device: its removal."""

from playwright.sync_api import expect

from service import walk

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
