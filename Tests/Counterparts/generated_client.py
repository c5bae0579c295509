"""Generates a client of the API from its description, and uses it: a part of run.py."""

import datetime
import importlib
import os
import pathlib
import subprocess
import sys

CONFIGURATION = (
    pathlib.Path(__file__).resolve().parents[2] / "Packaging" / "clients" / "openapi-python-client.yaml")


def generate(document, folder):
    """Writes the client into a folder and makes it importable; ends the program when the generator is not content."""
    description, client = folder / "openapi.json", folder / "client"
    description.write_bytes(document)
    tools = pathlib.Path(sys.executable).parent
    # It runs ruff over what it wrote.
    environment = dict(os.environ, PATH=f"{tools}{os.pathsep}{os.environ['PATH']}")
    command = [tools / "openapi-python-client", "generate", "--path", description, "--config", CONFIGURATION,
               "--output-path", client]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode != 0 or "WARNING" in said or "Warning" in said:
        sys.exit(f"openapi-python-client is not content:\n{said[:3000]}")
    sys.path.insert(0, str(client))
    # The generator writes modules that it never loads.
    for module in sorted(client.glob("fencepost_client/api/*/*.py")):
        importlib.import_module(f"fencepost_client.api.{module.parent.name}.{module.stem}")


def use(url, token):
    """Stores a region and a location, and reads what they make, through the generated types alone."""
    package = importlib.import_module("fencepost_client")
    models = importlib.import_module("fencepost_client.models")

    def call(module, *values, **named):
        done = importlib.import_module(f"fencepost_client.api.{module}").sync(*values, client=client, **named)
        if done is None or isinstance(done, models.Problem):
            sys.exit(f"{module}: {done}")
        return done

    client = package.AuthenticatedClient(base_url=url, token=token)
    circle = models.NewCircle.from_dict(
        {"type": "Feature", "properties": {"name": "Library", "radius": 120, "tags": ["public"]},
         "geometry": {"type": "Point", "coordinates": [16.36, 48.21]}})
    stored = call("regions.put_region", "library", body=circle)
    read = call("regions.get_region", "library")
    if stored.to_dict() != read.to_dict() or read.geometry.to_dict() != circle.geometry.to_dict():
        sys.exit(f"the region that was read is another one: {read.to_dict()}")
    now = datetime.datetime.now(datetime.timezone.utc)
    location = models.Location(
        device_id="generated/client", timestamp=now, latitude=48.21, longitude=16.36, horizontal_accuracy=6)
    report = call("locations.post_locations", body=models.LocationBatch(locations=[location.to_dict()]))
    if (report.accepted, report.rejected) != (1, []):
        sys.exit(f"the location was not accepted: {report}")
    [kept] = call("locations.list_locations", device_id="generated/client").data
    if (kept.latitude, kept.longitude, kept.horizontal_accuracy) != (48.21, 16.36, 6):
        sys.exit(f"the location that was read is another one: {kept}")
    if abs((kept.timestamp - now).total_seconds()) > 0.001:
        sys.exit(f"the location has another time: {kept.timestamp} instead of {now}")
    device = call("devices.get_device", "generated/client")
    if device.id != "generated/client":
        sys.exit(f"the device is another one: {device}")
    problem = importlib.import_module("fencepost_client.api.regions.get_region").sync("nowhere", client=client)
    if not isinstance(problem, models.Problem) or problem.status != 404:
        sys.exit(f"a region that does not exist is {problem}")
