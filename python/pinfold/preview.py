"""Previews: what would come of each answer to a call that waits, before anybody gives it.

A branch of a preview is a twin of the sandbox: answered, it does what the sandbox would do, up to
the next call that could change something outside. Accepting it puts it in the sandbox's place. What
has to be done for that is written here as generators, which a thread or a coroutine drives
(`pinfold.previewing`): they yield what is to run.
"""

from __future__ import annotations

import threading
from time import monotonic
from typing import NamedTuple

from . import answer
from ._native import printable
from .adopting import Accepted, Adoption
from .call import Call, parse
from .choices import NOTHING, Choice, Edit, Give, No, NotKnown, Yes, as_choice
from .comparing import Change, Tree, compare
from .errors import BoundError, CapabilityError, SandboxDead, SandboxStateError, ToolError
from .files import Files
from .result import Result
from .steps import (
    Answered,
    Guest,
    Resting,
    Simulation,
    answered_with,
    asked,
    denied,
    edited,
    edited_call,
    failed_with,
    tell,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal, Self

    from . import _native
    from ._native import CallData, Decision, Outcome
    from .core import Core
    from .place import Budget
    from .steps import Steps
    from .tool import Tool

#: Seconds that looking for what has changed in the files may take.
_COMPARE_SECONDS = 30.0


class Followed(NamedTuple):
    """A call that a branch makes after the one that was answered."""

    method: str
    params: dict[str, Any]
    #: ``"answered"`` by a tool that changes nothing; it ``"waits"``, which nobody was called for;
    #: it waits and ``"asks"``; or it was ``"denied"``.
    state: Literal["answered", "waits", "asks", "denied"]
    #: The answer as JSON, or why there is none.
    text: str = ""


class Branch:
    """What would come of one answer. Belongs to a `Preview`, and can be looked at when that is
    closed, but for `files`."""

    def __init__(self, preview: Preview, choice: Choice, label: str) -> None:
        self._preview = preview
        #: The answer.
        self.choice = choice
        #: How it is called beside the others: ``"yes"``, ``"no"``, ``"edited"``, ``"answered"``.
        self.label = label
        #: Where the result of the call came from: a handler that is ``"pure"``, one that was
        #: ``"simulated"`` or ``"recorded"``, ``"given"`` by the choice; ``"unknown"``: nothing is
        #: known of it, and nothing can be shown.
        self.source: Literal["pure", "simulated", "recorded", "given", "unknown"] = "unknown"
        #: Why this answer cannot be given; None: it can.
        self.refused: str | None = None
        #: Why nothing, or not all, could be shown; None: it ended or came to a call that waits.
        self.stopped: str | None = None
        #: The files that are not as they were.
        self.changes: list[Change] = []
        #: The calls after this one.
        self.calls: list[Followed] = []
        #: The result of the run, if it ends here.
        self.result: Result | None = None
        self._call = preview.call
        self._machine: _native.Machine | None = None
        self._answered: Answered | None = None
        self._outcome: Outcome | None = None
        self._cut = False
        self._budget: Budget | None = None
        self._pieces: list[tuple[int, bytes]] = []
        self._events: list[tuple[Any, ...]] = []
        self._made: dict[int, str] = {}  # answers to calls, by id
        self._pure: list[tuple[Call, Answered]] = []
        self._decisions: list[Decision] = []

    # ------------------------------------------------------------------ looking

    @property
    def answer(self) -> str | None:
        """What the call is answered with, as JSON or as the failure's text; None: unknown."""
        return None if self._answered is None else self._answered.text

    @property
    def stdout(self) -> str:
        """What is written from the answer on."""
        return self._written(1)

    @property
    def stderr(self) -> str:
        """The same, of standard error."""
        return self._written(2)

    def _written(self, stream: int) -> str:
        data = b"".join(data for which, data in self._pieces if which == stream)
        return data.decode("utf-8", "replace")

    @property
    def files(self) -> Files:
        """The files as they would be. Until the preview is closed; nothing that is done to them
        counts."""
        return Files(self._look())

    def _look(self) -> Any:
        if self._machine is None:
            raise SandboxStateError(f"of {self.label!r} there is nothing to look at")
        return self._machine.preview()

    def __repr__(self) -> str:
        return f"<Branch {self.label}: {len(self.changes)} changes, {len(self.calls)} calls>"

    # ------------------------------------------------------------------ accepting

    def accept(self, *, result: Any = NOTHING) -> Accepted:
        """The call gets this answer, and the sandbox is what this branch is: nothing that it did is
        done again.

        If its result was simulated or recorded, the tool is called now, once, and then the pure
        ones that the branch has asked since, whose answers it may have changed. What they give is
        compared: the same as was shown keeps the branch; else the script gets the tool's answer in
        the sandbox as it was, and goes on with it to its next call (`Accepted.exact` is False).
        With ``result`` the tool was called by you and gave that. A branch that was ``refused`` is a
        `CapabilityError`; `SandboxStateError`: the sandbox went on, was changed, or the preview was
        closed. In ``approve`` return the branch instead.
        """
        from .previewing import accept

        return accept(self, result)

    async def aaccept(self, *, result: Any = NOTHING) -> Accepted:
        """As `accept`, with handlers on this event loop and the guest in a worker thread."""
        from .previewing import aaccept

        return await aaccept(self, result)

    @property
    def current(self) -> bool:
        """Is the sandbox still as it was when this was made?"""
        preview = self._preview
        return not preview.closed and preview.is_current()

    def commit(self, result: Any, admitted: bool) -> Steps:
        """What has to be done before `Adoption.take`; ``admitted``: budgets have let it pass."""
        from .drive import admit

        if self.refused is not None:
            raise CapabilityError(self.refused)
        current = yield Resting(lambda: self.current)
        if not current:
            raise SandboxStateError(
                "the sandbox went on or was changed after this preview of it was made, or the"
                " preview was closed: make another"
            )
        sandbox, call = self._preview.sandbox, self._call
        if result is not NOTHING:
            return Adoption(self, answered_with(sandbox, call, result))
        if self.source in ("given", "pure") and self._answered is not None:
            if not admitted and self.source == "pure":
                admit(sandbox, call)
            return Adoption(self, self._answered)
        if not admitted:
            admit(sandbox, call)
        if isinstance(self.choice, Edit):
            edited(sandbox, call)
        answered = yield from asked(sandbox, call)
        if answered == self._answered:
            # It was made for real only now, and may have changed what others give.
            for pure, before in self._pure:
                now = yield from asked(sandbox, pure)
                if now != before:
                    return Adoption(self, answered, (pure, before, now))
        return Adoption(self, answered)

    # ------------------------------------------------------------------ trying

    def explore(self) -> Steps:
        """Answers, and runs on to the next call that may change something."""
        preview = self._preview
        budget = preview.sandbox._budget
        self._budget = None if budget is None else budget.twin()
        if self._budget is not None and isinstance(self.choice, (Yes, Edit)):
            try:
                self._budget.admit(self._call)
            except ToolError as error:
                self.refused = str(error)
                return
        self._answered = yield from self._first()
        if self._answered is None:
            return
        twin = yield Resting(preview.twin)
        machine = self._machine = twin
        machine.on_output(lambda stream, data: self._pieces.append((stream, data)))
        machine.on_decision(self._decided)
        try:
            yield from self._run_on()
        except SandboxDead as dead:  # only the branch is lost
            self.stopped = str(dead)
            machine.close()
            self._machine = None

    def _run_on(self) -> Steps:
        """Up to where it ends, or waits for what nobody may be asked."""
        preview = self._preview
        assert self._answered is not None
        outcome = yield self._go(self._call, self._answered)
        while outcome is None and not self._cut:
            call = self._next()
            if call is None:
                break
            if len(self._made) > preview.most_calls:
                self.stopped = f"it went no further than {preview.most_calls} calls (calls)"
                break
            answered = yield from self._try(call)
            if answered is None:
                break
            outcome = yield self._go(call, answered)
        if not self._cut:
            self._outcome = outcome
            self.result = None if outcome is None else Result(outcome)
        self._list_calls()

    def _first(self) -> Steps:
        """What the call is answered with; None: it is not known."""
        sandbox, choice = self._preview.sandbox, self.choice
        if isinstance(choice, No):
            self.source = "given"
            return denied(self._call, choice.why)
        if isinstance(choice, Give):
            self.source = "given"
            return Answered(True, 0, answer.encode(self._call.method, choice.value))
        assert isinstance(choice, (Yes, Edit))
        if isinstance(choice, Edit):
            try:
                given = self._call
                self._call = yield Resting(lambda: edited_call(sandbox, given, choice))
            except CapabilityError as error:
                self.refused = str(error)
                return None
        if choice.result is not NOTHING:
            self.source = "recorded"
            return Answered(True, 0, answer.encode(self._call.method, choice.result))
        tool = sandbox._tools.get(self._call.method)
        if tool is not None and tool.pure and tool.handler is not None:
            self.source = "pure"
            answered = yield from self._try(self._call)
        elif tool is not None and tool.simulate is not None:
            self.source = "simulated"
            answered = yield from self._simulated(tool)
        else:
            answered = None
            self.stopped = (
                f"nothing is known of what {self._call.method} would give: it is neither pure nor"
                " has it a simulate function"
            )
        if answered is None:
            self.source = "unknown"
        return answered

    def _simulated(self, tool: Tool) -> Steps:
        try:
            value = yield Simulation(tool, self._call)
        except NotKnown as error:
            self.stopped = printable(str(error)) or "its simulate function does not know a result"
            return None
        except Exception as error:
            return failed_with(self._preview.sandbox, self._call, error)
        return answered_with(self._preview.sandbox, self._call, value)

    def _try(self, call: Call) -> Steps:
        """The handler of a tool that changes nothing."""
        sandbox = self._preview.sandbox
        if call is not self._call and self._budget is not None:
            try:
                self._budget.admit(call)
            except ToolError as error:
                return failed_with(sandbox, call, error)
        try:
            answered = yield from asked(sandbox, call)
        except sandbox._passthrough as error:
            self.stopped = f"the handler of {call.method} raised {type(error).__name__}"
            return None
        if call is not self._call:
            self._pure.append((call, answered))
        return answered

    def _go(self, call: Call, answered: Answered) -> Guest:
        machine = self._machine
        assert machine is not None
        self._made[call.id] = str(answered)
        self._event("answered", call.id, call.method, answered)

        def run() -> Outcome | None:
            timer = threading.Timer(self._preview.seconds, self._end)
            timer.daemon = True
            timer.start()
            try:
                return answered.give(machine, call.id)
            finally:
                timer.cancel()

        return Guest(run, machine.kill)

    def _end(self) -> None:
        """It runs for too long."""
        self._cut = True
        self.stopped = f"it was still running after {self._preview.seconds:g} s (seconds)"
        if self._machine is not None:
            self._machine.kill()

    def _next(self) -> Call | None:
        """The oldest call that waits and may be made in a preview."""
        sandbox = self._preview.sandbox
        assert self._machine is not None
        for given in self._machine.pending():
            tool = sandbox._tools.get(given[1])
            if tool is None or not tool.pure or tool.handler is None or given[5]:
                continue
            if given[0] == self._call.id:
                continue
            if (
                sandbox._ledger is not None
                and sandbox._capabilities[given[4]].max_calls is not None
            ):
                continue  # what it spends others would not have, accepted or not
            return sandbox._call(given)
        return None

    def _decided(self, *decision: Any) -> None:
        self._decisions.append(decision)
        self._event("decided", *decision)

    def _event(self, *event: Any) -> None:
        """For the audit log: now, as of a preview; when it is accepted, as of the sandbox."""
        self._events.append(event)
        tell(self._preview.observers, event)

    def _list_calls(self) -> None:
        assert self._machine is not None
        waiting = {} if self._cut else {given[0]: given for given in self._machine.pending()}
        before = self._preview.waiting
        for id, text in self._made.items():
            if id in before and id != self._call.id:  # it was made before, and waited
                given = before[id]
                self.calls.append(Followed(given[1], parse(given[3]), "answered", text))
        for id, outcome, method, name, params, _, message in self._decisions:
            given_params = {} if params is None else parse(params)
            if id in self._made:
                followed = Followed(method, given_params, "answered", self._made[id])
            elif id and id in waiting:
                followed = Followed(method, given_params, "asks" if outcome == "ask" else "waits")
            elif id:
                continue  # the script gave it up
            else:
                followed = Followed(method or name, given_params, "denied", message or outcome)
            self.calls.append(followed)


class Preview:
    """What would come of each answer to a call: made by `Sandbox.preview`. ``str()`` is what a
    person is shown. Close it when it is not needed any more; accepting a branch does."""

    def __init__(
        self, sandbox: Core, call: Call, answers: Iterable[Any], seconds: float, calls: int
    ) -> None:
        choices = [as_choice(given) for given in answers]
        if not choices:
            raise ValueError("a preview is of one answer at least")
        self.sandbox = sandbox
        self.seconds, self.most_calls = seconds, calls
        machine: Any = sandbox._machine
        self.observers: list[Any] = getattr(machine, "preview_observers", list)()
        #: A copy as it was, to compare with.
        self._before: _native.Machine | None = machine.preview()
        self.waiting: dict[int, CallData] = {g[0]: g for g in self._before.pending()}
        if call.id not in self.waiting:
            self.close()
            raise SandboxStateError(
                f"call {call.id} does not wait in this sandbox: it was answered or given up"
            )
        self._id = call.id
        labels: list[str] = []
        for choice in choices:
            number = 1 + sum(label.split()[0] == choice.label for label in labels)
            labels.append(choice.label if number == 1 else f"{choice.label} {number}")
        #: One for each answer, in their order.
        self.branches = [Branch(self, *each) for each in zip(choices, labels, strict=True)]

    @property
    def call(self) -> Call:
        """The call that waits, as it was checked: a new object each time, so that nothing that is
        done to one changes what is shown or called."""
        return self.sandbox._call(self.waiting[self._id])

    def twin(self) -> _native.Machine:
        """A copy of the sandbox as it was, whose place it may take."""
        return self._trunk().preview()

    def _trunk(self) -> _native.Machine:
        machine: Any = self.sandbox._machine
        trunk: _native.Machine = getattr(machine, "unwatched", machine)
        return trunk

    def _copy(self) -> _native.Machine:
        if self._before is None:
            raise SandboxStateError("the preview was closed")
        return self._before

    def is_current(self) -> bool:
        return self._trunk().accepts(self._copy())

    def explore(self) -> Steps:
        for branch in self.branches:
            yield from branch.explore()
        yield Guest(self._compare)

    def _compare(self) -> None:
        until = monotonic() + _COMPARE_SECONDS
        given = self.sandbox._given.get("mounts") or {}
        mounts = [place for place, source in given.items() if source is not None]
        before: Tree | None = None
        for branch in self.branches:
            if branch._machine is None:
                continue
            try:
                before = before or Tree(self._copy(), mounts, until)
                branch.changes = compare(before, Tree(branch._look(), mounts, until))
            except (BoundError, SandboxDead, OSError) as error:
                branch.stopped = f"its files could not be compared: {error}"

    def __getitem__(self, which: str | int) -> Branch:
        """A branch by its label or its number, from 0 on."""
        if isinstance(which, int):
            return self.branches[which]
        for branch in self.branches:
            if branch.label == which:
                return branch
        raise KeyError(which)

    def __iter__(self) -> Any:
        return iter(self.branches)

    def __len__(self) -> int:
        return len(self.branches)

    def text(self, width: int | None = None) -> str:
        """What a person is shown: the branches side by side in so many columns of a terminal, or
        one below the other (None, or too few columns for that)."""
        from .preview_text import text_of

        return text_of(self, width)

    def __str__(self) -> str:
        return self.text()

    @property
    def closed(self) -> bool:
        return self._before is None

    def close(self) -> None:
        """Drops all branches. More than once is harmless."""
        machines = [self._before, *(branch._machine for branch in getattr(self, "branches", ()))]
        self._before = None
        for machine in machines:
            if machine is not None:
                machine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Preview of {self.call!r}: {', '.join(b.label for b in self.branches)}>"
