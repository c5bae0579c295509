"""Sample data for every part of the page, for screenshots and for the accessibility tests."""

import math

from service import fix, offset, walk

CENTER = (38.7169, -9.1399)
BUNDLE = {
    "platform": "iOS", "osVersion": "18.1", "grant": "always", "lifecycle": "terminated", "terminatedBy": "system",
    "infoPlist": [
        "NSLocationWhenInUseUsageDescription:Your tours", "NSLocationAlwaysAndWhenInUseUsageDescription:Your tours",
    ],
}


def ring(center, *sides):
    """A closed ring of positions, given in metres north and east of a centre."""
    points = [offset(*center, north, east) for north, east in sides]
    return [[round(lon, 6), round(lat, 6)] for lat, lon in points + points[:1]]


def add_regions(service):
    """Adds a circle, a polygon with a hole, and a corridor."""
    latitude, longitude = CENTER
    service.add_circle("depot", "Depot", latitude, longitude, 180, tags=["work"], dwell=600)
    campus = offset(*CENTER, 250, 900)
    service.post("/v1/regions", {
        "type": "Feature", "id": "campus",
        "geometry": {"type": "Polygon", "coordinates": [
            ring(campus, (300, -350), (-250, -420), (-330, 260), (120, 420), (340, 120)),
            ring(campus, (60, -60), (90, 70), (-60, 80), (-70, -50)),
        ]},
        "properties": {"name": "Campus", "tags": ["school"]},
    })
    line = [offset(*CENTER, -420, -900), offset(*CENTER, -380, -200), offset(*CENTER, -560, 500)]
    service.post("/v1/regions", {
        "type": "Feature", "id": "riverside",
        "geometry": {"type": "LineString", "coordinates": [[round(lon, 6), round(lat, 6)] for lat, lon in line]},
        "properties": {"name": "Riverside", "width": 160},
    })


def add_sample_data(service, receiver=None):
    """Adds regions, an app, an endpoint if there is a receiver, and devices that enter, stay and leave."""
    add_regions(service)
    service.post("/v1/apps", {
        "id": "courier", "name": "Courier", "devices": ["van-*", "jane/*"], "given": BUNDLE,
        "services": [
            {"service": "regionCircular", "identifier": "depot"}, {"service": "regionCircular", "identifier": "campus"},
        ],
    })
    if receiver:
        service.post("/v1/endpoints", {
            "id": "dispatch", "url": receiver.url, "events": ["region.*", "visit.*"], "description": "Dispatch desk",
        })
    service.report(*walk("jane/phone", *CENTER, start=700, end=20, steps=30, began=1500, took=600))
    service.report(*[
        fix("jane/phone", *offset(*CENTER, 4 * math.sin(step), 4 * math.cos(step)), ago=880 - 40 * step, accuracy=9.0,
            battery=0.71)
        for step in range(22)
    ])
    service.report(*walk("van-1", *CENTER, start=900, end=-900, steps=40, began=900, took=870))
    service.report(*walk("van-2", *offset(*CENTER, 250, 900), start=800, end=100, steps=30, began=500, took=480))
    for number, (north, east) in enumerate([(500, -600), (-300, 700), (650, 350), (-700, -350)]):
        service.report(fix(f"bike-{number + 1}", *offset(*CENTER, north, east), ago=20 + 400 * number,
                           accuracy=12.0 + 20 * number, course=75.0 * number, speed=4.0, battery=0.9 - 0.2 * number))
