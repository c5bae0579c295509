"""Packs an OCI layout with one image as an archive that every engine loads: archive.py LAYOUT ARCHIVE NAME:TAG

The specification of OCI images has no health check, and umoci writes none. Docker reads `Healthcheck` in the
configuration of an OCI image, so it is added here. `manifest.json` is what `docker load` of older engines looks for.
The same layout gives the same bytes.
"""

import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile

HEALTH_CHECK = {"Test": ["CMD", "fencepost", "health"], "StartPeriod": 30_000_000_000}


def encoded(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def descriptor(blob, media_type):
    return {"mediaType": media_type, "digest": f"sha256:{hashlib.sha256(blob).hexdigest()}", "size": len(blob)}


def path_of(digest):
    return "blobs/" + digest.replace(":", "/")


def contents(layout, name):
    """The files of the archive by their paths: bytes, or the path of a file."""
    index = json.loads((layout / "index.json").read_text())
    manifest = json.loads((layout / path_of(index["manifests"][0]["digest"])).read_text())
    config = json.loads((layout / path_of(manifest["config"]["digest"])).read_text())
    config["config"]["Healthcheck"] = HEALTH_CHECK
    config_blob = encoded(config)
    manifest["config"] = descriptor(config_blob, manifest["config"]["mediaType"])
    manifest["mediaType"] = "application/vnd.oci.image.manifest.v1+json"
    manifest["annotations"] = {
        key: value for key, value in config["config"]["Labels"].items() if key.startswith("org.opencontainers.")
    }
    manifest_blob = encoded(manifest)
    entry = descriptor(manifest_blob, manifest["mediaType"])
    layers = [path_of(layer["digest"]) for layer in manifest["layers"]]
    tag = name.split(":")[1]
    index["manifests"] = [
        {
            **entry,
            "platform": {"architecture": config["architecture"], "os": config["os"]},
            "annotations": {"org.opencontainers.image.ref.name": tag, "io.containerd.image.name": name},
        }
    ]
    loaded = [{"Config": path_of(manifest["config"]["digest"]), "RepoTags": [name], "Layers": layers}]
    files = {
        "index.json": encoded(index),
        "manifest.json": encoded(loaded),
        "oci-layout": encoded({"imageLayoutVersion": "1.0.0"}),
        path_of(entry["digest"]): manifest_blob,
        path_of(manifest["config"]["digest"]): config_blob,
    }
    files.update({layer: layout / layer for layer in layers})
    return files


def write(archive, files, moment):
    with tarfile.open(archive, "w", format=tarfile.GNU_FORMAT) as tar:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.mtime = moment
            entry.mode = 0o644
            if isinstance(content, bytes):
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
            else:
                entry.size = content.stat().st_size
                with content.open("rb") as file:
                    tar.addfile(entry, file)


def main():
    layout, archive, name = sys.argv[1:4]
    write(archive, contents(pathlib.Path(layout), name), int(os.environ["SOURCE_DATE_EPOCH"]))


if __name__ == "__main__":
    main()
