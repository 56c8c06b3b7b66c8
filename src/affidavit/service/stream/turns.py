"""Streams that are asked for in the same moment begin a few at a time, so that nobody else waits for them."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

AT_ONCE = 8
STREAM = "/stream"


class Turns:
    """Stands before the routes; who asks for a stream stands in line, where that costs nothing."""

    def __init__(self, app: ASGIApp, at_once: int = AT_ONCE) -> None:
        self._app, self._turns = app, asyncio.Semaphore(at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, a stream when it is its turn, which is over as soon as it is answered."""
        if scope["type"] != "http" or not scope["path"].endswith(STREAM):
            await self._app(scope, receive, send)
            return
        await self._turns.acquire()
        is_begun = False

        async def sending(message: Message) -> None:
            nonlocal is_begun
            if not is_begun:
                is_begun = True
                self._turns.release()
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            if not is_begun:
                self._turns.release()
