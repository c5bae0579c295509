#!/usr/bin/env python3
"""Makes the sample regions and the sample day beside this file.  Python 3, standard library only.

usage: python3 Regions/make-samples.py [--seed N]

The people, their day and the outlines are invented; only the ground is real (Lisbon, and Taveuni in Fiji, which the
180th meridian crosses).  Fixes are what phones give: satellite fixes with speed and course and an error that drifts
over a minute, network fixes without speed when still, a hole where the phone sleeps, now and then a cell tower.
"""
import argparse
import json
import math
import os
import random
from datetime import datetime, timedelta, timezone

HERE = os.path.dirname(os.path.abspath(__file__))
LISBON = (38.7100, -9.1400)
TAVEUNI = (-16.8500, 180.0)


def place(origin, east, north):
    """Longitude and latitude so many metres east and north of an origin."""
    latitude = origin[0] + north / 110_950
    longitude = origin[1] + east / (111_320 * math.cos(math.radians(origin[0])))
    return [round(longitude, 6), round(latitude, 6)]


def ring(origin, points):
    positions = [place(origin, e, n) for e, n in points]
    return positions + positions[:1]


def feature(identifier, geometry, **properties):
    return {"type": "Feature", "id": identifier, "properties": properties, "geometry": geometry}


def circle(origin, east, north):
    return {"type": "Point", "coordinates": place(origin, east, north)}


def polygon(origin, shell, *holes):
    # RFC 7946: the shell runs anticlockwise, holes clockwise.
    return {"type": "Polygon", "coordinates": [ring(origin, shell)] + [ring(origin, h) for h in holes]}


def city():
    o = LISBON
    return [
        feature("home", circle(o, -2100, 900), name="Home", tags=["private"], radius=60, devices=["jane/*"]),
        feature("cafe", circle(o, -350, 260), name="Café on the corner", radius=25, tags=["food"], dwell="PT10M"),
        feature("office",
                polygon(o, [(0, 0), (180, 0), (180, 120), (0, 120)], [(60, 40), (60, 80), (120, 80), (120, 40)]),
                name="Office", tags=["work"], dwell=[3600, "PT3H"],
                metadata={"building": 7, "note": "the courtyard is outside"}),
        feature("old-town", polygon(o, [(-900, -300), (500, -420), (640, 380), (100, 620), (-760, 540)]),
                name="Old Town", tags=["district"]),
        feature("campus", {"type": "MultiPolygon", "coordinates": [
            polygon(o, [(1200, 300), (1500, 280), (1520, 560), (1210, 580)])["coordinates"],
            polygon(o, [(1600, 300), (1800, 300), (1800, 500), (1600, 500)])["coordinates"]]},
                name="Campus", tags=["work", "school"]),
        feature("riverside", {"type": "LineString", "coordinates": [
            place(o, -1500, -900), place(o, -600, -980), place(o, 300, -940), place(o, 1400, -820)]},
                name="Riverside path", width=70),
        feature("night-market", circle(o, -500, -150), name="Night market", radius=90,
                schedule={"timeZone": "Europe/Lisbon", "weekly": ["Fri-Sat 19:00-01:00"]}),
        feature("depot", polygon(o, [(2300, -500), (2560, -520), (2580, -300), (2310, -280)]),
                name="Depot", tags=["logistics"], initialState="silent"),
        feature("air-corridor", circle(o, 0, 0), name="Drones above the office", radius=400, minAltitude=150,
                tags=["air"]),
    ]


def antimeridian():
    o = TAVEUNI
    beyond = polygon(o, [(-9000, -6000), (8000, -7000), (9000, 5000), (-7000, 6000)])
    return [
        feature("taveuni", beyond, name="Taveuni", tags=["island"]),
        feature("meridian-marker", circle(o, 0, 0), name="Where the days meet", radius=300),
        feature("ferry-lane",
                {"type": "LineString",
                 "coordinates": [place(o, -14000, 1500), place(o, 0, 900), place(o, 13000, -800)]},
                name="Ferry lane", width=1200),
    ]


class Phone:
    """Sees a true path and writes down what a phone would have reported."""

    def __init__(self, rng, device, origin, start):
        self.rng, self.device, self.origin, self.now = rng, device, origin, start
        self.at, self.drift, self.fixes = (0.0, 0.0), (0.0, 0.0), []

    def fix(self, sigma, speed=None, course=None, accuracy=None, altitude=None):
        # The error of neighbouring fixes is the same error: an autoregressive walk with a memory of about a minute.
        keep = 0.9
        fresh = math.sqrt(1 - keep * keep) * sigma
        self.drift = tuple(keep * d + self.rng.gauss(0, fresh) for d in self.drift)
        longitude, latitude = place(self.origin, self.at[0] + self.drift[0], self.at[1] + self.drift[1])
        longitude = round((longitude + 180) % 360 - 180, 6)
        record = {"deviceId": self.device, "timestamp": self.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                  "latitude": latitude, "longitude": longitude,
                  "horizontalAccuracy": round(accuracy or max(4, sigma * 1.5 * self.rng.uniform(0.7, 1.3)), 1)}
        if altitude is not None:
            record["altitude"] = altitude
        if speed is not None:
            record["speed"] = round(max(0, speed + self.rng.gauss(0, 0.2)), 1)
            record["course"] = round(course % 360, 1)
        self.fixes.append(record)

    def travel(self, east, north, speed, every):
        """Goes straight to a place; a satellite fix every so many seconds."""
        de, dn = east - self.at[0], north - self.at[1]
        length = math.hypot(de, dn)
        course = math.degrees(math.atan2(de, dn))
        start, gone = self.at, 0.0
        while gone < length:
            gone = min(length, gone + speed * every)
            self.now += timedelta(seconds=every)
            self.at = (start[0] + de * gone / length, start[1] + dn * gone / length)
            self.fix(4, speed, course)

    def stay(self, minutes, every=180, sleeps_after=None, tower=False):
        """Network fixes without speed; then nothing, as phones do; perhaps one cell tower far off."""
        end = self.now + timedelta(minutes=minutes)
        asleep = self.now + timedelta(minutes=sleeps_after) if sleeps_after else end
        told = not tower
        while self.now + timedelta(seconds=every) < asleep:
            self.now += timedelta(seconds=every + self.rng.randint(-10, 10))
            if not told and self.rng.random() < 0.2:
                true, self.at, told = self.at, (self.at[0] + 1300, self.at[1] - 700), True
                self.fix(60, accuracy=900)
                self.at = true
            else:
                self.fix(12)
        self.now = end


def day(seed):
    rng = random.Random(seed)
    friday = datetime(2026, 3, 6, tzinfo=timezone.utc)

    jane = Phone(rng, "jane/phone", LISBON, friday + timedelta(hours=7))
    jane.at = (-2100, 900)
    jane.stay(70, every=300)
    jane.travel(-900, 520, 11, 5)
    jane.travel(-350, 262, 1.4, 8)
    jane.stay(17, every=60)
    jane.travel(20, 200, 1.4, 8)
    jane.travel(30, 60, 1.2, 8)
    jane.stay(215, sleeps_after=40, tower=True)
    jane.travel(-100, -200, 1.4, 8)
    jane.stay(35, every=120)
    jane.travel(30, 100, 1.4, 8)
    jane.stay(250, sleeps_after=90, tower=True)
    jane.travel(-400, -960, 1.5, 8)
    jane.travel(-1400, -905, 3.0, 6)
    jane.travel(-600, -979, 3.0, 6)
    jane.travel(-500, -150, 1.4, 8)
    jane.stay(80, every=150)
    jane.travel(-1200, 400, 1.4, 10)
    jane.travel(-2100, 900, 9, 5)
    jane.stay(60, every=300)

    van = Phone(rng, "van-7", LISBON, friday + timedelta(hours=8))
    van.at = (2430, -400)
    van.stay(25, every=60)
    for _ in range(3):
        van.travel(1360, 420, 12, 4)
        van.stay(9, every=30)
        van.travel(90, -60, 10, 4)
        van.travel(90, 180, 6, 4)
        van.travel(-700, 100, 10, 4)
        van.stay(12, every=30)
        van.travel(2430, -400, 13, 4)
        van.stay(30, every=60)

    drone = Phone(rng, "drone-2", LISBON, friday + timedelta(hours=10))
    drone.at = (700, 700)
    for altitude, target in ((40, (300, 300)), (220, (0, 0)), (230, (-600, -100)), (60, (0, 0))):
        de, dn = target[0] - drone.at[0], target[1] - drone.at[1]
        start = drone.at
        for step in range(1, 21):
            drone.now += timedelta(seconds=5)
            drone.at = (start[0] + de * step / 20, start[1] + dn * step / 20)
            drone.fix(2, math.hypot(de, dn) / 100, math.degrees(math.atan2(de, dn)), altitude=altitude)

    ferry = Phone(rng, "ferry/bridge", TAVEUNI, friday + timedelta(hours=19))
    ferry.at = (-16000, 1700)
    ferry.travel(-14000, 1500, 8, 30)
    ferry.travel(0, 900, 8, 30)
    ferry.stay(20, every=120)
    ferry.travel(13000, -800, 8, 30)
    ferry.travel(16000, -1200, 8, 30)

    fixes = [f for phone in (jane, van, drone, ferry) for f in phone.fixes]
    # In the order of delivery: by time, as one server would have got them.
    return sorted(fixes, key=lambda f: f["timestamp"])


def write(name, features):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as f:
        f.write('{"type":"FeatureCollection","features":[\n')
        f.write(",\n".join(json.dumps(x, ensure_ascii=False, separators=(",", ":")) for x in features))
        f.write("\n]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20260306)
    seed = parser.parse_args().seed
    write("city.geojson", city())
    write("antimeridian.geojson", antimeridian())
    os.makedirs(os.path.join(HERE, "tracks"), exist_ok=True)
    with open(os.path.join(HERE, "tracks", "day.ndjson"), "w", encoding="utf-8") as f:
        for fix in day(seed):
            f.write(json.dumps(fix, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
