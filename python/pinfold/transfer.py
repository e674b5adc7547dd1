"""Files and directories between the host and a sandbox: `Files.upload` and `Files.download`.

What comes out of a sandbox is its script's, and with ``isolation="process"`` its worker's word. So a
download goes below one directory of the host, step by step by descriptors that follow no link, and
links are made last.
"""

from __future__ import annotations

import io
import os
import posixpath
import stat
import tarfile
import time

from .bounds import DEFAULT_SECONDS
from .errors import BoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .machine import Machine

#: Contents, when nothing is said.
_BYTES = 1 << 30
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _Left:
    """What an upload may still take."""

    def __init__(self, what: str, bounds: tuple[int, float]) -> None:
        self._what = what
        self._most = bounds[0] or _BYTES
        self._until = time.monotonic() + (bounds[1] or DEFAULT_SECONDS)
        self.bytes = 0

    def spend(self, number: int) -> None:
        self.bytes += number
        if self.bytes > self._most:
            raise BoundError(
                f"{self._what}: more than max_bytes, {self._most}, which is the bound of one call:"
                " raise it if that is meant"
            )
        if time.monotonic() > self._until:
            raise BoundError(
                f"{self._what}: not done after max_seconds, which is the bound of one call: raise it"
                " if that is meant"
            )


# ---------------------------------------------------------------------- in


def upload(machine: Machine, source: str, path: str, bounds: tuple[int, float]) -> int:
    """Gives the bytes of contents."""
    left = _Left(f"upload of {source}", bounds)
    found = os.stat(source)
    if not stat.S_ISDIR(found.st_mode):
        _upload_file(machine, source, None, path, left)
        return left.bytes
    directories = []
    for place, folder, name, info in _walk(source):
        there = posixpath.join(path, place) if place else path
        if stat.S_ISDIR(info.st_mode):
            machine.file_make(there, stat.S_IFDIR | 0o700, info.st_mtime_ns, b"")
            directories.append((there, info))
        elif stat.S_ISLNK(info.st_mode):
            target = os.fsencode(os.readlink(name, dir_fd=folder))
            machine.file_make(there, info.st_mode, info.st_mtime_ns, target)
        elif stat.S_ISREG(info.st_mode):
            _upload_file(machine, name, folder, there, left)
        left.spend(0)
    for there, info in reversed(directories):  # what came into them has changed their times
        machine.file_make(there, info.st_mode & ~0o7000, info.st_mtime_ns, b"")
    return left.bytes


def _walk(top: str) -> Iterator[tuple[str, int | None, str, os.stat_result]]:
    """The path below ``top``, how to open it (a directory's descriptor and a name), what it is."""
    yield "", None, top, os.stat(top)
    for here, folders, files, fd in os.fwalk(top, follow_symlinks=False):
        inside = os.path.relpath(here, top)
        for name in sorted(folders + files):
            place = name if inside == "." else posixpath.join(inside, name)
            yield place, fd, name, os.stat(name, dir_fd=fd, follow_symlinks=False)


def _upload_file(machine: Machine, name: str, folder: int | None, path: str, left: _Left) -> None:
    no_follow = 0 if folder is None else os.O_NOFOLLOW
    fd = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | no_follow, dir_fd=folder)
    with open(fd, "rb") as file:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise ValueError(f"{name} is no file and no directory: only these are uploaded")
        left.spend(info.st_size)
        data = file.read(info.st_size)
    machine.file_make(path, info.st_mode & ~0o7000, info.st_mtime_ns, data)


# ---------------------------------------------------------------------- out


def download(machine: Machine, path: str, target: str, bounds: tuple[int, float]) -> int:
    """Gives the bytes of contents."""
    mode = machine.file_stat(path, *bounds)[0]
    if not stat.S_ISDIR(mode):
        data = machine.file_read(path, *bounds)
        with open(target, "wb") as file:
            file.write(data)
        return len(data)
    archive = machine.file_tar(path, *bounds)
    os.makedirs(target, exist_ok=True)
    if os.listdir(target):
        raise FileExistsError(f"{target} is not empty: a directory is copied to a new one")
    root = os.open(target, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return _Unpacking(root, archive).all()
    finally:
        os.close(root)


class _Unpacking:
    """An archive that goes below a directory, which was empty."""

    def __init__(self, root: int, archive: bytes) -> None:
        self._root = root
        self._archive = archive
        self._links: list[tuple[tuple[str, ...], str]] = []
        self._folders: list[tuple[tuple[str, ...], tarfile.TarInfo]] = []

    def all(self) -> int:
        total = 0
        with tarfile.open(fileobj=io.BytesIO(self._archive), mode="r:") as tar:
            for member in tar:
                total += self._one(member)
        for parts, target in self._links:
            folder = self._folder(parts[:-1])
            try:
                os.symlink(target, parts[-1], dir_fd=folder)
            finally:
                os.close(folder)
        for parts, member in reversed(self._folders):
            folder = self._folder(parts)
            try:
                os.fchmod(folder, member.mode & 0o777)
                os.utime(folder, (member.mtime, member.mtime))
            finally:
                os.close(folder)
        return total

    def _one(self, member: tarfile.TarInfo) -> int:
        parts = _parts(member.name)
        if member.issym():
            if _stays_inside(parts, member.linkname):
                self._links.append((parts, member.linkname))
            return 0
        folder = self._folder(parts[:-1])
        try:
            if member.isdir():
                os.mkdir(parts[-1], 0o700, dir_fd=folder)
                self._folders.append((parts, member))
            elif member.islnk():
                self._link(folder, parts[-1], _parts(member.linkname))
            elif member.isfile():
                return self._file(folder, parts[-1], member)
        finally:
            os.close(folder)
        return 0

    def _link(self, folder: int, name: str, to: tuple[str, ...]) -> None:
        """Another name of a file that came before: no link is there yet to be followed."""
        other = self._folder(to[:-1])
        try:
            os.link(to[-1], name, src_dir_fd=other, dst_dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(other)

    def _file(self, folder: int, name: str, member: tarfile.TarInfo) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(name, flags, 0o600, dir_fd=folder), "wb") as file:
            written, at = 0, member.offset_data
            for place, size in _pieces(member):
                file.seek(place)
                file.write(self._archive[at : at + size])
                at, written = at + size, written + size
            file.truncate(member.size)
            file.flush()
            os.fchmod(file.fileno(), member.mode & 0o777)
            os.utime(file.fileno(), (member.mtime, member.mtime))
        return written

    def _folder(self, parts: tuple[str, ...]) -> int:
        """A descriptor of a directory below the root, which the caller closes."""
        at = os.dup(self._root)
        for part in parts:
            inner = at
            try:
                at = os.open(part, _FOLDER, dir_fd=inner)
            finally:
                os.close(inner)
        return at


def _pieces(member: tarfile.TarInfo) -> list[tuple[int, int]]:
    """Where the data of a file belong; it may have holes."""
    holes: Any = member.sparse
    return [(0, member.size)] if holes is None else list(holes)


def _parts(name: str) -> tuple[str, ...]:
    parts = tuple(name.rstrip("/").split("/"))
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise ValueError(f"the archive of the sandbox has a name that leads out: {name!r}")
    return parts


def _stays_inside(parts: tuple[str, ...], target: str) -> bool:
    """Does a link lead to a place below the directory, whatever other links there are? What goes up
    after it went down is not told from what goes up behind another link.

    >>> [_stays_inside(("a", "l"), to) for to in ("../b", "b/c", "./b", "../../b", "/b", "b/../c")]
    [True, True, True, False, False, False]
    """
    if not target or target.startswith("/"):
        return False
    steps = [part for part in target.split("/") if part not in ("", ".")]
    up = next((i for i, part in enumerate(steps) if part != ".."), len(steps))
    return up < len(parts) and ".." not in steps[up:]
