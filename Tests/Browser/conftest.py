"""Shared fixtures: the program, one browser, and windows that record their errors."""

import io
import os
import pathlib
import re

import pytest
from PIL import Image
from playwright.sync_api import expect, sync_playwright

from mail_server import Mailbox
from receiver import Receiver
from service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The shell is the same engine without a browser around it, and takes a fifth less processor time.
CHROMIUM = next(filter(os.path.exists, ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"]), "")
TIMEOUT = 60_000  # milliseconds; long, because the machine may be busy

# The views that are no tabs.
MENU_VIEWS = ["Alerts", "Plans", "Import", "Messages", "MQTT and Home Assistant", "Apps", "Access"]
# The browser logs these errors while the service is stopped.
CONNECTION_ERROR = re.compile(r"net::ERR_|Failed to load resource")

REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) => {
  reportViolation(`${event.effectiveDirective}: ${event.blockedURI || event.sample}`);
});
"""


def pytest_addoption(parser):
    parser.addoption(
        "--write-images", action="store_true", help="write the screenshots of docs/map.md to docs/images")
    parser.addoption(
        "--write-goldens", action="store_true", help="write the small screenshots that test_appearance.py compares")


def pytest_collection_modifyitems(config, items):
    """With VARIANTS_OF_TESTS=number, of a test with several sizes, themes or kinds one is run, by the number."""
    number = os.environ.get("VARIANTS_OF_TESTS", "all")
    if number == "all":
        return
    variants = {}
    for item in items:
        variants.setdefault((item.path, item.originalname), []).append(item)
    # Not the same variant of each, so that a run has all sizes and themes somewhere.
    kept = [group[(int(number) + index) % len(group)] for index, group in enumerate(variants.values())]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("FENCEPOST")
    if not path:
        pytest.exit("Set FENCEPOST to the path of the program, as make test-browser does.", returncode=64)
    return path


@pytest.fixture(scope="session")
def browser():
    expect.set_options(timeout=TIMEOUT)
    with sync_playwright() as playwright:
        # Chromium's sandbox does not run as root. All pages come from the service under test.
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
def mailbox(tmp_path):
    mailbox = Mailbox(tmp_path)
    yield mailbox
    mailbox.close()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


class Window:
    """A browser window with the page of a service. `close` fails if there were errors or external requests."""

    def __init__(self, browser, service, **options):
        options = {
            "viewport": {"width": 1280, "height": 800}, "color_scheme": "light", "locale": "en-GB",
            "timezone_id": "Europe/Lisbon",
        } | options
        self.service = service
        self.context = browser.new_context(reduced_motion="reduce", **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(TIMEOUT)
        self.problems = []
        self.external_requests = []
        self.allows_connection_errors = False
        self.page.expose_function("reportViolation", lambda text: self.problems.append(f"policy: {text}"))
        self.page.add_init_script(REPORT_VIOLATIONS)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("console", self._on_console)
        self.context.route(lambda url: not url.startswith(service.url + "/"), self._abort)

    def _on_console(self, message):
        if message.type not in ("error", "warning"):
            return
        if self.allows_connection_errors and CONNECTION_ERROR.search(message.text):
            return
        self.problems.append(f"{message.type}: {message.text} ({message.location['url']})")

    def _abort(self, route):
        self.external_requests.append(route.request.url)
        route.abort()

    def ignore_problems(self, text):
        """Removes recorded problems that the test expects."""
        self.problems = [problem for problem in self.problems if text not in problem]

    def sign_in(self, path="/"):
        """Opens the page, signs in, and waits until the page is live."""
        self.page.goto(self.service.url + path)
        self.page.get_by_label("Access token").fill(self.service.token)
        self.page.get_by_role("button", name="Sign in").click()
        self.expect_live()
        return self.page

    def expect_live(self):
        expect(self.page.get_by_role("status").filter(has_text=re.compile("^Live"))).to_be_visible()

    def open_tab(self, name):
        """Opens a tab, or one of the views in the menu."""
        if name in MENU_VIEWS:
            self.page.locator("#menu summary").click()
            self.page.get_by_role("navigation", name="More views").get_by_role("button", name=name).click()
        else:
            self.page.get_by_role("tab", name=name).click()
        panel = self.page.get_by_role("region" if name in MENU_VIEWS else "tabpanel", name=name, exact=True)
        expect(panel).to_be_in_viewport()
        return panel

    def open_tool(self, name):
        """Opens a tool of Live by the menu "+"."""
        self.page.get_by_label("Add", exact=True).click()
        self.page.get_by_role("button", name=name, exact=True).filter(visible=True).first.click()
        tool = self.page.locator("details.tool", has=self.page.locator("summary", has_text=name))
        expect(tool.locator("summary").first).to_be_focused()
        return tool

    def close(self):
        self.context.close()
        assert self.problems == [], self.problems
        assert self.external_requests == [], self.external_requests


@pytest.fixture
def open_window(browser, service):
    """Opens windows, and closes them at the end of the test."""
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
def screenshots(request):
    """Saves screenshots to .build/browser, and those of the documentation to docs/images with --write-images.

    Returns the image with all its colours.
    """
    is_writing = request.config.getoption("--write-images")
    folder = ROOT / ".build" / "browser"
    folder.mkdir(parents=True, exist_ok=True)

    def take(page, name, of_documentation=False):
        content = page.screenshot()
        (folder / f"{name}.png").write_bytes(content)
        image = Image.open(io.BytesIO(content)).convert("RGB")
        if is_writing and of_documentation:
            # A palette makes the file smaller; the page has few colours.
            image.quantize(192, dither=Image.Dither.NONE).save(ROOT / f"docs/images/{name}.png", optimize=True)
        return image

    return take
