"""Recorded runs, again: `replay()`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike

from . import _native
from .bounds import seconds
from .errors import SnapshotError
from .files import Files
from .result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from .limits import Limits


class Replay:
    """What a replay came to: its results, and a sandbox to look at."""

    def __init__(self, machine: _native.Machine, results: list[Result]) -> None:
        self._machine = machine
        #: What each run of the recording gave, in order.
        self.results = results
        #: The files as they are where the replay stopped. Only to be read.
        self.files = Files(machine)

    @property
    def line(self) -> int:
        """The line of the trace that would have been next."""
        return self._machine.replay_line()

    @property
    def pending(self) -> list[tuple[int, str, Any]]:
        """The calls without an answer: id, method, parameters."""
        return [(call[0], call[1], json.loads(call[3])) for call in self._machine.pending()]

    def close(self) -> None:
        self._machine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Replay {len(self.results)} results, line {self.line}>"


def read_trace(trace: str | PathLike[str] | bytes) -> bytes:
    """A trace's bytes, or those of the file at a path."""
    if isinstance(trace, bytes):
        return trace
    if not isinstance(trace, (str, PathLike)):  # open() takes a number for a file descriptor
        raise TypeError(f"a trace is a path or bytes, not {trace!r}")
    with open(trace, "rb") as file:
        return file.read()


def replay(
    trace: str | PathLike[str] | bytes,
    *,
    until: int | None = None,
    results: Mapping[int, Any] | None = None,
    partial: bool = False,
    limits: Limits | None = None,
    max_seconds: float | None = None,
) -> Replay:
    """Runs a recording again, without handlers, and compares all it does with the trace.

    ``trace`` is a path or the trace's bytes. `ReplayError` shows the first difference; a trace that
    is altered, cut short or of another build is a `SnapshotError`. ``until`` stops at that line,
    also in the middle of a run; ``results`` gives, by call id, the tool results that were left out;
    ``partial`` accepts a trace whose program was killed.

    A trace is its author's, and so are the limits in it: one that asks for more than ``limits`` (by
    default those of ``Limits()``, with any ``cpu_seconds`` and ``wall_seconds``) is a `BoundError`, and
    so is a replay that takes longer than ``max_seconds`` (300; ``math.inf`` lifts it). Ctrl-C ends it.

    >>> import tempfile
    >>> from pinfold import Sandbox
    >>> trace = tempfile.mktemp()
    >>> with Sandbox(record=trace) as sandbox:
    ...     out = sandbox.run("echo $RANDOM; date +%N").stdout
    >>> with replay(trace) as again:
    ...     again.results[0].stdout == out
    True
    """
    trace = read_trace(trace)
    if until is not None and (isinstance(until, bool) or not isinstance(until, int)):
        raise TypeError(f"until is the number of a line, not {until!r}")
    if until is not None and not 0 <= until < 1 << 63:
        raise ValueError(f"until is the number of a line, not {until}")
    answers = [] if results is None else _answers(results)
    most = None if limits is None else limits.changed()
    machine = _native.replay_open(trace, partial, until, answers, (most, seconds(max_seconds)))
    found: list[Result] = []
    try:
        while machine.replay_next():
            outcome = machine.result()
            if outcome is not None and machine.replay_results() > len(found):
                found.append(Result(outcome))
    except LookupError as error:
        machine.close()
        raise SnapshotError(str(error)) from None
    except BaseException:
        machine.close()
        raise
    return Replay(machine, found)


def _answers(results: Mapping[int, Any]) -> list[tuple[int, str]]:
    from .answer import encode

    if not isinstance(results, Mapping):
        raise TypeError(f"results is a dict from call ids to results, not {results!r}")
    for id in results:
        if isinstance(id, bool) or not isinstance(id, int):
            raise TypeError(f"results has the ids of calls, which are int, not {id!r}")
        if not 0 <= id < 1 << 63:
            raise ValueError(f"results: there is no call {id}")
    return [(id, encode(f"call {id}", value)) for id, value in results.items()]
