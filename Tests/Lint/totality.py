#!/usr/bin/env python3
"""Finds operations that end the process for some numbers, in the modules that handle numbers from outside.

A text does not show types, so each rule forbids a form. FixedWidthInteger+Clamped.swift has what to use instead:

- `abs(x)` traps for the smallest integer: `x.magnitude`;
- `Int(x)` of a floating value traps for NaN and beyond the range: `Int(clamped: x)`. A value is floating if its
  expression rounds, divides a duration, names its seconds, converts to `Double` or takes a magnitude, or if its
  function declares its name as a `Double` or by one of these;
- `x!`, `try!` and `as!`;
- `milliseconds` times something: `multipliedClamped(by:)`. Sums of `Timestamp` saturate on their own.

A line with the comment `// total: ` and a reason is left out.
"""

import re
import sys

from functions import extents, matching
from repository import files, read, report
from swift_source import Source

# Modules of tests, benchmarks and made-up data, and the index, whose numbers are checked shapes.
_EXCLUDED = re.compile(
    r"^Sources/(C|FencepostRegions|FencepostGEOS|FencepostSavedIndex|FencepostSimulation|FencepostTesting"
    r"|FencepostServiceTesting|FencepostWorkload|fencepost-\w+|FencepostAnalysis/Quality)/"
    r"|/FixedWidthInteger\+Clamped\.swift$"
)
# `magnitude` and `abs` of a floating value are the same, and the monitor has no other.
_FLOATING_ONLY = re.compile(r"^Sources/(FencepostMonitor|FencepostGeometry)/")
_ABS = re.compile(r"(?<![\w.])abs\(")
_CONVERSION = re.compile(r"(?<![\w.])U?Int(?:8|16|32|64)?(\()")
_FLOATING = re.compile(
    r"\.rounded\(|\bDouble\(|(?<!components)(?<!parts)\.seconds\b|\.squareRoot\(|\bfloor\(|\bceil\(|\.double\b"
    r"|\.magnitude\b|\bDecimalNumber\.parse\b|\btimeIntervalSince|(?<![\w.$])\d[\d_]*\.\d|(?<![\w.])\d+e\d|\bcall\.number\("
)
# Names of numbers: `number: Double`, and `let number = ` or `let number: Double = ` of what is floating.
_DECLARED = re.compile(r"\b(\w+)\s*:\s*Double\b(?!\()")
_BOUND = re.compile(r"\b(?:let|var)\s+(\w+)(?:\s*:\s*\w+\??)?\s*=\s*([^\n;{]*)")
_INTEGRAL = re.compile(r"=\s*U?Int(?:8|16|32|64)?\(|\.count\b|secondsFromGMT\(")
_LABEL = re.compile(r"\s*(clamped|clamping|exactly|truncatingIfNeeded|bitPattern|bigEndian|littleEndian|ascii)\s*:")
_UNWRAP = re.compile(r"[\w)\]]!(?![=\w])|\b(?:try|as)!")
_PRODUCT = re.compile(r"\.milliseconds\s\*|\*\s(?:\w+\.)+milliseconds\b")
_REASON = re.compile(r"// total: \w")


def _names(code):
    """What finds the floating numbers that a function declares; `None` if there are none."""
    names = {match.group(1) for match in _DECLARED.finditer(code)}
    for match in _BOUND.finditer(code):
        if _FLOATING.search(match.group(2)) and not _INTEGRAL.search(match.group(0)):
            names.add(match.group(1))
    return re.compile(r"(?<![\w.])(?:" + "|".join(sorted(names)) + r")\b(?!\s*[.(:])") if names else None


def check(source):
    """The findings of one file of Sources."""
    path, code = source.path, source.code
    lines = source.text.split("\n")
    found = []

    def find(offset, message):
        line = source.line(offset)
        if not _REASON.search(lines[line - 1]):
            found.append((path, line, message))

    if not _FLOATING_ONLY.match(path):
        for match in _ABS.finditer(code):
            find(match.start(), "abs( traps for the smallest integer: use .magnitude")
    spans = [(start, end, _names(code[start:end])) for start, end in extents(code)]
    for match in _CONVERSION.finditer(code):
        end = matching(code, match.start(1))
        inner = code[match.start(1) + 1 : end - 1]
        if match.group().startswith("U"):
            inner = inner.replace(".magnitude", "")
        if "secondsFromGMT(" in inner:
            continue
        named = [names for start, end, names in spans if start <= match.start() < end and names]
        if _LABEL.match(inner) or not (_FLOATING.search(inner) or any(names.search(inner) for names in named)):
            continue
        find(match.start(), "the conversion of a floating value traps for NaN: use (clamped:)")
    for match in _UNWRAP.finditer(code):
        find(match.start(), "! ends the process: handle the missing value")
    for match in _PRODUCT.finditer(code):
        find(match.start(), "milliseconds times a number may overflow: use multipliedClamped(by:)")
    return found


def selftest():
    """Feeds samples with each defect and fails if one is not found."""
    samples = [
        ("let a = abs(b)", 1),
        ("let a = b.magnitude; let c = fabs(d)", 0),
        ("let a = Int64((b * 1000).rounded())", 1),
        ("let a = Int(\n    min(max(Double(b), -1), 1))", 1),
        ("let a = Int(clamped: b.rounded()); let c = Int(d); let e = UInt8(ascii: f)", 0),
        ("let a = Int(b.seconds)", 1),
        ("let a = Int(b.magnitude)", 1),
        ("func a() { if let b = DecimalNumber.parse(c) { d = Int(b * 100) } }", 1),
        ("func a(b: Double) -> Int { Int(b) }", 1),
        ("func a(b: Double, c: String) -> Int { Int(c.b) + Int(c) }", 0),
        ("let a = b!", 1),
        ("let a = try! b()", 1),
        ("let a = !b; if c != d, !e {}; let f: () -> Int! = g", 1),
        ("let a = b.milliseconds * 1000", 1),
        ("let a = b.milliseconds * 1000  // total: b is a constant", 0),
        ('let a = "abs(b)"  // abs(b)', 0),
    ]
    for text, expected in samples:
        found = check(Source("Sources/A/A.swift", text))
        if len(found) != expected:
            sys.exit(f"totality.py fails its self-test: {found} instead of {expected} in\n{text}")


def main():
    selftest()
    findings = []
    for path in files(["Sources"], (".swift",)):
        if not _EXCLUDED.search(path):
            findings += check(Source(path, read(path)))
    return report(findings, "totality")


if __name__ == "__main__":
    sys.exit(main())
