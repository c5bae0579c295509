"""Streets: tiles from MBTiles and PMTiles files, which other programs made, and from OpenStreetMap when chosen."""

import io
import json
import re
import sqlite3
import urllib.error
import urllib.request

import pytest
from PIL import Image
from playwright.sync_api import expect
from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import Writer

from conftest import Window
from service import Service

LEVELS = 8  # 21,845 tiles: the directory of PMTiles then has leaves


def image(zoom, column, row):
    """A picture of one colour, different for each tile."""
    color = (zoom * 25, column % 256, (row * 7 + column // 256) % 256)
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), color).save(buffer, "PNG")
    return buffer.getvalue()


def tiles():
    for zoom in range(LEVELS):
        for column in range(2**zoom):
            for row in range(2**zoom):
                yield zoom, column, row


def write_mbtiles(path):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
        database.execute("CREATE TABLE tiles (zoom_level INT, tile_column INT, tile_row INT, tile_data BLOB)")
        database.execute("CREATE UNIQUE INDEX tile ON tiles (zoom_level, tile_column, tile_row)")
        metadata = {"name": "test", "format": "png", "attribution": "<b>&copy; Somebody</b>"}
        database.executemany("INSERT INTO metadata VALUES (?, ?)", metadata.items())
        database.executemany("INSERT INTO tiles VALUES (?, ?, ?, ?)", (
            (zoom, column, 2**zoom - 1 - row, image(zoom, column, row)) for zoom, column, row in tiles()))
    database.close()


def write_pmtiles(path):
    with path.open("wb") as file:
        writer = Writer(file)
        for tile in sorted(tiles(), key=lambda tile: zxy_to_tileid(*tile)):
            writer.write_tile(zxy_to_tileid(*tile), image(*tile))
        writer.finalize({
            "tile_type": TileType.PNG, "tile_compression": Compression.NONE, "min_zoom": 0, "max_zoom": LEVELS - 1,
            "min_lon_e7": -1800000000, "min_lat_e7": -850000000, "max_lon_e7": 1800000000, "max_lat_e7": 850000000,
            "center_zoom": 0, "center_lon_e7": 0, "center_lat_e7": 0,
        }, {"attribution": "<b>&copy; Somebody</b>"})


def start(program, folder, tiles_setting):
    service = Service(program, folder)
    service.config.write_text(json.dumps({"map": {"tiles": tiles_setting}}))
    return service.start()


def status(service, path):
    try:
        with urllib.request.urlopen(service.url + path, timeout=60) as response:
            return response.status, response.read(), response.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


@pytest.mark.parametrize("kind", ["mbtiles", "pmtiles"])
def test_a_file_gives_streets_without_any_outside_request(browser, program, tmp_path, kind):
    path = tmp_path / f"map.{kind}"
    {"mbtiles": write_mbtiles, "pmtiles": write_pmtiles}[kind](path)
    service = start(program, tmp_path, f"map.{kind}")
    window = None
    try:
        for tile in [(0, 0, 0), (1, 0, 1), (1, 1, 0), (3, 5, 2), (7, 0, 0), (7, 127, 127), (7, 64, 63), (6, 33, 20)]:
            code, body, headers = status(service, "/tiles/{}/{}/{}".format(*tile))
            assert (code, body == image(*tile)) == (200, True), tile
            assert headers["Content-Type"] == "image/png"
        assert status(service, "/tiles/8/0/0")[0] == 204
        for bad in ["/tiles/0/0/1", "/tiles/99999999999999999999/0/0", "/tiles/..%2F..%2Fetc/0/0", "/tiles/0/0/-1",
                    "/tiles/0/0/passwd", "/tiles/63/1/1"]:
            assert status(service, bad)[0] in (204, 404), bad

        window = Window(browser, service)
        page = window.sign_in("/#map=5/38.7/-9.1")
        expect(page.locator("img.leaflet-tile-loaded").first).to_be_visible()
        assert page.locator("img.leaflet-tile-loaded").first.evaluate("image => image.naturalWidth") == 8
        expect(page.locator(".leaflet-control-attribution")).to_have_text("© Somebody")
        # The file ends at zoom level 7; closer views enlarge its tiles.
        page.goto(service.url + "/#map=12/38.7/-9.1")
        expect(page.locator("img.leaflet-tile-loaded").first).to_be_visible()
    finally:
        if window:
            window.close()
        service.stop()


def test_openstreetmap_is_asked_when_it_is_chosen_and_only_then(browser, program, tmp_path):
    service = start(program, tmp_path, "openstreetmap")
    window = Window(browser, service)
    requests = []

    def answer(route):
        requests.append((route.request.url, route.request.headers.get("referer")))
        route.fulfill(body=image(1, 2, 3), content_type="image/png")

    try:
        window.context.route("https://tile.openstreetmap.org/**", answer)
        page = window.sign_in("/#map=5/38.7/-9.1&device=secret")
        expect(page.locator("img.leaflet-tile-loaded").first).to_be_visible()
        expect(page.get_by_role("link", name="© OpenStreetMap contributors")).to_be_visible()
        assert requests and all(re.fullmatch(r"https://tile\.openstreetmap\.org/5/\d+/\d+\.png", url)
                                for url, _ in requests)
        # The server learns the host, as its policy asks, and not what the page shows.
        assert {referer for _, referer in requests} == {service.url + "/"}
        policy = status(service, "/")[2]["Content-Security-Policy"]
        assert "img-src 'self' data: https://tile.openstreetmap.org;" in policy
    finally:
        window.close()
        service.stop()


def test_a_file_that_cannot_be_drawn_is_refused_at_the_start(program, tmp_path):
    path = tmp_path / "map.mbtiles"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
        database.execute("CREATE TABLE tiles (zoom_level INT, tile_column INT, tile_row INT, tile_data BLOB)")
        database.execute("INSERT INTO metadata VALUES ('format', 'txt')")
    database.close()
    with pytest.raises(RuntimeError, match="the format .*txt.*, which is not supported"):
        start(program, tmp_path, "map.mbtiles")


def test_coordinates_in_the_search_field_move_the_map(window):
    page = window.sign_in("/#map=5/0/0")
    field = page.get_by_role("searchbox", name="Filter by the name of a device, group or region")
    field.fill("38°43′01″N 9°08′24″W")
    expect(page).to_have_url(re.compile(r"#map=15/38\.71\d+/-9\.1\d+"))
    field.fill("van")
    expect(page).to_have_url(re.compile("find=van"))
