"""The page requests nothing from other hosts, and runs no script except its own files."""

import urllib.request

from playwright.sync_api import expect


def test_the_policy_allows_no_script_of_the_page_itself(service):
    with urllib.request.urlopen(service.url + "/", timeout=60) as response:
        policy = response.headers["Content-Security-Policy"]
    directives = {part.split()[0]: part.split()[1:] for part in policy.split(";") if part.strip()}
    assert directives["default-src"] in (["'self'"], ["'none'"]), policy
    assert directives["frame-ancestors"] == ["'none'"], policy
    for name, sources in directives.items():
        assert "'unsafe-eval'" not in sources, policy
        # Only the service, and content of the document itself.
        assert set(sources) <= {"'self'", "'none'", "data:", "blob:"} | (
            {"'unsafe-inline'"} if name == "style-src" else set()), policy
    scripts = directives.get("script-src", directives["default-src"])
    assert set(scripts) <= {"'self'", "'none'"}, policy


def test_an_inline_script_does_not_run(window):
    # The browser enforces the policy and reports the violation.
    page = window.sign_in()
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "globalThis.wasRun = true";
        document.body.append(script);
    }""")
    assert page.evaluate("globalThis.wasRun") is None
    page.wait_for_function("document.body.lastElementChild.tagName === 'SCRIPT'")
    assert any("script-src" in problem or "Content Security Policy" in problem for problem in window.problems)
    window.problems.clear()


def test_there_are_no_external_requests(window):
    # The window aborts and records external requests, and fails at its end if there was one.
    window.service.add_circle("office", "Office", 38.71, -9.14, 150)
    page = window.sign_in("/#map=6/38.7/-9.1")
    for tab in ["Live", "Places", "History", "Messages", "Apps"]:
        window.open_tab(tab)
    requests = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert len(requests) > 10
    assert [url for url in requests if not url.startswith(window.service.url + "/")] == []


def test_the_base_map_is_drawn(window):
    page = window.sign_in("/#map=6/38.7/-9.1")
    # Land and sea have different colours: the base map needs no tile server.
    expect(page.get_by_role("region", name="Map")).to_be_visible()
    page.wait_for_function("""() => {
        const canvas = document.querySelector(".leaflet-base-pane canvas");
        if (!canvas) return false;
        const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
        const box = canvas.getBoundingClientRect();
        const ratio = canvas.width / box.width;
        const map = document.getElementById("map").getBoundingClientRect();
        const colorAt = (x, y) => {
            const [left, top] = [map.left + map.width / 2 + x - box.left, map.top + map.height / 2 + y - box.top];
            copy.drawImage(canvas, left * ratio, top * ratio, 1, 1, 0, 0, 1, 1);
            return copy.getImageData(0, 0, 1, 1).data.join();
        };
        // The middle is Lisbon. At zoom 6 a degree is 46 pixels wide: Spain is east, the ocean west.
        return colorAt(100, 10) !== colorAt(-120, 10) && colorAt(-120, 10) === colorAt(-150, 17);
    }""")
