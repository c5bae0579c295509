"""The client in Python, driven by the suite: a line of JSON on standard input is a task, and so is its result."""

import importlib
import inspect
import json
import re
import sys

import fencepost_client
from fencepost_client import models, stream, webhooks
from fencepost_client.types import UNSET


def plain(value):
    """A result as JSON has it."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, bytes):
        return value.decode()
    return [plain(item) for item in value] if isinstance(value, list) else value


def call(client, _, task):
    """Calls an operation by the name of its description."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", task["operation"]).lower()
    module = importlib.import_module(f"fencepost_client.api.{task['tag'].lower()}.{name}")
    # Names that are Python's own end with an underscore.
    known = inspect.signature(module.sync).parameters
    names = {key: re.sub(r"(?<!^)(?=[A-Z])", "_", key).lower() for key in task.get("query", {})}
    named = {(name if name in known else name + "_"): task["query"][key] for key, name in names.items()}
    if "body" in task:
        named["body"] = getattr(models, task["type"]).from_dict(task["body"])
    values = [task["id"]] if "id" in task else []
    result = module.sync(*values, client=client, **named)
    return plain(None if result is UNSET else result)


def main():
    url, token = sys.argv[1:3]
    client = fencepost_client.AuthenticatedClient(base_url=url, token=token)
    for line in sys.stdin:
        task = json.loads(line)
        print(json.dumps(TASKS[task["do"]](client, token, task)), flush=True)


def verify(_, __, task):
    """Verifies a webhook."""
    try:
        return webhooks.verify(task["body"], task["headers"], task["secret"])
    except webhooks.WebhookVerificationError:
        return "refused"


def follow(_, token, task):
    """Follows the stream at another address for so many events."""
    client = fencepost_client.AuthenticatedClient(base_url=task["url"], token=token)
    pauses, found = [], []
    events = stream.stream(client, task["after"], sleep=pauses.append, **task["query"])
    for one in events:
        found.append([one.id, plain(one.event)])
        if len(found) == task["count"]:
            break
    events.close()
    return {"events": found, "pauses": len(pauses)}


TASKS = {"call": call, "verify": verify, "stream": follow}


if __name__ == "__main__":
    main()
