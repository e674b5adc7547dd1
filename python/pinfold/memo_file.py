"""The SQLite file of a `Cache`: what lies at the places of its tree.

Everything in it is checked when it is read: with a key by an authentication code over the place and
all that lies there, else by a checksum. What does not fit is a `StoreError` with the path. New
entries are written together, some dozens at a time: a process that is killed loses those, and
nothing else.
"""

from __future__ import annotations

import hmac
import json
import time
from hashlib import blake2b
from os import fspath

from .database import Database
from .memo_machine import Known, state_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from ._native import Outcome

#: Entries that wait to be written.
_TOGETHER = 64
#: Seconds after which they are written in any case, at the next entry.
_AT_MOST = 2.0
_BYTES, _TEXT = (bytes,), (str,)


class _MemoDatabase(Database):
    APPLICATION = 0x70666D6F  # "pfmo"
    NOUN = "cache"
    TABLE = "entry"
    NEWER = frozenset({"answer"})
    SYNCHRONOUS = "NORMAL"
    SCHEMA = """
    CREATE TABLE IF NOT EXISTS entry (
        place BLOB PRIMARY KEY, outcome TEXT NOT NULL, state BLOB NOT NULL, used REAL NOT NULL,
        code BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS entry_used ON entry(used);
    CREATE TABLE IF NOT EXISTS state (
        digest BLOB PRIMARY KEY, data BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS answer (
        place BLOB PRIMARY KEY, text TEXT NOT NULL, used REAL NOT NULL, code BLOB NOT NULL
    ) WITHOUT ROWID;
    """


class MemoFile:
    """Places and what lies there, for one thread after the other."""

    def __init__(
        self, path: str | PathLike[str], key: bytes | None, max_bytes: int, timeout: float
    ) -> None:
        self.path = fspath(path)
        if not self.path:
            raise ValueError("a cache needs a path: without one nothing would be kept")
        self._key = b"" if key is None else blake2b(b"pinfold memo\0" + key).digest()
        self._max = max_bytes
        self._db = _MemoDatabase(self.path, timeout, False)
        self._new: dict[bytes, tuple[str, bytes, bytes]] = {}
        self._states: dict[bytes, bytes] = {}
        self._answers: dict[bytes, str] = {}
        self._used: dict[bytes, float] = {}
        self._written = time.monotonic()

    # ------------------------------------------------------------------ places

    def find(self, place: bytes) -> Known | None:
        """What is known there, without its state."""
        found = self._new.get(place)
        if found is None:
            found = self._db.one(
                "SELECT outcome, state, code FROM entry WHERE place = ?",
                *((place,), _TEXT, _BYTES, _BYTES),
            )
            if found is None:
                return None
            self._used[place] = time.time()
        text, digest, code = found
        if not hmac.compare_digest(code, self._code(place, text.encode(), digest)):
            raise self._altered("a run in it")
        return self._known(text, digest)

    def state(self, digest: bytes) -> bytes | None:
        """The state with that hash; None: it was removed meanwhile, to make room."""
        data = self._states.get(digest)
        if data is None:
            row = self._db.one("SELECT data FROM state WHERE digest = ?", (digest,), _BYTES)
            if row is None:
                return None
            data = row[0]
        if state_digest(data) != digest:
            raise self._altered("a state in it")
        return data

    def keep(self, place: bytes, known: Known, data: bytes) -> None:
        text = _text(known)
        self._new[place] = text, known.digest, self._code(place, text.encode(), known.digest)
        self._states[known.digest] = data
        self._write_sometimes()

    # ------------------------------------------------------------------ answers

    def answer(self, place: bytes) -> str | None:
        text = self._answers.get(place)
        if text is not None:
            return text
        found = self._db.one(
            "SELECT text, code FROM answer WHERE place = ?", (place,), _TEXT, _BYTES
        )
        if found is None:
            return None
        if not hmac.compare_digest(found[1], self._code(place, found[0].encode(), b"answer")):
            raise self._altered("an answer in it")
        text = str(found[0])
        return text

    def learn(self, place: bytes, text: str) -> None:
        self._answers[place] = text
        self._write_sometimes()

    # ------------------------------------------------------------------ the file

    def size(self) -> tuple[int, int]:
        """How many entries, and how many bytes they take."""
        self._write()
        rows = self._db.rows("SELECT count(*) FROM entry", (), (int,))
        return rows[0][0], self._bytes()

    def clear(self) -> None:
        self._forget_new()
        with self._db.change():
            for table in ("entry", "state", "answer"):
                self._db.execute(f"DELETE FROM {table}")

    def close(self) -> None:
        try:
            self._write()
        finally:
            self._db.close()

    # ------------------------------------------------------------------ inside

    def _code(self, *parts: bytes) -> bytes:
        state = blake2b(digest_size=32, key=self._key)
        for part in parts:
            state.update(len(part).to_bytes(8, "little"))
            state.update(part)
        return state.digest()

    def _altered(self, what: str) -> Exception:
        how = "altered, or made with another key" if self._key else "altered"
        return self._db.damage(f"{what} was {how}; removing the file loses nothing but time")

    def _known(self, text: str, digest: bytes) -> Known:
        try:
            if not text.startswith("{"):
                return Known(digest, _parsed(text), None)
            calls = json.loads(text)["calls"]
            return Known(digest, None, tuple(_call(given) for given in calls))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise self._altered("a result in it") from None

    def _write_sometimes(self) -> None:
        waiting = len(self._new) + len(self._answers)
        if waiting >= _TOGETHER or time.monotonic() - self._written > _AT_MOST:
            self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        if not (self._new or self._answers or self._used):
            return
        now = time.time()
        with self._db.change():
            self._db.executemany(
                "INSERT OR REPLACE INTO state(digest, data) VALUES (?, ?)", [*self._states.items()]
            )
            self._db.executemany(
                "INSERT OR REPLACE INTO entry(place, outcome, state, used, code)"
                " VALUES (?, ?, ?, ?, ?)",
                [
                    # The last one is the newest, also of those that are written together.
                    (place, outcome, digest, now + index * 1e-6, code)
                    for index, (place, (outcome, digest, code)) in enumerate(self._new.items())
                ],
            )
            self._db.executemany(
                "INSERT OR REPLACE INTO answer(place, text, used, code) VALUES (?, ?, ?, ?)",
                [
                    (place, text, now, self._code(place, text.encode(), b"answer"))
                    for place, text in self._answers.items()
                ],
            )
            self._db.executemany(
                "UPDATE entry SET used = ? WHERE place = ?",
                [(when, place) for place, when in self._used.items()],
            )
            self._make_room()
        self._forget_new()

    def _forget_new(self) -> None:
        self._new.clear()
        self._states.clear()
        self._answers.clear()
        self._used.clear()

    def _bytes(self) -> int:
        """Of the pages that are in use."""
        pages, free, size = (
            self._db.rows(f"PRAGMA {name}", (), (int,))[0][0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    def _make_room(self) -> None:
        """What was not used for longest goes, down to three quarters of what there may be."""
        if self._bytes() <= self._max:
            return
        while self._bytes() > self._max * 3 // 4:
            for table in ("answer", "entry"):
                self._db.execute(
                    f"DELETE FROM {table} WHERE place IN (SELECT place FROM {table}"
                    f" ORDER BY used LIMIT 1 + (SELECT count(*) FROM {table}) / 8)"
                )
            self._db.execute("DELETE FROM state WHERE digest NOT IN (SELECT state FROM entry)")
            if not self._db.rows("SELECT 1 FROM entry LIMIT 1", (), (int,)):
                return


#: Of `Outcome`: what is bytes, and what was measured.
_OUTPUTS, _TIMES = (0, 1), (8, 9)


def _text(known: Known) -> str:
    outcome = known.outcome
    if outcome is None:
        return "" if known.calls is None else json.dumps({"calls": known.calls})
    values: list[Any] = list(outcome)
    for index in _OUTPUTS:
        values[index] = values[index].decode("latin-1")
    for index in _TIMES:  # a run that is not run takes none
        values[index] = 0
    return json.dumps(values)


#: The types of an outcome's members, as they are written.
_LIKE: tuple[tuple[type, ...], ...] = (
    *((str,), (str,), (int,), (str, type(None)), (str, type(None)), (bool,), (bool,), (bool,)),
    *((int,), (int,), (int,), (int,), (bool,)),
)


def _call(given: Any) -> tuple[int, str, str, str]:
    id, outcome, name, params = given
    if [type(item) for item in given] != [int, str, str, str]:
        raise TypeError("no call")
    return id, outcome, name, params


def _parsed(text: str) -> Outcome | None:
    if not text:
        return None
    values = json.loads(text)
    if not isinstance(values, list) or len(values) != len(_LIKE):
        raise ValueError("no result")
    for value, types in zip(values, _LIKE, strict=True):
        if type(value) not in types:
            raise TypeError("no result")
    for index in _OUTPUTS:
        values[index] = values[index].encode("latin-1")
    outcome: Outcome = tuple(values)
    return outcome
