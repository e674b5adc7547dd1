"""Host directories in a sandbox: what was asked for, and what became of them."""

from __future__ import annotations

from os import PathLike, fspath
from os.path import abspath

from ._native import printable
from .bounds import DEFAULT_BYTES, Look, bounds

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


class Mounted:
    """A host directory as it is now inside a sandbox.

    Each method gives, or writes to the host, at most ``max_bytes`` (default: ``memory_bytes`` of the
    sandbox, at most 1 GiB) and takes at most ``max_seconds`` (60); then it is a `BoundError`.
    ``math.inf`` lifts a bound. `Sandbox.interrupt` ends them, and so does Ctrl-C.
    """

    def __init__(
        self,
        machine: Machine,
        place: str,
        directory: str | None = None,
        most: int = DEFAULT_BYTES,
        looks: set[Look] | None = None,
    ) -> None:
        self._machine = machine
        self._directory = directory
        self._most = most
        self._looks = looks
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
        empty directories. ``context``: lines around each change. Of the changed files, of what the host
        has in their place, and of the patch there may be ``max_bytes`` each; a text of more than 16 MiB
        is put as a binary file is."""
        if self._directory is None:
            raise ValueError(f"{printable(self.place)} has no host directory to compare with")
        if not isinstance(context, int) or context < 0:
            raise ValueError(f"context is a number of lines, not {context!r}")
        from .mount_patch import write_patch

        most, seconds = bounds(max_bytes, max_seconds)
        what = f"patch of {printable(self.place)}"
        with Look(what, most or self._most, seconds, self._looks) as look:
            return write_patch(self._machine, self.place, self._directory, context, look)

    def __repr__(self) -> str:
        return f"<Mounted {printable(self.place)}>"
