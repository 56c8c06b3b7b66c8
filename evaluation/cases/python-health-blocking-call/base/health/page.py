"""The health page of the gateway, served from its event loop."""

from health.neighbours import NEIGHBOURS


async def health() -> dict[str, str]:
    return dict.fromkeys(NEIGHBOURS, "ok")
