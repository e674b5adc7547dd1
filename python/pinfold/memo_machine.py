"""A machine that stands at a state that is known, and is made when it is needed.

A run that is known takes a sandbox from state to state without any of them being made: a state is
known by its hash, with the result there, or the calls that wait there. Those calls are judged by a
gate of this process (`pinfold.accounts`), as a worker's are, so a file is believed as little.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from .accounts import Ledger, Lie, with_limits
from .errors import PinfoldError, SandboxClosed, SandboxStateError, StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from ._native import CallData, Outcome, Settings
    from .machine import Machine

    #: Lets a machine do again what led on from the state before.
    Act = Callable[[Machine], Outcome | None]

#: After so many runs that were not run, the state is made: what would have to be done again if it
#: were gone is not to grow for ever.
_MOST_ACTS = 256


def state_digest(data: bytes) -> bytes:
    """What a state is called: a hash of its snapshot."""
    state = blake2b(digest_size=32)
    state.update(len(data).to_bytes(8, "little"))
    state.update(data)
    return state.digest()


class Known(NamedTuple):
    """What lies at a place of the tree."""

    #: The hash of the state.
    digest: bytes
    #: The result, if the run is over there.
    outcome: Outcome | None
    #: The calls that wait there: id, outcome of the gate, name, arguments. None: nothing is known
    #: of them.
    calls: tuple[tuple[int, str, str, str], ...] | None


class Origin(NamedTuple):
    """How a machine at a state is made: of the state, if that can still be had, else by doing all
    again, from the last machine that there was."""

    base: Machine
    acts: list[Act]
    ledger: Judge
    #: The state with a hash, in a machine; None: it is gone.
    restore: Callable[[bytes, list[float]], Machine | None]


class Standing:
    """The machine of a sandbox that stands at a known state: made when something is asked of it
    that is not known without, and from then on just that machine."""

    def __init__(self, origin: Origin | None, known: Known, made: Machine | None = None) -> None:
        self._origin = origin
        self._made = made
        self._owner: object = None
        self._ended = False
        self._struck: str | None = None
        #: The hash of its state; None or empty: it may have another one by now.
        self.digest: bytes | None = known.digest
        #: The hash that this very machine gives, if it is known: a restored one has new tools.
        self._own = known.digest if made is not None else b""
        #: The state before an act that may change it; None: there was none.
        self._before: bytes | None = None
        self._watched = False
        self._known = known
        #: Calls that wait and are judged; None: the machine has to be asked.
        self._waiting: list[CallData] | None = None
        #: Of each capability, at most how many calls it has left there.
        self._left: list[float] = []
        if origin is not None:
            self._left = origin.ledger.all_left()
        if origin is not None and known.outcome is None:
            self._waiting = judged(origin.ledger, known)
            if self._waiting is not None:
                self._left = origin.ledger.all_left()
        if origin is not None and len(origin.acts) > _MOST_ACTS:
            self.real()

    # ------------------------------------------------------------------ the machine

    def real(self) -> Machine:
        """The machine itself, for who keeps the digest."""
        if self._made is None:
            if self._ended:
                raise SandboxClosed("the sandbox is closed")
            try:
                made = self._make()
            except PinfoldError:
                self.close()
                raise
            self._made, self._origin = made, None
            if self._owner is not None:
                made.claim(True, self._owner)
            if self._struck is not None:
                getattr(made, self._struck)()
        return self._made

    def _make(self) -> Machine:
        origin = self._origin
        assert origin is not None
        made = origin.restore(self._known.digest, self._left)
        if made is None:
            made = self._again(origin)
        else:
            origin.base.close()
        if self._waiting is not None:
            there = [call[:4] for call in made.pending()]
            if there != [call[:4] for call in self._waiting]:
                made.close()
                raise StoreError("a cache is damaged: a state in it waits for other calls")
        return made

    def _again(self, origin: Origin) -> Machine:
        """The state is gone, perhaps to make room: what led to it is done again."""
        machine = origin.base
        if self._owner is not None:
            machine.claim(True, self._owner)
        for act in origin.acts:
            act(machine)
        if self._owner is not None:
            machine.unclaim(self._owner)
        if state_digest(machine.snapshot()) != self._known.digest:
            machine.close()
            raise StoreError(
                "the state of the sandbox is gone from its cache, and what was in the cache is not"
                " what comes of running it again: somebody has altered it"
            )
        return machine

    def onward(self, act: Act) -> Origin | None:
        """How the state behind this one is made, with what leads there; None: like that of any
        machine."""
        origin = self._origin
        if origin is None or self._made is not None:
            return None
        self._ended, self._origin = True, None
        origin.acts.append(act)
        return origin

    def __getattr__(self, name: str) -> Any:
        if self._ended:
            raise SandboxClosed("the sandbox is closed")
        machine = self.real()
        if self._watched and self._before is None:
            self._before = self._own or self._hash()
        self.digest = None
        return getattr(machine, name)

    # ------------------------------------------------------------------ what handlers do to it

    def watch(self) -> None:
        """From here on it is seen whether somebody changes it."""
        self._watched, self._before = True, None

    def changed(self) -> bytes | None:
        """The hash of what it is now, if it was changed since; else nothing. None: nobody knows."""
        self._watched = False
        if self._before is None:
            return b""
        now = self._hash()
        if not now or not self._before:
            return None
        return b"" if now == self._before else now

    def _hash(self) -> bytes:
        """Of the machine; nothing while a program is parked."""
        try:
            return state_digest(self.real().snapshot())
        except SandboxStateError:
            return b""

    def stands_at(self, known: Known) -> None:
        """It has come there by itself."""
        self.digest = self._own = known.digest

    # ------------------------------------------------------------------ what is known without

    def begin_with(self, limits: list[tuple[str, int]] | None) -> None:
        """A run begins, perhaps with limits of its own."""
        if self._origin is not None:
            self._origin.ledger.begin_with(limits)

    def is_judged(self) -> bool:
        """Are the calls that wait judged, without the machine?"""
        return self._made is None and self._waiting is not None

    def fetch(self) -> None:
        """Takes from the file now what it needs of it."""
        if self._made is None and not self._ended:
            self.real()

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
        if self._made is None and self._known.outcome is not None:
            return self._known.outcome
        return self.real().result()

    def running(self) -> bool:
        if self._made is not None:
            return self._made.running()
        return not self._ended and self._known.outcome is None

    def pending(self) -> list[CallData]:
        if self._made is None and self._waiting is not None:
            return self._waiting
        return self.real().pending()

    def condition(self) -> Literal["closed", "busy", "open"]:
        if self._made is not None:
            return self._made.condition()
        return "closed" if self._ended else "busy" if self._owner is not None else "open"

    def interrupt(self) -> None:
        self._strike("interrupt")

    def stop(self) -> None:
        self._strike("stop")

    def kill(self) -> None:
        self._strike("kill")

    def _strike(self, how: str) -> None:
        """A machine that is not made yet hears of it later; a run that is over is not concerned."""
        if self._made is not None:
            getattr(self._made, how)()
        elif self.running():
            self._struck = how
            if self._made is not None:  # it was made meanwhile, perhaps without seeing this
                getattr(self._made, how)()

    @property
    def struck(self) -> bool:
        """Did an interrupt come that the way on does not know of?"""
        made: Any = self._made
        return self._struck is not None or (made is not None and bool(made.was_struck()))

    def is_fixed(self) -> bool:
        made: Any = self._made
        return made is None or bool(made.is_fixed())

    def close(self) -> None:
        if self._made is not None:
            self._made.close()
        elif self._origin is not None:
            self._origin.base.close()
            self._origin = None
        self._ended = True


def real(machine: Machine) -> Any:
    """The machine itself, for who keeps what is known of its state."""
    return machine.real() if isinstance(machine, Standing) else machine


def was_struck(machine: Machine) -> bool:
    if isinstance(machine, Standing):
        return machine.struck
    native: Any = machine
    return bool(native.was_struck())


# ------------------------------------------------------------------ calls


class Judge(Ledger):
    """The calls and budgets of a sandbox whose machine is not made, as far as they are known."""

    def __init__(self, settings: Settings, machine: Machine, capabilities: int) -> None:
        super().__init__(settings)
        self._usual = settings
        self.capabilities = capabilities
        for index in range(capabilities):
            now, left = machine.calls_left(index), self._gate.calls_left(index)
            if now is not None and left is not None:
                self._gate.spend(index, max(left - now, 0))
        self.calls = {call[0]: call for call in machine.pending()}
        self._count = self._count.at(None)

    def begin_with(self, own: list[tuple[str, int]] | None) -> None:
        """A run begins, perhaps with limits of its own."""
        self.limit(with_limits(self._usual, own) if own else self._usual)
        self.begin()

    def all_left(self) -> list[float]:
        """Of each capability, at most how many calls it has left."""
        found = [self._gate.calls_left(index) for index in range(self.capabilities)]
        return [float("inf") if left is None else left for left in found]


def judged(ledger: Ledger, known: Known) -> list[CallData] | None:
    """The calls that wait at a place, allowed by the capabilities that hold now, and charged; None:
    that cannot be said without the machine."""
    if not known.calls:
        return None
    try:
        for id, outcome, name, params in known.calls:
            if id not in ledger.calls:
                ledger.later()
                ledger.decide(id, outcome, request_of(name, params), "", (id, known.digest))
        ledger.settle(tuple(call[0] for call in known.calls), None)
    except Lie:
        return None
    return list(ledger.calls.values())


def request_of(name: str, params: str) -> bytes:
    from .answer import to_json

    return f'{{"tool":{to_json(name)},"params":{params}}}'.encode("utf-8", "replace")


def waiting_calls(machine: Machine) -> tuple[tuple[int, str, str, str], ...]:
    """As `Known` has them."""
    return tuple(
        (id, "ask" if ask else "allowed", name, params)
        for id, _, name, params, _, ask in machine.pending()
    )
