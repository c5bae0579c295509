#!/usr/bin/env python3
"""Checks what docs/architecture.md says of the modules: their layers, the table of modules, and that of the ports.

Package.swift decides which modules exist and what they import; the protocols below FencepostService/Ports are ports.
What a target depends on in Package.swift is imported by one of its files.
`--write` renews the layers.
"""

import os
import re
import sys

from repository import ROOT, files, read, report

PAGE = "docs/architecture.md"
CONTRIBUTING = "CONTRIBUTING.md"
PORTS = "Sources/FencepostService/Ports"
_TARGET = re.compile(r"\.(?:target|executableTarget)\(\s*name: \"([\w-]+)\"(.*?)(?=\n        \.|\n    \])", re.S)
_ANY_TARGET = re.compile(
    r"\.(?:target|executableTarget|testTarget)\(\s*name: \"([\w-]+)\",\s*dependencies: \[([^\[\]]*)\]"
)
_DEPENDENCY = re.compile(r"(?:\(name: )?\"(\w+)\"(?:, package: \"[\w.-]+\")?")
_IMPORT = re.compile(r"^[ \t]*(?:[\w@]+ )*?import (?:(?:struct|class|enum|func|protocol) )?(\w+)", re.M)
_NAME = re.compile(r"\"(Fencepost\w+)\"")
_PROTOCOL = re.compile(r"^public protocol (\w+)", re.M)
_LAYERS = re.compile(r"(<!-- layers -->\n```\n)(.*?)(```\n)", re.S)


def modules():
    """The names of the Swift modules, each with those that it imports."""
    found = {}
    for name, rest in _TARGET.findall(read("Package.swift")):
        if os.path.isdir(os.path.join(ROOT, "Sources", name)) and not name.startswith("C"):
            found[name] = {other for other in _NAME.findall(rest) if other != name}
    return found


def unused():
    """The dependencies of Package.swift that no file of their target imports. Programs are never imported."""
    package = read("Package.swift")
    findings = []
    for target in _ANY_TARGET.finditer(package):
        name = target.group(1)
        folders = [
            folder for folder in (f"Sources/{name}", f"Tests/{name}") if os.path.isdir(os.path.join(ROOT, folder))
        ]
        imported = {module for path in files(folders, (".swift",)) for module in _IMPORT.findall(read(path))}
        for dependency in _DEPENDENCY.findall(target.group(2)):
            if folders and dependency not in imported and not dependency.startswith("fencepost"):
                line = package.count("\n", 0, target.start()) + 1
                findings.append(("Package.swift", line, f"no file of {name} imports {dependency}"))
    return findings


def layers(imports):
    """Lines from the top layer to the lowest: a module imports only from lines below its own."""
    heights = {}

    def height(name):
        if name not in heights:
            heights[name] = 1 + max((height(other) for other in imports[name]), default=0)
        return heights[name]

    for name in imports:
        height(name)
    lines = []
    for level in range(max(heights.values()), 0, -1):
        names = sorted(n.removeprefix("Fencepost") for n in heights if heights[n] == level)
        lines.append(f"{level:2d}  {'  '.join(names)}\n")
    return "".join(lines)


def missing(page, names, wrap):
    text = read(page)
    return [(page, 1, f"{name} is not named") for name in names if wrap(name) not in text]


def main():
    imports = modules()
    text = read(PAGE)
    found = _LAYERS.search(text)
    if found is None:
        sys.exit(f"{PAGE}: the layers are not there")
    wanted = layers(imports)
    if "--write" in sys.argv:
        with open(os.path.join(ROOT, PAGE), "w", encoding="utf-8") as file:
            file.write(text[: found.start(2)] + wanted + text[found.end(2) :])
        return 0
    findings = []
    if found.group(2) != wanted:
        line = text.count("\n", 0, found.start(2)) + 1
        findings.append((PAGE, line, "Package.swift has other layers: python3 Tests/Lint/architecture.py --write"))
    findings += missing(PAGE, imports, lambda name: f"`{name}`")
    # Helpers of tests and benchmarks are no place where a change belongs.
    tools = {"FencepostTesting", "FencepostServiceTesting", "FencepostWorkload", "fencepost-bench", "fencepost-hotpath"}
    findings += missing(CONTRIBUTING, imports.keys() - tools, lambda name: f"`Sources/{name}`")
    ports = [name for path in files([PORTS], (".swift",)) for name in _PROTOCOL.findall(read(path))]
    findings += missing(PAGE, ports, lambda name: f"`{name}`")
    return report(findings + unused(), "architecture")


sys.exit(main())
