"""What an actor of a `Pool` does: it drives sandboxes on its node, many at once."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ray

from ..errors import PinfoldError
from ..sandbox import Sandbox
from ..store import Store
from .durable import Driver

#: For a session that another actor may be about to give up.
_LEASE_SECONDS = 5.0


class Host:
    """Its methods are called from several threads of the actor."""

    def __init__(
        self, place: str | None, store: dict[str, Any], settings: bytes, rest: dict[str, Any]
    ):
        self._store = None if place is None else Store(place, **store)
        self._settings: dict[str, Any] = ray.cloudpickle.loads(settings)
        self._idle, self._live = float(rest["idle_seconds"]), int(rest["live"])
        self._holder = f"an actor of a pool ({rest['actor']})"
        self._drivers: dict[str, Driver] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()
        self._counts = {"runs": 0, "resumed": 0, "suspended": 0}
        self._scripts = ThreadPoolExecutor(int(rest["threads"]))
        self._metrics = _gauges()
        threading.Thread(target=self._reap, daemon=True).start()

    def ready(self) -> bool:
        return True

    def run(self, name: str, run: str, code: str, language: str, how: dict[str, Any]) -> Any:
        """What came of a run in a session, which is taken over if it is not here."""
        with self._alone(name):
            driver = self._drivers.get(name)
            if driver is not None and driver.lost:
                self._end(name)
                driver = None
            if driver is None:
                driver = self._opened(name)
            try:
                outcome = driver.run(run, code, language, how)
            except BaseException:
                self._end(name)  # what counts is in the store
                raise
            self._counts["runs"] += 1
            return outcome

    def _opened(self, name: str) -> Driver:
        assert self._store is not None
        driver = Driver(
            self._store, name, self._settings, timeout=_LEASE_SECONDS, holder=self._holder
        )
        self._drivers[name] = driver
        self._counts["resumed"] += 1
        return driver

    def map(self, code: str, language: str, inputs: list[Any]) -> list[Any]:
        """A script for each of some inputs, each in a sandbox of its own."""

        def one(given: Any) -> Any:
            with Sandbox(**self._settings) as sandbox:
                return sandbox.run(code, language, as_stdin(given))._outcome

        return list(self._scripts.map(one, inputs))

    def suspend(self, name: str | None = None) -> int:
        """Out of memory with it, or with all that nobody uses; how many."""
        gone = 0
        for other in [name] if name is not None else [*self._drivers]:
            lock = self._locks.get(other)
            if lock is not None and lock.acquire(blocking=name is not None):
                try:
                    gone += other in self._drivers
                    self._end(other)
                finally:
                    lock.release()
        return gone

    def counts(self) -> dict[str, int]:
        return {**self._counts, "live": len(self._drivers)}

    # ------------------------------------------------------------------ inside

    @contextlib.contextmanager
    def _alone(self, name: str) -> Any:
        with self._guard:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            yield

    def _end(self, name: str) -> None:
        driver = self._drivers.pop(name, None)
        if driver is not None:
            self._counts["suspended"] += 1
            with contextlib.suppress(PinfoldError):
                driver.close()

    def _reap(self) -> None:
        while True:
            time.sleep(min(self._idle / 4, 1.0))
            drivers = sorted(self._drivers.items(), key=lambda item: item[1].used)
            old = time.monotonic() - self._idle
            over = len(drivers) - self._live
            for number, (name, driver) in enumerate(drivers):
                if driver.used < old or number < over:
                    lock = self._locks.get(name)
                    if lock is not None and lock.acquire(blocking=False):
                        try:
                            self._end(name)
                        finally:
                            lock.release()
            for gauge, value in zip(self._metrics, self.counts().values(), strict=True):
                gauge.set(value)


def as_stdin(given: Any) -> bytes | str:
    """Text and bytes as they are, all else as JSON."""
    return given if isinstance(given, (bytes, str)) else json.dumps(given)


def _gauges() -> list[Any]:
    """In Ray's own metrics."""
    from ray.util.metrics import Gauge

    about = {
        "runs": "Runs that ended",
        "resumed": "Sessions that came into memory",
        "suspended": "Sessions that left memory",
        "live": "Sessions in memory",
    }
    return [Gauge(f"pinfold_pool_{name}", description=text) for name, text in about.items()]
