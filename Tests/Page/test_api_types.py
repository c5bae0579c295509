#!/usr/bin/env python3
"""Tests api_types.py: python3 Tests/Page/test_api_types.py"""

import pathlib
import tempfile
import unittest
from unittest import mock

import api_types


class Types(unittest.TestCase):
    def check(self, schema, expected):
        self.assertEqual(api_types.type_of(schema), expected)

    def test_plain(self):
        self.check({"type": "string", "format": "date-time"}, "string")
        self.check({"type": "integer", "minimum": 0}, "number")
        self.check({"type": ["string", "null"]}, "string | null")
        self.check({}, "any")
        self.check({"$ref": "#/components/schemas/Visit"}, "Visit")

    def test_values(self):
        self.check({"type": "string", "enum": ["a", 'b"']}, '"a" | "b\\""')
        self.check({"type": "boolean", "const": True}, "true")
        self.check({"enum": ["é", None]}, '"é" | null')

    def test_arrays(self):
        self.check({"type": "array", "items": {"type": "string"}}, "string[]")
        self.check({"type": "array", "items": {"type": ["string", "null"]}}, "(string | null)[]")
        self.check({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}, "[number, number]")
        self.check({"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}]}, "[number, string]")
        # A union inside the braces of an element is no union of elements.
        element = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}
        self.check({"type": "array", "items": element}, "{ a?: string | null }[]")

    def test_objects(self):
        schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b-c": {}}}
        self.check(schema, '{ a: string; "b-c"?: any }')
        self.check({"type": "object"}, "Open")
        self.check({"type": "object", "additionalProperties": {"type": "integer"}}, "{ [name: string]: number }")
        self.check({"type": ["object", "null"], "properties": {"a": {}}}, "{ a?: any } | null")

    def test_long_objects_are_broken_and_indented(self):
        properties = {f"member{index}": {"type": "string"} for index in range(9)}
        inner = {"type": "object", "properties": properties}
        text = api_types.type_of({"type": "object", "properties": {"inner": inner}})
        self.assertTrue(text.startswith("{\n  inner?: {\n    member0?: string;\n"))
        self.assertTrue(text.endswith("    member8?: string;\n  };\n}"))

    def test_combinations(self):
        parts = [{"type": "string"}, {"type": ["number", "null"]}]
        self.check({"oneOf": parts}, "string | (number | null)")
        self.check({"allOf": parts}, "string & (number | null)")

    def test_a_schema_that_is_not_understood_is_an_error(self):
        with self.assertRaises(api_types.Unknown):
            api_types.type_of({"type": "date"})
        with self.assertRaises(api_types.Unknown):
            api_types.type_of({"not": {}})


def response(schema, media="application/json"):
    return {"description": "", "content": {media: {"schema": schema}}}


def document(**paths):
    return {"paths": paths, "components": {"schemas": {}, "responses": {}}}


class Answers(unittest.TestCase):
    def test_the_most_specific_path_is_first(self):
        ok = {"get": {"responses": {"200": response({"type": "string"})}}}
        text = api_types.answers({"paths": {"/v1/a/{id}": ok, "/v1/a/b": ok, "/v1/a/{id}/c": ok, "/v1/a": ok}}, "get")
        order = [line.split(" ? ")[0].split()[-1] for line in text.splitlines() if " ? " in line]
        self.assertEqual(order, ["`/v1/a/${string}/c`", '"/v1/a/b"', "`/v1/a/${string}`", '"/v1/a"'])

    def test_successes_are_a_union_and_failures_are_not_part_of_it(self):
        operation = {"responses": {
            "200": response({"type": "string"}), "201": response({"type": "string"}),
            "202": response({"type": "number"}), "404": response({"type": "boolean"}),
            "204": {"description": ""},
        }}
        self.assertEqual(api_types.answer_of(operation, document()), "string | number")

    def test_shared_responses_are_followed(self):
        described = document()
        described["components"]["responses"]["200"] = response({"type": "string"})
        operation = {"responses": {"200": {"$ref": "#/components/responses/200"}}}
        self.assertEqual(api_types.answer_of(operation, described), "string")

    def test_answers_without_json_are_left_out(self):
        operation = {"responses": {"200": response({"type": "string"}, "image/png"), "204": {}}}
        self.assertIsNone(api_types.answer_of(operation, document()))
        self.assertEqual(api_types.answers({"paths": {"/a": {"get": operation}}}, "get"), "")

    def test_json_is_preferred_to_geojson(self):
        content = {"application/geo+json": {"schema": {"type": "string"}}, "application/json": {"schema": {}}}
        self.assertEqual(api_types.answer_of({"responses": {"200": {"content": content}}}, document()), "any")


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name, "openapi.json")
        self.target = pathlib.Path(folder.name, "Types", "api.d.ts")
        self.describe("string")
        patch = mock.patch.object(api_types, "TARGET", self.target)
        patch.start()
        self.addCleanup(patch.stop)

    def describe(self, kind):
        schema = f'{{"A":{{"type":"{kind}","description":"What A is."}}}}'
        self.source.write_text(f'{{"paths":{{}},"components":{{"schemas":{schema}}}}}', encoding="utf-8")

    def run_with(self, *arguments):
        with mock.patch("sys.stderr"):
            return api_types.main([*arguments, str(self.source)])

    def test_a_file_is_stale_until_it_is_written_again(self):
        self.assertEqual(self.run_with("--check"), 1)
        self.assertEqual(self.run_with(), 0)
        self.assertEqual(self.run_with("--check"), 0)
        self.assertIn("/** What A is. */\nexport type A = string;\n", self.target.read_text(encoding="utf-8"))
        self.describe("number")
        self.assertEqual(self.run_with("--check"), 1)
        self.describe("date")
        self.assertEqual(self.run_with("--check"), 65)

    def test_wrong_arguments_show_the_usage(self):
        self.assertEqual(self.run_with("--chek"), 64)


if __name__ == "__main__":
    unittest.main()
