"""What the tests share: the program, one browser for all, and windows that remember what went wrong in them."""

import io
import os
import pathlib
import re

import pytest
from PIL import Image
from playwright.sync_api import expect, sync_playwright

from receiver import Receiver
from service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHROMIUM = "/usr/bin/chromium"
PATIENCE = 60_000  # milliseconds: the machine may be busy, and nothing here is about how long something takes

# Requests fail while the service is away; the browser says so by itself.
AWAY = re.compile(r"net::ERR_|Failed to load resource")

WATCH = """
addEventListener("securitypolicyviolation", (event) => {
  reportViolation(`${event.effectiveDirective}: ${event.blockedURI || event.sample}`);
});
"""


def pytest_addoption(parser):
    parser.addoption(
        "--write-images", action="store_true", help="write the pictures of docs/map.md to docs/images as well")


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("FENCEPOST")
    if not path:
        pytest.exit("FENCEPOST names the program to test; make test-browser does so.", returncode=64)
    return path


@pytest.fixture(scope="session")
def browser():
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        # A container's root has no sandbox of its own; pages come from the service under test alone.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def service(program, tmp_path):
    service = Service(program, tmp_path).start()
    yield service
    service.stop()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


class Window:
    """A window of the browser at a service: its page, and what went wrong in it."""

    def __init__(self, browser, service, **options):
        options = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"} | options
        self.service = service
        self.context = browser.new_context(
            locale="en-GB", timezone_id="Europe/Lisbon", reduced_motion="reduce", **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.problems = []
        self.outside = []
        self.may_be_away = False
        self.page.expose_function("reportViolation", lambda text: self.problems.append(f"policy: {text}"))
        self.page.add_init_script(WATCH)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("console", self._heard)
        self.context.route(lambda url: not url.startswith(service.url + "/"), self._refuse)

    def _heard(self, message):
        if message.type not in ("error", "warning"):
            return
        if self.may_be_away and AWAY.search(message.text):
            return
        self.problems.append(f"{message.type}: {message.text} ({message.location['url']})")

    def _refuse(self, route):
        self.outside.append(route.request.url)
        route.abort()

    def forgive(self, text):
        """Takes out problems that the test made on purpose."""
        self.problems = [problem for problem in self.problems if text not in problem]

    def sign_in(self, path="/"):
        """Opens the page with the service's token and waits until it is live."""
        self.page.goto(self.service.url + path)
        self.page.get_by_label("Access token").fill(self.service.token)
        self.page.get_by_role("button", name="Sign in").click()
        self.expect_live()
        return self.page

    def expect_live(self):
        expect(self.page.get_by_role("status").filter(has_text=re.compile("^Live"))).to_be_visible()

    def open_tab(self, name):
        self.page.get_by_role("tab", name=name).click()
        panel = self.page.get_by_role("tabpanel", name=name)
        expect(panel).to_be_in_viewport()
        return panel

    def close(self):
        self.context.close()
        assert self.problems == [], self.problems
        assert self.outside == [], self.outside


@pytest.fixture
def open_window(browser, service):
    """Makes windows; at the end each is asked what went wrong in it."""
    windows = []

    def make(**options):
        windows.append(Window(browser, service, **options))
        return windows[-1]

    yield make
    for window in windows:
        window.close()


@pytest.fixture
def window(open_window):
    return open_window()


@pytest.fixture(scope="session")
def pictures(request):
    """Takes a picture of a page to .build/browser, and to docs/images where it is of the documentation and asked for.

    Returns the picture as it was on the screen.
    """
    is_writing = request.config.getoption("--write-images")

    def take(page, name, of_documentation=False):
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        folders = [ROOT / ".build" / "browser"]
        if is_writing and of_documentation:
            folders.append(ROOT / "docs" / "images")
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
            # A page has few colours: a palette keeps the file small.
            image.quantize(192, dither=Image.Dither.NONE).save(folder / f"{name}.png", optimize=True)
        return image

    return take
