"""Tool definitions of model interfaces: OpenAI's and Anthropic's, in and out. Plain dictionaries,
no library is needed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .tool import Tool

#: The arguments of the sandbox as a tool. `additionalProperties` and a complete `required` are what
#: OpenAI's strict mode asks for.
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "description": "the script"},
        "language": {
            "type": "string",
            "enum": ["javascript", "python", "shell"],
            "description": "what it is written in",
        },
    },
    "required": ["code", "language"],
    "additionalProperties": False,
}


def openai_tool(name: str, description: str, api: str = "chat") -> dict[str, Any]:
    """The sandbox for OpenAI's chat completions (``"chat"``) or responses (``"responses"``)."""
    function = {
        "name": name,
        "description": description,
        "parameters": PARAMETERS,
        "strict": True,
    }
    if api == "chat":
        return {"type": "function", "function": function}
    if api == "responses":
        return {"type": "function", **function}
    raise ValueError(f'api is "chat" or "responses", not {api!r}')


def anthropic_tool(name: str, description: str) -> dict[str, Any]:
    """The sandbox for Anthropic's messages."""
    return {"name": name, "description": description, "input_schema": PARAMETERS}


def arguments_of(given: str | Mapping[str, Any]) -> tuple[str, str]:
    """Code and language from the arguments of a model's call, as text or parsed. ``ValueError``
    says what is wrong in words for the model.

    >>> arguments_of('{"code": "ls", "language": "shell"}')
    ('ls', 'shell')
    """
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError as error:
            raise ValueError(f"the arguments are not JSON: {error}") from None
    if not isinstance(given, Mapping):
        raise ValueError("the arguments are an object with code and language")
    unknown = [key for key in given if key not in PARAMETERS["properties"]]
    if unknown:
        raise ValueError(f"there is no argument {unknown[0]!r}, only code and language")
    code, language = given.get("code"), given.get("language")
    if not isinstance(code, str) or not isinstance(language, str):
        raise ValueError("code and language must be strings")
    return code, language


# ------------------------------------------------------------------ in

Handlers = Mapping[str, Callable[..., Any]]


def from_openai_tools(
    tools: Iterable[Any], handlers: Handlers | Callable[[str, dict[str, Any]], Any]
) -> list[Tool]:
    """Tools in OpenAI's format (of either interface) with the functions that serve them: a mapping
    from names, or one function of name and arguments for all.

    >>> weather = {"type": "function", "function": {"name": "weather", "parameters": {
    ...     "type": "object", "properties": {"city": {"type": "string"}}}}}
    >>> from_openai_tools([weather], {"weather": lambda city: f"sunny in {city}"})
    [<Tool 'weather'>]
    """
    plain = [_plain(tool) for tool in tools]
    described = [tool.get("function", tool) for tool in plain]
    return [_tool(tool, "parameters", handlers) for tool in described]


def from_anthropic_tools(
    tools: Iterable[Any], handlers: Handlers | Callable[[str, dict[str, Any]], Any]
) -> list[Tool]:
    """Tools in Anthropic's format with the functions that serve them, as `from_openai_tools`."""
    return [_tool(_plain(tool), "input_schema", handlers) for tool in tools]


def _plain(tool: Any) -> dict[str, Any]:
    if hasattr(tool, "model_dump"):
        tool = tool.model_dump(exclude_none=True)
    if not isinstance(tool, Mapping):
        raise TypeError(f"a tool definition is a mapping, not {tool!r}")
    return dict(tool)


def _tool(
    described: Mapping[str, Any],
    schema_key: str,
    handlers: Handlers | Callable[[str, dict[str, Any]], Any],
) -> Tool:
    name = described.get("name")
    if not isinstance(name, str):
        raise ValueError(f"a tool definition without a name: {dict(described)!r}")
    if isinstance(handlers, Mapping):
        if name not in handlers:
            raise ValueError(f"there is no handler for the tool {name!r}")
        handler = handlers[name]
    else:
        handler = _one_of_all(handlers, name)
    return Tool(name, described.get("description") or "", described.get(schema_key), handler)


def _one_of_all(serve: Callable[[str, dict[str, Any]], Any], name: str) -> Callable[..., Any]:
    def handler(**params: Any) -> Any:
        return serve(name, params)

    return handler
