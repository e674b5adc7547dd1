"""The event of a recording that broke something: `Replay.bisect()`.

Lines are halved between one at which a check holds and one at which it fails, so it is run about
log2(lines) times.
"""

from __future__ import annotations

from typing import NamedTuple

from .errors import SandboxStateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: How many lines are looked at, at most, to find one at which the check holds.
_LOOKED_AT = 256


class Bisected(NamedTuple):
    """What `Replay.bisect` found."""

    #: The event after which the check fails; None: there is none, and `why` says why.
    line: int | None
    #: The last line before which it is known to hold. It is `line`, but where a program was parked
    #: between the two, so that nothing there could be looked at.
    good: int | None
    #: How often the check was run.
    checks: int
    why: str | None


class _Check:
    """A check of lines, each run once."""

    def __init__(self, holds: Callable[[int], bool]) -> None:
        self._holds = holds
        self._known: dict[int, bool | None] = {}
        self.runs = 0

    def __call__(self, line: int) -> bool | None:
        """None: nothing can be looked at there, because a program is parked."""
        if line not in self._known:
            self.runs += 1
            try:
                self._known[line] = self._holds(line)
            except SandboxStateError:
                self._known[line] = None
        return self._known[line]


def bisect(
    holds: Callable[[int], bool], lines: int, good: int | None = None, bad: int | None = None
) -> Bisected:
    """Finds the event between a line before which ``holds`` and a later one before which it fails."""
    check = _Check(holds)
    high = lines if bad is None else bad
    at_end = check(high)
    if at_end is None:
        return Bisected(None, None, check.runs, f"a program is parked at line {high}: give another")
    if at_end:
        what = "at the end" if bad is None else f"at line {high}"
        return Bisected(None, None, check.runs, f"the check holds {what}: nothing broke it")
    low = _find_good(check, high) if good is None else good
    if good is not None and not check(good):
        why = f"the check fails at line {good} already"
        return Bisected(None, None, check.runs, why)
    if low is None:
        why = f"the check holds at none of {check.runs} lines that were looked at"
        return Bisected(None, None, check.runs, why)
    while high - low > 1:
        middle, held = _near_middle(check, low, high)
        if held is None:
            break
        low, high = (middle, high) if held else (low, middle)
    return Bisected(high - 1, low, check.runs, None)


def _find_good(check: _Check, high: int) -> int | None:
    """A line below at which it holds: the first one, or one of those that halve what is left."""
    for line in _spread(1, high):
        if check(line):
            return line
        if check.runs >= _LOOKED_AT:
            return None
    return None


def _spread(low: int, high: int) -> Iterator[int]:
    """The lowest line, and then all others, ever more closely; the later ones first."""
    yield low
    gap = high - low
    while gap > 1:
        gap = (gap + 1) // 2
        yield from range(high - gap, low, -2 * gap)


def _near_middle(check: _Check, low: int, high: int) -> tuple[int, bool | None]:
    """The line nearest to the middle that can be looked at."""
    middle = (low + high) // 2
    for distance in range(max(middle - low, high - middle)):
        for line in dict.fromkeys((middle + distance, middle - distance)):
            if low < line < high:
                held = check(line)
                if held is not None:
                    return line, held
    return middle, None
