#!/usr/bin/env python3
"""Finds metrics without a help text or a row in the reference, and help texts of metrics that nothing counts.

A metric is a string that begins with `fencepost_` in Sources, apart from the names in _OTHER.
"""

import re
import sys

from repository import files, read, report

HELP = "Sources/FencepostOperation/PrometheusMetrics.swift"
PAGE = "docs/reference/operation.md"
_NAME = re.compile(r'"(fencepost_[a-z0-9_]+)"')
_TEXT = re.compile(r'^\s*"(fencepost_[a-z0-9_]+)":\s*"', re.MULTILINE)
# Cookies, and what becomes a metric behind an underscore.
_OTHER = {"fencepost_session", "fencepost_sign_in"}


def check(counted, texts, rows):
    """The findings: `counted` and `texts` have the place of each name, `rows` is the text of the page."""
    findings = []
    for name, (path, line) in counted.items():
        if name not in texts:
            findings.append((path, line, f"{name} has no help text: add it to {HELP}"))
        if not re.search(rf"\b{name}\b", rows):
            findings.append((path, line, f"{name} is not in {PAGE}"))
    for name, (path, line) in texts.items():
        if name not in counted:
            findings.append((path, line, f"nothing counts {name}"))
    return findings


def selftest():
    place = ("a.swift", 1)
    found = check(
        {"fencepost_a": place, "fencepost_b": place}, {"fencepost_a": place, "fencepost_c": place}, "fencepost_a"
    )
    messages = [message for _, _, message in found]
    assert len(messages) == 3 and "nothing counts fencepost_c" in messages, messages


def main():
    selftest()
    counted, texts = {}, {}
    for path in files(["Sources"], (".swift",)):
        text = read(path)
        found, pattern = (texts, _TEXT) if path == HELP else (counted, _NAME)
        for match in pattern.finditer(text):
            if match.group(1) not in _OTHER:
                found.setdefault(match.group(1), (path, text.count("\n", 0, match.start(1)) + 1))
    return report(check(counted, texts, read(PAGE)), "metrics")


if __name__ == "__main__":
    sys.exit(main())
