"""The event list is complete after the service restarts."""

import re

from playwright.sync_api import expect

from service import walk

OFFICE = (38.71, -9.14)


def enter(service, *names):
    """Devices walk into the region; returns after the service stored their locations."""
    for name in names:
        service.report(*walk(name, *OFFICE, start=500, end=0, steps=14, began=150, took=140))


def entries(window):
    return window.page.get_by_role("listitem").filter(has_text=re.compile(r"walker-\d+ entered Office"))


def expect_each_once(window, count):
    expect(entries(window)).to_have_count(count)
    names = sorted(re.search(r"walker-\d+", text)[0] for text in entries(window).all_inner_texts())
    assert names == [f"walker-{number}" for number in range(1, count + 1)]


def test_no_event_is_lost_or_shown_twice_when_the_service_restarts(window):
    service = window.service
    service.add_circle("office", "Office", *OFFICE, 150)
    enter(service, "walker-1")
    window.sign_in()
    expect_each_once(window, 1)
    enter(service, "walker-2", "walker-3")
    expect_each_once(window, 3)

    window.allows_connection_errors = True
    service.restart()
    # The page reconnects after these events and has to read them from the stream's history.
    enter(service, "walker-4", "walker-5")
    expect_each_once(window, 5)
    window.expect_live()
    enter(service, "walker-6")
    expect_each_once(window, 6)


def test_the_page_shows_that_it_reconnects(window):
    page = window.sign_in()
    window.allows_connection_errors = True
    window.service.stop()
    expect(page.get_by_role("status").filter(has_text="Reconnecting")).to_be_visible()
    window.service.start()
    window.expect_live()


def test_a_token_that_is_revoked_leads_back_to_the_sign_in(window):
    service = window.service
    issued = service.post("/v1/tokens", {"name": "visitor", "scopes": ["read"]})
    page = window.page
    page.goto(service.url + "/")
    page.get_by_label("Access token").fill("fp_wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("unknown, expired or revoked")
    page.get_by_label("Access token").fill(issued["token"])
    page.get_by_role("button", name="Sign in").click()
    window.expect_live()
    service.request("DELETE", f"/v1/tokens/{issued['id']}")
    expect(page.get_by_label("Access token")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("revoked")
    # The browser logs each status 401.
    window.ignore_problems("401")
