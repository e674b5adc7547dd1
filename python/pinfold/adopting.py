"""The last step of accepting a branch of a preview: the sandbox is that branch, or goes on."""

from __future__ import annotations

from typing import NamedTuple

from ._native import printable
from .drive import InPlace
from .log import log
from .steps import Answered, tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._native import Outcome
    from .call import Call
    from .preview import Branch


class Accepted(NamedTuple):
    """What came of accepting a branch."""

    #: The sandbox is now what was shown, to the byte.
    exact: bool
    #: Why not, else None.
    why: str | None


class Adoption(InPlace):
    """A branch that was accepted, when its tool was asked: the last step, with the guest."""

    def __init__(
        self,
        branch: Branch,
        answered: Answered,
        other: tuple[Call, Answered, Answered] | None = None,
    ) -> None:
        self._branch = branch
        self._answered = answered
        self._other = (
            other  # a call after it that gives something else now: what it gave, and gives
        )

    def take(self) -> tuple[Accepted, Outcome | None]:
        """Lets the sandbox be the branch if that is what was shown; else answers the call."""
        branch = self._branch
        preview, sandbox = branch._preview, branch._preview.sandbox
        why = self._difference()
        machine: Any = sandbox._machine
        try:
            if why is not None:
                outcome = self._answered.give(machine, preview.call.id)
                return Accepted(False, why), outcome
            assert branch._machine is not None
            for event in branch._events:
                tell(getattr(machine, "observers", ()), event)
            preview._trunk().accept(branch._machine)
            branch._machine = None
            if branch._budget is not None:
                sandbox._budget = branch._budget
            preview._trunk().tell_output(branch._pieces)
            if branch._outcome is not None:
                for observer in getattr(machine, "observers", ()):
                    observer.result(branch._outcome)
            return Accepted(True, None), branch._outcome
        finally:
            sandbox._adopting = False
            preview.close()

    def take_as_answer(self) -> Outcome | None:
        """In a run, where an answer would be."""
        accepted, outcome = self.take()
        if not accepted.exact:
            log.info("call %d was not accepted as shown: %s", self._branch._call.id, accepted.why)
        return outcome

    def _difference(self) -> str | None:
        """Why the sandbox cannot be what was shown."""
        branch = self._branch
        if branch._answered is None or branch._machine is None:
            return "nothing was shown of what would come of it"
        if self._answered != branch._answered:
            return (
                f"{branch._call.method} gave {_short(self._answered)}, where"
                f" {_short(branch._answered)} was expected: the script went on with that"
            )
        if self._other is not None:
            call, before, now = self._other
            return (
                f"{call.method} gives {_short(now)} now, where {_short(before)} was shown: the"
                " script went on from the call"
            )
        if branch._cut:
            return branch.stopped
        lost: str | None = getattr(branch._machine, "lost", lambda: None)()
        if lost is not None:
            return lost
        if not branch.current:
            return "the sandbox went on while the tool was called"
        return None


def _short(answered: Answered) -> str:
    text = printable(str(answered))
    return text if len(text) <= 200 else f"{text[:200]}…"
