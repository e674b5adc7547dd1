"""What snapshots that outlive builds say to people: what they hold, and what they do not."""

from __future__ import annotations

from . import _native
from .core import Core
from .errors import LeftOutWarning
from .names import outside
from .snapshot_files import SnapshotFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

#: Lines of a warning.
_SHOWN = 20


class Portable(Core):
    """The part of `Sandbox` that is about where it comes from."""

    @staticmethod
    def files_of(
        data: bytes, *, key: bytes | None = None, max_bytes: int | None = None
    ) -> SnapshotFiles:
        """The files of a snapshot, exact or portable, whatever build of pinfold made it.

        ``key`` is the one it was made with. `BoundError`: it has more than ``max_bytes`` (1 GiB)
        decompressed, or a file has. `SnapshotError`: it is cut short or altered, or older than
        format 5, which has no list of files that another build could read.
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"a snapshot is bytes, not {type(data).__name__}")
        return SnapshotFiles(bytes(data), key, max_bytes)

    @property
    def left_out(self) -> list[str]:
        """What the portable snapshot that it was made from did not bring, one line each. Scripts
        chose some of these words. Empty for any other sandbox."""
        return [_native.printable(text) for text in self._machine.left_out()]

    @property
    def restored_from(self) -> Literal["exact", "portable"] | None:
        """Which kind of snapshot it goes on from; ``None``: it was made new."""
        return self._restored_from

    def _continue_from(self, snapshot: bytes) -> None:
        """It was just made of that."""
        self._restored_from = kind_of(snapshot)
        if self._restored_from == "portable":
            warn_of_left_out(self.left_out, "the portable snapshot did not bring")
        else:
            self._hear_of_refusals()


def kind_of(data: object) -> Literal["exact", "portable"]:
    """Of a snapshot, or of a replay that is gone on from."""
    if not isinstance(data, bytes):
        return "exact"
    return "portable" if data[:8] == b"PFPORTA\0" else "exact"


def warn_of_left_out(left: list[str], what: str) -> None:
    """One warning, where the embedder called."""
    if not left:
        return
    import warnings

    lines = [_native.printable(text) for text in left]
    shown, more = lines[:_SHOWN], len(lines) - _SHOWN
    if more > 0:
        shown.append(f"and {more} more")
    warnings.warn(f"{what}: {'; '.join(shown)}", LeftOutWarning, stacklevel=outside())
