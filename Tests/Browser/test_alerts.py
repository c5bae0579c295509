"""The view Alerts: rules in words, made, changed and removed, the devices that alert, and messages about them."""

import json

import pytest
from playwright.sync_api import expect

from service import fix
from test_journeys import violations
from test_messages import wait_until

PLACE = (48.85, 2.35)


def vans(service):
    """200 vans in four groups, standing."""
    ids = [f"van-{number:03}" for number in range(200)]
    service.report(*[fix(device, *PLACE, ago=60, speed=0.0) for device in ids])
    for group in range(4):
        service.request("PUT", f"/v1/groups/g{group}", {"devices": ids[group * 50:(group + 1) * 50]})


def drive(service, device, speed, *ages):
    service.report(*[fix(device, *PLACE, ago=ago, speed=speed) for ago in ages])


def test_a_speed_alert_of_a_group_of_a_fleet_is_made_in_the_page_and_sent(window, receiver, screenshots):
    service = window.service
    vans(service)
    endpoint = {"kind": "ntfy", "url": receiver.url.replace("/webhook", "/fleet")}
    service.post("/v1/endpoints", endpoint)
    page = window.sign_in()
    panel = window.open_tab("Alerts")
    expect(panel.get_by_text("No rules")).to_be_visible()
    panel.get_by_text("Add a rule", exact=True).click()
    panel.get_by_label("Faster than (km/h)").fill("90")
    panel.get_by_label("For at least (seconds)").fill("10")
    groups = panel.get_by_role("combobox", name="Groups")
    groups.fill("g1")
    groups.press("ArrowDown")
    groups.press("Enter")
    assert violations(page, "a rule of alerts") == []
    screenshots(page, "alerts-form")
    panel.get_by_role("button", name="Add the rule").click()
    rule = panel.get_by_role("article", name="Rule: Group g1 faster than 90 km/h for 10 s")
    expect(rule).to_be_visible()

    # A van of the group, and one of another.
    drive(service, "van-060", 30.0, 20, 5)
    drive(service, "van-010", 30.0, 20, 5)
    wait_until(lambda: receiver.messages, window)
    assert receiver.messages[0][1]["topic"] == "fleet"
    assert "van-060 drives 108 km/h; 90 km/h is the limit" in receiver.messages[0][1]["title"]
    now = panel.get_by_role("region", name="Alerting now")
    expect(now.get_by_role("link")).to_have_count(1)
    expect(now.get_by_role("link")).to_contain_text("van-060")
    expect(rule.get_by_text("1 device now")).to_be_visible()
    screenshots(page, "alerts")

    drive(service, "van-060", 10.0, 1)
    wait_until(lambda: len(receiver.messages) > 1, window)
    assert "no longer drives too fast" in receiver.messages[1][1]["title"]
    assert len(receiver.messages) == 2
    expect(now.get_by_text("No device alerts now.")).to_be_visible()
    # The start and the end look different in Live.
    window.open_tab("Live")
    feed = page.get_by_role("listitem").filter(has_text="van-060")
    expect(feed.filter(has_text="van-060 drives too fast").locator(".event-icon.alarm")).to_be_visible()
    expect(feed.filter(has_text="no longer drives too fast").locator(".event-icon.clear")).to_be_visible()


def test_a_rule_is_changed_and_removed_and_comes_back(window):
    service = window.service
    service.add_circle("depot", "Depot", *PLACE, 200)
    page = window.sign_in()
    panel = window.open_tab("Alerts")
    panel.get_by_text("Add a rule", exact=True).click()
    panel.get_by_label("Report when a device").select_option("battery")
    panel.get_by_label("Level at or below (%)").fill("15")
    region = panel.get_by_role("combobox", name="Region")
    region.fill("dep")
    region.press("ArrowDown")
    region.press("Enter")
    panel.get_by_role("button", name="Add the rule").click()
    rule = panel.get_by_role("article").first
    expect(rule).to_contain_text("Every device with a battery of 15 % or less in Depot")
    [stored] = service.get("/v1/alert-rules")["data"]
    assert (stored["below"], stored["region"], stored["devices"]) == (0.15, "depot", None)

    rule.get_by_role("button", name="Change").click()
    expect(panel.get_by_label("Level at or below (%)")).to_have_value("15")
    panel.get_by_label("Level at or below (%)").fill("25")
    panel.get_by_role("button", name="Save").click()
    expect(rule).to_contain_text("25 % or less in Depot")
    [changed] = service.get("/v1/alert-rules")["data"]
    assert changed == {**stored, "below": 0.25}

    rule.get_by_role("button", name="Remove").click()
    expect(panel.get_by_text("No rules")).to_be_visible()
    assert service.get("/v1/alert-rules")["data"] == []
    page.get_by_role("button", name="Undo").click()
    expect(rule).to_contain_text("25 % or less in Depot")
    assert service.get("/v1/alert-rules")["data"] == [changed]

    # What is wrong is said at the form.
    panel.get_by_label("Report when a device").select_option("present")
    panel.get_by_role("combobox", name="Region").fill("nowhere")
    panel.get_by_label("At", exact=True).fill("20:00")
    window.allows_connection_errors = True
    panel.get_by_role("button", name="Add the rule").click()
    expect(panel.get_by_role("alert").filter(has_text='There is no region "nowhere"')).to_be_visible()


def test_a_rule_of_the_configuration_is_listed_and_names_its_file(service, open_window):
    service.stop()
    configuration = json.loads(service.config.read_text())
    configuration["monitor"] = {"alerts": [{"id": "low", "type": "battery", "below": 0.3}]}
    service.config.write_text(json.dumps(configuration))
    service.start()
    assert service.get("/v1/alert-rules/low")["source"] == "configuration"
    for method, body in [("DELETE", None), ("PUT", {"type": "battery"}), ("PATCH", {"below": 0.2})]:
        with pytest.raises(AssertionError, match=f"409 .*{service.config}"):
            service.request(method, "/v1/alert-rules/low", body)
    with pytest.raises(AssertionError, match="409 .*alert_rule_exists"):
        service.post("/v1/alert-rules", {"id": "low", "type": "jump"})
    window = open_window()
    window.sign_in()
    panel = window.open_tab("Alerts")
    rule = panel.get_by_role("article").first
    expect(rule).to_contain_text("Every device with a battery of 30 % or less")
    expect(rule).to_contain_text("in the configuration file")
    expect(rule.get_by_role("button")).to_have_count(0)


def test_rules_stay_after_the_process_is_killed(service):
    service.post("/v1/alert-rules", {"id": "low", "type": "battery", "below": 0.3})
    service.report(fix("jane", *PLACE, ago=20, batteryLevel=0.2))
    assert [alert["rule"] for alert in service.get("/v1/devices/jane")["alerts"]] == ["low"]
    service.restart()
    assert [alert["rule"] for alert in service.get("/v1/devices/jane")["alerts"]] == ["low"]
    service.request("DELETE", "/v1/alert-rules/low")
    service.restart()
    assert "alerts" not in service.get("/v1/devices/jane")
    assert service.get("/v1/alert-rules")["data"] == []
