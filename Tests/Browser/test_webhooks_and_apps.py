"""The views Messages and Apps: endpoints, messages, simulated apps and their actions."""

import re

from playwright.sync_api import expect

from sample_data import BUNDLE
from service import walk

OFFICE = (38.71, -9.14)


def test_an_endpoint_is_added_and_tested_and_its_secret_is_shown_once(window, receiver):
    page = window.sign_in()
    panel = window.open_tab("Messages")
    expect(panel.get_by_text("No endpoints")).to_be_visible()
    panel.get_by_text("Add an endpoint").click()
    panel.get_by_label("URL").fill(receiver.url)
    panel.get_by_label("Description").fill("Desk")
    panel.get_by_role("button", name="Add the endpoint").click()
    secret = panel.get_by_label("Secret").input_value()
    assert secret.startswith("whsec_")

    card = panel.get_by_role("article").filter(has=page.get_by_role("heading", name="Desk"))
    expect(card.get_by_text("No message was sent yet.")).to_be_visible()
    card.get_by_role("button", name="Send test").click()
    expect(card.get_by_text(re.compile("The endpoint answered 204"))).to_be_visible()
    assert [body["type"] for _, body in receiver.messages] == ["webhook.test"]
    expect(card.get_by_text("No message was sent yet.")).to_be_hidden()
    expect(card.get_by_text("A test was sent, and no message of an event yet.")).to_be_visible()
    # The filter names it as the card does, and not by its id.
    names = panel.get_by_label("Filter by endpoint").locator("option").all_inner_texts()
    assert names == ["All endpoints", "Desk"], names

    card.get_by_role("button", name="Pause").click()
    expect(card.get_by_text("paused", exact=False).first).to_be_visible()
    card.get_by_role("button", name="Resume").click()
    expect(card.get_by_role("button", name="Pause")).to_be_visible()
    page.reload()
    window.expect_live()
    expect(page.get_by_role("article").get_by_role("heading", name="Desk")).to_be_visible()
    assert secret not in page.content()


def test_an_endpoint_needs_a_type_of_event(window, receiver):
    window.sign_in()
    panel = window.open_tab("Messages")
    panel.get_by_text("Add an endpoint").click()
    panel.get_by_label("URL").fill(receiver.url)
    boxes = panel.get_by_role("group", name="Event types").get_by_role("checkbox")
    for box in boxes.all():
        box.uncheck()
    panel.get_by_role("button", name="Add the endpoint").click()
    expect(panel.get_by_role("alert").filter(has_text="Choose at least one type of event.")).to_be_visible()
    expect(boxes.first).to_be_focused()
    assert window.service.get("/v1/endpoints")["data"] == []

    # The next endpoint starts with the same choices as the first.
    boxes.nth(1).check()
    panel.get_by_role("button", name="Add the endpoint").click()
    expect(panel.get_by_label("Secret")).to_be_visible()
    assert [box.is_checked() for box in boxes.all()] == [True, True, False, False, False]
    expect(panel.get_by_label("Include positions")).to_be_checked()
    assert [one["events"] for one in window.service.get("/v1/endpoints")["data"]] == [["visit.*"]]


def test_a_rejected_url_shows_the_error_at_its_field(window):
    # The browser logs the expected status 422.
    window.allows_connection_errors = True
    window.sign_in()
    panel = window.open_tab("Messages")
    panel.get_by_text("Add an endpoint").click()
    # An address that nobody can allow, and one that an administrator can.
    for host, reason in [("169.254.169.254", "not in a public network"), ("10.0.0.1", "in a private network")]:
        panel.get_by_label("URL").fill(f"http://{host}/webhook")
        panel.get_by_role("button", name="Add the endpoint").click()
        expect(panel.get_by_role("alert").filter(has_text=reason)).to_be_visible()
        expect(panel.get_by_label("URL")).to_have_attribute("aria-invalid", "true")


def test_a_failed_message_shows_its_attempts_and_is_sent_again(window, receiver):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    service.post("/v1/endpoints", {"id": "desk", "url": receiver.url, "events": ["region.entered"]})
    receiver.status = 500
    service.report(*walk("jane/phone", *OFFICE, start=500, end=0, steps=14, began=150, took=140))
    window.sign_in()
    panel = window.open_tab("Messages")
    messages = panel.get_by_role("region", name="Latest messages")
    entry = messages.get_by_role("listitem").filter(has_text="jane/phone entered").first
    retry = entry.get_by_role("button", name="Retry now")
    expect(retry).to_be_visible()
    # The first attempt may not be finished when the list is loaded.
    for _ in range(600):
        if receiver.messages:
            break
        window.page.wait_for_timeout(100)
    # Until the list has come: it replaces the entry, and a press on a button of the one before would be lost.
    with window.page.expect_response(re.compile(r"/v1/deliveries\b")):
        messages.get_by_role("button", name="Refresh").click()
    expect(entry).to_contain_text("answered 500")
    entry.get_by_text(re.compile(r"^\d+ attempts?$")).click()
    expect(entry.get_by_role("list").get_by_text("answered 500").first).to_be_visible()
    receiver.status = 204
    entry.get_by_role("button", name="Retry now").click()
    expect(entry).to_contain_text("✓ delivered")


def test_actions_change_an_app_and_each_decision_has_its_rules(window):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    service.post("/v1/apps", {
        "id": "courier", "name": "Courier", "devices": ["jane/*"], "given": BUNDLE,
        "services": [{"service": "regionCircular", "identifier": "office"}],
    })
    service.report(*walk("jane/phone", *OFFICE, start=500, end=0, steps=14, began=150, took=140))
    window.sign_in()
    panel = window.open_tab("Apps")
    card = panel.get_by_role("article", name="App Courier")
    expect(card.get_by_text("terminated by the system")).to_be_visible()
    expect(card.get_by_text("starts the app in the background").first).to_be_visible()
    expect(card.get_by_text("How sure: certain, as Apple documents it").first).to_be_visible()
    card.get_by_text(re.compile("Decided by RELAUNCH-04")).first.click()
    expect(card.get_by_text("RELAUNCH-01", exact=True)).to_be_visible()
    expect(card.get_by_role("definition").filter(has_text=re.compile("launch")).first).to_be_visible()
    source = card.get_by_role("link", name="What's New in Core Location").first
    expect(source).to_have_attribute("rel", re.compile("noreferrer"))
    expect(source).to_have_attribute("href", re.compile("^https://developer.apple.com/videos/"))

    card.get_by_role("button", name="Force quit").click()
    expect(card.get_by_role("status")).to_contain_text("Force quit")
    card.get_by_role("button", name="Open", exact=True).click()
    expect(card.get_by_text("in the foreground")).to_be_visible()
    card.get_by_role("button", name="Force quit").click()
    expect(card.get_by_text("force-quit by the user")).to_be_visible()
    # The setting is that of the app, before and after it changes.
    setting = card.get_by_label("Change in Settings for Courier")
    expect(setting).to_have_value("always")
    setting.select_option("whileUsing")
    card.get_by_role("button", name="Set", exact=True).click()
    expect(card.get_by_role("definition").filter(has_text="in use").first).to_be_visible()
    window.open_tab("Live")
    window.open_tab("Apps")
    expect(setting).to_have_value("whileUsing")
    setting.select_option("never")
    card.get_by_role("button", name="Set", exact=True).click()
    expect(card.get_by_role("definition").filter(has_text="denied").first).to_be_visible()


def test_an_app_in_use_stays_while_the_list_is_read_again_late(window):
    """The answer of a read from before a change comes after it: it is not shown, and the card keeps what is chosen."""
    window.service.post("/v1/apps", {"id": "courier", "name": "Courier", "devices": ["jane/*"], "given": BUNDLE,
                                     "services": [{"service": "visits"}]})
    page = window.sign_in()
    panel = window.open_tab("Apps")
    card = panel.get_by_role("article", name="App Courier")
    expect(card.get_by_text("terminated by the system")).to_be_visible()
    held = []

    def hold_first(route):
        if held:
            return route.continue_()
        return held.append((route, route.fetch()))

    page.route(re.compile(r"/v1/apps\?"), hold_first)
    window.open_tab("Live")
    window.open_tab("Apps")
    card.get_by_label("Change in Settings for Courier").select_option("never")
    card.get_by_role("button", name="Set", exact=True).click()
    denied = card.get_by_role("definition").filter(has_text="denied")
    expect(denied).to_be_visible()
    card.get_by_label("Change in Settings for Courier").select_option("whileUsing")
    [(late, answer)] = held
    with page.expect_response(lambda response: "/v1/apps?" in response.url and response.request != late.request):
        late.fulfill(response=answer)
    expect(denied).to_be_visible()
    expect(card.get_by_label("Change in Settings for Courier")).to_have_value("whileUsing")
    expect(card.get_by_role("status")).to_contain_text("Never")


def test_an_app_is_added_and_removed(window):
    page = window.sign_in()
    panel = window.open_tab("Apps")
    expect(panel.get_by_text("No simulated apps")).to_be_visible()
    panel.get_by_text("Add an app", exact=True).click()
    panel.get_by_label("Name").fill("Night watch")
    panel.get_by_role("button", name="Add the app").click()
    card = panel.get_by_role("article", name="App Night watch")
    expect(card.get_by_text("terminated by the system")).to_be_visible()
    card.get_by_role("button", name="Remove").click()
    expect(panel.get_by_text("No simulated apps")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(card).to_be_visible()


def test_an_app_with_conditions_and_beacons_is_added_and_a_beacon_starts_it(window):
    page = window.sign_in()
    page.set_viewport_size({"width": 360, "height": 740})
    panel = window.open_tab("Apps")
    panel.get_by_text("Add an app", exact=True).click()
    panel.get_by_label("Name").fill("Museum guide")
    services = panel.get_by_role("group", name="Location services")
    for name in ["regions", "visits"]:
        services.get_by_label(name, exact=True).uncheck()
    for name in ["conditions (CLMonitor)", "beacon regions", "beacon conditions (CLMonitor)"]:
        services.get_by_label(name, exact=True).check()
    panel.get_by_label("holds a service session for Always").check()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    panel.get_by_role("button", name="Add the app").click()
    card = panel.get_by_role("article", name="App Museum guide")
    expect(card.get_by_text("Conditions, Beacon regions beacon, Beacon conditions beacon")).to_be_visible()
    app = window.service.get("/v1/apps/museum-guide")
    assert [use["service"] for use in app["services"]] == ["clMonitorCircular", "regionBeacon", "clMonitorBeacon"]
    assert app["given"]["sessions"] == ["serviceSession(always)"]
    card.get_by_role("button", name="Beacon near").click()
    expect(card.get_by_role("status")).to_contain_text("Beacon near")
    assert window.service.get("/v1/apps/museum-guide")["state"]["lifecycle"] != "terminated"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_an_app_without_beacons_has_no_actions_of_beacons(window):
    window.service.post("/v1/apps", {
        "id": "courier", "name": "Courier", "devices": ["*"], "given": BUNDLE, "services": [{"service": "visits"}],
    })
    window.sign_in()
    card = window.open_tab("Apps").get_by_role("article", name="App Courier")
    expect(card.get_by_role("button", name="Force quit")).to_be_visible()
    expect(card.get_by_role("button", name="Beacon near")).to_have_count(0)
