"""`Store`: sandboxes that outlive the process, in one SQLite file or on a PostgreSQL server.

A store keeps snapshots as a tree. Every snapshot has a parent (the one its sandbox was loaded from
or saved as before), a label and a time; a name points at the newest snapshot of its line. Traces
and audit entries are kept beside them. The database does the hard part: many processes may use a
store at once, and one that is killed in the middle of a save loses nothing older.

Snapshots are data, never authority: `load` takes tools and capabilities as `Sandbox.restore` does.

With a key a store notices when somebody without it rolls something back: each snapshot carries the
number of its row, and the names are sealed together with a count of their changes. Who puts the
whole file back to an earlier state goes unnoticed by the file alone: ``Store.counter`` is for
keeping elsewhere, and ``min_counter`` for asking.
"""

from __future__ import annotations

import contextlib
import hashlib
from os import fspath

from . import _native
from .bounds import bounds
from .builds import Builds
from .errors import SnapshotError, StoreError
from .leases import Keeper, Lease
from .records import Records
from .sandbox import Sandbox
from .saved import Left, Saved, differences
from .seals import NAMES as _NAMES
from .seals import PURPOSE, Seals
from .store_file import opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from typing import Self, Unpack

    from .sandbox import GivenImages
    from .typed import RestoreSettings

#: What the columns hold.
_NUMBER, _TEXT, _TIME = (int,), (str,), (float, int)
_PARENT = (int, type(None))

# Inside `Store`, `list` is a method.
SavedList = list[Saved]
Names = list[str]
Ids = list[int]


class Store(Records, Builds, Seals):
    """Named sandboxes, snapshots as a tree, traces and audit entries in one file, or on a server.

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
    exchanged or rolled back is a `StoreError` when it is used. An attacker who can put the whole
    file back can still roll it back, unless you keep `counter` where they cannot write, and give it
    as ``min_counter`` the next time.

    ``read_only=True`` opens a store that is there and never writes to it; what would is a
    ``ValueError``. ``timeout`` is how many seconds to wait while another process writes.

    Beside each snapshot of an idle sandbox the store keeps its portable form, which any later
    version of pinfold takes: `load` falls back to that when another build made the snapshot, and
    ``sandbox.restored_from`` tells which it was. ``portable=False`` keeps exact ones alone, and
    saves a copy of the files and the work of making it.

    ``Store("postgresql://user@host/database")`` keeps the same on PostgreSQL, for many machines
    (``pip install "pinfold[postgres]"``): in a ``schema`` of its own (``"pinfold"``), snapshots as
    what differs from their parent, and what has more than ``large_bytes`` (1 MiB) in files below
    ``large``, any location that fsspec knows, if that is given. A password belongs into the
    environment or ``~/.pgpass``. ``timeout`` is also how long a server that is away is waited for;
    after that it is `StoreUnavailable`.

    `lease` lets one process at a time drive a name. ``lease_seconds`` is how long one that hangs
    keeps others waiting; a process that ends gives its leases back at once.

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
        lease_seconds: float = 20.0,
        schema: str | None = None,
        large: str | None = None,
        large_bytes: int | None = None,
    ) -> None:
        if key is not None and not isinstance(key, bytes):
            raise TypeError(f"key is bytes, not {type(key).__name__}")
        if isinstance(min_counter, bool) or not isinstance(min_counter, int):
            raise TypeError(f"min_counter is an int, not {min_counter!r}")
        if min_counter and key is None:
            raise ValueError("min_counter needs a key: without one anybody can write any number")
        self._key = key
        self._seal_key = b"" if key is None else hashlib.blake2b(PURPOSE + key).digest()
        self._newest = min_counter  # that was seen of the seal's counter
        if not lease_seconds > 0:
            raise ValueError(f"lease_seconds is a number above 0, not {lease_seconds!r}")
        self._portable = portable
        server = {"schema": schema, "large": large, "large_bytes": large_bytes}
        self._db = opened(fspath(path), timeout, read_only, key, server)
        self._leases = Keeper(self._db, lease_seconds)

    # ------------------------------------------------------------------ saving and loading

    def save(
        self, name: str, sandbox: Sandbox, label: str = "", *, lease: Lease | None = None
    ) -> int:
        """Saves a sandbox under a name and gives the snapshot's id: it is then on disk.

        Its parent is what the sandbox was last saved as or loaded from here; for another sandbox
        it is what the name points at. A store with a key takes sandboxes with that key, and one
        without a key those without: another is a ``ValueError``, as it would be refused by `load`.

        While somebody has a `lease` for the name, only they save, by giving it here; without it, or
        with one that was lost, it is a `LeaseError`.
        """
        _check_name(name)
        if not isinstance(sandbox, Sandbox):
            inner = " (its .sandbox is one)" if hasattr(sandbox, "sandbox") else ""
            raise TypeError(f"what is saved is a Sandbox, not {sandbox!r}{inner}")
        self._check_key(sandbox._durable[0])
        reserved = self._db.reserve(self._key is not None)
        counter = None if self._key is None else reserved
        data = sandbox.snapshot(counter=counter)
        portable = self._portable_of(sandbox, counter)
        origin = getattr(sandbox, "_stored", None)
        if origin is not None and origin[0] != self._identity():
            origin = None
        likely = origin[1] if origin else self._find(name)
        prepared = self._db.prepare(reserved, likely, data, portable)

        def keep(attempts: int) -> int:
            if attempts and reserved is not None and self._db.exists(reserved):
                return reserved  # only the answer was lost
            with self._change_names(name, lease):
                parent = origin[1] if origin else self._find(name)
                if parent is not None and not self._db.exists(parent):
                    parent = None  # pruned meanwhile
                id = self._db.keep(reserved, parent, label, prepared)
                if id is None:
                    assert reserved is not None
                    return reserved
                self._point(name, id)
            return id

        id = self._db.again(keep)
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
        data = self._db.content(id)
        if data is None:
            raise KeyError(which)
        return data

    @property
    def counter(self) -> int:
        """How often the names have changed, 0 without a key: it never gets smaller. Keep it where
        those who can write the store's file cannot write."""
        self._vouch()
        return self._newest if self._key is not None else 0

    # ------------------------------------------------------------------ the tree

    def branch(self, which: str | int, name: str, *, lease: Lease | None = None) -> int:
        """Gives a snapshot another, new name, from which it can go on by itself."""
        _check_name(name)
        with self._change_names(name, lease):
            if self._find(name) is None:
                id = self._resolve(which)
                new = "INSERT INTO name(name, snapshot) VALUES (?, ?) ON CONFLICT(name) DO NOTHING"
                if self._db.execute(new, (name, id)):
                    return id
            raise ValueError(f"the store has a sandbox {name!r} already")

    def lease(self, name: str, *, holder: str = "", timeout: float = 0.0) -> Lease:
        """Lets this process alone save a name, which need not be there yet; `LeaseError` when it
        is still driven by somebody else after ``timeout`` seconds. ``holder`` is what these hear.

        >>> import tempfile
        >>> with Store(tempfile.mktemp(suffix=".db")) as store, Sandbox() as sandbox:
        ...     with store.lease("alice") as lease:
        ...         _ = store.save("alice", sandbox, lease=lease)
        ...         try:
        ...             _ = store.save("alice", sandbox)
        ...         except LeaseError as error:
        ...             print("refused")
        refused
        """
        _check_name(name)
        if not isinstance(holder, str):
            raise TypeError(f"holder is text, not {holder!r}")
        if self._db.read_only:
            raise ValueError(f"{self._db.path}: the store was opened with read_only=True")
        return self._leases.acquire(name, holder or "another store", timeout)

    def holds(self, lease: Lease) -> bool:
        """Has nobody taken a lease over? What this process knows of the name is then the newest."""
        if lease.lost or lease.released:
            return False
        token = "SELECT token FROM lease WHERE name = ?"
        return bool(self._db.one(token, (lease.name,), _NUMBER) == (lease.token,))

    def list(self) -> SavedList:
        """All snapshots, oldest first."""
        names: dict[int, list[str]] = {}
        with self._db.together():
            for name, id in self._db.rows(_NAMES, (), _TEXT, _NUMBER):
                names.setdefault(id, []).append(name)
            rows = self._db.saved()
            portable = self._db.portables()
        try:
            return [
                Saved(id, parent, label, seconds, size, names.get(id, []), head, id in portable)
                for id, parent, label, seconds, size, head in rows
            ]
        except ValueError as error:
            raise self._db.damage(str(error)) from None

    def find(self, which: str | int) -> Saved:
        """One snapshot, by name or id, without its ``names``; ``KeyError`` when it is not there."""
        id = self._resolve(which)
        for row in self._db.saved(id):
            id, parent, label, seconds, size, head = row
            return Saved(id, parent, label, seconds, size, [], head)
        raise KeyError(which)

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

        Files of a mounted directory that one of them had not read count as unchanged where size and
        time are the same.
        """
        left = Left(*bounds(max_bytes, max_seconds))
        return differences(*self._both_files(old, new, left))

    def forget(self, name: str, *, lease: Lease | None = None) -> None:
        """Removes a name. Its snapshots stay until `prune`."""
        with self._change_names(name, lease):
            if not self._db.execute("DELETE FROM name WHERE name = ?", (name,)):
                raise KeyError(name)

    def prune(self, keep: int = 1, *, older: float = 0.0) -> int:
        """Removes snapshots that no name needs: for each, the newest ``keep`` of its line stay.

        Snapshots that stay keep their place in the tree, below their nearest ancestor that stays.
        Gives how many were removed. The file gets smaller unless somebody else is at work in it.
        With ``older``, snapshots that are younger than that many seconds stay, too.
        """
        if keep < 1:
            raise ValueError(f"keep must be 1 or more, got {keep}")
        with self._db.change(alone=True):
            self._db.quiet()
            every = "SELECT id, parent, time FROM snapshot"
            rows = self._db.rows(every, (), _NUMBER, _PARENT, _TIME)
            parents: dict[int, int | None] = {id: parent for id, parent, _ in rows}
            until = self._db.now() - older if older else None
            wanted = {id for id, _, seconds in rows if until is not None and seconds >= until}
            for _, id in self._db.rows(_NAMES, (), _TEXT, _NUMBER):
                wanted.update(self._line(parents, id)[:keep])
            kept: dict[int, int | None] = {}
            for id in wanted:
                above = self._line(parents, id)[1:]
                kept[id] = next((other for other in above if other in wanted), None)
            gone = [id for id in parents if id not in wanted]
            self._db.drop(kept, gone)
        if gone:
            self._db.shrink()
        return len(gone)

    # ------------------------------------------------------------------ ending

    def close(self) -> None:
        self._leases.close()
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    # ------------------------------------------------------------------ inside

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
        return self._db.identity()

    def _find(self, name: str) -> int | None:
        found = self._db.one("SELECT snapshot FROM name WHERE name = ?", (name,), _NUMBER)
        return None if found is None else found[0]

    def _resolve(self, which: str | int) -> int:
        if isinstance(which, str):
            self._vouch()
        id = self._find(which) if isinstance(which, str) else which
        if id is not None and self._db.exists(id):
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
