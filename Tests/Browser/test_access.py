"""Accessibility: axe-core finds no violation of WCAG 2.2 AA, and the keyboard controls everything."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from sample_data import CENTER, add_sample_data

VIEW = f"/#map=14.5/{CENTER[0]}/{CENTER[1]}"
TABS = ["Live", "Places", "History", "Reports", "Import", "Messages", "Apps", "Access"]
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    # The elements that pass are not listed one by one, which takes a fifth of the time.
    "resultTypes": ["violations"],
}


def violations(page, where):
    """The violations that axe-core finds, one line per element."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [
        f"{where}: {rule['id']} ({rule['help']}) at {node['target']}: {node['html'][:120]} {node['failureSummary']}"
        for rule in found for node in rule["nodes"]
        # Handles of vertices may be close to each other. The table of coordinates is an equivalent (WCAG 2.5.8).
        if not (rule["id"] == "target-size" and "data-handle=" in node["html"])
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing(open_window, service, receiver, scheme, width):
    add_sample_data(service, receiver)
    window = open_window(color_scheme=scheme, viewport={"width": width, "height": 800})
    page = window.page
    page.goto(service.url + VIEW)
    expect(page.get_by_label("Access token")).to_be_visible()
    found = violations(page, "sign-in")
    window.sign_in(VIEW)
    expect(page.get_by_role("listitem").filter(has_text="entered").first).to_be_visible()
    for tab in TABS:
        window.open_tab(tab)
        found += violations(page, tab)

    # The cards of an event and a region, the editor, and the import form.
    window.open_tab("Live")
    page.get_by_role("listitem").filter(has_text="entered Depot").first.get_by_role("link").click()
    expect(page.get_by_role("article", name="Selected event")).to_be_visible()
    found += violations(page, "event card")
    panel = window.open_tab("Places")
    panel.get_by_role("link", name="Campus").click()
    card = page.get_by_role("article", name="Selected region")
    expect(card).to_contain_text("Campus")
    found += violations(page, "region card")
    card.get_by_role("button", name="Change").click()
    expect(page.get_by_role("heading", name="Change Campus")).to_be_visible()
    found += violations(page, "editor")
    page.get_by_role("button", name="Cancel").click()
    panel.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", name="Import regions")).to_be_visible()
    found += violations(page, "import form")
    assert found == [], "\n".join(found)


def test_the_keyboard_controls_the_page(window):
    add_sample_data(window.service)
    page = window.page
    page.goto(window.service.url + VIEW)
    expect(page.get_by_label("Access token")).to_be_focused()
    page.keyboard.type(window.service.token)
    page.keyboard.press("Enter")
    window.expect_live()
    page.get_by_role("tab", name="Live").focus()
    for name in TABS[1:4]:
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", name=name)).to_be_focused()
        expect(page.get_by_role("tabpanel", name=name)).to_be_visible()
    page.keyboard.press("Home")
    expect(page.get_by_role("tabpanel", name="Live")).to_be_visible()

    # Tab visits all controls and returns to the document, and each focused control has a visible focus indicator.
    seen = []
    for _ in range(200):
        page.keyboard.press("Tab")
        at = page.evaluate("""() => {
            const element = document.activeElement;
            if (!element || element === document.body) return null;
            const style = getComputedStyle(element);
            const box = element.getBoundingClientRect();
            return {
                name: element.outerHTML.slice(0, 100),
                isVisible: box.width > 0 && box.height > 0,
                hasFocusIndicator: (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1)
                    || style.boxShadow !== "none",
            };
        }""")
        if at is None:
            break
        assert at["isVisible"], at
        assert at["hasFocusIndicator"], at
        seen.append(at["name"])
    else:
        raise AssertionError(f"Tab does not return to the document: {seen[-5:]}")
    assert len(set(seen)) > 8, seen


def test_a_list_has_the_devices_of_the_map(window):
    add_sample_data(window.service)
    page = window.sign_in(VIEW)
    devices = page.get_by_role("list", name="Devices")
    for device in ["jane/phone", "van-1", "van-2", "bike-1"]:
        expect(devices.get_by_role("listitem").filter(has_text=device)).to_be_visible()
    expect(devices.get_by_role("listitem").filter(has_text="jane/phone")).to_contain_text("Depot")
