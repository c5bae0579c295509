#!/usr/bin/env python3
"""Checks that every reference resolves: rule ids, Core Location sources, links and fragments, and no absent documents.

A rule id (`W5`) needs an anchor under docs/reference, a Core Location rule (`RELAUNCH-04`) one in
docs/core-location/rules.md, a source key (`H16`, `D-ALWAYS`, `seed-004`) one in docs/core-location/sources.md. An
anchor is `<a id="w5"></a>`. An import in JavaScript needs its file.
"""

import os
import posixpath
import re
import sys
from urllib.parse import unquote

from repository import ROOT, files, read, report
from swift_source import Source

RULE_PAGES = "docs/reference/"
CORE_LOCATION_RULES = "docs/core-location/rules.md"
SOURCES = "docs/core-location/sources.md"
# Where `W19` names a talk, not rule W19.
_CORE_LOCATION = (
    "Sources/FencepostSimulator/",
    "Sources/FencepostCoreLocation/",
    "Tests/FencepostSimulatorTests/",
    "Tests/FencepostCoreLocationTests/",
    "docs/core-location/",
)
_RULE = re.compile(r"(?<![\w.#/-])[VIAWDOLPUCNFREKMS]\d{1,2}(?![\w-])")
_SOURCE = re.compile(r"(?:seed-\d{3}|[HW]\d{1,2}(?:-[A-Z]+)?|[BDFHIT]-[A-Z0-9]{2,}(?:-[A-Z0-9]+)*)")
_SOURCE_IN_TEXT = re.compile(r"(?<![\w#/-])(?:" + _SOURCE.pattern + r")(?![\w-])")
_ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
_LINK = re.compile(
    r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*<?([^()\s>]*(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+\"[^\"]*\")?\s*\)"
)
_DEFINITION = re.compile(r"^\[[^\]]+\]:\s*<?(\S+?)>?\s*$", re.M)
_ATTRIBUTE = re.compile(r"<(?:img|a|source)\b[^>]*?\b(?:src|href|srcset)=\"([^\"]+)\"")
_ABSENT = [
    (re.compile(r"\bthe contract(?:'s)? (?:section )?\d"), "a document that is not here"),
    (re.compile(r"\.\./shared/(?!data\b)"), "a folder that is not here"),
]
# A long word in capitals is the title of a document, unless the text defines it or it is one of these.
_TITLE = re.compile(r"(?<![\w-])[A-Z]{8,}(?!\w)")
_CAPITALS = frozenset(
    # SQL, and functions of its databases.
    "AUTOINCREMENT CONFLICT CONSTANT DISTINCT INTERSECTS MULTILINE PARTITION PSUBSCRIBE RECURSIVE REFERENCES TRUNCATE"
    # C, systems, protocols and file formats.
    " ADVISORY CERTIFICATE CURLINFO DISCONNECT EADDRINUSE ECANCELED ECONNREFUSED ECONNRESET EHOSTUNREACH"
    " ENETUNREACH ENOTEMPTY ENOTSOCK ETIMEDOUT"
    " FFFFFFFFFFFFFFFFFF"
    " IDENTIFIER IGNORECASE ISCHARGING LOCALHOST NOREPLICAS OVERLAND PERMISSION PLAINTEXT PYTHONPATH READONLY STARTTLS"
    " SUBTOTAL TIMESTAMP TIOCGWINSZ WRONGPASS WRONGTYPE"
    # iCalendar.
    " ATTENDEE CANCELLED CATEGORIES CONFERENCE DAYLIGHT DESCRIPTION DURATION LOCATION ORGANIZER PRIORITY RECURRENCE"
    " RESOURCES SEQUENCE STANDARD VCALENDAR VTIMEZONE"
    # Well-known text.
    " GEOMETRYCOLLECTION LINESTRING MULTILINESTRING MULTIPOINT MULTIPOINTM MULTIPOLYGON POLYGONZ"
    # Words of files and of commands.
    " ARGUMENTS DECEMBER EXAMPLES FEBRUARY FENCEPOST NOVEMBER PASSWORD PROMTOOL RELAUNCH SEPTEMBER".split()
)
# With the folders before it; paths of the repository in code spans are checked on their own.
_PAGE_NAME = re.compile(r"(?<![\w*{}$/.-])(?!(?:Sources|Tests|docs|Regions)/)(?:[\w.-]+/)*[\w-]+\.md\b")
_SECTION = re.compile(r"(?:\bsections? |§ ?)\d+(?:\.\d+)*")
# A section is one of a public document if the same comment or paragraph names it.
_PUBLIC = re.compile(
    r"\bRFC\b|https?://|\bISO\b|\bOGC\b|\bIEEE\b|\bWGS\b|\bBCP\b|specification|standard|et al\.|\b(?:19|20)\d\d\b", re.I
)
_IMPORT = re.compile(r"^(?:import|export)\b[^;\"']*[\"'](\.{1,2}/[^\"']+)[\"']", re.M)
# Pages that describe a package of the reader's.
_OTHER_PROJECTS = {"docs/core-location/testing.md", "docs/core-location/tutorial.md"}
# A path of the repository in a code span, without patterns.
_PATH = re.compile(r"(?<!`)`((?:Sources|Tests|docs|Regions)/[\w./+-]+)`(?!`)")
_CODE_SPAN = re.compile(r"(`+)(?!`)[^`\n]*?\1")
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[^\n]*$", re.M | re.S)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def slug(heading):
    """The fragment that GitHub gives to a heading."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"<[^>]+>|[`*]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(text):
    """All fragments of a Markdown page."""
    text = _FENCE.sub(blank, text)
    found, counts = set(_ANCHOR.findall(text)), {}
    for match in re.finditer(r"^#{1,6} +(.+?) *#*$", text, re.M):
        name = slug(match.group(1))
        count = counts.get(name, 0)
        counts[name] = count + 1
        found.add(f"{name}-{count}" if count else name)
    return found


class References:
    """The anchors of all pages: `pages` maps the path of a Markdown file to its text."""

    def __init__(self, pages, exists):
        self.exists = exists
        self.pages = {posixpath.basename(path) for path in pages}
        self.fragments = {path: anchors(text) for path, text in pages.items()}
        self.rules = set()
        for path, fragments in self.fragments.items():
            if path.startswith(RULE_PAGES):
                self.rules |= fragments
        self.core_rules = self.fragments.get(CORE_LOCATION_RULES, set())
        self.sources = self.fragments.get(SOURCES, set())
        families = {match.group(1) for name in self.core_rules if (match := re.fullmatch(r"([a-z]+)-\d\d", name))}
        names = "|".join(sorted(families)).upper() or "(?!)"
        self.core_rule = re.compile(rf"(?<![\w-])(?:{names})-\d\d(?!\d|\w)")

    def check(self, path, text):
        found = self._absent(path, text)
        if path.endswith(".md"):
            prose = _CODE_SPAN.sub(blank, _FENCE.sub(blank, text))
            found += self._links(path, _FENCE.sub(blank, text))
            without_links = _LINK.sub(blank, prose)
            found += self._ids(path, _ANCHOR.sub(blank, without_links), text)
            found += self._sections(path, prose)
            for match in _PATH.finditer("" if path in _OTHER_PROJECTS else text):
                if not self.exists(match.group(1)):
                    found.append((path, line_of(text, match.start()), f"{match.group(1)}: there is no such file"))
        elif path.endswith((".swift", ".js")):
            source = Source(path, text)
            found += self._ids(path, _CODE_SPAN.sub(blank, source.comments), source.comments + source.strings)
            found += self._sections(path, source.comments)
            if path.endswith(".js"):
                for match in _IMPORT.finditer(text):
                    if "/leaflet/" in match.group(1) or "/qrcode/" in match.group(1):
                        continue  # Debian's, which the service serves at that path
                    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), match.group(1)))
                    # A file of types is imported by its name without the extension.
                    if not self.exists(file) and not self.exists(file + ".d.ts"):
                        found.append((path, source.line(match.start()), f"{match.group(1)}: there is no such file"))
            if path.startswith("Sources/FencepostSimulator/Rules/"):
                found += self._keys(path, source)
        else:
            comments = "\n".join(line[line.find("#") :] if "#" in line else "" for line in text.split("\n"))
            found += self._ids(path, comments, comments)
        return found

    def _ids(self, path, prose, everything):
        """Rule ids where people write them; Core Location's ids also in messages."""
        found = []
        core = path.startswith(_CORE_LOCATION)
        for match in _RULE.finditer(prose):
            name = match.group().lower()
            if name not in self.rules and not (core and (name in self.sources or path.startswith("docs/"))):
                found.append(
                    (path, line_of(prose, match.start()), f"rule {match.group()} has no anchor under {RULE_PAGES}")
                )
        for match in self.core_rule.finditer(everything):
            # A test may ask for a rule that does not exist: number 99.
            made_up = path.startswith("Tests/") and match.group().endswith("-99")
            if match.group().lower() not in self.core_rules and not made_up:
                line = line_of(everything, match.start())
                line = line if line <= prose.count("\n") + 1 else line - prose.count("\n")
                found.append((path, line, f"{match.group()} has no anchor in {CORE_LOCATION_RULES}"))
        if path.startswith("docs/core-location/") and path != SOURCES:
            for match in _SOURCE_IN_TEXT.finditer(prose):
                if match.group().lower() not in self.sources:
                    found.append(
                        (path, line_of(prose, match.start()), f"source {match.group()} has no anchor in {SOURCES}")
                    )
        return found

    def _keys(self, path, source):
        """The sources of a rule: literals of which every word is a key, or the id of another rule."""
        found = []
        for match in re.finditer(r'"([^"\n]+)"', source.strings):
            words = match.group(1).split()
            if all(_SOURCE.fullmatch(word) or self.core_rule.fullmatch(word) for word in words):
                for word in words:
                    if word.lower() not in self.sources | self.core_rules:
                        line = source.line(match.start())
                        found.append((path, line, f"source {word} has no anchor in {SOURCES}"))
        return found

    def _links(self, path, text):
        found = []
        text = _CODE_SPAN.sub(blank, text)
        for pattern in (_LINK, _DEFINITION, _ATTRIBUTE):
            for match in pattern.finditer(text):
                target = match.group(1)
                problem = self._problem(path, target)
                if problem:
                    found.append((path, line_of(text, match.start()), f"{target}: {problem}"))
        return found

    def _problem(self, path, target):
        if re.match(r"[a-z][a-z0-9+.-]*:|//|/", target, re.I):
            return None
        file, _, fragment = target.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(file))) if file else path
        if not self.exists(file):
            return "there is no such file"
        if fragment and file.endswith(".md") and fragment not in self.fragments.get(file, set()):
            return f"{file} has no such heading or anchor"
        return None

    def _absent(self, path, text):
        """Documents and folders that only their writer has."""
        found = []
        for pattern, what in _ABSENT:
            for match in pattern.finditer(text):
                found.append((path, line_of(text, match.start()), f'"{match.group()}" refers to {what}'))
        for match in _TITLE.finditer(text):
            word = match.group()
            is_defined = re.search(rf"\b{word}\b *:?=|\$[({{]?{word}\b", text)
            if word not in _CAPITALS and f"{word}.md" not in self.pages and not is_defined:
                found.append((path, line_of(text, match.start()), f'"{word}" refers to a document that is not here'))
        for match in _PAGE_NAME.finditer(_LINK.sub(blank, text) if path.endswith(".md") else text):
            if posixpath.basename(match.group()) not in self.pages:
                found.append((path, line_of(text, match.start()), f"{match.group()}: there is no such page"))
        return found

    def _sections(self, path, prose):
        """Sections of a document that the same comment or paragraph does not name."""
        found = []
        for match in _SECTION.finditer(prose):
            start, end = prose.rfind("\n\n", 0, match.start()), prose.find("\n\n", match.end())
            around = prose[max(start, 0) : end if end > 0 else None]
            blocks = re.split(r"\n[ \t]*\n", around)
            block = next((b for b in blocks if match.group() in b), around)
            if not _PUBLIC.search(block):
                found.append((path, line_of(prose, match.start()), f'"{match.group()}" of which document?'))
        return found


def versions(texts):
    """The constant is the newest version of the change log, and what pages show as a user agent."""
    path = "Sources/FencepostModel/FencepostVersion.swift"
    current = re.search(r'static let current = "([^"]+)"', texts[path])
    if current is None:
        return [(path, 1, "there is no `static let current`")]
    current, found = current.group(1), []
    log = "CHANGELOG.md"
    newest = re.search(r"^## \[?(\d+\.\d+\.\d+)\b", texts[log], re.M)
    if newest is None or newest.group(1) != current:
        found.append((log, 1, f"the newest version is not {current}, the one of {path}"))
    for page, text in texts.items():
        if page.endswith(".md") and page != log:
            for match in re.finditer(r"\bFencepost/(\d+\.\d+\.\d+)", text):
                if match.group(1) != current:
                    found.append((page, line_of(text, match.start()), f"{match.group()}: the version is {current}"))
    return found


def selftest():
    """Feeds samples with each defect and fails if one is not found."""
    pages = {
        "docs/reference/a.md": '# Title: one `two`\n<a id="w5"></a>W5\n## Twice\n## Twice\n',
        CORE_LOCATION_RULES: '<a id="auth-01"></a>AUTH-01\n',
        SOURCES: '<a id="h16"></a>H16 <a id="d-always"></a> <a id="w19"></a>\n',
    }
    references = References(pages, lambda path: path in pages or path in ("docs/b.png", "docs/types.d.ts"))
    samples = [
        ("Sources/A/A.swift", "/// Rules W5 and W6.\nlet W7 = 1 // `W8`", ["rule W6"]),
        ("Sources/A/A.swift", 'let a = "AUTH-01 AUTH-02" // AUTH-03, UTF-16', ["AUTH-02", "AUTH-03"]),
        (
            "Sources/FencepostSimulator/Rules/A.swift",
            'f("H16 D-ALWAYS D-NONE", "H16 is text") // W19',
            ["source D-NONE"],
        ),
        ("Sources/A/A.swift", "/// As in GUIDELINES 5.", ['"GUIDELINES"']),
        ("Sources/A/A.swift", "/// STARTTLS, as in `a.md` and other.md.", ["other.md"]),
        ("Tests/a.sh", "UNIVERSE=1 # UNIVERSE, and not COSMOLOGY", ['"COSMOLOGY"']),
        ("Sources/A/A.swift", "/// See section 7.1.", ['"section 7.1"']),
        ("Sources/A/A.swift", "/// See RFC 7946,\n/// section 7.1.", []),
        (
            "docs/c.md",
            "[a](reference/a.md#title-one-two) [b](b.png) [c](https://x.org) [d](reference/a.md#twice-1)",
            [],
        ),
        ("docs/c.md", "[a](reference/a.md#none) [b](c.png)\n```\n[x](y)\n```", ["reference/a.md#none", "c.png"]),
        ("docs/c.md", "See `docs/b.png` and `docs/no.md`, `docs/*`.", ["docs/no.md"]),
        ("docs/c.js", 'import { a } from "./b.png";\nimport {\n  b,\n} from "../no.js";', ["../no.js"]),
        ("docs/c.js", 'export { A } from "./types";\nexport { B } from "./no";', ["./no"]),
        ("docs/core-location/t.md", "After H16 and D-NONE", ["source D-NONE"]),
    ]
    for path, text, expected in samples:
        found = [message for _, _, message in references.check(path, text)]
        if len(found) != len(expected) or not all(a.startswith(b) for a, b in zip(sorted(found), sorted(expected))):
            sys.exit(f"references.py fails its self-test: {found} instead of {expected} in\n{text}")
    constant = 'static let current = "1.2.0"'
    sample = {
        "Sources/FencepostModel/FencepostVersion.swift": constant,
        "CHANGELOG.md": "## [1.1.0]",
        "docs/a.md": "Fencepost/1.0.0",
    }
    if len(versions(sample)) != 2:
        sys.exit("references.py fails its self-test: it passes other versions than the constant")


def main():
    selftest()
    tops = [
        "Sources",
        "Tests",
        "docs",
        "Regions",
        ".github",
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "Makefile",
    ]
    paths = [
        p
        for p in files(tops, (".md", ".swift", ".js", ".py", ".sh", ".yml", "Makefile"))
        if not p.startswith("Tests/Lint/")
    ]
    texts = {path: read(path) for path in paths}
    references = References(
        {path: text for path, text in texts.items() if path.endswith(".md")},
        lambda path: os.path.exists(os.path.join(ROOT, path)),
    )
    findings = []
    for path, text in texts.items():
        findings += references.check(path, text)
    findings += versions(texts)
    return report(findings, "references")


if __name__ == "__main__":
    sys.exit(main())
