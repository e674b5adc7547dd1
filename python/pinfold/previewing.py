"""`Sandbox.preview`, and how what a preview needs is done: by a thread, or by a coroutine."""

from __future__ import annotations

from .call import parse
from .choices import NOTHING, Edit, Give, No, Yes
from .core import Core
from .errors import SandboxBusy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from .adopting import Accepted, Adoption
    from .call import Call
    from .choices import Choice
    from .drive import Waiter
    from .preview import Branch, Preview
    from .steps import Steps

#: How long a preview of a run of ``arun()`` waits for handlers of other calls, which are on.
_QUIET_SECONDS = 30.0


class Previewing(Core):
    """The part of `Sandbox` that shows what would come of an answer."""

    def preview(
        self,
        call: Call,
        answers: Iterable[Any] = (True, False),
        *,
        seconds: float = 5.0,
        calls: int = 100,
    ) -> Preview:
        """What would come of each of these answers to a call that waits: the files, the output and
        the calls that would follow, up to the next one that could change something outside.

        ``answers`` are True, False, a text that says why not, a dict of other arguments, or
        `pinfold.choices.Yes`, ``Edit``, ``No`` and ``Give``. Nothing outside is changed by looking:
        a handler is called only if its tool says that it is ``pure``, else ``simulate`` is asked,
        and a tool with neither is a call at which a branch stops. ``seconds`` is what the guest of
        one branch may take, ``calls`` how many pure tools it may call. Capabilities, budgets and
        limits hold in each branch, and are the sandbox's when one is accepted, not before.

        `Branch.accept` lets the sandbox be that branch, without running anything again; in
        ``approve`` return the branch. A program that is parked in a synchronous wait cannot be
        copied: `SandboxStateError` names it. With ``isolation="process"`` each branch has a worker,
        and a sandbox that is recorded has no previews: that is a ``ValueError``.

        >>> def pay(amount: int) -> str:
        ...     raise AssertionError("nobody is called for a preview")
        >>> tool = Tool.from_function(pay, simulate=lambda amount: "paid")
        >>> asking = [MethodCapability("pay", ask=True)]
        >>> with Sandbox(tools=[tool], capabilities=asking) as sandbox:
        ...     sandbox.start("pay --amount 5 --raw > receipt && echo done || echo no deal")
        ...     with sandbox.preview(sandbox.step()) as preview:
        ...         [(branch.label, branch.stdout) for branch in preview]
        ...         preview["yes"].changes[0].diff
        [('yes', 'done\\n'), ('no', 'no deal\\n')]
        '@@ -0,0 +1 @@\\n+paid'
        """
        preview = _make(self, call, answers, seconds, calls)
        try:
            do(self, preview.explore())
        except BaseException:
            preview.close()
            raise
        return preview

    async def apreview(
        self,
        call: Call,
        answers: Iterable[Any] = (True, False),
        *,
        seconds: float = 5.0,
        calls: int = 100,
    ) -> Preview:
        """As `preview`, with guests in worker threads and handlers on this event loop. In a run of
        ``arun()`` it waits until the handlers of other calls have answered, and the script gets no
        answer while it is made, so that the sandbox does not go on meanwhile."""
        from contextlib import nullcontext

        await _quiet(self)
        async with self._resting or nullcontext():
            preview: Preview = await _rested(
                self, lambda: _make(self, call, answers, seconds, calls)
            )
            try:
                await ado(self, preview.explore())
            except BaseException:
                preview.close()
                raise
        return preview


def _make(sandbox: Core, call: Call, answers: Iterable[Any], seconds: float, calls: int) -> Preview:
    from .call import Call
    from .preview import Preview

    if not isinstance(call, Call) or call._sandbox is not sandbox:
        raise ValueError(f"a preview is of a call that waits in this sandbox, not {call!r}")
    for name, value, kinds in (("seconds", seconds, (int, float)), ("calls", calls, (int,))):
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise TypeError(f"{name} is a number, not {value!r}")
    if not 0 < seconds <= 86400 or calls < 0:
        raise ValueError("seconds is above 0 and at most a day, calls is not negative")
    if isinstance(answers, (str, bytes)) or not hasattr(answers, "__iter__"):
        raise TypeError(f"answers is a list of answers, not {answers!r}")
    return Preview(sandbox, call, answers, float(seconds), calls)


# ------------------------------------------------------------------ by a thread


def do(sandbox: Core, steps: Steps, waiter: Waiter | None = None) -> Any:
    """Does what the steps yield, in this thread; gives what they return."""
    from .drive import NoLoop, Waiter

    own = Waiter() if waiter is None else None
    given: Any = None
    failed: BaseException | None = None
    try:
        while True:
            step = steps.send(given) if failed is None else steps.throw(failed)
            given = failed = None
            try:
                given = _done(sandbox, step, waiter or own)
            except NoLoop:
                raise RuntimeError(
                    "a handler is async and an event loop runs in this thread: use `await"
                    " call.apreview(...)`, or `await branch.aaccept()`"
                ) from None
            except Exception as error:
                failed = error
    except StopIteration as end:
        return end.value
    finally:
        steps.close()
        if own is not None:
            own.close()


def _done(sandbox: Core, step: Any, waiter: Any) -> Any:
    from .drive import asked_in_time, settled
    from .steps import Guest, Handler, Resting

    if isinstance(step, (Guest, Resting)):
        return step.function()
    if isinstance(step, Handler):
        return asked_in_time(sandbox, step.call, waiter)
    value = step.tool.simulated(parse(step.call.params_json))
    return settled(step.call, value, waiter, step.tool.timeout, f"simulate of {step.tool.name}")


def accept(branch: Branch, result: Any) -> Accepted:
    sandbox = branch._preview.sandbox
    with sandbox._entered():
        adoption: Adoption = do(sandbox, branch.commit(result, False))
        accepted, outcome = adoption.take()
        sandbox._count(outcome)
    return accepted


# ------------------------------------------------------------------ by a coroutine


async def ado(sandbox: Core, steps: Steps) -> Any:
    given: Any = None
    failed: BaseException | None = None
    try:
        while True:
            step = steps.send(given) if failed is None else steps.throw(failed)
            given = failed = None
            try:
                given = await _adone(sandbox, step)
            except Exception as error:
                failed = error
    except StopIteration as end:
        return end.value
    finally:
        steps.close()


async def _adone(sandbox: Core, step: Any) -> Any:
    from .adrive import asked, in_thread
    from .steps import Guest, Handler, Resting

    if isinstance(step, Guest):
        return await in_thread(step.function, step.stop)
    if isinstance(step, Resting):
        return await _rested(sandbox, step.function)
    if isinstance(step, Handler):
        return await asked(sandbox, step.call)
    value = step.tool.simulated(parse(step.call.params_json))
    return await value if hasattr(value, "__await__") else value


async def aaccept(branch: Branch, result: Any) -> Accepted:
    from .adrive import Hold

    sandbox = branch._preview.sandbox
    with Hold(sandbox) as hold:
        adoption: Adoption = await ado(sandbox, branch.commit(result, False))
        accepted: Accepted
        accepted, outcome = await hold.offload(adoption.take)
        sandbox._count(outcome)
    return accepted


async def _quiet(sandbox: Core) -> None:
    """No handlers are on but of calls that somebody is asked about, and the guest rests."""
    import asyncio

    tasks = sandbox._tasks
    end = asyncio.get_running_loop().time() + _QUIET_SECONDS
    while any(not call.ask for call in tasks.values()):
        if asyncio.get_running_loop().time() > end:
            return
        await _a_moment()


async def _rested(sandbox: Core, function: Callable[[], Any]) -> Any:
    """What it gives when no thread is with the guest of a coroutine's run."""
    while True:
        try:
            return function()
        except SandboxBusy:
            if sandbox._hold is None:
                raise
            await _a_moment()


async def _a_moment() -> None:
    import asyncio

    await asyncio.sleep(0.001)


# ------------------------------------------------------------------ what approve said


#: Who was asked is to be asked again.
AGAIN: Any = object()


async def say(sandbox: Core, call: Call, said: Any) -> Any:
    """What ``approve`` said, where several calls may be on: one branch takes the sandbox's place
    after the other, and nothing else is answered meanwhile. A branch that is outdated by then
    gives `AGAIN`."""
    from .adrive import undisturbed
    from .preview import Branch

    if not isinstance(said, Branch):
        return await ado(sandbox, approved(sandbox, call, said))
    await undisturbed(sandbox)
    if not said._preview.closed and not await _rested(sandbox, lambda: said.current):
        return AGAIN
    sandbox._adopting = True
    try:
        return await ado(sandbox, approved(sandbox, call, said))
    except BaseException:
        sandbox._adopting = False
        raise


def approved(sandbox: Core, call: Call, said: Any) -> Steps:
    """What is done about a call of which ``approve`` did not just say True: gives its answer. Only
    a branch or a choice approves; a text says why not."""
    from .preview import Branch

    if isinstance(said, Branch):
        preview = said._preview
        if preview.sandbox is not sandbox or preview.call.id != call.id:
            raise ValueError("approve gave a branch that is of another call's preview")
        return said.commit(NOTHING, True)
    if not isinstance(said, (Yes, Edit, No, Give)):
        said = No(said if isinstance(said, str) else None)
    return _chosen(sandbox, call, said)


def _chosen(sandbox: Core, call: Call, choice: Choice) -> Steps:
    """A choice without a preview."""
    from .errors import ToolError
    from .steps import Handler, Resting, edited, edited_call

    if isinstance(choice, No):
        raise ToolError(f"{call.method} is denied: {choice.why or 'it was not approved'}", "denied")
    if isinstance(choice, Give):
        return choice.value
    if isinstance(choice, Edit):
        given = call
        call = yield Resting(lambda: edited_call(sandbox, given, choice))
        edited(sandbox, call)
    value = yield Handler(call)
    return value
