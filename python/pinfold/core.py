"""What every part of `Sandbox` stands on: its machine, who has it in use, its calls."""

from __future__ import annotations

from .errors import SandboxBusy, SandboxStateError
from .limits import Limits
from .result import Result, TotalUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from ._native import CallData, Durable, Outcome, Place, Settings
    from .adrive import Hold
    from .bounds import Look
    from .call import Call
    from .capability import MethodCapability
    from .deadline import Deadline
    from .errors import ToolError
    from .files import Files
    from .ledger import Ledger
    from .machine import Machine
    from .place import Budget
    from .tool import Tool

    #: ``tool_handler(method, params)``: asked for what has no handler of its own.
    ToolHandler = Callable[[str, dict[str, Any]], Any]
    #: Says True to approve a call, anything else not to; a str says why not. Or gives a branch of
    #: ``call.preview()``, or a choice (`pinfold.choices`). May be async.
    Approve = Callable[[Call], Any]
    #: What a run has of its own: its place, its budget, its limits.
    Own = tuple[Place | None, Budget | None, Limits | None]


class Core:
    """The inside of a `Sandbox`."""

    #: The files inside, as a mapping from path to bytes.
    files: Files
    _machine: Machine
    _tools: dict[str, Tool]
    _capabilities: list[MethodCapability]
    _tool_handler: ToolHandler | None
    _approve: Approve | None
    _hide_tool_errors: bool
    _passthrough: tuple[type[Exception], ...]
    _held: bool  # a run waits that such an exception came out of
    _deadline: Deadline | None
    _in_time: bool  # an ``arun`` with a timeout is on
    _last: Call | None  # that was handed out
    _hold: Hold | None  # of the coroutine that uses it
    _tasks: dict[Any, Call]  # of a run that a coroutine drives: handlers that are on
    _resting: Any  # the same: a lock, for steps of the guest and for previews
    _looks: set[Look]  # that are on, beside the machine's own
    _adopting: bool  # the same: a branch of a preview was chosen, and is about to take its place
    _settings: Settings
    _durable: Durable
    _branches: int  # that are recorded
    _restored_from: Literal["exact", "portable"] | None
    #: Every setting, by its name: what `_another` goes by. A new one is in here by itself.
    _given: dict[str, Any]
    _ledger: Ledger | None
    _budget: Budget | None  # of the run that is on, or of the last
    _own_limits: Limits | None  # the same
    _totals: list[int]  # of all runs: how many, ns of CPU and wall time, most memory, calls

    @property
    def limits(self) -> Limits:
        """How much it may use."""
        return self._given["limits"] or Limits()

    @property
    def usage(self) -> TotalUsage:
        """What all runs that were completed here have cost together: this sandbox's, not those of the
        snapshot or the trunk that it came from."""
        return TotalUsage(*self._totals)

    def _rest(self) -> None:
        """Nothing is on."""
        self._held = self._in_time = False
        self._totals = [0, 0, 0, 0, 0]
        self._budget = self._own_limits = None
        self._deadline = self._last = self._hold = None
        self._restored_from = None
        self._tasks = {}
        self._resting = None
        self._looks = set()
        self._adopting = False

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
                self._count(machine.advance())
        except BaseException:
            machine.close()
            raise

    def _begin(
        self,
        code: str,
        language: str,
        stdin: bytes | None,
        how: int,
        emit: Callable[[int, bytes], object] | None,
        own: Own | None,
    ) -> Outcome | None:
        """Starts a run, with what it has of its own."""
        place, budget, limits = own or (None, None, None)
        if not self._machine.running():  # else it is refused
            self._budget, self._own_limits = budget, limits
        if place is None:
            return self._machine.start(code, language, stdin, how, emit)
        try:
            return self._machine.start(code, language, stdin, how, emit, place)
        except OSError as error:
            error.add_note("cwd is a directory in the sandbox; files.upload() brings one there.")
            raise

    def _ended(self, outcome: Outcome) -> Result:
        self._count(outcome)
        return self._result(outcome)

    def _result(self, outcome: Outcome, timeout: float | None = None) -> Result:
        limit = outcome[4]
        if limit is None:
            return Result(outcome)
        if limit == "timeout":
            return Result(outcome, timeout)
        own = self._own_limits
        usual = self.limits if own is None or limit not in own._named else own
        return Result(outcome, getattr(usual, limit, None))

    def _count(self, outcome: Outcome | None) -> None:
        """A run is complete, if it is."""
        if outcome is None:
            return
        totals = self._totals
        totals[0] += 1
        totals[1] += outcome[8]
        totals[2] += outcome[9]
        totals[3] = max(totals[3], outcome[10])
        totals[4] += outcome[11]

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
            self._count(self._machine.resume(call.id, text))

    def _fail(self, call: Call, error: ToolError) -> None:
        from .answer import failure

        kind, text = failure(error, hide=False)
        with self._entered():
            self._count(self._machine.fail(call.id, kind, text))

    def _deny(self, call: Call, message: str | None) -> None:
        from .errors import ToolError

        text = f"{call.method} is denied: {message or 'it was not approved'}"
        self._fail(call, ToolError(text, "denied"))

    async def _offload(self, function: Callable[..., Any], *args: Any) -> Any:
        from .adrive import offload

        return await offload(self, function, *args)


class _Entered:
    """The time that a sandbox is in use; when it is for a ``run``, interrupts count from its first
    moment on."""

    __slots__ = ("_sandbox", "_run")

    def __init__(self, sandbox: Core, run: bool) -> None:
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
