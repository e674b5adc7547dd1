"""The recording of a session: a file while it is in memory, then traces in the store.

A trace is for looking at what was: nothing that was acknowledged hangs on it. It is kept whenever a
run has ended and when the session leaves memory, so a server that is killed takes along what was
recorded since. Each stay in memory has a trace of its own, which begins with a snapshot.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import TYPE_CHECKING

from ..errors import PinfoldError

if TYPE_CHECKING:
    from ..store import Store

#: Stands in the last line of a trace that has come to its limit.
_FULL = b'"full":true'


class Recording:
    """Its methods are for threads, one at a time."""

    def __init__(self, most: int, keep: int) -> None:
        """``most`` bytes a trace, of which a session has ``keep``."""
        self._most, self._keep = most, keep
        descriptor, self.path = tempfile.mkstemp(".jsonl", "pinfold-")
        os.close(descriptor)
        self._id: int | None = None
        self._kept = 0

    def ripe(self) -> bool:
        """Should another one go on? A sandbox whose trace is full does nothing any more."""
        with open(self.path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 200, 0))
            return size > self._most // 2 or _FULL in file.read()

    def keep(self, store: Store, name: str) -> None:
        """Puts it into the store, in the place of what was there of it before."""
        with open(self.path, "rb") as file:
            data = file.read(self._most)
            if file.read(1):  # the lines up to there are a trace, too
                data = data[: data.rfind(b"\n") + 1]
        if len(data) == self._kept:
            return
        self._id = store.add_trace(name, data, replaces=self._id)
        self._kept = len(data)
        store.drop_traces(name, keep=self._keep)

    def end(self, store: Store, name: str) -> str | None:
        """The same for the last time; what went wrong, if anything."""
        try:
            self.keep(store, name)
        except (PinfoldError, OSError, ValueError) as error:
            return str(error)
        finally:
            self.drop()
        return None

    def drop(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self.path)
