"""`SandboxTool`: a sandbox as the one tool that a model is given."""

from __future__ import annotations

from collections.abc import Mapping

from .approval import asking
from .capability import MethodCapability
from .errors import CapabilityError
from .sandbox import Sandbox, describe_failure
from .tool import Tool, as_tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Self

    from .capability import Constraints
    from .result import Result
    from .tool import Handler


class SandboxTool:
    """A sandbox whose runs give the text that a model sees.

    >>> tool = SandboxTool()
    >>> tool.run("echo hello | tr a-z A-Z", language="shell")
    'HELLO'
    >>> print(tool.run("ls /nowhere", language="shell"))
    [stderr]: ls: cannot access '/nowhere': No such file or directory
    [exit code]: 2
    """

    def __init__(self, sandbox: Sandbox | None = None) -> None:
        #: The sandbox behind it: files, snapshots and exact results are there.
        self.sandbox = Sandbox() if sandbox is None else sandbox

    @classmethod
    def from_functions(
        cls,
        tools: Iterable[Tool | Handler],
        *,
        capabilities: Iterable[MethodCapability] | None = None,
        ask: bool | Iterable[str] = False,
        **settings: Any,
    ) -> Self:
        """Tools with the capabilities given; without any, each tool is granted as it is. ``ask`` is
        that of `create_sandbox_tool`."""
        made = as_tools(tools)
        granted = _granted(made) if capabilities is None else capabilities
        return cls(Sandbox(tools=made, capabilities=asking(granted, ask), **settings))

    @property
    def tools(self) -> list[Tool]:
        """What scripts in the sandbox can call."""
        return self.sandbox.tools

    def run(self, code: str, language: str, *, stdin: bytes | str | None = None) -> str:
        """Runs a script and gives what a model is to see of it."""
        try:
            return describe(self.sandbox.run(code, language, stdin))
        except ValueError as error:  # the model's mistake: an unknown language, code too long
            return f"[error]: {error}"

    async def arun(self, code: str, language: str, *, stdin: bytes | str | None = None) -> str:
        """As `run`, with the guest in a worker thread and handlers on the event loop."""
        try:
            return describe(await self.sandbox.arun(code, language, stdin))
        except ValueError as error:
            return f"[error]: {error}"

    def handle(self, arguments: str | Mapping[str, Any]) -> str:
        """Runs what a model asked for: the arguments of its tool call, as JSON text or parsed.

        >>> SandboxTool().handle('{"code": "echo $((6 * 7))", "language": "shell"}')
        '42'
        """
        from .definitions import arguments_of

        try:
            return self.run(*arguments_of(arguments))
        except ValueError as error:
            return f"[error]: {error}"

    async def ahandle(self, arguments: str | Mapping[str, Any]) -> str:
        """As `handle`, async."""
        from .definitions import arguments_of

        try:
            return await self.arun(*arguments_of(arguments))
        except ValueError as error:
            return f"[error]: {error}"

    # ------------------------------------------------------------------ for models and frameworks

    @property
    def description(self) -> str:
        """What a model is told of the sandbox: what it runs, and the functions scripts can call."""
        from .prompt import describe_sandbox

        return describe_sandbox(self)

    def codeact_prompt(self) -> str:
        """A system prompt for a model that acts by writing code; `pinfold.prompt.extract_code`
        finds the program in its answers."""
        from .prompt import codeact_prompt

        return codeact_prompt(self)

    def as_codeact_eval(self, *, asynchronous: bool = False) -> Callable[[str, Any], Any]:
        """The ``eval_fn`` of ``langgraph_codeact.create_codeact``, with `codeact_prompt` as its
        ``prompt``: runs the JavaScript that a model wrote. What a program leaves for the next one
        lies in files, so the context of variables stays as it is.

        >>> SandboxTool().as_codeact_eval()("return 6 * 7", {})
        ('42', {})
        """

        def evaluate(code: str, context: Any) -> tuple[str, dict[str, Any]]:
            return self.run(code, "javascript"), {}

        async def aevaluate(code: str, context: Any) -> tuple[str, dict[str, Any]]:
            return await self.arun(code, "javascript"), {}

        return aevaluate if asynchronous else evaluate

    def as_openai_tool(self, name: str = "sandbox", *, api: str = "chat") -> dict[str, Any]:
        """The definition for OpenAI: ``api`` is ``"chat"`` or ``"responses"``. `handle` runs what
        the model then asks for."""
        from .definitions import openai_tool

        return openai_tool(name, self.description, api)

    def as_anthropic_tool(self, name: str = "sandbox") -> dict[str, Any]:
        """The definition for Anthropic; `handle` runs what the model then asks for."""
        from .definitions import anthropic_tool

        return anthropic_tool(name, self.description)

    def as_langchain_tool(self, name: str = "sandbox") -> Any:
        """One LangChain tool with the arguments ``code`` and ``language``, sync and async."""
        from .langchain import as_langchain_tool

        return as_langchain_tool(self, name, self.description)

    def as_langchain_tools(self, name: str = "sandbox") -> list[Any]:
        """Two LangChain tools, ``sandbox_js`` and ``sandbox_shell``."""
        from .langchain import as_langchain_tools

        return as_langchain_tools(self, name, self.description)

    def as_pydantic_ai_tool(self, name: str = "sandbox") -> Any:
        """One PydanticAI tool."""
        from .pydantic_ai import as_pydantic_ai_tool

        return as_pydantic_ai_tool(self, name, self.description)

    def as_mcp_server(self, name: str = "pinfold") -> Any:
        """A server of the MCP SDK. Each of its sessions is a sandbox with all the settings of this
        one and fresh files; they and this one spend the budgets (``max_calls``) together. A session
        of what is recorded as ``run.jsonl`` is recorded as ``run.1.jsonl``, and so on."""
        from .mcp_server import server_of

        return server_of(self, name)

    def _another(self) -> Self:
        """One for another user, with a sandbox of the same settings."""
        return type(self)(self.sandbox._another())

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
    **settings: Any,
) -> SandboxTool:
    """A sandbox for a model, in which each of these tools may be called.

    ``constraints`` limits the arguments of a tool by its name, ``max_calls`` how often all of them
    (an int) or some (a mapping) may be called. Or ``capabilities`` says what is granted, instead of
    all that: nothing else is. Other settings are those of `Sandbox`.

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
    return [
        MethodCapability(name, constraints.get(name, ()), max_calls.get(name)) for name in names
    ]


def _check_names(what: str, given: Mapping[str, Any], names: list[str]) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} is a mapping from tool names, not {given!r}")
    for name in given:
        if name not in names:
            raise CapabilityError(f"{what}: there is no tool {name!r}, only {names}")


def describe(result: Result) -> str:
    """A result as a model sees it."""
    parts = []
    if result.stdout.rstrip("\n"):
        parts.append(result.stdout.rstrip("\n"))
    if result.stderr.rstrip("\n"):
        parts.append(f"[stderr]: {result.stderr.rstrip(chr(10))}")
    if result.exit_code != 0:
        parts.append(f"[exit code]: {result.exit_code}")
    if result.limit is not None:
        parts.append(f"[error]: {describe_failure(result)}")
    cut = [name for name in ("stdout", "stderr") if getattr(result, f"{name}_truncated")]
    if cut:
        parts.append(f"[truncated]: {' and '.join(cut)} over the output limit")
    return "\n".join(parts) or "(no output)"
