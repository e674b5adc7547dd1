"""`Store`: sandboxes that outlive the process, in one SQLite file.

A store keeps snapshots as a tree. Every snapshot has a parent (the one its sandbox was loaded from
or saved as before), a label and a time; a name points at the newest snapshot of its line. Traces
and audit entries are kept beside them. SQLite does the hard part: two processes may use a store at
once, and one that is killed in the middle of a save loses nothing older.

Snapshots are data, never authority: `load` takes tools and capabilities as `Sandbox.restore` does.

With a key a store notices when somebody without it rolls something back: each snapshot carries the
number of its row, and the names are sealed together with a count of their changes. Who puts the
whole file back to an earlier state goes unnoticed by the file alone: ``Store.counter`` is for
keeping elsewhere, and ``min_counter`` for asking.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import time
from os import fspath

from . import _native
from .bounds import bounds
from .builds import Builds
from .database import Database
from .errors import SnapshotError, StoreError
from .sandbox import Sandbox
from .saved import Left, Saved, differences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike
    from typing import Any, Self, Unpack

    from .sandbox import GivenImages
    from .typed import RestoreSettings

_PURPOSE = b"pinfold store names\0"
_NAMES = "SELECT name, snapshot FROM name ORDER BY name"
#: What the columns hold.
_NUMBER, _TEXT, _BYTES, _TIME = (int,), (str,), (bytes,), (float, int)
_PARENT = (int, type(None))

# Inside `Store`, `list` is a method.
SavedList = list[Saved]
Names = list[str]
Ids = list[int]


class Store(Builds):
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

    ``key`` authenticates the snapshots, see `Sandbox`, and the names: a row that is altered,
    exchanged or rolled back is a `StoreError` when it is used. Who can put the whole file back
    can roll it back all the same, unless you keep `counter` where they cannot write, and give it
    as ``min_counter`` the next time.

    ``read_only=True`` opens a store that is there and never writes to it; what would is a
    ``ValueError``. ``timeout`` is how many seconds to wait while another process writes.

    Beside each snapshot of an idle sandbox the store keeps its portable form, which any later
    version of pinfold takes: `load` falls back to that when another build made the snapshot, and
    ``sandbox.restored_from`` tells which it was. ``portable=False`` keeps exact ones alone, and
    saves a copy of the files and the work of making it.

    A file that is damaged, altered, of another program, or cannot be read or written is a
    `StoreError`, which names the path. A `Store` may be used from several threads; any number of
    them, also in several processes, may be open on one file. `AsyncStore` is for asyncio.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        key: bytes | None = None,
        timeout: float = 30.0,
        min_counter: int = 0,
        read_only: bool = False,
        portable: bool = True,
    ) -> None:
        if key is not None and not isinstance(key, bytes):
            raise TypeError(f"key is bytes, not {type(key).__name__}")
        if isinstance(min_counter, bool) or not isinstance(min_counter, int):
            raise TypeError(f"min_counter is an int, not {min_counter!r}")
        if min_counter and key is None:
            raise ValueError("min_counter needs a key: without one anybody can write any number")
        self._key = key
        self._seal_key = b"" if key is None else hashlib.blake2b(_PURPOSE + key).digest()
        self._newest = min_counter  # that was seen of the seal's counter
        if not fspath(path):
            raise ValueError("a store needs a path: without one nothing would be kept")
        self._portable = portable
        self._db = Database(fspath(path), timeout, read_only)

    # ------------------------------------------------------------------ saving and loading

    def save(self, name: str, sandbox: Sandbox, label: str = "") -> int:
        """Saves a sandbox under a name and gives the snapshot's id.

        Its parent is what the sandbox was last saved as or loaded from here; for another sandbox
        it is what the name points at. A store with a key takes sandboxes with that key, and one
        without a key those without: another is a ``ValueError``, as it would be refused by `load`.
        """
        _check_name(name)
        if not isinstance(sandbox, Sandbox):
            inner = " (its .sandbox is one)" if hasattr(sandbox, "sandbox") else ""
            raise TypeError(f"what is saved is a Sandbox, not {sandbox!r}{inner}")
        self._check_key(sandbox._durable[0])
        reserved = self._reserve()
        data = sandbox.snapshot(counter=reserved)
        portable = self._portable_of(sandbox, reserved)
        origin = getattr(sandbox, "_stored", None)
        with self._change_names():
            parent = origin[1] if origin and origin[0] == self._identity() else self._find(name)
            if parent is not None and not self._exists(parent):
                parent = None  # pruned meanwhile
            id = self._db.execute(
                "INSERT INTO snapshot(id, parent, label, time, data) VALUES (?, ?, ?, ?, ?)",
                (reserved, parent, label, time.time(), data),
            ).lastrowid
            assert id is not None
            if portable is not None:
                self._db.execute("INSERT INTO portable VALUES (?, ?)", (id, portable))
            self._point(name, id)
        sandbox.__dict__["_stored"] = (self._identity(), id)
        return id

    def load(
        self,
        which: str | int,
        *,
        images: GivenImages | None = None,
        **how: Unpack[RestoreSettings],
    ) -> Sandbox:
        """Continues a snapshot, by name or id. The keywords are those of `Sandbox.restore`; ``key``
        is the store's. A name or id that is not there is a ``KeyError``.

        When another build of pinfold made it, it goes on from its portable form, with a
        `LeftOutWarning` for what that did not bring. One that was saved in the middle of a run has
        none: `SnapshotError`, unless ``images`` has those of its build. ``sandbox.restored_from``
        is ``"exact"`` or ``"portable"``; the store's `list` says beforehand what there is."""
        self._check_key(how.setdefault("key", self._key))
        id = self._resolve(which)
        data = self._proper(id)
        with self._about(id):
            data = self._usable(id, data, images)
            sandbox = Sandbox.restore(data, images=images, **how)
        sandbox.__dict__["_stored"] = (self._identity(), id)
        return sandbox

    def data(self, which: str | int) -> bytes:
        """The bytes of a snapshot."""
        id = self._resolve(which)
        found = self._db.one("SELECT data FROM snapshot WHERE id = ?", (id,), _BYTES)
        if found is None:
            raise KeyError(which)
        data: bytes = found[0]
        return data

    @property
    def counter(self) -> int:
        """How often the names have changed, 0 without a key: it never gets smaller. Keep it where
        nobody can write who can write the store's file."""
        self._vouch()
        return self._newest if self._key is not None else 0

    # ------------------------------------------------------------------ the tree

    def branch(self, which: str | int, name: str) -> int:
        """Gives a snapshot another, new name, from which it can go on by itself."""
        _check_name(name)
        with self._change_names():
            if self._find(name) is not None:
                raise ValueError(f"the store has a sandbox {name!r} already")
            id = self._resolve(which)
            self._point(name, id)
        return id

    def names(self) -> list[str]:
        return [row[0] for row in self._db.rows("SELECT name FROM name ORDER BY name", (), _TEXT)]

    def list(self) -> SavedList:
        """All snapshots, oldest first."""
        names: dict[int, list[str]] = {}
        with self._db.together():
            for name, id in self._db.rows(_NAMES, (), _TEXT, _NUMBER):
                names.setdefault(id, []).append(name)
            rows = self._db.rows(
                "SELECT id, parent, label, time, length(data), substr(data, 1, 72) FROM snapshot"
                " ORDER BY id",
                *((), _NUMBER, _PARENT, _TEXT, _TIME, _NUMBER, _BYTES),
            )
            portable = self._portables()
        try:
            return [
                Saved(id, parent, label, seconds, size, names.get(id, []), head, id in portable)
                for id, parent, label, seconds, size, head in rows
            ]
        except ValueError as error:
            raise self._db.damage(str(error)) from None

    def history(self, which: str | int) -> SavedList:
        """A snapshot and what it went on from, newest first."""
        by_id = {saved.id: saved for saved in self.list()}
        parents = {id: saved.parent for id, saved in by_id.items()}
        return [by_id[id] for id in self._line(parents, self._resolve(which))]

    def diff(
        self,
        old: str | int,
        new: str | int,
        *,
        max_bytes: float | None = None,
        max_seconds: float | None = None,
    ) -> dict[str, Names]:
        """The files in which two snapshots differ: ``added``, ``changed`` and ``removed`` paths.

        Over ``max_bytes`` of paths in a snapshot (1 GiB) or ``max_seconds`` (60) it is a
        `BoundError`; ``math.inf`` lifts a bound.

        What one of them had not read of a mounted directory counts as unchanged where size and
        time are the same.
        """
        left = Left(*bounds(max_bytes, max_seconds))
        return differences(*self._both_files(old, new, left))

    def forget(self, name: str) -> None:
        """Removes a name. Its snapshots stay until `prune`."""
        with self._change_names():
            if not self._db.execute("DELETE FROM name WHERE name = ?", (name,)).rowcount:
                raise KeyError(name)

    def prune(self, keep: int = 1) -> int:
        """Removes snapshots that no name needs: for each, the newest ``keep`` of its line stay.

        What stays keeps its place in the tree, below its nearest ancestor that stays. Gives how
        many were removed. The file gets smaller unless somebody else is at work in it.
        """
        if keep < 1:
            raise ValueError(f"keep must be 1 or more, got {keep}")
        with self._db.change():
            every = "SELECT id, parent FROM snapshot"
            parents: dict[int, int | None] = dict(self._db.rows(every, (), _NUMBER, _PARENT))
            wanted: set[int] = set()
            for _, id in self._db.rows(_NAMES, (), _TEXT, _NUMBER):
                wanted.update(self._line(parents, id)[:keep])
            kept: dict[int, int | None] = {}
            for id in wanted:
                above = self._line(parents, id)[1:]
                kept[id] = next((other for other in above if other in wanted), None)
            for id, parent in kept.items():
                self._db.execute("UPDATE snapshot SET parent = ? WHERE id = ?", (parent, id))
            gone = [id for id in parents if id not in wanted]
            for id in sorted(gone, reverse=True):  # children before their parents
                self._db.execute("UPDATE snapshot SET parent = NULL WHERE parent = ?", (id,))
                self._db.execute("DELETE FROM snapshot WHERE id = ?", (id,))
                self._db.execute("DELETE FROM portable WHERE snapshot = ?", (id,))
        if gone:
            with contextlib.suppress(StoreError):
                self._db.execute("VACUUM")
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(gone)

    # ------------------------------------------------------------------ traces and audit entries

    def add_trace(self, name: str, trace: str | PathLike[str] | bytes) -> int:
        """Keeps a trace (a path or its bytes) under a sandbox's name."""
        from .replaying import read_trace

        trace = read_trace(trace)
        with self._db.change():
            id = self._db.execute(
                "INSERT INTO trace(name, time, data) VALUES (?, ?, ?)", (name, time.time(), trace)
            ).lastrowid
        assert id is not None
        return id

    def traces(self, name: str | None = None) -> Iterator[tuple[int, str, bytes]]:
        """(id, name, trace), oldest first; of one sandbox, or of all."""
        some = "SELECT id FROM trace WHERE ?1 IS NULL OR name = ?1 ORDER BY id"
        for (id,) in self._db.rows(some, (name,), _NUMBER):
            one = "SELECT id, name, data FROM trace WHERE id = ?"
            yield from self._db.rows(one, (id,), _NUMBER, _TEXT, _BYTES)

    def add_audit(self, name: str, entries: Iterable[Any]) -> None:
        """Keeps audit entries (anything that is JSON) under a sandbox's name."""
        now = time.time()
        rows = [(name, now, json.dumps(entry, default=_as_json)) for entry in entries]
        with self._db.change():
            self._db.executemany("INSERT INTO audit(name, time, entry) VALUES (?, ?, ?)", rows)

    def audit(self, name: str | None = None) -> Iterator[tuple[str, Any]]:
        """(name, entry), oldest first; of one sandbox, or of all."""
        some = "SELECT name, entry FROM audit WHERE ?1 IS NULL OR name = ?1 ORDER BY id"
        for found, entry in self._db.rows(some, (name,), _TEXT, _TEXT):
            try:
                yield found, json.loads(entry)
            except (ValueError, RecursionError) as error:
                raise self._db.damage(f"an audit entry of {found!r} is no JSON: {error}") from None

    # ------------------------------------------------------------------ ending

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    # ------------------------------------------------------------------ inside

    @contextlib.contextmanager
    def _change_names(self) -> Iterator[None]:
        with self._db.change():
            self._vouch()
            yield
            if self._key is not None:
                counter = self._newest + 1
                self._db.execute(
                    "INSERT INTO seal(id, counter, digest) VALUES (1, ?1, ?2)"
                    " ON CONFLICT(id) DO UPDATE SET counter = ?1, digest = ?2",
                    (counter, self._digest(counter)),
                )
        if self._key is not None:
            self._newest = counter

    def _digest(self, counter: int) -> bytes:
        seal = hashlib.blake2b(str(counter).encode(), key=self._seal_key, digest_size=32)
        for name, id in self._db.rows(_NAMES, (), _TEXT, _NUMBER):
            seal.update(json.dumps([name, id]).encode())
        return seal.digest()

    def _vouch(self) -> None:
        """Are the names those that somebody with the key has sealed, and not older ones?"""
        if self._key is None:
            return
        with self._db.together():
            row = self._db.one("SELECT counter, digest FROM seal", (), _NUMBER, _BYTES)
            if row is None:
                if self._newest or self.names():
                    raise self._altered(
                        "the names of the store are not sealed with a key: they were saved without"
                        " one, or somebody has removed the seal"
                    )
                return
            counter, digest = row
            if not hmac.compare_digest(digest, self._digest(counter)):
                raise self._altered(
                    "the names of the store are not those that were sealed with its key: somebody"
                    " has altered or rolled back some of them, or the key is another one"
                )
            if counter < self._newest:
                raise self._altered(
                    f"the store was rolled back: its counter is {counter}, and {self._newest} was"
                    " there"
                )
            self._newest = counter

    def _altered(self, what: str) -> StoreError:
        return StoreError(f"{self._db.path}: {what}")

    @contextlib.contextmanager
    def _about(self, id: int) -> Iterator[None]:
        """What is wrong with a snapshot is wrong with the file that it lies in."""
        try:
            yield
        except StoreError:
            raise
        except SnapshotError as error:
            raise StoreError(f"{self._db.path}: snapshot {id}: {error}") from error

    def _check_key(self, key: bytes | None) -> None:
        """A key decides at save as it does at load."""
        if key == self._key:
            return
        raise ValueError(
            "the store has a key, and the sandbox not the same one: Sandbox(key=...)"
            if self._key is not None
            else "the sandbox has a key, and the store none: Store(path, key=...)"
        )

    def _reserve(self) -> int | None:
        """The number of the next snapshot, which it carries; no other will ever have it."""
        if self._key is None:
            return None
        with self._db.change():
            id = self._db.execute(
                "INSERT INTO snapshot(label, time, data) VALUES ('', 0, x'')"
            ).lastrowid
            self._db.execute("DELETE FROM snapshot WHERE id = ?", (id,))
        return id

    def _proper(self, id: int) -> bytes:
        """The snapshot of a row, if it was saved as that: whose data it is says its counter, which
        the key protects."""
        data = self.data(id)
        self._check_counter(id, data)
        return data

    def _check_counter(self, id: int, data: bytes) -> None:
        with self._about(id):
            counter = _native.snapshot_info(data)[6]
        if self._key is not None and counter != id:
            what = f"what was saved as {counter}" if counter else "one that was not saved here"
            raise self._altered(
                f"snapshot {id} of the store is {what}: somebody has exchanged it or rolled it back"
            )

    def _line(self, parents: dict[int, int | None], id: int) -> Ids:
        """An id and its ancestors, nearest first. Only an altered file has circles."""
        line: dict[int, None] = {}
        at: int | None = id
        while at is not None and at in parents:
            if at in line:
                raise self._db.damage(f"snapshot {at} is its own ancestor")
            line[at] = None
            at = parents[at]
        return [*line]

    def _identity(self) -> str:
        return str(self._db.execute("PRAGMA database_list").fetchone()[2])

    def _exists(self, id: int) -> bool:
        return bool(self._db.execute("SELECT 1 FROM snapshot WHERE id = ?", (id,)).fetchone())

    def _find(self, name: str) -> int | None:
        found = self._db.one("SELECT snapshot FROM name WHERE name = ?", (name,), _NUMBER)
        return None if found is None else found[0]

    def _resolve(self, which: str | int) -> int:
        if isinstance(which, str):
            self._vouch()
        id = self._find(which) if isinstance(which, str) else which
        if id is not None and self._exists(id):
            return id
        if id is not None and isinstance(which, str):
            raise self._db.damage(f"the name {which!r} points at snapshot {id}, which is not there")
        raise KeyError(which)

    def _point(self, name: str, id: int) -> None:
        self._db.execute(
            "INSERT INTO name(name, snapshot) VALUES (?1, ?2)"
            " ON CONFLICT(name) DO UPDATE SET snapshot = ?2",
            (name, id),
        )


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not name:
        raise ValueError(f"the name of a sandbox is text, not {name!r}")


def _as_json(value: Any) -> Any:
    """Audit entries are plain objects."""
    fields = getattr(value, "__dict__", None) or {
        name: getattr(value, name) for name in getattr(value, "__slots__", ())
    }
    return fields or str(value)
