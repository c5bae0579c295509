"""Colours, tabs and empty states look as they did: small screenshots, compared with a tolerance.

The screenshots are a quarter as wide and high as the window, so fonts that are drawn a little differently do not
matter, but a colour, a size or a part that is missing does. `--write-goldens` renews them; look at them then.
"""

import io
import pathlib

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import expect

from sample_data import CENTER, add_regions
from test_layout import FORMS, settle

GOLDEN = pathlib.Path(__file__).parent / "Golden"
# A pixel differs by more than so much of 255 in a channel, and at most this share of the pixels do.
LIMIT, SHARE = 28, 0.005
VIEW = f"/#map=14/{CENTER[0]}/{CENTER[1]}"


def small(page, scale):
    """The window without what depends on the date, much smaller."""
    settle(page)
    dates = page.locator("input[type=date], input[type=time]")
    image = Image.open(io.BytesIO(page.screenshot(mask=[dates], mask_color="#808080"))).convert("RGB")
    size = [round(length / (4 * scale)) for length in image.size]
    return image.resize(size, Image.Resampling.BOX)


def share_of_differences(image, golden):
    """The share of the pixels that differ."""
    assert image.size == golden.size, (image.size, golden.size)
    worst = ImageChops.difference(image, golden).split()
    highest = ImageChops.lighter(ImageChops.lighter(worst[0], worst[1]), worst[2])
    return sum(highest.histogram()[LIMIT:]) / (image.width * image.height)


@pytest.fixture
def compare(request):
    def check(page, name, scale):
        image = small(page, scale)
        path = GOLDEN / f"{name}.png"
        if request.config.getoption("--write-goldens"):
            GOLDEN.mkdir(exist_ok=True)
            image.quantize(96, dither=Image.Dither.NONE).save(path, optimize=True)
        share = share_of_differences(image, Image.open(path).convert("RGB"))
        if share > SHARE:
            (pathlib.Path(".build") / "browser").mkdir(parents=True, exist_ok=True)
            image.save(f".build/browser/different-{name}.png")
        return f"{name}: {share:.1%} of the pixels" if share > SHARE else None

    return check


@pytest.mark.parametrize("form", FORMS)
def test_the_page_looks_as_it_did(open_window, service, compare, form):
    scale = FORMS[form].get("device_scale_factor", 1)
    window = open_window(**FORMS[form])
    page = window.page
    page.goto(service.url + "/")
    expect(page.get_by_label("Access token")).to_be_visible()
    found = [compare(page, f"sign-in-{form}", scale)]
    window.sign_in(VIEW)
    page.get_by_role("region", name="Streets", exact=True).get_by_role("button", name="Close").click()
    for name in ("Live", "History", "Reports", "Messages"):
        window.open_tab(name)
        expect(page.locator(".loading").filter(visible=True)).to_have_count(0)
        found.append(compare(page, f"empty-{name.lower()}-{form}", scale))
    add_regions(service)
    page.reload()
    window.expect_live()
    page.get_by_role("region", name="Streets", exact=True).get_by_role("button", name="Close").click()
    window.open_tab("Places")
    expect(page.get_by_role("tabpanel", name="Places").get_by_role("link", name="Riverside")).to_be_visible()
    found.append(compare(page, f"places-{form}", scale))
    page.locator("#menu summary").click()
    found.append(compare(page, f"menu-{form}", scale))
    assert not any(found), [line for line in found if line]


def test_the_comparison_finds_a_colour_and_a_missing_part():
    golden = Image.open(GOLDEN / "places-light.png").convert("RGB")
    assert share_of_differences(golden, golden) == 0
    # A little darker everywhere, as another version of a font is at its edges, is no difference; a part is.
    assert share_of_differences(golden.point([max(0, value - 9) for value in range(256)] * 3), golden) == 0
    part = golden.copy()
    part.paste((200, 40, 40), (4, 40, 60, 60))
    assert share_of_differences(part, golden) > SHARE
