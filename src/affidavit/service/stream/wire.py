"""Events as they go over the wire: what was kept in, server-sent events with heartbeats between them out."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi.sse import format_sse_event

from affidavit.records.service.review import KeptEvent

HEARTBEAT_SECONDS = 15.0
HEARTBEAT = b": ping\n\n"
RETRY_MILLISECONDS = 1_000
MEDIA_TYPE = "text/event-stream"
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
"""No proxy may keep back what was said."""
FIELDS: dict[str, Any] = {
    "data": {"type": "string"},
    "event": {"type": "string"},
    "id": {"type": "string"},
    "retry": {"type": "integer", "minimum": 0},
}
DOCUMENTED = {"content": {MEDIA_TYPE: {"itemSchema": {"type": "object", "properties": FIELDS}}}}


@dataclass(frozen=True)
class Batch:
    """Events that follow each other, written once for all who listen."""

    events: Sequence[KeptEvent]
    wire: bytes


def write_batch(events: Sequence[KeptEvent]) -> Batch:
    """The events, and what is sent of them."""
    return Batch(events, b"".join(map(_written, events)))


def _written(event: KeptEvent) -> bytes:
    return format_sse_event(
        data_str=json.dumps(event.data), event=event.name, id=str(event.number), retry=RETRY_MILLISECONDS
    )


async def with_heartbeats(
    chunks: AsyncIterator[bytes], seconds: float = HEARTBEAT_SECONDS
) -> AsyncIterator[bytes]:
    """The same, and a sign of life whenever there was nothing to say for a while."""
    while True:
        coming = asyncio.ensure_future(anext(chunks, None))
        try:
            while not (await asyncio.wait((coming,), timeout=seconds))[0]:
                yield HEARTBEAT
        finally:
            # Does nothing to one that is there; who hangs up waits for none.
            coming.cancel()
        chunk = coming.result()
        if chunk is None:
            return
        yield chunk
