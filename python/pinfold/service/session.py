"""One session: a sandbox, the run that is on, the calls that wait, and who listens.

Whatever is told to anybody was saved before: a call before it is handed out, an answer before it is
acknowledged, a result before it is given. A save that fails ends the session here; the one in the
store is from before, and nobody was told of what came after.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import time
from typing import TYPE_CHECKING, Any

from ..answer import to_json
from ..drive import abandon
from ..errors import (
    LeaseError,
    PinfoldError,
    SandboxDead,
    SandboxStateError,
    SnapshotError,
    StoreUnavailable,
)
from ..sandbox import Sandbox
from .problems import Problem
from .state import Pending, Run, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..leases import Lease
    from .config import Tenant
    from .models import Answer, RunSpec
    from .recording import Recording
    from .sessions import Sessions


class Session:
    """A session that is in memory. Its methods belong to the event loop; `lock` says whose turn it
    is, the sandbox works in threads."""

    def __init__(
        self,
        home: Sessions,
        tenant: Tenant,
        name: str,
        sandbox: Sandbox,
        lease: Lease,
        state: State,
        snapshot: int,
        recording: Recording | None,
    ) -> None:
        self.home, self.tenant, self.name = home, tenant, name
        self.sandbox, self.lease, self.state = sandbox, lease, state
        self.snapshot, self.recording = snapshot, recording
        self.lock = asyncio.Lock()
        self.run: Run | None = None
        self.touched = time.monotonic()
        self.ended: Problem | None = None  # it is not here any more, and why
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        if state.run is not None:
            self.run = Run(state.run, state.key)
            self.run.result = state.result
            if state.result is not None:
                self.run.close("done")

    @property
    def key(self) -> str:
        return f"{self.tenant.name}/{self.name}"

    # ------------------------------------------------------------------ runs

    async def start(self, spec: RunSpec) -> Run:
        """A new run, or the one that this key is about already."""
        async with self.turn():
            self._refuse_if_ended()
            if spec.key is not None and self.run is not None and self.run.key == spec.key:
                return self.run
            if self.run is not None and self.run.state != "done":
                raise await self._sure(409, "busy", f"run {self.run.number} is {self.run.state}")
            if self.home.running(self.tenant) >= self.tenant.runs:
                self.home.metrics.denials.labels("runs").inc()
                raise Problem(429, "quota", f"{self.tenant.runs} runs are on: try again later")
            last, before = self.run, self.state
            run = self.run = Run((before.run or 0) + 1, spec.key)
            self.state = State(before.spec, run.number, spec.key)
        self._task(self._begin(run, spec, last, before))
        return run

    async def _begin(self, run: Run, spec: RunSpec, last: Run | None, before: State) -> None:
        loop = asyncio.get_running_loop()

        def emit(text: str, stream: str) -> None:
            loop.call_soon_threadsafe(run.emit, "output", {"stream": stream, "text": text})

        def work() -> None:
            self.sandbox.start(
                spec.code,
                spec.language,
                spec.stdin,
                emit,
                spec.isolated,
                cwd=spec.cwd,
                env=spec.env,
            )

        async with self.turn():
            try:
                await self._drive(work)
            except (ValueError, TypeError, OSError) as error:  # of what was asked for: nothing ran
                if isinstance(error, SnapshotError):
                    raise
                self.run, self.state = last, before
                run.refuse(Problem(422, "invalid", str(error)))

    async def answer(
        self, id: int, given: Answer, approve: Callable[[], None] | None = None
    ) -> None:
        """Answers a call that waits; it is in the store when this returns. The same answer again
        changes nothing, another one is refused. ``approve`` raises when who answers may not
        approve; it is asked about the call that is answered, not one that waited before."""
        try:
            text = given.model_dump_json().encode()
        except ValueError as error:  # half of a pair of surrogates
            raise Problem(422, "invalid", f"the answer is no text: {error}") from None
        digest = hashlib.blake2b(text, digest_size=12).hexdigest()
        async with self.turn():
            self._refuse_if_ended()
            known = self.state.answered.get(id)
            if known is not None:
                if known == digest:
                    return
                why = f"call {id} was answered otherwise before"
                raise await self._sure(409, "answered", why)
            pending = None if self.run is None else self.run.calls.get(id)
            if pending is None:
                raise await self._sure(404, "no_call", f"no call {id} waits in this session")
            if pending.ask and given.deny is None and approve is not None:
                approve()
            call = next(c for c in self.sandbox.pending if c.id == id)
            if given.deny is not None:
                work: Callable[[], None] = lambda: call.deny(given.deny)  # noqa: E731
            elif given.error is not None:
                work = lambda: call.fail(given.error or "", given.code)  # noqa: E731
            else:
                try:
                    to_json(given.value)
                except ValueError as error:
                    raise Problem(422, "invalid", f"the answer: {error}") from None
                work = lambda: call.resume(given.value)  # noqa: E731
            self.state.answered[id] = digest
            try:
                await self._drive(work)
            except (ValueError, TypeError) as error:
                self.state.answered.pop(id, None)
                if isinstance(error, SnapshotError):
                    raise
                raise Problem(422, "invalid", f"the answer: {error}") from None
            outcome = (
                "denied" if given.deny is not None else "failed" if given.error else "answered"
            )
            self.home.metrics.calls.labels(outcome).inc()

    async def _sure(self, status: int, code: str, why: str) -> Problem:
        """A refusal, when what is in memory is the newest: else the session went on elsewhere."""
        if await self.home.is_ours(self):
            return Problem(status, code, why)
        await self.discard(Problem(409, "moved", "another server has taken the session over"))
        return self.ended or Problem(status, code, why)

    async def interrupt(self) -> None:
        """Ends the run that is on, as Ctrl-C does."""
        run = self.run
        if run is None or run.state == "done":
            raise await self._sure(409, "idle", "no run is on")
        if run.state == "running" and self.lock.locked():
            self.sandbox.interrupt()
            return
        async with self.turn():
            self._refuse_if_ended()
            if run.state != "done":
                await self._drive(lambda: abandon(self.sandbox._machine))

    # ------------------------------------------------------------------ driving

    async def _drive(self, work: Callable[[], object]) -> None:
        """Lets the guest run until it has ended or waits for answers, and saves that. Whoever calls
        holds the lock to its end, also when the client goes away meanwhile."""
        run = self.run
        assert run is not None
        run.state = "running"
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        machine = self.sandbox._machine
        attempts = 0
        try:
            await self.home.work(work)
            while machine.running() and not await self.home.work(self._handed_out):
                wait = machine.wait_ns()
                if wait is None:
                    attempts += 1
                    if attempts > 3:
                        abandon(machine)
                    else:
                        machine.interrupt()
                else:
                    await asyncio.sleep(wait / 1e9)
                await self.home.work(machine.advance)
            self._note(run)
            await self.save()
            await self._keep_trace(run)
        except SandboxDead as error:
            await self.discard(Problem(500, "sandbox_dead", f"{error}; it is as it was before"))
            raise self.ended or error from error
        except (LeaseError, SnapshotError, SandboxStateError) as error:
            await self.discard(store_problem(error))
            raise self.ended or error from error
        self._publish(run)

    def _handed_out(self) -> bool:
        """Are there calls that wait?"""
        while self.sandbox.step() is not None:
            pass
        return bool(self.sandbox.pending)

    def _note(self, run: Run) -> None:
        """What the state says of the run, before it is saved."""
        result = self.sandbox.result
        if result is not None:
            run.result = self.state.result = describe(result)
            self.state.since = {}
            return
        now = self.home.clock()
        since = self.state.since
        self.state.since = {call.id: since.get(call.id, now) for call in self.sandbox.pending}

    def _publish(self, run: Run) -> None:
        """What was saved is told."""
        self.touched = time.monotonic()
        if run.result is not None:
            run.calls = {}
            run.emit("result", run.result)
            run.close("done")
            self.home.metrics.runs.labels("ok" if run.result["ok"] else "failed").inc()
            return
        before, run.calls = run.calls, {}
        for call in self.sandbox.pending:
            since = self.state.since.get(call.id, self.home.clock())
            pending = Pending(call.id, call.method, call.params, call.ask, since)
            run.calls[call.id] = pending
            if call.id not in before:
                run.emit("call", pending.body())
                self.home.hand_out(self, pending)
        run.state = "waiting"
        run.emit("waiting", {"calls": len(run.calls)})
        self._set_timer()

    def _set_timer(self) -> None:
        """For what ends by itself: a process that sleeps, a call that nobody answers."""
        run, due = self.run, []
        wait = self.sandbox._machine.wait_ns()
        if wait is not None:
            due.append(wait / 1e9)
        seconds = self.tenant.call_seconds
        if seconds is not None and run is not None:
            due += [p.since + seconds - self.home.clock() for p in run.calls.values()]
        if due:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(min(due), 0), lambda: self._task(self._due()))

    async def _due(self) -> None:
        from .models import Answer

        run, seconds = self.run, self.tenant.call_seconds
        if run is None or self.ended is not None:
            return
        if seconds is not None:
            for pending in [*run.calls.values()]:
                if pending.since + seconds <= self.home.clock():
                    why = f"{pending.method} gave no answer within {seconds:g} s"
                    with contextlib.suppress(Problem):  # it came after all
                        await self.answer(pending.id, Answer(error=why, code="timeout"))
                    return
        async with self.turn():
            if self.ended is None and run.state == "waiting":
                await self._drive(self.sandbox._machine.advance)

    async def awake(self) -> None:
        """After it came from the store: its run is told again, with what waits."""
        async with self.turn():
            machine = self.sandbox._machine
            run = self.run
            if run is None or run.result is not None or not machine.running():
                if run is not None and run.result is None and self.sandbox.result is not None:
                    await self._drive(lambda: None)  # denied calls let it end
                return
            if self.sandbox.pending:
                run.state = "running"
                self._publish(run)
            else:
                await self._drive(lambda: None)

    # ------------------------------------------------------------------ the store

    async def save(self) -> None:
        """As it is, under its lease."""
        label = self.state.text(self.home.key, self.tenant.name)
        with self.home.metrics.save.time():
            self.snapshot = await self.home.work(
                lambda: self.home.store.save(self.key, self.sandbox, label, lease=self.lease)
            )

    async def _keep_trace(self, run: Run) -> None:
        """A trace that is kept late is no reason to lose a run."""
        recording = self.recording
        if recording is None:
            return
        if await self.home.work(recording.ripe):
            settings, new = self.home.settings(self.tenant, self.state.spec)
            try:
                sandbox = await self.home.work(
                    lambda: self.home.store.load(self.snapshot, **settings)
                )
            except BaseException:
                if new is not None:
                    new.drop()
                raise
            old, self.sandbox, self.recording = self.sandbox, sandbox, new
            await self.home.work(lambda: self._shut(old, recording))
        elif run.result is not None:
            try:
                await self.home.work(lambda: recording.keep(self.home.store, self.key))
            except (PinfoldError, OSError) as error:
                self.home.log.warning("the trace of %s was not kept: %s", self.key, error)

    async def change(self, work: Callable[[Sandbox], Any]) -> Any:
        """Does something to an idle sandbox, which is then saved."""
        async with self.turn():
            self._refuse_if_ended()
            self._refuse_while_on()
            value = await self.home.work(lambda: work(self.sandbox))
            try:
                await self.save()
            except (LeaseError, SnapshotError) as error:
                await self.discard(store_problem(error))
                raise self.ended or error from error
            return value

    async def look(self, work: Callable[[Sandbox], Any]) -> Any:
        async with self.turn():
            self._refuse_if_ended()
            return await self.home.work(lambda: work(self.sandbox))

    def _refuse_while_on(self) -> None:
        if self.sandbox._machine.running():
            raise Problem(409, "busy", "a run is on: its files are its own until it ends")

    async def suspend(self) -> bool:
        """Out of memory, unless somebody is at it. All of it is in the store already."""
        if self.lock.locked():
            return False
        async with self.lock:
            with self.home.metrics.suspend.time():
                await self._leave(Problem(503, "suspended", "the session was suspended: ask again"))
        return True

    async def discard(self, why: Problem) -> None:
        """What is in memory is given up; what is in the store counts."""
        await self._leave(why)

    async def _leave(self, why: Problem) -> None:
        if self.ended is not None:
            return
        self.ended = why
        if self._timer is not None:
            self._timer.cancel()
        self.home.left(self)
        run = self.run
        if run is not None and run.state != "done":
            run.result = None  # if there is one, it was not saved
            run.emit("suspended" if why.code in ("suspended", "stopped") else "error", why.body())
            run.close(run.state, why)
        await self.home.work(self._close)

    def _shut(self, sandbox: Sandbox, recording: Recording | None) -> None:
        with contextlib.suppress(PinfoldError):
            sandbox.close()
        why = None if recording is None else recording.end(self.home.store, self.key)
        if why is not None:
            self.home.log.warning("the trace of %s was not kept: %s", self.key, why)

    def _close(self) -> None:
        self._shut(self.sandbox, self.recording)
        with contextlib.suppress(PinfoldError):
            self.lease.release()

    # ------------------------------------------------------------------ inside

    @contextlib.asynccontextmanager
    async def turn(self) -> Any:
        async with self.lock:
            self.touched = time.monotonic()
            yield
            self.touched = time.monotonic()

    def _refuse_if_ended(self) -> None:
        if self.ended is not None:
            raise self.ended

    def _task(self, work: Any) -> None:
        """Goes on whoever has asked for it goes away."""
        task = asyncio.get_running_loop().create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Any) -> None:
        try:
            await work
        except Problem as problem:
            if self.run is not None:
                self.run.close(self.run.state, problem)
        except Exception as error:
            self.home.log.exception("session %s", self.key)
            why = Problem(500, "internal", f"{type(error).__name__}: see the server's log")
            await self.discard(why)
            if self.run is not None:
                self.run.close(self.run.state, why)


def describe(result: Any) -> dict[str, Any]:
    """A result as JSON."""
    usage = result.usage
    try:
        value = result.value
    except ValueError:
        value = None
    return {
        "ok": result.ok,
        "exit_code": result.exit_code,
        "stdout": result.stdout,
        "stderr": result.stderr,
        "value": value,
        "limit": result.limit,
        "truncated": result.truncated,
        "shortened": False,
        "usage": {
            "cpu_seconds": usage.cpu_seconds,
            "wall_seconds": usage.wall_seconds,
            "memory_bytes": usage.memory_bytes,
            "tool_calls": usage.tool_calls,
        },
    }


def store_problem(error: Exception) -> Problem:
    """What the store said, for who asked; nothing was acknowledged."""
    if isinstance(error, LeaseError):
        return Problem(409, "moved", f"another server drives the session now: {after_place(error)}")
    if isinstance(error, StoreUnavailable):
        return Problem(503, "store_away", "the store is away: nothing was done; try again later")
    if isinstance(error, SandboxStateError):
        return Problem(409, "state", str(error))
    return Problem(
        507, "store", f"the store did not take it, nothing was done: {after_place(error)}"
    )


def after_place(error: Exception) -> str:
    """Without the place of the store, which is the operator's matter."""
    return str(error).partition(": ")[2] or str(error)


def dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
