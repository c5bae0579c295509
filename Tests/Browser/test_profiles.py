"""Names and colours of devices: given in the page, shown wherever a device is named, for all who see the device."""

import io
from datetime import datetime, timedelta, timezone

import pytest
from PIL import Image
from playwright.sync_api import expect

from service import fix, walk
from test_access import violations
from test_messages import wait_until

OFFICE = (38.71, -9.14)
VIEW = "/#map=16/38.71/-9.14"
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


def give(page, name, color):
    card = page.get_by_role("article", name="Selected device")
    card.get_by_text("Name, colour and picture", exact=True).click()
    card.get_by_label("Name of the device").fill(name)
    own = card.get_by_label("Own colour")
    own.set_checked(color is not None)
    if color:
        card.get_by_label("Colour of the device").fill(color)
    card.get_by_role("button", name="Save", exact=True).click()
    expect(card.get_by_label("Name of the device")).to_be_hidden()
    return card


def has_color(page, color):
    """Whether the map shows many points of a colour."""
    image = Image.open(io.BytesIO(page.locator("#map").screenshot())).convert("RGB")
    wanted = tuple(int(color[index:index + 2], 16) for index in (1, 3, 5))
    return sum(count for count, found in image.getcolors(1 << 24) if found == wanted) > 40


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_device_has_its_name_and_colour_everywhere(open_window, options):
    window = open_window(**options)
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    service.report(*walk("jane/phone", *OFFICE, start=500, end=0, steps=14, began=150, took=140))
    page = window.sign_in(VIEW + "&device=jane%2Fphone")
    card = give(page, "Jane", "#b5179e")
    expect(card.get_by_role("heading", name="Jane")).to_be_visible()
    expect(card).to_contain_text("jane/phone")
    panel = page.get_by_role("tabpanel", name="Live")
    row = panel.get_by_role("list", name="Devices").get_by_role("listitem").filter(has_text="Jane")
    expect(row.get_by_role("link")).to_have_attribute("title", "jane/phone")
    expect(panel.get_by_text("Jane entered Office")).to_be_attached()
    if not options:
        wait_until(lambda: has_color(page, "#b5179e"), window)
    assert service.get("/v1/profiles")["data"] == [{"id": "jane/phone", "name": "Jane", "color": "#b5179e"}]
    # Another visit, and the filter knows the name.
    page.reload()
    window.expect_live()
    field = page.get_by_role("searchbox", name="Filter by the name of a device, group or region")
    field.fill("JANE")
    expect(row).to_be_visible()
    field.fill("nobody")
    expect(row).to_be_hidden()
    field.fill("")
    # Without a name and a colour it is as before.
    give(page, "", None)
    expect(card.get_by_role("heading", name="jane/phone")).to_be_visible()
    assert service.get("/v1/profiles")["data"] == []


def test_two_devices_of_one_name_are_told_apart(window):
    service = window.service
    service.report(*[fix(device, *OFFICE, ago=5) for device in ("jane/phone", "jane/watch", "bob/phone")])
    for device in ("jane/phone", "jane/watch"):
        service.request("PUT", f"/v1/devices/{device.replace('/', '%2F')}/profile", {"name": "Jane"})
    page = window.sign_in(VIEW)
    cards = page.get_by_role("list", name="Devices").locator(".person-name")
    expect(cards).to_have_text(["bob/phone", "Jane (phone)", "Jane (watch)"])
    cards.nth(2).click()
    card = page.get_by_role("article", name="Selected device")
    expect(card.get_by_role("heading", name="Jane (watch)")).to_be_visible()
    # With names of their own they need nothing more.
    give(page, "Jane's watch", None)
    expect(cards).to_have_text(["bob/phone", "Jane", "Jane's watch"])
    # A share link distinguishes them too.
    service.request("PUT", "/v1/devices/jane%2Fwatch/profile", {"name": "Jane"})
    soon = (datetime.now(timezone.utc) + timedelta(hours=1)).isoformat()
    share = service.post("/v1/shares", {"devices": ["jane/phone", "jane/watch"], "name": "Jane", "expires": soon})
    page.goto(service.url + share["path"])
    expect(page.locator(".person-name")).to_have_text(["Jane (phone)", "Jane (watch)"])


def test_who_may_not_change_devices_sees_names_and_no_form(window):
    service = window.service
    service.report(fix("van-1", *OFFICE), fix("van-2", *OFFICE))
    for van in ("van-1", "van-2"):
        service.request("PUT", f"/v1/devices/{van}/profile", {"name": f"The {van}"})
    issued = service.post("/v1/tokens", {"name": "visitor", "scopes": ["read"]})
    service.token = issued["token"]
    page = window.sign_in(VIEW + "&device=van-1")
    card = page.get_by_role("article", name="Selected device")
    expect(card.get_by_role("heading", name="The van-1")).to_be_visible()
    expect(card.get_by_text("Name, colour and picture", exact=True)).to_be_hidden()


def test_what_is_wrong_with_a_profile_is_said(window):
    service = window.service
    for body in [{"name": "x" * 65}, {"name": "two\nlines"}, {"color": "red"}, {"color": "#12345"}, {"other": 1}]:
        with pytest.raises(AssertionError, match="4(00|22).*(name|color|other)"):
            service.request("PUT", "/v1/devices/van/profile", body)
    assert service.get("/v1/profiles")["data"] == []


def is_red(page):
    """Whether the middle of the picture on the card is red."""
    canvas = page.get_by_role("img", name="Picture of")
    red, green, blue = page.evaluate("""(canvas) => {
      const { data } = canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height / 2, 1, 1);
      return [...data.slice(0, 3)];
    }""", canvas.element_handle())
    return red > 200 and green < 60 and blue < 60


def test_a_device_has_a_picture_that_is_small_and_square(open_window, tmp_path):
    window = open_window()
    service = window.service
    service.report(fix("jane/phone", *OFFICE))
    page = window.sign_in(VIEW + "&device=jane%2Fphone")
    card = page.get_by_role("article", name="Selected device")
    form = card.get_by_text("Name, colour and picture", exact=True)
    form.click()
    expect(card.get_by_label("Remove the picture")).to_be_hidden()
    # A photograph is wide, and its middle counts.
    photograph = Image.new("RGB", (3000, 1200), "blue")
    photograph.paste("red", (900, 0, 2100, 1200))
    photograph.save(tmp_path / "photograph.png")
    (tmp_path / "text.png").write_text("no image")
    card.get_by_label("Picture for").set_input_files(tmp_path / "text.png")
    card.get_by_role("button", name="Save", exact=True).click()
    expect(card.get_by_role("alert")).to_have_text("text.png is not an image that this browser can read.")
    card.get_by_label("Picture for").set_input_files(tmp_path / "photograph.png")
    card.get_by_role("button", name="Save", exact=True).click()
    expect(card.get_by_label("Name of the device")).to_be_hidden()
    expect(page.get_by_role("img", name="Picture of jane/phone")).to_be_visible()
    assert is_red(page)
    stored = Image.open(io.BytesIO(service.request("GET", "/v1/devices/jane%2Fphone/face")))
    assert (stored.format, stored.size) == ("JPEG", (192, 192))
    corner = stored.getpixel((3, 3))
    assert corner[0] > 200 and corner[2] < 60
    assert violations(page, "a picture") == []
    # It is there at the next visit, until it is removed.
    page.reload()
    window.expect_live()
    expect(page.get_by_role("img", name="Picture of jane/phone")).to_be_visible()
    form.click()
    card.get_by_label("Remove the picture").check()
    card.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("img", name="Picture of")).to_have_count(0)
    assert service.get("/v1/profiles")["data"] == []
