#!/usr/bin/env python3
"""Writes the types of the API for the page's modules from the service's /openapi.json.

    Tests/Page/api_types.py FILE-OR-URL            writes Sources/FencepostPage/Types/api.d.ts
    Tests/Page/api_types.py --check FILE-OR-URL    fails if that file is not what would be written

The file has an interface for each schema, and the types `Get`, `Post`, `Put` and so on: what a request to a path
answers. test_api_types.py tests this script; a test in the browser compares the file with the service.
"""

import json
import pathlib
import re
import sys
import textwrap
import urllib.request

TARGET = pathlib.Path(__file__).resolve().parents[2] / "Sources/FencepostPage/Types/api.d.ts"
HEADER = """\
// The types of the API. Generated from the service's /openapi.json by Tests/Page/api_types.py: do not edit.

/** An object whose members the description of the API leaves open. */
type Open = { [name: string]: any };
"""
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
# Of several media types of an answer, the first of these that it has.
JSON_TYPES = ("application/json", "application/geo+json")
METHODS = ("get", "post", "put", "patch", "delete")
WIDTH = 120


class Unknown(Exception):
    """A schema that the script does not understand: it is better to fail than to write `any`."""


def type_of(schema, indent=""):
    """The type of a schema, as TypeScript. Lines after the first one begin with `indent`."""
    if schema is True or schema == {}:
        return "any"
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    for word, sign in (("oneOf", " | "), ("anyOf", " | "), ("allOf", " & ")):
        if word in schema:
            parts = [type_of(part, indent) for part in schema[word]]
            return sign.join(f"({part})" if " " in part else part for part in parts)
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if "enum" in schema:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    types = schema.get("type")
    if isinstance(types, list):
        return " | ".join(type_of({**schema, "type": one}, indent) for one in types)
    if types == "array":
        return array_of(schema, indent)
    if types == "object":
        return object_of(schema, indent)
    if types in PLAIN:
        return PLAIN[types]
    raise Unknown(f"a schema without a type: {json.dumps(schema)[:200]}")


def array_of(schema, indent):
    if "prefixItems" in schema:
        return f"[{', '.join(type_of(one, indent) for one in schema['prefixItems'])}]"
    element = type_of(schema.get("items", {}), indent)
    least, most = schema.get("minItems"), schema.get("maxItems")
    if least is not None and least == most and most <= 4:
        return f"[{', '.join([element] * most)}]"
    return f"({element})[]" if re.search(r" [|&] ", outside_braces(element)) else f"{element}[]"


def outside_braces(text):
    """A type without what is inside braces, to see whether it is a union."""
    while (shorter := re.sub(r"\{[^{}]*\}", "", text)) != text:
        text = shorter
    return text


def object_of(schema, indent):
    properties = schema.get("properties")
    further = schema.get("additionalProperties")
    if not properties:
        if isinstance(further, dict) and further:
            return f"{{ [name: string]: {type_of(further, indent)} }}"
        return "Open"
    required = set(schema.get("required", []))
    inner = indent + "  "
    members = [
        f"{member_name(name)}{'' if name in required else '?'}: {type_of(one, inner)}"
        for name, one in properties.items()
    ]
    line = f"{{ {'; '.join(members)} }}"
    if "\n" not in line and len(indent) + len(line) < WIDTH - 40:
        return line
    return "{\n" + "".join(f"{inner}{member};\n" for member in members) + indent + "}"


def member_name(name):
    return name if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else json.dumps(name)


def answer_of(operation, document):
    """The type of what an operation answers: a union if its successes differ; None if it has no JSON."""
    found = []
    for status, response in operation["responses"].items():
        if not status.startswith("2"):
            continue
        if "$ref" in response:
            response = document["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
        content = response.get("content", {})
        schema = next((content[name].get("schema", {}) for name in JSON_TYPES if name in content), None)
        if schema is not None:
            kind = type_of(schema, "  ")
            if kind not in found:
                found.append(kind)
    return " | ".join(found) or None


def pattern_of(path):
    """A path as a type: `/v1/devices/{id}` is a template with any text in the place of the id."""
    if "{" not in path:
        return json.dumps(path)
    return "`" + re.sub(r"\{\w+\}", "${string}", path) + "`"


def specificity(path):
    """Sorts the longer paths first, and among these the ones with fewer parameters: the first that fits is taken."""
    return (-path.count("/"), path.count("{"), path)


def answers(document, method):
    """The type of what requests of one method answer, by path; empty without such requests."""
    lines = []
    for path in sorted(document["paths"], key=specificity):
        operation = document["paths"][path].get(method)
        answer = operation and answer_of(operation, document)
        if answer:
            lines.append(f"  Path extends {pattern_of(path)} ? {answer} :\n")
    if not lines:
        return ""
    name = method.capitalize()
    comment = f"/** What a {method.upper()} request to a path answers; `any` for a path that is not known exactly. */\n"
    return f"\n{comment}export type {name}<Path extends string> =\n{''.join(lines)}  any;\n"


def text_of(document):
    parts = [HEADER]
    for name, schema in document["components"]["schemas"].items():
        kind = type_of(schema)
        comment = schema.get("description")
        lines = f"/** {textwrap.shorten(comment, WIDTH - 8)} */\n" if comment else ""
        parts.append(f"\n{lines}export type {name} = {kind};\n")
    parts += [answers(document, method) for method in METHODS]
    return "".join(parts)


def load(source):
    if re.match(r"https?://", source):
        with urllib.request.urlopen(source, timeout=60) as response:
            return json.load(response)
    return json.loads(pathlib.Path(source).read_text(encoding="utf-8"))


def main(arguments):
    is_check = arguments[:1] == ["--check"]
    sources = arguments[1:] if is_check else arguments
    if len(sources) != 1 or sources[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 64
    try:
        text = text_of(load(sources[0]))
    except (Unknown, KeyError) as error:
        print(f"api_types.py: {sources[0]}: {error}", file=sys.stderr)
        return 65
    if not is_check:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET} is not what the service describes: Tests/Page/api_types.py {sources[0]}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
