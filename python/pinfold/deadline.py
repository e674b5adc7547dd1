"""The time that a whole run may take, handlers included: ``run(timeout=...)``."""

from __future__ import annotations

import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._native import Outcome
    from .core import Core
    from .machine import Machine

#: Seconds in which a script may end by itself when it was interrupted.
_GRACE = 1.0


class Expired(Exception):
    """The time is over; known to this package alone."""


class Deadline:
    """For a ``with`` block around one synchronous run. At its time the guest is interrupted, and
    killed a second later; a handler is left behind in its thread."""

    def __init__(self, sandbox: Core, seconds: float) -> None:
        self._sandbox = sandbox
        self._end = time.monotonic() + seconds
        machine = sandbox._machine
        unwatched: Machine = getattr(machine, "unwatched", machine)
        self._timers = [
            threading.Timer(seconds, machine.stop),
            threading.Timer(seconds + _GRACE, unwatched.kill),
        ]

    def left(self) -> float:
        """Seconds until then; `Expired` when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise Expired
        return left

    @property
    def expired(self) -> bool:
        return time.monotonic() >= self._end

    def __enter__(self) -> Deadline:
        self._sandbox._deadline = self
        for timer in self._timers:
            timer.daemon = True
            timer.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._sandbox._deadline = None
        for timer in self._timers:
            timer.cancel()


def checked(timeout: object) -> float:
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"timeout is a number of seconds, not {timeout!r}")
    if not 0 < timeout <= threading.TIMEOUT_MAX:
        raise ValueError(f"timeout is a number of seconds above 0, not {timeout!r}")
    return float(timeout)


def cut_short(outcome: Outcome) -> Outcome:
    """What a run gave whose time was over."""
    return (*outcome[:2], 137, outcome[3], "timeout", *outcome[5:])
