"""The SDK of the Model Context Protocol asks the service, over HTTP and over standard input and output."""

import asyncio
import json
import time
import urllib.parse

import mcp
import requests
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

BEGIN = 1772352000  # 2026-03-01T08:00:00Z


def utc(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(BEGIN + seconds))


def add_day(url, session):
    """Two vans that go from an office to a yard and back, in some hours of a day."""
    for name, longitude, tags in (("office", 13.40, ["vans"]), ("yard", 13.50, [])):
        region = {"type": "Feature", "properties": {"name": name.title(), "radius": 150, "tags": tags},
                  "geometry": {"type": "Point", "coordinates": [longitude, 52.5]}}
        session.put(f"{url}/v1/regions/mcp-{name}", json=region).raise_for_status()
    for van in ("mcp/van 1", "mcp/van 2"):
        locations = []
        for minute in range(0, 300):
            share = min(max((minute - 90) / 30, 0), 1) - min(max((minute - 220) / 30, 0), 1)
            locations.append({"deviceId": van, "timestamp": utc(minute * 60), "latitude": 52.5,
                              "longitude": 13.40 + 0.10 * share, "horizontalAccuracy": 8})
        session.post(f"{url}/v1/locations", json={"locations": locations}).raise_for_status()


def questions(event, visit_event):
    """Thirty questions: a tool, its arguments, and where REST has the answer."""
    day = {"from": utc(0), "to": utc(86400)}
    one, two = "mcp/van 1", "mcp/van 2"
    yield "list_devices", {}, "/v1/devices", {}
    yield "list_devices", {"deviceId": "mcp/*"}, "/v1/devices", {"deviceId": "mcp/*"}
    yield "list_devices", {"limit": 1}, "/v1/devices", {"limit": 1}
    yield "list_devices", {"regionId": "mcp-office"}, "/v1/devices", {"regionId": "mcp-office"}
    for van in (one, two):
        yield "get_device", {"id": van}, f"/v1/devices/{urllib.parse.quote(van, '')}", {}
        yield "get_timeline", {"deviceId": van, **day}, "/v1/timeline", {"deviceId": van, **day}
        yield "list_locations", {"deviceId": van, "limit": 7}, "/v1/locations", {"deviceId": van, "limit": 7}
        yield "list_visits", {"deviceId": van}, "/v1/visits", {"deviceId": van}
        yield "list_trips", {"deviceId": van, **day}, "/v1/trips", {"deviceId": van, **day}
        yield "list_places", {"deviceId": van}, "/v1/places", {"deviceId": van}
    yield "list_regions", {}, "/v1/regions", {}
    yield "list_regions", {"tag": "vans"}, "/v1/regions", {"tag": "vans"}
    yield "list_regions", {"contains": [13.4, 52.5]}, "/v1/regions", {"contains": "13.4,52.5"}
    yield "get_region", {"id": "mcp-yard"}, "/v1/regions/mcp-yard", {}
    yield "list_region_devices", {"id": "mcp-office"}, "/v1/regions/mcp-office/devices", {}
    yield "list_region_devices", {"id": "mcp-yard"}, "/v1/regions/mcp-yard/devices", {}
    yield "list_visits", {"regionId": "mcp-yard", **day}, "/v1/visits", {"regionId": "mcp-yard", **day}
    yield "list_trips", day, "/v1/trips", day
    for by in ("device", "region"):
        yield "get_summaries", {"by": by, **day}, "/v1/summaries", {"by": by, **day}
    yield "list_events", {"type": "region.*"}, "/v1/events", {"type": "region.*"}
    last = {"regionId": "mcp-yard", "order": "desc"}
    yield "list_events", last, "/v1/events", last
    yield "list_events", {"deviceId": two, "explain": True}, "/v1/events", {"deviceId": two, "explain": "true"}
    for found in (event, visit_event):
        yield "explain_event", {"id": found}, f"/v1/events/{found}", {"explain": "true"}


def agree(found, wanted, what):
    if found != wanted:
        raise SystemExit(f"mcp: {what}: {json.dumps(wanted)[:300]} was expected, and is {json.dumps(found)[:300]}")


async def ask(client, url, session, title):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for tool in tools.values():
        agree(tool.annotations.read_only_hint, True, f"{tool.name} reads")
    events = session.get(f"{url}/v1/events?deviceId=mcp/*&type=region.entered,visit.*").json()["data"]
    chosen = [next(e["id"] for e in events if e["type"].startswith(kind)) for kind in ("region", "visit")]
    count, used = 0, set()
    for tool, arguments, path, query in questions(*chosen):
        result = await client.call_tool(tool, arguments)
        answer = session.get(url + path, params=query)
        agree(result.is_error, False, f"{tool} {arguments}: {result.content[0].text[:200]}")
        agree(result.structured_content, answer.json(), f"{tool} {arguments}")
        agree(json.loads(result.content[0].text), answer.json(), f"the text of {tool} {arguments}")
        count, used = count + 1, used | {tool}
    square = [[[0, 0], [0, 1], [1, 0], [1, 1], [0, 0]]]
    features = {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": "bow", "properties": {}, "geometry": {"type": "Polygon", "coordinates": square}}]}
    wrong = await client.call_tool("check_regions", {"regions": features})
    agree((wrong.is_error, "bow" in wrong.content[0].text or "features/0" in wrong.content[0].text), (True, True),
          f"a polygon that crosses itself: {wrong.content[0].text[:300]}")
    agree(sorted(tools), sorted(used | {"check_regions"}), "the tools that are asked")
    for name, arguments, part in (("get_device", {}, "needs the argument id"),
                                  ("list_devices", {"colour": "red"}, "has no argument colour"),
                                  ("list_devices", {"limit": 0}, "limit"), ("get_device", {"id": "nobody"}, "device")):
        result = await client.call_tool(name, arguments)
        agree((result.is_error, part in result.content[0].text), (True, True), f"{name} {arguments}: {result.content}")
    try:
        await client.call_tool("erase_device", {})
        raise SystemExit("mcp: there is a tool that nobody made")
    except mcp.MCPError as error:
        agree("erase_device" in str(error), True, str(error))
    print(f"mcp: {count} questions over {title} have the answers of REST, with {len(tools)} tools.")


async def check_all(url, session, program, folder, token):
    for mode in ("auto", "legacy"):
        http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
        async with mcp.Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client:
            await ask(client, url, session, f"HTTP ({client.protocol_version})")
    server = StdioServerParameters(
        command=program, args=["mcp", "--server", url], env={"FENCEPOST_TOKEN": token}, cwd=folder)
    async with mcp.Client(stdio_client(server)) as client:
        await ask(client, url, session, f"stdio ({client.protocol_version})")


def check_rights(url, session):
    """A token reads by the protocol what it reads by REST, and no more."""
    made = {}
    for name, body in (("reads", {"scopes": ["read"]}), ("sends", {"scopes": ["ingest"]}),
                       ("bound", {"scopes": ["read"], "deviceId": "mcp/van 1"})):
        made[name] = session.post(f"{url}/v1/tokens", json={"name": name, **body}).json()["token"]
    count = 0
    events = session.get(f"{url}/v1/events?deviceId=mcp/*&type=region.entered,visit.*").json()["data"]
    chosen = [next(e["id"] for e in events if e["type"].startswith(kind)) for kind in ("region", "visit")]
    for name, token in made.items():
        headers = {"Authorization": f"Bearer {token}"}
        for tool, arguments, path, query in questions(*chosen):
            answer = requests.get(url + path, params=query, headers=headers, timeout=30)
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": tool, "arguments": arguments}}
            found = requests.post(f"{url}/mcp", json=message, headers=headers, timeout=30).json()["result"]
            what, text = f"{tool} by a token that {name}", found["content"][0]["text"]
            agree(found["isError"], not answer.ok, f"{what}: {text[:200]}")
            agree(json.loads(text).get("code"), answer.json().get("code"), what)
            agree(found.get("structuredContent"), answer.json() if answer.ok else None, what)
            count += 1
    agree(requests.post(f"{url}/mcp", json={}, timeout=30).status_code, 401, "without a token")
    print(f"mcp: {count} questions with tokens of fewer rights have the answers and the refusals of REST.")


def check(url, session, program, folder):
    add_day(url, session)
    token = session.headers["Authorization"].removeprefix("Bearer ")
    asyncio.run(check_all(url, session, program, folder, token))
    check_rights(url, session)
