"""The rows of a `Store` on a PostgreSQL server: see `pinfold.rows.Rows`.

A server that goes away is waited for, up to the store's ``timeout``: by what is only read, and
before a change has begun, by itself; in the middle of a change by who can do it again (`again`).
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import threading
import time

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from ..errors import StoreError, StoreUnavailable
from ..rows import check_types
from .connections import Connections
from .contents import Contents
from .locks import Locks
from .schema import MIGRATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    T = TypeVar("T")
    Connection = psycopg.Connection[tuple[Any, ...]]

#: Of the server's advisory locks, for what is done by one alone: migrations, sealed names, pruning.
_ALONE = 0x70666C64
#: A client that stands still within a transaction keeps others waiting for so long, in seconds.
_STANDSTILL = 10
_AWAY = (psycopg.OperationalError, psycopg.InterfaceError)
#: Errors of the same class that are not about the connection.
_HERE = (
    psycopg.errors.LockNotAvailable,
    psycopg.errors.QueryCanceled,
    psycopg.errors.DiskFull,
    psycopg.errors.OutOfMemory,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
)


class Server(Contents, Locks):
    """For any number of threads, each with a connection of its own while it does something."""

    def __init__(
        self,
        url: str,
        timeout: float,
        read_only: bool,
        key: bytes | None,
        *,
        schema: str | None = None,
        large: str | None = None,
        large_bytes: int | None = None,
    ) -> None:
        self._schema = "pinfold" if schema is None else schema
        if not isinstance(self._schema, str) or not re.fullmatch(
            r"[a-z_][a-z0-9_]{0,62}", self._schema
        ):
            raise ValueError(f"schema is a name of small letters, digits and _, not {schema!r}")
        self.path = _shown(url)
        self.read_only = read_only
        self._url = url
        self._timeout = timeout
        self._process = os.getpid()
        self._closed = self._ready = False
        self._mine = threading.local()  # .connection: of this thread's transaction
        Contents.__init__(self, key, large, large_bytes)
        Locks.__init__(self)
        self._pool = Connections(self.connect, timeout)
        try:
            self._open()
            self._ready = True
        except BaseException:
            self.close()
            raise

    def _configure(self, connection: Connection) -> None:
        """What is acknowledged is on disk, whatever the server's default is."""
        name = sql.Identifier(self._schema)
        connection.execute(sql.SQL("SET search_path TO {}, pg_temp").format(name).as_string())
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false)"
            " WHERE current_setting('synchronous_commit') = 'off'"
        )
        if self.read_only:
            connection.execute("SET default_transaction_read_only = on")

    def connect(self) -> Connection:
        with self._named():
            connection = psycopg.connect(self._url, **_settings(self._url, self._timeout))
            try:
                self._configure(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    # ------------------------------------------------------------------ whose tables these are

    def _open(self) -> None:
        known = self._version()
        if known is not None and known > len(MIGRATIONS):
            raise StoreError(
                f"{self.path}: a store of format {known}; this pinfold has {len(MIGRATIONS)}"
            )
        if known == len(MIGRATIONS):
            return
        if self.read_only:
            what = "an earlier format: open it for writing once" if known else "not there"
            raise StoreError(f"{self.path}: the store in the schema {self._schema!r} is {what}")
        with self.change(alone=True):
            self._migrate()

    def _version(self) -> int | None:
        """None: there is nothing yet."""
        tables = {
            row[0]
            for row in self.rows(
                "SELECT tablename::text FROM pg_tables WHERE schemaname = ?",
                (self._schema,),
                (str,),
            )
        }
        if not tables:
            return None
        if "pinfold_store" not in tables:
            raise StoreError(
                f"{self.path}: the schema {self._schema!r} is another program's, and no store"
            )
        return int(self.rows("SELECT version FROM pinfold_store", (), (int,))[0][0])

    def _migrate(self) -> None:
        name = sql.Identifier(self._schema).as_string()
        self.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")
        known = self._version()  # somebody else was first, perhaps
        if known is None:
            self.execute(
                "CREATE TABLE pinfold_store (version INTEGER NOT NULL, made TEXT NOT NULL)"
            )
            made = "INSERT INTO pinfold_store VALUES (0, gen_random_uuid()::text)"
            self.execute(made)
        for statements in MIGRATIONS[known or 0 :]:
            for statement in re.sub(r"--.*", "", statements).split(";"):
                if statement.strip():
                    self.execute(statement)
        self.execute("UPDATE pinfold_store SET version = ?", (len(MIGRATIONS),))

    @functools.cached_property
    def _identity(self) -> str:
        return str(self.rows("SELECT made FROM pinfold_store", (), (str,))[0][0])

    def identity(self) -> str:
        return f"postgresql {self._identity}"

    # ------------------------------------------------------------------ statements

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> int:
        with self._named(), self._connection() as connection:
            return connection.execute(_dollars(statement), values).rowcount

    def executemany(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        with self._named(), self._connection() as connection:
            connection.cursor().executemany(_dollars(statement), rows)

    def insert(self, statement: str, values: tuple[Any, ...]) -> int:
        return int(self.rows(f"{statement} RETURNING id", values, (int,))[0][0])

    def rows(self, statement: str, values: tuple[Any, ...], *types: tuple[type, ...]) -> list[Any]:
        return self._read(lambda: self._rows(statement, values, types))

    def _rows(
        self, statement: str, values: tuple[Any, ...], types: tuple[tuple[type, ...] | type, ...]
    ) -> list[Any]:
        with self._named(), self._connection() as connection:
            found = connection.execute(_dollars(statement), values).fetchall()
        check_types(found, types, self.damage)
        return found

    def one(self, statement: str, values: tuple[Any, ...], *types: tuple[type, ...]) -> Any:
        return next(iter(self.rows(statement, values, *types)), None)

    def damage(self, what: str) -> StoreError:
        return StoreError(f"{self.path}: the store is damaged: {what}")

    # ------------------------------------------------------------------ transactions

    @contextlib.contextmanager
    def change(self, alone: bool = False) -> Iterator[None]:
        if self.read_only:
            raise ValueError(f"{self.path}: the store was opened with read_only=True")
        with self._transaction("BEGIN"):
            if alone:
                self.execute("SELECT pg_advisory_xact_lock(?, hashtext(?))", (_ALONE, self._schema))
            if self._ready:  # from here on nobody prunes, or all of that is seen
                self.execute("LOCK TABLE snapshot, content, name IN ROW EXCLUSIVE MODE")
            yield

    def quiet(self) -> None:
        self.execute("LOCK TABLE snapshot, content, name IN SHARE ROW EXCLUSIVE MODE")
        self.execute("SET LOCAL idle_in_transaction_session_timeout = 0")

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        if getattr(self._mine, "connection", None) is not None:
            yield
            return
        with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"):
            yield

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        if getattr(self._mine, "connection", None) is not None:
            raise ValueError("a change of a store within a change")
        connection = self._read(lambda: self._begun(begin))
        self._mine.connection = connection
        try:
            with self._named():
                yield
            with self._named("whether this was written is not known"):
                connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(psycopg.Error):
                connection.execute("ROLLBACK")
            raise
        finally:
            self._mine.connection = None
            self._pool.give(connection)

    def _begun(self, begin: str) -> Connection:
        connection = self._usable().take()
        try:
            with self._named():
                connection.execute(begin)
        except BaseException:
            self._pool.give(connection)
            raise
        return connection

    def again(self, work: Callable[[int], T]) -> T:
        until, attempts = time.monotonic() + self._timeout, 0
        while True:
            try:
                return work(attempts)
            except StoreUnavailable:
                if time.monotonic() >= until or self._closed:
                    raise
                attempts += 1
                time.sleep(min(0.05 * attempts, 1.0))

    def _read(self, work: Callable[[], T]) -> T:
        """What may be done again, unless it is within a transaction."""
        if getattr(self._mine, "connection", None) is not None:
            return work()
        return self.again(lambda _: work())

    @contextlib.contextmanager
    def _connection(self) -> Iterator[Connection]:
        own = getattr(self._mine, "connection", None)
        if own is not None:
            yield own
            return
        connection = self._usable().take()
        try:
            yield connection
        finally:
            self._pool.give(connection)

    def _usable(self) -> Connections:
        if self._process != os.getpid():
            raise ValueError(f"{self.path}: opened before fork(): a child opens a store of its own")
        if self._closed:
            raise ValueError(f"{self.path}: the store is closed")
        return self._pool

    @contextlib.contextmanager
    def _named(self, state: str = "") -> Iterator[None]:
        if not state and getattr(self._mine, "connection", None) is not None:
            state = "nothing was written"
        try:
            yield
        except _AWAY as error:
            kind = StoreError if isinstance(error, _HERE) else StoreUnavailable
            said = " ".join(str(error).split()) or type(error).__name__
            raise kind(f"{self.path}: {said}" + (f": {state}" if state else "")) from error
        except (psycopg.Error, UnicodeError) as error:
            raise StoreError(f"{self.path}: {' '.join(str(error).split())}") from error

    def close(self) -> None:
        self._closed = True
        if self._process == os.getpid():
            self._end_locks()
            self._pool.close()

    def shrink(self) -> None:
        """PostgreSQL's own autovacuum does the tables; files that no row names are removed here."""
        self._sweep()


def _settings(url: str, timeout: float) -> dict[str, Any]:
    """What the URL does not say otherwise."""
    given = conninfo_to_dict(url)
    milliseconds = max(int(timeout * 1000), 1)
    waits = {
        "lock_timeout": milliseconds,
        "idle_in_transaction_session_timeout": _STANDSTILL * 1000,
    }
    options = " ".join(f"-c {name}={value}" for name, value in waits.items())
    own: dict[str, Any] = {
        "connect_timeout": max(int(timeout), 2),
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,
        "application_name": "pinfold",
        "client_encoding": "UTF8",
    }
    settings = {name: value for name, value in own.items() if name not in given}
    settings["options"] = f"{options} {given.get('options') or ''}".strip()
    return {**settings, "autocommit": True, "cursor_factory": psycopg.RawCursor}


def _shown(url: str) -> str:
    """The URL as messages have it: without a password."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise ValueError(f"the store's URL: {' '.join(str(error).split())}") from None
    user = f"{given['user']}@" if given.get("user") else ""
    port = f":{given['port']}" if given.get("port") else ""
    return f"postgresql://{user}{given.get('host', '')}{port}/{given.get('dbname', '')}"


@functools.lru_cache(256)
def _dollars(statement: str) -> str:
    """``?`` and ``?1`` as the server has them."""
    numbers = iter(range(1, 100))
    return re.sub(r"\?(\d*)", lambda found: f"${found[1] or next(numbers)}", statement)
