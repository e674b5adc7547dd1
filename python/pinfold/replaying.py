"""Recorded runs, again: `replay()`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from typing import NamedTuple

from . import _native
from .bounds import seconds
from .errors import SnapshotError, TraceError
from .files import Files
from .history import History, step
from .result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, Unpack

    from .bisecting import Bisected
    from .limits import Limits
    from .sandbox import Sandbox
    from .typed import RestoreSettings
    from .whatif import WhatIf


class Opening(NamedTuple):
    """What a replay of a trace is made with."""

    trace: bytes
    partial: bool
    answers: list[tuple[int, str]]
    bounds: tuple[list[tuple[str, int]] | None, float]
    limits: Limits | None

    def open(self, until: int | None) -> _native.Machine:
        """A trace that is altered, cut short or of another build is a `TraceError`."""
        try:
            return _native.replay_open(self.trace, self.partial, until, self.answers, self.bounds)
        except SnapshotError as error:
            raise TraceError(str(error)) from None


class Replay:
    """What a replay came to: its results, a sandbox to look at, and the way to other moments."""

    def __init__(self, machine: _native.Machine, results: list[Result], history: History) -> None:
        self._machine = machine
        self._history = history
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

    def at(self, line: int) -> Replay:
        """The recording as it stood before this line (1 is before the first act; the number of all
        lines is the end), as a replay of its own, to be closed by itself.

        The first time the whole recording is replayed once and copies are kept; from then on any
        line is some milliseconds away, unless a run of more than those has no tool call in it.
        ``ValueError``: there is no such line.

        >>> import tempfile
        >>> from pinfold import Sandbox
        >>> trace = tempfile.mktemp()
        >>> with Sandbox(record=trace) as sandbox:
        ...     for word in ("one", "two", "three"):
        ...         _ = sandbox.run(f"echo {word} >> list")
        >>> with replay(trace) as again, again.at(again.first("grep -q two list")) as before:
        ...     before.files["/workspace/list"], again.files["/workspace/list"]
        (b'one\\n', b'one\\ntwo\\nthree\\n')
        """
        if isinstance(line, bool) or not isinstance(line, int):
            raise TypeError(f"at() takes the number of a line, not {line!r}")
        if not 1 <= line <= self._history.lines:
            raise ValueError(f"the trace has the lines 1 to {self._history.lines}, not {line}")
        machine, results = self._history.go_to(line)
        return Replay(machine, results, self._history)

    def branch(self, **settings: Unpack[RestoreSettings]) -> Sandbox:
        """A live sandbox that goes on from here: what might have come next.

        As `Sandbox.restore` of a snapshot: authority is what ``settings`` give, so without tools
        and capabilities the calls that wait are denied. They keep their ids. Random numbers go on
        as in the recording, so that a branch with the recorded answers does what the recording did
        (with ``isolation="process"`` they are new ones).
        """
        from .sandbox import Sandbox
        from .settings import refuse_others

        refuse_others(settings)
        source: Any = self._machine
        if settings.get("isolation") is not None:
            source = self._machine.snapshot()
        return Sandbox(**settings, _snapshot=source)

    def what_if(self, answers: Mapping[int, Any], **live: Unpack[RestoreSettings]) -> WhatIf:
        """What would have come of other answers: the recording up to the first call of ``answers``
        (by id; a `ToolError` fails the call), then live with these and, for later calls with the
        same method and arguments, with the recorded ones.

        A call that the recording has no answer to ends it, and `WhatIf.stopped` says so, unless
        settings as for `branch` are given: then the tools in there are asked. What the embedder did
        later, new runs and files that it wrote, is done again. A recording with mounts holds only
        what was read of them: where that is not all, ``mounts`` names the directories again, or None.

        >>> import tempfile
        >>> from pinfold import MethodCapability, Sandbox
        >>> trace = tempfile.mktemp()
        >>> def stock(item: str) -> int:
        ...     return 3
        >>> with Sandbox(
        ...     tools=[stock], capabilities=[MethodCapability("stock")], record=trace
        ... ) as sandbox:
        ...     script = "n=$(tool stock --item pen); [ $n -gt 0 ] && echo ship $n || echo sold out"
        ...     sandbox.run(script).stdout
        'ship 3\\n'
        >>> with replay(trace) as run, run.what_if({1: 0}).sandbox as other:
        ...     other.result.stdout
        'sold out\\n'
        """
        from .whatif import what_if

        return what_if(self, answers, dict(live))

    def first(self, check: str | Callable[[Sandbox], Any]) -> int | None:
        """The line of the event after which ``check`` holds for the first time, or None.

        ``check`` is a shell script, which holds with status 0, or gets a sandbox and says. It runs
        in a branch without tools, in which a run that was on has been ended; what it does there is
        seen by nobody. Lines are halved, so it runs about log2(lines) times; what holds once has to
        hold from there on, else some line at which it begins to hold is found. ``at(line)`` is the
        moment before the event, ``at(line + 1)`` the one after it.
        """
        low, high = 0, self._history.lines  # it does not hold at `low`, it does at `high`
        if not self._holds(high, check):
            return None
        if high == 1 or self._holds(1, check):
            return 0
        low = 1
        while high - low > 1:
            middle = (low + high) // 2
            if self._holds(middle, check):
                high = middle
            else:
                low = middle
        return low

    def bisect(
        self,
        check: str | Callable[[Sandbox], Any],
        *,
        good: int | None = None,
        bad: int | None = None,
    ) -> Bisected:
        """The event after which ``check`` fails, which held before: what broke it.

        ``check`` is as for `first`. It fails at the line ``bad`` (the end) and holds at ``good``;
        without that the first line is taken, or, where it fails there as well, one of some hundred
        lines between at which it holds. Lines are halved between the two.

        >>> import tempfile
        >>> from pinfold import Sandbox
        >>> trace = tempfile.mktemp()
        >>> with Sandbox(record=trace) as sandbox:
        ...     for script in ("echo 1 > report", "ls -l", ": > report", "date"):
        ...         _ = sandbox.run(script)
        >>> with replay(trace) as again:
        ...     found = again.bisect("test -s report")
        ...     with again.at(found.line) as before, again.at(found.line + 1) as after:
        ...         before.files["report"], after.files["report"]
        (b'1\\n', b'')
        """
        from .bisecting import bisect

        for name, line in (("good", good), ("bad", bad)):
            if line is not None and not 1 <= line <= self._history.lines:
                raise ValueError(f"{name}: the trace has the lines 1 to {self._history.lines}")
        if good is not None and bad is not None and good >= bad:
            raise ValueError(f"good is a line before bad, not {good} and {bad}")
        return bisect(lambda line: self._holds(line, check), self._history.lines, good, bad)

    def page(self, name: str = "a recording") -> str:
        """The recording as one HTML page that needs nothing but itself: one moves about in it, and
        sees processes, calls, output and files as they were. What `pinfold trace` writes.

        The files are those after at most 200 events; ``name`` is the page's title. `pinfold debug`
        serves the same page with a live sandbox behind it.

        >>> import tempfile
        >>> from pinfold import Sandbox
        >>> trace = tempfile.mktemp()
        >>> with Sandbox(record=trace) as sandbox:
        ...     _ = sandbox.run("echo rows > report.csv")
        >>> with replay(trace) as run:
        ...     "<title>" in run.page("report")
        True
        """
        from .page.writing import page_of

        return page_of(self, name)

    def _holds(self, line: int, check: str | Callable[[Sandbox], Any]) -> bool:
        from .sandbox import Sandbox

        limits = self._history.opening.limits
        # Right behind a start nothing has run yet, and a shell that has not run would do so before
        # it ends: all is as it was before the start.
        line -= self._history.starts(line - 1)
        with Sandbox(limits=limits) as like, self.at(line) as there:
            machine = _native.Machine(like._settings, there._machine, like._durable)
        try:
            if machine.running():  # it changes nothing any more
                machine.kill()
                machine.advance()
            rested = machine.snapshot()
        finally:
            machine.close()
        with Sandbox.restore(rested, limits=limits) as sandbox:
            if isinstance(check, str):
                return sandbox.run(check, isolated=True).ok
            return bool(check(sandbox))

    def close(self) -> None:
        """Frees it. Replays that `at` gave are closed by themselves."""
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
    is altered, cut short or of another build is a `TraceError`. ``until`` stops at that line,
    also in the middle of a run; ``results`` gives, by call id, the tool results that were left out;
    ``partial`` accepts a trace whose program was killed.

    A trace is its author's, and so are the limits in it: one that asks for more than ``limits`` (by
    default those of ``Limits()``, with any ``cpu_seconds`` and ``wall_seconds``) is a
    `BoundError`, and so is a replay that takes longer than ``max_seconds`` (300; ``math.inf`` lifts
    it). Ctrl-C ends it. `Replay.at` goes to any other line, `Replay.branch` on from there.

    >>> import tempfile
    >>> from pinfold import Sandbox
    >>> trace = tempfile.mktemp()
    >>> with Sandbox(record=trace) as sandbox:
    ...     out = sandbox.run("echo $RANDOM; date +%N").stdout
    >>> with replay(trace) as again:
    ...     again.results[0].stdout == out
    True
    """
    if until is not None and (isinstance(until, bool) or not isinstance(until, int)):
        raise TypeError(f"until is the number of a line, not {until!r}")
    if until is not None and not 0 <= until < 1 << 63:
        raise ValueError(f"until is the number of a line, not {until}")
    opening = _opening(trace, results, partial, limits, max_seconds)
    machine = opening.open(until)
    found: list[Result] = []
    try:
        while step(machine, found):
            pass
    except BaseException:
        machine.close()
        raise
    return Replay(machine, found, History(opening))


def _opening(
    trace: str | PathLike[str] | bytes,
    results: Mapping[int, Any] | None,
    partial: bool,
    limits: Limits | None,
    max_seconds: float | None,
) -> Opening:
    answers = [] if results is None else _answers(results)
    most = None if limits is None else limits.changed()
    return Opening(read_trace(trace), partial, answers, (most, seconds(max_seconds)), limits)


def beginning(
    trace: str | PathLike[str] | bytes,
    *,
    results: Mapping[int, Any] | None = None,
    partial: bool = False,
    limits: Limits | None = None,
    max_seconds: float | None = None,
) -> Replay:
    """As `replay`, but before the first act: for who goes to other lines anyhow."""
    history = History(_opening(trace, results, partial, limits, max_seconds))
    machine, _ = history.go_to(1)
    return Replay(machine, history.results, history)


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
