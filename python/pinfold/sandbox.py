"""`Sandbox`: a small Unix that pens in a script and lets it call exactly the granted tools."""

from __future__ import annotations

from .changing import Changing
from .copying import Copying
from .errors import SandboxStateError
from .files import Files
from .limits import Limits
from .portable import Portable
from .previewing import Previewing
from .running import Running
from .settings import (
    by_method,
    checked,
    counter_of,
    exceptions_of,
    machine_type,
    mapping,
    native_durable,
    native_settings,
    refuse_others,
    settings_in,
    with_own,
    with_placeholders,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from os import PathLike
    from typing import Any, Literal, Self, Unpack

    from .audit import AuditLog
    from .capability import MethodCapability
    from .core import Approve, ToolHandler
    from .images import Images
    from .jobs import Jobs
    from .mounts import Mounted, MountSource
    from .proof import Proof
    from .tokens import Issuer
    from .tool import Handler, Tool
    from .typed import RestoreSettings

    GivenImages = str | PathLike[str] | Images | Iterable[str | PathLike[str] | Images]


class Sandbox(Running, Copying, Portable, Changing, Previewing):
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
        files: Mapping[str, bytes | str | PathLike[str]] | None = None,
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
        _images: Images | None = None,
    ) -> None:
        given = settings_in(dict(locals()))
        if approve is not None and not callable(approve):
            raise TypeError(f"approve cannot be called: {approve!r}")
        if tool_handler is not None and not callable(tool_handler):
            raise TypeError(f"tool_handler cannot be called: {tool_handler!r}")
        if files:
            mapping("files", files, "paths to contents")
        if audit is not None:
            from .audit import AuditLog

            if not isinstance(audit, AuditLog):
                raise TypeError(f"audit is an AuditLog, not {audit!r}")
        self._tools = by_method(tools)
        self._capabilities = with_own(checked(capabilities), self._tools)
        if approve is not None:
            from .approval import refuse_unreachable

            refuse_unreachable(self._capabilities, self._tools, tool_handler is not None)
        self._tool_handler = tool_handler
        self._approve = approve
        self._hide_tool_errors = hide_tool_errors
        self._passthrough = given["passthrough"] = exceptions_of(passthrough)
        env = with_placeholders(env, seed, self._tools)
        self._settings = native_settings(self, limits, env, clock, seed, js_prelude)
        counter = counter_of("min_counter", _min_counter)
        self._durable = native_durable(key, record, redact, mounts, counter)
        self._branches = 0
        given["tools"], given["capabilities"] = self.tools, self.capabilities
        self._given = given
        self._ledger = None
        self._rest()
        make = machine_type(isolation, _images)
        self._machine = self._watched(make(self._settings, _snapshot, self._durable))
        if self._tools:
            from .names import warn_of_names

            warn_of_names(self._machine.tool_names())
        self.files = Files(self._machine)
        for path, data in files.items() if files else ():
            self.files[path] = data
        if _snapshot is not None:
            self._continue_from(_snapshot)

    @classmethod
    def restore(
        cls,
        data: bytes,
        *,
        min_counter: int | None = None,
        images: GivenImages | None = None,
        **settings: Unpack[RestoreSettings],
    ) -> Self:
        """Continues a snapshot, in this process or another one.

        It is of this build, or portable (``snapshot(portable=True)``): what that did not bring is a
        `LeftOutWarning`, and in `left_out`. One that another build made in the middle of a run goes
        on with ``images``, a path or several that ``pinfold images export`` wrote there, in a worker
        of that build (``isolation="process"``). Images are code: see `pinfold.images`.

        ``settings`` are those of `Sandbox`, without ``files`` and ``seed``, which the data has.
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
        refuse_others(settings)
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"a snapshot is bytes, not {type(data).__name__}")
        data, found = bytes(data), None
        if images is not None:
            from .images import needed

            found = needed(images, data, settings.get("isolation"))
        return cls(**settings, _snapshot=data, _min_counter=min_counter, _images=found)

    @classmethod
    def from_url(
        cls, text: str, *, min_counter: int | None = None, **settings: Unpack[RestoreSettings]
    ) -> Self:
        """Continues a sandbox that `to_url` made a text of; ``key`` is the one it was made with,
        and needed. All else is as in `restore`. `SnapshotError`: the text is not one, was altered,
        or has another key."""
        from .url import from_url

        if settings.get("key") is None:
            raise ValueError("a sandbox as text has a key: Sandbox.from_url(text, key=...)")
        return cls.restore(from_url(text), min_counter=min_counter, **settings)

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
        from .bounds import DEFAULT_BYTES
        from .mounts import Mounted, host_directory

        directory = host_directory(self._given.get("mounts"), place)
        most = min(self.limits.memory_bytes or DEFAULT_BYTES, DEFAULT_BYTES)
        return Mounted(self._machine, place, directory, most, self._looks)

    def proof(
        self, issuer: Issuer, *, limits: Limits | None = None, max_seconds: float | None = None
    ) -> Proof:
        """A signed statement of what came of the inputs so far, which anybody with the same build can
        check by running them again: `Proof.verify`, or ``pinfold verify``.

        The sandbox is recorded (``record=``), and its recording is in the proof. It is run again
        now, without tools, within ``limits`` and ``max_seconds`` as for `pinfold.replay`, so that
        what is signed holds. Also while calls wait; not while a program is parked, which is named:
        `SandboxStateError`.
        """
        from .proof import proof_of

        return proof_of(self, issuer, {"limits": limits, "max_seconds": max_seconds})

    @property
    def jobs(self) -> Jobs:
        """What it goes on with behind the run that started it: `Jobs` starts and lists them.

        >>> with Sandbox() as sandbox:
        ...     job = sandbox.jobs.start("seq 3; sleep 0.1; exit 4")
        ...     job.wait(), job.read()
        (4, '1\\n2\\n3\\n')
        """
        from .jobs import Jobs

        return Jobs(self)

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
            mapping("params", params, "names to values")
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
