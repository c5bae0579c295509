#!/usr/bin/env python3
"""Finds `default` in a `switch` over an enum of the package: for a new case the compiler has to list all places.

A text does not show types, so the labels of the cases decide: a `switch` is over an enum of the package if all of its
labels `.name` are cases of one such enum. In a tuple this holds for each element. A comment above `default:` or behind
it that says why, as a sentence with "because", lets one stay: for labels that only look like those of an enum of the
package, and for an enum so large that a list of its other cases would say nothing. The compiler reports new cases at an
`@unknown default`.
"""

import re
import sys

from functions import matching
from repository import files, read, report
from swift_source import Source

_ENUM = re.compile(r"\b(?:indirect\s+)?enum\s+(\w+)[^{}]*\{")
_SWITCH = re.compile(r"(?<![\w.`])switch\b")
_LABEL = re.compile(r"(?<![\w.`])(?:case\b|default\s*:|@unknown\s+default\s*:)")
_PATTERN = re.compile(r"^(?:let\s+|var\s+)?(?:[A-Z][\w.]*)?\.(\w+)")
# A value, a binding or a type: it says nothing about an enum of the package, or that the subject is something else.
# A string has no text in the code.
_OTHER = re.compile(r"^(?:$|-?\d|true\b|false\b|is\b|[a-z]\w*\s*\()")
_REASON = re.compile(r"//[^\n]*\bbecause\b")


def outer(code, start, end):
    """The code from `start` to `end` with what is inside brackets blanked."""
    text, at = list(code[start:end]), start
    while at < end:
        if code[at] in "([{":
            after = min(matching(code, at), end)
            text[at - start + 1 : after - start - 1] = [c if c == "\n" else " " for c in code[at + 1 : after - 1]]
            at = after
        else:
            at += 1
    return "".join(text)


def cases_of(code, start):
    """The names of the cases of the enum whose body opens at `start`."""
    end = matching(code, start) - 1
    body = outer(code, start + 1, end)
    names = set()
    for match in re.finditer(r"(?<![\w.`])case\s+((?:[^\n,]|,(?:\s*\n)?)*)", body):
        for part in match.group(1).split(","):
            if name := re.match(r"\s*`?(\w+)`?", part):
                names.add(name.group(1))
    return names


def enums(source):
    """Every enum with cases: its name and the names of its cases."""
    for match in _ENUM.finditer(source.code):
        if names := cases_of(source.code, match.end() - 1):
            yield match.group(1), names


def split(text, separator=","):
    """The parts of a text between separators that are in no brackets."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == separator and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in parts + [text[start:]]]


def switches(source):
    """Every switch: the offset of its `default`, or None, and its patterns."""
    code = source.code
    for match in _SWITCH.finditer(code):
        opening = match.end()
        while opening < len(code) and code[opening] != "{":
            opening = matching(code, opening) if code[opening] in "([" else opening + 1
        if opening >= len(code):
            continue
        end = matching(code, opening) - 1
        body = outer(code, opening + 1, end)
        default, patterns = None, []
        for label in _LABEL.finditer(body):
            # A `case` of an `if` or a `for` is no label.
            if re.search(r"\b(?:if|guard|for|while|,)\s*$", body[: label.start()]):
                continue
            if "default" in label.group():
                default = None if "@" in label.group() else opening + 1 + label.start()
                continue
            colon = body.find(":", label.end())
            text = code[opening + 1 + label.end() : opening + 1 + (len(body) if colon < 0 else colon)]
            for pattern in split(text):
                patterns.append(re.split(r"\bwhere\b", pattern)[0].strip())
        yield default, patterns


def columns(patterns):
    """The patterns of each element of the subject: one column, or those of a tuple."""
    rows = []
    for pattern in patterns:
        inner = re.sub(r"^(?:let|var)\s+", "", pattern)
        rows.append(split(inner[1:-1]) if inner.startswith("(") and inner.endswith(")") else [inner])
    width = max(map(len, rows), default=0)
    return [[row[index] for row in rows if len(row) > index] for index in range(width)]


def enum_of(patterns, known):
    """The name of the enum of the package that all patterns are of; None if there is none."""
    names = set()
    for pattern in patterns:
        if found := _PATTERN.match(pattern):
            names.add(found.group(1))
        elif _OTHER.match(pattern):
            return None
    names -= {"some", "none"}
    if not names:
        return None
    return next((name for name, cases in known if names <= cases), None)


def check(source, known):
    """The findings of one file of Sources. `known` are the enums of the package: names and cases."""
    found, lines = [], source.text.split("\n")
    for default, patterns in switches(source):
        if default is None:
            continue
        line = source.line(default)
        # The comment may follow on the next line, where the format puts it.
        above = lines[line - 2].strip() if line > 1 else ""
        if _REASON.search(lines[line - 1] + above * above.startswith("//")):
            continue
        names = [name for column in columns(patterns) if (name := enum_of(column, known))]
        if names:
            found.append(
                (source.path, line, f"default hides new cases of {', '.join(dict.fromkeys(names))}: list them")
            )
    return found


def selftest():
    """Feeds samples with each defect and fails if one is not found."""
    declarations = (
        'enum A: String { case a, b(Int), `default` = "x"\n  case c(x: Int, y: Int),\n    d\n'
        "  func f() { switch self { case .a: break; case .b, .c, .d, .default: break } } }\n"
        "enum Space { static let a = 1 }\n"
    )
    known = list(enums(Source("Sources/A/A.swift", declarations)))
    if known != [("A", {"a", "b", "c", "d", "default"})]:
        sys.exit(f"switches.py fails its self-test: {known}")
    samples = [
        ("switch x { case .a: 1; default: 2 }", 1),
        ("switch x {\n case .a, .b(let y) where y > 1: f { g in g }\n default: break }", 1),
        ("switch x { case .a: 1; case .b, .c, .d: 2 }", 0),
        ("switch x { case .a: 1; case .other: 2; default: 3 }", 0),
        ("switch x { case 1: 1; default: 3 }", 0),
        ('switch x { case .a: 1; case "b": 2; default: 3 }', 0),
        ("switch x { case nil: 0; case .a?: 1; default: 3 }", 1),
        ("switch x { case A.a: 1; default: 3 }", 1),
        ("switch x { case let .b(y): y; default: 3 }", 1),
        ("switch (x, y) { case (.a, 1): 1; default: 3 }", 1),
        ("switch (x, y) { case (.other, 1): 1; default: 3 }", 0),
        ("switch f(x, { $0 }) { case .a: switch y { case 1: 1; default: 2 }; case .b: 3 }", 0),
        ("switch x { case 1: switch y { case .a: 1; default: 2 }; default: 3 }", 1),
        ("switch x { case .a:\n if case .q = y { 1 }\n default: 2 }", 1),
        ("switch x { case .a: 1\n default: 2  // Taken, because the others are many.\n }", 0),
        ("switch x { case .a: 1\n @unknown default: 2 }", 0),
        ("switch x { case .a: 1\n // Taken, because the others are many.\n default: 2 }", 0),
        ("switch x { case .a: 1\n // The others.\n default: 2 }", 1),
        ('let s = "switch x { case .a: 1; default: 2 }"', 0),
        ("switch x { case .a(let z): z ? 1 : 2; default: 2 }", 1),
    ]
    for text, expected in samples:
        found = check(Source("Sources/A/A.swift", text), known)
        if len(found) != expected:
            sys.exit(f"switches.py fails its self-test: {found} instead of {expected} in\n{text}")


def main():
    selftest()
    sources = [Source(path, read(path)) for path in files(["Sources"], (".swift",))]
    known = [found for source in sources for found in enums(source)]
    return report([found for source in sources for found in check(source, known)], "switches")


if __name__ == "__main__":
    sys.exit(main())
