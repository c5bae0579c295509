"""Clients in five languages, which OpenAPI Generator makes of the description: Tests/Counterparts/generators.py PROGRAM

It may warn only of names that a language reserves and of what the notes below say. The client in Python is used. Needs
generators.txt beside requirements.txt; the package has its Java with it.
"""

import datetime
import importlib
import pathlib
import subprocess
import sys
import tempfile

import run

LANGUAGES = ("python", "typescript-fetch", "java", "kotlin", "go")
# Renamed models and parameters, OpenAPI 3.1 as such, members of any type, and examples of several values.
EXPECTED = (
    "cannot be used as",
    "OpenAPI 3.1 support is still in beta",
    "undefined type",
    "Failed to get the schema name: null",
    "Ignoring complex example",
)


def generate(description, folder, language):
    """The folder of the client."""
    place = folder / language
    command = [
        str(pathlib.Path(sys.executable).with_name("openapi-generator-cli")),
        "generate",
        "-i",
        str(description),
        "-g",
        language,
        "-o",
        str(place),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if " WARN " in line or " ERROR " in line]
    wrong = [line for line in lines if not any(words in line for words in EXPECTED)]
    if done.returncode or wrong:
        sys.exit(
            f"{language}: {done.returncode}\n" + "\n".join(wrong or (done.stdout + done.stderr).splitlines()[-20:])
        )
    return place


def use(place, url, token):
    """Stores a region and a location, and reads both, through the types of the client in Python."""
    sys.path.insert(0, str(place))
    client = importlib.import_module("openapi_client")
    settings = client.Configuration(host=url, access_token=token)
    with client.ApiClient(settings) as connection:
        regions, locations = client.RegionsApi(connection), client.LocationsApi(connection)
        circle = {
            "type": "Feature",
            "properties": {"name": "Library", "radius": 120},
            "geometry": {"type": "Point", "coordinates": [16.36, 48.21]},
        }
        regions.put_region("library", client.NewRegion.from_dict(circle))
        read = regions.get_region("library").to_dict()
        if read["geometry"]["coordinates"] != [16.36, 48.21] or read["properties"]["name"] != "Library":
            sys.exit(f"python: the region that was read is another one: {read}")
        now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        body = client.LocationBatch.from_dict(
            {
                "locations": [
                    {"deviceId": "generated/other", "timestamp": now.isoformat(), "latitude": 48.21, "longitude": 16.36}
                ]
            }
        )
        report = locations.post_locations(body)
        [kept] = locations.list_locations(device_id="generated/other").data
        if report.accepted != 1 or (kept.latitude, kept.longitude, kept.timestamp) != (48.21, 16.36, now):
            sys.exit(f"python: the location that was read is another one: {kept}")
        try:
            regions.get_region("nowhere")
            sys.exit("python: a region that does not exist is read")
        except client.exceptions.NotFoundException:
            pass


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    port = run.free_port()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        process, session = run.start(program, folder, port, None)
        try:
            url = f"http://127.0.0.1:{port}"
            description = folder / "openapi.json"
            description.write_bytes(session.get(f"{url}/openapi.json").content)
            for language in LANGUAGES:
                place = generate(description, folder, language)
                print(
                    f"OpenAPI Generator: the client in {language} has {sum(1 for _ in place.rglob('*.*'))} files.",
                    flush=True,
                )
            use(folder / "python", url, session.headers["Authorization"].removeprefix("Bearer "))
            print("OpenAPI Generator: the client in Python stores and reads regions and locations.")
        finally:
            process.terminate()
            process.wait(20)


if __name__ == "__main__":
    main()
