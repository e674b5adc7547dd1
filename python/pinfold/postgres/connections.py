"""The connections of a store: one for each thread that does something, kept for the next."""

from __future__ import annotations

import contextlib
import threading

import psycopg

from ..errors import StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Connection = psycopg.Connection[tuple[Any, ...]]

#: At most; more threads wait for one.
MOST = 8


class Connections:
    """One that has ended is left out; whoever gets one finds that out by using it."""

    def __init__(self, connect: Callable[[], Connection], timeout: float) -> None:
        self._connect = connect
        self._timeout = timeout
        self._room = threading.BoundedSemaphore(MOST)
        self._idle: list[Connection] = []
        self._closed = False
        self._lock = threading.Lock()

    def take(self) -> Connection:
        if not self._room.acquire(timeout=self._timeout):
            raise StoreUnavailable(
                f"no connection to the store became free within {self._timeout:g} s: {MOST} threads"
                " use it"
            )
        try:
            with self._lock:
                while self._idle:
                    connection = self._idle.pop()
                    if not connection.closed:
                        return connection
            return self._connect()
        except BaseException:
            self._room.release()
            raise

    def give(self, connection: Connection) -> None:
        self._room.release()
        good = psycopg.pq.TransactionStatus.IDLE
        with self._lock:
            if not self._closed and connection.info.transaction_status == good:
                self._idle.append(connection)
                return
        with contextlib.suppress(psycopg.Error):
            connection.close()

    def close(self) -> None:
        with self._lock:
            self._closed, idle, self._idle = True, self._idle, []
        for connection in idle:
            with contextlib.suppress(psycopg.Error):
                connection.close()
