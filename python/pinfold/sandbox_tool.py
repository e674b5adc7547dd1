"""`SandboxTool`: a sandbox as the one tool that a model is given."""

from __future__ import annotations

from collections.abc import Mapping

from .approval import asking
from .capability import MethodCapability
from .content import Content, printed_images
from .definitions import arguments_of
from .errors import CapabilityError
from .limits import Limits
from .running import OWN_OPTIONS, SESSION
from .running_jobs import LIST_JOBS, jobs_of, running_in_shell, shell_jobs
from .sandbox import Sandbox
from .shown import describe, shorten
from .tool import Tool, as_tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Self

    from .capability import Constraints
    from .editor import Editor
    from .output import OnOutput
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
        **settings: Any,
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

    def run(
        self,
        code: str,
        language: str,
        *,
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
    ) -> str:
        """Runs a script and gives what a model is to see of it."""
        try:
            return self.run_result(code, language, stdin=stdin, on_output=on_output)[0]
        except ValueError as error:  # the model's mistake: an unknown language, code too long
            return self._mistake(error)

    async def arun(
        self,
        code: str,
        language: str,
        *,
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
    ) -> str:
        """As `run`, with the guest in a worker thread and handlers on the event loop."""
        try:
            return (await self.arun_result(code, language, stdin=stdin, on_output=on_output))[0]
        except ValueError as error:
            return self._mistake(error)

    def run_result(
        self,
        code: str,
        language: str,
        *,
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
    ) -> tuple[str, Result]:
        """What a model is to see of a run, and its result, exact and whole. What `run` words as an
        error is a ``ValueError``.

        >>> text, result = SandboxTool().run_result("return {n: 1}", "javascript")
        >>> text, result.value
        ('{"n":1}', {'n': 1})
        """
        result = self.sandbox._run(code, language, stdin, on_output, self._how())
        text = self._shown(result, language)
        if running_in_shell(self.sandbox):
            listed = self.sandbox._run(LIST_JOBS, "shell", None, None, SESSION)
            text = f"{text}{shell_jobs(listed.stdout)}"
        return text + jobs_of(self.sandbox), result

    async def arun_result(
        self,
        code: str,
        language: str,
        *,
        stdin: bytes | str | None = None,
        on_output: OnOutput | None = None,
    ) -> tuple[str, Result]:
        """As `run_result`, async."""
        result = await self.sandbox._arun(code, language, stdin, on_output, self._how())
        text = self._shown(result, language)
        if running_in_shell(self.sandbox):
            listed = await self.sandbox._arun(LIST_JOBS, "shell", None, None, SESSION)
            text = f"{text}{shell_jobs(listed.stdout)}"
        return text + jobs_of(self.sandbox), result

    def _mistake(self, error: ValueError) -> str:
        if isinstance(error, self.sandbox._passthrough):
            raise error
        return f"[error]: {error}"

    def _how(self) -> int:
        return SESSION if self.session_options else OWN_OPTIONS

    def _shown(self, result: Result, language: str) -> str:
        text = describe(result, self.sandbox, self.output_characters, language in ("python", "py"))
        if result.session_ended and self._has_session:
            why = "was killed" if result.session_lost else "ended with this run (exit)"
            lost = "variables, functions and the working directory are gone, files stay"
            text = f"{text}\n[session]: the shell {why}; {lost}"
        if result.session_ended:
            self._has_session = False
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

    # ------------------------------------------------------------------ standard tools of models

    @property
    def editor(self) -> Editor:
        """The text editor behind the models' editing tools. What it can undo lasts as long as this
        object; it is in no snapshot."""
        if self._editor is None:
            from .editor import Editor

            self._editor = Editor(self.sandbox)
        return self._editor

    def run_content(self, code: str, language: str) -> Content:
        """As `run`, with the images whose absolute paths the script printed: `Content` has them in
        the forms of Anthropic, OpenAI and MCP."""
        try:
            text, result = self.run_result(code, language)
        except ValueError as error:
            return Content(self._mistake(error))
        return Content(text, printed_images(self.sandbox, result.stdout))

    async def arun_content(self, code: str, language: str) -> Content:
        """As `run_content`, async."""
        try:
            text, result = await self.arun_result(code, language)
        except ValueError as error:
            return Content(self._mistake(error))
        return Content(text, printed_images(self.sandbox, result.stdout))

    def handle_anthropic(self, block: Any) -> dict[str, Any]:
        """Serves a ``tool_use`` block of Anthropic's and gives its ``tool_result`` block: for this
        sandbox as a tool, for Anthropic's bash tool, and for its text editor.

        >>> tool = SandboxTool()
        >>> edit = {"command": "create", "path": "/workspace/a", "file_text": "hello"}
        >>> block = {"type": "tool_use", "id": "t1", "name": "str_replace_based_edit_tool"}
        >>> tool.handle_anthropic({**block, "input": edit})["content"][0]["text"]
        'File created successfully at: /workspace/a'
        >>> block = {"type": "tool_use", "id": "t2", "name": "bash", "input": {"command": "cat a"}}
        >>> tool.handle_anthropic(block)["content"]
        [{'type': 'text', 'text': 'hello'}]
        """
        from . import standard

        given = standard.plain(block)
        try:
            script = standard.anthropic_script(self, given)
            if script is None:
                content = Content(self.editor.handle(given.get("input") or {}))
            else:
                content = self.run_content(script.code, script.language)
        except ValueError as error:
            return standard.anthropic_result(given, Content(self._mistake(error)), True)
        return standard.anthropic_result(given, content, False)

    async def ahandle_anthropic(self, block: Any) -> dict[str, Any]:
        """As `handle_anthropic`, async."""
        from . import standard

        given = standard.plain(block)
        try:
            script = standard.anthropic_script(self, given)
        except ValueError as error:
            return standard.anthropic_result(given, Content(self._mistake(error)), True)
        if script is None:
            edited: dict[str, Any] = await self.sandbox._offload(self.handle_anthropic, given)
            return edited
        content = await self.arun_content(script.code, script.language)
        return standard.anthropic_result(given, content, False)

    def handle_openai(self, item: Any) -> dict[str, Any]:
        """Serves an item of OpenAI's responses and gives the one that answers it: a
        ``function_call`` of this sandbox as a tool, a ``shell_call`` or ``local_shell_call``, an
        ``apply_patch_call``, and a function or custom tool named ``apply_patch``.

        >>> call = {"type": "shell_call", "call_id": "c1", "action": {"commands": ["echo hi"]}}
        >>> SandboxTool().handle_openai(call)["output"]
        [{'stdout': 'hi\\n', 'stderr': '', 'outcome': {'type': 'exit', 'exit_code': 0}}]
        """
        from . import standard

        given = standard.plain(item)
        try:
            done = standard.openai_patch(self, given)
            if done is not None:
                return standard.openai_output(given, done)
            commands = standard.openai_commands(given)
            if commands is None:
                code, language = arguments_of(given.get("arguments") or "")
                return standard.openai_output(given, self.run_content(code, language).openai())
            if given["type"] == "local_shell_call":
                return standard.openai_output(given, self.run(commands[0], "shell"))
            outputs = [self._shell_output(self.run_result(code, "shell")[1]) for code in commands]
            return standard.openai_output(given, outputs)
        except ValueError as error:
            return standard.openai_output(given, self._mistake(error), failed=True)

    async def ahandle_openai(self, item: Any) -> dict[str, Any]:
        """As `handle_openai`, async."""
        from . import standard

        given = standard.plain(item)
        try:
            commands = standard.openai_commands(given)
            if commands is not None and given["type"] == "local_shell_call":
                return standard.openai_output(given, await self.arun(commands[0], "shell"))
            if commands is not None:
                outputs = []
                for code in commands:
                    result = (await self.arun_result(code, "shell"))[1]
                    outputs.append(self._shell_output(result))
                return standard.openai_output(given, outputs)
            if given.get("type") == "function_call" and given.get("name") != "apply_patch":
                code, language = arguments_of(given.get("arguments") or "")
                content = await self.arun_content(code, language)
                return standard.openai_output(given, content.openai())
        except ValueError as error:
            return standard.openai_output(given, self._mistake(error), failed=True)
        patched: dict[str, Any] = await self.sandbox._offload(self.handle_openai, given)
        return patched

    def _shell_output(self, result: Result) -> dict[str, Any]:
        """A run as the output of one command of a shell call."""
        outcome: dict[str, Any] = {"type": "exit", "exit_code": result.exit_code}
        if result.limit in ("cpu_seconds", "wall_seconds"):
            outcome = {"type": "timeout"}
        most = self.output_characters
        stdout, stderr = (
            text if most is None or len(text) <= most else shorten(text, most)
            for text in (result.stdout, result.stderr)
        )
        return {"stdout": stdout, "stderr": stderr, "outcome": outcome}

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

    def as_anthropic_tools(self, name: str = "sandbox") -> list[dict[str, Any]]:
        """The sandbox with Anthropic's standard tools, bash and the text editor, which
        `handle_anthropic` serves on the same files."""
        from .standard import ANTHROPIC

        return [self.as_anthropic_tool(name), *ANTHROPIC]

    def as_openai_tools(self, name: str = "sandbox") -> list[dict[str, Any]]:
        """The sandbox with OpenAI's standard tools for responses, shell and apply_patch, which
        `handle_openai` serves on the same files."""
        from .standard import OPENAI

        return [self.as_openai_tool(name, api="responses"), *OPENAI]

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
    **settings: Any,
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
