"""What a `Store` does about snapshots of other builds: their portable forms, their images, their files."""

from __future__ import annotations

from . import _native
from .errors import SnapshotError
from .sandbox import Sandbox
from .saved import FilesOf, Left

TYPE_CHECKING = False
if TYPE_CHECKING:
    import contextlib

    from .rows import Rows
    from .sandbox import GivenImages


class Builds:
    """The part of `Store` that outlives builds."""

    _db: Rows
    _key: bytes | None
    _portable: bool

    def _about(self, id: int) -> contextlib.AbstractContextManager[None]:
        raise NotImplementedError

    def _resolve(self, which: str | int) -> int:
        raise NotImplementedError

    def _proper(self, id: int) -> bytes:
        raise NotImplementedError

    def _check_counter(self, id: int, data: bytes) -> None:
        raise NotImplementedError

    def _both_files(self, old: str | int, new: str | int, left: Left) -> tuple[FilesOf, FilesOf]:
        """Seen in the same way: by this build if it made both, else by their lists."""
        both = [(id, self._proper(id)) for id in (self._resolve(old), self._resolve(new))]
        ours = all(_native.snapshot_info(data)[2] for _, data in both)
        before, after = (self._files(id, data, ours, left) for id, data in both)
        return before, after

    def _files(self, id: int, data: bytes, ours: bool, left: Left) -> FilesOf:
        with self._about(id):
            if not ours:
                return FilesOf.listed(Sandbox.files_of(data, key=self._key), left)
            machine = _native.snapshot_look(data, self._key)
        try:
            return FilesOf(machine, left)
        finally:
            machine.close()

    def _portable_of(self, sandbox: Sandbox, reserved: int | None) -> bytes | None:
        """``None`` in the middle of a run, which only the exact one holds."""
        if not self._portable or sandbox._machine.running():
            return None
        with sandbox._entered():
            return sandbox._machine.snapshot_portable(reserved or 0)[0]

    def _usable(self, id: int, exact: bytes, images: GivenImages | None) -> bytes:
        """The exact one where it can go on, by this build or with images; else the portable one."""
        if _native.snapshot_info(exact)[2]:
            return exact
        if images is not None:
            from .images import chosen

            if chosen(images, exact) is not None:
                return exact
        return self._fallback(id, exact)

    def _fallback(self, id: int, exact: bytes) -> bytes:
        """The portable form of what another build made."""
        data = self._db.portable(id)
        if data is None:
            build = _native.snapshot_info(exact)[5]
            raise SnapshotError(
                f"it comes from another build of pinfold ({build[:16]}…) and has no portable form,"
                " because a run was on, or it was saved without: continue it with that build's"
                ' images (load(..., images=..., isolation="process")); its files can be read'
                " (Sandbox.files_of(store.data(...)))"
            )
        self._check_counter(id, data)
        return data
