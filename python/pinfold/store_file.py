"""The rows of a `Store` in a SQLite file, and which database a path is about."""

from __future__ import annotations

import contextlib
import json
import os
import time

from .database import Database
from .errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from .rows import Rows

    T = TypeVar("T")

_NUMBER, _TEXT, _BYTES, _TIME = (int,), (str,), (bytes,), (float, int)
_PARENT = (int, type(None))


def opened(
    path: str, timeout: float, read_only: bool, key: bytes | None, server: dict[str, Any]
) -> Rows:
    """The database that a path or URL names; ``server`` is what only a server's store has."""
    if not path:
        raise ValueError("a store needs a path: without one nothing would be kept")
    if path.startswith(("postgresql://", "postgres://")):
        try:
            from .postgres.server import Server
        except ImportError as error:
            raise ImportError(
                f"a store on PostgreSQL needs {error.name}: pip install 'pinfold[postgres]'"
            ) from error
        rows: Rows = Server(path, timeout, read_only, key, **server)
        return rows
    given = [name for name, value in server.items() if value is not None]
    if given:
        raise ValueError(f"{given[0]} is for a store on PostgreSQL, not for a file")
    return StoreFile(path, timeout, read_only)


class StoreFile(Database):
    """See `pinfold.rows.Rows`."""

    def identity(self) -> str:
        return str(self.rows("PRAGMA database_list", (), _NUMBER, _TEXT, _TEXT)[0][2])

    def again(self, work: Callable[[int], T]) -> T:
        return work(0)

    # ------------------------------------------------------------------ snapshots

    def reserve(self, needed: bool) -> int | None:
        if not needed:
            return None
        with self.change():
            id = self.insert("INSERT INTO snapshot(label, time, data) VALUES ('', 0, x'')", ())
            self.execute("DELETE FROM snapshot WHERE id = ?", (id,))
        return id

    def exists(self, id: int) -> bool:
        return bool(self.rows("SELECT 1 FROM snapshot WHERE id = ?", (id,), _NUMBER))

    def prepare(
        self, id: int | None, likely: int | None, data: bytes, portable: bytes | None
    ) -> tuple[bytes, bytes | None]:
        return data, portable

    def keep(self, id: int | None, parent: int | None, label: str, prepared: Any) -> int | None:
        data, portable = prepared
        id = self.insert(
            "INSERT INTO snapshot(id, parent, label, time, data) VALUES (?, ?, ?, ?, ?)",
            (id, parent, label, self.now(), data),
        )
        if portable is not None:
            self.execute("INSERT INTO portable VALUES (?, ?)", (id, portable))
        return id

    def quiet(self) -> None:
        """Changes are one after the other."""

    def content(self, id: int) -> bytes | None:
        found = self.one("SELECT data FROM snapshot WHERE id = ?", (id,), _BYTES)
        return None if found is None else found[0]

    def portable(self, id: int) -> bytes | None:
        select = "SELECT data FROM portable WHERE snapshot = ?"
        found = self.one(select, (id,), _BYTES) if self.has_portable else None
        return None if found is None else found[0]

    def portables(self) -> set[int]:
        if not self.has_portable:
            return set()
        return {row[0] for row in self.rows("SELECT snapshot FROM portable", (), _NUMBER)}

    def saved(self, id: int | None = None) -> list[Any]:
        return self.rows(
            "SELECT id, parent, label, time, length(data), substr(data, 1, 72) FROM snapshot"
            " WHERE ?1 IS NULL OR id = ?1 ORDER BY id",
            *((id,), _NUMBER, _PARENT, _TEXT, _TIME, _NUMBER, _BYTES),
        )

    def drop(self, kept: dict[int, int | None], gone: list[int]) -> None:
        for id, parent in kept.items():
            self.execute("UPDATE snapshot SET parent = ? WHERE id = ?", (parent, id))
        for id in sorted(gone, reverse=True):  # children before their parents
            self.execute("UPDATE snapshot SET parent = NULL WHERE parent = ?", (id,))
            self.execute("DELETE FROM snapshot WHERE id = ?", (id,))
            self.execute("DELETE FROM portable WHERE snapshot = ?", (id,))

    def shrink(self) -> None:
        with contextlib.suppress(StoreError):
            self.execute("VACUUM")
            self.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # ------------------------------------------------------------------ lists

    def now(self) -> float:
        return time.time()

    def named(self, where: str, values: tuple[Any, ...], limit: int) -> list[Any]:
        return self.rows(
            "SELECT name, snapshot, time, length(data) FROM name"
            f" JOIN snapshot ON snapshot.id = snapshot WHERE {where} ORDER BY name LIMIT {limit}",
            values,
            *(_TEXT, _NUMBER, _TIME, _NUMBER),
        )

    def names_of(self, ids: set[int]) -> list[Any]:
        every = self.rows("SELECT name, snapshot FROM name ORDER BY name", (), _TEXT, _NUMBER)
        return [row for row in every if row[1] in ids]

    def tree(self, root: int, limit: int) -> list[Any]:
        return self.rows(
            "WITH RECURSIVE tree(id) AS (SELECT ?1 UNION"
            " SELECT snapshot.id FROM snapshot JOIN tree ON snapshot.parent = tree.id LIMIT ?2)"
            " SELECT id, parent, label, time, length(data), substr(data, 1, 72) FROM snapshot"
            " WHERE id IN (SELECT id FROM tree) ORDER BY id",
            (root, limit),
            *(_NUMBER, _PARENT, _TEXT, _TIME, _NUMBER, _BYTES),
        )

    def line(self, id: int, limit: int) -> list[Any]:
        return self.rows(
            "WITH RECURSIVE line(at, above, depth) AS ("
            " SELECT id, parent, 0 FROM snapshot WHERE id = ?1 UNION ALL"
            " SELECT snapshot.id, snapshot.parent, depth + 1 FROM snapshot"
            " JOIN line ON snapshot.id = line.above WHERE depth + 1 < ?2)"
            " SELECT id, parent, label, time, length(data), substr(data, 1, 72)"
            " FROM line JOIN snapshot ON id = at ORDER BY depth",
            (id, limit),
            *(_NUMBER, _PARENT, _TEXT, _TIME, _NUMBER, _BYTES),
        )

    def drivers(self, names: list[str]) -> dict[str, str]:
        found = {}
        for name in names:
            row = self._lease(name)
            if row is not None and row[2] > time.time() and not _gone(row[1]):
                found[name] = _who(row[1])
        return found

    # ------------------------------------------------------------------ leases

    def acquire(self, name: str, holder: str, seconds: float) -> int | str:
        me, now = json.dumps([*_process(), holder]), time.time()
        with self.change():
            row = self._lease(name)
            if row is not None and row[2] > now and not _gone(row[1]):
                return _who(row[1])
            token: int = 1 if row is None else row[0] + 1
            self.execute(
                "INSERT INTO lease(name, token, holder, expires) VALUES (?1, ?2, ?3, ?4)"
                " ON CONFLICT(name) DO UPDATE SET token = ?2, holder = ?3, expires = ?4",
                (name, token, me, now + seconds),
            )
        return token

    def renew(self, tokens: dict[str, int], seconds: float) -> set[str]:
        update = "UPDATE lease SET expires = ? WHERE name = ? AND token = ?"
        until = time.time() + seconds
        with self.change():
            return {
                name
                for name, token in tokens.items()
                if not self.execute(update, (until, name, token))
            }

    def release(self, name: str, token: int) -> None:
        with self.change():
            ended = "UPDATE lease SET expires = 0 WHERE name = ? AND token = ?"
            self.execute(ended, (name, token))

    def fence(self, name: str) -> tuple[int, str, bool] | None:
        row = self._lease(name)
        if row is None:
            return None
        token, holder, expires = row
        return token, _who(holder), expires > time.time() and not _gone(holder)

    def _lease(self, name: str) -> tuple[int, str, float] | None:
        if not self.has_leases:
            return None
        select = "SELECT token, holder, expires FROM lease WHERE name = ?"
        found: tuple[int, str, float] | None = self.one(select, (name,), _NUMBER, _TEXT, _TIME)
        return found


def _process() -> tuple[str, int, str]:
    """What tells this process from all others: where its number is good, the number, its start."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            where = f"{file.read().strip()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        where = ""
    return where, os.getpid(), _start(os.getpid())


def _start(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _gone(holder: str) -> bool:
    """Is the process that holds a lease known to have ended? Only its own machine can tell."""
    try:
        where, pid, start, _ = json.loads(holder)
        return bool(where) and where == _process()[0] and _start(int(pid)) != start
    except (ValueError, TypeError):
        return False


def _who(holder: str) -> str:
    try:
        _, pid, _, text = json.loads(holder)
        return f"{text} (process {pid})"
    except (ValueError, TypeError):
        return "somebody"
