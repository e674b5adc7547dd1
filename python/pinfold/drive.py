"""The loop of ``run()``: hand out a call, ask its handler, answer, until the run is complete.

Entered only when a run waits for something, and with the sandbox's lock held: a run without tool
calls never comes here.
"""

from __future__ import annotations

import contextlib
import time

from . import answer
from ._native import Machine as NativeMachine
from ._native import json_refusal, printable
from .call import Call, parse
from .deadline import Expired
from .errors import PinfoldError, SandboxStateError, ToolError
from .log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractContextManager
    from typing import Any

    from ._native import CallData, Outcome
    from .core import Core
    from .machine import Machine
    from .together import Together
    from .tool import Tool


def drive(sandbox: Core) -> Outcome:
    """Answers calls in the calling thread until the run is complete."""
    machine = sandbox._machine
    step = machine.step
    waiter = Waiter()
    stuck = Stuck(machine)
    together: Together | None = None  # calls that are answered by several threads at once
    held = False
    try:
        held = machine.hold()
        given = step()
        if type(machine) is NativeMachine:  # nobody watches it
            ended, given = _answer_plain(sandbox, machine, given, waiter)
            if ended is not None:
                return ended
        while True:
            if given is None:
                on = () if together is None else together.ids
                given = next((call for call in machine.pending() if call[0] not in on), None)
            elif _may_be_one_of_several(sandbox, given):
                following = step()
                busy = together is not None and together.ids
                # A process that sleeps is to wake meanwhile: a timer may end the waiting.
                if following is not None or busy or machine.wait_ns() is not None:
                    if together is None:
                        from .together import Together

                        together = Together(sandbox)
                    with inside(sandbox, given[0]):
                        together.begin(given)
                    given = following
                    continue
            if given is not None:
                outcome = _answer(sandbox, given, waiter)
            elif together is not None and together.ids:
                outcome = together.wait()
            else:
                outcome = stuck.go_on()
            if outcome is not None:
                return outcome
            given = step()
    except BaseException as error:
        if isinstance(error, sandbox._passthrough):
            sandbox._held = True
            raise
        abandon(machine)
        if isinstance(error, NoLoop):  # a name that only this module knows
            raise RuntimeError(str(error)) from None
        raise
    finally:
        if together is not None:
            together.close()
        if held:
            machine.let_go()
        waiter.close()


#: The types of JSON: a handler that gave one of these is done.
_JSON_TYPES = frozenset((str, int, float, bool, type(None), dict, list))


def _answer_plain(
    sandbox: Core, machine: NativeMachine, given: CallData | None, waiter: Waiter
) -> tuple[Outcome | None, CallData | None]:
    """Answers calls as `_answer` does, for as long as each is nothing but a call of a tool's own
    function. Gives the run's outcome, or the call that is more than that, if there is one."""
    step, answer_and_step = machine.step, machine.resume_step
    outcome: Outcome | None = None
    tools: dict[str, Tool] = {}  # that are known to be such
    while given is not None:
        id, method, _, params_json, _, asks = given
        alone = sandbox._ledger is None and sandbox._budget is None and sandbox._deadline is None
        if asks or not alone:
            break
        tool = tools.get(method)
        if tool is None:
            tool = sandbox._tools.get(method)
            if tool is None or tool.handler is None or tool.timeout is not None or tool.concurrent:
                break
            tools[method] = tool
        try:
            params = parse(params_json)
            value = tool.call(params) if tool._decoders else tool.handler(**params)  # type: ignore[misc]
            if type(value) not in _JSON_TYPES and hasattr(value, "__await__"):
                value = settled(sandbox._call(given), value, waiter, None)
        except NoLoop:
            raise
        except Exception as error:
            outcome, given = fail(sandbox, id, method, error), None
        else:
            outcome, given = _succeed_and_step(sandbox, answer_and_step, id, method, value)
        if outcome is not None:
            break
        if given is None:
            given = step()
    return outcome, given


def _succeed_and_step(
    sandbox: Core, answer_and_step: Any, id: int, method: str, value: Any
) -> tuple[Outcome | None, CallData | None]:
    """As `succeed`, with the next call if there is one at once."""
    if type(value) not in _JSON_TYPES:
        return succeed(sandbox, id, method, value), None
    text = ""
    try:
        text = answer.to_json(value)
        given: tuple[Outcome | None, CallData | None] = answer_and_step(id, text)
        return given
    except ValueError:
        if text and json_refusal(text) is None:
            raise
        return succeed(sandbox, id, method, value), None  # it says what is wrong


def _may_be_one_of_several(sandbox: Core, given: CallData) -> bool:
    tool = sandbox._tools.get(given[1])
    if tool is None or not tool.concurrent or given[5]:
        return False
    shared = sandbox._ledger is not None or sandbox._budget is not None
    return tool.timeout is None and not shared and sandbox._deadline is None


_NOBODY = contextlib.nullcontext()


def inside(sandbox: Core, id: int) -> AbstractContextManager[object]:
    """Around the time in which a call's handler is asked: for who watches the sandbox."""
    around = getattr(sandbox._machine, "inside", None)
    watched: AbstractContextManager[object] = _NOBODY if around is None else around(id)
    return watched


def ask(sandbox: Core, call: Call, asynchronous: bool = False) -> Any:
    """Calls the handler of a call, with the arguments as they were checked, whatever somebody did to
    ``call.params`` since; what it gives may be awaitable."""
    params = parse(call.params_json)
    tool = sandbox._tools.get(call.method)
    if tool is not None and tool.handler is not None:
        return tool.acall(params) if asynchronous else tool.call(params)
    if sandbox._tool_handler is not None:
        return sandbox._tool_handler(call.method, params)
    raise LookupError(f"{call.method} has no handler")


def admit(sandbox: Core, call: Call) -> None:
    """Spends of the run's budget and of what several sandboxes have together; `ToolError` when
    there is none left."""
    if sandbox._budget is not None:
        sandbox._budget.admit(call)
    if sandbox._ledger is not None:
        sandbox._ledger.admit(call)


def approval(sandbox: Core, call: Call) -> Any:
    """What the embedder says to a call that has to be approved; may be awaitable. It gets a call of
    its own: what it does to that changes nothing of the one that is made."""
    if sandbox._approve is None:
        raise ToolError(
            f"{call.method} is denied: it needs approval, and nobody is here to give it", "denied"
        )
    return sandbox._approve(call.twin())


def time_limit(sandbox: Core, call: Call) -> float | None:
    """Seconds that the handler may take."""
    tool = sandbox._tools.get(call.method)
    seconds = None if tool is None else tool.timeout
    if sandbox._deadline is None:
        return seconds
    left = sandbox._deadline.left()
    return left if seconds is None else min(seconds, left)


def timed_out(call: Call, seconds: float) -> ToolError:
    return ToolError(f"{call.method} gave no answer within {seconds:g} s", "timeout")


def fail(sandbox: Core, id: int, method: str, error: Exception) -> Outcome | None:
    """Lets the guest have an exception; the log has the rest of it. One of ``passthrough`` is the
    embedder's, and so is one that says that the time of the run is over."""
    if isinstance(error, (*sandbox._passthrough, Expired)):
        raise error
    if sandbox._deadline is not None:
        sandbox._deadline.left()
    log.info("tool %s failed", method, exc_info=error)
    kind, text = answer.failure(error, sandbox._hide_tool_errors)
    return sandbox._machine.fail(id, kind, text)


def succeed(sandbox: Core, id: int, method: str, value: Any) -> Outcome | None:
    """Answers with what a handler gave; a value that is not JSON fails the call. A branch of a
    preview takes the sandbox's place."""
    if isinstance(value, InPlace):
        return value.take_as_answer()
    text = ""
    try:
        text = answer.encode(method, value)
        return sandbox._machine.resume(id, text)
    except ValueError as error:
        why = str(error)
        if text:  # Python found it good: did the engine refuse it, or is this somebody else's?
            refused = json_refusal(text)
            if refused is None:
                raise
            why = answer.not_json(method, refused)
    log.info("%s", printable(why))
    return sandbox._machine.fail(id, 0, why)


def _answer(sandbox: Core, given: CallData, waiter: Waiter) -> Outcome | None:
    id, method, _, params_json, _, asks = given
    tool = sandbox._tools.get(method)
    careful = (
        asks
        or sandbox._ledger is not None
        or sandbox._deadline is not None
        or sandbox._budget is not None
    )
    if tool is None or tool.handler is None or tool.timeout is not None or careful:
        return _answer_with_care(sandbox, sandbox._call(given), waiter)
    try:
        with inside(sandbox, id):
            params = parse(params_json)
            value = tool.call(params) if tool._decoders else tool.handler(**params)
            if hasattr(value, "__await__"):
                value = settled(sandbox._call(given), value, waiter, None)
    except NoLoop:
        raise
    except Exception as error:
        return fail(sandbox, id, method, error)
    return succeed(sandbox, id, method, value)


def handled(
    sandbox: Core, call: Call, waiter: Waiter, known: Callable[[Call], Any] | None = None
) -> Any:
    """What the embedder's handler says to a call that may be made: admitted, approved, in time. What
    is ``known`` of it, unless that is None, is said instead of asking the handler."""
    admit(sandbox, call)
    if call.ask:
        said = settled(call, approval(sandbox, call), waiter, None, "approve")
        if said is not True:
            from .previewing import approved, do

            return do(sandbox, approved(sandbox, call, said), waiter)
    answer_known = None if known is None else known(call)
    if answer_known is not None:
        return answer_known
    return asked_in_time(sandbox, call, waiter)


def asked_in_time(sandbox: Core, call: Call, waiter: Waiter) -> Any:
    """What the handler gives within its time."""
    seconds = time_limit(sandbox, call)
    value = ask(sandbox, call) if seconds is None else _in_time(sandbox, call, seconds)
    return settled(call, value, waiter, seconds)


def _answer_with_care(sandbox: Core, call: Call, waiter: Waiter) -> Outcome | None:
    """A call that is not just a call of a tool's own function."""
    try:
        with inside(sandbox, call.id):
            value = handled(sandbox, call, waiter)
    except NoLoop:
        raise
    except Exception as error:
        return fail(sandbox, call.id, call.method, error)
    return succeed(sandbox, call.id, call.method, value)


def settled(call: Call, value: Any, waiter: Waiter, seconds: float | None, what: str = "") -> Any:
    if not hasattr(value, "__await__"):
        return value
    waiter.prepare(what or f"the handler of {call.method}", value)
    return waiter.wait(call, value, seconds)


def _in_time(sandbox: Core, call: Call, seconds: float) -> Any:
    """A handler with a time limit runs in a thread, which nobody can stop: it is left behind."""
    import contextvars
    import threading

    answers: list[tuple[bool, Any]] = []

    def work() -> None:
        try:
            answers.append((True, ask(sandbox, call)))
        except BaseException as error:
            answers.append((False, error))

    context = contextvars.copy_context()
    thread = threading.Thread(
        target=context.run, args=(work,), name=f"pinfold {call.method}", daemon=True
    )
    thread.start()
    thread.join(min(seconds, threading.TIMEOUT_MAX))
    if not answers:
        raise timed_out(call, seconds)
    good, value = answers[0]
    if not good:
        raise value
    return value


class InPlace:
    """What is done instead of answering a call."""

    def take_as_answer(self) -> Outcome | None:
        raise NotImplementedError


class NoLoop(RuntimeError):
    """The embedder's mistake, not the handler's: it ends the run."""


class Waiter:
    """An event loop for the async handlers of a synchronous run, made when one is met."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def prepare(self, what: str, value: Any) -> None:
        import asyncio

        if asyncio._get_running_loop() is not None:
            if hasattr(value, "close"):
                value.close()
            raise NoLoop(
                f"{what} is async and an event loop runs in this thread:"
                " use `await sandbox.arun(...)`"
            )
        if self._runner is None:
            self._runner = asyncio.Runner()

    def wait(self, call: Call, value: Awaitable[Any], seconds: float | None) -> Any:
        async def waited() -> Any:
            if seconds is None:
                return await value
            import asyncio

            try:
                return await asyncio.wait_for(asyncio.ensure_future(value), seconds)
            except TimeoutError:
                raise timed_out(call, seconds) from None

        import contextvars

        assert self._runner is not None
        # In the context of this call, as a handler that is not async is; not in the runner's.
        return self._runner.run(waited(), context=contextvars.copy_context())

    def close(self) -> None:
        if self._runner is not None:
            self._runner.close()


class Stuck:
    """A run that is on, with no call to answer: it sleeps, or waits for what nobody will do."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._attempts = 0

    def go_on(self) -> Outcome | None:
        wait = self._machine.wait_ns()
        if wait is not None:
            time.sleep(wait / 1e9)
        else:
            self._attempts += 1
            if self._attempts > 3:
                raise SandboxStateError(
                    "the run waits for something that cannot happen any more"
                    " (a FIFO that nobody opens?)"
                )
            self._machine.interrupt()
        return self._machine.advance()


def abandon(machine: Any) -> None:
    """Ends a run that its embedder gave up: interrupts the guest, fails what it still asks for.
    A process that goes on for a second after that is killed; at once when an exception (Ctrl-C)
    comes."""
    try:
        unwatched: Machine = getattr(machine, "unwatched", machine)
        if not unwatched.running():
            return
    except PinfoldError:  # it is closed or dead, and so is its run
        return
    unwatched.stop()
    for turn in range(2000):  # a script may catch the interrupt and call on
        try:
            if turn == 1000:
                unwatched.kill()
            unanswered = unwatched.pending()
            if unanswered:
                unwatched.fail(unanswered[0][0], 0, "interrupted")
            else:
                unwatched.advance()
            if not unwatched.running():
                break
        except PinfoldError:
            raise
        except BaseException:  # the run ends with the exception that came first
            unwatched.kill()
    if unwatched is not machine:
        machine.abandoned()
