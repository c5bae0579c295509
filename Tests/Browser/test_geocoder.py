"""The search for places and the addresses, with a geocoder on loopback that answers as Nominatim does."""

import json
import re
import threading
import urllib.parse
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import expect

from conftest import Window
from service import Service

PLACE = {
    "lat": "38.69790", "lon": "-9.20680", "name": "Tower", "display_name": "Tower, Avenue, Belém, Lisboa, Portugal",
    "address": {"road": "Avenue", "city": "Lisboa"}, "boundingbox": ["38.6970", "38.6985", "-9.2075", "-9.2060"],
}


@contextmanager
def geocoder(status=200):
    """A geocoder; gives its URL and the requests that it has got."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self)
            query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
            found = [PLACE] if query.get("q", [""])[0].startswith("tower") else []
            body = json.dumps(found if self.path.startswith("/search") else PLACE).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def window_with(browser, program, folder, url):
    service = Service(program, folder)
    settings = json.loads(service.config.read_text())
    settings["geocoder"] = {"url": url, "allowHTTP": True, "allowedNetworks": ["127.0.0.1"], "rate": 100}
    service.config.write_text(json.dumps(settings))
    service.start()
    window = Window(browser, service)
    try:
        yield window
        window.close()
    finally:
        service.stop()


def test_the_search_field_finds_places_and_shows_them_on_the_map(browser, program, tmp_path):
    with geocoder() as (url, requests), window_with(browser, program, tmp_path, url) as window:
        window.sign_in()
        page = window.page
        field = page.get_by_placeholder("Device, region or coordinates")
        field.press_sequentially("tower of belém")
        assert not requests, "letters are not sent one by one"
        field.press("Enter")
        result = page.get_by_role("list", name="Places").get_by_role("button", name="Tower, Lisboa")
        expect(result).to_be_visible()
        expect(page.get_by_text("Addresses: © OpenStreetMap contributors")).to_be_visible()
        result.click()
        expect(page).to_have_url(re.compile(r"[#&]map=1[67]\S*/38\.\d+/-9\.2"))
        field.fill("nowhere")
        page.get_by_role("button", name="Find an address or a place").click()
        expect(page.get_by_text("No such place was found.")).to_be_visible()
        assert [request.path.split("?")[0] for request in requests] == ["/search", "/search"]
        assert all(request.headers["User-Agent"].startswith("Fencepost/") for request in requests)


def test_a_geocoder_that_fails_says_so_and_the_page_goes_on(browser, program, tmp_path):
    with geocoder(500) as (url, _), window_with(browser, program, tmp_path, url) as window:
        window.sign_in()
        field = window.page.get_by_placeholder("Device, region or coordinates")
        field.fill("tower")
        field.press("Enter")
        expect(window.page.get_by_text("The geocoder answered with status 500.")).to_be_visible()
        window.expect_live()
        window.ignore_problems("502")


def test_without_a_geocoder_nothing_is_offered(window):
    window.sign_in()
    expect(window.page.get_by_placeholder("Device, region or coordinates")).to_be_visible()
    expect(window.page.get_by_role("button", name="Find an address or a place")).to_have_count(0)
