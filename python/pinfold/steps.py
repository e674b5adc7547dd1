"""What a preview has to do, as steps for a thread or a coroutine, and calls with their answers.

A generator yields the steps (`pinfold.previewing` does them) and gets what came of each.
"""

from __future__ import annotations

from typing import NamedTuple

from . import answer
from ._native import json_refusal
from .call import Call
from .deadline import Expired
from .errors import CapabilityError
from .log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from typing import Any

    from ._native import Outcome
    from .choices import Edit
    from .core import Core
    from .tool import Tool


class Guest(NamedTuple):
    """To be done: something that lets a guest run, or looks at many files. ``stop`` ends it sooner."""

    function: Callable[[], Any]
    stop: Callable[[], object] | None = None


class Resting(NamedTuple):
    """To be done: something that looks at the sandbox itself, which has to rest meanwhile."""

    function: Callable[[], Any]


class Handler(NamedTuple):
    """To be done: the handler of a call is asked, as in any run."""

    call: Call


class Simulation(NamedTuple):
    """To be done: ``simulate`` of a tool is asked."""

    tool: Tool
    call: Call


if TYPE_CHECKING:
    Steps = Generator[Guest | Resting | Handler | Simulation, Any, Any]


class Answered(NamedTuple):
    """What a guest gets as the answer to a call."""

    ok: bool
    kind: int
    text: str

    def give(self, machine: Any, id: int) -> Outcome | None:
        outcome: Outcome | None
        if self.ok:
            outcome = machine.resume(id, self.text)
        else:
            outcome = machine.fail(id, self.kind, self.text)
        return outcome

    def __str__(self) -> str:
        return self.text if self.ok else f"failure: {self.text}"


def tell(observers: Iterable[Any], event: tuple[Any, ...]) -> None:
    """An event of a branch, for who watches."""
    for observer in observers:
        if event[0] == "decided":
            observer.decided(*event[1:])
        else:
            _, id, method, answered = event
            text = answered.text if answered.ok else None
            observer.answered(id, method, text, None if answered.ok else failure_text(answered))


def failure_text(answered: Answered) -> str:
    from .observe import FAILURES

    return f"{FAILURES[answered.kind]}: {answered.text}"


def asked(sandbox: Core, call: Call) -> Steps:
    """What its handler gives or raises."""
    try:
        value = yield Handler(call)
    except Exception as error:
        if isinstance(error, (*sandbox._passthrough, Expired)):
            raise
        return failed_with(sandbox, call, error)
    return answered_with(sandbox, call, value)


def answered_with(sandbox: Core, call: Call, value: Any) -> Answered:
    try:
        text = answer.encode(call.method, value)
    except ValueError as error:
        return Answered(False, 0, str(error))
    refused = json_refusal(text)
    if refused is not None:
        return Answered(False, 0, answer.not_json(call.method, refused))
    return Answered(True, 0, text)


def failed_with(sandbox: Core, call: Call, error: Exception) -> Answered:
    log.info("tool %s failed", call.method, exc_info=error)
    return Answered(False, *answer.failure(error, sandbox._hide_tool_errors))


def denied(call: Call, why: str | None) -> Answered:
    kind = answer.FAILURE_KINDS["denied"]
    return Answered(False, kind, f"{call.method} is denied: {why or 'it was not approved'}")


def edited_call(sandbox: Core, call: Call, choice: Edit) -> Call:
    """The call with other arguments, judged as if the script had made it so; `CapabilityError`."""
    from ._native import Gate
    from .wire import ALLOWED

    try:
        params = answer.to_json(choice.params)
    except ValueError as error:
        raise CapabilityError(f"the edited arguments are not JSON: {error}") from None
    gate = Gate(sandbox._settings)
    machine = sandbox._machine
    given = next(g for g in machine.pending() if g[0] == call.id)
    for index, granted in enumerate(sandbox._capabilities):
        left = machine.calls_left(index)
        if granted.max_calls is not None and left is not None:
            # The call has spent one, which is for the edited one.
            gate.spend(index, max(granted.max_calls - left - (index == given[4]), 0))
    request = f'{{"tool":{answer.to_json(call.name)},"params":{params}}}'.encode()
    outcome, method, _, checked, capability, message = gate.decide(request)
    if outcome not in ALLOWED or checked is None:
        raise CapabilityError(f"with other arguments: {message or outcome}")
    if capability != given[4] or method != call.method:
        raise CapabilityError(
            f"with other arguments {call.method} would be allowed by another capability than the"
            " script's call was: deny it, and let the script call again"
        )
    return Call(sandbox, call.id, method, call.name, checked, call.capability, call.ask)


def edited(sandbox: Core, call: Call) -> None:
    """The audit log has what a handler is really called with."""
    for observer in getattr(sandbox._machine, "observers", ()):
        observer.edited(call.id, call.method, call.params_json)
