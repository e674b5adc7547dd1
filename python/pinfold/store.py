"""`Store`: sandboxes that outlive the process, in one SQLite file.

A store keeps snapshots as a tree. Every snapshot has a parent (the one its sandbox was loaded from
or saved as before), a label and a time; a name points at the newest snapshot of its line. Traces
and audit entries are kept beside them. SQLite does the hard part: two processes may use a store at
once, and one that is killed in the middle of a save loses nothing older.

Snapshots are data, never authority: `load` takes tools and capabilities as `Sandbox.restore` does.
"""

from __future__ import annotations

import contextlib
import errno
import json
import posixpath
import sqlite3
import time
from datetime import UTC, datetime
from os import fspath

from . import _native
from .sandbox import Sandbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike
    from typing import Any, Self

_FORMAT = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS snapshot (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, so that a parent is what it was
    parent INTEGER REFERENCES snapshot(id),
    label TEXT NOT NULL,
    time REAL NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS snapshot_parent ON snapshot(parent);
CREATE TABLE IF NOT EXISTS name (
    name TEXT PRIMARY KEY,
    snapshot INTEGER NOT NULL REFERENCES snapshot(id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS trace (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, time REAL NOT NULL, data BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS audit (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, time REAL NOT NULL, entry TEXT NOT NULL
);
"""


class Saved:
    """One snapshot in a store."""

    __slots__ = ("bytes", "id", "label", "names", "parent", "time")

    def __init__(
        self, id: int, parent: int | None, label: str, seconds: float, size: int, names: list[str]
    ) -> None:
        self.id = id
        #: The snapshot it went on from, ``None`` for the first of its line.
        self.parent = parent
        self.label = label
        self.time = datetime.fromtimestamp(seconds, UTC)
        self.bytes = size
        #: The names that point at it.
        self.names = names

    def __repr__(self) -> str:
        names = f" {', '.join(self.names)}" if self.names else ""
        label = f" {self.label!r}" if self.label else ""
        return f"<Saved {self.id}{names}{label} from {self.parent}, {self.bytes} bytes>"


# Inside `Store`, `list` is a method.
SavedList = list[Saved]
Names = list[str]


class Store:
    """Named sandboxes, snapshots as a tree, traces and audit entries in one file.

    >>> import tempfile
    >>> path = tempfile.mktemp(suffix=".db")
    >>> with Store(path) as store:
    ...     with Sandbox() as sandbox:
    ...         _ = sandbox.run("echo draft > plan")
    ...         _ = store.save("alice", sandbox, label="first draft")
    ...     _ = store.branch("alice", "bob")
    ...     with store.load("bob") as sandbox:
    ...         _ = sandbox.run("echo bold > plan; touch more")
    ...         _ = store.save("bob", sandbox)
    ...     store.names()
    ...     store.diff("alice", "bob")
    ['alice', 'bob']
    {'added': ['/workspace/more'], 'changed': ['/workspace/plan'], 'removed': []}

    ``key`` authenticates the snapshots, see `Sandbox`. A `Store` belongs to one thread; any number
    of them, also in several processes, may be open on one file.
    """

    def __init__(
        self, path: str | PathLike[str], *, key: bytes | None = None, timeout: float = 30.0
    ) -> None:
        if key is not None and not isinstance(key, bytes):
            raise TypeError(f"key is bytes, not {type(key).__name__}")
        self._key = key
        if not fspath(path):
            raise ValueError("a store needs a path: without one nothing would be kept")
        self._db = _Database(fspath(path), timeout)
        try:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA foreign_keys=ON")
            with self._change():
                found = self._db.execute("PRAGMA user_version").fetchone()[0]
                if found not in (0, _FORMAT):
                    raise ValueError(f"{path} is a store of format {found}; this is {_FORMAT}")
                for statement in _SCHEMA.split(";"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version={_FORMAT}")
        except BaseException:
            self._db.close()
            raise

    # ------------------------------------------------------------------ saving and loading

    def save(self, name: str, sandbox: Sandbox, label: str = "") -> int:
        """Saves a sandbox under a name and gives the snapshot's id.

        Its parent is what the sandbox was last saved as or loaded from here; for another sandbox
        it is what the name points at.
        """
        _check_name(name)
        if not isinstance(sandbox, Sandbox):
            inner = " (its .sandbox is one)" if hasattr(sandbox, "sandbox") else ""
            raise TypeError(f"what is saved is a Sandbox, not {sandbox!r}{inner}")
        data = sandbox.snapshot()
        origin = getattr(sandbox, "_stored", None)
        with self._change():
            parent = origin[1] if origin and origin[0] == self._identity() else self._find(name)
            if parent is not None and not self._exists(parent):
                parent = None  # pruned meanwhile
            id = self._db.execute(
                "INSERT INTO snapshot(parent, label, time, data) VALUES (?, ?, ?, ?)",
                (parent, label, time.time(), data),
            ).lastrowid
            assert id is not None
            self._point(name, id)
        sandbox.__dict__["_stored"] = (self._identity(), id)
        return id

    def load(self, which: str | int, **how: Any) -> Sandbox:
        """Continues a snapshot, by name or id. The keywords are those of `Sandbox.restore`."""
        id = self._resolve(which)
        how.setdefault("key", self._key)
        sandbox = Sandbox.restore(self.data(id), **how)
        sandbox.__dict__["_stored"] = (self._identity(), id)
        return sandbox

    def data(self, which: str | int) -> bytes:
        """The bytes of a snapshot."""
        row = self._db.execute(
            "SELECT data FROM snapshot WHERE id = ?", (self._resolve(which),)
        ).fetchone()
        if row is None:
            raise KeyError(which)
        content: bytes = row[0]
        return content

    # ------------------------------------------------------------------ the tree

    def branch(self, which: str | int, name: str) -> int:
        """Gives a snapshot another, new name, from which it can go on by itself."""
        _check_name(name)
        with self._change():
            if self._find(name) is not None:
                raise ValueError(f"the store has a sandbox {name!r} already")
            id = self._resolve(which)
            self._point(name, id)
        return id

    def names(self) -> list[str]:
        return [row[0] for row in self._db.execute("SELECT name FROM name ORDER BY name")]

    def list(self) -> SavedList:
        """All snapshots, oldest first."""
        names: dict[int, list[str]] = {}
        for name, id in self._db.execute("SELECT name, snapshot FROM name ORDER BY name"):
            names.setdefault(id, []).append(name)
        rows = self._db.execute(
            "SELECT id, parent, label, time, length(data) FROM snapshot ORDER BY id"
        )
        return [
            Saved(id, parent, label, seconds, size, names.get(id, []))
            for id, parent, label, seconds, size in rows
        ]

    def history(self, which: str | int) -> SavedList:
        """A snapshot and what it went on from, newest first."""
        by_id = {saved.id: saved for saved in self.list()}
        line, id = [], self._resolve(which)
        while id in by_id:
            line.append(by_id[id])
            id = by_id[id].parent or 0
        return line

    def diff(self, old: str | int, new: str | int) -> dict[str, Names]:
        """The files in which two snapshots differ: ``added``, ``changed`` and ``removed`` paths.

        What one of them had not read of a mounted directory counts as unchanged where size and
        time are the same.
        """
        before, after = self._files(old), self._files(new)
        both = after.keys() & before.keys()
        return {
            "added": sorted(path for path in after.keys() - both if before.lacks(path)),
            "changed": sorted(path for path in both if _differ(before[path], after[path])),
            "removed": sorted(path for path in before.keys() - both if after.lacks(path)),
        }

    def forget(self, name: str) -> None:
        """Removes a name. Its snapshots stay until `prune`."""
        with self._change():
            if not self._db.execute("DELETE FROM name WHERE name = ?", (name,)).rowcount:
                raise KeyError(name)

    def prune(self, keep: int = 1) -> int:
        """Removes snapshots that no name needs: for each, the newest ``keep`` of its line stay.

        What stays keeps its place in the tree, below its nearest ancestor that stays. Gives how
        many were removed. The file gets smaller unless somebody else is at work in it.
        """
        if keep < 1:
            raise ValueError(f"keep must be 1 or more, got {keep}")
        with self._change():
            parents = dict(self._db.execute("SELECT id, parent FROM snapshot"))
            wanted: set[int] = set()
            for (id,) in self._db.execute("SELECT snapshot FROM name").fetchall():
                for _ in range(keep):
                    wanted.add(id)
                    if parents.get(id) is None:
                        break
                    id = parents[id]
            for id in wanted:
                parent = parents[id]
                while parent is not None and parent not in wanted:
                    parent = parents[parent]
                self._db.execute("UPDATE snapshot SET parent = ? WHERE id = ?", (parent, id))
            gone = [id for id in parents if id not in wanted]
            for id in sorted(gone, reverse=True):  # children before their parents
                self._db.execute("UPDATE snapshot SET parent = NULL WHERE parent = ?", (id,))
                self._db.execute("DELETE FROM snapshot WHERE id = ?", (id,))
        if gone:
            with contextlib.suppress(sqlite3.OperationalError):
                self._db.execute("VACUUM")
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(gone)

    # ------------------------------------------------------------------ traces and audit entries

    def add_trace(self, name: str, trace: str | PathLike[str] | bytes) -> int:
        """Keeps a trace (a path or its bytes) under a sandbox's name."""
        from .replaying import read_trace

        trace = read_trace(trace)
        with self._change():
            id = self._db.execute(
                "INSERT INTO trace(name, time, data) VALUES (?, ?, ?)", (name, time.time(), trace)
            ).lastrowid
        assert id is not None
        return id

    def traces(self, name: str | None = None) -> Iterator[tuple[int, str, bytes]]:
        """(id, name, trace), oldest first; of one sandbox, or of all."""
        yield from self._db.execute(
            "SELECT id, name, data FROM trace WHERE ?1 IS NULL OR name = ?1 ORDER BY id", (name,)
        )

    def add_audit(self, name: str, entries: Iterable[Any]) -> None:
        """Keeps audit entries (anything that is JSON) under a sandbox's name."""
        now = time.time()
        rows = [(name, now, json.dumps(entry, default=_as_json)) for entry in entries]
        with self._change():
            self._db.executemany("INSERT INTO audit(name, time, entry) VALUES (?, ?, ?)", rows)

    def audit(self, name: str | None = None) -> Iterator[tuple[str, Any]]:
        """(name, entry), oldest first; of one sandbox, or of all."""
        for found, entry in self._db.execute(
            "SELECT name, entry FROM audit WHERE ?1 IS NULL OR name = ?1 ORDER BY id", (name,)
        ):
            yield found, json.loads(entry)

    # ------------------------------------------------------------------ ending

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    # ------------------------------------------------------------------ inside

    def _change(self) -> _Change:
        return _Change(self._db)

    def _identity(self) -> str:
        return str(self._db.execute("PRAGMA database_list").fetchone()[2])

    def _exists(self, id: int) -> bool:
        return bool(self._db.execute("SELECT 1 FROM snapshot WHERE id = ?", (id,)).fetchone())

    def _find(self, name: str) -> int | None:
        row = self._db.execute("SELECT snapshot FROM name WHERE name = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def _resolve(self, which: str | int) -> int:
        id = self._find(which) if isinstance(which, str) else which
        if id is None or not self._exists(id):
            raise KeyError(which)
        return id

    def _point(self, name: str, id: int) -> None:
        self._db.execute(
            "INSERT INTO name(name, snapshot) VALUES (?1, ?2)"
            " ON CONFLICT(name) DO UPDATE SET snapshot = ?2",
            (name, id),
        )

    def _files(self, which: str | int) -> _Files:
        machine = _native.snapshot_look(self.data(which), self._key)
        try:
            return _Files(machine)
        finally:
            machine.close()


class _Database:
    """SQLite, whose errors do not say which file they are about."""

    def __init__(self, path: str, timeout: float) -> None:
        self._path = path
        with self._named():
            self._connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
        self._closed = False

    def close(self) -> None:
        self._connection.close()
        self._closed = True

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        if self._closed:
            raise ValueError(f"{self._path}: the store is closed")
        with self._named():
            return self._connection.execute(statement, values)

    def executemany(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with self._named():
            self._connection.executemany(statement, rows)

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise type(error)(f"{self._path}: {error}") from error


class _Change:
    """A transaction: all of it, or nothing."""

    def __init__(self, db: _Database) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *exc_info: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not name:
        raise ValueError(f"the name of a sandbox is text, not {name!r}")


def _as_json(value: Any) -> Any:
    """Audit entries are plain objects."""
    fields = getattr(value, "__dict__", None) or {
        name: getattr(value, name) for name in getattr(value, "__slots__", ())
    }
    return fields or str(value)


_SYSTEM = {"bin", "dev", "etc", "proc", "tools", "usr"}  # nobody writes there


class _Files(dict[str, "tuple[bytes | None, int, int]"]):
    """Every regular file of a snapshot: contents, size and time. Contents are None, and a directory
    is unread, when they were still with the host."""

    def __init__(self, machine: _native.Machine) -> None:
        self._unread: list[str] = []
        for name in machine.file_list("/"):
            if name not in _SYSTEM:
                self._look(machine, "/" + name)

    def lacks(self, path: str) -> bool:
        """It is known that there is no such file."""
        return not any(path.startswith(directory + "/") for directory in self._unread)

    def _look(self, machine: _native.Machine, path: str) -> None:
        try:
            mode, size, changed = machine.file_lstat(path)
        except (OSError, ValueError):
            return  # its path is too long
        try:
            if mode & 0o170000 == 0o040000:
                for name in machine.file_list(path):
                    self._look(machine, posixpath.join(path, name))
            elif mode & 0o170000 == 0o100000:
                self[path] = None, size, changed
                self[path] = machine.file_read(path), size, changed
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            if mode & 0o170000 == 0o040000:
                self._unread.append(path)


def _differ(a: tuple[bytes | None, int, int], b: tuple[bytes | None, int, int]) -> bool:
    if a[0] is None or b[0] is None:
        return a[1:] != b[1:]
    return a[0] != b[0]
