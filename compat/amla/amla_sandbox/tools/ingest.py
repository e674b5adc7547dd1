"""Tools of other libraries as functions and definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .conversion import first_line, tool_from_function
from .definition import ToolDefinition

Function = Callable[..., Any]
Ingested = tuple[list[Function], list[ToolDefinition]]


def from_openai_tools(
    tools: Iterable[Mapping[str, Any]], handlers: Mapping[str, Function] | None = None
) -> Ingested:
    """Tools in OpenAI's format, wrapped in {"type": "function"} or flat."""
    described = [tool.get("function", tool) for tool in tools]
    return _ingest(described, "parameters", handlers)


def from_anthropic_tools(
    tools: Iterable[Mapping[str, Any]], handlers: Mapping[str, Function] | None = None
) -> Ingested:
    """Tools in Anthropic's format."""
    return _ingest(tools, "input_schema", handlers)


from_openai = from_openai_tools
from_claude = from_anthropic_tools


def _ingest(
    described: Iterable[Mapping[str, Any]],
    schema_key: str,
    handlers: Mapping[str, Function] | None,
) -> Ingested:
    functions, definitions = [], []
    for tool in described:
        name = tool["name"]
        schema = tool.get(schema_key) or {"type": "object", "properties": {}}
        definitions.append(
            ToolDefinition(name, tool.get("description") or f"Call {name}", dict(schema))
        )
        functions.append(_named((handlers or {}).get(name) or _placeholder(name), name))
    return functions, definitions


def _placeholder(name: str) -> Function:
    def placeholder(**params: Any) -> Any:
        raise NotImplementedError(f"No handler provided for tool {name!r}")

    return placeholder


def _named(func: Any, name: str) -> Function:
    try:
        func.__name__ = name
    except AttributeError:  # a bound method or a builtin keeps its name
        if getattr(func, "__name__", None) != name:
            raise TypeError(
                f"the handler of {name!r} cannot be renamed: wrap it in a function"
            ) from None
    return func  # type: ignore[no-any-return]


def from_langchain(tools: Iterable[Any]) -> Ingested:
    """LangChain tools, or plain functions."""
    functions, definitions = [], []
    for tool in tools:
        if callable(getattr(tool, "func", None)):
            func = tool.func
        elif callable(getattr(tool, "_run", None)):
            func = tool._run
        elif callable(tool):
            functions.append(tool)
            definitions.append(tool_from_function(tool))
            continue
        else:
            raise TypeError(f"Cannot convert tool: {tool!r}")
        definition = _langchain_definition(tool, func)
        functions.append(_renamed(func, definition.name))
        definitions.append(definition)
    return functions, definitions


def _langchain_definition(tool: Any, func: Function) -> ToolDefinition:
    name = str(getattr(tool, "name", None) or getattr(func, "__name__", "tool"))
    description = first_line(str(getattr(tool, "description", None) or "")) or f"Call {name}"
    return ToolDefinition(name, description, _arguments(tool, func))


def _arguments(tool: Any, func: Function) -> dict[str, Any]:
    schema = getattr(tool, "args_schema", None)
    if isinstance(schema, Mapping):
        return dict(schema)
    if isinstance(schema, type):
        for method in ("model_json_schema", "schema"):
            if hasattr(schema, method):
                return dict(getattr(schema, method)())
    try:
        return tool_from_function(func).parameters
    except (TypeError, ValueError):
        return {"type": "object", "properties": {}}


def _renamed(func: Any, name: str) -> Function:
    """The same object under the tool's name, where that is possible."""
    try:
        func.__name__ = name
    except (AttributeError, TypeError):
        pass
    return func  # type: ignore[no-any-return]
