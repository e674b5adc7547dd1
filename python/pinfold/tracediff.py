"""Two recordings side by side: where they part, and what followed: `compare_traces()`.

What is compared is what a user of the sandbox would notice: runs, calls and their answers, files that
the embedder wrote, output, status. Times, slices and the pieces in which output came are not: they
differ from one recording to the next without a consequence.
"""

from __future__ import annotations

import json
from difflib import SequenceMatcher, unified_diff
from os import PathLike
from typing import NamedTuple

from . import _native
from .bounds import Look, bounds
from .comparing import moved
from .errors import BoundError, PinfoldError, TraceError
from .events import Events, bytes_of, shown, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .events import Event

#: A trace is a Python object for each of its lines, and takes several times its size.
_TRACE_BYTES, _SECONDS = 256 << 20, 120.0
#: Lines of one side times lines of the other: more are not matched with each other.
_CELLS = 250_000
#: Events without a consequence of their own.
_PASSED_OVER = ("advance", "read", "list", "stat", "lstat")
_STARTED = ("language", "stdin", "isolated", "end_options", "cwd", "env", "limits")
#: What the first line says that changes how a recording goes.
_HEAD = ("build", "clock_fixed", "start_ns", "seed", "catch_all", "limits", "env", "policy",
         "prelude", "tools", "snapshot")  # fmt: skip


class Step(NamedTuple):
    """One thing that happened, and what was printed before it."""

    line: int
    #: What it is, to be compared.
    key: tuple[Any, ...]
    event: Event
    #: By stream, since the step before.
    printed: tuple[bytes, bytes]


class Side(NamedTuple):
    """One of the two recordings from where they part."""

    #: The line at which they part; None: this one has come to its end.
    line: int | None
    #: What happens there, in words.
    event: str
    #: The run that it is in, in words.
    where: str
    #: The calls from there on: method, parameters, and what was answered, in words.
    calls: list[str]
    #: What was printed from there on.
    stdout: bytes
    stderr: bytes
    #: The status of each run that ended from there on.
    statuses: list[int]


class TraceDiff(NamedTuple):
    """How two recordings differ."""

    #: How many things happened alike.
    same: int
    #: What they start from that is not the same: names of members of their first lines.
    head: list[str]
    #: Where they part; None: nowhere.
    first: tuple[Side, Side] | None
    #: The files that are not the same at their ends: ``added``, ``changed`` and ``removed`` paths
    #: in the second one. None: they could not be compared, and `files_why` says why.
    files: dict[str, list[str]] | None
    files_why: str | None

    @property
    def alike(self) -> bool:
        """Both went the same way, as far as was looked."""
        return self.first is None and not any((self.files or {}).values())

    def to_json(self) -> dict[str, Any]:
        """As one JSON object."""
        sides = None
        if self.first is not None:
            sides = [_side_json(side) for side in self.first]
        return {
            "same": self.same,
            "head": self.head,
            "first": sides and {"a": sides[0], "b": sides[1]},
            "files": self.files,
            "files_why": self.files_why,
        }


def _side_json(side: Side) -> dict[str, Any]:
    data = side._asdict()
    for name in ("stdout", "stderr"):
        data[name] = data[name].decode("utf-8", "replace")
    return data


def _key(events: Events, event: Event) -> tuple[Any, ...] | None:
    """What makes it the same as another; None: it makes no difference by itself."""
    if "do" in event:
        what = event["do"]
        if what in _PASSED_OVER:
            return None
        if what == "start":
            own = [json.dumps(event.get(name)) for name in _STARTED]
            return ("start", bytes_of(event, "code"), bytes_of(event, "stdin"), *own)
        if what in ("resume", "fail"):
            given = bytes_of(event, "message") if what == "fail" else bytes_of(event, "json")
            return (what, *events.asked.get(event["id"], ()), event.get("outcome"), given)
        return (what, event.get("path"), event.get("mode"), bytes_of(event, "data"))
    if "in" in event:
        what = event["in"]
        if what in ("time", "preempt"):
            return None
        if what == "fill":
            rest = {k: v for k, v in event.items() if k not in ("n", "at", "sum")}
            return ("fill", json.dumps(rest, sort_keys=True))
        return ("strike", what)
    what = event.get("out")
    if what == "call":
        return ("call", *(text_of(event, name) for name in ("decision", "method", "params")))
    if what == "cancel":
        return ("cancel", *events.asked.get(event["id"], ()))
    if what == "result":
        return ("result", event["exit_code"], event.get("limit"), text_of(event, "value"))
    return None


def _steps(events: Events, look: Look) -> Iterator[Step]:
    printed: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
    for event in events.all[1:]:
        look.seconds()
        out = event.get("out")
        if out in printed:
            printed[out].append(bytes_of(event, "text"))
            continue
        key = _key(events, event)
        if key is None:
            continue
        yield Step(
            event["n"], key, event, (b"".join(printed["stdout"]), b"".join(printed["stderr"]))
        )
        printed = {"stdout": [], "stderr": []}
    rest = b"".join(printed["stdout"]), b"".join(printed["stderr"])
    end = events.all[-1]
    yield Step(end["n"], ("end",), end, rest)


def _calls(events: Events, steps: list[Step]) -> list[str]:
    """The calls among these steps, each with what came of it."""
    said: dict[int, str] = {}
    found: list[tuple[int | None, str]] = []
    made: set[int] = set()
    for step in steps:
        event = step.event
        if step.key[0] == "call":
            asked = f"{shown(step.key[2])}({shown(step.key[3])})"
            if "id" in event:
                found.append((event["id"], asked))
                made.add(event["id"])
            else:
                found.append((None, f"{asked}: {step.key[1]}"))
        elif step.key[0] in ("resume", "fail"):
            text = events.say(event)
            said[event["id"]] = text[text.index("): ") + 3 :] if "): " in text else text
            if event["id"] not in made:
                made.add(event["id"])
                method, params = events.asked.get(event["id"], ("?", ""))
                found.append((event["id"], f"{shown(method)}({shown(params)})"))
    return [text + (f": {said[id]}" if id in said else "") for id, text in found]


def _side(events: Events, steps: list[Step], at: int, output: bool) -> Side:
    step = steps[at]
    rest = steps[at:]
    over = step.key[0] == "end"
    event = events.say(step.event)
    if output:
        event = "other output before this: " + event
    return Side(
        None if over and not output else step.line,
        "it is over" if over and not output else event,
        events.where(step.line),
        _calls(events, rest),
        b"".join(step.printed[0] for step in rest),
        b"".join(step.printed[1] for step in rest),
        [step.event["exit_code"] for step in rest if step.key[0] == "result"],
    )


def compare_traces(
    a: str | PathLike[str] | bytes,
    b: str | PathLike[str] | bytes,
    *,
    files: bool = True,
    partial: bool = False,
    max_bytes: float | None = None,
    max_seconds: float | None = None,
) -> TraceDiff:
    """Where two recordings part, and what followed from it.

    ``a`` and ``b`` are paths of traces or their bytes, of any build. `TraceError`: one of them is
    altered, or cut short without ``partial``. With ``files`` both are replayed as well, when this
    is the build that recorded them, and the files that they end with are compared.

    A trace of more than ``max_bytes`` (256 MiB), or more than ``max_seconds`` (120) for it all, is
    a `BoundError`; ``math.inf`` lifts a bound. Ctrl-C ends it.

    >>> import tempfile
    >>> from pinfold import Sandbox
    >>> traces = [tempfile.mktemp(), tempfile.mktemp()]
    >>> for trace, word in zip(traces, ("tea", "milk")):
    ...     with Sandbox(record=trace) as sandbox:
    ...         _ = sandbox.run("echo start")
    ...         _ = sandbox.run("cat > order", stdin=word)
    >>> found = compare_traces(*traces)
    >>> found.first[0].where, found.files["changed"]
    ('run 2, shell: cat > order', ['/workspace/order'])
    """
    most, seconds = bounds(max_bytes, max_seconds)
    look = Look("comparing recordings", most or _TRACE_BYTES, seconds or _SECONDS)
    texts = (_read(a, "a", look), _read(b, "b", look))
    for name, text in zip((a, b), texts, strict=True):
        _check(name, text, partial)
        look.seconds()
    try:
        return _compared(texts, files, partial, look)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, PinfoldError):
            raise
        # Its sums are right, and what it says is nothing that a recorder writes.
        raise TraceError(f"one of the traces is no recording of pinfold's: {error!r}") from None


def _read(trace: str | PathLike[str] | bytes, which: str, look: Look) -> bytes:
    if not isinstance(trace, bytes):
        if not isinstance(trace, (str, PathLike)):
            raise TypeError(f"a trace is a path or bytes, not {trace!r}")
        pieces = []
        with open(trace, "rb") as file:
            while piece := file.read(1 << 20):
                look.spend(f"trace {which}", len(piece))
                pieces.append(piece)
        return b"".join(pieces)
    look.spend(f"trace {which}", len(trace))
    return trace


def _compared(texts: tuple[bytes, bytes], files: bool, partial: bool, look: Look) -> TraceDiff:
    both = [Events(text, look) for text in texts]
    steps = [list(_steps(events, look)) for events in both]
    head = _differing(both[0].all[0], both[1].all[0])
    same = 0
    for one, other in zip(*steps, strict=False):
        if one.key != other.key or one.printed != other.printed:
            break
        same += 1
    first = None
    if same < max(map(len, steps)):
        at = [min(same, len(side) - 1) for side in steps]
        output = steps[0][at[0]].printed != steps[1][at[1]].printed
        first = (_side(both[0], steps[0], at[0], output), _side(both[1], steps[1], at[1], output))
    changed, why = _files(texts, partial, look) if files else (None, "nobody asked")
    return TraceDiff(same, head, first, changed, why)


def _differing(one: Event, other: Event) -> list[str]:
    """What two first lines do not have in common; clocks and seeds of the host never have."""
    names = [name for name in _HEAD if one.get(name) != other.get(name)]
    for name, fixed in (("start_ns", "clock_fixed"), ("seed", "seed_fixed")):
        if name in names and not (one.get(fixed) or other.get(fixed)):
            names.remove(name)
    return names


def _check(name: Any, trace: bytes, partial: bool) -> None:
    try:
        _native.trace_check(trace, partial)
    except PinfoldError as error:
        where = "the trace" if isinstance(name, bytes) else str(name)
        raise TraceError(f"{where}: {error}") from None


def _files(
    traces: tuple[bytes, bytes], partial: bool, look: Look
) -> tuple[dict[str, list[str]] | None, str | None]:
    from .replaying import replay
    from .saved import FilesOf, Left, differences

    ends = []
    for which, trace in zip("ab", traces, strict=True):
        try:
            with replay(trace, partial=partial, max_seconds=look.seconds()) as run:
                ends.append(FilesOf(run._machine, Left(0, look.seconds())))
        except (PinfoldError, BoundError) as error:
            return None, f"{which} cannot be replayed: {str(error).splitlines()[0]}"
    return differences(*ends), None


# ------------------------------------------------------------------ as text


def _output_lines(one: bytes, other: bytes, most: int) -> list[str]:
    a, b = (text.decode("utf-8", "replace").splitlines() for text in (one, other))
    same = _same(a, b)
    a, b = a[max(same - 1, 0) :], b[max(same - 1, 0) :]
    if len(a) * len(b) > _CELLS:  # matching costs the product, and scripts chose the lines
        cut = (f"{sign}{line}" for sign, side in (("-", a), ("+", b)) for line in side[same > 0 :])
        lines = [f"@@ line {same + 1} @@", *cut]
    else:
        lines = list(unified_diff(a, b, "a", "b", lineterm="", n=1))[2:]
        lines = [moved(line, max(same - 1, 0)) for line in lines]
    said = [_native.printable(line) for line in lines[:most]]
    return said + ([f"… {len(lines) - most} lines more"] if len(lines) > most else [])


def _same(one: list[str], other: list[str]) -> int:
    """How many of the first ones are the same."""
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return same


def _call_lines(one: list[str], other: list[str], most: int) -> list[str]:
    """Calls of one side alone; those between that are alike are only counted."""
    found: list[str] = []
    alike = _same(one, other)
    one, other = one[alike:], other[alike:]
    codes = [("replace", 0, len(one), 0, len(other))]
    if len(one) * len(other) <= _CELLS:
        codes = [*SequenceMatcher(None, one, other, autojunk=False).get_opcodes()]
    for tag, i, j, k, m in codes:
        if tag == "equal":
            alike += j - i
            continue
        found += [f"- {text}" for text in one[i:j]] + [f"+ {text}" for text in other[k:m]]
    if len(found) > most:
        found[most:] = [f"… {len(found) - most} more"]
    if alike and found:
        found.append(f"  {alike} calls are the same in both")
    return found


def as_text(found: TraceDiff, names: tuple[str, str], most: int = 20) -> str:
    """For a person."""
    a, b = (shown(name) for name in names)
    lines: list[str] = []
    if found.head:
        lines.append(f"They start from other settings: {', '.join(found.head)}.")
    if found.first is None:
        lines.append(f"{a} and {b} went the same way: {found.same} events.")
        return "\n".join(lines + _files_lines(found))
    one, other = found.first
    lines += [
        f"The same for {found.same} events. Then, in {one.where}",
        f"  a  {a}:{'end' if one.line is None else one.line}: {one.event}",
        f"  b  {b}:{'end' if other.line is None else other.line}: {other.event}",
    ]
    if other.where != one.where:
        lines.append(f"  b is in {other.where}")
    calls = _call_lines(one.calls, other.calls, most)
    if calls:
        lines += ["", "Calls from there on (- only in a, + only in b)", *(f"  {c}" for c in calls)]
    for name in ("stdout", "stderr"):
        printed = _output_lines(getattr(one, name), getattr(other, name), most)
        if printed:
            lines += ["", f"{name} from there on", *(f"  {line}" for line in printed)]
    if one.statuses != other.statuses:
        said = [", ".join(map(str, side.statuses)) or "none" for side in found.first]
        lines += ["", f"Status of the runs that ended: a {said[0]}; b {said[1]}"]
    return "\n".join(lines + _files_lines(found))


def _files_lines(found: TraceDiff) -> list[str]:
    if found.files is None:
        return ["", f"Files are not compared: {found.files_why}."]
    paths = [
        f"  {sign} {shown(path)}"
        for sign, what in (("+", "added"), ("~", "changed"), ("-", "removed"))
        for path in found.files[what]
    ]
    if not paths:
        return []
    return ["", "Files at the end (+ only in b, ~ other contents, - only in a)", *paths]
