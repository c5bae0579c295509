"""Streets from a file with vector tiles: made here byte by byte, drawn by the page, and damaged."""

import base64
import gzip
import io
import math
import random
import sqlite3
import struct

import pytest
from PIL import Image
from playwright.sync_api import expect
from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import Writer

from conftest import Window
from test_access import violations
from test_messages import wait_until
from test_tiles import start, status

POINT, LINE, POLYGON = 1, 2, 3
EXTENT = 4096
LAST = 6  # the largest zoom level of the file


def varint(number):
    parts = []
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def field(number, content):
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def zigzag(number):
    return number * 2 if number >= 0 else -number * 2 - 1


def geometry(kind, paths):
    """Points, lines or rings as commands, as section 4.3 of the specification has them."""
    numbers, x, y = [], 0, 0
    for path in paths:
        for index, (to_x, to_y) in enumerate(path):
            if index == 0:
                numbers.append(1 | 1 << 3)
            elif index == 1:
                numbers.append(2 | len(path) - 1 << 3)
            numbers += [zigzag(to_x - x), zigzag(to_y - y)]
            x, y = to_x, to_y
        if kind == POLYGON:
            numbers.append(7 | 1 << 3)
    return b"".join(map(varint, numbers))


def value(content):
    if isinstance(content, str):
        return field(1, content.encode())
    if isinstance(content, float):
        return varint(3 << 3 | 1) + struct.pack("<d", content)
    return field(5, content)


def layer(name, *features):
    keys, values, parts = [], [], []
    for kind, tags, paths in features:
        pairs = b""
        for key, content in tags.items():
            if key not in keys:
                keys.append(key)
            if content not in values:
                values.append(content)
            pairs += varint(keys.index(key)) + varint(values.index(content))
        parts.append(field(2, field(2, pairs) + field(3, kind) + field(4, geometry(kind, paths))))
    return field(3, field(15, 2) + field(1, name.encode()) + b"".join(parts)
                 + b"".join(field(3, key.encode()) for key in keys)
                 + b"".join(field(4, value(content)) for content in values) + field(5, EXTENT))


def square(west, north, east, south):
    return [[(west, north), (east, north), (east, south), (west, south)]]


def tile(zoom=0, column=0, row=0):
    """The left half is water, the right half a wood; a motorway crosses the lower part, a town is in the upper one."""
    return (layer("water", (POLYGON, {"class": "ocean"}, square(0, 0, EXTENT // 2, EXTENT)))
            + layer("landcover", (POLYGON, {"class": "wood", "area": 1.5}, square(EXTENT // 2, 0, EXTENT, EXTENT)))
            + layer("transportation", (LINE, {"class": "motorway"}, [[(0, 3000), (EXTENT, 3000)]]))
            + layer("place", (POINT, {"class": "city", "name": "Lisboa", "rank": 3}, [[(2048, 1024)]]))
            # Equal tiles are one entry of PMTiles.
            + layer(f"{zoom}/{column}/{row}"))


def tiles():
    for zoom in range(LAST + 1):
        for column in range(2**zoom):
            for row in range(2**zoom):
                yield zoom, column, row


def write_pmtiles(path, content):
    with path.open("wb") as file:
        writer = Writer(file)
        for position in sorted(tiles(), key=lambda one: zxy_to_tileid(*one)):
            writer.write_tile(zxy_to_tileid(*position), gzip.compress(content(*position), mtime=0))
        writer.finalize({
            "tile_type": TileType.MVT, "tile_compression": Compression.GZIP, "min_zoom": 0, "max_zoom": LAST,
            "min_lon_e7": -1800000000, "min_lat_e7": -850000000, "max_lon_e7": 1800000000, "max_lat_e7": 850000000,
            "center_zoom": 0, "center_lon_e7": 0, "center_lat_e7": 0,
        }, {"attribution": "&copy; Somebody"})


def write_mbtiles(path, content):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
        database.execute("CREATE TABLE tiles (zoom_level INT, tile_column INT, tile_row INT, tile_data BLOB)")
        database.execute("CREATE UNIQUE INDEX tile ON tiles (zoom_level, tile_column, tile_row)")
        database.executemany("INSERT INTO metadata VALUES (?, ?)",
                             {"format": "pbf", "attribution": "&copy; Somebody"}.items())
        database.executemany("INSERT INTO tiles VALUES (?, ?, ?, ?)", (
            (zoom, column, 2**zoom - 1 - row, gzip.compress(content(zoom, column, row)))
            for zoom, column, row in tiles()))
    database.close()


def at(column, row, zoom=LAST):
    """The address of a position in tiles of the file, at a zoom level of the map."""
    latitude = math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * row / 2**LAST))))
    return f"/#map={zoom}/{latitude:.5f}/{column / 2**LAST * 360 - 180:.5f}"


def pixel(page):
    """The colour in the middle of the map."""
    box = page.locator("#map").bounding_box()
    clip = {"x": box["x"] + box["width"] / 2 - 1, "y": box["y"] + box["height"] / 2 - 1, "width": 3, "height": 3}
    return list(Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB").getpixel((1, 1)))


COLOR = """(name) => {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((index) => parseInt(text.slice(index, index + 2), 16));
}"""
# How much of the layer of names is painted.
PAINTED = """() => {
  const canvas = document.querySelector(".leaflet-names-pane canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let index = 3; index < data.length; index += 4) count += data[index] > 0;
  return count;
}"""


@pytest.mark.parametrize("kind, write", [("pmtiles", write_pmtiles), ("mbtiles", write_mbtiles)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_vector_tiles_are_drawn_without_any_outside_request(browser, program, tmp_path, kind, write, scheme):
    write(tmp_path / f"map.{kind}", tile)
    service = start(program, tmp_path, f"map.{kind}")
    window = None
    try:
        code, body, headers = status(service, "/tiles/3/5/2")
        assert (code, body) == (200, tile(3, 5, 2))
        assert headers["Content-Type"] == "application/vnd.mapbox-vector-tile"
        assert "img-src 'self' data:" in status(service, "/")[2]["Content-Security-Policy"]

        window = Window(browser, service, color_scheme=scheme)
        page = window.sign_in(at(32.25, 24.4))
        expect(page.locator("canvas.leaflet-tile-loaded").first).to_be_attached()
        expect(page.locator(".leaflet-control-attribution")).to_have_text("© Somebody")
        # The middle of water, of a wood, and of a street; the last ones closer than the file is.
        for column, row, zoom, name in [(32.25, 24.4, 7, "--sea"), (32.75, 24.4, 7, "--tile-green"),
                                        (32.75, 24.4, 9, "--tile-green"), (32.25, 24.2, 12, "--sea"),
                                        (32.75, 24 + 3000 / EXTENT, 17, "--tile-road-motorway")]:
            page.goto(service.url + at(column, row, zoom))
            wanted = page.evaluate(COLOR, name)
            wait_until(lambda wanted=wanted: pixel(page) == wanted, window)
        page.goto(service.url + at(32.5, 24.25, 7))
        wait_until(lambda: page.evaluate(PAINTED) > 100, window)
        assert violations(page, "vector tiles") == []
        window.ignore_problems("Multiple readback operations")
    finally:
        if window:
            window.close()
        service.stop()


def test_damaged_vector_tiles_leave_the_map_as_it_is(browser, program, tmp_path):
    def damaged(zoom, column, row):
        return tile(zoom, column, row)[:40 + (column + row) % 60]

    write_pmtiles(tmp_path / "map.pmtiles", damaged)
    service = start(program, tmp_path, "map.pmtiles")
    window = None
    try:
        window = Window(browser, service)
        page = window.sign_in("/#map=5/38.7/-9.1")
        window.expect_live()
        page.wait_for_timeout(300)
        page.get_by_role("button", name="Zoom out").click()
        expect(page.locator("canvas.leaflet-tile").first).to_be_attached()
    finally:
        if window:
            window.close()
        service.stop()


# Reads bytes as a tile with all its properties and geometry. Returns the error, and the milliseconds that it took.
READ = """async (texts) => {
  const { readTile } = await import(new URL("page/map/vector-tile.js", document.baseURI));
  return texts.map((text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const start = performance.now();
    let [error, points] = [null, 0];
    try {
      for (const { features } of readTile(bytes)) {
        for (const feature of features) {
          if (Object.keys(feature.tags).length > 1e6) throw new Error("too many properties");
          for (const path of feature.readPaths()) points += path.length / 2;
        }
      }
    } catch (problem) {
      error = `${problem.name}: ${problem.message}`;
    }
    return { error, points, time: performance.now() - start };
  });
}"""


def read(page, *contents):
    return page.evaluate(READ, [base64.b64encode(content).decode() for content in contents])


def test_no_bytes_make_the_reader_of_tiles_hang(window):
    page = window.sign_in()
    good = tile()
    [result] = read(page, good)
    assert result["error"] is None and result["points"] == 4 + 4 + 2 + 1

    huge = varint(2**40)
    point = field(3, POINT)
    hostile = {
        "a layer longer than the tile": varint(3 << 3 | 2) + huge,
        "a number without an end": b"\xff" * 200,
        "a move of 2^37 points": field(3, field(2, point + field(4, varint(1 | 2**40) + b"\x02\x02"))),
        "a line without a start": field(3, field(2, field(3, LINE) + field(4, varint(2 | 1 << 3) + b"\x02\x02"))),
        "a command that does not exist": field(3, field(2, field(4, varint(5 | 1 << 3)))),
        "no extent": field(3, field(5, 0)),
        "a type that does not exist": varint(3 << 3 | 7),
        "too many points": field(3, field(2, field(4, varint(1 | 600_000 << 3) + b"\x02" * 1_200_000))),
    }
    for name, outcome in zip(hostile, read(page, *hostile.values())):
        assert outcome["error"] and outcome["error"].startswith("RangeError: The tile is damaged"), (name, outcome)
        assert outcome["time"] < 2000, name
    # Closing a ring 2^37 times, and properties that the layer does not have, are no damage.
    harmless = [field(3, field(2, field(4, varint(7 | 2**40)))), field(3, field(2, field(2, huge + huge)))]
    assert [outcome["error"] for outcome in read(page, *harmless)] == [None, None]

    for outcome in read(page, *(good[:length] for length in range(len(good)))):
        assert outcome["error"] is None or outcome["error"].startswith("RangeError")
    generator = random.Random(7)
    mutants = []
    for _ in range(3000):
        mutant = bytearray(good)
        for _ in range(generator.randint(1, 6)):
            mutant[generator.randrange(len(mutant))] = generator.randrange(256)
        mutants.append(bytes(mutant))
    for outcome in read(page, *mutants):
        assert outcome["error"] is None or outcome["error"].startswith("RangeError"), outcome
        assert outcome["time"] < 1000


def test_three_schemes_of_vector_tiles_have_a_style(window):
    page = window.sign_in()
    cases = [
        ("water", POLYGON, {"class": "lake"}, "water"), ("waterway", LINE, {"class": "river"}, "river"),
        ("water", LINE, {"kind": "stream"}, "river"), ("ocean", POLYGON, {}, "water"),
        ("earth", POLYGON, {"kind": "earth"}, "land"), ("landuse", POLYGON, {"class": "residential"}, "built"),
        ("landuse", POLYGON, {"kind": "park"}, "green"), ("land", POLYGON, {"kind": "forest"}, "green"),
        ("landcover", POLYGON, {"class": "grass", "subclass": "park"}, "green"),
        ("landuse", POLYGON, {"kind": "odd"}, None),
        ("building", POLYGON, {}, "building"), ("buildings", POLYGON, {"kind": "building"}, "building"),
        ("transportation", LINE, {"class": "primary"}, "major"), ("roads", LINE, {"kind": "minor_road"}, "minor"),
        ("streets", LINE, {"kind": "footway"}, "path"), ("streets", LINE, {"kind": "light_rail"}, "rail"),
        ("roads", LINE, {"kind": "highway"}, "motorway"), ("transportation", POLYGON, {"class": "path"}, None),
        ("transportation", LINE, {"class": "constructor"}, None),
        ("boundary", LINE, {"admin_level": 2}, "boundary"), ("boundary", LINE, {"admin_level": 2, "maritime": 1}, None),
        ("boundaries", LINE, {"kind": "country"}, "boundary"), ("boundary", LINE, {"admin_level": 8}, None),
        ("poi", POINT, {"class": "shop"}, None),
    ]
    found = page.evaluate("""async (cases) => {
      const { classOf } = await import(new URL("page/map/vector-style.js", document.baseURI));
      return cases.map(([layer, kind, tags]) => classOf(layer, kind, tags));
    }""", [case[:3] for case in cases])
    assert found == [case[3] for case in cases]
    places = [
        ("place", {"class": "city", "name": "Lisboa", "rank": 2}),
        ("places", {"kind": "locality", "kind_detail": "village", "name": "Azoia", "population_rank": 3}),
        ("place_labels", {"kind": "town", "name": "Sintra", "population": 30000}), ("place", {"class": "city"}),
        ("place", {"class": "island", "name": "Berlenga"}), ("place", {"class": "constructor", "name": "x"}),
    ]
    names = page.evaluate("""async (places) => {
      const { labelOf } = await import(new URL("page/map/vector-style.js", document.baseURI));
      const labels = places.map(([layer, tags]) => labelOf(layer, 1, tags));
      return labels.map((label) => label && [label.name, label.firstZoom]);
    }""", places)
    assert names == [["Lisboa", 4], ["Azoia", 11], ["Sintra", 8], None, None, None]


# Places names on lines, each name `width` pixels wide, on a view of 800 times 600 pixels.
PLACE = """async ([streets, width, taken, zoom]) => {
  const { labelStreets } = await import(new URL("page/map/street-labels.js", document.baseURI));
  const view = { zoom, width: 800, height: 600, shifts: [0], px: (x) => x, py: (y) => y };
  return labelStreets(streets, view, () => width, taken);
}"""


def street(name, path, weight=0, first=0):
    return {"name": name, "weight": weight, "firstZoom": first,
            "path": [number for point in path for number in point]}


def test_names_of_streets_lie_on_straight_parts_of_their_lines(window):
    page = window.sign_in()

    def place(*streets, width=80, taken=(), zoom=15):
        return page.evaluate(PLACE, [streets, width, list(taken), zoom])

    # In the middle of the line, and upright in each direction.
    for path, angle in [([(100, 300), (700, 300)], 0), ([(700, 300), (100, 300)], 0),
                        ([(400, 100), (400, 500)], math.pi / 2), ([(400, 500), (400, 100)], math.pi / 2),
                        ([(250, 150), (550, 450)], math.pi / 4), ([(550, 150), (250, 450)], -math.pi / 4)]:
        [found] = place(street("A", path))
        assert abs(found["angle"] - angle) < 1e-9, path
        assert math.hypot(found["x"] - 400, found["y"] - 300) < 60, path
    # Too short, too bent, outside the view, of a later zoom level.
    assert place(street("A", [(100, 300), (180, 300)])) == []
    assert place(street("A", [(100 + 30 * index, 300 + 40 * (index % 2)) for index in range(20)])) == []
    assert place(street("A", [(100, -300), (700, -300)])) == []
    assert place(street("A", [(100, 300), (700, 300)], first=16)) == []
    # Next to what is there already, but not on it; the second street has no room.
    [found] = place(street("A", [(0, 300), (800, 300)]), taken=[[350, 290, 450, 310]])
    assert found["x"] + 46 <= 350 or found["x"] - 46 >= 450
    crossing = [street("A", [(355, 300), (450, 300)]), street("B", [(400, 255), (400, 350)])]
    assert [found["name"] for found in place(*crossing)] == ["A"]
    # The parts of a street in two tiles have one name, far parts have their own.
    parts = [street("A", [(50, 300), (350, 300)]), street("A", [(350, 300), (450, 300)])]
    assert len(place(*parts)) == 1
    assert len(place(street("A", [(0, 100), (200, 100)]), street("A", [(500, 400), (700, 400)]))) == 2


def test_no_names_of_streets_overlap(window):
    page = window.sign_in()
    chance = random.Random(5)
    streets = []
    for index in range(400):
        x, y, turn = chance.uniform(0, 800), chance.uniform(0, 600), chance.uniform(0, 2 * math.pi)
        path = [(x, y)]
        for _ in range(chance.randrange(1, 8)):
            turn += chance.uniform(-0.3, 0.3)
            x, y = x + 60 * math.cos(turn), y + 60 * math.sin(turn)
            path.append((x, y))
        streets.append(street(f"S{index}", path))
    found = page.evaluate(PLACE, [streets, 60, [], 15])
    assert len(found) > 30
    # Points along the middle line of each name, nearer to those of another one than half a line height.
    points = [[(one["x"] + step * math.cos(one["angle"]), one["y"] + step * math.sin(one["angle"]))
               for step in range(-30, 31, 5)] for one in found]
    for index, first in enumerate(points):
        for second in points[:index]:
            assert min(math.dist(a, b) for a in first for b in second) > 6.9


def test_streets_of_each_schema_have_names(window):
    page = window.sign_in()
    cases = [
        ("transportation_name", {"class": "primary", "name": "Rua Nova"}, ["Rua Nova", 13]),
        ("roads", {"kind": "highway", "ref": "A1"}, ["A1", 11]),
        ("roads", {"kind": "minor_road", "name": "Rua do Sol"}, ["Rua do Sol", 15]),
        ("street_labels", {"kind": "footway", "name": "Beco"}, ["Beco", 17]),
        ("roads", {"kind": "rail", "name": "L"}, None),
        ("roads", {"kind": "minor_road"}, None), ("water_lines", {"kind": "river", "name": "Tejo"}, None),
        ("roads", {"kind": "constructor", "name": "x"}, None),
    ]
    found = page.evaluate("""async (cases) => {
      const { streetOf } = await import(new URL("page/map/vector-style.js", document.baseURI));
      const names = cases.map(([layer, tags]) => streetOf(layer, 2, tags));
      return names.map((name) => name && [name.name, name.firstZoom]);
    }""", cases)
    assert found == [case[2] for case in cases]
    # A point with the same properties is no street.
    assert page.evaluate("""async () => {
      const { streetOf } = await import(new URL("page/map/vector-style.js", document.baseURI));
      return streetOf("roads", 1, { kind: "highway", name: "A1" });
    }""") is None


def test_names_of_streets_are_painted(browser, program, tmp_path):
    def content(*position):
        street = [[(0, 2304), (EXTENT, 2304)]]
        # The writer takes the last zoom level of the file from the last tile that is another one.
        return (layer("transportation_name", (LINE, {"class": "primary", "name": "Rua do Carmo"}, street))
                + layer("/".join(map(str, position))))

    write_pmtiles(tmp_path / "map.pmtiles", content)
    service = start(program, tmp_path, "map.pmtiles")
    window = None
    try:
        window = Window(browser, service)
        page = window.sign_in(at(32.5, 24 + 2304 / EXTENT, 12))
        expect(page.locator("canvas.leaflet-tile-loaded").first).to_be_attached()
        page.wait_for_timeout(500)
        assert page.evaluate(PAINTED) == 0
        page.goto(service.url + at(32.5, 24 + 2304 / EXTENT, 14))
        wait_until(lambda: page.evaluate(PAINTED) > 500, window)
        window.ignore_problems("Multiple readback operations")
    finally:
        if window:
            window.close()
        service.stop()
