"""Messages for people: the form and its preview, ntfy over HTTP, and e-mail over a real SMTP server with STARTTLS."""

import json
import time

from playwright.sync_api import expect

from service import walk

OFFICE = (38.71, -9.14)


def wait_until(condition, window=None, seconds=60):
    """With a window, its page goes on working meanwhile."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        if window is None:
            time.sleep(0.1)
        else:
            window.page.wait_for_timeout(100)


def drive_to_office(service):
    service.add_circle("office", "Zürich Büro", *OFFICE, 150)
    service.report(*walk("jane/phone", *OFFICE, start=500, end=0, steps=14, began=150, took=140))


def test_an_ntfy_endpoint_is_added_with_a_preview_and_gets_a_readable_message(window, receiver):
    page = window.sign_in()
    panel = window.open_tab("Messages")
    panel.get_by_text("Add an endpoint").click()
    panel.get_by_label("Kind").select_option("ntfy")
    panel.get_by_label("URL with the topic").fill(receiver.url.replace("/webhook", "/family"))
    panel.get_by_label("Access token").fill("tk_secret_of_ntfy")
    panel.get_by_text("Texts, names and quiet hours").click()
    panel.get_by_label("Title").fill("{{devise}}")
    window.allows_connection_errors = True
    panel.get_by_role("button", name="Preview").click()
    expect(panel.get_by_text("There is no variable {{devise}}")).to_be_visible()
    panel.get_by_label("Title").fill("{{device}}: {{sentence}}")
    panel.get_by_label("Names of devices").fill("jane/phone=Oma")
    # The tests are at an address that other machines cannot open.
    caution = panel.get_by_text("other machines cannot open links to this address")
    expect(caution).to_be_visible()
    panel.get_by_label("Address of this page for links").fill("https://fence.example.org/")
    expect(caution).to_be_hidden()
    panel.get_by_role("button", name="Preview").click()
    expect(panel.get_by_text("Oma: Oma came home at")).to_be_visible()
    panel.get_by_role("button", name="Add the endpoint").click()

    card = panel.get_by_role("article").first
    card.get_by_role("button", name="Send test").click()
    wait_until(lambda: receiver.messages, window)
    headers, body = receiver.messages[0]
    assert {name.lower(): value for name, value in headers.items()}["authorization"] == "Bearer tk_secret_of_ntfy"
    assert body["topic"] == "family" and body["message"]
    assert "tk_secret_of_ntfy" not in json.dumps(window.service.get("/v1/endpoints"))
    page.reload()
    window.expect_live()
    expect(page.get_by_role("article").first).to_contain_text("ntfy 127.0.0.1")

    receiver.messages.clear()
    drive_to_office(window.service)
    wait_until(lambda: receiver.messages, window)
    assert receiver.messages[0][1]["title"].startswith("Oma: Oma arrived at Zürich Büro at ")
    assert receiver.messages[0][1]["click"].startswith("https://fence.example.org/#event=evt_")
    for log in window.service.folder.glob("log-*"):
        assert "tk_secret_of_ntfy" not in log.read_text()


def test_e_mail_goes_over_starttls_with_a_login_and_is_tried_again(service, mailbox):
    service.stop()
    config = json.loads(service.config.read_text())
    config["webhooks"] |= {"caFile": str(mailbox.certificate), "allowHTTP": False}
    service.config.write_text(json.dumps(config))
    service.start()
    service.post("/v1/endpoints", {
        "id": "mail", "kind": "email", "url": f"smtp://localhost:{mailbox.port}", "from": "fence@example.org",
        "to": ["jane@example.org", "tom@example.org"], "username": "fence", "password": "s3cret-mail",
        "events": ["region.entered"], "link": "https://fence.example.org",
    })
    mailbox.answer = "451 Try again later"
    attempt = service.post("/v1/endpoints/mail/test", {})
    assert attempt["status"] == 451 and attempt["failure"] == "status"
    mailbox.answer = "250 OK"
    drive_to_office(service)
    wait_until(lambda: mailbox.messages)
    envelope, message = mailbox.messages[0]
    assert envelope.rcpt_tos == ["jane@example.org", "tom@example.org"]
    assert envelope.mail_from == "fence@example.org"
    assert message["Subject"].startswith("Jane arrived at Zürich Büro at ")
    assert message["Auto-Submitted"] == "auto-generated" and "@example.org>" in message["Message-ID"]
    assert "https://fence.example.org/#event=evt_" in message.get_body().get_content()
    assert set(mailbox.logins) == {("fence", "s3cret-mail")}
    wait_until(lambda: service.get("/v1/deliveries", status="delivered")["data"])
    assert "s3cret-mail" not in json.dumps(service.get("/v1/endpoints"))
    for log in service.folder.glob("log-*"):
        assert "s3cret-mail" not in log.read_text()


def test_e_mail_is_not_sent_to_a_server_whose_certificate_is_unknown(service, mailbox):
    service.post("/v1/endpoints", {
        "id": "mail", "kind": "email", "url": f"smtp://localhost:{mailbox.port}", "from": "fence@example.org",
        "to": "jane@example.org", "username": "fence", "password": "s3cret-mail",
    })
    attempt = service.post("/v1/endpoints/mail/test", {})
    assert attempt["failure"] == "tls"
    assert mailbox.messages == [] and mailbox.logins == []


def test_an_administrator_allows_the_network_of_an_endpoint_and_revokes_it(window, receiver):
    """The machine itself is allowed over https only, so that the receiver's network has to be opened for http."""
    service = window.service
    config = json.loads(service.config.read_text())
    config["webhooks"]["allowHTTP"] = False
    service.config.write_text(json.dumps(config))
    service.restart()
    window.sign_in()
    window.allows_connection_errors = True
    panel = window.open_tab("Messages")
    panel.get_by_text("Add an endpoint").click()
    panel.get_by_label("Kind").select_option("ntfy")
    panel.get_by_label("URL with the topic").fill(receiver.url.replace("/webhook", "/family"))
    panel.get_by_role("button", name="Add the endpoint").click()
    allow = panel.get_by_role("button", name="Allow messages to 127.0.0.1/32, also over http")
    expect(allow).to_be_visible()
    expect(panel.get_by_role("alert").first).to_contain_text("is in a private network")
    allow.click()
    expect(panel.get_by_text("Added. “Send test” below sends a first message.")).to_be_visible()
    id = service.get("/v1/endpoints")["data"][0]["id"]
    assert service.post(f"/v1/endpoints/{id}/test", {})["status"] == 204

    access = window.open_tab("Access")
    revoke = access.get_by_role("button", name="Revoke 127.0.0.1/32")
    revoke.click()
    revoke.click()
    expect(access.get_by_text("No networks.")).to_be_visible()
    assert service.post(f"/v1/endpoints/{id}/test", {})["failure"] == "blocked"


def test_a_message_has_the_name_that_the_page_gave_the_device(service, receiver):
    service.add_circle("home", "Home", *OFFICE, 150)
    url = receiver.url.replace("/webhook", "/family")
    service.post("/v1/endpoints", {"kind": "ntfy", "url": url, "events": ["region.entered"]})
    own = service.post("/v1/endpoints", {"kind": "ntfy", "url": url, "events": ["region.entered"],
                                         "names": {"tracker-17": "The boss"}})
    service.request("PUT", "/v1/devices/tracker-17/profile", {"name": "Jane"})
    service.report(*walk("tracker-17", *OFFICE, start=500, end=0, steps=14, began=150, took=140))
    wait_until(lambda: len(receiver.messages) == 2)
    titles = sorted(message[1]["title"].split(" came home")[0] for message in receiver.messages)
    assert titles == ["Jane", "The boss"]
    # The endpoint keeps what was given to it.
    assert service.get(f"/v1/endpoints/{own['id']}")["names"] == {"tracker-17": "The boss"}
