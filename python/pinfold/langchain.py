"""LangChain tools in, and the sandbox as LangChain tools out. Needs ``langchain-core``."""

from __future__ import annotations

from typing import Any, Literal

from .tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .sandbox_tool import SandboxTool


def is_langchain_tool(value: object) -> bool:
    """Looks without importing the library."""
    kind = type(value)
    return hasattr(kind, "ainvoke") and hasattr(kind, "tool_call_schema") and hasattr(value, "name")


def from_langchain(tool: Any) -> Tool:
    """A LangChain tool as a tool of scripts: the same name, description and schema; ``arun()``
    calls its async path."""

    def invoke(**params: Any) -> Any:
        return tool.invoke(params)

    async def ainvoke(**params: Any) -> Any:
        return await tool.ainvoke(params)

    only_async = getattr(tool, "coroutine", None) is not None and getattr(tool, "func", 0) is None
    return Tool(
        tool.name,
        tool.description or "",
        _schema(tool.tool_call_schema),
        handler=ainvoke if only_async else invoke,
        async_handler=ainvoke,
    )


def _schema(described: Any) -> dict[str, Any]:
    schema: dict[str, Any] = (
        dict(described) if isinstance(described, dict) else described.model_json_schema()
    )
    return schema


def from_langchain_tools(tools: Iterable[Any]) -> list[Tool]:
    """As `from_langchain`, of several."""
    return [from_langchain(tool) for tool in tools]


# ------------------------------------------------------------------ out


def _structured(name: str, description: str, run: Any, arun: Any, fields: dict[str, Any]) -> Any:
    try:
        from langchain_core.tools import StructuredTool
        from pydantic import Field, create_model
    except ImportError as error:
        raise ImportError(f"LangChain tools need langchain-core: {error}") from error
    members: Any = {key: (kind, Field(description=text)) for key, (kind, text) in fields.items()}
    return StructuredTool.from_function(
        func=run,
        coroutine=arun,
        name=name,
        description=description,
        args_schema=create_model(f"{name}_arguments", **members),
    )


def as_langchain_tool(tool: SandboxTool, name: str, description: str) -> Any:
    """One tool with the arguments ``code`` and ``language``."""

    def run(code: str, language: str) -> str:
        return tool.run(code, language)

    async def arun(code: str, language: str) -> str:
        return await tool.arun(code, language)

    fields = {
        "code": (str, "the script"),
        "language": (Literal["javascript", "python", "shell"], "what it is written in"),
    }
    return _structured(name, description, run, arun, fields)


def as_langchain_tools(tool: SandboxTool, name: str) -> list[Any]:
    """Two tools: one for JavaScript, one for shell commands. Each is told of its language only."""
    from .prompt import describe_sandbox

    def run_js(code: str) -> str:
        return tool.run(code, "javascript")

    async def arun_js(code: str) -> str:
        return await tool.arun(code, "javascript")

    def run_shell(command: str) -> str:
        return tool.run(command, "shell")

    async def arun_shell(command: str) -> str:
        return await tool.arun(command, "shell")

    return [
        _structured(
            f"{name}_js",
            describe_sandbox(tool, ["javascript"]),
            run_js,
            arun_js,
            {"code": (str, "the JavaScript program")},
        ),
        _structured(
            f"{name}_shell",
            describe_sandbox(tool, ["shell"]),
            run_shell,
            arun_shell,
            {"command": (str, "the shell command or script")},
        ),
    ]
