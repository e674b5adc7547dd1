"""The actors of a pool: who is given what, and how many there are."""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
import zlib
from typing import Any

import ray
from ray.exceptions import (
    ActorDiedError,
    ActorUnavailableError,
    GetTimeoutError,
    RayActorError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: An actor that is not there: another one may do it.
ELSEWHERE = (ActorDiedError, ActorUnavailableError, RayActorError)


class Crew:
    """Between ``least`` and ``most`` actors. What is under way has a weight; ``threads`` of it fill
    an actor. A session stays where it is, as long as there is that place."""

    def __init__(
        self,
        make: Callable[[int], Any],
        least: int,
        most: int,
        threads: int,
        idle_seconds: float,
    ) -> None:
        self._make, self._least, self._most = make, least, most
        self._threads, self._idle = threads, idle_seconds
        self.actors: list[Any] = [make(number) for number in range(least)]
        self._loads = [0] * least
        self._places: dict[str, int] = {}
        self._coming: tuple[Any, Any] | None = None  # an actor that is made, and when it is there
        self._calm = time.monotonic()  # since when one less would do
        self._lock = threading.Lock()
        self._ended = threading.Event()
        if most > least:
            arguments = (weakref.ref(self), self._ended, max(idle_seconds / 4, 0.1))
            threading.Thread(
                target=_watch, args=arguments, name="pinfold crew", daemon=True
            ).start()

    def enter(self, name: str | None, weight: int) -> tuple[int, Any]:
        """Where a session is, or should be; for None an actor that has the least to do."""
        with self._lock:
            self._grow(weight)
            place = self._places.get(name) if name is not None else None
            if place is None or place >= len(self.actors):
                place = self._free(name)
                if name is not None and self._most > self._least:
                    self._places[name] = place
            self._loads[place] += weight
            return place, self.actors[place]

    def leave(self, place: int, weight: int) -> None:
        with self._lock:
            self._loads[place] -= weight

    def move(self, name: str, place: int) -> None:
        """Its actor is not there."""
        with self._lock:
            self._places[name] = (place + 1) % len(self.actors)

    def _free(self, name: str | None) -> int:
        if name is not None and self._most == self._least:
            return zlib.crc32(name.encode()) % len(self.actors)
        return self._loads.index(min(self._loads))

    def _grow(self, weight: int) -> None:
        if self._coming is not None:
            actor, there = self._coming
            if not ray.wait([there], timeout=0)[0]:
                return
            self._coming = None
            self.actors.append(actor)
            self._loads.append(0)
            self._calm = time.monotonic()
        full = sum(self._loads) + weight > len(self.actors) * self._threads
        if full and len(self.actors) < self._most:
            actor = self._make(len(self.actors))
            self._coming = actor, actor.ready.remote()

    def shrink(self) -> None:
        """One less, when that was enough for a time."""
        with self._lock:
            self._grow(0)
            now, many = time.monotonic(), len(self.actors)
            room = (many - 1) * self._threads
            if many == self._least or self._loads[-1] or sum(self._loads) > room // 2:
                self._calm = now
                return
            if now - self._calm < self._idle:
                return
            self._calm = now
            actor = self.actors.pop()
            self._loads.pop()
        _ended(actor)

    def close(self) -> None:
        """Ends the actors; what they have is in the store."""
        self._ended.set()
        with self._lock:
            actors, self.actors = self.actors, []
            if self._coming is not None:
                ray.kill(self._coming[0])
        for actor in actors:
            _ended(actor)


def _ended(actor: Any) -> None:
    with contextlib.suppress(*ELSEWHERE, GetTimeoutError):
        ray.get(actor.suspend.remote(), timeout=30)
    ray.kill(actor)


def _watch(crew: weakref.ref[Crew], ended: threading.Event, seconds: float) -> None:
    while not ended.wait(seconds):
        strong = crew()
        if strong is None or not ray.is_initialized():
            return
        strong.shrink()
        del strong
