"""The modules of the base map, run in the browser: the file reader, clipping, and label placement."""

import random

import pytest
from conftest import ROOT, Window
from service import Service

WORLD = ROOT / "Sources" / "FencepostPage" / "Web" / "base" / "world.bin"


@pytest.fixture(scope="module")
def modules(program, browser, tmp_path_factory):
    """A page that can import the modules. All tests share it, because they do not change it."""
    service = Service(program, tmp_path_factory.mktemp("service")).start()
    window = Window(browser, service)
    window.page.goto(service.url + "/")
    yield window.page
    window.close()
    service.stop()


class Reader:
    """Reads the file by the description in Sources/FencepostPage/BaseMap/README.md, independently of the page."""

    def __init__(self, data):
        self.data = data
        self.offset = data.index(0) + 1

    def unsigned(self):
        value, shift = 0, 0
        while True:
            byte = self.data[self.offset]
            self.offset += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.unsigned()
        return value // 2 if value % 2 == 0 else -(value + 1) // 2

    def paths(self):
        paths, start = [], (0, 0)
        for _ in range(self.unsigned()):
            x, y = start
            path = []
            for _ in range(self.unsigned()):
                x, y = x + self.signed(), y + self.signed()
                path.append((x, y))
            start = path[0]
            paths.append(path)
        return paths

    def cities(self):
        cities = []
        for _ in range(self.unsigned()):
            kind, x, y, length = (self.unsigned() for _ in range(4))
            cities.append([kind // 2, kind % 2 == 1, x, y, self.data[self.offset : self.offset + length].decode()])
            self.offset += length
        return cities


def test_the_page_reads_the_file_as_described(modules):
    reader = Reader(WORLD.read_bytes())
    layers = ["land", "lakes", "rivers", "borders", "disputed"]
    expected = {name: reader.paths() for name in layers}
    cities = reader.cities()
    assert reader.offset == len(reader.data)

    read = modules.evaluate("""async (layers) => {
        const { readWorld } = await import("/page/map/world-file.js");
        const world = readWorld(await (await fetch("/page/base/world.bin")).arrayBuffer());
        const sum = (numbers) => numbers.reduce((total, number, index) => total + number * (1 + (index % 7)), 0);
        return {
            layers: layers.map((name) => [
                world[name].starts.length - 1, world[name].points.length / 2, sum(world[name].points),
                sum(world[name].starts), sum(world[name].boxes),
            ]),
            cities: world.cities.map(({ rank, isCapital, x, y, name }) => [rank, isCapital, x, y, name]),
        };
    }""", layers)

    def total(numbers):
        return sum(number * (1 + index % 7) for index, number in enumerate(numbers))

    for name, found in zip(layers, read["layers"]):
        paths = expected[name]
        starts = [0]
        for path in paths:
            starts.append(starts[-1] + len(path))
        boxes = [
            side for path in paths for side in (
                min(x for x, _ in path), min(y for _, y in path), max(x for x, _ in path), max(y for _, y in path))
        ]
        points = [number for path in paths for point in path for number in point]
        assert found == [len(paths), len(points) // 2, total(points), total(starts), total(boxes)], name
    assert read["cities"] == cities
    assert {"Lisbon", "Tokyo", "Nairobi"} <= {city[4] for city in cities if city[1]}


@pytest.mark.parametrize("seed", range(5))
def test_a_clipped_ring_covers_the_same_points(modules, seed):
    chance = random.Random(seed)
    cases = []
    for _ in range(60):
        count = chance.randint(3, 12)
        ring = [chance.randint(-200, 300) for _ in range(2 * count)]
        box = {"west": chance.randint(-50, 40), "north": chance.randint(-50, 40)}
        box |= {"east": box["west"] + chance.randint(5, 120), "south": box["north"] + chance.randint(5, 120)}
        # Not on the integer grid of the vertices, so that no point is on an edge.
        points = [
            [chance.uniform(box["west"], box["east"]), chance.uniform(box["north"], box["south"])] for _ in range(60)
        ]
        cases.append([ring, box, points])
    cut = modules.evaluate("""async (cases) => {
        const { clippedRing } = await import("/page/map/clip.js");
        return cases.map(([ring, box]) => clippedRing(Int32Array.from(ring), box));
    }""", cases)
    inside = 0
    for (ring, box, points), part in zip(cases, cut):
        assert all(box["west"] <= x <= box["east"] for x in part[0::2])
        assert all(box["north"] <= y <= box["south"] for y in part[1::2])
        for x, y in points:
            assert winding(ring, x, y) == winding(part, x, y), (ring, box, x, y)
            inside += winding(ring, x, y) != 0
    assert inside > 100


def winding(ring, x, y):
    """The winding number of a ring around a point."""
    turns = 0
    for index in range(0, len(ring), 2):
        ax, ay = ring[index - 2], ring[index - 1]
        bx, by = ring[index], ring[index + 1]
        if (ay > y) != (by > y) and (ax + (y - ay) / (by - ay) * (bx - ax)) > x:
            turns += 1 if by > ay else -1
    return turns


def test_labels_do_not_overlap(modules):
    placed = modules.evaluate("""async () => {
        const { readWorld } = await import("/page/map/world-file.js");
        const { Labels } = await import("/page/map/labels.js");
        const { cities } = readWorld(await (await fetch("/page/base/world.bin")).arrayBuffer());
        const labels = new Labels(cities, (city) => 6 * city.name.length);
        return [2, 4.5, 6, 8, 10].map((zoom) => {
            const side = 256 * 2 ** zoom;
            return [...labels.within(zoom, 0, 0, side, side)].map(({ city, box }) => [city.name, ...box]);
        });
    }""")
    counts = [len(boxes) for boxes in placed]
    assert counts[0] >= 20 and counts == sorted(counts), counts
    for boxes in placed:
        boxes.sort(key=lambda box: box[1])
        for number, (name, west, north, east, south) in enumerate(boxes):
            for other, west2, north2, east2, south2 in boxes[number + 1 :]:
                if west2 >= east:
                    break
                assert south2 <= north or north2 >= south, (name, other)


def test_a_truncated_file_is_rejected(modules):
    message = modules.evaluate("""async () => {
        const { readWorld } = await import("/page/map/world-file.js");
        const bytes = await (await fetch("/page/base/world.bin")).arrayBuffer();
        try {
            readWorld(bytes.slice(0, bytes.byteLength - 1000));
        } catch (error) {
            return error.name;
        }
    }""")
    assert message == "RangeError"
