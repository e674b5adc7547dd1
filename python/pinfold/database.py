"""The SQLite file of a `Store` or a `Cache`: whose it is, who may use it, and what is wrong with it.

SQLite's errors do not say which file they are about, and a damaged file shows in many of them. Here
each is a `StoreError` with the path.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from pathlib import Path

from .errors import StoreError
from .rows import check_types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_SCHEMA = """
CREATE TABLE IF NOT EXISTS snapshot (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, so that a parent is what it was
    parent INTEGER REFERENCES snapshot(id),
    label TEXT NOT NULL,
    time REAL NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS snapshot_parent ON snapshot(parent);
CREATE TABLE IF NOT EXISTS portable ( -- what any later version takes of a snapshot that was idle
    snapshot INTEGER PRIMARY KEY, data BLOB NOT NULL
);
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
CREATE INDEX IF NOT EXISTS audit_name ON audit(name);
CREATE TABLE IF NOT EXISTS seal ( -- of the names, by whoever has the key
    id INTEGER PRIMARY KEY CHECK (id = 1), counter INTEGER NOT NULL, digest BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS lease ( -- who drives a name: the token only rises
    name TEXT PRIMARY KEY, token INTEGER NOT NULL, holder TEXT NOT NULL, expires REAL NOT NULL
) WITHOUT ROWID;
"""


class Database:
    """A connection, for one thread after the other. What follows is of a store's."""

    FORMAT = 1
    #: In the header of the file, where file(1) looks, too: "pfld".
    APPLICATION = 0x70666C64
    NOUN = "store"
    #: One of its tables: a file that has others only is another program's.
    TABLE = "snapshot"
    #: Those that a file of an earlier version has not: without any other it is damaged.
    NEWER = frozenset({"portable", "lease"})
    SCHEMA = _SCHEMA
    #: Whether what was written outlives a loss of power.
    SYNCHRONOUS = "FULL"

    def __init__(self, path: str, timeout: float, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self._lock = threading.RLock()
        self._closed = False
        #: A store of an earlier version that is only read has not all tables.
        self.has_portable = self.has_leases = False
        name = f"{Path(path).absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        with self._named():
            self._connection = sqlite3.connect(
                name, timeout=timeout, isolation_level=None, check_same_thread=False, uri=True
            )
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        # Whose file it is comes before anything that changes it.
        known = self._is_store()
        if self.read_only:
            return
        self.execute("PRAGMA journal_mode=WAL")
        self.execute(f"PRAGMA synchronous={self.SYNCHRONOUS}")
        self.execute("PRAGMA foreign_keys=ON")
        if not known:
            self._make()

    def _is_store(self) -> bool:
        """False: it is empty."""
        application, version = self._pragma("application_id"), self._pragma("user_version")
        tables = {row[0] for row in self.rows("SELECT name FROM sqlite_master", (), (str,))}
        noun = self.NOUN
        if application not in (0, self.APPLICATION) or (tables and self.TABLE not in tables):
            raise StoreError(f"{self.path}: this is the database of another program, and no {noun}")
        if version not in (0, self.FORMAT):
            raise StoreError(
                f"{self.path}: a {noun} of format {version}; this pinfold has {self.FORMAT}"
            )
        if self.read_only and not tables:
            raise StoreError(f"{self.path}: this is an empty file, and no {noun}")
        self.has_portable, self.has_leases = "portable" in tables, "lease" in tables
        # One of an earlier version has no application_id, or not all tables.
        complete = application == self.APPLICATION and self.NEWER <= tables
        return bool(tables) and (complete or self.read_only)

    def _make(self) -> None:
        with self.change():
            for statement in self.SCHEMA.split(";"):
                self.execute(statement)
            self.execute(f"PRAGMA user_version={self.FORMAT}")
            self.execute(f"PRAGMA application_id={self.APPLICATION}")
        self.has_portable = self.has_leases = True

    def _pragma(self, name: str) -> int:
        with self._lock, self._named():
            found = self._usable().execute(f"PRAGMA {name}").fetchone()
        return found[0] if found and type(found[0]) is int else 0

    def close(self) -> None:
        with self._lock:
            self._connection.close()
            self._closed = True

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> int:
        """Gives how many rows it was about."""
        with self._lock, self._named():
            return self._usable().execute(statement, values).rowcount

    def insert(self, statement: str, values: tuple[Any, ...]) -> int:
        """Adds a row to a table that numbers its rows; gives the number."""
        with self._lock, self._named():
            id = self._usable().execute(statement, values).lastrowid
        assert id is not None
        return id

    def executemany(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        with self._lock, self._named():
            self._usable().executemany(statement, rows)

    def rows(
        self, statement: str, values: tuple[Any, ...], *types: tuple[type, ...] | type
    ) -> list[Any]:
        """Rows whose columns are of these types: SQLite keeps whatever somebody has put there."""
        with self._lock, self._named():
            found = self._usable().execute(statement, values).fetchall()
        check_types(found, types, self.damage)
        return found

    def one(self, statement: str, values: tuple[Any, ...], *types: tuple[type, ...]) -> Any:
        """The first row, or None."""
        return next(iter(self.rows(statement, values, *types)), None)

    def damage(self, what: str) -> StoreError:
        return StoreError(f"{self.path}: the {self.NOUN} is damaged: {what}")

    @contextlib.contextmanager
    def change(self, alone: bool = False) -> Iterator[None]:
        """A transaction, of this thread alone: all of it, or nothing. They are one after the other,
        ``alone`` or not."""
        if self.read_only:
            raise ValueError(f"{self.path}: the {self.NOUN} was opened with read_only=True")
        with self._lock:
            self.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(StoreError):  # SQLite has done it itself, perhaps
                    self.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """What is read in it is read with no change of another thread between."""
        with self._lock:
            yield

    def _usable(self) -> sqlite3.Connection:
        if self._closed:
            raise ValueError(f"{self.path}: the {self.NOUN} is closed")
        return self._connection

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OverflowError) as error:  # the latter of an id
            raise StoreError(f"{self.path}: {error}") from error
