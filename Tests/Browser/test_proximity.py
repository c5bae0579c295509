"""Proximity: a rule made in the view Alerts, a meeting in Live and as a message, and the rule changed and removed."""

from playwright.sync_api import expect

from service import fix
from test_access import violations
from test_messages import wait_until

PLACE = (38.71, -9.14)


def meet(service):
    """Ann walks to the dog, which stands, within 100 s up to now."""
    for ago in range(200, 0, -10):
        north = max(ago - 60, 0) * 5e-5
        service.report(fix("ann", PLACE[0] + north, PLACE[1], ago=ago), fix("dog", *PLACE, ago=ago - 1))


def test_a_rule_of_proximity_is_made_in_the_page_and_a_meeting_is_shown_and_sent(
        window, receiver, screenshots):
    service = window.service
    service.post("/v1/endpoints", {"kind": "ntfy", "url": receiver.url.replace("/webhook", "/family")})
    service.report(fix("ann", PLACE[0] + 1, PLACE[1], ago=4000), fix("dog", *PLACE, ago=4000))
    page = window.sign_in()
    panel = window.open_tab("Alerts")
    pairs = panel.get_by_role("region", name="Who is near whom")
    pairs.get_by_text("Watch devices for being near each other").click()
    pairs.get_by_label("Near each other up to").fill("120")
    for name, device in (("Devices", "ann"), ("Watched against", "dog")):
        field = pairs.get_by_role("combobox", name=name)
        field.fill(device)
        field.press("ArrowDown")
        field.press("Enter")
    pairs.get_by_label("Report that one goes away while the other stays").check()
    assert violations(page, "a rule of proximity") == []
    pairs.get_by_role("button", name="Add the rule").click()
    rule = pairs.get_by_role("article").first
    expect(rule).to_contain_text("within 120 m of dog, also when one leaves the other")
    screenshots(page, "proximity-rule")
    [stored] = service.get("/v1/proximity-rules")["data"]
    assert (stored["distance"], stored["devices"], stored["others"]) == (120, ["ann"], ["dog"])

    meet(service)
    wait_until(lambda: receiver.messages, window)
    assert "came near" in receiver.messages[0][1]["title"]
    events = service.get("/v1/events", type="proximity.*")["data"]
    assert [event["type"] for event in events] == ["proximity.entered"]
    window.open_tab("Live")
    expect(page.get_by_role("listitem").filter(has_text="ann came near dog").first).to_be_visible()

    panel = window.open_tab("Alerts")
    rule.get_by_role("button", name="Change").click()
    pairs.get_by_label("Near each other up to").fill("80")
    pairs.get_by_role("button", name="Save").click()
    expect(rule).to_contain_text("within 80 m of dog")
    rule.get_by_role("button", name="Remove").click()
    expect(pairs.get_by_role("article")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(rule).to_contain_text("within 80 m of dog")
