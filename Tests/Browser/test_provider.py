"""Sign-in at a provider (OpenID Connect): the form, failures, the way back, sign-out, users without a password.

The answers of the service about the provider are made up here; the tests of the service in Swift have a provider.
"""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from sample_data import add_sample_data
from test_access import violations
from test_users import PASSWORD, SIZES, add_user, sign_in

LINK = "Sign in with Authelia"
FAILURES = {
    "provider_away": "Authelia does not answer as it should. Try again later, or ask an administrator.",
    "denied": "You cancelled the sign-in, or Authelia refused it.",
    "refused": "Authelia knows you, but you may not use this Fencepost. Ask an administrator.",
    "expired": "The sign-in took more than ten minutes, or began in another browser. Try again.",
    "invalid_token": "What Authelia sent cannot be trusted. Ask an administrator: the log of the service says why.",
    "name_taken": "Another user has the name that Authelia sent for you. Ask an administrator.",
    "<b>made up</b>": "The sign-in with Authelia failed. Try again.",
}


def configure(window, passwords="all", signed_in=None, **user):
    """Gives the page a provider; with `signed_in` also members of the answer to a user, whose own are `user`."""

    def answer(route):
        access = route.fetch().json() | {"signIn": {"provider": "Authelia", "passwords": passwords}}
        if access.get("user"):
            access |= {"user": access["user"] | user} | (signed_in or {})
        route.fulfill(json=access)

    window.page.route("**/v1/access", answer)


def lead_back(window, path, to, ends_session=False):
    """Answers a navigation to a path as the service does after the provider. Returns the requests."""
    requests = []

    def answer(route):
        requests.append(route.request)
        if ends_session:
            # Not before: the page would see that it is signed out.
            window.page.context.clear_cookies()
        route.fulfill(status=302, headers={"Location": f"{window.service.url}{to}"})

    window.page.route(f"**{path}", answer)
    return requests


def form_of(page):
    return page.get_by_role("region", name="Sign in", exact=True)


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("viewport", SIZES)
@pytest.mark.parametrize("passwords", ["all", "administrators", "none"])
def test_the_provider_is_first_in_the_form(open_window, service, screenshots, passwords, viewport):
    add_user(service, "Jane", "admin")
    window = open_window(viewport=viewport)
    page = window.page
    configure(window, passwords)
    page.goto(service.url)
    form = form_of(page)
    link = form.get_by_role("link", name=LINK)
    expect(link).to_be_focused()
    assert urlsplit(link.evaluate("link => link.href")).path == "/v1/oidc/login"
    expect(form.get_by_label("Name")).to_be_visible(visible=passwords == "all")
    screenshots(page, f"sign-in-{passwords}-{viewport['width']}")
    found = violations(page, "sign-in")
    if passwords == "administrators":
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    if passwords != "none":
        expect(form.get_by_label("Password", exact=True)).to_be_visible()
        found += violations(page, "password")
    assert found == []
    assert fits(page)

    # The provider stays where a token is asked for, and the way back is there only where it leads to something.
    form.get_by_role("button", name="Sign in with an access token").click()
    expect(form.get_by_label("Access token")).to_be_focused()
    expect(link).to_be_visible()
    back = {"all": "Sign in with a name and a password", "administrators": "Password of an administrator"}
    for kind, name in back.items():
        expect(form.get_by_role("button", name=name)).to_have_count(1 if passwords == kind else 0)
    if passwords == "none":
        return
    form.get_by_role("button", name=back[passwords]).click()
    expect(form.get_by_label("Name")).to_be_focused()
    form.get_by_label("Name").fill("jane")
    form.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    window.expect_live()


@pytest.mark.parametrize("passwords", ["all", "none"])
def test_the_provider_is_there_while_there_are_no_users(window, passwords):
    page = window.page
    configure(window, passwords)
    page.goto(window.service.url)
    form = form_of(page)
    expect(form.get_by_role("link", name=LINK)).to_be_focused()
    expect(form.get_by_label("Access token")).to_be_visible()
    # A first user with a password that nobody may use would be of no use.
    expect(form.get_by_role("group", name="First user")).to_have_count(1 if passwords == "all" else 0)
    assert violations(page, "no users") == []
    form.get_by_label("Access token").fill(window.service.token)
    form.get_by_role("button", name="Sign in", exact=True).click()
    window.expect_live()


def test_a_failure_is_explained_once(open_window, service):
    add_user(service, "Jane", "admin")
    window = open_window(viewport=SIZES[1])
    page = window.page
    configure(window)
    for code, sentence in FAILURES.items():
        # Another page first: a change of the fragment alone would load nothing.
        page.goto("about:blank")
        page.goto(f"{service.url}/?signIn={code}#tab=history")
        form = form_of(page)
        expect(form.get_by_role("alert").filter(has_text=re.compile("."))).to_have_text(sentence)
        expect(form.get_by_role("link", name=LINK)).to_have_accessible_description(sentence)
        assert page.url == f"{service.url}/#tab=history"
    assert violations(page, "failure") == []
    assert fits(page)
    page.reload()
    expect(form.get_by_role("link", name=LINK)).to_be_focused()
    expect(form.get_by_text("Try again")).to_have_count(0)

    # Who is signed in sees the page, and nothing of a failure in another window.
    form.get_by_label("Name").fill("jane")
    form.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    window.expect_live()
    page.goto("about:blank")
    page.goto(f"{service.url}/?signIn=denied")
    window.expect_live()
    assert "signIn" not in page.url


def test_a_german_reader_is_sent_to_the_provider_in_german(open_window, service):
    add_user(service, "Jane", "admin")
    window = open_window(locale="de-DE", viewport=SIZES[1])
    page = window.page
    configure(window, "administrators")
    page.goto(f"{service.url}/?signIn=denied")
    form = page.get_by_role("region", name="Anmelden", exact=True)
    expect(form.get_by_role("link", name="Mit Authelia anmelden")).to_be_focused()
    expect(form.get_by_text("Passwort eines Verwalters")).to_be_visible()
    expect(form.get_by_role("alert").first).to_have_text(
        "Du hast die Anmeldung abgebrochen, oder Authelia hat sie abgelehnt.")
    assert fits(page)


def test_the_way_over_the_provider_keeps_the_view_and_leads_out_again(window):
    service, page = window.service, window.page
    add_sample_data(service)
    add_user(service, "Jane", "admin")
    configure(window, signed_in={"signOut": "v1/oidc/logout"})
    lead_back(window, "/v1/oidc/login", "/")
    left = lead_back(window, "/v1/oidc/logout", "/", ends_session=True)
    page.goto(f"{service.url}/#device=van-1")
    link = form_of(page).get_by_role("link", name=LINK)
    expect(link).to_be_focused()
    # The cookie that the service sets on the way.
    assert page.request.post(f"{service.url}/v1/sessions", data={"user": "jane", "password": PASSWORD}).ok
    page.keyboard.press("Enter")
    window.expect_live()
    assert "device=van-1" in page.url
    expect(page.get_by_role("article", name="Selected device")).to_contain_text("van-1")

    ended = []
    page.on("request", lambda request: ended.append(request) if request.method == "DELETE" else None)
    window.allows_connection_errors = True
    page.locator("#menu summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(link).to_be_focused()
    assert [request.is_navigation_request() for request in left] == [True]
    assert ended == []


def test_a_session_that_ends_leaves_the_provider_in_the_form(window):
    add_user(window.service, "Jane", "admin")
    configure(window)
    page = sign_in(window, "Jane")
    window.expect_live()
    window.allows_connection_errors = True
    page.context.clear_cookies()
    form = form_of(page)
    expect(form.get_by_role("link", name=LINK)).to_have_accessible_description("Your session has ended.")


def test_a_password_that_may_not_be_used_is_refused_in_the_words_of_the_page(window):
    add_user(window.service, "Sam", "viewer")
    configure(window)
    window.page.route("**/v1/sessions", lambda route: route.fulfill(
        status=403, content_type="application/problem+json", json={"status": 403, "code": "passwords_off"}))
    window.allows_connection_errors = True
    page = sign_in(window, "Sam")
    expect(form_of(page).get_by_text("Passwords are off for you here. Sign in with Authelia.")).to_be_visible()


@pytest.mark.parametrize("passwords, user, may_change", [
    ("all", {}, True), ("all", {"signIn": "provider"}, False), ("administrators", {}, False), ("none", {}, False),
])
def test_a_user_changes_a_password_that_is_of_use(window, passwords, user, may_change):
    add_user(window.service, "Sam", "viewer")
    configure(window, passwords, signed_in={"signOut": "v1/oidc/logout"}, **user)
    page = window.page
    page.route("**/v1/sessions", lambda route: route.fulfill(json={"nextCursor": None, "data": [{
        "id": "ses_1", "isCurrent": True, "provider": True, "address": "192.0.2.7",
        "lastUsed": "2026-03-01T09:00:00Z"}]}))
    # The cookie that the service sets on the way from the provider.
    assert page.request.post(f"{window.service.url}/v1/sessions", data={"user": "sam", "password": PASSWORD}).ok
    page.goto(window.service.url)
    window.expect_live()
    panel = window.open_tab("Access")
    expect(panel.get_by_role("listitem").filter(has_text="This browser")).to_contain_text(
        "signed in from 192.0.2.7, with Authelia")
    expect(panel.get_by_text("Change the password").first).to_be_visible(visible=may_change)


@pytest.mark.parametrize("passwords, viewport", [("all", SIZES[0]), ("administrators", SIZES[1]), ("none", SIZES[1])])
def test_an_administrator_invites_users(open_window, service, screenshots, passwords, viewport):
    jane = add_user(service, "Jane", "admin")
    identity = {"issuer": "https://auth.example.org", "subject": "8a1f"}
    users = [jane, {"id": "usr_1", "name": "Kim", "role": "viewer", "signIn": "provider", "provider": identity}]
    sent = []

    def answer(route):
        if route.request.method == "GET":
            route.fulfill(json={"data": users, "nextCursor": None})
            return
        sent.append(route.request.post_data_json)
        user = {key: value for key, value in sent[-1].items() if key != "password" and value is not None}
        users.append({"id": f"usr_{len(users)}"} | user
                     | ({"signIn": "provider"} if sent[-1]["password"] is None else {}))
        route.fulfill(status=201, json=users[-1])

    window = open_window(viewport=viewport)
    page = window.page
    configure(window, passwords)
    page.route("**/v1/users", answer)
    assert page.request.post(f"{service.url}/v1/sessions", data={"user": "jane", "password": PASSWORD}).ok
    page.goto(service.url)
    window.expect_live()
    panel = window.open_tab("Access")
    item = panel.get_by_role("listitem")
    expect(item.filter(has_text="Kim")).to_contain_text("sees everything, signs in with Authelia")
    expect(item.filter(has_text="Jane").filter(has=page.get_by_label("Role of Jane"))).not_to_contain_text("Authelia")

    panel.get_by_text("Add a user").click()
    form = panel.locator("form").filter(has=page.get_by_role("button", name="Add the user"))
    invited = form.get_by_role("checkbox", name="Signs in with Authelia")
    password = form.locator("input[type=password]")
    expect(invited).to_be_checked(checked=passwords != "all")
    expect(invited).to_be_enabled(enabled=passwords != "none")
    expect(password).to_be_visible(visible=passwords == "all")
    form.get_by_label("Name", exact=True).fill("Sam")
    if passwords == "all":
        invited.check()
        expect(password).to_be_hidden()
    screenshots(page, f"invite-{passwords}-{viewport['width']}")
    assert violations(page, "invite") == []
    assert fits(page)
    form.get_by_role("button", name="Add the user").click()
    expect(item.filter(has_text="Sam")).to_contain_text("invited, and has not signed in with Authelia yet")
    assert sent == [{"name": "Sam", "password": None, "role": "viewer", "tags": None, "devices": None}]

    # The form is as it was, and adds users with a password where they can use one.
    expect(form.get_by_label("Name", exact=True)).to_have_value("")
    expect(invited).to_be_checked(checked=passwords != "all")
    expect(password).to_be_visible(visible=passwords == "all")
    if passwords == "none":
        return
    invited.uncheck()
    form.get_by_label("Name", exact=True).fill("Max")
    form.get_by_label("Role").select_option("admin")
    password.fill(PASSWORD)
    form.get_by_role("button", name="Add the user").click()
    expect(item.filter(has_text="Max")).to_be_visible()
    assert sent[1:] == [{"name": "Max", "password": PASSWORD, "role": "admin"}]
    expect(item.filter(has_text="Max")).not_to_contain_text("Authelia")


def test_nothing_names_a_provider_without_one(window):
    page = window.page
    page.goto(f"{window.service.url}/?signIn=denied")
    form = form_of(page)
    expect(form.get_by_label("Access token")).to_be_focused()
    expect(form.get_by_role("link")).to_have_count(0)
    expect(form.get_by_text(FAILURES["denied"].split(",")[0])).to_have_count(0)
    assert "signIn" not in page.url
    window.sign_in()
    panel = window.open_tab("Access")
    panel.get_by_text("Add a user").click()
    expect(panel.get_by_label("Password").filter(visible=True)).to_have_count(1)
    expect(panel.get_by_role("checkbox", name=re.compile("Signs in"))).to_have_count(0)
