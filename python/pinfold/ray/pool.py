"""`Pool`: actors of a Ray cluster that drive sandboxes, and sessions that outlive them."""

from __future__ import annotations

import time
import uuid
from collections import deque
from typing import Any

import ray
from ray.exceptions import RayTaskError

from ..approval import refuse_unreachable
from ..errors import LeaseError, PinfoldError, StoreUnavailable
from ..result import Result
from ..settings import by_method, checked, with_own
from .crew import ELSEWHERE, Crew
from .durable import result_of
from .host import Host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Self

#: What is not about the script: the same actor may do it a little later.
_LATER = (LeaseError, StoreUnavailable)


class PoolError(PinfoldError):
    """No actor could do it within the pool's ``timeout``."""


class Pool:
    """``size`` actors, each of which drives many sandboxes at once; ``(least, most)`` of them, as
    many as the queue needs: one more while each has as much to do as it has threads, one less when
    that was so for ``idle_seconds``. Where the cluster has no room for one more, Ray's autoscaler
    hears of it, and the others go on meanwhile.

    ``sandbox`` are settings of `Sandbox` for all of them (``capabilities``, ``limits``,
    ``isolation`` …), ``tools`` what scripts may call; handlers run in the actor, as tasks of the
    cluster with `pinfold.ray.on_cluster`, or in this process with `pinfold.ray.in_driver`.
    ``store`` is what `Store` takes, for sessions: PostgreSQL where actors are on several
    machines. ``options`` are those of Ray's actors (``num_cpus``,
    ``resources``, ``runtime_env``); ``threads`` is how many scripts an actor runs at once.

    A session that nobody uses leaves the actor's memory after ``idle_seconds``; an actor has about
    ``live`` of them there. When an actor or its node dies, its sessions go on elsewhere, and
    requests are made again until ``timeout`` seconds are over; a run that has a result, and a tool
    whose answer was noted, are not asked again.
    """

    def __init__(
        self,
        *,
        sandbox: Mapping[str, Any] | None = None,
        tools: Iterable[Any] | None = None,
        size: int | tuple[int, int] = 2,
        store: str | None = None,
        store_settings: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        threads: int = 8,
        idle_seconds: float = 60.0,
        live: int = 200,
        timeout: float = 120.0,
    ) -> None:
        least, most = size if isinstance(size, tuple) else (size, size)
        if not 1 <= least <= most:
            raise ValueError(f"size is 1 or more, or (least, most), not {size!r}")
        settings = dict(sandbox or {})
        if tools is not None:
            settings["tools"] = list(tools)
        if settings.get("approve") is not None:  # who makes the pool hears of it, and no actor's log
            granted = by_method(settings.get("tools"))
            own = with_own(checked(settings.get("capabilities")), granted)
            refuse_unreachable(own, granted, settings.get("tool_handler") is not None)
        self._timeout = timeout
        self._has_store = store is not None
        how = {"max_restarts": -1, "max_concurrency": threads, "num_cpus": 1, **(options or {})}
        make: Any = ray.remote(Host).options(**how)
        packed = ray.cloudpickle.dumps(settings)  # in no node's memory: an actor starts again
        rest = {"idle_seconds": idle_seconds, "live": live, "threads": threads}
        self._crew = Crew(
            lambda number: make.remote(
                store, dict(store_settings or {}), packed, {**rest, "actor": number}
            ),
            *(least, most, threads, idle_seconds),
        )
        self._threads = threads

    @property
    def _actors(self) -> list[Any]:
        return self._crew.actors

    # ------------------------------------------------------------------ sessions

    def session(self, name: str) -> PoolSession:
        """A session, which is new if the store has none of that name."""
        if not self._has_store:
            raise ValueError("sessions need a store: Pool(store='postgresql://…')")
        return PoolSession(self, name)

    def run(self, key: str, code: str, language: str = "shell", **how: Any) -> Result:
        """Runs a script in the session ``key``; the keywords are those of `Sandbox.start`."""
        return self.session(key).run(code, language, **how)

    def _run(self, name: str, code: str, language: str, how: dict[str, Any]) -> Result:
        run, until = uuid.uuid4().hex, time.monotonic() + self._timeout
        last: Exception | None = None
        while True:
            place, actor = self._crew.enter(name, 1)
            try:
                made = actor.run.remote(name, run, code, language, how)
                left = until - time.monotonic()
                return result_of(ray.get(made, timeout=max(left, 1)))
            except ELSEWHERE as error:
                last = error
                self._crew.move(name, place)
            except ray.exceptions.GetTimeoutError as error:
                raise PoolError(f"{name!r}: no result within {self._timeout:g} s") from error
            except RayTaskError as error:
                cause = error.cause
                if not isinstance(cause, _LATER):
                    raise cause from None
                last = error
            finally:
                self._crew.leave(place, 1)
            if time.monotonic() > until:
                raise PoolError(f"{name!r}: no actor could run it: {last}") from last
            time.sleep(0.1)

    # ------------------------------------------------------------------ many small scripts

    def map(
        self, code: str, inputs: Iterable[Any], language: str = "shell", *, batch: int = 32
    ) -> Iterator[Result]:
        """Runs a script for each input, which is its standard input (text and bytes as they are,
        all else as JSON), each in a new sandbox. Results come in order, while at most two batches
        for each actor are on their way. A batch whose actor dies is made again elsewhere, with its
        tool calls: a script that changes something belongs in a session."""
        pending: deque[tuple[Any, int, list[Any], float]] = deque()
        try:
            for some in _batches(inputs, batch):
                if len(pending) >= 2 * len(self._actors):
                    yield from self._taken(pending.popleft(), code, language)
                pending.append(self._given(code, language, some))
            while pending:
                yield from self._taken(pending.popleft(), code, language)
        finally:  # nobody takes the others any more
            for _, place, _, _ in pending:
                self._crew.leave(place, self._threads)

    def _given(self, code: str, language: str, some: list[Any]) -> Any:
        place, actor = self._crew.enter(None, self._threads)  # a batch fills an actor
        made = actor.map.remote(code, language, some)
        return made, place, some, time.monotonic() + self._timeout

    def _taken(self, batch: Any, code: str, language: str) -> list[Result]:
        made, place, some, until = batch
        try:
            while True:
                try:
                    return [result_of(outcome) for outcome in ray.get(made)]
                except ELSEWHERE as error:
                    if time.monotonic() > until:
                        raise PoolError(f"no actor could run a batch: {error}") from error
                    time.sleep(0.1)
                    self._crew.leave(place, self._threads)
                    made, place, _, _ = self._given(code, language, some)
                except RayTaskError as error:
                    raise error.cause from None
        finally:
            self._crew.leave(place, self._threads)

    # ------------------------------------------------------------------ ending

    def counts(self) -> dict[str, int]:
        """What all actors did since they were made: runs, resumed, suspended; and live."""
        total: dict[str, int] = {}
        for actor in [*self._actors]:
            try:
                for name, count in dict(ray.get(actor.counts.remote(), timeout=30)).items():
                    total[name] = total.get(name, 0) + count
            except (*ELSEWHERE, ray.exceptions.GetTimeoutError):
                continue
        return total

    def close(self) -> None:
        """Ends the actors. Sessions are in the store."""
        self._crew.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


class PoolSession:
    """A session of a pool: it lives on one actor, and in the store."""

    def __init__(self, pool: Pool, name: str) -> None:
        self.name = name
        self._pool = pool

    def run(self, code: str, language: str = "shell", **how: Any) -> Result:
        """As `Sandbox.run`, wherever the session is. It is in the store when this returns."""
        return self._pool._run(self.name, code, language, how)

    def __repr__(self) -> str:
        return f"<PoolSession {self.name!r}>"


def _batches(inputs: Iterable[Any], size: int) -> Iterator[list[Any]]:
    some: list[Any] = []
    for given in inputs:
        some.append(given)
        if len(some) == size:
            yield some
            some = []
    if some:
        yield some
