"""Previews with ``isolation="process"``: each has a worker of its own, which continues a snapshot
of the sandbox. One that is accepted gives its worker to the sandbox, and what is known of it."""

from __future__ import annotations

from .allowance import DRIVES
from .errors import SandboxDead, SandboxStateError
from .inside import Inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._native import Durable
    from .accounts import Ledger
    from .link import Link

#: What is asked of a worker and changes nothing that a preview shows.
_LOOKS = frozenset(
    (
        *("new", "branch", "snapshot", "snapshot_portable", "watch", "processes", "tool_names"),
        *("file_read", "file_digest", "file_tar", "file_stat", "file_lstat", "file_list"),
        *("file_link", "mount_changes", "mount_export", "mount_tar", "left_out", "close"),
    )
)
#: What is known of a worker and its sandbox, and goes with it.
_WITH_THE_WORKER = (
    *("_link", "_ledger", "_time", "_allowance", "_in_force", "_worker_settings", "_running"),
    *("_result", "_due", "_steps", "_unsettled", "_interrupts", "report"),
)


class Twins(Inside):
    """The part of `RemoteMachine` that has previews."""

    _link: Link | None
    _ledger: Ledger
    _on_output: Callable[[int, bytes], object] | None
    _preview_of: Twins | None = None
    _preview_at = 0  # the trunk's changes when it was made
    _changes = 0

    def preview(self) -> Any:
        """A copy that `accept` can put in this one's place."""
        machine: Any = self
        if machine._durable[1] is not None:
            raise ValueError(
                'a sandbox that is recorded has no previews with isolation="process": its worker'
                " writes the recording, and a preview would run in another one"
            )
        data = machine.snapshot()
        durable: Durable = (machine._durable[0], None, False, [], 0)
        own = machine._in_force if machine._running else None
        twin = type(machine)(
            machine._settings, data, durable, machine, own, machine._images, _twin=True
        )
        twin._time.carry_on(twin._link, machine._time, self._link)
        twin._preview_of, twin._preview_at = self, self._changes
        return twin

    def accepts(self, preview: Any) -> bool:
        """Is this still what the preview was made of?"""
        there = self._link is not None and preview._link is not None
        return bool(there and preview._preview_of is self and preview._preview_at == self._changes)

    def accept(self, preview: Any) -> None:
        """This sandbox is the preview, which is closed then."""
        if not self.accepts(preview):
            raise SandboxStateError(
                "the sandbox went on after this preview of it was made: make another"
            )
        old, ledger = self._link, preview._ledger
        for id in [id for id in ledger.new_calls() if self._ledger.was_handed_out(id)]:
            ledger.hand_out(id)
        inside = {name: getattr(preview, name) for name in _WITH_THE_WORKER}
        inside["_before"] = inside["_interrupts"]
        inside["_changes"] = self._changes + 1
        preview._link = None
        self.__dict__.update(inside)  # one step for the interpreter: nobody sees the half of it
        if old is not None:
            old.end()

    def lost(self) -> str | None:
        """Why its worker is gone; None: it is there."""
        try:
            self._ask("left_out")
        except SandboxDead as dead:
            return str(dead)
        return None

    def on_output(self, callback: Callable[[int, bytes], object] | None) -> None:
        """To whom output goes from here on."""
        try:
            self._is("watch", self._ask("watch"), type(None))
        except AttributeError:
            raise ValueError(
                "the worker is of a build that has no previews: continue without one"
            ) from None
        self._on_output = callback

    def tell_output(self, pieces: list[tuple[int, bytes]]) -> None:
        """To whom output goes: what was written elsewhere."""
        if self._on_output is not None:
            for piece in pieces:
                self._on_output(*piece)

    def _asked(self, name: str) -> None:
        """The worker is about to be asked that."""
        if name in DRIVES or name not in _LOOKS:
            self._changes += 1
