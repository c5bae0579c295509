"""Regions that other people's libraries write, as fencepost import-regions reads them.

GDAL, simplekml, shapely, gpxpy, pandas and geohash write the same regions; each has to be read back as an equal
geometry, what is made of it has to pass fencepost check, and check has to read the same regions from the file itself.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import geohash
import geopandas
import gpxpy.gpx
import shapely
import simplekml

import written_files


def imported(program, body, *options):
    """The features that the program makes of a file by their names, and what it said."""
    run = subprocess.run([program, "import-regions", *options, "-"], input=body, capture_output=True)
    if run.returncode != 0:
        sys.exit(f"import-regions: {run.returncode} {run.stderr.decode()[:600]}")
    checked = subprocess.run([program, "check", "-"], input=run.stdout, capture_output=True)
    if checked.returncode != 0 or checked.stdout:
        sys.exit(f"check of what import-regions wrote: {checked.stdout.decode()[:600]}")
    features = json.loads(run.stdout)["features"]
    direct = subprocess.run([program, "check", "--json", *options, "-"], input=body, capture_output=True)
    problems = [json.loads(line) for line in direct.stdout.splitlines()]
    counted = f"1 file, {len(features)} region{'' if len(features) == 1 else 's'}:"
    if counted not in direct.stderr.decode() or any(problem["severity"] == "error" for problem in problems):
        sys.exit(f"check reads other regions: {direct.stderr.decode()[:300]} {problems[:3]}")
    return {feature["properties"].get("name", feature["id"]): feature for feature in features}, run.stderr.decode()


def kml_of(frame):
    """A document of simplekml: a folder, a style for each placemark, and the radius as extended data."""
    kml = simplekml.Kml()
    folder = kml.newfolder(name="Höfe")
    for _, row in frame.iterrows():
        shapes = getattr(row.geometry, "geoms", [row.geometry])
        many = folder.newmultigeometry(name=row["name"])
        for shape in shapes:
            if shape.geom_type == "Point":
                many.newpoint(coords=list(shape.coords))
            else:
                many.newpolygon(
                    outerboundaryis=list(shape.exterior.coords),
                    innerboundaryis=[list(ring.coords) for ring in shape.interiors],
                )
        many.style.polystyle.color = simplekml.Color.red
        if row["radius"] == row["radius"]:
            many.extendeddata.newdata("radius", row["radius"])
    return kml


def kmz_of(kml):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "regions.kmz"
        kml.savekmz(path)
        return path.read_bytes()


def same(what, frame, found, with_radius=True):
    """Ends the program unless each region of the table is there with an equal geometry."""
    if len(found) != len(frame):
        sys.exit(f"{what}: {len(found)} regions instead of {len(frame)}: {list(found)}")
    for _, row in frame.iterrows():
        feature = found.get(row["name"])
        if feature is None:
            sys.exit(f"{what}: {row['name']} is missing: {list(found)}")
        geometry = shapely.geometry.shape(feature["geometry"])
        if not geometry.normalize().equals_exact(row.geometry.normalize(), 1e-9):
            sys.exit(f"{what}: {row['name']} is {geometry}")
        if with_radius and row["radius"] == row["radius"] and feature["properties"]["radius"] != row["radius"]:
            sys.exit(f"{what}: the radius of {row['name']} is {feature['properties']['radius']}")


def check_frame(program, frame):
    named = frame.drop(columns="id")
    kml = kml_of(frame)
    table = frame.to_wkt().rename(columns={"geometry": "WKT"})
    files = {
        "KML of simplekml": kml.kml().encode(),
        "KMZ of simplekml": kmz_of(kml),
        "KML of GDAL": written_files.written_by_gdal(named, "KML", "kml"),
        "KML of GDAL's libkml": written_files.written_by_gdal(named, "LIBKML", "kml"),
        "KMZ of GDAL's libkml": written_files.written_by_gdal(named, "LIBKML", "kmz"),
        "GeoJSON of GDAL": written_files.written_by_gdal(named, "GeoJSON", "geojson"),
        "lines of GeoJSON of GDAL": written_files.written_by_gdal(named, "GeoJSONSeq", "geojsonl"),
        "a sequence of GeoJSON of GDAL": written_files.written_by_gdal(named, "GeoJSONSeq", "geojsons", RS="YES"),
        "a table of GDAL with WKT": written_files.written_by_gdal(named, "CSV", "csv", GEOMETRY="AS_WKT"),
        "a table of pandas with WKT": table.to_csv(index=False).encode(),
        "a table with WKT, semicolons and UTF-16": table.to_csv(index=False, sep=";").encode("utf-16"),
        "a table with hexadecimal WKB": frame.to_wkb(hex=True).rename(columns={"geometry": "geom"}).to_csv(
            index=False, sep="\t").encode(),
    }
    for what, body in files.items():
        try:
            found, said = imported(program, body)
        except SystemExit as error:
            sys.exit(f"{what}: {error}")
        same(what, frame, found)
        if what == "KML of simplekml" and ("styles" not in said or found["Zwei"]["properties"]["tags"] != ["Höfe"]):
            sys.exit(f"{what}: {said} {found['Zwei']['properties']}")
    return len(files)


def check_geometries(program, frame):
    """Lists without names."""
    files = {
        "WKT": "\n".join(frame.geometry.to_wkt(rounding_precision=12)).encode(),
        "EWKB": "\n".join(shapely.to_wkb(shapely.set_srid(shape, 4326), hex=True, include_srid=True)
                          for shape in frame.geometry).encode(),
        "WKB of the other order of bytes": b"".join(shapely.to_wkb(shape, byte_order=0) for shape in frame.geometry),
    }
    for what, body in files.items():
        found, _ = imported(program, body, "--radius", "80")
        geometries = [shapely.geometry.shape(feature["geometry"]).normalize() for feature in found.values()]
        for shape, other in zip(frame.geometry, geometries, strict=True):
            if not other.equals_exact(shape.normalize(), 1e-9):
                sys.exit(f"{what}: {other} instead of {shape}")
    cells = [geohash.encode(48.1 + step / 50, -11.5 + step, 5 + step % 4) for step in range(8)]
    found, _ = imported(program, "\n".join(cells).encode())
    for cell in cells:
        box = geohash.bbox(cell)
        wanted = shapely.box(box["w"], box["s"], box["e"], box["n"])
        if not shapely.geometry.shape(found[cell]["geometry"]).normalize().equals_exact(wanted.normalize(), 1e-9):
            sys.exit(f"geohash {cell}: {found[cell]['geometry']}")
    return len(files) + 1


def check_points(program):
    """Places of tables and waypoints."""
    rows = [("Tor", 48.2, 11.6, 80.0), ("Zoë; Süd", -33.437222, -70.65, 120.5), ("null", 0.0, 0.0, 15.0)]
    frame = geopandas.GeoDataFrame(
        {"name": [row[0] for row in rows], "radius": [row[3] for row in rows]},
        geometry=[shapely.Point(row[2], row[1]) for row in rows], crs="EPSG:4326")
    table = geopandas.pd.DataFrame(rows, columns=["Name", "Latitude", "Longitude", "Radius (m)"])
    gpx = gpxpy.gpx.GPX()
    for name, latitude, longitude, _ in rows:
        gpx.waypoints.append(gpxpy.gpx.GPXWaypoint(latitude, longitude, name=name))
    files = {
        "a table": table.to_csv(index=False).encode(),
        "a table with decimal commas": table.to_csv(index=False, sep=";", decimal=",").encode("utf-8-sig"),
        "a table with tabs in Windows-1252": table.to_csv(index=False, sep="\t").encode("cp1252"),
    }
    for what, body in files.items():
        same(what, frame, imported(program, body)[0])
    same("GPX of gpxpy", frame, imported(program, gpx.to_xml().encode(), "--radius", "50")[0], with_radius=False)
    return len(files) + 1


def check(program):
    frame = written_files.regions()
    count = check_frame(program, frame) + check_geometries(program, frame) + check_points(program)
    print(f"GDAL, simplekml, shapely, gpxpy, pandas, geohash: regions in {count} files are read back equal.")


if __name__ == "__main__":
    check(sys.argv[1])
