"""A made-up town as vector tiles, for screenshots: streets on a bent grid, blocks with houses, a park, a river."""

import gzip
import math
import random
import sqlite3

from test_vector_tiles import EXTENT, LINE, POINT, POLYGON, layer

ZOOM = 14
BLOCK = 110  # metres between two streets
HALF = 22  # streets on each side of the middle
NAMES = ["Rua das Flores", "Rua do Carmo", "Travessa do Sal", "Rua da Prata", "Avenida do Mar", "Rua Nova",
         "Rua dos Moinhos", "Largo da Oliveira", "Rua do Sol", "Rua da Ponte", "Rua do Arco"]


class Town:
    attribution = "A made-up town"
    # The levels of the tiles, with how many there are to each side of the middle.
    reaches = {ZOOM: 2}

    def __init__(self, latitude, longitude, seed=1):
        self.random = random.Random(seed)
        scale = 2**ZOOM
        self.x = (longitude + 180) / 360 * scale
        self.y = (1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2 * scale
        self.tiles_per_meter = scale / (40_075_016.7 * math.cos(math.radians(latitude)))
        # (layer, kind, tags, paths in metres east and south of the middle)
        self.features = []
        self.plan()

    def corner(self, column, row):
        """A crossing: the grid is turned and bent, so that it does not look like one."""
        turn = 0.35
        east, south = column * BLOCK, row * BLOCK
        bend = 60 * math.sin(south / 700) + 40 * math.cos(east / 500)
        return (east * math.cos(turn) - south * math.sin(turn) + bend,
                east * math.sin(turn) + south * math.cos(turn) + bend / 2)

    def add(self, layer_name, kind, tags, *paths):
        self.features.append((layer_name, kind, tags, paths))

    def plan(self):
        steps = range(-HALF, HALF + 1)
        park = {(column, row) for column in range(-6, -2) for row in range(-5, -1)}
        river = [(-2600, 1150), (-1200, 900), (0, 1050), (1300, 850), (2600, 1000)]
        self.add("landuse", POLYGON, {"class": "residential"}, [self.corner(*point) for point in
                 [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)]])
        self.add("landcover", POLYGON, {"class": "grass"}, [self.corner(*point) for point in
                 [(-6, -5), (-2, -5), (-2, -1), (-6, -1)]])
        self.add("landcover", POLYGON, {"class": "wood"}, [self.corner(*point) for point in
                 [(6, -9), (11, -9), (12, -5), (7, -4)]])
        for column in steps:
            for row in steps:
                if (column, row) not in park:
                    self.houses(column, row)
        self.add("water", POLYGON, {"class": "river"},
                 [(x, y - 70) for x, y in river] + [(x, y + 70) for x, y in reversed(river)])
        for index in steps:
            kind = "primary" if index % 8 == 0 else "secondary" if index % 4 == 0 else "minor"
            for path in ([self.corner(index, row) for row in steps], [self.corner(column, index) for column in steps]):
                self.add("transportation", LINE, {"class": kind}, path)
                name = NAMES[len(self.features) % len(NAMES)]
                self.add("transportation_name", LINE, {"class": kind, "name": name}, path)
        self.add("transportation", LINE, {"class": "motorway"},
                 [(-2600, -900), (-1100, -750), (400, -1000), (2600, -800)])
        self.add("transportation", LINE, {"class": "rail"}, [(-2600, 600), (-300, 480), (900, 560), (2600, 380)])
        self.add("transportation", LINE, {"class": "path"}, [self.corner(-6, -3), self.corner(-4, -3.4),
                                                              self.corner(-2, -2.5)])
        for name, rank, position in [("Baixa", "suburb", (150, 300)), ("Monte", "suburb", (-900, -500))]:
            self.add("place", POINT, {"class": rank, "name": name}, [position])

    def houses(self, column, row):
        for _ in range(self.random.randrange(2, 5)):
            east, south = self.random.uniform(0.14, 0.6), self.random.uniform(0.14, 0.6)
            width, depth = self.random.uniform(0.15, 0.26), self.random.uniform(0.15, 0.26)
            self.add("building", POLYGON, {"class": "house"}, [self.corner(column + x, row + y) for x, y in [
                (east, south), (east + width, south), (east + width, south + depth), (east, south + depth)]])

    def tile(self, zoom, column, row):
        def place(point):
            return (round((self.x + point[0] * self.tiles_per_meter - column) * EXTENT),
                    round((self.y + point[1] * self.tiles_per_meter - row) * EXTENT))

        def is_near(paths):
            return any(-EXTENT < x < 2 * EXTENT and -EXTENT < y < 2 * EXTENT for path in paths for x, y in path)

        layers = {}
        for name, kind, tags, paths in self.features:
            placed = [[place(point) for point in path] for path in paths]
            if name != "building" or is_near(placed):
                layers.setdefault(name, []).append((kind, tags, placed))
        return b"".join(layer(name, *features) for name, features in layers.items())

    def write_mbtiles(self, path):
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
            database.execute("CREATE TABLE tiles (zoom_level INT, tile_column INT, tile_row INT, tile_data BLOB)")
            database.executemany("INSERT INTO metadata VALUES (?, ?)",
                                 {"format": "pbf", "attribution": self.attribution}.items())
            for zoom, reach in self.reaches.items():
                middle = [int(value / 2 ** (ZOOM - zoom)) for value in (self.x, self.y)]
                for column in range(middle[0] - reach, middle[0] + reach + 1):
                    for row in range(middle[1] - reach, middle[1] + reach + 1):
                        database.execute("INSERT INTO tiles VALUES (?, ?, ?, ?)", (
                            zoom, column, 2**zoom - 1 - row, gzip.compress(self.tile(zoom, column, row))))
        database.close()
