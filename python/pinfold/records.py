"""What a `Store` lists: names in pages, the tree of one, traces and audit entries.

Ages are told by the store's own clock, a server's on PostgreSQL: machines whose clocks differ see
the same.
"""

from __future__ import annotations

import json

from .errors import BoundError
from .saved import Named, Saved, Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike
    from typing import Any

    from .rows import Rows

_NUMBER, _TEXT, _BYTES, _TIME = (int,), (str,), (bytes,), (float, int)
_PARENT = (int, type(None))
#: Snapshots that a tree shows.
_TREE = 1000


class Records:
    """The part of `Store` that is looked through."""

    _db: Rows

    def _resolve(self, which: str | int) -> int:
        raise NotImplementedError

    # ------------------------------------------------------------------ names

    def names(self, prefix: str = "", *, after: str = "", limit: int | None = None) -> list[str]:
        """The names that begin with ``prefix``, in order; behind one, and so many of them."""
        where, values = _range(prefix, after)
        rows = f"SELECT name FROM name WHERE {where} ORDER BY name LIMIT {_most(limit)}"
        return [row[0] for row in self._db.rows(rows, values, _TEXT)]

    def count(self, prefix: str = "") -> int:
        """How many names begin with ``prefix``."""
        where, values = _range(prefix, "")
        found = self._db.one(f"SELECT count(*) FROM name WHERE {where}", values, _NUMBER)
        return int(found[0])

    def page(self, prefix: str = "", *, after: str = "", limit: int = 100) -> list[Named]:
        """What is known of names without loading them: the snapshot each points at, its age, who
        drives it. The next page is the one ``after`` the last name of this.

        >>> import tempfile
        >>> from pinfold import Sandbox, Store
        >>> with Store(tempfile.mktemp(suffix=".db")) as store, Sandbox() as sandbox:
        ...     _ = [store.save(name, sandbox) for name in ("ann", "bob", "cy")]
        ...     [named.name for named in store.page(limit=2)]
        ...     [named.name for named in store.page(after="bob", limit=2)]
        ['ann', 'bob']
        ['cy']
        """
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise ValueError(f"limit is a number above 0, not {limit!r}")
        where, values = _range(prefix, after)
        with self._db.together():
            now = self._db.now()
            rows = self._db.named(where, values, limit)
            drivers = self._db.drivers([row[0] for row in rows])
        try:
            return [
                Named(name, id, seconds, now, size, drivers.get(name))
                for name, id, seconds, size in rows
            ]
        except ValueError as error:
            raise self._db.damage(str(error)) from None

    def driver(self, name: str) -> str | None:
        """Who drives a name, in the words of its lease; None: nobody whose lease lasts."""
        return self._db.drivers([name]).get(name)

    # ------------------------------------------------------------------ trees

    def tree(self, which: str | int, *, limit: int = _TREE) -> list[Saved]:
        """All snapshots of the tree that one is in, by id: what it went on from, and whatever went
        on from these, under any name. Over ``limit`` of them it is a `BoundError`."""
        id = self._resolve(which)
        above = (
            "WITH RECURSIVE above(id, parent) AS ("
            " SELECT id, parent FROM snapshot WHERE id = ?1"
            " UNION SELECT snapshot.id, snapshot.parent FROM snapshot"
            " JOIN above ON snapshot.id = above.parent)"
            " SELECT id FROM above WHERE parent IS NULL"
        )
        with self._db.together():
            root = self._db.one(above, (id,), _NUMBER)
            if root is None:
                raise self._db.damage(f"snapshot {id} is its own ancestor")
            rows = self._db.tree(int(root[0]), limit + 1)
            ids = {row[0] for row in rows}
            names: dict[int, list[str]] = {}
            for name, at in self._db.names_of(ids):
                names.setdefault(at, []).append(name)
        if len(rows) > limit:
            raise BoundError(f"the tree of {which!r} has more than {limit} snapshots: prune it")
        try:
            return [
                Saved(id, parent, label, seconds, size, names.get(id, []), head)
                for id, parent, label, seconds, size, head in rows
            ]
        except ValueError as error:
            raise self._db.damage(str(error)) from None

    def line(self, which: str | int, *, limit: int = _TREE) -> list[Saved]:
        """A snapshot and what it went on from, newest first, and no more than so many."""
        id = self._resolve(which)
        rows = self._db.line(id, limit)
        try:
            return [
                Saved(id, parent, label, seconds, size, [], head)
                for id, parent, label, seconds, size, head in rows
            ]
        except ValueError as error:
            raise self._db.damage(str(error)) from None

    def now(self) -> float:
        """Seconds since 1970 by the clock that ages are told by."""
        return self._db.now()

    # ------------------------------------------------------------------ traces

    def add_trace(
        self, name: str, trace: str | PathLike[str] | bytes, *, replaces: int | None = None
    ) -> int:
        """Keeps a trace (a path or its bytes) under a sandbox's name; gives its id. ``replaces`` is
        that of an earlier part of the same recording, in whose place it comes."""
        from .replaying import read_trace

        trace = read_trace(trace)
        with self._db.change():
            now = self._db.now()
            if replaces is not None:
                again = "UPDATE trace SET time = ?, data = ? WHERE id = ? AND name = ?"
                if self._db.execute(again, (now, trace, _id(replaces), name)):
                    return replaces
            new = "INSERT INTO trace(name, time, data) VALUES (?, ?, ?)"
            return self._db.insert(new, (name, now, trace))

    def traces(self, name: str | None = None) -> Iterator[tuple[int, str, bytes]]:
        """(id, name, trace), oldest first; of one sandbox, or of all."""
        some = "SELECT id FROM trace WHERE CAST(?1 AS TEXT) IS NULL OR name = ?1 ORDER BY id"
        for (id,) in self._db.rows(some, (name,), _NUMBER):
            one = "SELECT id, name, data FROM trace WHERE id = ?"
            yield from self._db.rows(one, (id,), _NUMBER, _TEXT, _BYTES)

    def trace(self, id: int) -> bytes:
        """The bytes of a trace; ``KeyError``: it is not there."""
        found = self._db.one("SELECT data FROM trace WHERE id = ?", (_id(id),), _BYTES)
        if found is None:
            raise KeyError(id)
        return bytes(found[0])

    def trace_page(
        self, name: str | None = None, *, before: int | None = None, limit: int = 100
    ) -> list[Trace]:
        """What traces there are, newest first, without their bytes; those older than the one with
        the id ``before``."""
        last = (1 << 63) - 1 if before is None else _id(before)
        with self._db.together():
            now = self._db.now()
            rows = self._db.rows(
                "SELECT id, name, time, length(data) FROM trace"
                " WHERE (CAST(?1 AS TEXT) IS NULL OR name = ?1) AND id < ?2"
                f" ORDER BY id DESC LIMIT {_most(limit)}",
                (name, last),
                *(_NUMBER, _TEXT, _TIME, _NUMBER),
            )
        return [Trace(id, name, now - seconds, size) for id, name, seconds, size in rows]

    def drop_traces(
        self, name: str | None = None, *, keep: int = 0, older: float | None = None
    ) -> int:
        """Removes traces of one sandbox, or of all, but for the newest ``keep`` of each name; only
        those ``older`` than so many seconds, if that is given. Gives how many."""
        if keep < 0:
            raise ValueError(f"keep must be 0 or more, got {keep}")
        with self._db.change():
            until = self._db.now() - older if older is not None else None
            return self._db.execute(
                "DELETE FROM trace WHERE (CAST(?1 AS TEXT) IS NULL OR name = ?1)"
                " AND (CAST(?2 AS DOUBLE PRECISION) IS NULL OR time < ?2) AND (SELECT count(*)"
                " FROM trace AS newer WHERE newer.name = trace.name AND newer.id > trace.id) >= ?3",
                (name, until, keep),
            )

    # ------------------------------------------------------------------ audit entries

    def add_audit(self, name: str, entries: Iterable[Any]) -> None:
        """Keeps audit entries (anything that is JSON) under a sandbox's name."""
        texts = [json.dumps(entry, default=_as_json) for entry in entries]
        with self._db.change():
            now = self._db.now()
            rows = [(name, now, text) for text in texts]
            self._db.executemany("INSERT INTO audit(name, time, entry) VALUES (?, ?, ?)", rows)

    def audit(self, name: str | None = None) -> Iterator[tuple[str, Any]]:
        """(name, entry), oldest first; of one sandbox, or of all."""
        mine = "CAST(?1 AS TEXT) IS NULL OR name = ?1"
        some = f"SELECT name, entry FROM audit WHERE {mine} ORDER BY id"
        for found, entry in self._db.rows(some, (name,), _TEXT, _TEXT):
            try:
                yield found, json.loads(entry)
            except (ValueError, RecursionError) as error:
                raise self._db.damage(f"an audit entry of {found!r} is no JSON: {error}") from None


def _range(prefix: str, after: str) -> tuple[str, tuple[str, ...]]:
    """Of names that begin with a prefix: all from it on, up to what comes behind the last one."""
    for text in (prefix, after):
        if not isinstance(text, str):
            raise TypeError(f"a name is text, not {text!r}")
    end = prefix
    while end:
        code = ord(end[-1]) + 1
        if code < 0x110000:
            end = end[:-1] + chr(0xE000 if 0xD800 <= code < 0xE000 else code)
            break
        end = end[:-1]
    if end:
        return "name >= ?1 AND name > ?2 AND name < ?3", (prefix, after, end)
    return "name >= ?1 AND name > ?2", (prefix, after)


def _most(limit: int | None) -> int:
    if limit is None:
        return (1 << 63) - 1
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise ValueError(f"limit is a number above 0, not {limit!r}")
    return limit


def _id(id: int) -> int:
    """An id that a column cannot hold is of nothing."""
    return id if -(1 << 63) <= id < 1 << 63 else 0


def _as_json(value: Any) -> Any:
    """Audit entries are plain objects."""
    fields = getattr(value, "__dict__", None) or {
        name: getattr(value, name) for name in getattr(value, "__slots__", ())
    }
    return fields or str(value)
