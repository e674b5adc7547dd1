"""The bytes of snapshots on a server: whole, as deltas against their parents, or in large files."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import threading
import time
import uuid
from collections import OrderedDict
from typing import NamedTuple

from ..errors import SnapshotError, StoreError
from ..log import log
from . import deltas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any

_PURPOSE = b"pinfold store contents\0"
#: The server's clock counts: those of its clients may differ.
NOW = "CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)"
_NUMBER, _TEXT, _BYTES, _TIME = (int,), (str,), (bytes,), (float, int)
_MAYBE = (int, type(None))
#: Deltas upon deltas, before one is kept whole: what a load reads at most.
_DEPTH = 16
#: Contents that are kept in memory, because the next save is compared with them.
_CACHE_BYTES = 64 << 20
#: A file that no row names may belong to a save that is on; after so many seconds it does not.
_ORPHAN_SECONDS = 3600.0
_LARGE_BYTES = 1 << 20


_FILE = (str, type(None))


class Prepared(NamedTuple):
    """A content as its row has it, and the snapshot itself."""

    id: int
    portable: bool
    base: int | None
    depth: int
    tag: bytes
    data: bytes | None
    file: str | None
    whole: bytes


class Contents:
    """The part of `Server` that is about the bytes of snapshots."""

    path: str
    read_only: bool

    def __init__(self, key: bytes | None, large: str | None, large_bytes: int | None) -> None:
        self._key = key
        self._tag_key = b"" if key is None else hashlib.blake2b(_PURPOSE + key).digest()
        self._cache: OrderedDict[tuple[int, bool], bytes] = OrderedDict()
        self._cached = 0
        self._cache_lock = threading.Lock()
        self._removed: list[str] = []  # files, when what names them is gone
        if large_bytes is not None and large is None:
            raise ValueError("large_bytes is for a store with large=..., where large ones are kept")
        self._large_bytes = _LARGE_BYTES if large_bytes is None else large_bytes
        self._files: Any = None
        if large is not None:
            try:
                import fsspec
            except ImportError as error:
                raise ImportError(
                    "large=... needs fsspec: pip install 'pinfold[fsspec]'"
                ) from error
            self._files, self._folder = fsspec.core.url_to_fs(large)
            self._files.makedirs(self._folder, exist_ok=True)

    if TYPE_CHECKING:

        def execute(self, statement: str, values: tuple[Any, ...] = ()) -> int: ...
        def rows(self, statement: str, values: tuple[Any, ...], *types: Any) -> list[Any]: ...
        def one(self, statement: str, values: tuple[Any, ...], *types: Any) -> Any: ...
        def damage(self, what: str) -> StoreError: ...
        def together(self) -> AbstractContextManager[None]: ...

    # ------------------------------------------------------------------ as `Rows` has them

    def reserve(self, needed: bool) -> int | None:
        if self.read_only:
            raise ValueError(f"{self.path}: the store was opened with read_only=True")
        next = "SELECT nextval(pg_get_serial_sequence('snapshot', 'id'))"
        return int(self.rows(next, (), _NUMBER)[0][0])

    def exists(self, id: int) -> bool:
        return bool(self.rows("SELECT 1 FROM snapshot WHERE id = ?", (_id(id),), _NUMBER))

    def prepare(
        self, id: int | None, likely: int | None, data: bytes, portable: bytes | None
    ) -> tuple[bytes, list[Prepared]]:
        assert id is not None
        forms = [self._prepared(id, False, likely, data)]
        if portable is not None:
            forms.append(self._prepared(id, True, likely, portable))
        return data, forms

    def keep(
        self,
        id: int | None,
        parent: int | None,
        label: str,
        prepared: tuple[bytes, list[Prepared]],
    ) -> int | None:
        assert id is not None
        data, forms = prepared
        added = self.execute(
            "INSERT INTO snapshot(id, parent, label, time, size, head) VALUES (?, ?, ?,"
            f" {NOW}, ?, ?) ON CONFLICT (id) DO NOTHING",
            (id, parent, label, len(data), data[:72]),
        )
        if not added:
            return None
        for form in forms:
            self._put(form)
        return id

    def content(self, id: int) -> bytes | None:
        return self._get(_id(id), False)

    def portable(self, id: int) -> bytes | None:
        return self._get(id, True)

    def portables(self) -> set[int]:
        select = "SELECT snapshot FROM content WHERE portable"
        return {row[0] for row in self.rows(select, (), _NUMBER)}

    def saved(self, id: int | None = None) -> list[Any]:
        one = "" if id is None else " WHERE id = ?"
        return self.rows(
            f"SELECT id, parent, label, time, size, head FROM snapshot{one} ORDER BY id",
            *(() if id is None else (id,), _NUMBER, _MAYBE, _TEXT, _TIME, _NUMBER, _BYTES),
        )

    def now(self) -> float:
        return float(self.rows(f"SELECT {NOW}", (), _TIME)[0][0])

    def named(self, where: str, values: tuple[Any, ...], limit: int) -> list[Any]:
        return self.rows(
            "SELECT name, snapshot, time, size FROM name"
            f" JOIN snapshot ON snapshot.id = snapshot WHERE {where} ORDER BY name LIMIT {limit}",
            values,
            *(_TEXT, _NUMBER, _TIME, _NUMBER),
        )

    def names_of(self, ids: set[int]) -> list[Any]:
        some = "SELECT name, snapshot FROM name WHERE snapshot = ANY(?) ORDER BY name"
        return self.rows(some, ([*ids],), _TEXT, _NUMBER)

    def tree(self, root: int, limit: int) -> list[Any]:
        return self.rows(
            "WITH RECURSIVE tree(id) AS (SELECT CAST(?1 AS BIGINT) UNION"
            " SELECT snapshot.id FROM snapshot JOIN tree ON snapshot.parent = tree.id)"
            " SELECT id, parent, label, time, size, head FROM snapshot"
            " WHERE id IN (SELECT id FROM tree LIMIT ?2) ORDER BY id",
            (root, limit),
            *(_NUMBER, _MAYBE, _TEXT, _TIME, _NUMBER, _BYTES),
        )

    def line(self, id: int, limit: int) -> list[Any]:
        return self.rows(
            "WITH RECURSIVE line(at, above, depth) AS ("
            " SELECT id, parent, 0 FROM snapshot WHERE id = ?1 UNION ALL"
            " SELECT snapshot.id, snapshot.parent, depth + 1 FROM snapshot"
            " JOIN line ON snapshot.id = line.above WHERE depth + 1 < ?2)"
            " SELECT id, parent, label, time, size, head"
            " FROM line JOIN snapshot ON id = at ORDER BY depth",
            (id, limit),
            *(_NUMBER, _MAYBE, _TEXT, _TIME, _NUMBER, _BYTES),
        )

    def drop(self, kept: dict[int, int | None], gone: list[int]) -> None:
        """What is a delta against something that goes becomes one against what stays."""
        select = (
            "SELECT snapshot, portable, file FROM content"
            " WHERE base = ANY(?) AND NOT snapshot = ANY(?) ORDER BY snapshot"
        )
        for id, portable, file in self.rows(select, (gone, gone), _NUMBER, (bool,), _FILE):
            whole = self._get(id, portable)
            if whole is None:
                raise self.damage(f"snapshot {id} is not there")
            self._removed += [file] if file else []
            self._put(self._prepared(id, portable, kept[id], whole))
        for id, parent in kept.items():
            self.execute("UPDATE snapshot SET parent = ? WHERE id = ?", (parent, id))
        files = "SELECT file FROM content WHERE snapshot = ANY(?) AND file IS NOT NULL"
        self._removed += [row[0] for row in self.rows(files, (gone,), _TEXT)]
        # Foreign keys are looked at when a statement is over: all of them go together.
        self.execute("DELETE FROM content WHERE snapshot = ANY(?)", (gone,))
        self.execute("DELETE FROM snapshot WHERE id = ANY(?)", (gone,))

    # ------------------------------------------------------------------ one content

    def _prepared(self, id: int, portable: bool, base: int | None, data: bytes) -> Prepared:
        """As a delta, if that is worth it; a large one is written to its file."""
        new = deltas.contents(data)
        found = None
        if base is not None and new is not None:
            found = self._delta(base, portable, data, new)
        kept, depth = (data, 0) if found is None else found
        base = None if found is None else base
        file = self._written(id, kept) if self._is_large(kept) else None
        tag = self._tag(id, portable, base, kept)
        self._remember(id, portable, new)
        return Prepared(id, portable, base, depth, tag, None if file else kept, file, data)

    def _put(self, form: Prepared) -> None:
        if form.base is not None:
            there = "SELECT 1 FROM content WHERE snapshot = ? AND portable = ? FOR KEY SHARE"
            if not self.rows(there, (form.base, form.portable), _NUMBER):  # pruned meanwhile
                form = self._prepared(form.id, form.portable, None, form.whole)
        self.execute(
            "INSERT INTO content(snapshot, portable, base, depth, tag, data, file)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (snapshot, portable) DO UPDATE"
            " SET base = EXCLUDED.base, depth = EXCLUDED.depth, tag = EXCLUDED.tag,"
            " data = EXCLUDED.data, file = EXCLUDED.file",
            form[:7],
        )

    def _delta(
        self, parent: int, portable: bool, data: bytes, new: bytes
    ) -> tuple[bytes, int] | None:
        """A delta and its depth, if it is worth one."""
        select = "SELECT depth FROM content WHERE snapshot = ? AND portable = ?"
        row = self.one(select, (parent, portable), _NUMBER)
        if row is None or row[0] + 1 >= _DEPTH:
            return None
        base = self._contents(parent, portable)
        if base is None:
            return None
        small = deltas.delta(data, new, base)
        return (small, row[0] + 1) if len(small) < len(data) * 3 // 4 else None

    def _contents(self, id: int, portable: bool) -> bytes | None:
        with self._cache_lock:
            known = self._cache.get((id, portable))
            if known is not None:
                self._cache.move_to_end((id, portable))
                return known
        data = self._get(id, portable)
        return None if data is None else deltas.contents(data)

    def _get(self, id: int, portable: bool) -> bytes | None:
        """From the delta down to what is whole, and up again."""
        found = self.rows(
            "WITH RECURSIVE line AS ("
            " SELECT * FROM content WHERE snapshot = ?1 AND portable = ?2"
            " UNION ALL SELECT content.* FROM content JOIN line ON content.snapshot = line.base"
            " AND content.portable = line.portable AND content.depth < line.depth)"
            " SELECT snapshot, base, tag, data, file FROM line ORDER BY depth",
            (id, portable),
            *(_NUMBER, _MAYBE, _BYTES, (bytes, type(None)), _FILE),
        )
        if not found:
            return None
        data, below = b"", None
        before: bytes | None = None
        try:
            for snapshot, base, tag, kept, file in found:
                kept = self._file(snapshot, file) if kept is None else kept
                if not hmac.compare_digest(tag, self._tag(snapshot, portable, base, kept)):
                    raise SnapshotError("its bytes are not those that were written with this key")
                if base != below:
                    raise SnapshotError("what it is a delta against is not there")
                if base is None:
                    data, before = kept, None
                else:
                    before = deltas.contents(data) if before is None else before
                    if before is None:
                        raise SnapshotError("it is a delta against something too large")
                    data, before = deltas.patched(kept, before, self._key)
                below = snapshot
        except SnapshotError as error:
            if isinstance(error, StoreError):
                raise
            raise self.damage(f"snapshot {id}: {error}") from None
        self._remember(id, portable, before)
        return data

    def _tag(self, id: int, portable: bool, base: int | None, kept: bytes) -> bytes:
        what = f"{id} {portable} {base}".encode().ljust(64)
        return hashlib.blake2b(what + kept, key=self._tag_key, digest_size=32).digest()

    # ------------------------------------------------------------------ memory

    def _remember(self, id: int, portable: bool, contents: bytes | None) -> None:
        if contents is None or len(contents) > _CACHE_BYTES // 4:
            return
        with self._cache_lock:
            self._cached += len(contents) - len(self._cache.pop((id, portable), b""))
            self._cache[id, portable] = contents
            while self._cached > _CACHE_BYTES:
                self._cached -= len(self._cache.popitem(last=False)[1])

    # ------------------------------------------------------------------ large files

    def _is_large(self, kept: bytes) -> bool:
        return self._files is not None and len(kept) > self._large_bytes

    def _written(self, id: int, kept: bytes) -> str:
        """It is there before the row that names it is; one that no row comes to name is swept."""
        name = f"{id}-{uuid.uuid4().hex}"
        with self._told(name):
            self._files.pipe_file(f"{self._folder}/{name}", kept)
        return name

    def _file(self, id: int, name: str) -> bytes:
        if self._files is None:
            raise SnapshotError(f"it is in the file {name}: open the store with large=...")
        if "/" in name or not name.startswith(f"{id}-"):
            raise SnapshotError(f"its file has another's name: {name}")
        with self._told(name):
            data: bytes = self._files.cat_file(f"{self._folder}/{name}")
        return data

    def _sweep(self) -> None:
        """Removes files that nothing names."""
        if self._files is None:
            return
        select = "SELECT file FROM content WHERE file IS NOT NULL"
        named = {row[0] for row in self.rows(select, (), _TEXT)}
        removed, self._removed = set(self._removed), []
        with contextlib.suppress(OSError):
            for entry in self._files.ls(self._folder, detail=True):
                name = entry["name"].rstrip("/").rpartition("/")[2]
                if name in named or (name not in removed and not _old(self._files, entry)):
                    continue
                self._files.rm_file(entry["name"])

    @contextlib.contextmanager
    def _told(self, name: str) -> Any:
        try:
            yield
        except Exception as error:  # each kind of location has errors of its own
            log.info("a large snapshot", exc_info=error)
            said = str(error) or type(error).__name__
            raise StoreError(f"{self.path}: {self._folder}/{name}: {said}") from error


def _old(files: Any, entry: dict[str, Any]) -> bool:
    try:
        return bool(time.time() - files.modified(entry["name"]).timestamp() > _ORPHAN_SECONDS)
    except (NotImplementedError, AttributeError):
        return False  # its age is not known


def _id(id: int) -> int:
    """An id that a column cannot hold is of no snapshot."""
    return id if -(1 << 63) <= id < 1 << 63 else 0
