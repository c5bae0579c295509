#!/usr/bin/env python3
"""Checks that PageFiles.c embeds exactly the files of the map page, whose lines fit: Tests/Lint/page_files.py [--write]

With --write it renews the two generated parts of the file: an array for each file, and its row in the list.
"""

import os
import re
import sys

from repository import ROOT, files, read, report

TARGET = "Sources/C/CPageFiles/PageFiles.c"
FOLDER = "Sources/FencepostPage/Web"
_COMMAND = "python3 Tests/Lint/page_files.py --write"
_WIDTH = 120
_PART = r"(// Generated \({0}\)[^\n]*\n)(.*?)([ ]*// End of the generated part\.\n)"


def identifier(path):
    """The name of a file's array: `map/canvas-layer.js` is `map_canvas_layer_js`."""
    return re.sub(r"\W", "_", path)


def arrays(paths):
    return "".join(
        f'static const unsigned char {identifier(path)}[] = {{\n#embed "../../FencepostPage/Web/{path}"\n}};\n'
        for path in paths
    )


def rows(paths):
    return "".join(f'    PAGE_FILE("{path}", {identifier(path)}),\n' for path in paths)


def generated(text, paths):
    """The text with its generated parts renewed; None if it lacks one of them."""
    for name, content in (("arrays", arrays(paths)), ("rows", rows(paths))):
        found = re.search(_PART.format(name), text, re.DOTALL)
        if not found:
            return None
        text = text[: found.start(2)] + content + text[found.end(2) :]
    return text


def embeddable(paths):
    """The paths of the page in the order of the list, without hidden files: those of the root, then the folders."""
    names = [os.path.relpath(path, FOLDER) for path in paths]
    visible = [name for name in names if not any(part.startswith(".") for part in name.split("/"))]
    return sorted(visible, key=lambda name: ("/" in name, name))


def check(text, paths):
    """The findings about a list: what is missing or too much in it, or else that it is written otherwise."""
    wanted = generated(text, paths)
    if wanted is None:
        return [(TARGET, 1, "the comments around the generated parts are missing")]
    if wanted == text:
        return []
    listed = set(re.findall(r'#embed "\.\./\.\./FencepostPage/Web/([^"]+)"', text))
    found = [f"{path} is not embedded" for path in paths if path not in listed]
    found += [f"{path} does not exist" for path in sorted(listed - set(paths))]
    return [(TARGET, 1, f"{message}: {_COMMAND}") for message in found or ["the list is not as generated"]]


def long_lines(path, text):
    """The lines of a file of the page that are too long for the tests of the page."""
    return [
        (path, number, f"the line has {len(line)} characters, more than {_WIDTH}")
        for number, line in enumerate(text.split("\n"), 1)
        if len(line) > _WIDTH
    ]


def selftest():
    """Feeds lists with each defect and fails if one is not found."""
    paths = embeddable([f"{FOLDER}/{name}" for name in ("map/b-c.js", "index.html", ".hidden", "map/.x.js", "a/z.js")])
    if paths != ["index.html", "a/z.js", "map/b-c.js"]:
        sys.exit(f"page_files.py fails its self-test: {paths}")
    empty = (
        "// Generated (arrays): x\n// End of the generated part.\n"
        "{\n    // Generated (rows): x\n    // End of the generated part.\n};\n"
    )
    full = generated(empty, paths)
    samples = [
        (full, paths, 0),
        (full, paths + ["new.js"], 1),
        (full, paths[1:], 1),
        (full.replace("map_b_c_js),", "map_b_c_js), "), paths, 1),
        (full.replace('    PAGE_FILE("index.html", index_html),\n', ""), paths, 1),
        ("nothing", paths, 1),
    ]
    if len(long_lines("a.js", "a" * 120 + "\n" + "b" * 121)) != 1:
        sys.exit("page_files.py fails its self-test of long lines")
    for text, given, expected in samples:
        found = check(text, given)
        if len(found) != expected:
            sys.exit(f"page_files.py fails its self-test: {found} instead of {expected} in\n{text}")


def main():
    selftest()
    text = read(TARGET)
    paths = embeddable(files([FOLDER], ("",)))
    if "--write" in sys.argv:
        wanted = generated(text, paths)
        if wanted is None:
            sys.exit(f"{TARGET}: the comments around the generated parts are missing")
        with open(os.path.join(ROOT, TARGET), "w", encoding="utf-8") as file:
            file.write(wanted)
        return 0
    found = check(text, paths)
    for path in files([FOLDER], (".js", ".html")):
        found += long_lines(path, read(path))
    return report(found, "page_files")


if __name__ == "__main__":
    sys.exit(main())
