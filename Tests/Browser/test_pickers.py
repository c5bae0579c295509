"""Fields that find devices, regions and groups by name and id: by keyboard and pointer, and for screen readers."""

import pytest
from playwright.sync_api import expect

from sample_data import CENTER
from service import fix
from test_access import violations
from test_layout import PHONE


def name_device(service, device, name):
    service.request("PUT", f"/v1/devices/{device.replace('/', '%2F')}/profile", {"name": name, "color": None})


@pytest.fixture
def fleet(service):
    service.report(*[fix(device, *CENTER, ago=5) for device in ["jane/phone", "bob", "van-1", "van-2", "van-10"]])
    name_device(service, "jane/phone", "Jane Doe")
    service.add_circle("office-7", "Office", *CENTER, 150)
    service.request("PUT", "/v1/groups/vans", {"devices": ["van-*"]})
    return service


def options(field):
    """The suggestions below a field."""
    return field.page.locator(f"#{field.get_attribute('aria-controls')}").get_by_role("option")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_endpoint_gets_devices_and_regions_by_name(open_window, fleet, receiver, screenshots, theme):
    window = open_window(color_scheme=theme)
    page = window.sign_in()
    expect(page.get_by_role("status").filter(has_text="5 devices")).to_be_visible()
    panel = window.open_tab("Messages")
    panel.get_by_text("Add an endpoint", exact=True).click()
    panel.get_by_label("URL").fill(receiver.url)
    devices = panel.get_by_role("combobox", name="Devices")
    devices.focus()
    expect(devices).to_have_attribute("aria-expanded", "false")
    page.keyboard.type("doe")
    expect(devices).to_have_attribute("aria-expanded", "true")
    expect(options(devices)).to_have_text(["Jane Doejane/phone"])
    page.keyboard.press("ArrowDown")
    active = page.locator(f"#{devices.get_attribute('aria-activedescendant')}")
    expect(active).to_have_attribute("aria-selected", "true")
    assert violations(page, f"suggestions {theme}") == []
    screenshots(page, f"picker-{theme}")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("button", name="Remove Jane Doe")).to_be_visible()
    # A pattern says how many it has now; what was picked by mistake goes away with Backspace.
    page.keyboard.type("van-*")
    expect(options(devices).first).to_contain_text("3 devices now")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("listitem").filter(has_text="van-*")).to_contain_text("3 devices")
    page.keyboard.type("bob,")
    expect(panel.get_by_role("button", name="Remove bob")).to_be_visible()
    page.keyboard.press("Backspace")
    expect(panel.get_by_role("button", name="Remove bob")).to_have_count(0)
    # Escape closes the list and nothing else.
    page.keyboard.type("v")
    page.keyboard.press("Escape")
    expect(devices).to_have_attribute("aria-expanded", "false")
    expect(devices).to_have_value("v")
    page.keyboard.press("Backspace")
    panel.get_by_role("combobox", name="Regions").click()
    options(panel.get_by_role("combobox", name="Regions")).filter(has_text="Office").click()
    assert violations(page, f"chips {theme}") == []
    panel.get_by_role("button", name="Add the endpoint").click()
    expect(panel.get_by_text("Signing secret")).to_be_visible()
    [endpoint] = fleet.get("/v1/endpoints")["data"]
    assert (endpoint["devices"], endpoint["regions"]) == (["jane/phone", "van-*"], ["office-7"])
    expect(panel.get_by_role("button", name="Remove Jane Doe")).to_have_count(0)


def test_a_group_stands_for_its_devices(open_window, fleet):
    window = open_window(**PHONE)
    page = window.sign_in()
    panel = window.open_tab("Access")
    panel.get_by_text("Share devices").click()
    form = panel.locator("form").filter(has_text="Ends after")
    devices = form.get_by_label("Devices")
    form.get_by_role("button", name="Make a link").click()
    assert devices.evaluate("(node) => node.validity.valueMissing"), "a link needs a device"
    devices.fill("van")
    options(devices).filter(has_text="Group vans").tap()
    expect(form.get_by_role("listitem")).to_have_text(["van-1✕", "van-2✕", "van-10✕"])
    form.get_by_role("button", name="Remove van-2").tap()
    assert violations(page, "chips on a phone") == []
    form.get_by_role("button", name="Make a link").click()
    expect(panel.get_by_label("Share link", exact=True)).to_be_visible()
    [share] = fleet.get("/v1/shares")["data"]
    assert share["devices"] == ["van-1", "van-10"]


def test_history_and_reports_find_a_device_by_name(window, fleet):
    page = window.sign_in()
    panel = window.open_tab("History")
    field = panel.get_by_label("Device", exact=True)
    field.fill("jane d")
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("Jane Doe")
    field.press("Enter")
    expect(page.get_by_text("1 fix in this period.")).to_be_visible()
    assert "device=jane/phone" in page.url.replace("%2F", "/")
    panel = window.open_tab("Reports")
    expect(panel.get_by_label("Device", exact=True)).to_have_value("Jane Doe")
    with page.expect_request("**/v1/trips?*") as asked:
        panel.get_by_label("Device", exact=True).fill("van-10")
        panel.get_by_role("button", name="Show", exact=True).click()
    assert "deviceId=van-10" in asked.value.url
