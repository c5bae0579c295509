"""Every text that people read comes from the texts of a language: with a made-up one that marks its texts, what has no
mark is data, or a text that a translator could not change."""

import json
import re

import pytest
from playwright.sync_api import expect

from conftest import MENU_VIEWS, Window
from sample_data import add_sample_data
from test_layout import PHONE, VIEW, settle

# A language that has the English texts in brackets, but for one.
LANGUAGES = """
import { english } from "../english/texts.js";
const mark = (value) => (Array.isArray(value) ? value.map(mark) : typeof value === "string" ? `⟦${value}⟧` : value);
const marked = (texts) => Object.fromEntries(Object.entries(texts).map(([name, value]) => [name,
  typeof value === "function" ? (...values) => mark(value(...values))
    : typeof value === "string" || Array.isArray(value) ? mark(value) : marked(value)]));
const esperanto = marked(english);
delete esperanto.common.close;
export const languages = { en: english, eo: esperanto };
"""

# The words of visible elements, and of the attributes that are read out or shown.
READ = """() => {
  const found = [];
  const isShown = (node) => node.checkVisibility({ visibilityProperty: true });
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    // The parts of a sentence with links and numbers in it count as one text.
    if (node.data.trim() && isShown(node.parentElement)) found.push([node.data, node.parentElement.outerHTML]);
  }
  for (const node of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]")) {
    if (!isShown(node)) continue;
    for (const name of ["aria-label", "title", "placeholder", "alt"]) {
      if (node.getAttribute(name)) found.push([node.getAttribute(name), node.outerHTML]);
    }
  }
  return found;
}"""

# What is no text of the page: the names and ids of the sample data, examples, addresses, codes of rules, times that the
# browser writes, names of products and of languages; and the one text that the language lacks.
DATA = re.compile(r"Fencepost|English|Close|bob/phone, van|depot|fixes|clear_fix"
                  r"|(jane|van|bike|dispatch|first|courier)[-/*\w]*|Campus|Depot|Riverside|Courier"
                  r"|Dispatch desk|test/walker|https?://\S*|[A-Z]+[-\d]*[A-Z]*-\d+|iOS \d.*"
                  r"|\d+ M\d+ \d+, \w{3} [\d:]+ \S+|\d+, \w{3}|(Mon|Tue|Wed|Thu|Fri|Sat|Sun)|M\d+ \d+, \w{3} .*")
TABS = ["Live", "Places", "History", "Reports", "Plans", "Import", "Messages", "Apps", "Access"]


def open_marked(browser, service, **options):
    window = Window(browser, service, locale="eo", **options)
    window.context.route("**/page/text/languages.js", lambda route: route.fulfill(
        body=LANGUAGES, content_type="text/javascript"))
    window.page.goto(service.url + VIEW)
    window.page.get_by_label("⟦Access token⟧").fill(service.token)
    window.page.get_by_role("button", name="⟦Sign in⟧", exact=True).click()
    expect(window.page.get_by_role("status").filter(has_text=re.compile("^⟦Live"))).to_be_visible()
    return window


def unmarked(page):
    """The texts without a mark."""
    settle(page)
    found = {}
    for content, html in page.evaluate(READ):
        if re.search(r"[^\W\d_]{3,}", content) and "⟦" not in content and "⟧" not in content:
            found.setdefault(content.strip(), html[:200])
    return found


def open_everything(page):
    """Opens all details of the panel that are closed."""
    for summary in page.locator("#views details:not([open]) > summary").all():
        if summary.is_visible():
            summary.click()


def all_rules(service):
    """The rules of Core Location with their sources, as JSON."""
    cursor = None
    while True:
        page = service.get("/v1/rules", limit=500, **({"cursor": cursor} if cursor else {}))
        yield json.dumps(page["data"], ensure_ascii=False)
        cursor = page["nextCursor"]
        if not cursor:
            return


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_every_text_of_the_page_is_one_of_its_language(browser, service, receiver, options):
    add_sample_data(service, receiver)
    window = open_marked(browser, service, **options)
    page = window.page
    found = {}
    try:
        assert page.evaluate("document.documentElement.lang") == "eo"
        for tab in TABS:
            if tab in MENU_VIEWS:
                page.locator("#menu summary").click()
                page.get_by_role("button", name=f"⟦{tab}⟧").filter(visible=True).first.click()
            else:
                page.get_by_role("tab", name=f"⟦{tab}⟧").click()
            expect(page.locator("section.view:not([hidden])")).to_have_accessible_name(f"⟦{tab}⟧")
            expect(page.get_by_text(re.compile("^⟦Loading")).filter(visible=True)).to_have_count(0)
            if tab == "Live":
                for tool in ("Add a phone", "Walk a test device"):
                    page.get_by_label("⟦Add⟧", exact=True).click()
                    page.get_by_role("button", name=f"⟦{tool}⟧").filter(visible=True).first.click()
            open_everything(page)
            found |= {content: (tab, html) for content, html in unmarked(page).items()}
            if tab == "Places":
                page.get_by_role("button", name="⟦Who was here?⟧").click()
                open_everything(page)
                found |= {content: ("presences", html) for content, html in unmarked(page).items()}
                page.get_by_role("button", name="⟦Close⟧", exact=True).filter(visible=True).click()
        # The explanations of an event, a device and a region.
        for address in ("&device=jane/phone", "&region=depot&tab=regions"):
            page.goto(service.url + VIEW + address)
            expect(page.get_by_role("article").first).to_be_visible()
            open_everything(page)
            found |= {content: (address, html) for content, html in unmarked(page).items()}
        page.goto(service.url + VIEW + "&tab=live")
        page.locator(".feed li").filter(has_text="jane/phone entered").get_by_role("link").first.click()
        expect(page.get_by_role("article", name="⟦Selected event⟧")).to_be_visible()
        found |= {content: ("event", html) for content, html in unmarked(page).items()}
        page.get_by_text("⟦Menu⟧").click()
        found |= {content: ("menu", html) for content, html in unmarked(page).items()}
    finally:
        window.close()
    rules = "".join(all_rules(service))
    texts = {content: where for content, where in found.items()
             if not DATA.fullmatch(content)
             # A source is its publisher and its date.
             and not all(part in rules for part in json.dumps(content, ensure_ascii=False)[1:-1].split(", "))}
    assert not texts, "\n".join(f"{content!r} {where}" for content, where in texts.items())
    # A text that the language lacks is the English one.
    assert "Close" in found


def test_errors_and_short_messages_are_texts_of_the_language(browser, service):
    window = open_marked(browser, service)
    page = window.page
    try:
        page.goto(service.url + VIEW + "&tab=webhooks")
        page.get_by_text("⟦Add an endpoint⟧").first.click()
        for box in page.get_by_role("group", name="⟦Event types⟧").get_by_role("checkbox").all():
            box.uncheck()
        page.get_by_label("URL").fill("https://example.org/hook")
        page.get_by_role("button", name="⟦Add the endpoint⟧").click()
        expect(page.get_by_role("alert").filter(has_text="⟦Choose at least one type of event.⟧")).to_be_visible()
        page.goto(service.url + VIEW + "&tab=regions&region=nowhere")
        expect(page.get_by_text("⟦The region “nowhere” does not exist.⟧")).to_be_visible()
        assert not [text for text in unmarked(page) if not DATA.fullmatch(text)]
        page.get_by_text("⟦Menu⟧").click()
        page.get_by_role("button", name="⟦Sign out⟧").click()
        page.get_by_label("⟦Access token⟧").fill("fp_wrong")
        page.get_by_role("button", name="⟦Sign in⟧", exact=True).click()
        expect(page.get_by_role("alert")).to_have_text("⟦The token is unknown, expired or revoked.⟧")
        window.ignore_problems("401")
    finally:
        window.close()
