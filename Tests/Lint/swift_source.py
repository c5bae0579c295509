"""Splits a Swift (or JavaScript) file into code, comments and string literals.

The scanner keeps every line and column: what does not belong to a part is replaced by spaces. It is not a parser; it
knows comments, string literals of every form and interpolations, which is what the lints need.
"""

import re
from bisect import bisect_right

# The next place in Swift code where something other than code starts, or a parenthesis inside an interpolation.
_SWIFT = re.compile(r'//[^\n]*|/\*|#+/|#*"""|#*"|[()]')
# In JavaScript a slash is a regular expression where a value is expected.
_JAVASCRIPT = re.compile(r"""//[^\n]*|/\*|"|'|`|(?:(?<=[=(,:;!&|?{}\[+])|(?<=return))\s*/(?![/*])|[{}]""")


class Source:
    """One file: `code`, `comments` and `strings` have the length and the line breaks of the text."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self._comments = []
        self._strings = []
        self._lines = [0] + [match.end() for match in re.finditer("\n", text)]
        if path.endswith((".js", ".mjs")):
            self._scan_javascript(0, False)
        else:
            self._scan_swift(0, False)
        self.code = self._without(self._comments + self._strings)
        self.comments = self._only(self._comments)
        self.strings = self._only(self._strings)

    def line(self, offset):
        """The number of the line, from 1, that holds the character at an offset."""
        return bisect_right(self._lines, offset)

    def _scan_swift(self, at, interpolation):
        text, depth = self.text, 0
        while match := _SWIFT.search(text, at):
            token, at = match.group(), match.end()
            if token.startswith("//"):
                self._comments.append((match.start(), at))
            elif token == "/*":
                at = self._block_comment(match.start())
            elif token == "(":
                depth += 1
            elif token == ")":
                depth -= 1
                if interpolation and depth < 0:
                    return at
            elif token.endswith("/"):
                end = text.find("/" + "#" * (len(token) - 1), at)
                at = len(text) if end < 0 else end + len(token)
                self._strings.append((match.start(), at))
            else:
                at = self._swift_string(match.start(), token)
        return len(text)

    def _block_comment(self, start):
        depth, at = 0, start
        while match := re.compile(r"/\*|\*/").search(self.text, at):
            depth += 1 if match.group() == "/*" else -1
            at = match.end()
            if depth == 0:
                break
        else:
            at = len(self.text)
        self._comments.append((start, at))
        return at

    def _swift_string(self, start, opening):
        """Scans a literal, of which interpolations are code again."""
        quotes = opening.lstrip("#")
        hashes = "#" * (len(opening) - len(quotes))
        closing = quotes + hashes
        escape = "\\" + hashes
        part = start
        at = start + len(opening)
        text = self.text
        while at < len(text):
            if text.startswith(closing, at):
                self._strings.append((part, at + len(closing)))
                return at + len(closing)
            if text.startswith(escape, at):
                after = at + len(escape)
                if text.startswith("(", after):
                    self._strings.append((part, after + 1))
                    part = at = self._scan_swift(after + 1, True)
                    part -= 1
                else:
                    at = after + 1
            elif len(quotes) == 1 and text[at] == "\n":
                break  # no string goes over a line end: the file is not Swift, or the scanner is wrong
            else:
                at += 1
        self._strings.append((part, at))
        return at

    def _scan_javascript(self, at, interpolation):
        text, depth = self.text, 0
        while match := _JAVASCRIPT.search(text, at):
            token, at = match.group(), match.end()
            if token.startswith("//"):
                self._comments.append((match.start(), at))
            elif token == "/*":
                end = text.find("*/", at)
                at = len(text) if end < 0 else end + 2
                self._comments.append((match.start(), at))
            elif token == "{":
                depth += 1
            elif token == "}":
                depth -= 1
                if interpolation and depth < 0:
                    return at
            elif token == "`":
                at = self._template(match.start())
            elif token in "\"'":
                end = re.compile(r"(?:[^\\\n" + token + r"]|\\.)*" + token, re.S).match(text, at)
                at = end.end() if end else at
                self._strings.append((match.start(), at))
            else:
                end = re.compile(r"(?:[^\\/\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*").match(text, at)
                if end:
                    self._strings.append((at - 1, end.end()))
                    at = end.end()
        return len(text)

    def _template(self, start):
        part, at, text = start, start + 1, self.text
        while at < len(text):
            if text[at] == "`":
                at += 1
                break
            if text.startswith("${", at):
                self._strings.append((part, at + 2))
                at = self._scan_javascript(at + 2, True)
                part = at - 1
            else:
                at += 2 if text[at] == "\\" else 1
        self._strings.append((part, at))
        return at

    def _only(self, ranges):
        """The text within the ranges; everything else is a space, line breaks apart."""
        parts, at = [], 0
        for start, end in sorted(ranges):
            parts.append(_blank(self.text[at:start]))
            parts.append(self.text[start:end])
            at = end
        parts.append(_blank(self.text[at:]))
        return "".join(parts)

    def _without(self, ranges):
        parts, at = [], 0
        for start, end in sorted(ranges):
            parts.append(self.text[at:start])
            parts.append(_blank(self.text[start:end]))
            at = end
        parts.append(self.text[at:])
        return "".join(parts)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)
