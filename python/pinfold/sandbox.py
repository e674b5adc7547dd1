"""`Sandbox`: a small Unix that pens in a script and lets it call exactly the granted tools."""

from __future__ import annotations

import sys

from . import _native
from .bounds import bounds
from .errors import ExecutionError, SandboxBusy, SandboxStateError
from .files import Files
from .limits import Limits
from .result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime
    from os import PathLike
    from typing import Any, Literal, Self

    from ._native import CallData, Durable, Outcome, Settings
    from .adrive import Hold
    from .audit import AuditLog
    from .call import Call
    from .capability import MethodCapability
    from .deadline import Deadline
    from .errors import ToolError
    from .ledger import Ledger
    from .mounts import Mounted, MountSource
    from .output import OnOutput
    from .tool import Handler, Tool

    ToolHandler = Callable[[str, dict[str, Any]], Any]
    #: Says True to approve a call, anything else not to; a str says why not. May be async.
    Approve = Callable[[Call], Any]


#: How the shell runs a text: in the sandbox's session, in a fresh shell, or in the session but with
#: options that end with the run.
SESSION, ISOLATED, OWN_OPTIONS = 0, 1, 2


class Sandbox:
    """A sandbox: one filesystem, one set of processes, any mix of shell and JavaScript.

    Nothing is granted by default. ``tools`` declares what scripts may see, ``capabilities`` grants
    calls, and each call is checked against them before a handler is asked: the tool's own function,
    or ``tool_handler(method, params)`` for whatever has none.

    >>> def greet(name: str) -> str:
    ...     return f"hello {name}"
    >>> with Sandbox(tools=[greet], capabilities=[MethodCapability("greet")]) as sandbox:
    ...     print(sandbox.run("tool greet --name Ada").stdout, end="")
    "hello Ada"

    ``record`` writes a trace that `pinfold.replay` runs again, to a file that is emptied if it
    exists: each sandbox has its own. ``redact`` leaves tool results out of it. ``key``
    authenticates snapshots. With ``clock`` and ``seed`` fixed two equal runs are equal byte for
    byte, and sleeping takes no time. ``mounts`` gives host directories by their place inside, and
    is read when a script looks there: ``{"/data": path}`` is read-only,
    ``{"/work": (path, "copy")}`` may be changed inside while the host's files stay as they are;
    `mounted` tells the changes.

    ``passthrough`` lists exceptions that end a run when a handler raises them, instead of failing
    the call: they are raised from ``run()``, with the call still pending, so that `finish` asks its
    handler again (in this process or in one that restored a snapshot); the next ``run()`` gives the
    old one up. It is for control flow, such as a framework's request to ask a person.

    ``approve(call)`` is asked about calls that a capability with ``ask=True`` allows, and about no
    others: if there is none, or none that a call can reach, it is an error. Without it what asks is
    denied in `run`, and handed out by `step`.

    ``isolation="process"`` is a second wall: the machine runs in a worker process that seccomp
    leaves nothing but memory and clocks, and each call is checked once more in this one. It starts
    in tens of milliseconds, a run or call takes some hundred microseconds more, ``mounts`` are not
    possible. A worker that dies is one failed run: `SandboxDead` says of what.

    A sandbox belongs to one thread at a time; any number of sandboxes may run side by side.
    """

    def __init__(
        self,
        *,
        tools: Iterable[Tool | Handler] | None = None,
        capabilities: Iterable[MethodCapability] | None = None,
        tool_handler: ToolHandler | None = None,
        files: Mapping[str, bytes | str] | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        clock: Literal["host"] | datetime | float = "host",
        seed: int | None = None,
        js_prelude: str | None = None,
        hide_tool_errors: bool = False,
        approve: Approve | None = None,
        audit: AuditLog | None = None,
        record: str | PathLike[str] | None = None,
        redact: bool = False,
        key: bytes | None = None,
        mounts: Mapping[str, MountSource] | None = None,
        isolation: Literal["process"] | None = None,
        passthrough: Iterable[type[Exception]] = (),
        _snapshot: bytes | None = None,
        _min_counter: int | None = None,
    ) -> None:
        given = _settings_in(dict(locals()))
        if approve is not None and not callable(approve):
            raise TypeError(f"approve cannot be called: {approve!r}")
        if tool_handler is not None and not callable(tool_handler):
            raise TypeError(f"tool_handler cannot be called: {tool_handler!r}")
        if files:
            _mapping("files", files, "paths to contents")
        if audit is not None:
            from .audit import AuditLog

            if not isinstance(audit, AuditLog):
                raise TypeError(f"audit is an AuditLog, not {audit!r}")
        self._tools = _by_method(tools)
        self._capabilities = _checked_capabilities(capabilities)
        if approve is not None:
            from .approval import refuse_unreachable

            refuse_unreachable(self._capabilities, self._tools, tool_handler is not None)
        self._tool_handler = tool_handler
        self._hide_tool_errors = hide_tool_errors
        self._passthrough = given["passthrough"] = _exceptions(passthrough)
        self._held = False  # a run waits that such an exception came out of
        self._deadline: Deadline | None = None
        self._in_time = False  # an ``arun`` with a timeout is on
        self._approve = approve
        self._last: Call | None = None
        self._hold: Hold | None = None  # of the coroutine that uses it
        self._settings = _settings(self, limits, env, clock, seed, js_prelude)
        self._durable = _durable(key, record, redact, mounts, _counter("min_counter", _min_counter))
        self._branches = 0
        #: Every setting, by its name: what `_another` goes by. A new one is in here by itself.
        self._given = {name: _kept(value) for name, value in given.items()}
        self._given.update(tools=self.tools, capabilities=self.capabilities)
        self._ledger: Ledger | None = None
        machine_type = _machine_type(isolation)
        #: Or what takes its place: a `RemoteMachine`, an `ObservedMachine`.
        self._machine: _native.Machine = machine_type(self._settings, _snapshot, self._durable)
        if audit is not None or "opentelemetry.trace" in sys.modules:
            from .observe import observed

            self._machine = observed(self._machine, audit, self._capabilities)
        if self._tools:
            from .names import warn_of_names

            warn_of_names(self._machine.tool_names())
        #: The files inside, as a mapping from path to bytes.
        self.files = Files(self._machine)
        for path, data in files.items() if files else ():
            self.files[path] = data
        if _snapshot is not None:
            self._hear_of_refusals()

    # ------------------------------------------------------------------ running

    def run(
        self,
        code: str,
        language: str = "shell",
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
        isolated: bool = False,
        timeout: float | None = None,
    ) -> Result:
        """Runs a script to its end, with tool calls answered by their handlers in this thread.

        ``language`` is ``"shell"``, ``"javascript"``, ``"typescript"`` or ``"python"`` (a cell: the value of a
        last expression is ``Result.value``). The shell is a session:
        variables, functions and the working directory last from run to run; ``isolated=True`` gives
        a fresh one. ``on_output(text, stream)`` gets output as it appears; the time that it takes
        counts for no limit, as that of handlers; ``timeout`` is for the whole, handlers included, in
        seconds: a run that takes longer has ended with ``Result.limit == "timeout"``, and a handler
        that is not async goes on in a thread, with nobody waiting. What the script does wrong is in the result, never
        an exception.

        On the main thread Ctrl-C interrupts the script and raises; a script that goes on for a
        second, or until a second Ctrl-C, is killed: files stay, the session's shell may be lost.
        Other signal handlers of Python's run meanwhile, and what they raise ends the run as well.

        >>> with Sandbox() as sandbox:
        ...     _ = sandbox.run("cd /tmp; x=41")
        ...     print(sandbox.run("pwd; echo $((x + 1))").stdout, end="")
        ...     sandbox.run("return [1, 2].map(n => n * 2)", language="javascript").value
        /tmp
        42
        [2, 4]
        """
        how = ISOLATED if isolated else SESSION
        if timeout is None:
            return self._run(code, language, stdin, on_output, how)
        from .deadline import Deadline, Expired, checked, cut_short

        with Deadline(self, checked(timeout)) as deadline:
            try:
                outcome = self._run(code, language, stdin, on_output, how)._outcome
            except Expired:
                ended = self._machine.result()
                assert ended is not None  # it was abandoned
                return Result(cut_short(ended))
            return Result(cut_short(outcome) if deadline.expired else outcome)

    def _run(
        self,
        code: str,
        language: str,
        stdin: bytes | str | None,
        on_output: OnOutput | None,
        how: int,
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
            if stdin is None and on_output is None:
                outcome = machine.start(code, language, None, how, None)
                if outcome is None:
                    outcome = self._drive()
            else:
                emit = None if on_output is None else _text_output(on_output)
                outcome = machine.start(code, language, _bytes(stdin), how, emit)
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
        return Result(outcome)

    def execute(self, code: str, **how: Any) -> str:
        """Runs JavaScript and gives its output; `ExecutionError` when it fails."""
        return _stdout(self.run(code, "javascript", **how))

    def shell(self, command: str, **how: Any) -> str:
        """Runs a shell script and gives its output; `ExecutionError` when it fails."""
        return _stdout(self.run(command, "shell", **how))

    def interrupt(self) -> None:
        """As Ctrl-C for what is running. From any thread, at any time.

        It counts from the moment in which ``run`` is entered until it is over; between runs it is
        nothing.
        """
        self._machine.interrupt()

    # ------------------------------------------------------------------ running, step by step

    def start(
        self,
        code: str,
        language: str = "shell",
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
        isolated: bool = False,
    ) -> None:
        """Starts a run and returns when it is complete or waits for tool calls to be answered.

        No handler is called: `step` hands out the calls, `resume` answers them.

        """
        how = ISOLATED if isolated else SESSION
        emit = None if on_output is None else _text_output(on_output)
        with self._entered(run=True):
            began = not self._machine.running()
            try:
                self._last = None
                self._machine.start(code, language, _bytes(stdin), how, emit)
            except BaseException:
                if began:
                    self._abandon()
                raise

    def has_work(self) -> bool:
        """Is there a call that was not handed out yet? Only looks."""
        return self._machine.has_work()

    def step(self) -> Call | None:
        """Hands out the oldest call that was not handed out yet, ``None`` when there is none."""
        with self._entered():
            given = self._machine.step()
        if given is None:
            return None
        self._last = self._call(given)
        return self._last

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
        return None if outcome is None else Result(outcome)

    def finish(self) -> Result:
        """Completes a run that was started or restored, with the handlers answering its calls."""
        with self._entered():
            self._held = False
            outcome = self._complete()
            if outcome is None:
                outcome = self._drive()
        return Result(outcome)

    # ------------------------------------------------------------------ async twins

    async def arun(
        self,
        code: str,
        language: str = "shell",
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
        isolated: bool = False,
        timeout: float | None = None,
    ) -> Result:
        """As `run`, with the guest in a thread of pinfold's own and handlers, sync and async, on
        this event loop, concurrently; ``on_output`` is called there, too, and may be async: one
        piece is awaited before the next, and all of them before the result is given.

        Cancelling interrupts the script, kills it when it goes on for a second, and is over when
        it has stopped. Any number of
        sandboxes run at once: each has its thread while its guest runs.
        """
        how = ISOLATED if isolated else SESSION
        if timeout is None:
            return await self._arun(code, language, stdin, on_output, how)
        import asyncio

        from .deadline import checked, cut_short

        seconds = asyncio.timeout(checked(timeout))
        self._in_time = True
        try:
            async with seconds:
                return await self._arun(code, language, stdin, on_output, how)
        except TimeoutError:
            ended = self._machine.result() if seconds.expired() else None
            if ended is None:
                raise
            return Result(cut_short(ended))
        finally:
            self._in_time = False

    async def _arun(
        self,
        code: str,
        language: str,
        stdin: bytes | str | None,
        on_output: OnOutput | None,
        how: int,
    ) -> Result:
        from .adrive import Hold, LoopOutput, arun

        emit = None if on_output is None else LoopOutput(on_output)
        data = _bytes(stdin)
        with Hold(self, run=True) as hold:
            if self._held:
                self._held = False
                await hold.abandon()
            if emit is not None:
                emit.hold = hold
            try:
                outcome = await arun(hold, self, code, language, data, how, emit)
                if emit is not None:
                    await emit.complete()
            finally:
                if emit is not None:
                    emit.end()
        return Result(outcome)

    async def aexecute(self, code: str, **how: Any) -> str:
        """As `execute`, async."""
        return _stdout(await self.arun(code, "javascript", **how))

    async def ashell(self, command: str, **how: Any) -> str:
        """As `shell`, async."""
        return _stdout(await self.arun(command, "shell", **how))

    async def astart(self, code: str, language: str = "shell", **how: Any) -> None:
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
        return Result(outcome)

    # ------------------------------------------------------------------ snapshots

    def snapshot(
        self,
        *,
        counter: int | None = None,
        max_bytes: float | None = None,
        max_seconds: float | None = None,
    ) -> bytes:
        """The whole sandbox as bytes, also while tool calls wait for their answers.

        A sandbox with a ``key`` may put a number of yours into it, a rising one, say, that you keep
        in a safe place: ``restore(min_counter=...)`` then refuses an older snapshot, in which less
        of the budgets was spent. `Store` does that by itself.

        Over ``max_bytes`` (default: ``memory_bytes``, at most 1 GiB) or ``max_seconds`` (60) it is a
        `BoundError`; ``math.inf`` lifts a bound.

        >>> with Sandbox() as first:
        ...     _ = first.run("echo precious > note; x=7")
        ...     data = first.snapshot()
        >>> with Sandbox.restore(data) as second:
        ...     second.run("cat note; echo $x").stdout
        'precious\\n7\\n'
        """
        number = _counter("counter", counter)
        limits = bounds(max_bytes, max_seconds)
        with self._entered():
            return self._machine.snapshot(number, *limits)

    @classmethod
    def restore(
        cls,
        data: bytes,
        *,
        tools: Iterable[Tool | Handler] | None = None,
        capabilities: Iterable[MethodCapability] | None = None,
        tool_handler: ToolHandler | None = None,
        limits: Limits | None = None,
        env: Mapping[str, str] | None = None,
        clock: Literal["host"] | datetime | float = "host",
        js_prelude: str | None = None,
        hide_tool_errors: bool = False,
        approve: Approve | None = None,
        audit: AuditLog | None = None,
        record: str | PathLike[str] | None = None,
        redact: bool = False,
        key: bytes | None = None,
        mounts: Mapping[str, MountSource] | None = None,
        isolation: Literal["process"] | None = None,
        passthrough: Iterable[type[Exception]] = (),
        min_counter: int | None = None,
    ) -> Self:
        """Continues a snapshot, in this process or another one.

        Authority never comes from the data: tools, capabilities and limits are those given here;
        files, processes, counters and pending calls are those of the snapshot. Each pending call is
        judged as if it were made now: what these tools, capabilities and limits do not allow is
        denied, the audit log says so, and the script goes on with that before this returns; what
        they allow keeps its id, is charged to the capability that allows it now, and asks for
        approval if that does. With ``key`` (16
        bytes or more) only a snapshot made with that key is accepted, and the new one has it, too;
        with ``min_counter`` only one that was made with that ``counter`` or a larger one.
        What the snapshot had not read of a mounted directory is read from the one that ``mounts``
        names for the same place; None goes on without it, and what is missing is an I/O error.
        """
        settings = _settings_in(dict(locals()))
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"a snapshot is bytes, not {type(data).__name__}")
        return cls(**settings, _snapshot=bytes(data), _min_counter=min_counter)

    def fork(
        self,
        *,
        record: str | PathLike[str] | Literal[False] | None = None,
        budget: Literal["copy", "share"] = "copy",
    ) -> Self:
        """An independent copy of the whole sandbox, in well under a millisecond.

        Files, processes, variables, pending calls and what was spent of the capabilities are as
        they were; from here on the two know nothing of each other. Tools, handlers and capabilities
        are this sandbox's. Pending calls have ids of their own in the branch, in the same order.

        Branches are for trying what could be: each may spend all that is left of every capability's
        ``max_calls``, so ten branches can make ten times as many calls, and a pending call waits in
        each of them: answered in each, its handler has run as often. With ``budget="share"`` this
        sandbox and the branch, and their branches of that kind, spend from one and the same
        ``max_calls``, on whatever threads they are. A pending call then is judged in the branch as
        if it were made there now, and spends once more; what does not fit is denied there. Limits,
        ``tool_calls`` among them, stay each sandbox's own. A snapshot holds what was spent until
        then, and what is restored from it shares nothing. A recording and ``isolation="process"``
        exclude it.

        With ``record`` the branch has a trace of its own, which begins with a snapshot of it. The
        first branch of what is recorded as ``run.jsonl`` is recorded as ``run.1.jsonl`` unless
        another path is given, or False.

        >>> with Sandbox() as trunk:
        ...     _ = trunk.run("x=1; echo draft > plan")
        ...     with trunk.fork() as branch:
        ...         _ = branch.run("x=2; echo bold > plan")
        ...     trunk.run("echo $x; cat plan").stdout
        '1\\ndraft\\n'
        """
        if budget not in ("copy", "share"):
            raise ValueError(f'budget is "copy" or "share", not {budget!r}')
        durable = self._branch_durable(record)
        recorded = durable[1] is not None or self._durable[1] is not None
        if budget == "share" and recorded:
            raise ValueError(
                "a budget that is shared cannot be recorded: what others spend of it is not in the"
                " trace"
            )
        with self._entered():
            if budget == "share":
                machine = self._machine.fork_shared()
            elif recorded:
                machine = self._machine.fork(self._settings, durable)
            else:
                machine = self._machine.fork()
        branch = object.__new__(type(self))
        branch.__dict__.update(self.__dict__)
        branch._last = None
        branch._hold = None
        branch._deadline = None
        branch._in_time = False
        branch._machine = machine
        branch._durable = durable
        branch._branches = 0
        branch._given = {**self._given, "record": durable[1]}
        branch.files = Files(machine)
        if budget == "share":
            branch._hear_of_refusals()
        return branch

    def _another(self) -> Self:
        """A sandbox with the same settings, whatever they are, and fresh files. What is recorded
        goes to a trace of its own, named as those of branches."""
        settings = {**self._given, "record": self._branch_durable(None)[1]}
        another = type(self)(**settings)
        another._ledger = self._ledger
        return another

    def _share_budgets(self) -> None:
        """From here on this sandbox and those made from it have the budgets together."""
        if self._ledger is not None or all(c.max_calls is None for c in self._capabilities):
            return
        from .ledger import Ledger

        ledger = Ledger(self._settings, self._capabilities)
        for index, capability in enumerate(self._capabilities):
            left = self._machine.calls_left(index)
            if left is not None and capability.max_calls is not None:
                ledger.spend(index, capability.max_calls - left)
        self._ledger = ledger

    def _branch_durable(self, record: str | PathLike[str] | Literal[False] | None) -> Durable:
        from os import fspath, path

        key, trace, redact, *_ = self._durable
        if record is not None:
            trace = None if record is False else fspath(record)
        elif trace is not None:
            assert isinstance(trace, str)  # a descriptor is what a worker gets instead
            self._branches += 1
            stem, suffix = path.splitext(trace)
            if suffix[1:].isdigit():  # that of a branch, without another
                stem, suffix = trace, ""
            trace = f"{stem}.{self._branches}{suffix}"
        return key, trace, redact, [], 0

    # ------------------------------------------------------------------ looking and ending

    def mounted(self, place: str) -> Mounted:
        """What became of a directory that was given with ``mounts``.

        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "plan").write_text("draft")
        >>> with Sandbox(mounts={"/data": (folder, "copy")}) as sandbox:
        ...     _ = sandbox.run("echo bold > /data/plan; touch /data/new")
        ...     sandbox.mounted("/data").changes()
        [('A', '/data/new'), ('M', '/data/plan')]
        >>> (folder / "plan").read_text()
        'draft'
        """
        from .mounts import Mounted

        return Mounted(self._machine, place)

    @property
    def limits(self) -> Limits:
        """How much it may use."""
        return self._given["limits"] or Limits()

    @property
    def capabilities(self) -> list[MethodCapability]:
        """What was granted, in the order in which it is looked at."""
        return list(self._capabilities)

    def can_call(self, method: str, params: Mapping[str, Any] | None = None) -> bool:
        """Would the capabilities allow this call now? Spends nothing; schemas are not looked at.

        >>> granted = [MethodCapability("pay", [Param("amount") <= 5])]
        >>> with Sandbox(tools=[Tool("pay")], capabilities=granted) as sandbox:
        ...     sandbox.can_call("pay", {"amount": 3}), sandbox.can_call("pay", {"amount": 7})
        (True, False)
        """
        return self.why_not(method, params) is None

    def why_not(self, method: str, params: Mapping[str, Any] | None = None) -> str | None:
        """Why a call would be denied, as the guest would be told; ``None`` when it is allowed.

        >>> granted = [MethodCapability("pay", [Param("amount") <= 5])]
        >>> with Sandbox(tools=[Tool("pay")], capabilities=granted) as sandbox:
        ...     sandbox.why_not("pay", {"amount": 7})
        'pay is denied: amount must be <= 5 (it is 7)'
        """
        from .answer import to_json

        if not isinstance(method, str):
            raise TypeError(f"a method is str, not {method!r}")
        if params is not None:
            _mapping("params", params, "names to values")
        try:
            text = to_json(dict(params or {}))
        except ValueError as error:
            raise ValueError(f"the arguments of {method} are not JSON: {error}") from None
        why_not = self._machine.refusal(method, text)
        if why_not is None and self._ledger is not None:
            why_not = self._ledger.refusal(method, text)
        return why_not

    def calls_left(self, capability: MethodCapability) -> int | None:
        """How many calls one of this sandbox's capabilities still allows; ``None``: no limit."""
        for index, granted in enumerate(self._capabilities):
            if granted is capability or granted == capability:
                left = self._machine.calls_left(index)
                return left if self._ledger is None else self._ledger.calls_left(index, left)
        raise ValueError(f"{capability!r} is no capability of this sandbox")

    @property
    def tools(self) -> list[Tool]:
        """What was declared."""
        return list(self._tools.values())

    @property
    def isolation_report(self) -> dict[str, Any] | None:
        """What stands around the worker of ``isolation="process"``: ``seccomp`` always,
        ``landlock``, the version of it that the kernel has or 0, and ``namespaces``, those that
        the worker has of its own (user, pid, net, ipc, uts), as far as the system allows. None
        without a worker.
        """
        report: dict[str, Any] | None = getattr(self._machine, "report", None)
        return None if report is None else dict(report)

    @property
    def closed(self) -> bool:
        return self._machine.condition() == "closed"

    def close(self) -> None:
        """Ends everything inside at once. More than once is harmless.

        A recording that is incomplete, because the disk was full or the like, is a
        `SandboxStateError` here, if no other exception is on its way; the sandbox is closed.
        """
        if self.closed:
            return
        with self._entered():
            self._machine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._close_after(exc_info)

    def _close_after(self, exc_info: tuple[object, ...]) -> None:
        try:
            self.close()
        except SandboxStateError:
            if exc_info[0] is None:
                raise

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._close_after(exc_info)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Sandbox cannot be pickled or copied: it is live processes;"
            " snapshot() gives bytes and Sandbox.restore() continues them"
        )

    def __repr__(self) -> str:
        condition = self._machine.condition()
        parts: list[str] = [condition]
        if condition == "open":
            waiting = len(self._machine.pending())
            running = self._machine.running()
            parts = [f"waiting for {waiting} tool calls" if running else "idle"]
        parts.append(f"tools: {', '.join(self._tools) or 'none'}")
        parts.append(f"capabilities: {len(self._capabilities)}")
        return f"<Sandbox {', '.join(parts)}>"

    # ------------------------------------------------------------------ inside

    def _entered(self, run: bool = False) -> _Entered:
        return _Entered(self, run)

    def _claim(self, run: bool, owner: object) -> None:
        """Takes the sandbox into use; whoever comes second is refused at once."""
        if self._machine.claim(run, owner):
            return
        hold = self._hold
        if hold is None or not hold.left_behind() or not self._machine.claim(run, owner):
            raise SandboxBusy(
                "the sandbox is in use, by another thread or by the run whose handler this is"
            )

    def _hear_of_refusals(self) -> None:
        """Calls that may not be made any more were answered, so the guest can go on: it comes to
        rest, as after `start`."""
        machine = self._machine
        if not machine.running() or machine.wait_ns() != 0:
            return
        try:
            with self._entered(run=True):
                machine.advance()
        except BaseException:
            machine.close()
            raise

    def _complete(self) -> Outcome | None:
        """The result of a complete run, ``None`` while one is on."""
        outcome = self._machine.result()
        if outcome is None and not self._machine.running():
            raise SandboxStateError("no run is on")
        return outcome

    def _drive(self) -> Outcome:
        from .drive import drive

        return drive(self)

    def _abandon(self) -> None:
        """No run stays behind that nobody knows of."""
        from .drive import abandon

        abandon(self._machine)

    def _call(self, given: CallData) -> Call:
        from .call import Call

        id, method, name, params_json, capability, ask = given
        return Call(self, id, method, name, params_json, self._capabilities[capability], ask)

    def _last_call(self) -> Call:
        if self._last is None:
            raise SandboxStateError("no call was handed out: step() comes before resume()")
        return self._last

    def _answer(self, call: Call, value: Any) -> None:
        from .answer import encode

        text = encode(call.method, value)
        with self._entered():
            self._machine.resume(call.id, text)

    def _fail(self, call: Call, error: ToolError) -> None:
        from .answer import failure

        kind, text = failure(error, hide=False)
        with self._entered():
            self._machine.fail(call.id, kind, text)

    def _deny(self, call: Call, message: str | None) -> None:
        from .errors import ToolError

        text = f"{call.method} is denied: {message or 'it was not approved'}"
        self._fail(call, ToolError(text, "denied"))

    async def _offload(self, function: Callable[..., Any], *args: Any) -> Any:
        from .adrive import offload

        return await offload(self, function, *args)


def _exceptions(given: Any) -> tuple[type[Exception], ...]:
    kinds = tuple(given) if isinstance(given, (list, tuple, set, frozenset)) else (given,)
    for kind in kinds:
        if not isinstance(kind, type) or not issubclass(kind, Exception):
            raise TypeError(f"passthrough is a list of exception classes, not {kind!r}")
    return kinds


def _settings_in(arguments: dict[str, Any]) -> dict[str, Any]:
    """The settings among the arguments of `Sandbox` or `Sandbox.restore`: all but a few."""
    others = ("self", "cls", "data", "min_counter", "_snapshot", "_min_counter")
    return {name: value for name, value in arguments.items() if name not in others}


def _kept(value: Any) -> Any:
    """A setting as it was given: who changes a mapping later changes nothing here."""
    return dict(value) if isinstance(value, dict) else value


class _Entered:
    """The time that a sandbox is in use; when it is for a ``run``, interrupts count from its first
    moment on."""

    __slots__ = ("_sandbox", "_run")

    def __init__(self, sandbox: Sandbox, run: bool) -> None:
        self._sandbox = sandbox
        self._run = run

    def __enter__(self) -> None:
        try:
            self._sandbox._claim(self._run, self)
        except BaseException:  # perhaps of a signal's handler, when it was done
            self._sandbox._machine.unclaim(self)
            raise

    def __exit__(self, *exc_info: object) -> None:
        self._sandbox._machine.unclaim(self)


def _bytes(stdin: bytes | str | None) -> bytes | None:
    if isinstance(stdin, str):
        return stdin.encode()
    if stdin is None or isinstance(stdin, bytes):
        return stdin
    raise TypeError(f"stdin is bytes or str, not {type(stdin).__name__}")


def _text_output(on_output: OnOutput) -> Any:
    from .output import TextOutput, refuse_async

    refuse_async(on_output)
    return TextOutput(on_output)


def _stdout(result: Result) -> str:
    if result.ok:
        return result.stdout
    raise ExecutionError(describe_failure(result), result)


def describe_failure(result: Result) -> str:
    """One line that says why a run failed."""
    if result.limit is not None:
        return f"stopped at the limit {result.limit}"
    why = _native.printable(_reason(result.stderr.strip().splitlines()))
    return f"exit status {result.exit_code}" + (f": {why}" if why else "")


def _reason(lines: list[str]) -> str:
    """What a program says first; JavaScript that was thrown says it where its program ended, after
    what was printed before and, of a syntax error, the place and the line."""
    import re

    thrown = re.compile(r"Uncaught .|([\w$]+ \[)?[\w$]*Error(\]| \[\w+\])?(:|$)")
    return next((line for line in reversed(lines) if thrown.match(line)), lines[0] if lines else "")


def _machine_type(isolation: Literal["process"] | None) -> Any:
    if isolation is None:
        return _native.Machine
    if isolation != "process":
        raise ValueError(f'isolation is None or "process", not {isolation!r}')
    from .remote import RemoteMachine

    return RemoteMachine


def _by_method(tools: Iterable[Tool | Handler] | None) -> dict[str, Tool]:
    if tools is None:
        return {}
    from .tool import as_tools, canonical

    by_method: dict[str, Tool] = {}
    for tool in as_tools(tools):
        other = by_method.setdefault(canonical(tool.name), tool)
        if other is not tool:
            raise ValueError(f"tools {other.name!r} and {tool.name!r} have the same name")
    return by_method


def _checked_capabilities(
    capabilities: Iterable[MethodCapability] | None,
) -> list[MethodCapability]:
    if capabilities is None:
        return []
    from .capability import checked_capabilities

    return checked_capabilities(capabilities)


def _settings(
    sandbox: Sandbox,
    limits: Limits | None,
    env: Mapping[str, str] | None,
    clock: Literal["host"] | datetime | float,
    seed: int | None,
    js_prelude: str | None,
) -> Settings:
    if limits is not None and not isinstance(limits, Limits):
        raise TypeError(f"limits is a Limits object, not {limits!r}")
    if env is not None:
        for name, value in _mapping("env", env, "names to values").items():
            if not isinstance(name, str) or not isinstance(value, str):
                raise TypeError(f"env has str for str, not {name!r}: {value!r}")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise TypeError(f"seed is an int, not {seed!r}")
    if seed is not None and not 0 <= seed < 1 << 64:
        raise ValueError(f"seed is a number of 64 bits, not {seed!r}")
    return (
        limits.changed() if limits is not None else [],
        list(env.items()) if env is not None else [],
        [_declared(method, sandbox) for method in sandbox._tools],
        _policy(sandbox._capabilities) if sandbox._capabilities else None,
        sandbox._tool_handler is not None,
        _clock_ns(clock),
        seed,
        js_prelude,
    )


def _mapping(name: str, given: Any, what: str) -> Any:
    if not hasattr(given, "items"):
        raise TypeError(f"{name} is a dict from {what}, not {given!r}")
    return given


def _durable(
    key: bytes | None,
    record: str | PathLike[str] | None,
    redact: bool,
    mounts: Mapping[str, MountSource] | None,
    min_counter: int,
) -> Durable:
    from os import fspath

    places: list[tuple[str | None, str, bool]] = []
    if mounts:
        from .mounts import as_requests

        places = as_requests(_mapping("mounts", mounts, "places to directories"))

    if key is not None and not isinstance(key, bytes):
        raise TypeError(f"key is bytes, not {type(key).__name__}")
    return key, None if record is None else fspath(record), bool(redact), places, min_counter


def _counter(name: str, value: int | None) -> int:
    """0 for None."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is an int, not {value!r}")
    if not 0 < value < 1 << 63:
        raise ValueError(f"{name} is a number from 1 on, not {value!r}")
    return value


def _declared(method: str, sandbox: Sandbox) -> tuple[str, str, str | None]:
    """A tool as scripts are told of it: with what it gives, and when it may be called."""
    import json

    from .grants import grants

    tool, schema = sandbox._tools[method], None
    given = tool.schema
    if tool.returns is not None:
        given = {**({"type": "object"} if given is None else given), "x-returns": tool.returns}
    if given is not None:
        schema = json.dumps(given, allow_nan=False)
    words = (tool.description, grants(method, sandbox._capabilities))
    return tool.name, "\n\n".join(text for text in words if text), schema


def _policy(capabilities: list[MethodCapability]) -> str:
    from .capability import policy_json

    return policy_json(capabilities)


def _clock_ns(clock: Literal["host"] | datetime | float) -> int | None:
    if clock == "host":
        return None
    if not isinstance(clock, (int, float)) and hasattr(clock, "timestamp"):
        if clock.tzinfo is None:
            raise ValueError("a datetime for clock needs a time zone")
        clock = clock.timestamp()
    if isinstance(clock, bool) or not isinstance(clock, (int, float)):
        raise TypeError(f'clock is "host", a datetime or seconds since 1970, not {clock!r}')
    if not abs(clock) < _CLOCK_END:
        raise ValueError(f"clock is out of range: {clock!r} seconds since 1970")
    return round(clock * 1_000_000_000)


_CLOCK_END = 9e9  # seconds: what 64 bits of nanoseconds hold
