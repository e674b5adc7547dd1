"""What one look at a sandbox from outside may give and take: ``max_bytes`` and ``max_seconds``.

Runs have `Limits`. What else the embedder asks for depends on what is in the sandbox as well: how
large a file is, how many directories there are. Over a bound it is a `BoundError`.
"""

from __future__ import annotations

import math
import time

from .errors import BoundError, SandboxInterrupted

#: The library's names of "what there is" and "as long as it takes".
_ALL_BYTES = (1 << 64) - 1
_FOR_EVER = 1e18
#: What the library takes when nothing is said.
DEFAULT_SECONDS = 60.0
DEFAULT_BYTES = 1 << 30


def bounds(max_bytes: float | None = None, max_seconds: float | None = None) -> tuple[int, float]:
    """As the library takes them: 0 is its default.

    ``None`` is the default: as many bytes as ``memory_bytes`` of the sandbox, at most 1 GiB, and 60
    seconds. ``math.inf`` lifts a bound.

    >>> bounds()
    (0, 0.0)
    >>> bounds(max_bytes=1 << 20, max_seconds=2)
    (1048576, 2.0)
    >>> bounds(max_bytes=0)
    Traceback (most recent call last):
    ValueError: max_bytes must be a whole number from 1 on, or math.inf, not 0
    """
    return _bytes(max_bytes), seconds(max_seconds)


def _bytes(value: float | None) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"max_bytes is a number, not {value!r}")
    if value == math.inf:
        return _ALL_BYTES
    if value != value or value < 1 or value != int(value):
        raise ValueError(f"max_bytes must be a whole number from 1 on, or math.inf, not {value!r}")
    return min(int(value), _ALL_BYTES)


def seconds(value: float | None) -> float:
    """``max_seconds`` alone."""
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"max_seconds is a number, not {value!r}")
    if not value > 0:
        raise ValueError(f"max_seconds must be more than 0, or math.inf, not {value!r}")
    return float(min(value, _FOR_EVER))


class Look:
    """What one look may still take where it is many calls of the library, and work of Python's own
    between them. ``with looks: ...``: whoever interrupts finds it in there."""

    def __init__(
        self, what: str, max_bytes: int, max_seconds: float, looks: set[Look] | None = None
    ) -> None:
        self.what = what
        self._most = max_bytes
        self._spent: dict[str, int] = {}
        self._seconds = max_seconds or DEFAULT_SECONDS
        self._until = time.monotonic() + self._seconds
        self._interrupted = False
        self._looks = set() if looks is None else looks

    def __enter__(self) -> Look:
        self._looks.add(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._looks.discard(self)

    def interrupt(self) -> None:
        """From any thread."""
        self._interrupted = True

    def seconds(self) -> float:
        """How many are left; without any, or after an interrupt, the exception that says so."""
        if self._interrupted:
            raise SandboxInterrupted(f"{self.what}: interrupted")
        left = self._until - time.monotonic()
        if left <= 0:
            raise BoundError(
                f"{self.what}: not done after max_seconds, {self._seconds:g}, which is the bound of"
                " one call: raise it if that is meant"
            )
        return left

    def spend(self, of: str, count: int) -> None:
        """Bytes of something; of each there may be ``max_bytes``."""
        self._spent[of] = self._spent.get(of, 0) + count
        if self._spent[of] > self._most:
            raise BoundError(
                f"{self.what}: {of} has more than max_bytes, {self._most}, which is the bound of one"
                " call: raise it if that is meant"
            )
        self.seconds()

    def left(self, of: str) -> int:
        """Bytes of it that may still be spent; at least one."""
        return max(1, min(self._most - self._spent.get(of, 0), _ALL_BYTES))
