"""What the page shows of files: trees and contents, each with an end."""

from __future__ import annotations

import base64
import contextlib
import stat
from time import monotonic
from typing import NamedTuple

from .._native import printable
from ..comparing import Tree
from ..errors import PinfoldError, SandboxStateError
from ..files import WRITABLE
from ..saved import SYSTEM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ..events import Event
    from ..replaying import Replay

    Looked = tuple[Tree, dict[str, "Entry"]]

#: Where nobody writes, and what is the same as /tmp.
_NOBODYS = {*SYSTEM, "var"}
#: Seconds that looking at one tree may take.
_TREE_SECONDS = 10.0
#: Bytes of one file that are shown.
FILE_BYTES = 1 << 20
#: Of a page that stands alone: moments at which the files are looked at, bytes of one file and of
#: all together, and seconds for all of it.
_POINTS = 200
_KEPT_FILE_BYTES = 256 << 10
_KEPT_BYTES = 16 << 20
_KEPT_SECONDS = 60.0


class Entry(NamedTuple):
    """A file, directory or link."""

    mode: int
    size: int
    #: Equal contents have equal ids.
    id: str


def mounts_of(events: Iterable[Event]) -> list[str]:
    """The places at which directories of the host are mounted."""
    mounted = [event.get("path") for event in events if event.get("do") == "mount"]
    return [path for path in mounted if isinstance(path, str)]


def look(machine: Any, mounts: list[str] | None) -> Looked:
    """All files that a script may have changed, and what it had read of mounted directories; with
    None those of `WRITABLE` alone."""
    tree = Tree(machine, [], monotonic() + _TREE_SECONDS)
    if mounts is None:
        return tree, {path: _entry(tree, path) for path in tree.entries}
    # A snapshot does not name the mounts that it brought.
    names = [name for name in machine.file_list("/") if name not in _NOBODYS]
    for place in {*mounts, *(f"/{name}" for name in names)} - {*WRITABLE}:
        tree.walk(place)
    return tree, {path: _entry(tree, path) for path in tree.entries}


@contextlib.contextmanager
def looked_at(replay: Replay, mounts: list[str]) -> Iterator[Looked]:
    """The files of a replay, by a copy of it. What the recording has not read of a mount is an
    error of that file there, where a replay that was asked for it would differ from its trace."""
    from .. import _native
    from ..sandbox import Sandbox

    with Sandbox(limits=replay._history.opening.limits) as like:
        key, trace, redact, _, counter = like._durable
        # It goes on without the host's.
        without: list[tuple[str | None, str, bool]] = [(None, place, False) for place in mounts]
        durable = key, trace, redact, without, counter
        try:
            machine = _native.Machine(like._settings, replay._machine, durable)
        except (SandboxStateError, ValueError):  # a program is parked; a snapshot's mount is unread
            yield look(replay._machine, None)
            return
    try:
        yield look(machine, mounts)
    finally:
        machine.close()


def _entry(tree: Tree, path: str) -> Entry:
    seen = tree.entries[path]
    if stat.S_ISREG(seen.mode):
        try:
            return Entry(seen.mode, seen.size, tree.digest(path).hex())
        except OSError:  # of a mount, and nobody has read it
            return Entry(seen.mode, seen.size, "unread")
    if stat.S_ISLNK(seen.mode):
        return Entry(seen.mode, seen.size, f"link {tree.link(path)}")
    return Entry(seen.mode, 0, "")


def processes(machine: Any) -> list[list[Any]]:
    """Pid, parent, name, state as `ps` has it, and bytes of memory."""
    return [
        [pid, parent, name, state, memory]
        for pid, parent, state, name, memory in machine.processes()
    ]


def content(tree: Tree, path: str, most: int = FILE_BYTES) -> dict[str, Any]:
    """The contents of a path as the page wants them: text, bytes, or why not."""
    seen = tree.entry(path)
    if seen is None:
        return {"why": "it is not there"}
    if stat.S_ISLNK(seen.mode):
        return {"link": tree.link(path)}
    if not stat.S_ISREG(seen.mode):
        return {"why": "it is no file"}
    if seen.size > most:
        return {"why": f"it has {seen.size} bytes, more than are shown ({most})"}
    try:
        data = tree.data(path)
    except OSError as error:
        return {"why": f"the recording has not read it ({error.strerror})"}
    if b"\0" not in data:
        try:
            return {"text": data.decode()}
        except UnicodeDecodeError:
            pass
    return {"base64": base64.b64encode(data).decode()}


# ------------------------------------------------------------------ a page that stands alone


def kept_files(run: Replay, events: list[Event]) -> dict[str, Any]:
    """The files at some moments of a recording. What is too much is left out, and said."""
    kept = _Kept()
    mounts = mounts_of(events)
    until = monotonic() + _KEPT_SECONDS
    for n in _points(events):
        if monotonic() > until:
            kept.why = f"looking at the files took longer than {_KEPT_SECONDS:g} s"
            break
        try:
            # A moment is after its line.
            with run.at(min(n + 1, len(events))) as there, looked_at(there, mounts) as looked:
                kept.look(n, *looked)
        except (PinfoldError, OSError) as error:
            kept.why = printable(str(error))
    return {"points": kept.points, "contents": kept.contents, "why": kept.why}


def no_files(why: str) -> dict[str, Any]:
    """Of a page that has none."""
    return {"points": [], "contents": [], "why": why}


def _points(events: list[Event]) -> list[int]:
    """The lines after which the files are looked at: where runs end, where calls are made, and all
    others, as far as there is room; of a kind that is too many some, evenly."""
    ends = [e["n"] for e in events if e.get("out") == "result"]
    calls = [e["n"] for e in events if e.get("out") == "call"]
    acts = [e["n"] for e in events if e.get("do") in ("write", "make", "remove", "mount")]
    others = [e["n"] for e in events[1:] if e.get("in") not in ("time", "preempt")]
    chosen = {len(events) - 1}
    for found in (ends, calls, acts, others):
        room = _POINTS - len(chosen)
        left = [n for n in found if n not in chosen]
        chosen.update(left[i * len(left) // room] for i in range(room) if len(left) > room)
        chosen.update(left if len(left) <= room else ())
    return sorted(chosen)


class _Kept:
    """Trees, each as what is different from the one before."""

    def __init__(self) -> None:
        self.points: list[dict[str, Any]] = []
        self.contents: list[dict[str, Any]] = []
        self.why: str | None = None
        self._numbers: dict[str, int] = {}
        self._before: dict[str, Entry] = {}
        self._left = _KEPT_BYTES

    def look(self, n: int, tree: Tree, entries: dict[str, Entry]) -> None:
        before = self._before
        changed = {
            path: [entry.mode, entry.size, self._number(tree, path, entry)]
            for path, entry in entries.items()
            if before.get(path) != entry
        }
        gone = [path for path in before if path not in entries]
        self._before = entries
        self.points.append({"n": n, "set": changed, "gone": gone})

    def _number(self, tree: Tree, path: str, entry: Entry) -> int:
        if not entry.id:
            return -1
        if entry.id not in self._numbers:
            self._numbers[entry.id] = len(self.contents)
            if entry.size > self._left:
                found = {"why": "the files together are more than a page holds"}
            else:
                found = content(tree, path, _KEPT_FILE_BYTES)
                self._left -= entry.size if "why" not in found else 0
            self.contents.append(found)
        return self._numbers[entry.id]
