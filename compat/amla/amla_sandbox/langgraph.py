"""`SandboxTool`: a sandbox as a tool of an agent."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from .capabilities import MethodCapability
from .sandbox import Sandbox
from .tools.conversion import (
    capability_from_function,
    first_line,
    name_of,
    tool_from_function,
)
from .tools.handlers import handler_for

DESCRIPTION = (
    "Runs a script in a sandbox with its own files: JavaScript (top-level await) or shell. "
    "Scripts call the tools that are listed; only what a script prints is returned."
)


@dataclass
class ExecutionResult:
    """What a script gave."""

    stdout: str = ""
    stderr: str = ""
    return_value: Any = None
    error: str | None = None
    success: bool = True

    def __str__(self) -> str:
        if self.error:
            return f"Error: {self.error}\n{self.stderr}"
        return self.stdout

    def to_tool_message(self) -> str:
        """The text a model sees."""
        parts = []
        if self.stdout:
            parts.append(self.stdout)
        if self.stderr:
            parts.append(f"[stderr]: {self.stderr}")
        if self.error:
            parts.append(f"[error]: {self.error}")
        return "\n".join(parts) or "(no output)"


@dataclass
class SandboxTool:
    """A sandbox, and the functions that its scripts may call."""

    sandbox: Sandbox
    tools: list[Callable[..., Any]] = field(default_factory=list)
    _tool_map: dict[str, Callable[..., Any]] = field(default_factory=dict)
    name: str = "sandbox"
    description: str = DESCRIPTION

    @classmethod
    def from_functions(
        cls,
        tools: Sequence[Callable[..., Any]],
        *,
        capabilities: Sequence[MethodCapability] | None = None,
    ) -> Self:
        """Functions with the capabilities given; without any, each may be called as it is."""
        functions = list(tools)
        by_name = {name_of(func): func for func in functions}
        granted = (
            [capability_from_function(func) for func in functions]
            if capabilities is None
            else list(capabilities)
        )
        sandbox = Sandbox(
            tools=[tool_from_function(func) for func in functions],
            capabilities=granted,
            tool_handler=handler_for(by_name),
        )
        return cls(sandbox=sandbox, tools=functions, _tool_map=by_name)

    # ------------------------------------------------------------------ running

    def execute(self, code: str, *, stdin: str | bytes | None = None) -> ExecutionResult:
        """Runs JavaScript; never raises."""
        return self._result(lambda: self.sandbox.execute(code, stdin=stdin))

    def shell(self, command: str, *, stdin: str | bytes | None = None) -> ExecutionResult:
        """Runs a shell command; never raises."""
        return self._result(lambda: self.sandbox.shell(command, stdin=stdin))

    def _result(self, run: Callable[[], str]) -> ExecutionResult:
        try:
            stdout = run()
        except Exception as error:
            return ExecutionResult(error=str(error) or type(error).__name__, success=False)
        return ExecutionResult(stdout=stdout, stderr=self.sandbox.last_stderr)

    def run(self, code: str, language: str, *, stdin: str | bytes | None = None) -> str:
        """Runs a script and gives the text a model sees. ``"shell"``, or JavaScript."""
        run = self.shell if language == "shell" else self.execute
        return run(code, stdin=stdin).to_tool_message()

    # ------------------------------------------------------------------ for LangChain

    def as_langchain_tool(self) -> Any:
        """One tool with the arguments ``code`` and ``language``."""

        def run(code: str, language: str) -> str:
            return self.run(code, language)

        return _structured(
            run,
            self.name,
            self.description,
            {
                "code": "the script",
                "language": '"javascript" or "shell"',
            },
        )

    def as_langchain_tools(self) -> list[Any]:
        """Two tools: ``sandbox_js`` and ``sandbox_shell``."""

        def sandbox_js(code: str) -> str:
            return self.run(code, "javascript")

        def sandbox_shell(command: str) -> str:
            return self.run(command, "shell")

        return [
            _structured(
                sandbox_js,
                "sandbox_js",
                f"{self.description} This one runs JavaScript.",
                {"code": "the JavaScript program"},
            ),
            _structured(
                sandbox_shell,
                "sandbox_shell",
                f"{self.description} This one runs shell commands.",
                {"command": "the shell command"},
            ),
        ]

    # ------------------------------------------------------------------ for prompts

    def get_tool_descriptions(self) -> str:
        """The functions, with their signatures and docstrings."""
        if not self.tools:
            return "No tools are available."
        return "\n\n".join(
            f"{_signature(func)}\n{inspect.getdoc(func) or ''}".rstrip() for func in self.tools
        )

    def get_system_prompt(self, *, include_tools: bool = True) -> str:
        """How to use the one tool, for a system prompt."""
        how = (
            f"Use the tool `{self.name}` to run scripts. Its arguments are `code` and"
            ' `language` ("javascript" or "shell").'
        )
        return self._prompt(how, include_tools)

    def get_system_prompt_for_separate_tools(self, *, include_tools: bool = True) -> str:
        """How to use the two tools, for a system prompt."""
        how = (
            "Use the tool `sandbox_js` to run JavaScript (argument `code`) and `sandbox_shell`"
            " to run shell commands (argument `command`)."
        )
        return self._prompt(how, include_tools)

    def _prompt(self, how: str, include_tools: bool) -> str:
        parts = [how, _GUIDE]
        if include_tools and self.tools:
            lines = [
                f"- {_signature(func)}: {first_line(inspect.getdoc(func))}".rstrip(": ")
                for func in self.tools
            ]
            parts.append("Functions that scripts can call:\n" + "\n".join(lines))
            limits = self._get_constraints_summary()
            if limits:
                parts.append("Limits:\n" + limits)
        return "\n\n".join(parts)

    def _get_constraints_summary(self) -> str:
        lines = []
        for capability in self.sandbox.get_capabilities():
            name = capability.method_pattern.removeprefix("mcp:")
            if capability.max_calls is not None and 0 < capability.max_calls < 100:
                lines.append(f"- {name}: at most {capability.max_calls} calls")
            if len(capability.constraints):
                rules = "; ".join(_in_words(rule) for rule in capability.constraints)
                lines.append(f"- {name}: {rules}")
        return "\n".join(lines)


_GUIDE = """Only what a script prints comes back, so let one script do many steps:

    const found = await Promise.all(ids.map(id => get_item({id})));
    console.log(found.filter(item => item.open).length);

Every function takes one object and returns a promise. Files are under /workspace and /tmp
(`await fs.readFile(path)`, `await fs.writeFile(path, text)`); JavaScript and shell share them. The
shell has grep, sort, uniq, cut, tr, head, tail, wc, jq and the other usual commands, and calls
functions with `tool NAME --param value`."""


def _signature(func: Callable[..., Any]) -> str:
    try:
        return f"{name_of(func)}{inspect.signature(func)}"
    except (TypeError, ValueError):
        return f"{name_of(func)}(...)"


def _in_words(rule: Any) -> str:
    signs = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
    if rule.type in signs:
        return f"{rule.param} {signs[rule.type]} {rule.value!r}"
    if rule.type in ("in", "not_in"):
        return f"{rule.param} {rule.type.replace('_', ' ')} {rule.values!r}"
    text = rule.prefix or rule.suffix or rule.substring
    words = rule.type.replace("_", " ")
    return f"{rule.param} {words} {text!r}" if text else f"{rule.param} {words}".strip()


def _structured(func: Callable[..., str], name: str, text: str, about: dict[str, str]) -> Any:
    try:
        from langchain_core.tools import StructuredTool
    except ImportError:
        raise ImportError("langchain_core is not installed: pip install langchain-core") from None
    from pydantic import Field, create_model

    fields: Any = {key: (str, Field(description=d)) for key, d in about.items()}
    return StructuredTool.from_function(
        func=func, name=name, description=text, args_schema=create_model(name, **fields)
    )
