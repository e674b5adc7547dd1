"""What of a session is not in its sandbox: what it was made with, its run, what was answered.

It is the label of each snapshot, so it is saved in the same transaction; sealed with the store's
key, because it says what the sandbox may call.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections import deque
from typing import Any, NamedTuple

from .problems import Problem

_VERSION = 1
#: Answers that are remembered, to know a second one.
_ANSWERS = 256
#: Text of a result that is kept for after a restart, in characters.
_RESULT = 64 << 10
#: Events of a run for who comes later, in characters.
_EVENTS = 1 << 20


class Pending(NamedTuple):
    """A call that waits."""

    id: int
    method: str
    params: dict[str, Any]
    ask: bool
    since: float

    def body(self) -> dict[str, Any]:
        return {"id": self.id, "method": self.method, "params": self.params, "ask": self.ask}


class State:
    """``spec`` is what the session was made with: tools, policy, limits."""

    def __init__(
        self, spec: dict[str, Any], run: int | None = None, key: str | None = None
    ) -> None:
        self.spec, self.run, self.key = spec, run, key
        self.result: dict[str, Any] | None = None
        self.answered: dict[int, str] = {}
        self.since: dict[int, float] = {}

    def text(self, key: bytes | None, name: str) -> str:
        answered = dict([*self.answered.items()][-_ANSWERS:])
        body = json.dumps(
            {
                "v": _VERSION,
                "spec": self.spec,
                "run": self.run,
                "key": self.key,
                "result": shortened(self.result),
                "answered": answered,
                "since": self.since,
            }
        )
        return f"{_seal(key, name, body)} {body}"

    @classmethod
    def read(cls, text: str, key: bytes | None, name: str) -> State:
        seal, _, body = text.partition(" ")
        if not hmac.compare_digest(seal.encode(), _seal(key, name, body).encode()):
            raise Problem(
                500, "damaged", "the session was altered in the store, or its key changed"
            )
        try:
            given = json.loads(body)
            if given["v"] != _VERSION:
                raise ValueError(f"version {given['v']}")
            state = cls(given["spec"], given["run"], given["key"])
            state.result = given["result"]
            state.answered = {int(id): digest for id, digest in given["answered"].items()}
            state.since = {int(id): float(since) for id, since in given["since"].items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Problem(500, "damaged", f"the session is damaged in the store: {error}") from None
        return state


def _seal(key: bytes | None, name: str, body: str) -> str:
    own = b"" if key is None else hashlib.blake2b(b"pinfold service\0" + key).digest()
    return hashlib.blake2b(f"{name}\0{body}".encode(), key=own, digest_size=16).hexdigest()


def shortened(result: dict[str, Any] | None) -> dict[str, Any] | None:
    """A result that is small enough to be kept beside a snapshot."""
    if result is None or len(json.dumps(result)) <= _RESULT:
        return result
    half = _RESULT // 4
    short = {name: result[name][:half] for name in ("stdout", "stderr")}
    return {**result, **short, "value": None, "shortened": True}


def _size_of(kind: str, body: Any) -> int:
    """What an event holds in memory: a script chooses the arguments of its calls, too."""
    return 100 + (len(body["text"]) if kind == "output" else len(json.dumps(body)))


class Run:
    """A run and its events, which any number of listeners read from any place on."""

    def __init__(self, number: int, key: str | None) -> None:
        self.number, self.key = number, key
        self.state = "running"
        self.calls: dict[int, Pending] = {}
        self.result: dict[str, Any] | None = None
        self.problem: Problem | None = None
        self.events: deque[tuple[int, str, Any]] = deque()
        self._sizes: deque[int] = deque()
        self._size = self._count = 0
        self._closed = False
        self._news = asyncio.Event()
        self.begun = time.monotonic()

    def emit(self, kind: str, body: Any) -> None:
        self._count += 1
        self.events.append((self._count, kind, body))
        self._sizes.append(_size_of(kind, body))
        self._size += self._sizes[-1]
        while self._size > _EVENTS and len(self.events) > 1:  # who listens hears how it ended
            self.events.popleft()
            self._size -= self._sizes.popleft()
        self._wake()

    def refuse(self, problem: Problem) -> None:
        self.emit("error", problem.body())
        self.close("done", problem)

    def close(self, state: str, problem: Problem | None = None) -> None:
        """Nothing more comes here."""
        self.state, self.problem = state, problem or self.problem
        self._closed = True
        self._wake()

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def rest(self) -> None:
        """Until it waits or has ended."""
        while self.state == "running" and not self._closed:
            await self._news.wait()

    async def follow(self, after: int = 0) -> Any:
        """Its events behind a number, as they come; None now and then when nothing does."""
        while True:
            news = self._news
            place = max(after + 1 - self.events[0][0], 0) if self.events else 0
            if place < len(self.events):  # while it is sent, others may come
                after = self.events[place][0]
                yield self.events[place]
                continue
            if self._closed:
                return
            try:
                async with asyncio.timeout(15):
                    await news.wait()
            except TimeoutError:
                yield None

    def body(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "state": self.state,
            "calls": [pending.body() for pending in self.calls.values()],
            "result": self.result,
        }
