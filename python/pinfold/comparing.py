"""What differs between the files of two copies of a sandbox, as a person is shown it.

Contents are compared, never times alone: a script can set those. Everything that is shown went
through `printable`, and has an end.
"""

from __future__ import annotations

import stat
import time
from difflib import unified_diff
from typing import NamedTuple

from ._native import printable
from .errors import BoundError
from .files import WRITABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal

    from ._native import Machine

#: A larger file is not shown line by line, nor are more lines than this of one.
_TEXT_BYTES = 1 << 20
_DIFF_LINES = 2000
_LINE_CHARACTERS = 400


class Change(NamedTuple):
    """One file, directory or link that is not as it was."""

    #: Added, modified or deleted.
    kind: Literal["A", "M", "D"]
    path: str
    #: What is different, in lines as `diff -u` writes them, or in words.
    diff: str

    def __str__(self) -> str:
        return f"{self.kind} {printable(self.path)}"


class _Entry(NamedTuple):
    mode: int
    size: int
    mtime_ns: int


class Tree:
    """The files of one machine that a script may have changed, looked at once."""

    def __init__(self, machine: Machine, mounts: Iterable[str], until: float) -> None:
        self._machine = machine
        self._until = until
        self.entries: dict[str, _Entry] = {}
        self._digests: dict[str, bytes] = {}
        for top in WRITABLE:
            self.walk(top)
        #: Of mounts, what is not as it came.
        self.changed: set[str] = set()
        for place in mounts:
            if not any(place == top or place.startswith(f"{top}/") for top in WRITABLE):
                self.changed |= {path for _, path in machine.mount_changes(place)}
        for path in self.changed:
            self._look(path)

    def walk(self, top: str) -> None:
        """Looks at all that is below a directory."""
        todo = [top]
        while todo:
            here = todo.pop()
            try:
                names = self._machine.file_list(here)
            except (OSError, ValueError):  # gone, or its path is too long
                continue
            for name in names:
                entry = self._look(f"{here}/{name}")
                if entry is not None and stat.S_ISDIR(entry.mode):
                    todo.append(f"{here}/{name}")

    def _look(self, path: str) -> _Entry | None:
        if time.monotonic() > self._until:
            raise BoundError("looking for what has changed in the files took too long")
        try:
            entry = _Entry(*self._machine.file_lstat(path))
        except (OSError, ValueError):
            return None
        self.entries[path] = entry
        return entry

    def entry(self, path: str) -> _Entry | None:
        """Also of a mount's file that did not change here, and was not looked at."""
        return self.entries.get(path) or self._look(path)

    def digest(self, path: str) -> bytes:
        if path not in self._digests:
            self._digests[path] = self._machine.file_digest(path)
        return self._digests[path]

    def link(self, path: str) -> str:
        """The target of a symbolic link."""
        return self._machine.file_link(path).decode("utf-8", "replace")

    def data(self, path: str) -> bytes:
        return self._machine.file_read(path)


def compare(before: Tree, after: Tree) -> list[Change]:
    """By path."""
    changes = []
    paths = {*before.entries, *after.entries, *before.changed, *after.changed}
    for path in sorted(paths):
        change = _compare(path, before, after)
        if change is not None:
            changes.append(change)
    return changes


def _compare(path: str, before: Tree, after: Tree) -> Change | None:
    was, now = before.entry(path), after.entry(path)
    if was is None and now is None:
        return None
    if was is None:
        assert now is not None
        return Change("A", path, _whole(path, now, after, "+"))
    if now is None:
        return Change("D", path, _whole(path, was, before, "-"))
    if stat.S_IFMT(was.mode) != stat.S_IFMT(now.mode):
        return Change("M", path, f"was {_kind(was)}, is {_kind(now)}")
    said = []
    if stat.S_IMODE(was.mode) != stat.S_IMODE(now.mode):
        said.append(f"mode {stat.S_IMODE(was.mode):04o} → {stat.S_IMODE(now.mode):04o}")
    if stat.S_ISLNK(now.mode):
        old, new = before.link(path), after.link(path)
        if old != new:
            said.append(f"→ {printable(old)}, now → {printable(new)}")
    elif stat.S_ISREG(now.mode):
        if was.size != now.size or before.digest(path) != after.digest(path):
            said.append(_diff(before.data, after.data, path, was.size, now.size))
    return Change("M", path, "\n".join(said)) if said else None


def _kind(entry: _Entry) -> str:
    kinds = {stat.S_IFDIR: "a directory", stat.S_IFLNK: "a link", stat.S_IFREG: "a file"}
    return kinds.get(stat.S_IFMT(entry.mode), "something else")


def _whole(path: str, entry: _Entry, tree: Tree, sign: str) -> str:
    if stat.S_ISLNK(entry.mode):
        return f"a link → {printable(tree.link(path))}"
    if not stat.S_ISREG(entry.mode):
        return _kind(entry)
    nothing = lambda _: b""  # noqa: E731
    if sign == "+":
        return _diff(nothing, tree.data, path, 0, entry.size)
    return _diff(tree.data, nothing, path, entry.size, 0)


def _diff(old: Any, new: Any, path: str, was: int, now: int) -> str:
    size = f"{was} → {now} bytes"
    if max(was, now) > _TEXT_BYTES:
        return size
    before, after = _lines(old(path)), _lines(new(path))
    if before is None or after is None:
        return f"binary, {size}"
    return "\n".join(line_diff(before, after)) or size


def _lines(data: bytes) -> list[str] | None:
    if b"\0" in data:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    elif lines:
        lines[-1] += " (without a newline)"
    return lines


def line_diff(before: list[str], after: list[str]) -> list[str]:
    """As ``diff -u`` without its head; what is too long for that is counted.

    >>> line_diff(["a", "b"], ["a", "c"])
    ['@@ -1,2 +1,2 @@', ' a', '-b', '+c']
    """
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    end = 0
    while end < min(len(before), len(after)) - same and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = len(before) - same - end, len(after) - same - end
    # What matching costs grows with the product of both: a script decides about them.
    if old * new > 250_000 or old + new > _DIFF_LINES:
        head = [f"@@ line {same + 1}: {old} lines out, {new} lines in @@"]
        removed = [f"-{_cut(line)}" for line in before[same : same + 20]][:old]
        added = [f"+{_cut(line)}" for line in after[same : same + 20]][:new]
        return [*head, *removed, *_left(old), *added, *_left(new)]
    first = max(same - 3, 0)
    cut = before[first : len(before) - max(end - 3, 0)], after[first : len(after) - max(end - 3, 0)]
    lines = list(unified_diff(*cut, lineterm="", n=3))[2:]
    return [moved(line, first) if line.startswith("@@") else _cut(line) for line in lines]


def _left(count: int) -> list[str]:
    return [f"… {count - 20} more lines …"] if count > 20 else []


def _cut(line: str) -> str:
    if len(line) > _LINE_CHARACTERS:
        line = f"{line[:_LINE_CHARACTERS]}…"
    return printable(line)


def moved(head: str, by: int) -> str:
    """A hunk's head, with the numbers of lines that it has in the whole file."""
    import re

    def move(found: re.Match[str]) -> str:
        return f"{found[1]}{int(found[2]) + by}{found[3] or ''}"

    return re.sub(r"([-+])(\d+)(,\d+)?", move, head)
