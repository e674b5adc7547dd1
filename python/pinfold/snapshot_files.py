"""`SnapshotFiles`: the files of a snapshot, whatever build of pinfold made it."""

from __future__ import annotations

import stat
from _collections_abc import Mapping  # as files.py says

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class SnapshotFile:
    """What a snapshot says of one name."""

    __slots__ = ("mode", "mtime_ns", "number", "path", "size", "uid", "unread")

    def __init__(
        self, number: int, path: str, mode: int, uid: int, size: int, mtime_ns: int, unread: bool
    ) -> None:
        self.number = number
        self.path = path
        #: With its type, as ``st_mode``.
        self.mode = mode
        self.uid = uid
        #: Bytes.
        self.size = size
        self.mtime_ns = mtime_ns
        #: Nobody had read it from the directory that was mounted: its contents are not here.
        self.unread = unread

    def __repr__(self) -> str:
        path = _native.printable(self.path)
        return f"<SnapshotFile {stat.filemode(self.mode)} {path}, {self.size} bytes>"


class SnapshotFiles(Mapping[str, bytes]):
    """The regular files of a snapshot, from path to contents: ``Sandbox.files_of(data)``.

    Nothing of the snapshot runs, and no build's templates are needed. `entries` lists every name:
    directories, symbolic links and FIFOs, too. What each sandbox starts with (programs, ``/etc``)
    is not listed unless it was changed.

    >>> from pinfold import Sandbox
    >>> with Sandbox() as sandbox:
    ...     _ = sandbox.run("echo draft > plan; ln -s plan latest")
    ...     data = sandbox.snapshot()
    >>> files = Sandbox.files_of(data)
    >>> [*files], files["/workspace/plan"], files.target("/workspace/latest")
    (['/workspace/plan'], b'draft\\n', 'plan')
    """

    def __init__(self, data: bytes, key: bytes | None = None, max_bytes: int | None = None) -> None:
        self._most = 0 if max_bytes is None else max_bytes
        self._files = _native.snapshot_files(data, key, self._most)
        entries, self._left_out = _native.snapshot_files_list(self._files)
        #: All names, parents before what is in them.
        self.entries = [SnapshotFile(number, *entry) for number, entry in enumerate(entries)]
        self._by_path = {entry.path: entry for entry in self.entries}

    @property
    def left_out(self) -> list[str]:
        """Of a portable snapshot: what it does not hold, one line each. Scripts chose some of these
        words."""
        return [_native.printable(text) for text in self._left_out]

    def target(self, path: str) -> str:
        """Where a symbolic link points."""
        entry = self._by_path[path]
        if not stat.S_ISLNK(entry.mode):
            raise ValueError(f"{path}: it is no symbolic link")
        return _native.snapshot_files_take(self._files, entry.number, self._most).decode(
            errors="surrogateescape"
        )

    def __getitem__(self, path: str) -> bytes:
        entry = self._by_path[path]
        if not stat.S_ISREG(entry.mode):
            raise KeyError(path)
        if entry.unread:
            raise FileNotFoundError(
                2, "its contents are not in the snapshot: nobody had read it from its mount", path
            )
        return _native.snapshot_files_take(self._files, entry.number, self._most)

    def __iter__(self) -> Iterator[str]:
        return (entry.path for entry in self.entries if stat.S_ISREG(entry.mode))

    def __len__(self) -> int:
        return sum(1 for _ in self)
