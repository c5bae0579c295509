"""The stream of events, which goes on after the last event when its connection ends."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import httpx_sse

from .client import AuthenticatedClient
from .models.event import Event

__all__ = ["Gap", "StreamedEvent", "stream"]

# The server sends a comment each 15 s.
SILENCE = 45.0
LONGEST_PAUSE = 30.0


@dataclass
class StreamedEvent:
    """An event, and the id after which a later stream goes on."""

    id: str
    event: Event


@dataclass
class Gap:
    """The stream could not go on where it was: events before ``oldest`` are no longer stored."""

    data: Any


def stream(
    client: AuthenticatedClient,
    last_event_id: str | None = None,
    sleep: Callable[[float], None] = time.sleep,
    **query: str,
) -> Iterator[StreamedEvent | Gap]:
    """Events as they come, without an end.

    A connection that ends, or is silent for 45 s, is made again after 1 s, then after up to 30 s. From
    ``last_event_id``, or else from the first event on, none is missing, and none comes twice.

    Parameters:
        client: the client of the API, whose token has the scope ``read``.
        last_event_id: the ``id`` of the last event that you have; ``"0"`` is before all. Without one the stream begins
            with the next event.
        sleep: waits for so many seconds.
        query: the filters of ``GET /v1/stream``, such as ``type="region.*"`` and ``deviceId="van-*"``.

    Yields:
        Events, and a ``Gap`` where some are no longer stored.

    Raises:
        httpx.HTTPStatusError: when the service refuses the request, such as for its token or a filter.
    """
    pause = 1.0
    while True:
        headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        try:
            timeout = httpx.Timeout(10.0, read=SILENCE)
            with httpx_sse.connect_sse(
                client.get_httpx_client(), "GET", "/v1/stream", params=query, headers=headers, timeout=timeout
            ) as source:
                source.response.raise_for_status()
                for message in source.iter_sse():
                    pause = 1.0
                    if not message.data:
                        # It has the time before a new connection alone.
                        continue
                    if message.event == "gap":
                        yield Gap(json.loads(message.data))
                        continue
                    last_event_id = message.id
                    yield StreamedEvent(message.id, Event.from_dict(json.loads(message.data)))
        except httpx.HTTPStatusError as error:
            # Too many requests, or a server that is about to end.
            if error.response.status_code != 429 and error.response.status_code < 500:
                raise
        except httpx.TransportError:
            pass
        sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
