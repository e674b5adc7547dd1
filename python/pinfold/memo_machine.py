"""A machine that stands at a state that is known, and is made when it is needed."""

from __future__ import annotations

from .errors import SandboxClosed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from ._native import Outcome
    from .machine import Machine


class Standing:
    """The machine of a sandbox that stands at a known state: made when something is asked of it
    that is not known without, and from then on just that machine."""

    def __init__(
        self,
        make: Callable[[], Machine],
        digest: bytes,
        outcome: Outcome | None,
        left: list[float],
    ) -> None:
        self._make: Callable[[], Machine] | None = make
        #: Of each capability, at most how many calls it has left.
        self.left = left
        self._made: Machine | None = None
        self._owner: object = None
        self._ended = False
        #: The hash of its state; None: it may have another one by now.
        self.digest: bytes | None = digest
        self._outcome = outcome

    def real(self) -> Machine:
        """The machine itself, for who keeps the digest."""
        if self._made is None:
            assert self._make is not None
            self._made, self._make = self._make(), None
            if self._owner is not None:
                self._made.claim(True, self._owner)
        return self._made

    def __getattr__(self, name: str) -> Any:
        if self._ended:
            raise SandboxClosed("the sandbox is closed")
        self.digest = self._outcome = None
        return getattr(self.real(), name)

    def claim(self, run: bool, owner: object) -> bool:
        if self._made is not None:
            return self._made.claim(run, owner)
        if self._owner is not None and not self._ended:
            return False
        self._owner = owner
        return True

    def unclaim(self, owner: object) -> None:
        if self._made is not None:
            self._made.unclaim(owner)
        if self._owner is owner:
            self._owner = None

    def result(self) -> Outcome | None:
        if self._made is None and self._outcome is not None:
            return self._outcome
        return self.real().result()

    def running(self) -> bool:
        return self._made is not None and self._made.running()

    def condition(self) -> Literal["closed", "busy", "open"]:
        if self._made is not None:
            return self._made.condition()
        return "closed" if self._ended else "busy" if self._owner is not None else "open"

    def interrupt(self) -> None:
        if self._made is not None:
            self._made.interrupt()

    def is_fixed(self) -> bool:
        made: Any = self._made
        return made is None or bool(made.is_fixed())

    def close(self) -> None:
        if self._made is not None:
            self._made.close()
        else:
            self._ended, self._make = True, None


def real(machine: Machine) -> Any:
    """The machine itself, for who keeps what is known of its state."""
    return machine.real() if isinstance(machine, Standing) else machine
