"""`SandboxTool`: a sandbox as the one tool that a model is given."""

from __future__ import annotations

from collections.abc import Mapping

from .approval import asking
from .capability import MethodCapability
from .definitions import arguments_of
from .errors import CapabilityError
from .handling import Handling
from .limits import Limits
from .offering import Offering
from .running import OWN_OPTIONS, SESSION
from .running_jobs import LIST_JOBS, jobs_of, running_in_shell, shell_jobs
from .sandbox import Sandbox
from .shown import describe
from .tool import Tool, as_tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Self, Unpack

    from .capability import Constraints
    from .editor import Editor
    from .result import Result
    from .tool import Handler
    from .typed import OtherSettings, ToolRunSettings, ToolSettings


class SandboxTool(Handling, Offering):
    """A sandbox whose runs give the text that a model sees.

    >>> tool = SandboxTool()
    >>> tool.run("echo hello | tr a-z A-Z", language="shell")
    'HELLO'
    >>> print(tool.run("ls /nowhere", language="shell"))
    [stderr]: ls: cannot access '/nowhere': No such file or directory
    [exit code]: 2

    ``output_characters`` is how much output a text has at most (None: all of it): head and tail
    stay, and all of it lies in a file inside that the text names. ``description_characters`` is how
    much a model is told about the functions that scripts can call; what has no room scripts look up.
    Options that a script sets (``set -e``, ``shopt``) end with its run, because the next script
    would die of them; with ``session_options=True`` they last, as variables do.
    """

    def __init__(
        self,
        sandbox: Sandbox | None = None,
        *,
        output_characters: int | None = 20_000,
        description_characters: int | None = 20_000,
        session_options: bool = False,
    ) -> None:
        #: The sandbox behind it: files, snapshots and exact results are there.
        self.sandbox = Sandbox(limits=_LIMITS) if sandbox is None else sandbox
        self.output_characters = _budget("output_characters", output_characters)
        self.description_characters = _budget("description_characters", description_characters)
        if not isinstance(session_options, bool):
            raise TypeError(f"session_options is True or False, not {session_options!r}")
        self.session_options = session_options
        self._editor: Editor | None = None
        self._has_session = sandbox is not None  # state that a run may lose, perhaps

    @classmethod
    def from_functions(
        cls,
        tools: Iterable[Tool | Handler],
        *,
        capabilities: Iterable[MethodCapability] | None = None,
        ask: bool | Iterable[str] = False,
        output_characters: int | None = 20_000,
        description_characters: int | None = 20_000,
        session_options: bool = False,
        **settings: Unpack[OtherSettings],
    ) -> Self:
        """Tools with the capabilities given; without any, each tool is granted as it is. ``ask`` is
        that of `create_sandbox_tool`. Without ``limits`` a run may have 16 MiB of output, so that
        its tail can be shown (1 MiB of what is recorded)."""
        made = as_tools(tools)
        granted = _granted(made) if capabilities is None else capabilities
        if settings.get("limits") is None and settings.get("record") is None:
            settings["limits"] = _LIMITS  # which a replay would have to be allowed
        tool = cls(
            Sandbox(tools=made, capabilities=asking(granted, ask), **settings),
            output_characters=output_characters,
            description_characters=description_characters,
            session_options=session_options,
        )
        tool._has_session = False
        return tool

    @property
    def tools(self) -> list[Tool]:
        """What scripts in the sandbox can call."""
        return self.sandbox.tools

    def run(self, code: str, language: str, **how: Unpack[ToolRunSettings]) -> str:
        """Runs a script and gives what a model is to see of it.

        The keywords are those of `Sandbox.run`: ``stdin``, ``on_output`` (with ``binary=True`` for
        bytes), ``timeout``, ``cwd``, ``env``, ``limits``, ``budget``. An unknown language, code over
        its limit and the like are the model's mistakes, and words for it: ``[error]: ...``; a
        ``cwd`` that is not there is an ``OSError`` for you.
        """
        try:
            return self.run_result(code, language, **how)[0]
        except ValueError as error:
            return self._mistake(error)

    async def arun(self, code: str, language: str, **how: Unpack[ToolRunSettings]) -> str:
        """As `run`, with the guest in a worker thread and handlers on the event loop."""
        try:
            return (await self.arun_result(code, language, **how))[0]
        except ValueError as error:
            return self._mistake(error)

    def run_result(
        self, code: str, language: str, **how: Unpack[ToolRunSettings]
    ) -> tuple[str, Result]:
        """What a model is to see of a run, and its result, exact and whole. What `run` words as an
        error is a ``ValueError``; the keywords are the same.

        >>> text, result = SandboxTool().run_result("return {n: 1}", "javascript")
        >>> text, result.value
        ('{"n":1}', {'n': 1})
        """
        result = self.sandbox._run_how(code, language, self._how(), **how)
        text = self._shown(result, language)
        if running_in_shell(self.sandbox):
            listed = self.sandbox._run(LIST_JOBS, "shell", None, None, SESSION)
            text = f"{text}{shell_jobs(listed.stdout)}"
        return text + jobs_of(self.sandbox), result

    async def arun_result(
        self, code: str, language: str, **how: Unpack[ToolRunSettings]
    ) -> tuple[str, Result]:
        """As `run_result`, async."""
        result = await self.sandbox._arun_how(code, language, self._how(), **how)
        text = self._shown(result, language)
        if running_in_shell(self.sandbox):
            listed = await self.sandbox._arun(LIST_JOBS, "shell", None, None, SESSION)
            text = f"{text}{shell_jobs(listed.stdout)}"
        return text + jobs_of(self.sandbox), result

    def reset(self) -> None:
        """From the beginning, as `Sandbox.reset`."""
        self.sandbox.reset()
        self._editor = None
        self._has_session = False

    def add_tools(
        self,
        tools: Iterable[Tool | Handler],
        *,
        constraints: Mapping[str, Constraints] | None = None,
        max_calls: int | Mapping[str, int | None] | None = None,
        ask: bool | Iterable[str] = False,
    ) -> None:
        """More tools that scripts may call, granted as by `create_sandbox_tool`, between two runs;
        see `Sandbox.add_tools`. The next description tells the model of them."""
        made = as_tools(tools)
        self.sandbox.add_tools(made, asking(_granted(made, constraints, max_calls), ask))

    def remove_tools(self, *names: str) -> None:
        """Takes tools away, as `Sandbox.remove_tools`."""
        self.sandbox.remove_tools(*names)

    def _mistake(self, error: ValueError) -> str:
        if isinstance(error, self.sandbox._passthrough):
            raise error
        return f"[error]: {error}"

    def _how(self) -> int:
        return SESSION if self.session_options else OWN_OPTIONS

    def _shown(self, result: Result, language: str) -> str:
        text = describe(result, self.sandbox, self.output_characters, language in ("python", "py"))
        python = language in ("python", "py")
        if result.session_ended and (python or self._has_session):
            why = "was killed" if result.session_lost else "ended with this run (exit)"
            who, lost = ("Python", "names") if python else ("the shell", "variables, functions")
            lost = f"{lost} and the working directory are gone, files stay"
            text = f"{text}\n[session]: {who} {why}; {lost}"
        if result.session_ended:
            self._has_session = self._has_session and python
        elif language in _SHELLS:
            self._has_session = True
        return text

    def handle(self, arguments: str | Mapping[str, Any]) -> str:
        """Runs what a model asked for: the arguments of its tool call, as JSON text or parsed.

        >>> SandboxTool().handle('{"code": "echo $((6 * 7))", "language": "shell"}')
        '42'
        """
        try:
            return self.run(*arguments_of(arguments))
        except ValueError as error:
            return self._mistake(error)

    async def ahandle(self, arguments: str | Mapping[str, Any]) -> str:
        """As `handle`, async."""
        try:
            return await self.arun(*arguments_of(arguments))
        except ValueError as error:
            return self._mistake(error)

    def _another(self) -> Self:
        """One for another user, with a sandbox of the same settings."""
        another = type(self)(
            self.sandbox._another(),
            output_characters=self.output_characters,
            description_characters=self.description_characters,
            session_options=self.session_options,
        )
        another._has_session = False
        return another

    def close(self) -> None:
        self.sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<SandboxTool on {self.sandbox!r}>"


def create_sandbox_tool(
    tools: Iterable[Tool | Handler] | None = None,
    *,
    constraints: Mapping[str, Constraints] | None = None,
    max_calls: int | Mapping[str, int | None] | None = None,
    capabilities: Iterable[MethodCapability] | None = None,
    ask: bool | Iterable[str] = False,
    **settings: Unpack[ToolSettings],
) -> SandboxTool:
    """A sandbox for a model, in which each of these tools may be called.

    ``constraints`` limits the arguments of a tool by its name, ``max_calls`` how often all of them
    (an int) or some (a mapping) may be called. Or ``capabilities`` says what is granted, instead of
    all that: nothing else is. Other settings are those of `Sandbox` and `SandboxTool`.

    With ``ask`` calls are granted one by one: True means every call, a list of names or patterns
    those of the tools it is about. ``approve(call)`` is asked each time, after the constraints
    hold; without it such a call is denied. An ``approve`` that no call can reach is an error.

    >>> def transfer(to: str, amount: int) -> str:
    ...     return f"sent {amount} to {to}"
    >>> sandbox = create_sandbox_tool(
    ...     tools=[transfer],
    ...     constraints={"transfer": {"amount": "<=1000", "to": "startswith:acct_"}},
    ...     max_calls=5,
    ... )
    >>> sandbox.run("return await transfer({to: 'acct_7', amount: 50})", language="javascript")
    'sent 50 to acct_7'
    >>> asked = create_sandbox_tool(
    ...     tools=[transfer], ask=["transfer"], approve=lambda call: call.params["amount"] < 10
    ... )
    >>> print(asked.run("transfer --to acct_7 --amount 50", language="shell"))
    [stderr]: transfer: transfer is denied: it was not approved
    [exit code]: 126
    """
    made = as_tools(tools)
    if capabilities is None:
        capabilities = _granted(made, constraints, max_calls)
    elif constraints is not None or max_calls is not None:
        raise TypeError(
            "constraints and max_calls say how tools are granted, and so do capabilities:"
            " give one or the other"
        )
    return SandboxTool.from_functions(made, capabilities=capabilities, ask=ask, **settings)


#: Of a sandbox that is made for a model, unless the embedder says something else.
_LIMITS = Limits(output_bytes=16 << 20)
_SHELLS = ("shell", "bash", "sh")


def _budget(name: str, value: int | None) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is an int or None, not {value!r}")
    if value < 100:
        raise ValueError(f"{name} is at least 100, not {value!r}")
    return value


def _granted(
    tools: list[Tool],
    constraints: Mapping[str, Constraints] | None = None,
    max_calls: int | Mapping[str, int | None] | None = None,
) -> list[MethodCapability]:
    """A capability for each tool."""
    names = [tool.name for tool in tools]
    if max_calls is None or isinstance(max_calls, int):
        max_calls = dict.fromkeys(names, max_calls)
    constraints = {} if constraints is None else constraints
    _check_names("constraints", constraints, names)
    _check_names("max_calls", max_calls, names)
    granted = []
    for tool in tools:
        narrowed = (constraints.get(tool.name, ()), max_calls.get(tool.name))
        granted += tool.own_capabilities(*narrowed) or [MethodCapability(tool.name, *narrowed)]
    return granted


def _check_names(what: str, given: Mapping[str, Any], names: list[str]) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} is a mapping from tool names, not {given!r}")
    for name in given:
        if name not in names:
            raise CapabilityError(f"{what}: there is no tool {name!r}, only {names}")
