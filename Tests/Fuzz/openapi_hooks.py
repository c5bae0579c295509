"""Hooks for what the fuzzer cannot derive from the description."""

import base64
import itertools
import re

import schemathesis

requests = itertools.count(1)
PLAIN = re.compile(r"[A-Za-z0-9_-]+")


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(requests)
    # A key that was used with another body is rejected: three of four requests get their own key.
    if case.headers and number % 4:
        key = case.headers.get("Idempotency-Key")
        if isinstance(key, str) and PLAIN.fullmatch(key):
            case.headers["Idempotency-Key"] = f"fuzz-{number}"
    # Cursors are opaque: three of four requests get a cursor that a page could contain.
    if case.query and number % 4:
        cursor = case.query.get("cursor")
        if isinstance(cursor, str) and PLAIN.fullmatch(cursor):
            list_name = case.path.split("?")[0].split("/")[-1]
            if list_name in ("apps", "devices", "endpoints", "regions", "tokens"):
                text = "i" + cursor[:64]
            elif list_name == "locations":
                text = f"t{1772352000000 + len(cursor)}.{len(cursor) % 3}"
            else:
                text = f"n{len(cursor) - 1}"
            case.query["cursor"] = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
