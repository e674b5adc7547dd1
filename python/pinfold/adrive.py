"""The loop of ``arun()``: the guest in a thread, handlers concurrently on the event loop.

The task that awaits a run may be cancelled, more than once, and its event loop may be closed under
it. In each case the guest is stopped before anybody else gets the sandbox: `Hold` sees to it.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections import deque

from . import threads
from .drive import (
    Stuck,
    abandon,
    admit,
    approval,
    ask,
    fail,
    inside,
    succeed,
    time_limit,
    timed_out,
)
from .errors import ToolError
from .output import BytesOutput, TextOutput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from ._native import Outcome
    from .call import Call
    from .core import Core


class Hold:
    """The time that a sandbox is in use by a coroutine, as `sandbox._Entered` is for a thread.

    When the coroutine is given up by its event loop (closed in the middle of it), or collected,
    `left_behind` ends the run and sets the sandbox free.
    """

    def __init__(self, sandbox: Core, run: bool = False) -> None:
        self._sandbox = sandbox
        self._run = run
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._driving = False  # a thread is with the guest
        self._orphan = False  # no coroutine will end this
        self._free = threading.Event()
        #: What ``on_output`` raised: it ends the run.
        self.failure: BaseException | None = None

    def __enter__(self) -> Hold:
        self._sandbox._claim(self._run, self)
        self._sandbox._hold = self
        return self

    def __exit__(self, kind: type[BaseException] | None, *exc_info: object) -> None:
        if kind is not None and issubclass(kind, GeneratorExit):
            self._hand_over()
        elif not self._orphan:
            self._release()

    def stop(self, failure: BaseException) -> None:
        """The run is to end, and to raise this."""
        if self.failure is None:
            self.failure = failure
            self._sandbox._machine.stop()

    async def offload(self, function: Callable[..., Any], *args: Any) -> Any:
        """Drives the guest in a thread, see `offload`."""
        self._driving = True
        value = await _offload(self._sandbox, self._loop, self._driven, function, args)
        if self.failure is not None:
            raise self.failure
        return value

    async def abandon(self) -> None:
        """Ends a run that is given up; not before that is done."""
        self._driving = True
        machine = self._sandbox._machine
        await _offload(self._sandbox, self._loop, self._driven, abandon, (machine,))

    def left_behind(self) -> bool:
        """Did its event loop go away? Then it is free when this returns."""
        if not self._orphan and not self._loop.is_closed():
            return False
        self._hand_over()
        self._free.wait()
        return True

    def _hand_over(self) -> None:
        with self._lock:
            if self._orphan or self._free.is_set():
                return
            self._orphan = True
            driving = self._driving
        if driving:
            self._sandbox._machine.stop()  # its thread does the rest
        else:
            threads.submit(self._end)

    def _driven(self, settled: Callable[[], None]) -> None:
        """In the thread that drove the guest: tells the loop, or ends it all if there is none."""
        with self._lock:
            self._driving = False
            if not self._orphan:
                try:
                    self._loop.call_soon_threadsafe(settled)
                    return
                except RuntimeError:  # it was closed
                    self._orphan = True
        self._end()

    def _end(self) -> None:
        try:
            abandon(self._sandbox._machine)
        except Exception:
            pass  # the machine is dead, which whoever comes next is told
        finally:
            self._release()

    def _release(self) -> None:
        with self._lock:
            if self._free.is_set():
                return
            self._sandbox._hold = None
            self._sandbox._machine.unclaim(self)
            self._free.set()


class LoopOutput(TextOutput):
    """Output that comes in another thread, for a function that is called on the event loop."""

    def __init__(self, on_output: Callable[[Any, str], object]) -> None:
        super().__init__(on_output)
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._later: deque[tuple[Any, str]] = deque()
        self._telling: asyncio.Task[None] | None = None  # of a piece that is awaited
        self.hold: Hold | None = None

    def emit(self, text: Any, stream: str) -> None:
        try:
            self._loop.call_soon_threadsafe(self._emit, text, stream, context=self._context)
        except RuntimeError:
            pass  # the loop was closed: nobody listens

    def _emit(self, text: Any, stream: str) -> None:
        if self._telling is not None:
            self._later.append((text, stream))
            return
        if self.hold is None or self.hold.failure is not None:
            return
        try:
            answer = self._on_output(text, stream)
        except BaseException as error:
            self._failed(error)
        else:
            if hasattr(answer, "__await__"):
                self._telling = asyncio.ensure_future(self._tell(answer))

    async def _tell(self, answer: Awaitable[object]) -> None:
        """Awaits what an async function gave; meanwhile output waits, so that its order stays."""
        try:
            await answer
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self._later.clear()
            self._failed(error)
        finally:
            self._telling = None
        while self._later and self._telling is None:
            self._emit(*self._later.popleft())

    def _failed(self, error: BaseException) -> None:
        assert self.hold is not None
        self.hold.stop(error)
        if isinstance(error, (SystemExit, KeyboardInterrupt)):
            raise error

    async def complete(self) -> None:
        """On the loop, when all output has come: it is told when this returns."""
        self.emit = self._emit  # type: ignore[method-assign]
        self.finish()
        while self._telling is not None:
            await asyncio.wait([self._telling])
        if self.hold is not None and self.hold.failure is not None:
            raise self.hold.failure

    def end(self) -> None:
        """The run is over, perhaps given up: nobody is told any more."""
        self.hold = None
        self._later.clear()
        if self._telling is not None:
            with contextlib.suppress(RuntimeError):  # the loop was closed
                self._telling.cancel()


class LoopBytes(LoopOutput):
    """The same with bytes."""

    __call__ = BytesOutput.__call__


def loop_listener(on_output: Any, binary: bool) -> LoopOutput:
    return (LoopBytes if binary else LoopOutput)(on_output)


async def offload(sandbox: Core, function: Callable[..., Any], *args: Any) -> Any:
    """Runs something that drives the guest in a thread. Cancelling stops the guest, and is over
    only then."""
    loop = asyncio.get_running_loop()
    return await _offload(sandbox, loop, _tell(loop), function, args)


async def _offload(
    sandbox: Core,
    loop: asyncio.AbstractEventLoop,
    done: Callable[[Callable[[], None]], None],
    function: Callable[..., Any],
    args: tuple[Any, ...],
) -> Any:
    future = _in_thread(loop, done, function, *args)
    return await _settled(future, lambda: sandbox._machine.stop())


async def in_thread(function: Callable[[], Any], stop: Callable[[], object] | None = None) -> Any:
    """What a function gives. Cancelling stops it, and is over only when it has ended: what it works
    with is closed then."""
    loop = asyncio.get_running_loop()
    future = _in_thread(loop, _tell(loop), function)
    return await _settled(future, stop)


async def _settled(future: asyncio.Future[Any], stop: Callable[[], object] | None) -> Any:
    """What a future gives. Cancelling calls `stop`, and is over only when the future is done."""
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait([future])  # which does not cancel it
        except asyncio.CancelledError as error:
            cancelled = error
            if stop is not None:
                stop()
    if cancelled is not None:
        future.exception()  # seen: nothing may warn about it
        raise cancelled
    return future.result()


def _tell(loop: asyncio.AbstractEventLoop) -> Callable[[Callable[[], None]], None]:
    def tell(settled: Callable[[], None]) -> None:
        try:
            loop.call_soon_threadsafe(settled)
        except RuntimeError:
            pass  # the loop was closed: nobody waits

    return tell


def _in_thread(
    loop: asyncio.AbstractEventLoop,
    done: Callable[[Callable[[], None]], None],
    function: Callable[..., Any],
    *args: Any,
) -> asyncio.Future[Any]:
    """``done`` is called in the thread, with what has to be called on the loop."""
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()  # who asks: spans of OpenTelemetry get their parent by it

    def work() -> None:
        value, failure = None, None
        try:
            value = context.run(function, *args)
        except BaseException as error:
            failure = error

        def settled() -> None:
            if future.cancelled():
                return
            if failure is None:
                future.set_result(value)
            elif isinstance(failure, StopIteration):  # a future takes none
                future.set_exception(RuntimeError(f"{type(failure).__name__}: {failure}"))
            else:
                future.set_exception(failure)

        done(settled)

    threads.submit(work)
    return future


async def arun(hold: Hold, sandbox: Core, *start: Any) -> Outcome:
    """Starts a run and answers its calls until it is complete."""
    try:
        outcome = await hold.offload(sandbox._begin, *start)
    except GeneratorExit:
        raise
    except BaseException:
        await hold.abandon()
        raise
    return await adrive(hold, sandbox) if outcome is None else outcome


async def adrive(hold: Hold, sandbox: Core) -> Outcome:
    """Answers the calls of the run that is on, concurrently, until it is complete."""
    machine = sandbox._machine
    outcome: Outcome | None = None
    tasks: dict[asyncio.Task[Any], Call] = {}
    sandbox._tasks, sandbox._adopting = tasks, False
    rest = sandbox._resting = asyncio.Lock()
    stuck = Stuck(machine)
    try:
        while outcome is None:
            async with rest:
                _take_calls(sandbox, tasks)
            if not tasks:
                async with rest:
                    outcome = await hold.offload(stuck.go_on)
                continue
            wait = machine.wait_ns()
            timeout = None if wait is None else wait / 1e9
            done, _ = await asyncio.wait(
                tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:  # a sleeping process is due
                async with rest:
                    outcome = await hold.offload(machine.advance)
            for task in done:
                call = tasks.pop(task)
                if outcome is None:
                    async with rest:
                        outcome = await hold.offload(_answer, sandbox, call, task)
    except GeneratorExit:  # nothing can be awaited any more
        with contextlib.suppress(RuntimeError):  # the loop was closed
            for task in tasks:
                task.cancel()
        tasks.clear()
        raise
    except BaseException as error:
        if isinstance(error, sandbox._passthrough):
            sandbox._held = True
        else:
            await hold.abandon()
        raise
    finally:
        await _cancel(tasks)
        sandbox._resting = None
    return outcome


def _take_calls(sandbox: Core, tasks: dict[asyncio.Task[Any], Call]) -> None:
    """Starts the handler of every unanswered call that has no task yet."""
    while sandbox._machine.step() is not None:
        pass  # handed out: `pending` has them
    known = {call.id for call in tasks.values()}
    for given in sandbox._machine.pending():
        if given[0] not in known:
            call = sandbox._call(given)
            with inside(sandbox, call.id):  # the task has a copy of this context
                task = asyncio.ensure_future(_ask(sandbox, call))
            tasks[task] = call


async def _ask(sandbox: Core, call: Call) -> Any:
    try:
        admit(sandbox, call)
        while call.ask:
            said = approval(sandbox, call)
            said = await said if hasattr(said, "__await__") else said
            if said is True:
                break
            from .previewing import AGAIN, say

            value = await say(sandbox, call, said)
            if value is not AGAIN:
                return value
        value = await asked(sandbox, call)
    except Exception:
        await undisturbed(sandbox)
        raise
    await undisturbed(sandbox)
    return value


async def undisturbed(sandbox: Core) -> None:
    """No branch of a preview is about to take the sandbox's place, which would be outdated then."""
    while sandbox._adopting:
        await asyncio.sleep(0.001)


async def asked(sandbox: Core, call: Call) -> Any:
    """What the handler gives within its time."""
    seconds = time_limit(sandbox, call)
    if seconds is None and sandbox._in_time:
        return await _ask_in_thread(sandbox, call)
    if seconds is None:
        value = ask(sandbox, call, asynchronous=True)
        return await value if hasattr(value, "__await__") else value
    try:
        return await asyncio.wait_for(_ask_in_thread(sandbox, call), seconds)
    except TimeoutError:
        raise timed_out(call, seconds) from None


async def _ask_in_thread(sandbox: Core, call: Call) -> Any:
    """A handler with a time limit: a sync one must not hold up the loop that has to end it."""
    tool = sandbox._tools.get(call.method)
    if tool is None or tool.is_async or tool.handler is None:
        value = ask(sandbox, call, asynchronous=True)
    else:
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        value = await _in_thread(loop, _tell(loop), context.run, ask, sandbox, call)
    return await value if hasattr(value, "__await__") else value


def _answer(sandbox: Core, call: Call, task: asyncio.Task[Any]) -> Outcome | None:
    if task.cancelled():
        return fail(sandbox, call.id, call.method, ToolError("cancelled"))
    if call.id not in sandbox._machine.pending_ids():
        return sandbox._machine.advance()  # the script gave it up, or a preview has answered it
    error = task.exception()
    if error is None:
        return succeed(sandbox, call.id, call.method, task.result())
    if isinstance(error, Exception):
        return fail(sandbox, call.id, call.method, error)
    raise error


async def _cancel(tasks: dict[asyncio.Task[Any], Call]) -> None:
    """The run is over: nobody waits for these handlers any more."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.gather(*tasks, return_exceptions=True)
