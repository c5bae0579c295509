"""Has other people's libraries read what the service sends: Tests/Counterparts/run.py PROGRAM

standardwebhooks verifies the signatures, the SDK of CloudEvents reads its three forms, sseclient the stream,
openapi-spec-validator the description of the API, and openapi-python-client makes a client of it, which is used. Other
libraries write files of locations and regions, paho-mqtt speaks through mosquitto, and requests pass through nginx and
Caddy. oidc-provider-mock signs users in, and joserfc makes tokens that have to be refused. The SDK of the
Model Context Protocol asks questions. opentelemetry-proto reads traces. jsonschema compares all that is sent with the
AsyncAPI document. The libraries are those of requirements.txt; programs that are not installed are left out with a
message.
"""

import http.server
import json
import pathlib
import queue
import sys
import tempfile
import threading
import time
import urllib.parse

import openapi_spec_validator
import sseclient
import standardwebhooks
from cloudevents.http import from_http

import asyncapi
import broker
import generated_client
import grafana
import messages
import model_context
import provider
import proxies
import traces
import written_files
import written_regions
from service import free_port, start

FORMS = ("standard", "binary", "structured", "batch")
SECRET = "whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg=="


class Receiver(http.server.BaseHTTPRequestHandler):
    received = queue.Queue()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.received.put((self.path[1:], dict(self.headers), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *details):
        pass


def answer(response):
    if not response.ok:
        sys.exit(f"{response.request.method} {response.url}: {response.status_code} {response.text[:400]}")
    return response.json()


def read_message(form, headers, body):
    """The event's type and device, as the library of the form understands it."""
    standardwebhooks.Webhook(SECRET).verify(body, {name.lower(): value for name, value in headers.items()})
    try:
        standardwebhooks.Webhook(SECRET).verify(body + b" ", {name.lower(): headers[name] for name in headers})
        sys.exit("standardwebhooks accepts a body that was changed.")
    except standardwebhooks.WebhookVerificationError:
        pass
    if form == "standard":
        message = json.loads(body)
        return message["type"], message["data"]["deviceId"]
    if form == "batch":
        [message] = json.loads(body)
        headers, body = {"content-type": "application/cloudevents+json"}, json.dumps(message).encode()
    event = from_http(headers, body)
    # Headers are percent-encoded by the binding of CloudEvents to HTTP; this SDK leaves them so.
    subject = urllib.parse.unquote(event["subject"]) if form == "binary" else event["subject"]
    return event["type"].removeprefix("fencepost."), subject


def check(url, session, hooks, folder, program, broker_port, restart):
    description = session.get(f"{url}/openapi.json")
    document = answer(description)
    openapi_spec_validator.validate(document)
    print(f"openapi-spec-validator: {len(document['paths'])} paths are valid OpenAPI {document['openapi']}.")
    generated_client.generate(description.content, folder)
    generated_client.use(url, session.headers["Authorization"].removeprefix("Bearer "))
    print("openapi-python-client: the generated client stores and reads regions, locations and devices.")
    for form in FORMS:
        endpoint = {"url": f"{hooks}/{form}", "secret": SECRET, "events": ["region.entered"], "format": form}
        answer(session.post(f"{url}/v1/endpoints", json=endpoint))
    region = {"type": "Feature", "properties": {"name": "Büro", "radius": 150},
              "geometry": {"type": "Point", "coordinates": [16.37, 48.2]}}
    answer(session.put(f"{url}/v1/regions/office", json=region))
    location = {"deviceId": "jane/phone ü", "timestamp": time.time(), "latitude": 48.2, "longitude": 16.37,
                "horizontalAccuracy": 5}
    stream = session.get(f"{url}/v1/stream?lastEventId=0", stream=True, timeout=30)
    answer(session.post(f"{url}/v1/locations", json={"locations": [location]}))
    wanted = ("region.entered", location["deviceId"])
    for event in sseclient.SSEClient(stream).events():
        if (event.event, json.loads(event.data)["deviceId"]) == wanted and event.id:
            break
    print("sseclient: the event is in the stream.")
    left = set(FORMS)
    while left:
        form, headers, body = Receiver.received.get(timeout=30)
        seen = read_message(form, headers, body)
        if seen != wanted:
            sys.exit(f"{form}: {wanted} was expected, {seen} was read")
        left.discard(form)
    print(f"standardwebhooks: the signatures of {', '.join(FORMS)} are right, and no other body has them.")
    print("CloudEvents SDK: binary, structured and batch have the event.")
    grafana.check()
    messages.check(url, session)
    written_files.check(url, session, program)
    written_regions.check(program)
    proxies.check(url, session, folder, free_port)
    provider.check(program, folder, free_port)
    model_context.check(url, session, program, folder)
    traces.check(program, folder, free_port)
    if broker_port:
        asyncapi.check(program, folder, free_port)
        broker.check(url, session, broker_port, restart)
    else:
        print("mosquitto is not installed: its part is left out.")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = free_port()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        broker_port = free_port() if broker.PROGRAM else None
        running = [broker.start_broker(folder, broker_port)] if broker_port else []

        def restart():
            running[0].terminate()
            running[0].wait(20)
            running[0] = broker.start_broker(folder, broker_port)

        try:
            process, session = start(program, folder, port, broker_port)
            running.append(process)
            hooks = f"http://127.0.0.1:{server.server_port}"
            check(f"http://127.0.0.1:{port}", session, hooks, folder, program, broker_port, restart)
        finally:
            for process in reversed(running):
                process.terminate()
                process.wait(20)


if __name__ == "__main__":
    main()
