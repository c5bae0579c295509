"""Grafana's own types read the dashboard, and write it again with each member: others would be missing."""

import json
import pathlib

from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs/deploy/grafana/fencepost.json"


def missing(written, read, place=""):
    if isinstance(written, dict):
        for name, value in written.items():
            if not isinstance(read, dict) or name not in read:
                # Null is the same as nothing.
                if value is not None:
                    yield f"{place}/{name}"
            else:
                yield from missing(value, read[name], f"{place}/{name}")
    elif isinstance(written, list):
        if not isinstance(read, list) or len(written) != len(read):
            yield place
        else:
            for index, (one, other) in enumerate(zip(written, read)):
                yield from missing(one, other, f"{place}/{index}")
    elif written != read:
        yield place


def check():
    plugins.register_default_plugins()
    dashboard = json.loads(FILE.read_text())
    read = json.loads(JSONEncoder(sort_keys=True).encode(Dashboard.from_json(dashboard)))
    lost = list(missing(dashboard, read))
    if lost:
        raise SystemExit(f"Grafana's schema does not know {', '.join(lost[:10])} of {FILE.name}")
    changed = json.loads(json.dumps(dashboard).replace('"refresh"', '"refreshed"', 1))
    if not list(missing(changed, json.loads(JSONEncoder(sort_keys=True).encode(Dashboard.from_json(changed))))):
        raise SystemExit("Grafana's schema finds no member that it does not know.")
    print(f"Grafana's SDK: its types have each member of the dashboard's {len(dashboard['panels'])} panels.")
