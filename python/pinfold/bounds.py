"""What one look at a sandbox from outside may give and take: ``max_bytes`` and ``max_seconds``.

Runs have `Limits`. What else the embedder asks for depends on what is in the sandbox as well: how
large a file is, how many directories there are. Over a bound it is a `BoundError`.
"""

from __future__ import annotations

import math

#: The library's names of "what there is" and "as long as it takes".
_ALL_BYTES = (1 << 64) - 1
_FOR_EVER = 1e18
#: What the library takes when nothing is said.
DEFAULT_SECONDS = 60.0


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
