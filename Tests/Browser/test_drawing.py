"""Drawing, changing, importing and exporting regions on the page; the service stores the same shapes."""

import json
import math
import re

import pytest
from playwright.sync_api import expect

from service import offset

CENTER = (38.71, -9.14)
ZOOM = 15
METERS = 156_543.034 * math.cos(math.radians(CENTER[0])) / 2**ZOOM  # per pixel, on the ground
VIEW = f"/#map={ZOOM}/{CENTER[0]}/{CENTER[1]}"


class DrawingPage:
    """The page with the editor. Clicks are in pixels east and south of the map's centre, which is `CENTER`."""

    def __init__(self, page):
        self.page = page
        self.map = page.get_by_role("region", name="Map")

    def click(self, east, south):
        box = self.map.bounding_box()
        self.page.mouse.click(box["x"] + box["width"] / 2 + east, box["y"] + box["height"] / 2 + south)

    def start(self, kind):
        self.page.get_by_role("group", name="Draw a region").get_by_role("button", name=kind).click()
        expect(self.page.get_by_role("heading", name=f"New {kind.lower()}")).to_be_visible()

    def save(self, name):
        self.page.get_by_label("Name", exact=True).fill(name)
        self.page.get_by_role("button", name="Save", exact=True).click()
        expect(self.page.get_by_text(f"{name} was saved.")).to_be_visible()

    def vertices(self):
        return self.map.get_by_role("button", name=re.compile("^Vertex"))


@pytest.fixture
def drawing(window):
    page = window.sign_in(VIEW)
    window.open_tab("Places")
    return DrawingPage(page)


def position(east, south):
    """The longitude and latitude of a pixel east and south of the map's centre."""
    latitude, longitude = offset(*CENTER, -south * METERS, east * METERS)
    return longitude, latitude


def expect_positions(found, pixels):
    for (longitude, latitude), (east, south) in zip(found, pixels, strict=True):
        expected = position(east, south)
        # A tolerance of two pixels: mouse positions are whole pixels, the map's centre need not be one.
        assert abs(longitude - expected[0]) < 2.5e-5 * METERS and abs(latitude - expected[1]) < 2e-5 * METERS


def test_a_circle(window, drawing):
    drawing.start("Circle")
    drawing.click(60, -40)
    drawing.click(100, -40)
    drawing.save("Bakery")
    [region] = window.service.regions()
    assert region["properties"]["name"] == "Bakery"
    assert region["geometry"]["type"] == "Point"
    expect_positions([region["geometry"]["coordinates"]], [(60, -40)])
    assert abs(region["properties"]["radius"] - 40 * METERS) < 2 * METERS
    # The new region is selected.
    expect(drawing.page.get_by_role("article", name="Selected region")).to_contain_text("Bakery")


def test_drawing_shows_what_a_click_would_give(window, drawing):
    page = drawing.page
    drawing.start("Circle")
    # The name comes first, and the id is made of it.
    name = page.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    assert name.bounding_box()["y"] < page.get_by_label("Id", exact=True).bounding_box()["y"]
    name.fill("Town hall")
    drawing.click(0, 0)
    expect(page.get_by_label("Id", exact=True)).to_have_value("town-hall")
    box = drawing.map.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for pixels in (50, 100):
        page.mouse.move(middle[0] + pixels, middle[1])
        shown = drawing.map.locator(".draft-length")
        expect(shown).to_have_text(re.compile(r"^\d+ m$"))
        assert abs(float(shown.inner_text().split()[0]) - pixels * METERS) < 2 * METERS
        expect(drawing.map.locator(".draft-rubber-band")).to_have_count(2)
    drawing.click(100, 0)
    expect(drawing.map.locator(".draft-rubber-band")).to_have_count(0)
    # The circle is drawn as a circle, not as a polygon.
    path = drawing.map.locator(".draft-shape").get_attribute("d")
    [across, down] = re.search(r"a(\d+),(\d+) 0 1,0", path).groups()
    assert across == down and abs(int(across) - 100) <= 1, path
    # The button below the shape saves it.
    drawing.map.get_by_role("button", name="Save Town hall").click()
    expect(page.get_by_text("Town hall was saved.")).to_be_visible()
    assert [region["id"] for region in window.service.regions()] == ["town-hall"]

    drawing.start("Polygon")
    drawing.click(-80, 0)
    drawing.click(-80, 80)
    page.mouse.move(middle[0], middle[1] + 80)
    expect(drawing.map.locator(".draft-rubber-band")).to_have_count(1)
    expect(drawing.map.locator(".draft-length")).to_have_text(re.compile(r"^\d+ m$"))
    drawing.click(0, 80)
    drawing.map.get_by_role("button", name="Name and save").click()
    expect(name).to_be_focused()
    assert len(window.service.regions()) == 1


def test_a_second_region_of_a_name_is_saved_only_if_it_is_meant(window, drawing):
    page = drawing.page
    window.service.add_circle("home", "Home", *CENTER, 150)
    page.reload()
    window.expect_live()
    drawing.start("Circle")
    drawing.click(150, 100)
    drawing.click(190, 100)
    name = page.get_by_label("Name", exact=True)
    name.fill("home ")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="There is a region “Home” already")).to_be_in_viewport()
    page.get_by_role("button", name="Choose another name").click()
    expect(name).to_be_focused()
    page.get_by_role("button", name="Save", exact=True).click()
    assert len(window.service.regions()) == 1
    page.get_by_role("button", name="Save another Home").click()
    expect(page.get_by_text("was saved.")).to_be_visible()
    assert {region["id"] for region in window.service.regions()} == {"home", "home-2"}


def test_a_polygon_with_a_hole_and_undo(window, drawing):
    page = drawing.page
    drawing.start("Polygon")
    outer = [(-80, -80), (80, -80), (80, 80), (-80, 80)]
    for corner in outer:
        drawing.click(*corner)
    expect(drawing.vertices()).to_have_count(4)
    page.get_by_role("button", name="Undo").click()
    expect(drawing.vertices()).to_have_count(3)
    page.get_by_role("button", name="Redo").click()
    expect(drawing.vertices()).to_have_count(4)
    page.get_by_role("button", name="Add a hole").click()
    hole = [(-20, -30), (-25, 30), (25, 24)]
    for corner in hole:
        drawing.click(*corner)
    expect(drawing.vertices()).to_have_count(7)
    drawing.save("Cloister")
    [region] = window.service.regions()
    rings = region["geometry"]["coordinates"]
    assert [len(ring) for ring in rings] == [5, 4]
    assert all(ring[0] == ring[-1] for ring in rings)
    expect_positions(sorted(rings[0][:-1]), sorted(outer, key=lambda corner: (corner[0], -corner[1])))


def test_a_corridor_is_drawn_and_changed_with_the_keyboard(window, drawing):
    page = drawing.page
    drawing.start("Corridor")
    for corner in [(-120, 20), (0, -20), (120, 30)]:
        drawing.click(*corner)
    page.get_by_label("Width, metres").fill("120")
    drawing.save("Riverside")
    [region] = window.service.regions()
    assert region["geometry"]["type"] == "LineString" and region["properties"]["width"] == 120
    before = region["geometry"]["coordinates"]

    page.get_by_role("article", name="Selected region").get_by_role("button", name="Change").click()
    expect(drawing.vertices()).to_have_count(3)
    vertex = drawing.vertices().nth(1)
    vertex.focus()
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("ArrowUp")
    with page.expect_response(lambda response: response.request.method == "PUT") as answer:
        page.get_by_role("button", name="Save", exact=True).click()
    assert answer.value.ok
    after = window.service.get("/v1/regions/riverside")["geometry"]["coordinates"]
    assert [after[0], after[2]] == [before[0], before[2]]
    assert after[1][1] > before[1][1] and abs(after[1][0] - before[1][0]) < 1e-5 * METERS


def test_an_invalid_polygon_shows_the_error_at_the_vertex(window, drawing):
    page = drawing.page
    drawing.start("Polygon")
    # A self-intersecting polygon with the shape of a bow tie.
    for corner in [(-80, -80), (80, 80), (80, -80), (-80, 80)]:
        drawing.click(*corner)
    page.get_by_label("Name", exact=True).fill("Bow tie")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="The region was not saved")).to_be_visible()
    handle = drawing.map.locator(".handle.error")
    expect(handle).to_have_count(1)
    expect(handle).to_have_attribute("aria-label", re.compile(r"Vertex \d of 4: .*(cross|intersect|touch)", re.I))
    expect(page.locator(".vertices .field-problem")).to_be_visible()
    assert window.service.regions() == []

    page.get_by_role("button", name="Repair and save").click()
    expect(page.get_by_text("Bow tie was saved.")).to_be_visible()
    [region] = window.service.regions()
    assert region["geometry"]["type"] == "MultiPolygon"
    # The browser logs the status 422.
    window.ignore_problems("422")


def test_a_change_by_another_user_is_not_overwritten_without_confirmation(window):
    service = window.service
    service.add_circle("office", "Office", *CENTER, 150)
    page = window.sign_in(VIEW + "&tab=regions&region=office")
    page.get_by_role("article", name="Selected region").get_by_role("button", name="Change").click()
    name = page.get_by_label("Name", exact=True)
    expect(name).to_have_value("Office")
    service.request("PATCH", "/v1/regions/office", {"properties": {"radius": 90}},
                    Content_Type="application/merge-patch+json")
    name.fill("Headquarters")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Another user changed this region")).to_be_visible()
    assert service.get("/v1/regions/office")["properties"]["name"] == "Office"
    page.get_by_role("button", name="Overwrite with my version").click()
    expect(page.get_by_text("Headquarters was saved.")).to_be_visible()
    assert service.get("/v1/regions/office")["properties"]["radius"] == 150
    # The browser logs the status 412.
    window.ignore_problems("412")


def test_regions_are_imported_and_exported_as_geojson(window, drawing):
    page = drawing.page
    text = json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": "north", "geometry": {"type": "Point", "coordinates": list(position(0, -90))},
         "properties": {"name": "North", "radius": 80, "color": "red"}},
        {"type": "Feature", "id": "south", "geometry": {"type": "Point", "coordinates": list(position(0, 90))},
         "properties": {"name": "South", "radius": 80}},
    ]})
    page.get_by_role("button", name="Import").click()
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Show what it has").click()
    expect(page.get_by_text("2 new, 0 that replace stored ones.")).to_be_visible()
    assert window.service.regions() == []
    page.get_by_role("button", name="Store 2 regions").click()
    expect(page.get_by_text("2 regions added, 0 replaced.").first).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("button", name="Export").first.click()
    exported = json.loads(started.value.path().read_text())
    assert {feature["id"] for feature in exported["features"]} == {"north", "south"}
    [north] = [feature for feature in exported["features"] if feature["id"] == "north"]
    assert north["properties"]["color"] == "red"


KML = """<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Folder><name>Work</name>
<Placemark><name>Depot</name><Point><coordinates>-9.14,38.71</coordinates></Point></Placemark>
<Placemark><name>Yard</name><Polygon><outerBoundaryIs><LinearRing><coordinates>-9.142,38.708 -9.138,38.708 -9.138,38.712
-9.142,38.708</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Folder></Document></kml>"""


def test_a_file_of_another_program_is_shown_before_it_is_stored(window, drawing, screenshots):
    page = drawing.page
    window.service.add_circle("depot", "Old depot", 38.8, -9.2, 50)
    page.get_by_role("button", name="Import").click()
    form = page.locator("form").filter(has_text="Import regions")
    form.get_by_label("File (or drop it here)").set_input_files(
        {"name": "map.kml", "mimeType": "application/octet-stream", "buffer": KML.encode()})
    expect(form.get_by_text("map.kml: 2 regions")).to_be_visible()
    expect(form.get_by_text("1 new, 1 that replaces a stored one.")).to_be_visible()
    expect(form.get_by_text("Stored regions that would be replaced: Old depot")).to_be_visible()
    expect(form.get_by_text("This is KML")).to_be_visible()
    expect(form.get_by_text("circles of 100 m")).to_be_visible()
    # Another radius is shown at once.
    form.get_by_label("Metres around points").fill("40")
    form.get_by_label("Metres around points").press("Tab")
    expect(form.get_by_text("circles of 40 m")).to_be_visible()
    assert [region["properties"]["name"] for region in window.service.regions()] == ["Old depot"]
    screenshots(page, "import-regions", of_documentation=False)
    form.get_by_role("button", name="Store 2 regions").click()
    expect(page.get_by_text("map.kml: 1 region added, 1 replaced.")).to_be_visible()
    assert window.service.get("/v1/regions/depot")["properties"] == {"radius": 40, "name": "Depot", "tags": ["Work"]}

    # What cannot be a region is named with its line, and nothing is stored.
    form.get_by_label("File (or drop it here)").set_input_files(
        {"name": "list.csv", "mimeType": "text/csv", "buffer": b"name,lat,lon\nShop,48,11\nBad,x,11\n"})
    expect(form.get_by_text("list.csv was not imported")).to_be_visible()
    expect(form.get_by_text("line 3:")).to_be_visible()
    assert len(window.service.regions()) == 2
    window.ignore_problems("422")


def test_the_id_of_a_new_region_follows_its_name(window, drawing):
    page = drawing.page
    window.service.add_circle("cafe-sao-jorge", "Old café", 38.8, -9.2, 50)
    page.reload()
    window.expect_live()
    drawing.start("Circle")
    drawing.click(0, 0)
    drawing.click(60, 0)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The region needs a name.")).to_be_in_viewport()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    assert len(window.service.regions()) == 1
    drawing.save("Café São Jorge")
    assert {region["id"] for region in window.service.regions()} == {"cafe-sao-jorge", "cafe-sao-jorge-2"}

    drawing.start("Circle")
    page.get_by_label("Id", exact=True).fill("depot:7")
    drawing.click(0, 0)
    drawing.click(60, 0)
    drawing.save("Depot")
    assert "depot:7" in {region["id"] for region in window.service.regions()}


def test_a_phone_shows_the_instructions_and_the_buttons_while_drawing(open_window):
    window = open_window(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    page = window.sign_in(VIEW)
    window.open_tab("Places")
    drawing = DrawingPage(page)
    drawing.start("Circle")
    panel = page.get_by_role("tabpanel", name="Places")
    expect(panel.get_by_text("Tap the centre, then a point of the circle.")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_in_viewport(ratio=1)
    # Above the sheet there is a part of the map to draw on.
    for x in (150, 210):
        page.mouse.click(x, 180)
    drawing.save("Home")
    assert [region["id"] for region in window.service.regions()] == ["home"]


def test_a_tiny_circle_has_a_warning(drawing):
    page = drawing.page
    drawing.start("Circle")
    drawing.click(0, 0)
    drawing.click(1, 0)
    warning = page.get_by_text("smaller than the error of most positions")
    expect(warning).to_be_visible()
    page.get_by_label("Radius, metres").fill("80")
    page.keyboard.press("Tab")
    expect(warning).to_be_hidden()


def test_dwell_times_are_written_as_people_write_them(window, drawing):
    page = drawing.page
    drawing.start("Circle")
    drawing.click(0, 0)
    drawing.click(60, 0)
    dwell = page.get_by_label("Report stays of", exact=True)
    dwell.fill("10 minuets")
    page.keyboard.press("Tab")
    expect(page.get_by_role("alert").filter(has_text="“10 minuets” is not a duration")).to_be_visible()
    dwell.fill("10 min, 1 h 30 min, PT2H, 45")
    drawing.save("Office")
    [region] = window.service.regions()
    assert region["properties"]["dwell"] == [45, 600, 5400, 7200], region["properties"]


def test_the_reason_of_an_error_is_in_view(window, drawing):
    # The browser logs the expected status 422.
    window.allows_connection_errors = True
    page = drawing.page
    drawing.start("Circle")
    drawing.click(0, 0)
    drawing.click(60, 0)
    page.get_by_text("Devices and altitude").click()
    page.get_by_label("Minimum altitude, metres").fill("100")
    page.get_by_label("Maximum altitude, metres").fill("50")
    page.get_by_label("Name", exact=True).fill("Tower")
    page.get_by_role("button", name="Save", exact=True).click()
    alert = page.get_by_role("alert").filter(has_text="The region was not saved")
    expect(alert).to_be_in_viewport()
    expect(alert.get_by_role("listitem")).to_contain_text(re.compile("altitude", re.IGNORECASE))


def test_the_first_steps_of_a_new_user(window, receiver):
    service = window.service
    # An endpoint, and an app that is not running, as a new user adds them on the other tabs.
    service.post("/v1/endpoints", {"id": "desk", "url": receiver.url, "events": ["region.entered"]})
    service.post("/v1/apps", {
        "id": "courier", "name": "Courier", "devices": ["test/*"],
        "given": {
            "platform": "iOS", "osVersion": "18.1", "grant": "always", "lifecycle": "terminated",
            "terminatedBy": "system", "infoPlist": ["NSLocationAlwaysAndWhenInUseUsageDescription:Your tours"],
        },
        "services": [{"service": "regionCircular", "identifier": "office"}],
    })
    page = window.sign_in(VIEW)
    window.open_tab("Places")
    drawing = DrawingPage(page)
    drawing.start("Circle")
    drawing.click(0, 0)
    drawing.click(20, 0)
    drawing.save("Office")
    page.get_by_role("article", name="Selected region").get_by_role("button", name="Walk in").click()

    entry = page.get_by_role("listitem").filter(has_text="test/walker entered Office")
    expect(entry).to_be_visible()
    entry.get_by_role("link").click()
    card = page.get_by_role("article", name="Selected event")
    expect(card.get_by_text("delivered", exact=True).first).to_be_visible()
    expect(card).to_contain_text("starts the app")
    expect(card).to_contain_text("courier")
    assert [body["data"]["deviceId"] for _, body in receiver.messages] == ["test/walker"]
    # The page requests the test app, which need not exist.
    window.ignore_problems("/v1/apps/test-app")
