#!/usr/bin/env python3
"""Finds private words: names and idiom of words.txt, in declarations, comments, messages and Markdown."""

import os
import re
import sys
from bisect import bisect_right
from fnmatch import fnmatchcase

from repository import files, read, report
from swift_source import Source

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")
_DECLARATION = re.compile(
    r"\b(?:let|var|func|case|struct|enum|class|actor|protocol|typealias|associatedtype|const|function|for)\s+"
    r"(?P<names>`?\w+`?(?:\s*,\s*\w+(?=\s*[,:=\n]))*|\([\w\s,]+\)|\{[\w\s,:]+\}|\[[\w\s,]+\])"
)
# A label or a parameter: `name:` or `label name:` after an opening bracket, a comma or a line break.
_LABEL = re.compile(r"(?:[(,]|\n)\s*(?P<names>\w+(?:\s+\w+)?)\s*:(?!:)")
_IDENTIFIER = re.compile(r"\w+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Keys of stored states: they stay as they are on disk.
_CODING_KEYS = re.compile(r"\benum \w*CodingKeys?\b[^{]*\{[^}]*\}")
_KEYWORDS = {"in", "of", "let", "var", "case", "default", "func", "private", "self"}


def literal(expression):
    """A run of letters that every match of an expression contains; it saves most searches."""
    if re.search(r"\|(?![^(]*\))", expression):
        return ""
    plain = re.sub(r"\((?:[^()]|\([^()]*\))*\)[?*]?|\[[^\]]*\][?*+]?|\\.|.[?*]", "\n", expression)
    return max(re.findall("[a-z]+", plain), key=len, default="")


class Words:
    """The rows of words.txt, by kind."""

    def __init__(self, text):
        self.named, self.parts, self.words, self.prose = {}, {}, {}, []
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            # A prose expression holds `|` itself: the kind is the first column, the last two are the last.
            kind, rest = line.split("|", 1)
            columns = rest.rsplit("|", 2)
            if len(columns) != 3 or kind.strip() not in ("name", "part", "word", "prose"):
                sys.exit(f"words.txt:{number}: a line is `kind | words | use instead | where`")
            kind, (words, instead, where) = kind.strip(), (column.strip() for column in columns)
            row = (instead, where.split())
            if kind == "prose":
                self.prose.append((literal(words), re.compile(words.replace(" ", r"\s+")), *row))
            else:
                table = {"name": self.named, "part": self.parts, "word": self.words}[kind]
                for word in words.split():
                    table.setdefault(word, []).append(row)

    @staticmethod
    def applies(path, where):
        """Whether a row with these patterns is for a path."""
        excepted = [pattern[1:] for pattern in where if pattern.startswith("!")]
        only = [pattern for pattern in where if not pattern.startswith("!")]
        if any(fnmatchcase(path, pattern) for pattern in excepted):
            return False
        return not only or any(fnmatchcase(path, pattern) for pattern in only)

    def instead(self, table, word, path):
        return next((use for use, where in table.get(word, []) if self.applies(path, where)), None)


def declared(code):
    """The names that a file declares, with their offsets."""
    code = _CODING_KEYS.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), code)
    for pattern in (_DECLARATION, _LABEL):
        for match in pattern.finditer(code):
            for name in _IDENTIFIER.finditer(match.group("names")):
                if name.group() not in _KEYWORDS:
                    yield match.start("names") + name.start(), name.group()


def prose_findings(path, text, line_of, words):
    found = []
    text = text.lower()
    for needed, pattern, instead, where in words.prose:
        if needed in text and words.applies(path, where):
            for match in pattern.finditer(text):
                said = " ".join(match.group().split())
                found.append((path, line_of(match.start()), f'"{said}": say {instead}'))
    return found


# A phrase may go over a line end: the comment marks and the indentation of the next line become spaces.
_CONTINUED = re.compile(r"\n([ \t]*)(//[/!]?|\*)?")
_CODE_SPAN = re.compile(r"(`+)(?!`)[^`]*?\1")


def plain(comments):
    """Comments as running text of the same length: no marks, no line ends, no code spans."""
    text = _CONTINUED.sub(lambda match: " " * len(match.group()), comments)
    return _CODE_SPAN.sub(lambda match: " " * len(match.group()), text)


def check_source(path, text, words):
    source = Source(path, text)
    found = []
    for offset, name in declared(source.code):
        instead = words.instead(words.named, name, path)
        if instead is None and "_" not in name:
            for part in _PARTS.findall(name):
                instead = instead or words.instead(words.parts, part.lower(), path)
        if instead is not None:
            found.append((path, source.line(offset), f"`{name}`: say {instead}"))
    if words.words:
        for match in re.finditer(r"\b(?:" + "|".join(words.words) + r")\b", source.code):
            instead = words.instead(words.words, match.group(), path)
            if instead is not None:
                found.append((path, source.line(match.start()), f"`{match.group()}`: say {instead}"))
    for text in (source.comments, source.strings):
        compact, original = without_gaps(text)
        found += prose_findings(path, compact, lambda at, original=original: source.line(original(at)), words)
    return found


# Lines without a comment or a literal, or the long gap before one.
_GAP = re.compile(r"\n(?:[ ]*\n)+|[ ]{12,}")


def without_gaps(text):
    """The text as prose without long gaps, and a function from an offset in it to the one in the original."""
    parts, starts, offsets, at, length = [], [], [], 0, 0
    for match in [*_GAP.finditer(text), None]:
        end = match.start() if match else len(text)
        part = plain(text[at:end]) + ("\n\0\n" if match and "\n" in match.group() else " ")
        parts.append(part)
        starts.append(length)
        offsets.append(at)
        length += len(part)
        at = match.end() if match else end

    def original(at):
        index = bisect_right(starts, at) - 1
        return offsets[index] + at - starts[index]

    return "".join(parts), original


def check_hash_comments(path, text, words):
    """Comments of shell, Python, make and YAML files."""
    kept = "\n".join(
        re.sub(r"^.*?(?:^|\s)#+(?=\s|$)|^.*$", lambda m: " " * len(m.group()), line) if "#" in line else " " * len(line)
        for line in text.split("\n")
    )
    return prose_findings(path, plain(kept), lambda offset: text.count("\n", 0, offset) + 1, words)


def check_markdown(path, text, words):
    lines, fenced = [], False
    for line in text.split("\n"):
        fence = line.lstrip().startswith(("```", "~~~"))
        if fence:
            fenced = not fenced
        # Of an example only its comments are prose.
        example = fenced or line.startswith("    ")
        comment = re.search(r"(?:^|\s)(?:#|//)\s.*", line) if example and not fence else None
        if fence or (example and not comment):
            line = " " * len(line)
        elif comment:
            line = " " * comment.start() + comment.group()
        lines.append(line)
    kept = "\n".join(lines)
    kept = re.sub(r"\]\([^)\s]*\)|<[^>\n]+>", lambda match: " " * len(match.group()), kept)
    return prose_findings(path, plain(kept), lambda offset: text.count("\n", 0, offset) + 1, words)


def check(path, text, words):
    if path.endswith(".md"):
        return check_markdown(path, text, words)
    if path.endswith((".swift", ".js")):
        return check_source(path, text, words)
    return check_hash_comments(path, text, words)


def selftest():
    """Feeds samples of each kind and fails if a word is not found, or a word that is allowed is."""
    words = Words(
        "part | calm | safe region |\nname | way | segment | !Tests/*\nword | Board | cache |\n"
        "prose | \\bwhoever\\b|\\bis none\\b | the caller |\n"
    )
    samples = [
        ("Sources/A.swift", "let isCalm = 1", ["`isCalm`"]),
        ("Sources/A.swift", "func f(_ calmBox: Int, way: Int) { way() }", ["`calmBox`", "`way`"]),
        ("Sources/A.swift", "case a, calm\nlet (x, way) = f()", ["`calm`", "`way`"]),
        ("Sources/A.swift", 'let x = "a calm way, let way = \\(way)" // let calm', []),
        ("Sources/A.swift", "enum CodingKeys: CodingKey { case calm, b }", []),
        ("Sources/A.swift", "let calm_box = 1", []),
        ("Sources/A.swift", "x = Board()", ["`Board`"]),
        ("Tests/A.swift", "let way = 1", []),
        ("Sources/A.swift", "/// For whoever\n/// calls. It is\n    /// none. `whoever`", ['"whoever"', '"is none"']),
        ("Sources/A.js", "const { calm, b } = f();\nfunction way() {}", ["`calm`", "`way`"]),
        ("docs/a.md", "Whoever\n\n```sh\nwhoever\nx # whoever\n```\n", ['"whoever"', '"whoever"']),
        ("Makefile", "whoever: # whoever\n", ['"whoever"']),
    ]
    for path, text, expected in samples:
        found = sorted([(line, message.split(":")[0]) for _, line, message in check(path, text, words)])
        if sorted(message for _, message in found) != sorted(expected):
            sys.exit(f"words.py fails its self-test: {found} instead of {expected} in\n{text}")


def main():
    selftest()
    with open(DATA, encoding="utf-8") as file:
        words = Words(file.read())
    findings = []
    for path in files(
        ["Sources", "Tests", "docs", "README.md", "CONTRIBUTING.md", ".github", "Package.swift", "Makefile", "Regions"],
        (".swift", ".js", ".md", ".py", ".sh", ".yml", "Makefile"),
    ):
        if not path.startswith("Tests/Lint/"):
            findings += check(path, read(path), words)
    return report(findings, "words")


if __name__ == "__main__":
    sys.exit(main())
