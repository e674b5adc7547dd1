"""What a `Store` says of a snapshot, and how two of them differ."""

from __future__ import annotations

import errno
import hashlib
import posixpath
import stat
import time
from datetime import UTC, datetime
from typing import NamedTuple

from . import _native
from .bounds import DEFAULT_SECONDS
from .errors import BoundError, SnapshotError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .snapshot_files import SnapshotFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .machine import Machine


class Saved:
    """One snapshot in a store."""

    __slots__ = (
        *("build", "bytes", "id", "label", "names", "parent", "portable", "this_build", "time"),
    )

    def __init__(
        self,
        id: int,
        parent: int | None,
        label: str,
        seconds: float,
        size: int,
        names: list[str],
        head: bytes = b"",
        portable: bool = False,
    ) -> None:
        self.id = id
        #: The snapshot it went on from, ``None`` for the first of its line.
        self.parent = parent
        self.label = label
        self.time = _moment(id, seconds)
        self.bytes = size
        #: The names that point at it.
        self.names = names
        #: The build that made it, in hexadecimal, and is it this one? Else `Store.load` takes its
        #: portable form, or needs the images of that build.
        self.build, self.this_build = _build(head)
        #: Has it a portable form, which any later version takes?
        self.portable = portable

    def __repr__(self) -> str:
        names = f" {_native.printable(', '.join(self.names))}" if self.names else ""
        label = f" {self.label!r}" if self.label else ""
        return f"<Saved {self.id}{names}{label} from {self.parent}, {self.bytes} bytes>"


class Named:
    """A name of a store, and the snapshot that it points at."""

    __slots__ = ("age", "bytes", "driver", "name", "snapshot", "time")

    def __init__(
        self, name: str, snapshot: int, seconds: float, now: float, size: int, driver: str | None
    ) -> None:
        self.name = name
        self.snapshot = snapshot
        self.time = _moment(snapshot, seconds)
        #: In seconds, by the store's clock.
        self.age = now - seconds
        self.bytes = size
        #: Who has its lease; None: nobody.
        self.driver = driver

    def __repr__(self) -> str:
        return f"<Named {_native.printable(self.name)} {self.snapshot}, {self.age:.0f} s old>"


class Trace(NamedTuple):
    """A trace that a store keeps, without its bytes."""

    id: int
    name: str
    #: In seconds, by the store's clock.
    age: float
    bytes: int


def _moment(id: int, seconds: float) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"snapshot {id} has no time") from None


def _build(head: bytes) -> tuple[str, bool]:
    try:
        facts = _native.snapshot_info(head)
    except SnapshotError:
        return "", False
    return facts[5], facts[2]


SYSTEM = {"bin", "dev", "etc", "proc", "tools", "usr"}  # nobody writes there


class Left:
    """What looking through snapshots may still take."""

    def __init__(self, max_bytes: int, max_seconds: float) -> None:
        self._bytes = max_bytes or 1 << 30
        self._until = time.monotonic() + (max_seconds or DEFAULT_SECONDS)

    def spend(self, path: str) -> float:
        """The seconds that are left."""
        self._bytes -= len(path)
        seconds = self._until - time.monotonic()
        if self._bytes < 0 or seconds <= 0:
            name = "max_bytes of paths" if self._bytes < 0 else "max_seconds"
            raise BoundError(
                f"comparing snapshots, at {path}: over {name}, which is the bound of one call: raise"
                " it (diff(max_bytes=..., max_seconds=...)) if that is meant"
            )
        return seconds


class FilesOf(dict[str, "tuple[bytes | None, int, int]"]):
    """Every regular file of a snapshot: a digest of its contents, size and time. The digest is None,
    and a directory is unread, when they were still with the host."""

    def __init__(self, machine: Machine, left: Left) -> None:
        self._unread: list[str] = []
        self._left = left
        todo = ["/" + name for name in machine.file_list("/") if name not in SYSTEM]
        while todo:  # a script makes directories as deep as it likes
            todo += self._look(machine, todo.pop())

    @classmethod
    def listed(cls, files: SnapshotFiles, left: Left) -> FilesOf:
        """Of a snapshot of any build, by its list."""
        self = cls.__new__(cls)
        self._unread, self._left = [], left
        for entry in files.entries:
            left.spend(entry.path)
            if stat.S_ISREG(entry.mode):
                digest = None if entry.unread else hashlib.sha256(files[entry.path]).digest()
                self[entry.path] = digest, entry.size, entry.mtime_ns
            elif entry.unread:
                self._unread.append(entry.path)
        return self

    def lacks(self, path: str) -> bool:
        """It is known that there is no such file."""
        return not any(path.startswith(directory + "/") for directory in self._unread)

    def _look(self, machine: Machine, path: str) -> list[str]:
        """Takes a file; gives what is in a directory."""
        seconds = self._left.spend(path)
        try:
            mode, size, changed = machine.file_lstat(path)
        except (OSError, ValueError):
            return []  # its path is too long
        try:
            if mode & 0o170000 == 0o040000:
                return [posixpath.join(path, name) for name in machine.file_list(path, 0, seconds)]
            if mode & 0o170000 == 0o100000:
                self[path] = None, size, changed
                self[path] = machine.file_digest(path, 0, seconds), size, changed
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            if mode & 0o170000 == 0o040000:
                self._unread.append(path)
        return []


def differences(before: FilesOf, after: FilesOf) -> dict[str, list[str]]:
    """The paths in which two snapshots differ: ``added``, ``changed`` and ``removed``."""
    both = after.keys() & before.keys()
    return {
        "added": sorted(path for path in after.keys() - both if before.lacks(path)),
        "changed": sorted(path for path in both if differ(before[path], after[path])),
        "removed": sorted(path for path in before.keys() - both if after.lacks(path)),
    }


def differ(a: tuple[bytes | None, int, int], b: tuple[bytes | None, int, int]) -> bool:
    if a[0] is None or b[0] is None:
        return a[1:] != b[1:]
    return a[0] != b[0]
