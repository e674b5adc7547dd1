"""The loop of ``arun()``: the guest in a worker thread, handlers concurrently on the event loop."""

from __future__ import annotations

import asyncio

from .drive import (
    Stuck,
    abandon,
    approval,
    ask,
    check_approval,
    fail,
    succeed,
    time_limit,
    timed_out,
)
from .errors import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._native import Outcome
    from .call import Call
    from .sandbox import Sandbox


async def offload(sandbox: Sandbox, function: Callable[..., Any], *args: Any) -> Any:
    """Runs something that drives the guest in a worker thread. Cancelling interrupts the guest,
    and is over only when the guest has stopped."""
    future = asyncio.get_running_loop().run_in_executor(None, function, *args)
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.shield(future)
        except asyncio.CancelledError as error:
            if future.cancelled():
                raise
            cancelled = error
            sandbox.interrupt()
        except Exception:
            break  # it is raised below
    if cancelled is not None:
        future.exception()  # seen: nothing may warn about it
        raise cancelled
    return future.result()


async def arun(sandbox: Sandbox, *start: Any) -> Outcome:
    """Starts a run and answers its calls until it is complete."""
    machine = sandbox._machine
    try:
        outcome = await offload(sandbox, machine.start, *start)
    except asyncio.CancelledError:
        await _abandon(sandbox)
        raise
    return await adrive(sandbox) if outcome is None else outcome


async def adrive(sandbox: Sandbox) -> Outcome:
    """Answers the calls of the run that is on, concurrently, until it is complete."""
    machine = sandbox._machine
    outcome: Outcome | None = None
    tasks: dict[asyncio.Task[Any], Call] = {}
    stuck = Stuck(machine)
    try:
        while outcome is None:
            _take_calls(sandbox, tasks)
            if not tasks:
                outcome = await offload(sandbox, stuck.go_on)
                continue
            wait = machine.wait_ns()
            timeout = None if wait is None else wait / 1e9
            done, _ = await asyncio.wait(
                tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:  # a sleeping process is due
                outcome = await offload(sandbox, machine.advance)
            for task in done:
                call = tasks.pop(task)
                if outcome is None:
                    outcome = await offload(sandbox, _answer, sandbox, call, task)
        return outcome
    except BaseException:
        await _abandon(sandbox)
        raise
    finally:
        await _cancel(tasks)


def _take_calls(sandbox: Sandbox, tasks: dict[asyncio.Task[Any], Call]) -> None:
    """Starts the handler of every unanswered call that has no task yet."""
    while sandbox._machine.step() is not None:
        pass  # handed out: `pending` has them
    known = {call.id for call in tasks.values()}
    for given in sandbox._machine.pending():
        if given[0] not in known:
            call = sandbox._call(given)
            tasks[asyncio.ensure_future(_ask(sandbox, call))] = call


async def _ask(sandbox: Sandbox, call: Call) -> Any:
    if call.ask:
        answer = approval(sandbox, call)
        check_approval(call, await answer if hasattr(answer, "__await__") else answer)
    seconds = time_limit(sandbox, call)
    if seconds is None:
        value = ask(sandbox, call, asynchronous=True)
        return await value if hasattr(value, "__await__") else value
    try:
        return await asyncio.wait_for(_ask_in_thread(sandbox, call), seconds)
    except TimeoutError:
        raise timed_out(call, seconds) from None


async def _ask_in_thread(sandbox: Sandbox, call: Call) -> Any:
    """A handler with a time limit: a sync one must not hold up the loop that has to end it."""
    tool = sandbox._tools[call.method]
    if tool.is_async or tool.handler is None:
        value = ask(sandbox, call, asynchronous=True)
    else:
        value = await asyncio.to_thread(ask, sandbox, call)
    return await value if hasattr(value, "__await__") else value


def _answer(sandbox: Sandbox, call: Call, task: asyncio.Task[Any]) -> Outcome | None:
    if task.cancelled():
        return fail(sandbox, call.id, call.method, ToolError("cancelled"))
    error = task.exception()
    if error is None:
        return succeed(sandbox, call.id, call.method, task.result())
    if isinstance(error, Exception):
        return fail(sandbox, call.id, call.method, error)
    raise error


async def _abandon(sandbox: Sandbox) -> None:
    await asyncio.get_running_loop().run_in_executor(None, abandon, sandbox._machine)


async def _cancel(tasks: dict[asyncio.Task[Any], Call]) -> None:
    """The run is over: nobody waits for these handlers any more."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.gather(*tasks, return_exceptions=True)
