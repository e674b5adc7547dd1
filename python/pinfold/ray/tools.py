"""Tools that are not asked where the sandbox is, but as tasks of the cluster."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import Any

import ray

from ..tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def on_cluster(function: Callable[..., Any] | Tool, **options: Any) -> Tool:
    """A tool whose handler is a Ray task, with the resources that ``options`` name, as those of
    ``ray.remote``: ``on_cluster(render, num_gpus=1)``. A task whose worker dies is an error of the
    call, unless ``max_retries`` says that it may be made again."""
    tool = function if isinstance(function, Tool) else Tool.from_function(function)
    handler = tool.handler
    if handler is None:
        raise ValueError(f"the tool {tool.name!r} has no handler")
    settings = {"max_retries": 0, **options}
    task = ray.remote(**settings)(called)

    @wraps(handler)
    def asked(**params: Any) -> Any:
        try:
            return ray.get(task.remote(handler, params))
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None

    tool.handler = asked
    return tool


def called(handler: Callable[..., Any], params: dict[str, Any]) -> Any:
    """What a handler gives, which may be async."""
    value = handler(**params)
    if inspect.isawaitable(value):
        import asyncio

        async def waited() -> Any:
            return await value

        return asyncio.run(waited())
    return value
