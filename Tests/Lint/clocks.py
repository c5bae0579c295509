#!/usr/bin/env python3
"""Finds code in Sources that reads a clock or sleeps: time is a parameter, and only the edge asks the system for it.

clocks.txt lists what may, one line each: a folder, or a file with the number of its places, and the reason. A file
that has more places than its line says, or fewer, is a finding, as is a line that is no longer needed: the list only
shrinks. With --write it lowers the numbers and removes such lines.

The default of a parameter or a property, such as `sleep: … = { try await Task.sleep(for: $0) }`, is no place: a test
can replace it. Neither is the name of a type, such as `ContinuousClock.Instant`.
"""

import os
import re
import sys

from repository import ROOT, files, read, report
from swift_source import Source

LIST = "Tests/Lint/clocks.txt"
_PLACE = re.compile(
    r"\b(?:Task|Thread)\.sleep\b|(?<![\w.])(?:u|nano)sleep\("
    r"|\b(?:Continuous|Suspending)Clock(?:\(\)|\.now\b|\.continuous\b)"
    r"|\bDate(?:\(\)|\.now\b)|(?<![\w.])(?:clock_gettime|gettimeofday|time\(nil)\b|\bsystemUptime\b"
    r"|\b(?:DispatchTime|DispatchWallTime|NIODeadline|WallClock|Timestamp)\.now\b|\.asyncAfter\("
)
# The default of something injected, up to its place.
_DEFAULT = re.compile(r"\b(?:sleep|clock|now|wall|steady)\w*\s*:[^=\n]*=[^=\n]*$")
_LINE = re.compile(r"^(Sources/\S+?)(?:\s+(\d+))?\s*:\s+(\S.*)$")


def places(source):
    """The lines in which a file reads a clock or sleeps."""
    found = []
    for match in _PLACE.finditer(source.code):
        start = source.code.rfind("\n", 0, match.start()) + 1
        # A default may be on the line below its type.
        before = source.code[source.code.rfind("\n", 0, max(0, start - 1)) + 1 : match.start()].replace("\n", " ")
        if not _DEFAULT.search(before):
            found.append(source.line(match.start()))
    return found


def entries(text):
    """The lines of the list: path, number (None for a folder), reason, line number. Raises ValueError for others."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.match(line)
        if not match or match.group(1).endswith("/") == bool(match.group(2)):
            raise ValueError(f"{LIST}:{number}: a line is `FOLDER/: reason` or `FILE number: reason`")
        found.append((match.group(1), match.group(2) and int(match.group(2)), match.group(3), number))
    return found


def check(found, listed):
    """The findings: `found` are the lines of the places by path."""
    findings, used = [], set()
    numbers = {path: (number, line) for path, number, _, line in listed}
    folders = [path for path, number, _, _ in listed if number is None]
    for path, lines in sorted(found.items()):
        folder = next((folder for folder in folders if path.startswith(folder)), None)
        if folder:
            used.add(folder)
            continue
        number, line = numbers.get(path, (0, 0))
        used.add(path)
        if len(lines) > number:
            cure = "make the time a parameter" if number else "make the time a parameter, or list the file"
            findings.append(
                (path, lines[-1], f"{len(lines)} places read a clock or sleep, {number} are listed: {cure}")
            )
        elif len(lines) < number:
            findings.append((LIST, line, f"{path} has {len(lines)} places: lower the number (--write)"))
    for path, _, _, line in listed:
        if path not in used:
            findings.append((LIST, line, f"{path} needs no line any more: remove it (--write)"))
    return findings


def renewed(text, found):
    """The list with lower numbers, and without lines that are not needed."""
    lines = []
    listed = {line: (path, number) for path, number, _, line in entries(text)}
    for index, line in enumerate(text.split("\n"), 1):
        path, number = listed.get(index, (None, None))
        if path and number is None and not any(one.startswith(path) for one in found):
            continue
        if number is not None:
            count = len(found.get(path, []))
            if count == 0:
                continue
            line = line.replace(f" {number}:", f" {min(count, number)}:", 1)
        lines.append(line)
    return "\n".join(lines)


def selftest():
    """Feeds samples with each defect and fails if one is not found."""
    samples = [
        ("try await Task.sleep(for: .seconds(1))", 1),
        ("let a = ContinuousClock.now; let b = ContinuousClock().now", 2),
        ("let a: ContinuousClock.Instant; let b = time.now; await sleep(for: c)", 0),
        ("let a = Date(); let b = Date(timeIntervalSince1970: 1); usleep(1)", 2),
        ("init(sleep: @escaping (Duration) async throws -> Void = { try await Task.sleep(for: $0) }) {}", 0),
        ("var clock: any Clock<Duration> = ContinuousClock()", 0),
        (
            "public init(\n    sleep: @Sendable (Duration) async throws -> Void =\n { try await Task.sleep(for: $0) })",
            0,
        ),
        ("let start = ContinuousClock.now", 1),
        ('// Task.sleep\nlet s = "Date()"', 0),
    ]
    for text, expected in samples:
        if len(places(Source("Sources/A/A.swift", text))) != expected:
            sys.exit(f"clocks.py fails its self-test: not {expected} places in\n{text}")
    listed = entries("# The edge.\nSources/a/: it measures\n\nSources/B/B.swift 2: a limit of time\n")
    for found, expected in [
        ({"Sources/a/x.swift": [1, 2, 3], "Sources/B/B.swift": [1, 2]}, 0),
        ({"Sources/a/x.swift": [1], "Sources/B/B.swift": [1, 2, 3]}, 1),
        ({"Sources/a/x.swift": [1], "Sources/B/B.swift": [1]}, 1),
        ({"Sources/a/x.swift": [1]}, 1),
        ({"Sources/B/B.swift": [1, 2]}, 1),
        ({"Sources/a/x.swift": [1], "Sources/B/B.swift": [1, 2], "Sources/C/C.swift": [1]}, 1),
    ]:
        if len(check(found, listed)) != expected:
            sys.exit(f"clocks.py fails its self-test: {check(found, listed)} instead of {expected} of {found}")
    text = "# A\nSources/a/: b\nSources/B/B.swift 3: c\nSources/C/C.swift 1: d\n"
    if renewed(text, {"Sources/B/B.swift": [1, 2]}) != "# A\nSources/B/B.swift 2: c\n":
        sys.exit("clocks.py fails its self-test: --write")
    for line in ("Sources/a/ 3: b", "Sources/B/B.swift: b", "Sources/B/B.swift 3", "Sources/B/B.swift 3:"):
        try:
            entries(line)
        except ValueError:
            continue
        sys.exit(f"clocks.py fails its self-test: it accepts {line}")


def main():
    selftest()
    found = {}
    for path in files(["Sources"], (".swift",)):
        if lines := places(Source(path, read(path))):
            found[path] = lines
    text = read(LIST)
    try:
        if "--write" in sys.argv:
            with open(os.path.join(ROOT, LIST), "w", encoding="utf-8") as file:
                file.write(renewed(text, found))
            return 0
        return report(check(found, entries(text)), "clocks")
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    sys.exit(main())
