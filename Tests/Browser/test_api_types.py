"""The types of the API in the page's sources are those that the service describes."""

import sys

from conftest import ROOT

sys.path.append(str(ROOT / "Tests" / "Page"))

import api_types  # noqa: E402


def test_types_are_those_of_the_service(service):
    described = api_types.text_of(service.get("/openapi.json"))
    written = api_types.TARGET.read_text(encoding="utf-8")
    # The texts are long, and their difference takes minutes to print.
    is_current = described == written
    assert is_current, f"Renew the types: Tests/Page/api_types.py {service.url}/openapi.json, with a service that runs"
