"""Who drives a name, on a server: an advisory lock, and a token in a row.

The lock belongs to a connection, so it ends with the process that has it, at once. One that hangs
is shown by its row, which it does not renew: who waits then ends its connection. The token is
what counts when something is written.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading

import psycopg

from ..errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    Connection = psycopg.Connection[tuple[Any, ...]]

_GIVEN = (
    "INSERT INTO lease(name, token, holder, expires)"
    " VALUES ($1, 1, $2, clock_timestamp() + $3 * interval '1 second')"
    " ON CONFLICT(name) DO UPDATE SET token = lease.token + 1, holder = EXCLUDED.holder,"
    " expires = EXCLUDED.expires RETURNING token"
)
#: Ends whoever has a lock whose lease is over.
_OUSTED = (
    "SELECT pg_terminate_backend(pid) FROM pg_locks"
    " WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND (classid::bigint << 32 | objid::bigint) = $1"
    " AND EXISTS (SELECT 1 FROM lease WHERE name = $2 AND expires < clock_timestamp())"
)


class Locks:
    """The part of `Server` that is about leases."""

    _schema: str

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._holding: Connection | None = None
        self._locked: set[str] = set()  # by the connection

    if TYPE_CHECKING:

        def connect(self) -> Connection: ...
        def one(self, statement: str, values: tuple[Any, ...], *types: Any) -> Any: ...
        def rows(self, statement: str, values: tuple[Any, ...], *types: Any) -> list[Any]: ...
        def execute(self, statement: str, values: tuple[Any, ...] = ()) -> int: ...
        def _named(self, state: str = "") -> AbstractContextManager[None]: ...

    def acquire(self, name: str, holder: str, seconds: float) -> int | str:
        key = self._lock_key(name)
        with self._own() as connection:
            if not self._take(connection, name):
                if connection.execute(_OUSTED, (key, name)).fetchall():
                    return "somebody who is being ended"
                row = connection.execute(
                    "SELECT holder FROM lease WHERE name = $1", (name,)
                ).fetchone()
                return str(row[0]) if row else "somebody"
            row = connection.execute(_GIVEN, (name, _told(connection, holder), seconds)).fetchone()
            assert row is not None
            return int(row[0])

    def renew(self, tokens: dict[str, int], seconds: float) -> set[str]:
        """After the server or the connection has ended, the locks are taken anew."""
        with self._own() as connection:
            lost = {name for name in tokens if not self._take(connection, name)}
            names = [name for name in tokens if name not in lost]
            held = connection.execute(
                "UPDATE lease SET expires = clock_timestamp() + $3 * interval '1 second'"
                " FROM unnest($1::text[], $2::bigint[]) AS mine(name, token)"
                " WHERE lease.name = mine.name AND lease.token = mine.token RETURNING lease.name",
                (names, [tokens[name] for name in names], seconds),
            ).fetchall()
            lost |= set(names) - {row[0] for row in held}
            for name in lost:
                self._give(connection, name)
            return lost

    def release(self, name: str, token: int) -> None:
        with self._own() as connection:
            connection.execute(
                "UPDATE lease SET expires = '-infinity' WHERE name = $1 AND token = $2",
                (name, token),
            )
            self._give(connection, name)

    def drivers(self, names: list[str]) -> dict[str, str]:
        select = (
            "SELECT name, holder FROM lease WHERE name = ANY(?) AND expires > clock_timestamp()"
        )
        return dict(self.rows(select, (names,), (str,), (str,)))

    def fence(self, name: str) -> tuple[int, str, bool] | None:
        select = (
            "SELECT token, holder, expires > clock_timestamp() FROM lease WHERE name = ? FOR SHARE"
        )
        found: tuple[int, str, bool] | None = self.one(select, (name,), (int,), (str,), (bool,))
        return found

    # ------------------------------------------------------------------ inside

    def _lock_key(self, name: str) -> int:
        text = f"pinfold lease\0{self._schema}\0{name}".encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)

    def _take(self, connection: Connection, name: str) -> bool:
        """A connection takes a lock as often as it likes: once is enough."""
        if name in self._locked:
            return True
        take = "SELECT pg_try_advisory_lock($1)"
        row = connection.execute(take, (self._lock_key(name),)).fetchone()
        if row is not None and row[0]:
            self._locked.add(name)
            return True
        return False

    def _give(self, connection: Connection, name: str) -> None:
        if name in self._locked:
            connection.execute("SELECT pg_advisory_unlock($1)", (self._lock_key(name),))
            self._locked.discard(name)

    @contextlib.contextmanager
    def _own(self) -> Iterator[Connection]:
        """The one connection that has the locks; when it ended, another one, without any."""
        with self._guard:
            if self._holding is not None and self._holding.closed:
                self._end_locks()
            if self._holding is None:
                self._holding = self.connect()
            try:
                with self._named():
                    yield self._holding
            except StoreError:
                if self._holding is not None and self._holding.closed:
                    self._end_locks()
                raise

    def _end_locks(self) -> None:
        connection, self._holding = self._holding, None
        self._locked.clear()
        if connection is not None:
            with contextlib.suppress(psycopg.Error):
                connection.close()


def _told(connection: Connection, holder: str) -> str:
    return f"{holder} (connection {connection.info.backend_pid})"
