"""Files that other people's libraries write, read by the service, and its exports read by them.

gpxpy, simplekml, pandas and GDAL (geopandas) write one track, a walk that follows from a seed.
GDAL, simplekml, shapely, h3 and geohash write the same regions. What is no GeoJSON has to be named, and be read or
refused.
"""

import datetime
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import urllib.parse

import geohash
import geopandas
import gpxpy.gpx
import h3
import pandas
import shapely
import simplekml


def walk(seed, count=40):
    """Rows of a walk in the south-west, with values that each format can hold."""
    chance = random.Random(seed)
    latitude, longitude = chance.uniform(-60, 60), chance.uniform(-170, 170)
    time = datetime.datetime(2026, 3, 24, 23, 40, tzinfo=datetime.timezone.utc)
    rows = []
    for _ in range(count):
        latitude += chance.uniform(-0.0005, 0.0005)
        longitude += chance.uniform(-0.0005, 0.0005)
        time += datetime.timedelta(seconds=chance.randint(20, 90))
        rows.append(
            {
                "time": time,
                "lat": round(latitude, 6),
                "lon": round(longitude, 6),
                "altitude": chance.randint(-10, 2000),
                "speed": chance.randint(0, 300) / 10,
                "course": chance.randint(0, 359),
                "accuracy": chance.randint(1, 50),
            }
        )
    return rows


def written_by_gpxpy(rows, version):
    gpx = gpxpy.gpx.GPX()
    track = gpxpy.gpx.GPXTrack(name="Jürgen & Zoë")
    gpx.tracks.append(track)
    for start in range(0, len(rows), 15):
        segment = gpxpy.gpx.GPXTrackSegment()
        track.segments.append(segment)
        for row in rows[start : start + 15]:
            point = gpxpy.gpx.GPXTrackPoint(row["lat"], row["lon"], elevation=row["altitude"], time=row["time"])
            # Only GPX 1.0 has them.
            point.speed, point.course = (row["speed"], row["course"]) if version == "1.0" else (None, None)
            segment.points.append(point)
    gpx.waypoints.append(gpxpy.gpx.GPXWaypoint(1, 2, time=rows[0]["time"], name="not a part of the track"))
    return gpx.to_xml(version=version).encode()


def written_by_simplekml(rows, form, packed=False):
    kml = simplekml.Kml(name="walk")
    if form == "track":
        track = kml.newgxtrack(name="walk")
        track.newwhen([row["time"].strftime("%Y-%m-%dT%H:%M:%SZ") for row in rows])
        track.newgxcoord([(row["lon"], row["lat"], row["altitude"]) for row in rows])
    else:
        folder = kml.newfolder(name="points")
        for row in rows:
            point = folder.newpoint(name="p", coords=[(row["lon"], row["lat"], row["altitude"])])
            point.timestamp.when = row["time"].isoformat()
            point.style.iconstyle.scale = 2
    if not packed:
        return kml.kml().encode()
    with tempfile.TemporaryDirectory() as folder:
        kml.savekmz(f"{folder}/walk.kmz")
        return pathlib.Path(folder, "walk.kmz").read_bytes()


def written_by_gdal(frame, driver, suffix, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, f"file.{suffix}")
        frame.to_file(path, driver=driver, engine="pyogrio", **options)
        return path.read_bytes()


def tracks(rows):
    """Each file with its name and the columns that it carries."""
    table = pandas.DataFrame(rows)
    german = table.rename(columns={"time": "Zeit", "lat": "Breite", "lon": "Länge", "altitude": "Höhe"})
    points = geopandas.GeoDataFrame(
        table, geometry=geopandas.points_from_xy(table["lon"], table["lat"], table["altitude"]), crs="EPSG:4326"
    )
    values = ("altitude", "speed", "course", "accuracy")
    yield "pandas.csv", table.to_csv().encode(), values
    yield "tabs.tsv", table.to_csv(sep="\t", index=False).encode("utf-16"), values
    yield (
        "german.csv",
        german.to_csv(
            sep=";",
            decimal=",",
            index=False,
            date_format="%d.%m.%Y %H:%M:%S",
            columns=["Zeit", "Breite", "Länge", "Höhe"],
        ).encode("cp1252"),
        ("altitude",),
    )
    yield "one.gpx", written_by_gpxpy(rows, "1.1"), ("altitude",)
    yield "zero.gpx", written_by_gpxpy(rows, "1.0"), ("altitude", "speed", "course")
    yield "track.kml", written_by_simplekml(rows, "track"), ("altitude",)
    yield "points.kml", written_by_simplekml(rows, "points"), ("altitude",)
    yield "track.kmz", written_by_simplekml(rows, "track", packed=True), ("altitude",)
    points["time"] = points["time"].dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    yield "gdal.geojson", written_by_gdal(points, "GeoJSON", "geojson"), values
    yield "gdal7946.geojson", written_by_gdal(points, "GeoJSON", "geojson", RFC7946="YES"), values


def stored(url, session, device):
    found = session.get(f"{url}/v1/locations", params={"deviceId": device, "limit": 200}, timeout=30)
    found.raise_for_status()
    return found.json()["data"]


def upload(url, session, name, body, device):
    address = f"{url}/v1/imports?" + urllib.parse.urlencode({"file": name, "deviceId": device})
    answer = session.post(address, data=body, timeout=60)
    if answer.status_code != 200:
        sys.exit(f"{name}: {answer.status_code} {answer.text[:400]}")
    return answer.json()


def same(name, rows, found, columns):
    if len(found) != len(rows):
        sys.exit(f"{name}: {len(found)} locations instead of {len(rows)}")
    members = {"altitude": "altitude", "speed": "speed", "course": "course", "accuracy": "horizontalAccuracy"}
    for row, location in zip(rows, found):
        time = datetime.datetime.fromisoformat(location["timestamp"].replace("Z", "+00:00"))
        place = abs(location["latitude"] - row["lat"]) < 1e-7 and abs(location["longitude"] - row["lon"]) < 1e-7
        values = all(abs(location.get(members[column], 1e9) - row[column]) < 1e-6 for column in columns)
        extra = [member for column, member in members.items() if column not in columns and member in location]
        if time != row["time"] or not place or not values or extra:
            sys.exit(f"{name}: {location} instead of {row}")


def check_tracks(url, session):
    count = 0
    for seed in (1, 2):
        rows = walk(seed)
        for name, body, columns in tracks(rows):
            device = f"written/{seed}-{name}"
            report = upload(url, session, name, body, device)
            if report["rejected"] or report["stored"] != len(rows):
                sys.exit(f"{name}: {report}")
            same(name, rows, stored(url, session, device), columns)
            count += 1
    print(f"gpxpy, simplekml, pandas, GDAL: {count} files of tracks read back equal.")


def check_exports(url, session):
    """What the service exports is read by gpxpy, GDAL and by itself as what it was."""
    for seed in (11, 12, 13):
        rows = walk(seed)
        device = f"source/{seed}"
        body = "".join(
            json.dumps(
                {
                    "deviceId": device,
                    "timestamp": row["time"].isoformat(),
                    "latitude": row["lat"],
                    "longitude": row["lon"],
                    "altitude": row["altitude"],
                    "speed": row["speed"],
                    "course": row["course"],
                    "horizontalAccuracy": row["accuracy"],
                }
            )
            + "\n"
            for row in rows
        )
        upload(url, session, "source.ndjson", body.encode(), device)
        place = urllib.parse.quote(device, safe="")
        for form, columns in (
            ("gpx", ("altitude", "speed", "course")),
            ("geojson", ("altitude", "speed", "course", "accuracy")),
            ("json", ("altitude", "speed", "course", "accuracy")),
        ):
            export = session.get(f"{url}/v1/devices/{place}/export?format={form}", timeout=30)
            export.raise_for_status()
            if form == "gpx":
                points = [
                    point
                    for track in gpxpy.parse(export.text).tracks
                    for part in track.segments
                    for point in part.points
                ]
                read = [(point.time, point.latitude, point.longitude) for point in points]
                if read != [(row["time"], row["lat"], row["lon"]) for row in rows]:
                    sys.exit(f"gpxpy reads {read[:3]} instead of {rows[:3]}")
            if form == "geojson" and len(geopandas.read_file(io.BytesIO(export.content))) < 1:
                sys.exit("GDAL reads nothing of the export")
            # As another device; of the same one each location would be a double.
            other = f"copy/{seed}-{form}"
            content = export.content.replace(json.dumps(device).encode(), json.dumps(other).encode())
            if form == "json":
                content = json.dumps({"locations": json.loads(content)["locations"]}).encode()
            again = upload(url, session, f"export.{form}", export.content, device) if form == "geojson" else None
            if again and (again["stored"], again["duplicates"]) != (0, len(rows)):
                sys.exit(f"export as {form}: of the same device {again}")
            upload(url, session, f"export.{form}", content, other)
            same(f"export as {form}", rows, stored(url, session, other), columns)
    print("exports as GPX, GeoJSON and JSON: gpxpy and GDAL read them, and imported again they are equal.")


def regions():
    """The same three regions as a table of GDAL."""
    yard = shapely.Polygon(
        [(11.5, 48.1), (11.52, 48.1), (11.52, 48.12), (11.5, 48.1)],
        [[(11.512, 48.104), (11.516, 48.104), (11.516, 48.108), (11.512, 48.104)]],
    )
    two = shapely.MultiPolygon([shapely.box(-70.7, -33.5, -70.6, -33.4), shapely.box(-70.5, -33.5, -70.4, -33.4)])
    return geopandas.GeoDataFrame(
        {"id": ["yard", "two", "gate"], "name": ["Hof & Garten", "Zwei", "Tor"], "radius": [None, None, 80.0]},
        geometry=[yard, two, shapely.Point(11.6, 48.2)],
        crs="EPSG:4326",
    )


def check_regions(url, session, program):
    frame = regions()
    areas = frame[frame["radius"].isna()].drop(columns="radius")
    for name, options in (("GeoJSON", {}), ("GeoJSON by RFC 7946", {"RFC7946": "YES"})):
        body = written_by_gdal(frame, "GeoJSON", "geojson", **options)
        answer = session.post(
            f"{url}/v1/regions", data=body, headers={"content-type": "application/geo+json"}, timeout=30
        )
        if not answer.ok:
            sys.exit(f"{name}: {answer.status_code} {answer.text[:400]}")
        listed = session.get(f"{url}/v1/regions", headers={"accept": "application/geo+json"}, timeout=30)
        read = geopandas.read_file(io.BytesIO(listed.content)).set_index("id")
        for _, row in frame.iterrows():
            if not read.loc[row["id"]].geometry.equals(row.geometry) or read.loc[row["id"]]["name"] != row["name"]:
                sys.exit(f"{name}: {row['id']} is {read.loc[row['id']].geometry}")
    kml = simplekml.Kml()
    kml.newfolder(name="f").newpolygon(name="Hof", outerboundaryis=list(frame.geometry[0].exterior.coords))
    gpx = gpxpy.gpx.GPX()
    gpx.waypoints.append(gpxpy.gpx.GPXWaypoint(48.2, 11.6, name="Tor"))
    foreign = [
        ("This is KML", kml.kml().encode()),
        ("This is KML", written_by_gdal(areas, "KML", "kml")),
        ("This is GPX", gpx.to_xml().encode()),
        ("This is FlatGeobuf", written_by_gdal(areas, "FlatGeobuf", "fgb")),
        ("GeoPackage", written_by_gdal(areas, "GPKG", "gpkg")),
        ("shapefile", written_by_gdal(areas, "ESRI Shapefile", "shp")),
        ("lines of GeoJSON", written_by_gdal(frame, "GeoJSONSeq", "geojsonl")),
        ("lines of GeoJSON", written_by_gdal(frame, "GeoJSONSeq", "geojsons", RS="YES")),
        ("well-known text", "\n".join(frame.geometry.to_wkt()).encode()),
        ("well-known binary", frame.geometry[0].wkb),
        ("well-known binary", shapely.to_wkb(frame.geometry[0], hex=True, include_srid=True).encode()),
        ("cells of H3", "\n".join(h3.geo_to_cells(frame.geometry[0], 9)).encode()),
        ("geohashes", "\n".join(geohash.encode(48.1 + step / 100, 11.5, 7) for step in range(5)).encode()),
        ("This is a table", frame.to_wkt().to_csv(index=False).encode()),
        ("EPSG:3857", written_by_gdal(areas.to_crs(3857), "GeoJSON", "geojson")),
    ]
    refused = ("FlatGeobuf", "GeoPackage", "shapefile", "H3", "EPSG:3857")
    for wanted, body in foreign:
        shown = session.post(
            f"{url}/v1/regions", params={"dryRun": "true"}, data=body,
            headers={"content-type": "application/octet-stream"}, timeout=30)
        if shown.ok != (not any(name in wanted for name in refused)) or shown.ok and not shown.json()["regions"]:
            sys.exit(f"{wanted}: {shown.status_code} {shown.text[:400]}")
        said = subprocess.run([program, "check", "-"], input=body, capture_output=True)
        text = (said.stdout + said.stderr).decode()
        named = wanted in text or (wanted == "EPSG:3857" and "crs_not_supported" in text)
        if said.returncode != 1 or not named or "GeoJSON" not in text and wanted != "EPSG:3857":
            sys.exit(f"{wanted}: {said.returncode} {text[:400]}")
    print(
        f"GDAL, shapely: regions as GeoJSON are equal; {len(foreign)} files in other formats are named, and read or "
        "refused."
    )


def check(url, session, program):
    check_tracks(url, session)
    check_exports(url, session)
    check_regions(url, session, program)
