"""Writes the SBOM of a built program as CycloneDX 1.5 JSON.

    Packaging/sbom.py --program PATH --resolved Package.resolved --version 1.2.3 [--output FILE]

Components are the Swift packages that SwiftPM resolved, the Swift runtime, the Debian packages whose libraries the
program loads here, and those whose files are embedded in it. Run it on the machine that built the program. The same
inputs and SOURCE_DATE_EPOCH give the same file. Needs Python 3.9, ldd and dpkg.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

# The licence of each Swift package, as its own file states it; debian/copyright names them too.
LICENSES = {
    "async-http-client": "Apache-2.0",
    "grdb.swift": "MIT",
    "hummingbird": "Apache-2.0",
    "swift-algorithms": "Apache-2.0",
    "swift-argument-parser": "Apache-2.0",
    "swift-asn1": "Apache-2.0",
    "swift-async-algorithms": "Apache-2.0",
    "swift-atomics": "Apache-2.0",
    "swift-certificates": "Apache-2.0",
    "swift-collections": "Apache-2.0",
    "swift-configuration": "Apache-2.0",
    "swift-crypto": "Apache-2.0",
    "swift-distributed-tracing": "Apache-2.0",
    "swift-http-structured-headers": "Apache-2.0",
    "swift-http-types": "Apache-2.0",
    "swift-log": "Apache-2.0",
    "swift-metrics": "Apache-2.0",
    "swift-mustache": "Apache-2.0",
    "swift-nio": "Apache-2.0",
    "swift-nio-extras": "Apache-2.0",
    "swift-nio-http2": "Apache-2.0",
    "swift-nio-ssl": "Apache-2.0",
    "swift-nio-transport-services": "Apache-2.0",
    "swift-numerics": "Apache-2.0",
    "swift-service-context": "Apache-2.0",
    "swift-service-lifecycle": "Apache-2.0",
    "swift-system": "Apache-2.0",
}
# Debian packages whose files the build embeds in the program.
EMBEDDED = ["libjs-leaflet"]


class Failure(Exception):
    """Something that the person who packs has to correct."""


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def swift_packages(resolved):
    """A component for each pin of Package.resolved."""
    if not resolved.is_file():
        raise Failure(f"{resolved} does not exist: `swift package resolve` writes it.")
    for pin in json.loads(resolved.read_text())["pins"]:
        identity, state = pin["identity"], pin["state"]
        if identity not in LICENSES:
            raise Failure(f"{identity} has no licence: add it to LICENSES here, and to debian/copyright.")
        version = state.get("version") or state["revision"]
        path = re.sub(r"^https://|\.git$", "", pin["location"])
        yield {
            "type": "library",
            "bom-ref": f"pkg:swift/{path}@{version}",
            "purl": f"pkg:swift/{path}@{version}",
            "name": path.rsplit("/", 1)[1],
            "version": version,
            "licenses": [{"license": {"id": LICENSES[identity]}}],
            "externalReferences": [{"type": "vcs", "url": pin["location"]}],
            "properties": [{"name": "fencepost:revision", "value": state["revision"]}],
        }


def debian_package(name, linkage):
    fields = output_of("dpkg-query", "-W", "-f", "${Package}\t${Version}\t${Architecture}\n", name).split("\n")[0]
    if not fields:
        raise Failure(f"{name} is not installed: run this on the machine that built the program.")
    package, version, architecture = fields.split("\t")
    purl = f"pkg:deb/debian/{package}@{version.replace('+', '%2B')}?arch={architecture}&distro=debian-12"
    return {
        "type": "library",
        "bom-ref": purl,
        "purl": purl,
        "name": package,
        "version": version,
        "properties": [{"name": "fencepost:linkage", "value": linkage}],
    }


def owner_of(library):
    """The Debian package that a file belongs to; links of the merged /usr count as the file."""
    for path in (library, os.path.realpath(library), "/usr" + library, os.path.realpath(library).removeprefix("/usr")):
        line = output_of("dpkg-query", "-S", path)
        if line:
            return line.split(": ")[0].split(",")[0]
    return None


def loaded_libraries(program):
    """A component for each Debian package whose libraries the program loads, and the number of others."""
    listing = output_of("ldd", str(program))
    if not listing:
        raise Failure(f"{program} is not a program of this machine.")
    if "not found" in listing:
        raise Failure(f"{program} needs libraries that are not installed here; `ldd {program}` lists them.")
    owners, others = set(), 0
    for library in re.findall(r"=> (/\S+)", listing):
        owner = owner_of(library)
        if owner:
            owners.add(owner)
        else:
            others += 1
    return [debian_package(name, "dynamic") for name in sorted(owners)], others


def swift_runtime(dynamic):
    match = re.search(r"Swift version (\S+)", output_of("swiftc", "--version"))
    version = match.group(1) if match else "unknown"
    return {
        "type": "library",
        "bom-ref": f"swift-runtime@{version}",
        "name": "swift-runtime",
        "version": version,
        "description": "Swift's standard library, Foundation and Dispatch",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "properties": [{"name": "fencepost:linkage", "value": "dynamic" if dynamic else "static"}],
    }


def bill(program, resolved, version):
    libraries, others = loaded_libraries(program)
    components = [swift_runtime(others > 0), *swift_packages(resolved), *libraries]
    components += [debian_package(name, "embedded") for name in EMBEDDED]
    components.sort(key=lambda component: component["bom-ref"])
    product = {
        "type": "application",
        "bom-ref": f"fencepost@{version}",
        "name": "fencepost",
        "version": version,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    moment = int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.datetime.now().timestamp())
    identity = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([product, components], sort_keys=True))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{identity}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": product,
        },
        "components": components,
        "dependencies": [
            {"ref": product["bom-ref"], "dependsOn": [component["bom-ref"] for component in components]},
        ],
    }


def main():
    parser = argparse.ArgumentParser(description="Writes the SBOM of a built program as CycloneDX JSON.")
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--resolved", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        text = json.dumps(bill(arguments.program, arguments.resolved, arguments.version), indent=2) + "\n"
    except Failure as failure:
        sys.exit(f"sbom.py: {failure}")
    if arguments.output:
        arguments.output.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
