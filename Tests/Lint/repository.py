"""What the lints share: the files of the repository, and how a finding is printed."""

import os
import sys
from collections import Counter

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_SKIPPED = {".git", ".build", "corpus", "node_modules", "__pycache__", ".schemathesis", ".swiftpm"}


def files(tops, suffixes):
    """Paths, relative to the root and sorted, of the files below `tops` that end in one of `suffixes`."""
    found = []
    for top in tops:
        if os.path.isfile(os.path.join(ROOT, top)):
            found.append(top)
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = sorted(n for n in folders if n not in _SKIPPED and not n.startswith(".build"))
            found += [os.path.relpath(os.path.join(folder, n), ROOT) for n in names if n.endswith(suffixes)]
    return sorted(set(found))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def module(path):
    """The first two parts of a path under Sources or Tests, else the first."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in ("Sources", "Tests") and len(parts) > 2 else parts[0]


def report(findings, name):
    """Prints `path:line: message` for every finding and ends with status 1 if there is one.

    With `--count` it prints the number per module instead.
    """
    findings = sorted(set(findings))
    if "--count" in sys.argv:
        for place, count in sorted(Counter(module(path) for path, _, _ in findings).items()):
            print(f"{count:6d} {place}")
    else:
        for path, line, message in findings:
            print(f"{path}:{line}: {message}")
    if findings:
        print(f"{name}: {len(findings)} findings", file=sys.stderr)
    return 1 if findings else 0
