"""A made-up city on a bay as vector tiles, for screenshots: districts, each with its own grid of streets, and water.

Nothing in it is of a real map. Positions are metres east and south of the middle.
"""

import heapq
import math

from test_vector_tiles import EXTENT, LINE, POINT, POLYGON, layer
from town import ZOOM, Town

REACH = 5200  # metres from the middle to the edge
DISTRICTS = 46
STREETS = ["Rua das Flores", "Rua do Carmo", "Travessa do Sal", "Rua da Prata", "Avenida do Mar", "Rua Nova",
           "Rua dos Moinhos", "Largo da Oliveira", "Rua do Sol", "Rua da Ponte", "Rua do Arco", "Rua da Fonte",
           "Rua do Cais", "Calçada da Serra", "Rua das Amoreiras", "Beco do Forno", "Rua dos Remédios"]
AVENUES = ["Avenida da Liberdade Nova", "Avenida do Porto", "Avenida Central", "Avenida das Acácias",
           "Avenida do Norte", "Avenida dos Navegantes", "Avenida da Estação"]
QUARTERS = ["Cais Velho", "Monte Alto", "Santa Clara", "Vale Verde", "Estação", "Moinhos", "Praia Grande", "Arcos",
            "Boavista", "Ribeira", "Castelo", "Olivais"]
# The middle of the river with half its width, from the hills to the mouth.
RIVER = [(5600, -900, 45), (3600, -150, 50), (2300, 420, 60), (1200, 760, 75), (200, 860, 85), (-700, 800, 105),
         (-1400, 900, 170), (-2100, 1150, 420)]
# The coast from north to south; the sea is in the west.
COAST = [(-2900, -5600), (-2500, -4200), (-2750, -3000), (-2300, -2100), (-2050, -1300), (-2200, -700),
         (-1750, -150), (-1600, 350), (-1750, 750), (-2300, 1400), (-1900, 1750), (-1300, 1800), (-1150, 2300),
         (-1600, 3200), (-1300, 4300), (-1700, 5600)]


def smooth(points, rounds=3):
    """Chaikin's corner cutting: a curve along points."""
    for _ in range(rounds):
        inner = []
        for a, b in zip(points, points[1:]):
            inner += [tuple(x + (y - x) * part for x, y in zip(a, b)) for part in (0.25, 0.75)]
        points = [points[0], *inner, points[-1]]
    return points


def clip_half(ring, nx, ny, limit):
    """The part of a convex ring in which x nx + y ny is at most `limit`."""
    result = []
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1]):
        a, b = ax * nx + ay * ny - limit, bx * nx + by * ny - limit
        if a <= 0:
            result.append((ax, ay))
        if a * b < 0:
            part = a / (a - b)
            result.append((ax + (bx - ax) * part, ay + (by - ay) * part))
    return result


def clip_line(ring, point, direction):
    """The ends of a straight line inside a convex ring, or None."""
    low, high = -1e9, 1e9
    area = sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1]))
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1]):
        nx, ny = (by - ay, ax - bx) if area > 0 else (ay - by, bx - ax)
        speed = nx * direction[0] + ny * direction[1]
        distance = nx * (ax - point[0]) + ny * (ay - point[1])
        if abs(speed) < 1e-9:
            if distance < 0:
                return None
        elif speed > 0:
            high = min(high, distance / speed)
        else:
            low = max(low, distance / speed)
    return None if low >= high else (low, high)


class City(Town):
    """Districts are the cells of a Voronoi diagram; their borders are the main streets."""

    attribution = "A made-up city"
    reaches = {12: 1, 13: 1, 14: 2}

    def plan(self):
        self.river = smooth(RIVER)
        self.coast = smooth(COAST)
        self.roads = {}
        self.quarters = QUARTERS[::-1]
        box = [(-REACH, -REACH), (REACH, -REACH), (REACH, REACH), (-REACH, REACH)]
        self.add("earth", POLYGON, {"kind": "earth"}, [(1.3 * x, 1.3 * y) for x, y in box])
        side = math.ceil(math.sqrt(DISTRICTS))
        seeds = [((column + self.random.uniform(0.15, 0.85)) / side * 2 * REACH - REACH,
                  (row + self.random.uniform(0.15, 0.85)) / side * 2 * REACH - REACH)
                 for column in range(side) for row in range(side)]
        # The middle has smaller districts.
        seeds += [(math.cos(angle) * far, math.sin(angle) * far - 200) for far, count in ((380, 5), (950, 7), (1500, 9))
                  for angle in [2 * math.pi * (step + self.random.random() * 0.5) / count for step in range(count)]]
        for number, seed in enumerate(seeds):
            cell = box
            for other in seeds:
                if other is not seed:
                    nx, ny = other[0] - seed[0], other[1] - seed[1]
                    middle = ((seed[0] + other[0]) / 2, (seed[1] + other[1]) / 2)
                    cell = clip_half(cell, nx, ny, middle[0] * nx + middle[1] * ny)
            if len(cell) > 2:
                self.district(number, seed, cell)
        self.water()
        self.main_streets()
        self.lines()

    def district(self, number, seed, cell):
        if not self.is_land(*seed):
            return
        far = math.hypot(*seed)
        if far > 1200 and self.random.random() < 0.16:
            self.add("landcover", POLYGON, {"class": self.random.choice(["wood", "grass"])}, cell)
            self.paths(cell, seed)
            return
        if far < 3600:
            self.add("landuse", POLYGON, {"class": "residential"}, cell)
        elif self.random.random() < 0.55:
            self.add("landcover", POLYGON, {"class": "grass"}, cell)
            return
        if far < 2600 and number % 2 == 0 and self.quarters:
            self.add("place", POINT, {"class": "suburb", "name": self.quarters.pop()}, [seed])
        angle = self.random.uniform(0, math.pi)
        across, along = self.random.uniform(70, 105), self.random.uniform(120, 190)
        for turn, step in ((angle, across), (angle + math.pi / 2, along)):
            for index in range(-40, 41):
                point = (seed[0] - math.sin(turn) * step * index, seed[1] + math.cos(turn) * step * index)
                span = clip_line(cell, point, (math.cos(turn), math.sin(turn)))
                if span:
                    ends = [(point[0] + math.cos(turn) * t, point[1] + math.sin(turn) * t) for t in span]
                    self.street(ends, {"class": "minor"}, STREETS)
        if far < 2600:
            self.blocks(cell, seed, angle, across, along)

    def street(self, points, tags, names, is_bridge=False):
        """A street where there is land; a long one has a name."""
        for path in [points] if is_bridge else self.on_land(points):
            self.add("transportation", LINE, tags, path)
            length = sum(math.dist(a, b) for a, b in zip(path, path[1:]))
            if length > 260 and self.random.random() < 0.6:
                self.add("transportation_name", LINE, tags | {"name": self.random.choice(names)}, path)

    def blocks(self, cell, seed, angle, across, along):
        """Houses along the streets of each block."""
        cos, sin = math.cos(angle), math.sin(angle)

        def place(u, v):
            return (seed[0] + cos * u - sin * v, seed[1] + sin * u + cos * v)

        for row in range(-20, 20):
            for column in range(-20, 20):
                v, end_v = row * across + 11, (row + 1) * across - 11
                u, end_u = column * along + 11, (column + 1) * along - 11
                if not all(self.is_inside(cell, *place(*corner)) for corner in
                           ((u, v), (end_u, v), (end_u, end_v), (u, end_v))):
                    continue
                at = u
                while at < end_u - 12:
                    width = min(self.random.uniform(14, 30), end_u - at)
                    for near, depth in ((v, 1), (end_v, -1)):
                        deep = depth * self.random.uniform(13, 22)
                        ring = [place(at, near), place(at + width - 3, near), place(at + width - 3, near + deep),
                                place(at, near + deep)]
                        if all(self.is_land(x, y, 25) for x, y in ring):
                            self.add("building", POLYGON, {"class": "house"}, ring)
                    at += width

    def paths(self, cell, seed):
        for x, y in cell[::2]:
            bend = (0.5 * (x + seed[0]) + self.random.uniform(-40, 40), 0.5 * (y + seed[1]))
            self.add("transportation", LINE, {"class": "path"}, smooth([seed, bend, (x, y)], 2))

    def water(self):
        left, right = [], []
        for (ax, ay, width), (bx, by, _) in zip(self.river, self.river[1:]):
            length = math.hypot(bx - ax, by - ay) or 1
            nx, ny = -(by - ay) / length, (bx - ax) / length
            left.append((ax + nx * width, ay + ny * width))
            right.append((ax - nx * width, ay - ny * width))
        self.add("water", POLYGON, {"class": "river"}, left + right[::-1])
        self.add("water", POLYGON, {"class": "ocean"},
                 [*self.coast, (-1.3 * REACH, 1.3 * REACH), (-1.3 * REACH, -1.3 * REACH)])
        for points in ([(-1650, 420), (-1450, 470), (-1380, 640), (-1560, 690)],):
            self.add("water", POLYGON, {"class": "dock"}, points)

    def main_streets(self):
        """The borders of the districts in the city; those over the river are bridges, if they are in the middle."""
        cells = [paths[0] for name, _, _, paths in self.features if name in ("landuse", "landcover")]
        for cell in cells:
            for a, b in zip(cell, cell[1:] + cell[:1]):
                ends = tuple(sorted((tuple(round(value) for value in a), tuple(round(value) for value in b))))
                if math.dist(*ends) > 20:
                    self.roads[ends] = math.dist(*ends)
        kept = {}
        for number, ((a, b), length) in enumerate(sorted(self.roads.items())):
            steps = max(2, round(length / 15))
            points = [(a[0] + (b[0] - a[0]) * s / steps, a[1] + (b[1] - a[1]) * s / steps) for s in range(steps + 1)]
            wet = [point for point in points if not self.is_land(*point)]
            is_bridge = bool(wet) and self.is_land(*a) and self.is_land(*b) and all(x > -1300 for x, _ in wet)
            far = math.hypot(a[0] + b[0], a[1] + b[1]) / 2
            kind = "primary" if number % 5 == 0 else "secondary" if far < 3300 else "tertiary"
            self.street(points if wet else [a, b], {"class": kind}, AVENUES, is_bridge)
            if not wet or is_bridge:
                kept[(a, b)] = length
        self.roads = kept
        quay = [(x + 55, y) for x, y in self.coast[4:-4]]
        self.street(quay, {"class": "primary"}, ["Avenida do Mar"])

    def lines(self):
        ring = smooth([(-2100, -3300), (-900, -2500), (900, -2350), (2300, -1500), (2900, 600), (2700, 2400),
                       (2300, 5200)])
        self.street(ring, {"class": "motorway"}, ["Circular"], is_bridge=True)
        rail = smooth([(5200, -2600), (2600, -1350), (1300, -700), (620, -420)])
        self.add("transportation", LINE, {"class": "rail"}, rail)
        self.add("transportation", LINE, {"class": "rail"}, [(x + 12, y - 12) for x, y in rail])
        self.add("place", POINT, {"class": "city", "name": "Porto Claro"}, [(-200, -250)])

    def is_land(self, x, y, margin=0):
        """Whether a position is on land, and so far from the water."""
        if x > -900 and (y < -1000 or y > 1700):
            return True
        for (ax, ay, width), (bx, by, _) in zip(self.river, self.river[1:]):
            length = (bx - ax) ** 2 + (by - ay) ** 2 or 1
            part = max(0, min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length))
            if math.hypot(ax + part * (bx - ax) - x, ay + part * (by - ay) - y) < width + margin:
                return False
        for (ax, ay), (bx, by) in zip(self.coast, self.coast[1:]):
            if ay <= y <= by or by <= y <= ay:
                if x < ax + (bx - ax) * ((y - ay) / ((by - ay) or 1)) + margin:
                    return False
        return not (-1680 - margin < x < -1360 + margin and 400 - margin < y < 710 + margin)

    def is_inside(self, ring, x, y):
        turns = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1])]
        return all(turn >= 0 for turn in turns) or all(turn <= 0 for turn in turns)

    def on_land(self, points):
        """The parts of a path on land."""
        parts, current = [], []
        for (ax, ay), (bx, by) in zip(points, points[1:]):
            steps = max(1, round(math.hypot(bx - ax, by - ay) / 12))
            for step in range(steps + 1):
                point = (ax + (bx - ax) * step / steps, ay + (by - ay) * step / steps)
                if self.is_land(*point, 8):
                    current.append(point)
                elif current:
                    parts.append(current)
                    current = []
        parts.append(current)
        # A straight street needs its ends only.
        is_straight = len(points) == 2
        return [[part[0], part[-1]] if is_straight else part for part in parts
                if len(part) > 1 and math.dist(part[0], part[-1]) > 30]

    def way(self, start, end):
        """The shortest way over the main streets between the crossings next to two positions."""
        neighbours = {}
        for (a, b), length in self.roads.items():
            neighbours.setdefault(a, []).append((b, length))
            neighbours.setdefault(b, []).append((a, length))
        first, last = (min(neighbours, key=lambda node, at=at: math.dist(node, at)) for at in (start, end))
        queue, seen = [(0, first, [first])], set()
        while queue:
            length, node, path = heapq.heappop(queue)
            if node == last:
                return path
            if node in seen:
                continue
            seen.add(node)
            for other, more in neighbours[node]:
                if other not in seen:
                    heapq.heappush(queue, (length + more, other, [*path, other]))
        raise ValueError("there is no way")

    def tile(self, zoom, column, row):
        """A tile; those of lower levels have no houses and no lanes."""
        left_out = {14: (), 13: ("building",), 12: ("building", "transportation_name")}[zoom]
        share = 2.0 ** (ZOOM - zoom)
        scale = EXTENT * self.tiles_per_meter / share
        left, top = (self.x / share - column) * EXTENT, (self.y / share - row) * EXTENT
        layers = {}
        for name, kind, tags, paths in self.features:
            if name in left_out or (zoom == 12 and tags.get("class") in ("minor", "path")):
                continue
            placed = [[(round(left + x * scale), round(top + y * scale)) for x, y in path] for path in paths]
            xs, ys = [[point[axis] for path in placed for point in path] for axis in (0, 1)]
            if max(xs) > -200 and min(xs) < EXTENT + 200 and max(ys) > -200 and min(ys) < EXTENT + 200:
                layers.setdefault(name, []).append((kind, tags, placed))
        return b"".join(layer(name, *features) for name, features in layers.items())
