"""How a sandbox runs scripts: to their end, step by step, and as coroutines."""

from __future__ import annotations

from . import _native
from .core import Core
from .errors import ExecutionError, ToolError
from .result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any, Unpack

    from .call import Call
    from .core import Own
    from .limits import Limits
    from .output import OnOutput, TextOutput
    from .typed import RunSettings, StartSettings

#: How the shell runs a text: in the sandbox's session, in a fresh shell, or in the session but with
#: options that end with the run.
SESSION, ISOLATED, OWN_OPTIONS = 0, 1, 2


class Running(Core):
    """The part of `Sandbox` that runs scripts."""

    def run(
        self,
        code: str,
        language: str = "shell",
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
        isolated: bool = False,
        timeout: float | None = None,
        *,
        cwd: str | PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        budget: int | Mapping[str, int] | None = None,
        binary: bool = False,
    ) -> Result:
        """Runs a script to its end, with tool calls answered by their handlers in this thread. What
        the script does wrong is in the result, never an exception.

        * ``language``: ``"shell"``, ``"javascript"``, ``"typescript"`` or ``"python"`` (a cell: the
          value of a last expression is ``Result.value``); another is a ``ValueError``. The shell is
          a session: variables, functions and the working directory last from run to run.
        * ``stdin``: what the script reads there; empty without.
        * ``on_output(text, stream)`` gets output as it appears, ``stream`` is ``"stdout"`` or
          ``"stderr"``; with ``binary=True`` it gets bytes as they are written. The time that it
          takes counts for no limit, as that of handlers. An exception from it ends the run and is
          raised.
        * ``isolated=True`` gives the run a fresh shell, or Python, of its own.
        * ``timeout``: seconds for the whole, handlers included. A run that takes longer has ended
          with ``Result.limit == "timeout"``; a handler that is not async goes on in a thread, with
          nobody waiting.
        * ``cwd``, ``env``: working directory and variables of this run alone; what the session had
          is there again afterwards. A relative ``cwd`` starts at ``/workspace``; one that is not
          there is an ``OSError`` (`FileNotFoundError`, `NotADirectoryError`) before anything runs.
        * ``limits``: of this run alone, also higher ones than the sandbox's. What is named counts
          (``Limits(cpu_seconds=2)`` changes that one only), and may be ``cpu_seconds``,
          ``wall_seconds``, ``output_bytes``, ``tool_calls``, ``code_bytes``, ``stdin_bytes``; other
          limits are the whole sandbox's, and a ``ValueError``.
        * ``budget``: how many tool calls this run may make, or a dict that says so for methods and
          patterns, ``{"pay": 1, "stripe/**": 5}``. Calls over it are denied. It comes on top of the
          capabilities' ``max_calls``, which such a call spends as well.

        A run that waits and goes on from a snapshot is under the limits of who restores it, and has
        no ``budget`` any more.

        On the main thread Ctrl-C interrupts the script and raises; a script that goes on for a
        second, or until a second Ctrl-C, is killed: files stay, the session's shell may be lost.
        Other signal handlers of Python's run meanwhile, and what they raise ends the run as well.

        >>> with Sandbox() as sandbox:
        ...     _ = sandbox.run("cd /tmp; x=41")
        ...     print(sandbox.run("pwd; echo $((x + 1))").stdout, end="")
        ...     print(sandbox.run("pwd; echo $x", cwd="/", env={"x": "1"}).stdout, end="")
        ...     sandbox.run("return [1, 2].map(n => n * 2)", language="javascript").value
        /tmp
        42
        /
        1
        [2, 4]
        """
        how = ISOLATED if isolated else SESSION
        if timeout is None:
            own = None
            if cwd is not None or env is not None or limits is not None or budget is not None:
                own = self._own(cwd, env, limits, budget)
            return self._run(code, language, stdin, on_output, how, own, binary)
        return self._run_how(
            code,
            language,
            how,
            stdin=stdin,
            on_output=on_output,
            timeout=timeout,
            cwd=cwd,
            env=env,
            limits=limits,
            budget=budget,
            binary=binary,
        )

    def _run_how(
        self,
        code: str,
        language: str,
        how: int,
        *,
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
        timeout: float | None = None,
        cwd: str | PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        budget: int | Mapping[str, int] | None = None,
        binary: bool = False,
    ) -> Result:
        """A run of whatever kind, with a timeout if there is one."""
        own = self._own(cwd, env, limits, budget)
        if timeout is None:
            return self._run(code, language, stdin, on_output, how, own, binary)
        from .deadline import Deadline, Expired, checked, cut_short

        with Deadline(self, checked(timeout)) as deadline:
            try:
                outcome = self._run(code, language, stdin, on_output, how, own, binary)._outcome
            except Expired:
                ended = self._machine.result()
                assert ended is not None  # it was abandoned
                self._count(ended)
                return self._result(cut_short(ended), timeout)
            return self._result(cut_short(outcome) if deadline.expired else outcome, timeout)

    def _own(
        self,
        cwd: str | PathLike[str] | None,
        env: Mapping[str, str] | None,
        limits: Limits | None,
        budget: int | Mapping[str, int] | None,
    ) -> Own | None:
        """What a run has of its own, if anything."""
        if cwd is None and env is None and limits is None and budget is None:
            return None
        from .place import Budget, place_of

        place = place_of(self.limits, cwd, env, limits)
        return place, None if budget is None else Budget(budget), limits

    def _run(
        self,
        code: str,
        language: str,
        stdin: bytes | str | None,
        on_output: OnOutput | None,
        how: int,
        own: Own | None = None,
        binary: bool = False,
    ) -> Result:
        machine = self._machine
        # A signal's handler may raise between any two calls of these.
        owner, unclaim = object(), machine.unclaim
        began = False
        try:
            if not machine.claim(True, owner):
                self._claim(True, owner)
            if self._held:  # nobody wants the run that an exception passed through
                self._held = False
                self._abandon()
            began = not machine.running()
            if stdin is None and on_output is None and own is None:
                if began:
                    self._budget = self._own_limits = None
                outcome = machine.start(code, language, None, how, None)
                if outcome is None:
                    outcome = self._drive()
            else:
                emit = None if on_output is None else listener(on_output, binary)
                outcome = self._begin(code, language, _bytes(stdin), how, emit, own)
                if outcome is None:
                    outcome = self._drive()
                if emit is not None:
                    emit.finish()
        except BaseException:
            if began and not self._held:
                self._abandon()
            raise
        finally:
            unclaim(owner)
        totals = self._totals
        totals[0] += 1
        totals[1] += outcome[8]
        totals[2] += outcome[9]
        if outcome[10] > totals[3]:
            totals[3] = outcome[10]
        totals[4] += outcome[11]
        return Result(outcome) if outcome[4] is None else self._result(outcome)

    def execute(self, code: str, **how: Unpack[RunSettings]) -> str:
        """Runs JavaScript and gives its output; `ExecutionError` when it fails. The keywords are
        those of `run`."""
        return _stdout(self.run(code, "javascript", **how))

    def shell(self, command: str, **how: Unpack[RunSettings]) -> str:
        """Runs a shell script and gives its output; `ExecutionError` when it fails. The keywords are
        those of `run`."""
        return _stdout(self.run(command, "shell", **how))

    def interrupt(self) -> None:
        """As Ctrl-C for what is running. From any thread, at any time.

        It counts from the moment in which ``run`` is entered until it is over; between runs it is
        nothing.
        """
        self._machine.interrupt()
        for look in tuple(self._looks):
            look.interrupt()

    # ------------------------------------------------------------------ running, step by step

    def start(
        self,
        code: str,
        language: str = "shell",
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
        isolated: bool = False,
        *,
        cwd: str | PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        budget: int | Mapping[str, int] | None = None,
        binary: bool = False,
    ) -> None:
        """Starts a run and returns when it is complete or waits for tool calls to be answered.

        No handler is called: `step` hands out the calls, `resume` answers them. The arguments are
        those of `run`; calls over the ``budget`` are denied by `step`.
        """
        how = ISOLATED if isolated else SESSION
        own = self._own(cwd, env, limits, budget)
        emit = None if on_output is None else listener(on_output, binary)
        with self._entered(run=True):
            began = not self._machine.running()
            try:
                self._last = None
                self._count(self._begin(code, language, _bytes(stdin), how, emit, own))
            except BaseException:
                if began:
                    self._abandon()
                raise

    def has_work(self) -> bool:
        """Is there a call that was not handed out yet? Only looks."""
        return self._machine.has_work()

    def step(self) -> Call | None:
        """Hands out the oldest call that was not handed out yet, ``None`` when there is none."""
        while True:
            with self._entered():
                given = self._machine.step()
            if given is None:
                return None
            call = self._call(given)
            if self._budget is None or self._affords(call):
                self._last = call
                return call

    def _affords(self, call: Call) -> bool:
        """Has the run's budget room for a call? It is denied if not."""
        assert self._budget is not None
        try:
            self._budget.admit(call)
        except ToolError as over:
            self._fail(call, over)
            return False
        return True

    def resume(self, value: Any = None) -> None:
        """Answers the call last handed out with a JSON value, and runs the guest on."""
        self._answer(self._last_call(), value)

    def fail(self, message: str, code: str = "failed") -> None:
        """Fails the call last handed out, and runs the guest on."""
        self._last_call().fail(message, code)

    @property
    def pending(self) -> list[Call]:
        """All calls without an answer, oldest first, handed out or not."""
        return [self._call(given) for given in self._machine.pending()]

    @property
    def result(self) -> Result | None:
        """What the last run gave; ``None`` while one is on and before the first."""
        outcome = self._machine.result()
        return None if outcome is None else self._result(outcome)

    def finish(self) -> Result:
        """Completes a run that was started or restored, with the handlers answering its calls."""
        with self._entered():
            self._held = False
            outcome = self._complete()
            if outcome is None:
                outcome = self._drive()
                self._count(outcome)
        return self._result(outcome)

    # ------------------------------------------------------------------ async twins

    async def arun(
        self,
        code: str,
        language: str = "shell",
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
        isolated: bool = False,
        timeout: float | None = None,
        *,
        cwd: str | PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        budget: int | Mapping[str, int] | None = None,
        binary: bool = False,
    ) -> Result:
        """As `run`, with the guest in a thread of pinfold's own and handlers, sync and async, on
        this event loop, concurrently; ``on_output`` is called there, too, and may be async: one
        piece is awaited before the next, and all of them before the result is given.

        Cancelling interrupts the script, kills it when it goes on for a second, and is over when
        it has stopped. Any number of
        sandboxes run at once: each has its thread while its guest runs.
        """
        how = ISOLATED if isolated else SESSION
        return await self._arun_how(
            code,
            language,
            how,
            stdin=stdin,
            on_output=on_output,
            timeout=timeout,
            cwd=cwd,
            env=env,
            limits=limits,
            budget=budget,
            binary=binary,
        )

    async def _arun_how(
        self,
        code: str,
        language: str,
        how: int,
        *,
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
        timeout: float | None = None,
        cwd: str | PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        budget: int | Mapping[str, int] | None = None,
        binary: bool = False,
    ) -> Result:
        """As `_run_how`, async."""
        own = self._own(cwd, env, limits, budget)
        if timeout is None:
            return await self._arun(code, language, stdin, on_output, how, own, binary)
        import asyncio

        from .deadline import checked, cut_short

        seconds = asyncio.timeout(checked(timeout))
        self._in_time = True
        try:
            async with seconds:
                return await self._arun(code, language, stdin, on_output, how, own, binary)
        except TimeoutError:
            ended = self._machine.result() if seconds.expired() else None
            if ended is None:
                raise
            self._count(ended)
            return self._result(cut_short(ended), timeout)
        finally:
            self._in_time = False

    async def _arun(
        self,
        code: str,
        language: str,
        stdin: bytes | str | None,
        on_output: OnOutput | None,
        how: int,
        own: Own | None = None,
        binary: bool = False,
    ) -> Result:
        from .adrive import Hold, arun, loop_listener

        emit = None if on_output is None else loop_listener(on_output, binary)
        data = _bytes(stdin)
        with Hold(self, run=True) as hold:
            if self._held:
                self._held = False
                await hold.abandon()
            if emit is not None:
                emit.hold = hold
            try:
                outcome = await arun(hold, self, code, language, data, how, emit, own)
                if emit is not None:
                    await emit.complete()
            finally:
                if emit is not None:
                    emit.end()
        return self._ended(outcome)

    async def aexecute(self, code: str, **how: Unpack[RunSettings]) -> str:
        """As `execute`, async."""
        return _stdout(await self.arun(code, "javascript", **how))

    async def ashell(self, command: str, **how: Unpack[RunSettings]) -> str:
        """As `shell`, async."""
        return _stdout(await self.arun(command, "shell", **how))

    async def astart(
        self, code: str, language: str = "shell", **how: Unpack[StartSettings]
    ) -> None:
        """As `start`, with the guest in a worker thread."""
        await self._offload(lambda: self.start(code, language, **how))

    async def aresume(self, value: Any = None) -> None:
        """As `resume`, with the guest in a worker thread."""
        await self._offload(self.resume, value)

    async def afail(self, message: str, code: str = "failed") -> None:
        """As `fail`, with the guest in a worker thread."""
        await self._offload(self.fail, message, code)

    async def afinish(self) -> Result:
        """As `finish`, async."""
        from .adrive import Hold, adrive

        with Hold(self) as hold:
            self._held = False
            outcome = self._complete()
            if outcome is None:
                outcome = await adrive(hold, self)
                self._count(outcome)
        return self._result(outcome)


def listener(on_output: Any, binary: bool) -> TextOutput:
    """For what a machine writes."""
    from .output import BytesOutput, TextOutput, refuse_async

    refuse_async(on_output)
    return (BytesOutput if binary else TextOutput)(on_output)


def _bytes(stdin: bytes | str | None) -> bytes | None:
    if isinstance(stdin, str):
        return stdin.encode()
    if stdin is None or isinstance(stdin, bytes):
        return stdin
    raise TypeError(f"stdin is bytes or str, not {type(stdin).__name__}")


def _stdout(result: Result) -> str:
    if result.ok:
        return result.stdout
    raise ExecutionError(describe_failure(result), result)


def describe_failure(result: Result) -> str:
    """One line that says why a run failed."""
    if result.limit is not None:
        return f"stopped at the limit {result.limit}{_value(result.limit, result.limit_value)}"
    why = _native.printable(_reason(result.stderr.strip().splitlines()))
    return f"exit status {result.exit_code}" + (f": {why}" if why else "")


def _value(limit: str, value: float | None) -> str:
    if value is None:
        return ""
    unit = " bytes" if limit.endswith("_bytes") else "" if limit == "processes" else " s"
    return f" ({value:g}{unit})" if unit == " s" else f" ({value}{unit})"


def _reason(lines: list[str]) -> str:
    """What a program says first; JavaScript that was thrown says it where its program ended, after
    what was printed before and, of a syntax error, the place and the line."""
    import re

    thrown = re.compile(r"Uncaught .|([\w$]+ \[)?[\w$]*Error(\]| \[\w+\])?(:|$)")
    return next((line for line in reversed(lines) if thrown.match(line)), lines[0] if lines else "")
