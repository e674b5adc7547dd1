"""A recording as something to move about in: going to any line of it costs as much as the part that
was not kept, not as all that came before.

A replay can be copied, in some 0.1 ms, between two acts of the embedder and, within an act, between
two turns of the machine. So a first pass keeps copies, as far apart in time that there are never
more than `_KEPT` of them, and going to a line continues a copy of the last one before it.
"""

from __future__ import annotations

from bisect import bisect_right
from time import monotonic
from typing import NamedTuple

from . import _native
from .errors import SandboxStateError, SnapshotError, TraceError
from .result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .replaying import Opening


#: Copies that are kept, each of some 100 KB and what its programs use.
_KEPT = 256
#: Bytes of memory that all of them may take together.
_KEPT_BYTES = 512 << 20
#: Seconds of replay between two of them, at first.
_APART = 0.005


class Kept(NamedTuple):
    """A replay that stands before a line."""

    line: int
    machine: _native.Machine
    results: list[Result]
    #: In the middle of an act: somewhere between the event before its line and that line.
    resting: bool


class History:
    """The copies of one recording's replay."""

    def __init__(self, opening: Opening) -> None:
        #: What it is a replay of.
        self.opening = opening
        lines = opening.trace.split(b"\n")
        #: How many lines the trace has; the head is line 0.
        self.lines = len(lines) - (lines[-1] == b"")
        starting = b',"do":"start"'
        self._starts = {n for n, line in enumerate(lines) if starting in line[:80]}
        self._acts = [n for n, line in enumerate(lines) if b',"do":"' in line[:80]]
        self._kept: list[Kept] = []
        self._bytes = 0.0
        #: What every run gave, once it was looked through.
        self.results: list[Result] = []

    def starts(self, line: int) -> bool:
        """Does a run start at a line?"""
        return line in self._starts

    def go_to(self, line: int) -> tuple[_native.Machine, list[Result]]:
        """A replay of its own that stands before a line, and what the runs before it gave."""
        if not self._kept:
            self._look_through()
        before = bisect_right(self._kept, line, key=lambda kept: kept.line)
        while before > 1 and self._kept[before - 1].resting and self._kept[before - 1].line == line:
            before -= 1  # a line is right behind the event before it
        kept = self._kept[max(before - 1, 0)]  # the boot's lines come before the first
        machine, results = kept.machine.replay_fork(), list(kept.results)
        try:
            self._walk(machine, results, line, None)
        except BaseException:
            machine.close()
            raise
        return machine, results

    def _walk(
        self,
        machine: _native.Machine,
        results: list[Result],
        line: int,
        between: Callable[[], None] | None,
    ) -> None:
        """Does again what came before a line. Where that is in the middle of an act, the machine
        stops there; between two acts it comes to rest as it did then."""
        while (at := machine.replay_line()) < line:
            following = bisect_right(self._acts, at)
            if following < len(self._acts) and self._acts[following] > line:
                machine.replay_until(line)
            elif following == len(self._acts) and line < self.lines:
                machine.replay_until(line)
            going_on = step(machine, results)
            if between is not None:
                between()
            if not going_on:
                return

    def _look_through(self) -> None:
        machine = self.opening.open(None)
        results: list[Result] = []
        between_acts = {*self._acts, self.lines - 1, self.lines}
        apart, last = _APART, monotonic()
        machine.replay_rest(_APART)

        def keep() -> None:
            if machine.replay_resting() and machine.replay_line() in between_acts:
                return  # it has not come to rest as it did then
            resident = _resident()
            try:
                copy = machine.replay_fork()
            except (SandboxStateError, MemoryError):  # parked: the next place may be one
                return
            resting = machine.replay_resting()
            self._kept.append(Kept(machine.replay_line(), copy, list(results), resting))
            self._bytes += max(_resident() - resident, 0)

        def sometimes() -> None:
            nonlocal apart, last
            if monotonic() - last < apart:
                return
            keep()
            if len(self._kept) > _KEPT or self._bytes > _KEPT_BYTES:
                self._bytes /= 2
                for kept in self._kept[1::2]:
                    kept.machine.close()
                del self._kept[1::2]
                apart *= 2
                machine.replay_rest(apart)
            last = monotonic()

        keep()
        try:
            self._walk(machine, results, self.lines, sometimes)
            self.results = results
        except BaseException:
            self.close()
            raise
        finally:
            machine.close()

    def close(self) -> None:
        for kept in self._kept:
            kept.machine.close()
        self._kept.clear()


def _resident() -> int:
    """The memory that this process has, in bytes; 0 where it cannot be known."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * 4096
    except (OSError, IndexError, ValueError):
        return 0


def step(machine: _native.Machine, results: list[Result]) -> bool:
    """Does one act again; False when there is none left. A run that ended goes to ``results``."""
    try:
        going_on = machine.replay_next()
    except (LookupError, SnapshotError) as error:
        raise TraceError(str(error)) from None
    if going_on:
        outcome = machine.result()
        if outcome is not None and machine.replay_results() > len(results):
            results.append(Result(outcome))
    return going_on
