"""Requests about a session that another server drives are passed on to it, and its answer back.

A server says in its leases where others reach it (``--advertise URL``). The token of a request
goes along, so the address has to be one that the operator has named (``peers``): what stands in
the store is not enough. A request is passed on once.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import httpx
from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from .addresses import known, place_of
from .problems import Elsewhere, Problem

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

#: Says that a request was passed on: it is not, again.
HEADER = "pinfold-passed-on"
#: What goes along; everything else belongs to one connection.
_THERE = ("authorization", "content-type", "accept", "last-event-id")
_BACK = (
    "content-type",
    "content-length",
    "cache-control",
    "x-accel-buffering",
    "run",
    "retry-after",
)
#: Seconds between two looks at whether the other server still drives the session.
_LOOK = 1.0
#: The longest that a request may take there: more than it may wait for a run.
_SECONDS = 700.0


class Peers:
    """The other servers. ``driver`` tells who drives a session of the store now."""

    def __init__(
        self,
        patterns: tuple[str, ...],
        driver: Callable[[str], Awaitable[str | None]],
        log: logging.Logger,
    ) -> None:
        self._patterns, self._driver, self._log = patterns, driver, log
        self._client: httpx.AsyncClient | None = None

    async def answer(self, request: Request, problem: Elsewhere) -> Response | None:
        """What the server that drives a session says; None: there is nobody to ask."""
        key, place = problem.key, problem.server
        if not known(place, self._patterns) or HEADER in request.headers:
            return None
        body = getattr(request.state, "body", None)
        if body is None:
            body = await request.body()
        path, query = request.scope["raw_path"], request.scope["query_string"]
        target = place + path.decode("ascii") + (f"?{query.decode('ascii')}" if query else "")
        headers = {name: request.headers[name] for name in _THERE if name in request.headers}
        asked = self._http().build_request(
            request.method, target, headers={**headers, HEADER: "1"}, content=body
        )
        sent = asyncio.ensure_future(self._http().send(asked, stream=True))
        try:
            while not sent.done():
                await asyncio.wait([sent], timeout=_LOOK)
                if not sent.done() and await self._left(key, place):
                    raise _moving("it gave the session up before it answered")
            answer = sent.result()
        except httpx.HTTPError as error:
            self._log.warning("%s was not reached: %s", place, type(error).__name__)
            raise _moving("it cannot be reached") from error
        finally:
            if not sent.done():
                sent.cancel()
        back = {name: answer.headers[name] for name in _BACK if name in answer.headers}
        return StreamingResponse(_passed(answer), answer.status_code, {**back, "served-by": place})

    async def _left(self, key: str, place: str) -> bool:
        try:
            return place_of(await self._driver(key) or "") != place
        except Problem:  # the store is away, so nobody takes it over
            return False

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            limits = httpx.Timeout(5.0, read=_SECONDS)
            self._client = httpx.AsyncClient(
                timeout=limits, follow_redirects=False, trust_env=False, limits=httpx.Limits()
            )
        return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


async def _passed(answer: httpx.Response) -> AsyncIterator[bytes]:
    """What is cut off there is cut off here, too: half of an answer is none."""
    try:
        async for part in answer.aiter_bytes():
            yield part
    finally:
        await answer.aclose()


def _moving(why: str) -> Problem:
    return Problem(
        503,
        "moving",
        f"the server that drives the session does not answer ({why}): ask again, another one takes"
        " it over when its lease ends",
    )
