"""Files for analysts, read by the programs that analysts use, each value compared with the lists of the API.

A service of its own stores devices whose members follow from a seed: each member is missing in some locations. Then
geoparquet-validator checks the rules of GeoParquet 1.1; pyarrow, DuckDB and geopandas read all columns; MovingPandas
and MEOS, the library of MobilityDB, read trajectories. Each comparison is also made with one value that was changed,
and has to fail then.
"""

import datetime
import io
import json
import math
import random
import subprocess
import sys
import warnings

import duckdb
import geopandas
import movingpandas
import pyarrow.parquet
import shapely

from service import start

KINDS = ("locations", "visits", "trips", "events")
#: More than a row group, whose size is in ExportFile.swift.
MANY = 125_000
DEVICES = ("jane/phone ü", "van-1", "van-2")


def made_locations(seed):
    """Days of commuting between two places, with members that are missing at random."""
    chance = random.Random(seed)
    for device in DEVICES:
        time = datetime.datetime(2026, 10, 26, 6, tzinfo=datetime.timezone.utc).timestamp()
        for step in range(3 * 24 * 30):
            hour = step / 30 % 24
            share = min(max(hour - 8, 0), 1) - min(max(hour - 17, 0), 1)
            location = {
                "deviceId": device,
                "timestamp": time + step * 120 + chance.randrange(1000) / 1000,
                "latitude": 48.2 + share * 0.05 + chance.gauss(0, 3e-5),
                "longitude": -16.37 + share * 0.03 + chance.gauss(0, 3e-5),
            }
            for name, value in (
                ("horizontalAccuracy", chance.randrange(30, 300) / 10),
                ("altitude", chance.uniform(-400, 4000)),
                ("verticalAccuracy", chance.uniform(1, 50)),
                ("speed", chance.uniform(0, 40)),
                ("course", chance.uniform(0, 359.9)),
                ("floor", chance.randrange(-2, 90)),
                ("batteryLevel", chance.randrange(101) / 100),
                ("batteryState", chance.choice(("charging", "unplugged", "full"))),
                ("isSimulated", chance.random() < 0.5),
                ("trigger", chance.choice(("", "a", 'Ünï "code"', "x" * 40))),
            ):
                if chance.random() < 0.8:
                    location[name] = value
            yield location


def listed(url, session, kind, **query):
    """All rows of a list of the API."""
    rows, cursor = [], None
    while True:
        options = {"limit": 500, **query, **({"cursor": cursor} if cursor else {})}
        if kind == "trips":
            del options["limit"]
        answer = session.get(f"{url}/v1/{kind}", params=options, timeout=120)
        answer.raise_for_status()
        page = answer.json()
        rows += page["data"]
        cursor = page["nextCursor"]
        if not cursor:
            return rows


def exported(url, session, **query):
    answer = session.get(f"{url}/v1/exports", params=query, timeout=300)
    if not answer.ok:
        sys.exit(f"/v1/exports {query}: {answer.status_code} {answer.text[:300]}")
    return answer.content


def moment(text):
    return text and datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


# What each column is of an element of the list. `geometry` and `bbox` are compared apart.


def wanted_location(row):
    plain = ("deviceId", "latitude", "longitude", "horizontalAccuracy", "altitude", "verticalAccuracy", "speed",
             "course", "floor", "batteryLevel", "batteryState", "isSimulated", "source", "trigger", "untrusted")
    wanted = {name: row.get(name) for name in plain}
    return {**wanted, "timestamp": moment(row["timestamp"]), "late": row.get("late", False)}


def wanted_visit(row):
    times = ("arrival", "departure", "arrivalEarliest", "arrivalLatest", "departureEarliest", "departureLatest")
    plain = ("id", "deviceId", "latitude", "longitude", "horizontalAccuracy", "regions")
    return {**{name: row[name] for name in plain}, **{name: moment(row.get(name)) for name in times}}


def wanted_trip(row):
    plain = ("id", "deviceId", "distance", "duration", "movingTime", "unknownTime", "topSpeed", "mode",
             "modeConfidence", "locations")
    wanted = {name: row[name] for name in plain}
    for name in ("start", "end"):
        end = row[name]
        wanted.update({
            f"{name}Time": moment(end["time"]), f"{name}Latitude": end["latitude"],
            f"{name}Longitude": end["longitude"], f"{name}VisitId": end["visitId"], f"{name}Regions": end["regions"],
        })
    return wanted


def wanted_event(row):
    region, alert = row.get("region", {}), row.get("alert", {})
    place = row.get("visit") or row.get("location") or {}
    wanted = {name: row.get(name) for name in ("id", "type", "deviceId", "sequence", "confidence", "dwell", "reason")}
    wanted.update({name: moment(row.get(name))
                   for name in ("timestamp", "detectedAt", "receivedAt", "earliest", "latest")})
    wanted.update({name: place.get(name) for name in ("latitude", "longitude", "horizontalAccuracy")})
    wanted.update({"regionId": region.get("id"), "regionName": region.get("name"), "regionTags": region.get("tags", []),
                   "visitId": row.get("visit", {}).get("id"), "appId": row.get("app", {}).get("id")})
    wanted.update({"alertRule": alert.get("rule"), "alertState": alert.get("state"), "alertValue": alert.get("value"),
                   "alertLimit": alert.get("limit"), "json": row})
    return wanted


WANTED = {"locations": wanted_location, "visits": wanted_visit, "trips": wanted_trip, "events": wanted_event}


def position(kind, row):
    """The geometry of an element of the list; None without one."""
    if kind == "trips":
        line = row["line"] if len(row["line"]) > 1 else [
            [row[end]["longitude"], row[end]["latitude"]] for end in ("start", "end")]
        return shapely.LineString(line)
    place = row if kind != "events" else row.get("visit") or row.get("location")
    return shapely.Point(place["longitude"], place["latitude"]) if place else None


def ordered(rows):
    """In the order of a file: by device, then as the list has them."""
    return sorted(rows, key=lambda row: row["deviceId"].encode())


def differences(kind, rows, found):
    """What differs between the list and the rows that a program has read; the first ones of many."""
    if len(rows) != len(found):
        return [f"{len(found)} rows instead of {len(rows)}"]
    problems = []
    for row, other in zip(rows, found):
        wanted = WANTED[kind](row)
        read = {name: value for name, value in other.items() if name not in ("geometry", "bbox")}
        if kind == "events":
            read["json"] = json.loads(read["json"])
        for name in sorted(set(wanted) | set(read)):
            if name not in wanted or name not in read or wanted[name] != read[name]:
                problems.append(f"{name}: {read.get(name, 'missing')} instead of {wanted.get(name, 'no column')}")
        geometry, box = position(kind, row), other["bbox"]
        read = shapely.from_wkb(bytes(other["geometry"])) if other["geometry"] is not None else None
        if (geometry is None) != (read is None) or geometry is not None and not geometry.equals_exact(read, 0):
            problems.append(f"geometry: {read} instead of {geometry}")
        if (geometry is None) != (box is None):
            problems.append(f"bbox: {box}")
        elif geometry is not None:
            west, south, east, north = geometry.bounds
            inside = box["xmin"] <= west and box["ymin"] <= south and box["xmax"] >= east and box["ymax"] >= north
            near = all(abs(a - b) < 2e-5 for a, b in zip(
                (box["xmin"], box["ymin"], box["xmax"], box["ymax"]), geometry.bounds))
            if not inside or not near:
                problems.append(f"bbox: {box} of {geometry.bounds}")
        if len(problems) > 5:
            break
    return problems


def read_by_pyarrow(path):
    return pyarrow.parquet.read_table(path, arrow_extensions_enabled=False).to_pylist()


def read_by_duckdb(path):
    with duckdb.connect() as database:
        database.execute("SET TimeZone='UTC'; SET enable_geoparquet_conversion=false")
        relation = database.sql(f"SELECT * FROM read_parquet('{path}')")
        return [dict(zip(relation.columns, values)) for values in relation.fetchall()]


def changed(rows, name):
    """The rows with one value that is wrong."""
    rows = [dict(row) for row in rows]
    row = next(row for row in rows if row[name] is not None)
    value = row[name]
    if isinstance(value, bool):
        row[name] = not value
    elif isinstance(value, (int, float)):
        row[name] = value + 1 if isinstance(value, int) else math.nextafter(value, math.inf)
    elif isinstance(value, datetime.datetime):
        row[name] = value + datetime.timedelta(milliseconds=1)
    elif isinstance(value, list):
        row[name] = value + ["x"]
    elif isinstance(value, dict):
        row[name] = {**value, "xmin": value["xmax"] + 1}
    elif isinstance(value, str):
        row[name] = json.dumps({**json.loads(value), "x": 1}) if name == "json" else value + "x"
    else:
        row[name] = shapely.to_wkb(shapely.transform(shapely.from_wkb(bytes(value)), lambda place: place + 1e-9))
    return rows


def check_rules(path):
    validator = f"{sys.prefix}/bin/geoparquet-validator"
    run = subprocess.run([validator, "check", "--class", "all", str(path)], capture_output=True, text=True)
    if run.returncode != 0 or "FAIL" in run.stdout:
        sys.exit(f"geoparquet-validator: {path.name}\n{run.stdout}{run.stderr}")


def check_statistics(path, rows):
    """The ranges and the numbers of nulls that the footer states of each column are those of its values."""
    file = pyarrow.parquet.ParquetFile(path)
    first = 0
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        part = rows[first:first + group.num_rows]
        first += group.num_rows
        for index in range(group.num_columns):
            column = group.column(index)
            name = column.path_in_schema
            if column.compression != "ZSTD":
                sys.exit(f"{path.name}: {name} is compressed with {column.compression}")
            if "." in name or name in ("geometry", "json"):
                continue
            values = [row[name] for row in part if row[name] is not None]
            stated = column.statistics
            if stated.null_count != len(part) - len(values):
                sys.exit(f"{path.name}: {name} has {stated.null_count} nulls in its statistics")
            key = (lambda text: text.encode()) if values and isinstance(values[0], str) else None
            ends = (min(values, key=key), max(values, key=key)) if values else None
            if stated.has_min_max != bool(values) or values and (stated.min, stated.max) != ends:
                sys.exit(f"{path.name}: {name} has the range {stated} instead of {ends}")
    if first != len(rows):
        sys.exit(f"{path.name}: {first} rows in its row groups")


def check_figures(path, rows, kind):
    """Counts, sums and ends as DuckDB computes them, from the statistics or not, are those of the list."""
    wanted = [WANTED[kind](row) for row in rows]
    with duckdb.connect() as database:
        database.execute("SET TimeZone='UTC'")
        for name in wanted[0]:
            values = [row[name] for row in wanted if row[name] is not None]
            if not values or isinstance(values[0], (list, dict)):
                continue
            call = f'count(*), count("{name}"), min("{name}"), max("{name}")'
            found = database.sql(f"SELECT {call} FROM read_parquet('{path}')").fetchall()[0]
            key = (lambda text: text.encode()) if isinstance(values[0], str) else None
            if found != (len(wanted), len(values), min(values, key=key), max(values, key=key)):
                sys.exit(f"DuckDB: {path.name}, {name}: {found}")
            if isinstance(values[0], float):
                [(total,)] = database.sql(f"""SELECT fsum("{name}") FROM read_parquet('{path}')""").fetchall()
                if not math.isclose(total, math.fsum(values), rel_tol=1e-12, abs_tol=1e-9):
                    sys.exit(f"DuckDB: the sum of {name} is {total} instead of {math.fsum(values)}")


def check_table(url, session, folder, kind):
    path = folder / f"{kind}.parquet"
    path.write_bytes(exported(url, session, kind=kind, deviceId="*", **{"from": "2026-10-01T00:00:00Z"}))
    query = {"from": "2026-10-01T00:00:00Z", "to": "2026-11-20T00:00:00Z"} if kind == "trips" else {}
    rows = ordered(listed(url, session, kind, deviceId="*", **query))
    check_rules(path)
    found = read_by_pyarrow(path)
    for program, read in (("pyarrow", found), ("DuckDB", read_by_duckdb(path))):
        problems = differences(kind, rows, read)
        if problems or not rows:
            sys.exit(f"{program}: {kind}: {problems}")
    # Whether the comparison sees a wrong value in each column.
    for name in found[0]:
        if any(row[name] is not None for row in found) and not differences(kind, rows, changed(found, name)):
            sys.exit(f"a wrong {name} of {kind} would not be seen")
    check_statistics(path, found)
    check_figures(path, rows, kind)
    frame = geopandas.read_parquet(path)
    if str(frame.crs) != "OGC:CRS84" or len(frame) != len(rows):
        sys.exit(f"geopandas: {kind}: {frame.crs}, {len(frame)} rows")
    for read, row in zip(frame.geometry, rows):
        wanted = position(kind, row)
        if (read is None) != (wanted is None) or wanted is not None and not wanted.equals_exact(read, 0):
            sys.exit(f"geopandas: {kind}: {read} instead of {wanted}")
    middle = frame.total_bounds[0], frame.total_bounds[1], frame.total_bounds[2] - 0.015, frame.total_bounds[3]
    part = geopandas.read_parquet(path, bbox=middle)
    inside = [row for row in rows if (found := position(kind, row)) and found.intersects(shapely.box(*middle))]
    if not 0 < len(inside) <= len(part) < len(rows) + 1:
        sys.exit(f"geopandas: {len(part)} {kind} in a box with {len(inside)}")
    return len(rows)


def check_trajectories(url, session, folder, kind, meos):
    path = folder / f"{kind}.mf.json"
    query = {"from": "2026-10-01T00:00:00Z", "to": "2026-11-20T00:00:00Z"}
    path.write_bytes(exported(url, session, kind=kind, format="mf-json", deviceId="*", **query))
    with warnings.catch_warnings():
        # It has local times without a zone, which are those of UTC here.
        warnings.simplefilter("ignore")
        read = movingpandas.read_mf_json(str(path), traj_id_property="id")
    rows = ordered(listed(url, session, kind, deviceId="*", **query))
    features = json.loads(path.read_text())["features"]
    wanted = {}
    if kind == "locations":
        for row in rows:
            wanted.setdefault(row["deviceId"], []).append(row)
    else:
        wanted = {row["id"]: row for row in rows}
    if [feature["id"] for feature in features] != list(wanted) or len(read.trajectories) != len(wanted):
        sys.exit(f"MovingPandas: {len(read.trajectories)} trajectories of {len(wanted)} {kind}")
    for feature, trajectory in zip(features, read.trajectories):
        row = wanted[feature["id"]]
        frame = trajectory.df
        moving = meos.TGeomPoint.from_mfjson(json.dumps(feature["temporalGeometry"]))
        if moving.srid() != 4326 or moving.num_instants() != len(frame):
            sys.exit(f"MEOS: {moving.num_instants()} instants, SRID {moving.srid()}; MovingPandas {len(frame)} rows")
        places = [(value.x, value.y) for value in moving.values()]
        if places != [(point.x, point.y) for point in frame.geometry]:
            sys.exit(f"MEOS and MovingPandas read other positions of {feature['id']}")
        times = [time.replace(tzinfo=datetime.timezone.utc) for time in frame.index.to_pydatetime()]
        if [time.astimezone(datetime.timezone.utc) for time in moving.timestamps()] != times:
            sys.exit(f"MEOS and MovingPandas read other times of {feature['id']}")
        if kind == "trips":
            ends = (moment(row["start"]["time"]), moment(row["end"]["time"]))
            if (times[0], times[-1]) != ends:
                sys.exit(f"{feature['id']}: {times[0]} to {times[-1]} instead of {ends}")
            continue
        if times != [moment(one["timestamp"]) for one in row]:
            sys.exit(f"MovingPandas: other times of {feature['id']}")
        if places != [(one["longitude"], one["latitude"]) for one in row]:
            sys.exit(f"MovingPandas: other positions of {feature['id']}")
        for name in ("horizontalAccuracy", "altitude", "speed", "course", "batteryLevel"):
            values = [None if math.isnan(value) else value for value in frame[name]]
            if values != [one.get(name) for one in row]:
                sys.exit(f"MovingPandas: another {name} of {feature['id']}")
    return len(features)


def check_folder(program, folder, rows):
    """A folder of files, as DuckDB and pyarrow read partitions."""
    run = subprocess.run(
        [program, "export", "--format", "geoparquet", "--config", "fencepost.json", "lake/"], cwd=folder,
        capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"fencepost export: {run.stderr}")
    wanted = {}
    for row in rows:
        key = (row["timestamp"][:10], row["deviceId"])
        wanted[key] = wanted.get(key, 0) + 1
    with duckdb.connect() as database:
        found = database.sql(
            f"SELECT day, device, count(*), count(*) FILTER (device = deviceId AND day::VARCHAR = "
            f"strftime(timestamp AT TIME ZONE 'UTC', '%Y-%m-%d')) FROM read_parquet('{folder}/lake/**/*.parquet', "
            f"hive_partitioning = true) GROUP BY ALL").fetchall()
    if {(str(day), device): count for day, device, count, _ in found} != wanted:
        sys.exit(f"DuckDB: other partitions: {found[:5]}")
    if any(count != right for _, _, count, right in found):
        sys.exit("DuckDB: rows in files of another day or device")
    table = pyarrow.parquet.read_table(folder / "lake", partitioning="hive")
    if table.num_rows != len(rows) or set(table.column("device").to_pylist()) != {row["deviceId"] for row in rows}:
        sys.exit(f"pyarrow: {table.num_rows} rows below the folder")
    return len(wanted)


def check_many(program, folder):
    """A file of several row groups."""
    lines = "".join(
        json.dumps({"deviceId": "many", "timestamp": 1_770_000_000 + number, "latitude": number % 1000 / 1e4,
                    "longitude": number % 777 / 1e4, "speed": number % 13}) + "\n" for number in range(MANY))
    (folder / "many.ndjson").write_text(lines)
    for command in (["import", "many.ndjson"],
                    ["export", "--format", "geoparquet", "--device", "many", "many.parquet"]):
        run = subprocess.run(
            [program, *command, "--storage", "many.sqlite"], cwd=folder, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"fencepost {command[0]}: {run.stderr}")
    path = folder / "many.parquet"
    check_rules(path)
    groups = pyarrow.parquet.ParquetFile(path).metadata.num_row_groups
    with duckdb.connect() as database:
        [found] = database.sql(
            f"SELECT count(*), count(DISTINCT timestamp), sum(speed), sum(round(latitude * 1e4)), "
            f"sum(round(longitude * 1e4)) FROM read_parquet('{path}')").fetchall()
    wanted = (MANY, MANY, *(sum(number % factor for number in range(MANY)) for factor in (13, 1000, 777)))
    if found != wanted or groups < 2:
        sys.exit(f"DuckDB: {found} instead of {wanted}, in {groups} row groups")


def check(program, folder, free_port):
    import pymeos as meos

    meos.pymeos_initialize()
    folder = folder / "exports"
    folder.mkdir()
    port = free_port()
    process, session = start(program, folder, port, None)
    try:
        url = f"http://127.0.0.1:{port}"
        for name, place, extra in (("home", [-16.37, 48.2], {"dwell": ["PT10M"]}),
                                   ("work", [-16.34, 48.25], {"tags": ["a b", "ü"]})):
            region = {"type": "Feature", "properties": {"name": name.title(), "radius": 200, **extra},
                      "geometry": {"type": "Point", "coordinates": place}}
            answer = session.put(f"{url}/v1/regions/{name}", json=region)
            if not answer.ok:
                sys.exit(f"region {name}: {answer.text[:300]}")
        body = "".join(json.dumps(row) + "\n" for row in made_locations(1))
        answer = session.post(f"{url}/v1/imports?file=made.ndjson", data=body.encode(), timeout=300)
        if answer.status_code != 200 or answer.json()["rejected"]:
            sys.exit(f"import: {answer.status_code} {answer.text[:300]}")
        counts = {kind: check_table(url, session, folder, kind) for kind in KINDS}
        text = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        print(f"geoparquet-validator, pyarrow, DuckDB, geopandas: every column of {text} as the API lists it.")
        counts = {kind: check_trajectories(url, session, folder, kind, meos) for kind in ("locations", "trips")}
        print(f"MovingPandas and MEOS: the trajectories of {counts['locations']} devices and {counts['trips']} trips.")
        empty = exported(url, session, deviceId=DEVICES[1], **{"from": "2030-01-01T00:00:00Z"})
        frame = geopandas.read_parquet(io.BytesIO(empty))
        if len(frame) or "horizontalAccuracy" not in frame:
            sys.exit("an export without rows is no file with columns")
        count = check_folder(program, folder, listed(url, session, "locations", deviceId="*"))
        print(f"DuckDB and pyarrow: {count} files of a folder by day and device.")
        check_many(program, folder)
        print(f"DuckDB: {MANY} rows in several row groups.")
    finally:
        process.terminate()
        process.wait(20)
