"""Signing in at a real provider (oidc-provider-mock) on another site than the service, and out again."""

import contextlib
import json
import logging
import os
import warnings

import pytest
from playwright.sync_api import expect

from service import Service

with warnings.catch_warnings(), open(os.devnull, "w", encoding="utf-8") as nowhere:
    # It warns of its own dependencies, whatever the filter is.
    with contextlib.redirect_stderr(nowhere):
        import oidc_provider_mock


@pytest.mark.filterwarnings("ignore")
def test_a_user_of_the_provider_signs_in_and_out(browser, program, tmp_path):
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    users = [
        oidc_provider_mock.User(sub="u1", claims={"preferred_username": "jane", "groups": ["family"]}),
        oidc_provider_mock.User(sub="u2", claims={"preferred_username": "eve"}),
    ]
    with oidc_provider_mock.run_server_in_thread(port=0, user_claims=users) as server:
        service = Service(program, tmp_path)
        service.config.write_text(json.dumps({"oidc": {
            # For a browser localhost is another site than 127.0.0.1.
            "issuer": f"http://localhost:{server.server_port}", "allowHTTP": True, "clientId": "fencepost",
            "clientSecret": "secret", "name": "House", "passwords": "none",
            "groups": [{"group": "family", "role": "viewer"}]}}))
        service.start()
        context = browser.new_context(reduced_motion="reduce", locale="en-GB")
        try:
            page = context.new_page()
            page.goto(f"{service.url}/#tab=regions")

            def sign_in(subject):
                page.get_by_role("link", name="Sign in with House").click()
                page.wait_for_url("**/oauth2/authorize?**")
                page.locator("input[name=sub]:not([type=hidden])").fill(subject)
                page.get_by_role("button", name="Authorize").first.click()

            sign_in("u2")
            expect(page.get_by_text("House knows you, but you may not use this Fencepost.")).to_be_visible()
            assert "signIn" not in page.url
            sign_in("u1")
            # The cookie of the session counts with the first page already, though the browser comes from another site.
            expect(page.get_by_role("tab", name="Places")).to_have_attribute("aria-selected", "true")
            assert page.url.startswith(service.url) and "code=" not in page.url
            page.reload()
            page.locator("#menu summary").click()
            page.get_by_role("button", name="Sign out").click()
            page.wait_for_url("**/oauth2/end_session?**")
            page.goto(service.url)
            expect(page.get_by_role("link", name="Sign in with House")).to_be_visible()
        finally:
            context.close()
            service.stop()
