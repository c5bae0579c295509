#!/usr/bin/env python3
"""Finds large functions, parameter lists and files in Sources, and files that lack the type of their name.

A function of more than 80 lines, or with more than five parameters, needs the reason in the comment above it: a
sentence with "because". An initializer that only stores its parameters, one line each, needs a doc comment only.
"""

import re
import sys

from repository import files, read, report
from swift_source import Source

MAXIMUM_LINES = 80
MAXIMUM_PARAMETERS = 5
MAXIMUM_FILE_LINES = 500
_DECLARATION = re.compile(
    r"^(?P<indent>[ \t]*)(?:@?[\w.]+(?:\([^()\n]*\))?\s+)*?(?:(?P<func>func)\s+(?P<name>`?[\w]+`?|[^\w\s(]+)"
    r"|(?P<init>init)[?!]?(?=\s*[<(])|(?P<sub>subscript)(?=\s*[<(]))",
    re.M,
)
_REASON = re.compile(r"\bbecause\b", re.I)
_TYPE = r"\b(?:struct|enum|class|actor|protocol|extension|typealias)\s+(?:\w+\.)*"
_VERSION = re.compile(r'"(?:fencepost/)?v?\d+\.\d+\.\d+"', re.I)


def matching(code, start):
    """The offset after the bracket that closes the one at `start`."""
    pairs = {"(": ")", "{": "}", "[": "]", "<": ">"}
    opening, closing = code[start], pairs[code[start]]
    depth = 0
    for match in re.compile("[" + re.escape(opening + closing) + "]").finditer(code, start):
        if closing == ">" and code[match.start() - 1] == "-":
            continue
        depth += 1 if match.group() == opening else -1
        if depth == 0:
            return match.end()
    return len(code)


def parameters(code, start):
    """How many parameters the list that opens at `start` has, and where the list ends."""
    end = matching(code, start)
    inner = code[start + 1 : end - 1]
    depth = count = 0
    for index, character in enumerate(inner):
        if character in "([{<":
            depth += 1
        elif character in ")]}" or character == ">" and inner[index - 1] != "-":
            depth -= 1
        elif character == "," and depth == 0:
            count += 1
    return (count + 1 if inner.strip().rstrip(",") else 0) - (1 if inner.rstrip().endswith(",") else 0), end


def comment_above(source, line):
    """The comment that stands directly above a line; attributes may stand between."""
    text = source.text.split("\n")
    index, found = line - 2, []
    while index >= 0:
        stripped = text[index].strip()
        if stripped.startswith("//"):
            found.append(stripped)
        elif not stripped.startswith("@"):
            break
        index -= 1
    return " ".join(reversed(found))


def only_stores(body):
    """Whether each statement of an initializer's body gives a property its parameter or a simple value."""
    lines = [line.strip() for line in body.split("\n") if line.strip()]
    return all(re.match(r"(?:self\.)?\w+ = [^{]*$|\(?self\.\w+", line) for line in lines)


def _declarations(code):
    """Every declaration with a parameter list: (match, parameters, body); the body is its offsets or `None`."""
    for match in _DECLARATION.finditer(code):
        gap = re.compile(r"\s*").match(code, match.end()).end()
        if code[gap : gap + 1] == "<":
            gap = re.compile(r"\s*").match(code, matching(code, gap)).end()
        if code[gap : gap + 1] != "(":
            continue
        count, after = parameters(code, gap)
        # The body, if there is one, opens before the next declaration or closing brace of the enclosing type.
        opening = re.compile(
            r"[{}]|\n\s*(?:(?:public|private|static|mutating|@\w+)\s+)*(?:func|var|let|case|init)\b"
        ).search(code, after)
        has_body = opening and opening.group() == "{"
        yield match, count, (opening.start(), matching(code, opening.start())) if has_body else None


def extents(code):
    """Where every function with a body begins, with its parameters, and ends."""
    return [(match.start(), body[1]) for match, _, body in _declarations(code) if body]


def functions(source):
    """Every function with a body: (name, line, lines of the body, parameters, only stores, comment above)."""
    code = source.code
    for match, count, body in _declarations(code):
        name = match.group("name") or match.group("init") or match.group("sub")
        line = source.line(match.end() - 1)
        first = source.line(match.start() + len(match.group("indent")))
        length, stores = 0, False
        if body:
            length = source.line(body[1] - 1) - line + 1
            stores = match.group("init") is not None and only_stores(code[body[0] + 1 : body[1] - 1])
        yield name, line, length, count, stores, comment_above(source, first)


def check(source):
    """The findings of one file of Sources."""
    path, found = source.path, []
    for name, line, length, count, stores, comment in functions(source):
        if _REASON.search(comment):
            continue
        if length > MAXIMUM_LINES:
            found.append(
                (path, line, f"{name} has {length} lines, more than {MAXIMUM_LINES}, and no reason (because …)")
            )
        if count > MAXIMUM_PARAMETERS and not (stores and comment):
            found.append(
                (
                    path,
                    line,
                    f"{name} has {count} parameters, more than {MAXIMUM_PARAMETERS}, and no reason (because …)",
                )
            )
    lines = source.text.count("\n")
    if lines > MAXIMUM_FILE_LINES:
        head = source.comments[: source.comments.find("\n\n") + 1 or None]
        if not _REASON.search(head):
            found.append((path, 1, f"the file has {lines} lines, more than {MAXIMUM_FILE_LINES}"))
    name = path.rsplit("/", 1)[-1].removesuffix(".swift").split("+")[0]
    # A command's file is `WatchCommand.swift` for the type Watch; routes are extensions of API.
    names = [name, name.removesuffix("Command"), "API" if name.endswith("Routes") else name]
    function = r"\bfunc\s+" + re.escape(name[:1].lower() + name[1:]) + r"\b"
    if (
        name not in ("main", "Exports")
        and not re.search(function, source.code)
        and not any(re.search(_TYPE + re.escape(n) + r"\b", source.code) for n in names)
    ):
        found.append((path, 1, f"no type or extension in this file is named {name}"))
    # "3.1.0" is the version of OpenAPI itself; the other has those of AsyncAPI and its bindings.
    if not path.endswith(("/FencepostVersion.swift", "/OpenAPIDocument.swift", "/AsyncAPIDocument.swift")):
        for match in _VERSION.finditer(source.strings):
            found.append(
                (path, source.line(match.start()), f"{match.group()} is written out: use FencepostVersion.current")
            )
    return found


def selftest():
    """Feeds samples with each defect and fails if one is not found."""
    long = "struct A {\n    func f() {\n" + "        g()\n" * 90 + "    }\n}\n"
    many = "struct A {\n    func f(a: Int, b: [Int: Int], c: (Int, Int) -> Void, d: Int, e: Int, _ f: Int) {}\n}\n"
    stored = (
        "struct A {\n    /// Stores.\n    init(a: Int, b: Int, c: Int, d: Int, e: Int, f: Int) {\n"
        "        self.a = a\n        self.b = b\n    }\n}\n"
    )
    samples = [
        (long, ["f has 92 lines"]),
        (long.replace("    func", "    /// Long, because it is a table.\n    func"), []),
        (many, ["f has 6 parameters"]),
        (stored, []),
        (stored.replace("self.b = b", "if b { run() }"), ["init has 6 parameters"]),
        ("struct B {}\n", ["no type or extension in this file is named A"]),
        ("struct A {\n" + '    // "{\n' * 600 + "}\n", ["the file has 602 lines"]),
        ('struct A { let s = "fencepost/1.2.3" }\n', ['"fencepost/1.2.3" is written out']),
        ('struct A { let s = "a \\(b("}{")) c"; func f(_ x: Int, ) {} }\n', []),
    ]
    for text, expected in samples:
        found = [message for _, _, message in check(Source("Sources/A/A.swift", text))]
        if len(found) != len(expected) or not all(map(str.startswith, found, expected)):
            sys.exit(f"functions.py fails its self-test: {found} instead of {expected} in\n{text[:300]}")


def main():
    selftest()
    findings = []
    for path in files(["Sources"], (".swift",)):
        findings += check(Source(path, read(path)))
    return report(findings, "functions")


if __name__ == "__main__":
    sys.exit(main())
