"""Host directories in a sandbox: what was asked for, and what became of them."""

from __future__ import annotations

from os import PathLike, fsencode, fspath
from os.path import abspath

from ._native import printable
from .bounds import bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from .machine import Machine

    Path = str | PathLike[str]
    #: A directory (read-only), or a directory and ``"copy"`` or ``"read"``; None when a snapshot is
    #: to go on without it.
    MountSource = Path | tuple[Path, Literal["copy", "read"]] | None


def as_requests(mounts: Mapping[str, MountSource]) -> list[tuple[str | None, str, bool]]:
    """(host, place, copy on write) for each."""
    requests: list[tuple[str | None, str, bool]] = []
    for place, source in mounts.items():
        if not isinstance(place, str):
            raise TypeError(f"a mount's place is str, not {place!r}")
        given = source if isinstance(source, tuple) else (source, "read")
        if len(given) != 2:
            raise ValueError(f'a mount is a directory or (directory, "copy"), not {source!r}')
        path, mode = given
        if mode not in ("copy", "read"):
            raise ValueError(f'a mount is "copy" or "read", not {mode!r}')
        requests.append((None if path is None else fspath(path), place, mode == "copy"))
    return requests


def host_directory(mounts: Mapping[str, MountSource] | None, place: str) -> str | None:
    """The host's directory that is mounted at a place; None: none is."""
    for given, source in (mounts or {}).items():
        path = source[0] if isinstance(source, tuple) else source
        if given.rstrip("/") == place.rstrip("/") and path is not None:
            return abspath(fspath(path))
    return None


def _files(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """Files and links of an archive of changes, by name: (git's mode, contents)."""
    import io
    import tarfile

    found: dict[str, tuple[int, bytes]] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            name = member.name.removeprefix("./")
            if member.issym():
                found[name] = 0o120000, fsencode(member.linkname)
            elif member.isfile() or member.islnk():
                if name.rpartition("/")[2].startswith(".wh."):
                    continue
                file = tar.extractfile(member)
                mode = 0o100755 if member.mode & 0o100 else 0o100644
                found[name] = mode, file.read() if file else b""
    return found


class Mounted:
    """A host directory as it is now inside a sandbox.

    Each method gives, or writes to the host, at most ``max_bytes`` (default: ``memory_bytes`` of the
    sandbox, at most 1 GiB) and takes at most ``max_seconds`` (60); then it is a `BoundError`.
    ``math.inf`` lifts a bound. `Sandbox.interrupt` ends them, and so does Ctrl-C.
    """

    def __init__(self, machine: Machine, place: str, directory: str | None = None) -> None:
        self._machine = machine
        self._directory = directory
        self.place = place

    def changes(
        self, *, max_bytes: float | None = None, max_seconds: float | None = None
    ) -> list[tuple[str, str]]:
        """What differs from what came in: ``("A" | "M" | "D", path)``, by path; added, modified and
        deleted."""
        limits = bounds(max_bytes, max_seconds)
        found = self._machine.mount_changes(self.place, *limits)
        return sorted(found, key=lambda change: change[1])

    def export(
        self,
        directory: Path,
        *,
        max_bytes: float | None = None,
        max_seconds: float | None = None,
    ) -> None:
        """Writes all of it to a host directory that is new or empty. Names of one file become hard
        links, and holes stay holes. Links that would lead out of that directory are left out."""
        limits = bounds(max_bytes, max_seconds)
        self._machine.mount_export(self.place, fspath(directory), *limits)

    def tar(
        self,
        changed_only: bool = False,
        *,
        max_bytes: float | None = None,
        max_seconds: float | None = None,
    ) -> bytes:
        """All of it, or what changed, as a tar archive; a deleted file is then ``.wh.NAME``. Names
        of one file are links in it, and files with holes are sparse."""
        limits = bounds(max_bytes, max_seconds)
        return self._machine.mount_tar(self.place, changed_only, *limits)

    def patch(
        self,
        *,
        context: int = 3,
        max_bytes: float | None = None,
        max_seconds: float | None = None,
    ) -> str:
        """What differs from the host directory as it is now, as a patch that ``git apply`` takes:
        new, changed and deleted files and links, modes, binary files. ``.git`` is left out, and so are
        empty directories. ``context``: lines around each change."""
        if self._directory is None:
            raise ValueError(f"{printable(self.place)} has no host directory to compare with")
        if not isinstance(context, int) or context < 0:
            raise ValueError(f"context is a number of lines, not {context!r}")
        from .mount_patch import read_below, write_patch

        limits: dict[str, float | None] = {"max_bytes": max_bytes, "max_seconds": max_seconds}
        now = _files(self.tar(True, **limits))
        whole = []
        for _, path in self.changes(**limits):
            name = path[len(self.place.rstrip("/")) + 1 :]
            if name and ".git" not in name.lower().split("/"):
                whole.append((name, read_below(self._directory, name), now.get(name)))
        return write_patch(whole, context)

    def __repr__(self) -> str:
        return f"<Mounted {printable(self.place)}>"
