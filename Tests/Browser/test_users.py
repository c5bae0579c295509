"""Users: the first one, roles and groups in the page, sessions, share links, tokens; on a desktop and a phone."""

import re

import pytest
from playwright.sync_api import expect

from sample_data import CENTER, add_sample_data
from service import fix
from test_access import violations

PASSWORD = "correct horse battery staple"
SIZES = [{"width": 1280, "height": 800}, {"width": 360, "height": 740}]


def sign_in(window, name, password=PASSWORD):
    page = window.page
    page.goto(window.service.url)
    form = page.get_by_role("region", name="Sign in")
    form.get_by_label("Name").fill(name)
    form.get_by_label("Password").fill(password)
    form.get_by_role("button", name="Sign in", exact=True).click()
    return page


def add_user(service, name, role, **limits):
    return service.post("/v1/users", {"name": name, "password": PASSWORD, "role": role, **limits})


@pytest.mark.parametrize("viewport", SIZES)
def test_the_first_user_signs_in_for_good(open_window, service, viewport):
    window = open_window(viewport=viewport)
    page = window.page
    page.goto(service.url)
    expect(page.get_by_label("Access token")).to_be_focused()
    page.get_by_label("Access token").fill(service.token)
    form = page.get_by_role("region", name="Sign in")
    form.get_by_label("Name").fill("Jane")
    form.get_by_label("Password").fill(PASSWORD)
    assert violations(page, "first user") == []
    page.get_by_role("button", name="Sign in").click()
    window.expect_live()
    # A new tab of the same browser needs no sign-in: the cookie lasts.
    assert page.evaluate("document.cookie") == ""
    page.reload()
    window.expect_live()
    panel = window.open_tab("Access")
    expect(panel).to_contain_text("Signed in as Jane (admin)")
    expect(panel.get_by_role("listitem").filter(has_text="This browser")).to_be_visible()

    window.allows_connection_errors = True
    panel.get_by_role("listitem").filter(has_text="This browser").get_by_role("button", name="Sign out").click()
    form = page.get_by_role("region", name="Sign in")
    expect(form.get_by_label("Name")).to_be_focused()
    form.get_by_label("Name").fill("jane")
    form.get_by_label("Password").fill("a wrong guess")
    form.get_by_role("button", name="Sign in", exact=True).click()
    expect(form.get_by_role("alert")).to_have_text("The name or the password is wrong.")
    assert violations(page, "wrong password") == []
    form.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    window.expect_live()


@pytest.mark.parametrize("viewport", SIZES)
def test_a_viewer_sees_what_its_groups_have_and_no_button_for_more(open_window, service, receiver, viewport):
    add_sample_data(service, receiver)
    service.report(fix("truck-1", *CENTER, ago=5))
    service.request("PUT", "/v1/groups/trucks", {"devices": ["truck-*"]})
    add_user(service, "viewer", "viewer")
    add_user(service, "driver", "viewer", tags=["trucks"])

    window = open_window(viewport=viewport)
    page = sign_in(window, "viewer")
    window.expect_live()
    expect(page.get_by_text("Walk a test device").filter(visible=True)).to_have_count(0)
    expect(page.get_by_label("Add", exact=True)).to_be_hidden()
    # What needs more than reading is in no menu.
    page.locator("#menu summary").click()
    expect(page.get_by_role("navigation", name="More views").get_by_role("button", name="Import")).to_be_hidden()
    page.locator("#menu summary").click()
    panel = window.open_tab("Places")
    expect(panel.get_by_role("link", name="Campus")).to_be_visible()
    for name in ["Circle", "Polygon", "Corridor", "Import"]:
        expect(panel.get_by_role("button", name=name)).to_be_hidden()
    panel.get_by_role("link", name="Campus").click()
    card = page.get_by_role("article", name="Selected region")
    expect(card.get_by_role("button", name="Show")).to_be_visible()
    for name in ["Change", "Delete", "Walk in"]:
        expect(card.get_by_role("button", name=name)).to_be_hidden()
    panel = window.open_tab("Messages")
    expect(panel.get_by_role("button", name="Messages").first).to_be_visible()
    for name in ["Send test", "Pause"]:
        expect(panel.get_by_role("button", name=name)).to_be_hidden()
    expect(panel.get_by_text("Add an endpoint")).to_be_hidden()
    panel = window.open_tab("Access")
    expect(panel.get_by_role("heading", name="Your account")).to_be_visible()
    for name in ["Users", "Groups", "Tokens", "Share links"]:
        expect(panel.get_by_role("heading", name=name)).to_be_hidden()

    window = open_window(viewport=viewport)
    page = sign_in(window, "driver")
    expect(page.get_by_role("status").filter(has_text="Live, 1 device")).to_be_visible()
    page.locator("#menu summary").click()
    views = page.get_by_role("navigation", name="More views")
    expect(views.get_by_role("button", name="Access")).to_be_visible()
    for name in ["Import", "Messages", "Apps"]:
        expect(views.get_by_role("button", name=name)).to_be_hidden()


@pytest.mark.parametrize("viewport", SIZES)
def test_an_administrator_manages_users_groups_and_tokens(open_window, service, viewport):
    add_user(service, "Jane", "admin")
    window = open_window(viewport=viewport)
    page = sign_in(window, "Jane")
    window.expect_live()
    panel = window.open_tab("Access")
    panel.get_by_text("Add or change a group").click()
    form = panel.locator("form").filter(has=page.get_by_role("button", name="Save the group"))
    form.get_by_label("Tag").fill("vans")
    form.get_by_label("Devices").fill("van-*, truck-1")
    form.get_by_role("button", name="Save the group").click()
    expect(panel.get_by_role("listitem").filter(has_text="van-*, truck-1")).to_be_visible()

    panel.get_by_text("Add a user").click()
    form = panel.locator("form").filter(has=page.get_by_role("button", name="Add the user"))
    form.get_by_label("Name").fill("Sam")
    form.get_by_label("Password").fill(PASSWORD)
    form.get_by_label("Groups").fill("vans")
    assert violations(page, "users") == []
    form.get_by_role("button", name="Add the user").click()
    line = panel.get_by_role("listitem").filter(has_text="Sam")
    expect(line).to_contain_text("sees groups vans")
    with page.expect_response(lambda response: response.request.method == "PATCH") as changed:
        line.get_by_label("Role of Sam").select_option("editor")
    assert changed.value.ok
    expect(panel.get_by_label("Role of Sam")).to_have_value("editor")
    panel.get_by_role("button", name="Remove Sam").click()
    panel.get_by_role("button", name="Remove Sam").click()
    expect(panel.get_by_role("listitem").filter(has_text="Sam")).to_have_count(0)

    panel.get_by_text("Issue a token").click()
    form = panel.locator("form").filter(has=page.get_by_role("button", name="Issue the token"))
    form.get_by_label("Name").fill("Jane's phone")
    form.get_by_label("Device").fill("jane/phone")
    form.get_by_role("button", name="Issue the token").click()
    expect(panel.get_by_label("Token Jane's phone")).to_have_value(re.compile("^fp_"))
    expect(panel.get_by_role("listitem").filter(has_text="only jane/phone")).to_be_visible()
    panel.get_by_role("button", name="Revoke Jane's phone").click()
    panel.get_by_role("button", name="Revoke Jane's phone").click()
    expect(panel.get_by_role("listitem").filter(has_text="only jane/phone")).to_have_count(0)


@pytest.mark.parametrize("viewport", SIZES)
def test_a_share_link_shows_its_device_and_nothing_else(open_window, service, viewport):
    service.report(fix("jane/phone", *CENTER, ago=5), fix("bob", *CENTER, ago=5))
    add_user(service, "Jane", "admin")
    window = open_window(viewport=viewport)
    sign_in(window, "Jane")
    window.expect_live()
    panel = window.open_tab("Access")
    panel.get_by_text("Share devices").click()
    form = panel.locator("form").filter(has_text="Ends after")
    form.get_by_label("Devices").fill("jane/phone")
    form.get_by_label("Title").fill("Jane is on her way")
    form.get_by_role("button", name="Make a link").click()
    link = panel.get_by_label("Share link", exact=True).input_value()
    assert link.startswith(service.url + "/share#fpl_")

    friend = open_window(viewport=viewport)
    requests = []
    friend.page.on("request", lambda request: requests.append(request.url))
    friend.page.goto(link)
    expect(friend.page.get_by_role("heading", name="Jane is on her way")).to_be_visible()
    expect(friend.page.get_by_role("listitem")).to_have_text(re.compile("^jane/phone"))
    service.request("PUT", "/v1/devices/jane%2Fphone/profile", {"name": "Jane's phone"})
    friend.page.reload()
    expect(friend.page.get_by_role("listitem")).to_have_text(re.compile("^Jane's phone"))
    expect(friend.page.get_by_text("bob")).to_have_count(0)
    # It looks as the page does: the same bar, the same cards; next to the map, or below it on a phone.
    card, shared_map = (friend.page.locator(name).bounding_box() for name in (".person-link", "#map"))
    assert card["x"] < shared_map["x"] if viewport["width"] > 760 else card["y"] > shared_map["y"] + 200
    assert friend.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    assert violations(friend.page, "share") == []
    assert not [url for url in requests if "/v1/" in url and not url.endswith("/v1/shared")], requests
    assert not [url for url in requests if "fpl_" in url.split("#")[0]], requests

    panel.get_by_role("button", name="Revoke Jane is on her way").click()
    panel.get_by_role("button", name="Revoke Jane is on her way").click()
    expect(panel.get_by_text("No links.")).to_be_visible()
    friend.allows_connection_errors = True
    friend.page.reload()
    expect(friend.page.get_by_text("This link has ended or was revoked.")).to_be_visible()


def test_an_administrator_sees_the_cluster(window):
    """The nodes and the log, from answers as a cluster gives them; a single node shows nothing of it."""
    page = window.sign_in("/")
    panel = window.open_tab("Access")
    expect(panel.get_by_role("heading", name="Tokens")).to_be_visible()
    expect(panel.get_by_role("heading", name="Cluster")).to_have_count(0)
    nodes = [
        {"name": "node-1", "role": "leader", "address": "http://10.0.0.1:8080", "version": "1.0", "position": 90,
         "behind": 0, "leads": 1, "copies": 2, "reportedAt": "2026-03-01T09:00:00Z"},
        {"name": "node-2", "role": "failed", "address": "http://10.0.0.2:8080", "version": "1.0", "position": 20,
         "behind": 70, "problem": "This copy differs.", "reportedAt": "2026-03-01T09:00:00Z"}]
    log = {"bytes": 5_400_000, "limit": 10_000_000, "first": 1, "last": 90}
    page.route("**/v1/version", lambda route: route.fulfill(
        json={"name": "fencepost", "version": "1.0", "cluster": "north"}))
    page.route("**/v1/cluster", lambda route: route.fulfill(
        json={"name": "north", "leader": "node-1", "nodes": nodes, "log": log, "away": ["node-3"],
              "parts": [{"name": name, "position": 30, "copies": [], "log": log} for name in ("config", "0", "1")]}))
    window.open_tab("Live")
    panel = window.open_tab("Access")
    expect(panel.get_by_role("heading", name="Cluster north")).to_be_visible()
    expect(panel.get_by_role("listitem").filter(has_text="node-1")).to_contain_text("leads")
    expect(panel.get_by_role("listitem").filter(has_text="node-1")).to_contain_text("copies of 2 of 3 parts")
    expect(panel.get_by_role("listitem").filter(has_text="node-3")).to_contain_text("away")
    expect(panel.get_by_role("listitem").filter(has_text="node-2")).to_contain_text("70 records behind")
    expect(panel.get_by_role("listitem").filter(has_text="node-2")).to_contain_text("This copy differs.")
    expect(panel).to_contain_text("5.4 MB, 54 % of its limit")
