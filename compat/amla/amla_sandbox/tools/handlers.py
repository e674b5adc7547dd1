"""From a method id to the function that serves it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from .conversion import name_of

SyncToolHandler = Callable[[str, dict[str, Any]], Any]
AsyncToolHandler = Callable[[str, dict[str, Any]], Awaitable[Any]]
ToolHandler = SyncToolHandler | AsyncToolHandler


def create_tool_handler(functions: Iterable[Callable[..., Any]]) -> SyncToolHandler:
    """A handler that calls the function a method names."""
    by_name = {name_of(func): func for func in functions}
    return handler_for(by_name)


def handler_for(by_name: dict[str, Callable[..., Any]]) -> SyncToolHandler:
    def handler(method: str, params: dict[str, Any]) -> Any:
        func = by_name.get(method.removeprefix("mcp:"))
        if func is None:
            raise ValueError(f"Unknown tool: {method}")
        return func(**params)

    return handler
