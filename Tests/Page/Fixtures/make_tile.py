#!/usr/bin/env python3
"""Writes tile.mvt, a vector tile of another library: pip install mapbox-vector-tile==2.2.0 && ./make_tile.py

vector-tile.test.js has the same features as a table and expects to read them.
"""

import pathlib

import mapbox_vector_tile
from shapely.geometry import LineString, MultiLineString, MultiPoint, Point, Polygon

SQUARE = Polygon(
    [(0, 0), (0, 4096), (4096, 4096), (4096, 0)], [[(1000, 1000), (2000, 1000), (2000, 2000), (1000, 2000)]]
)
LAYERS = [
    {
        "name": "places",
        "features": [
            {
                "geometry": Point(25, 17),
                "properties": {
                    "name": "São João",
                    "population": 1200,
                    "rank": -3,
                    "height": 12.5,
                    "capital": True,
                    "sea": False,
                    "osm_id": 9007199254740991,
                },
            },
            {"geometry": MultiPoint([(5, 7), (3, 2), (-10, 4100)]), "properties": {}},
        ],
    },
    {
        "name": "roads",
        "features": [
            {"geometry": LineString([(2, 2), (2, 10), (10, 10)]), "properties": {"kind": "highway"}},
            {
                "geometry": MultiLineString([[(2, 2), (2, 10), (10, 10)], [(1, 1), (3, 5)]]),
                "properties": {"kind": "path"},
            },
        ],
    },
    {"name": "water", "features": [{"geometry": SQUARE, "properties": {"kind": "lake"}}]},
]


def main():
    options = {"extents": 4096, "y_coord_down": True}
    path = pathlib.Path(__file__).with_name("tile.mvt")
    path.write_bytes(mapbox_vector_tile.encode(LAYERS, default_options=options))


if __name__ == "__main__":
    main()
