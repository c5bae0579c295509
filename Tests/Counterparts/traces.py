"""Traces, as the messages of opentelemetry-proto read them, compared with what was posted.

Each request of the service has to be of the format, byte for byte as the library would write it. What is compared is
the tree of spans: that of a request, with those of its evaluation, its commit and its deliveries, also after a restart.
"""

import collections
import http.server
import json
import secrets
import threading
import time

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from service import start

DEVICE = "zoë-und-anton"
LATITUDE = 48.2034567


class Collector(http.server.BaseHTTPRequestHandler):
    """A receiver of spans that takes nothing which is not of the format."""

    protocol_version = "HTTP/1.1"
    spans, resources, problems, bodies = [], [], [], []
    changed = threading.Condition()
    status = 200

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        with self.changed:
            if self.status == 200:
                self.take(body)
            self.send_response(self.status)
            self.send_header("content-length", "0")
            self.end_headers()
            self.changed.notify_all()

    def take(self, body):
        request = ExportTraceServiceRequest()
        request.ParseFromString(body)
        if self.path != "/v1/traces" or self.headers["content-type"] != "application/x-protobuf":
            self.problems.append(f"{self.path} with {self.headers['content-type']}")
        if request.SerializeToString(deterministic=True) != body:
            self.problems.append("the library would write other bytes")
        if self.headers["x-key"] != "a key":
            self.problems.append("a header of the configuration is missing")
        self.bodies.append(body)
        for resource in request.resource_spans:
            self.resources.append(attributes(resource.resource))
            for scope in resource.scope_spans:
                self.spans.extend(scope.spans)

    def log_message(self, *details):
        pass


class Hook(http.server.BaseHTTPRequestHandler):
    """A receiver of webhooks that is in trouble at first."""

    parents = []
    fails = True

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.parents.append(self.headers["traceparent"])
        self.send_response(503 if self.fails else 204)
        self.end_headers()

    def log_message(self, *details):
        pass


def fail(text):
    raise SystemExit(f"traces: {text}")


def attributes(owner):
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in owner.attributes}


def until(condition, what):
    """Waits until spans are there that fulfil the condition, and returns its value."""
    end = time.monotonic() + 60
    with Collector.changed:
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            Collector.changed.wait(1)
    names = collections.Counter(span.name for span in Collector.spans)
    return fail(f"there is no {what} among {dict(names)}")


def of(trace):
    return [span for span in Collector.spans if span.trace_id == bytes.fromhex(trace)]


def one(spans, name):
    found = [span for span in spans if span.name == name]
    if len(found) != 1:
        fail(f"{len(found)} spans {name} instead of one among {[span.name for span in spans]}")
    return found[0]


def serve(handler, port=0):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def post(url, session, longitude, traceparent, device=DEVICE):
    location = {"deviceId": device, "timestamp": time.time(), "latitude": LATITUDE, "longitude": longitude,
                "horizontalAccuracy": 5}
    answer = session.post(
        f"{url}/v1/locations", json={"locations": [location]}, headers={"traceparent": traceparent}, timeout=10)
    if not answer.ok:
        fail(f"{answer.status_code} {answer.text[:200]}")


def check_request(spans, parent, url):
    """The spans of the request with the event, and the one of the delivery's request."""
    request = one(spans, "POST /v1/locations")
    known = attributes(request)
    wanted = {"http.request.method": "POST", "url.path": "/v1/locations", "url.scheme": "http",
              "http.response.status_code": 200, "server.address": "127.0.0.1", "server.port": int(url.split(":")[-1]),
              "http.route": "/v1/locations"}
    if known != wanted or request.kind != Span.SPAN_KIND_SERVER or request.parent_span_id.hex() != parent:
        fail(f"the request has {known}, kind {request.kind} and the parent {request.parent_span_id.hex()}")
    names = ["decode", "wait for evaluation", "evaluate", "wait for commit", "commit"]
    steps = [one(spans, name) for name in names]
    for step, after in zip(steps, steps[1:] + [None]):
        if step.parent_span_id != request.span_id or step.kind != Span.SPAN_KIND_INTERNAL:
            fail(f"{step.name} does not belong to the request")
        end = after.start_time_unix_nano if after else request.end_time_unix_nano
        if not request.start_time_unix_nano <= step.start_time_unix_nano <= step.end_time_unix_nano <= end:
            fail(f"{step.name} is not between the others")
    if abs(request.end_time_unix_nano / 1e9 - time.time()) > 120:
        fail("the times are not those of this minute")
    events = [attributes(event) for event in one(spans, "evaluate").events]
    if [(event["fencepost.event.type"], event["fencepost.region.id"]) for event in events] != [
            ("region.entered", "office")]:
        fail(f"the evaluation has {events}")
    return request, events[0]["fencepost.event.id"]


def check_delivery(spans, request, event):
    """The delivery, which took two attempts, one before and one after a restart."""
    delivery = one(spans, "deliver hook")
    known = attributes(delivery)
    wanted = {"messaging.system": "fencepost", "messaging.operation.type": "send",
              "messaging.operation.name": "deliver",
              "messaging.destination.name": "hook", "messaging.message.id": event,
              "fencepost.event.type": "region.entered", "fencepost.delivery.outcome": "delivered"}
    if not wanted.items() <= known.items() or delivery.parent_span_id != request.span_id:
        fail(f"the delivery has {known}")
    attempts = sorted((span for span in spans if span.name == "POST"), key=lambda span: span.start_time_unix_nano)
    seen = [(attributes(span).get("http.response.status_code"), attributes(span).get("http.request.resend_count"),
             attributes(span).get("error.type"), span.status.code) for span in attempts]
    tries = len(seen)
    wanted = [(503, number or None, "503", Status.STATUS_CODE_ERROR) for number in range(tries - 1)]
    if tries < 2 or seen != wanted + [(204, tries - 1, None, Status.STATUS_CODE_UNSET)]:
        fail(f"the attempts have {seen}")
    if known["fencepost.delivery.attempts"] != tries:
        fail(f"the delivery counts {known['fencepost.delivery.attempts']} attempts, and there are {tries}")
    if any(span.parent_span_id != delivery.span_id or span.kind != Span.SPAN_KIND_CLIENT for span in attempts):
        fail("an attempt does not belong to the delivery")
    if Hook.parents != [f"00-{span.trace_id.hex()}-{span.span_id.hex()}-01" for span in attempts]:
        fail(f"the receiver of the webhook has {Hook.parents}")
    return tries


def check_absence(url, session, folder, collector):
    """A receiver that is away: everything else works, the log says it once, and spans that wait arrive later."""
    port = collector.server_port
    collector.shutdown()
    collector.server_close()
    trace = secrets.token_hex(16)
    for number in range(3):
        post(url, session, 16.5 + number / 100, f"00-{trace}-{secrets.token_hex(8)}-01")
        time.sleep(4)
    back = serve(Collector, port)
    until(lambda: len([span for span in of(trace) if span.name == "commit"]) == 3, "commit after the absence")
    lines = [line for line in (folder / "log").read_text().splitlines() if "receiver of traces" in line]
    if [("does not take" in line, "again" in line) for line in lines] not in (
            [(True, False), (False, True)], [(True, False)]):
        fail(f"the log says {lines}")
    return back


def metric(url, session, outcome):
    text = session.get(f"{url}/metrics", timeout=10).text
    name = f'fencepost_trace_spans_total{{outcome="{outcome}"}}'
    return next(int(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


def check(program, folder, free_port):
    folder = folder / "traces"
    folder.mkdir()
    collector, hook, port = serve(Collector), serve(Hook), free_port()
    url = f"http://127.0.0.1:{port}"
    tracing = {"endpoint": f"http://127.0.0.1:{collector.server_port}/v1/traces", "headers": {"x-key": "a key"},
               "serviceName": "geofences", "resourceAttributes": {"deployment.environment.name": "test"}}
    process, session = start(program, folder, port, None, {"tracing": tracing})
    try:
        region = {"type": "Feature", "properties": {"name": "Office", "radius": 150},
                  "geometry": {"type": "Point", "coordinates": [16.37, LATITUDE]}}
        session.put(f"{url}/v1/regions/office", json=region, timeout=10).raise_for_status()
        endpoint = {"id": "hook", "url": f"http://127.0.0.1:{hook.server_port}/secret", "events": ["region.entered"]}
        session.post(f"{url}/v1/endpoints", json=endpoint, timeout=10).raise_for_status()
        silent, loud, parent = secrets.token_hex(16), secrets.token_hex(16), secrets.token_hex(8)
        post(url, session, 16.4, f"00-{silent}-{parent}-00", "another")
        post(url, session, 16.37, f"00-{loud}-{parent}-01")
        until(lambda: Hook.parents, "attempt")
        process.terminate()
        process.wait(20)
        Hook.fails = False
        process, session = start(program, folder, port, None, {"tracing": tracing})
        until(lambda: [span for span in of(loud) if span.name == "deliver hook"], "delivery")
        request, event = check_request(of(loud), parent, url)
        tries = check_delivery(of(loud), request, event)
        if of(silent):
            fail("a trace is recorded that its caller does not record")
        collector = check_absence(url, session, folder, collector)
        sent = metric(url, session, "sent")
        if metric(url, session, "failed") or metric(url, session, "dropped") or not sent:
            fail("spans are counted as lost that have arrived")
        # The spans of a request that comes just before the end are sent at the end.
        last = secrets.token_hex(16)
        post(url, session, 16.6, f"00-{last}-{parent}-01")
        process.terminate()
        process.wait(20)
        if len(of(last)) != 6:
            fail(f"a stop leaves {[span.name for span in of(last)]}")
    finally:
        process.terminate()
        process.wait(20)
    for resource in Collector.resources:
        if (resource["service.name"], resource["deployment.environment.name"]) != ("geofences", "test"):
            fail(f"the resource is {resource}")
    for body in Collector.bodies:
        if DEVICE.encode() in body or b"secret" in body or str(LATITUDE).encode() in body:
            fail("a device, a position or a URL is in a span")
    if Collector.problems:
        fail(json.dumps(Collector.problems[:3]))
    collector.shutdown()
    hook.shutdown()
    count = f"{len(Collector.spans)} spans in {len(Collector.bodies)} requests"
    print(f"opentelemetry-proto: {count}; a webhook of {tries} attempts, with a restart between them, is in its trace.")
