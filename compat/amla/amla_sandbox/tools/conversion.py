"""Functions as tools."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

from ..capabilities import ConstraintSet, MethodCapability
from ..schema import as_schema, extract_param_description
from .definition import ToolDefinition


def first_line(text: str | None) -> str:
    lines = (text or "").strip().splitlines()
    return lines[0].strip() if lines else ""


def tool_from_function(func: Callable[..., Any]) -> ToolDefinition:
    """Reads a tool off a function: name, first line of the docstring, type hints."""
    name = name_of(func)
    doc = inspect.getdoc(func) or ""
    try:
        hints = typing.get_type_hints(func, include_extras=True)
    except Exception:  # a hint that cannot be resolved says nothing
        hints = {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in _parameters(func):
        schema = as_schema(hints[parameter.name]) if parameter.name in hints else _unhinted()
        description = extract_param_description(doc, parameter.name)
        if description:
            schema["description"] = description
        properties[parameter.name] = schema
        if parameter.default is parameter.empty:
            required.append(parameter.name)
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        parameters["required"] = required
    return ToolDefinition(name, first_line(doc) or f"Call {name}", parameters)


def name_of(func: Callable[..., Any]) -> str:
    return str(getattr(func, "__name__", type(func).__name__))


def _unhinted() -> dict[str, Any]:
    return {"type": "string"}


def _parameters(func: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        found = inspect.signature(func).parameters.values()
    except (TypeError, ValueError):
        return []
    stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p for p in found if p.name not in ("self", "cls") and p.kind not in stars]


def capability_from_function(
    func: Callable[..., Any],
    constraints: ConstraintSet | None = None,
    max_calls: int | None = None,
) -> MethodCapability:
    """A capability for exactly this function."""
    return MethodCapability(
        method_pattern=f"mcp:{name_of(func)}",
        constraints=ConstraintSet() if constraints is None else constraints,
        max_calls=max_calls,
    )
