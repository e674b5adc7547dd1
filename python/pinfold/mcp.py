"""Tools of MCP servers as tools of scripts. Needs ``mcp``, the official SDK, 2 or newer.

    with pinfold.mcp.connect("https://example.com/mcp") as tools:
        sandbox = create_sandbox_tool(tools=tools)

``python -m pinfold.mcp`` is the other direction: it serves a sandbox (see `pinfold.mcp_server`).
"""

from __future__ import annotations

import asyncio
import shlex
import threading
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

from ._native import printable
from .errors import ToolError
from .tool import Tool


async def mcp_tools(session: Any, *, prefix: str = "") -> list[Tool]:
    """The tools of an open session or client of the SDK. They belong to its event loop: use them
    with ``arun()`` there, or let `connect` do it. ``prefix`` is put before each name."""
    described: list[Any] = []
    cursor = None
    while True:
        page = await (session.list_tools() if cursor is None else _next_page(session, cursor))
        described += page.tools
        cursor = getattr(page, "next_cursor", None) or getattr(page, "nextCursor", None)
        if not cursor:
            break
    return [_tool(session, tool, prefix) for tool in described]


async def _next_page(session: Any, cursor: str) -> Any:
    try:
        return await session.list_tools(cursor=cursor)
    except TypeError:
        from mcp import types

        return await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))


def _tool(session: Any, described: Any, prefix: str) -> Tool:
    name = described.name

    async def handler(**params: Any) -> Any:
        return value_of(await session.call_tool(name, params))

    schema = getattr(described, "input_schema", None) or getattr(described, "inputSchema", None)
    returns = getattr(described, "output_schema", None) or getattr(described, "outputSchema", None)
    text = described.description or ""
    return Tool(prefix + name, text, schema, handler, returns=_unwrapped(returns))


def _unwrapped(returns: dict[str, Any] | None) -> dict[str, Any] | None:
    """The schema of what `value_of` gives: the SDK wraps what is no object."""
    if returns is None or list(returns.get("properties", ())) != ["result"]:
        return returns
    inner = returns["properties"]["result"]
    definitions: dict[str, Any] = {
        name: returns[name] for name in ("$defs", "definitions") if name in returns
    }
    return {**inner, **definitions} if isinstance(inner, dict) else returns


def value_of(result: Any) -> Any:
    """What a script gets of a tool's result: its structured content, else its text (or list of
    texts), else its content as it is. A result that is an error raises `ToolError`."""
    content = [_part(part) for part in result.content or []]
    if getattr(result, "is_error", None) or getattr(result, "isError", False):
        raise ToolError("\n".join(str(part) for part in content) or "the tool failed")
    structured = getattr(result, "structured_content", None) or getattr(
        result, "structuredContent", None
    )
    if structured is not None:
        # The SDK wraps what is no object: {"result": [...]}.
        return structured["result"] if list(structured) == ["result"] else structured
    return content[0] if len(content) == 1 else content or None


def _part(part: Any) -> Any:
    if getattr(part, "type", None) == "text":
        return part.text
    return part.model_dump(mode="json", exclude_none=True)


class connect:
    """A connection to MCP servers, for a ``with`` block; it gives the list of their tools.

    A server is a URL (streamable HTTP), a command as a list (stdio), or what the SDK's ``Client``
    takes. The connection lives in a thread of its own, so the tools work in ``run()`` and in
    ``arun()`` of any event loop. With several servers, give them names: ``connect(files=[...],
    mail="https://...")`` puts ``files.`` and ``mail.`` before the names of their tools.

    A server that cannot be reached, does not start or does not answer within ``timeout`` seconds is
    a `ConnectionError`.
    """

    def __init__(self, *servers: Any, timeout: float | None = 60.0, **named: Any) -> None:
        self._servers = [("", server) for server in servers]
        self._servers += [(f"{name}.", server) for name, server in named.items()]
        for prefix, server in self._servers:
            _check(prefix, server)
        self._timeout = timeout
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._work, name="pinfold mcp", daemon=True)
        self._opened = threading.Event()
        self._tools: list[Tool] = []
        self._failure: BaseException | None = None

    def _work(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._live())
        except BaseException as error:
            self._failure = self._failure or error
        finally:
            self._opened.set()
            self._loop.close()

    async def _live(self) -> None:
        async with AsyncExitStack() as stack:
            try:
                for prefix, server in self._servers:
                    self._tools += await self._open(stack, prefix, server)
            except Exception as error:
                # Not out of the block: the SDK's task groups would wrap it once more each.
                self._failure = error
                return
            self._opened.set()
            await self._stop.wait()

    async def _open(self, stack: AsyncExitStack, prefix: str, server: Any) -> list[Tool]:
        client = _client(server)
        try:
            async with asyncio.timeout(self._timeout):
                opened = await stack.enter_async_context(client)
                made = await mcp_tools(opened, prefix=prefix)
        except Exception as error:
            why = _reason(error, self._timeout)
            raise ConnectionError(f"{_described(prefix, server)}: {why}") from error
        return [self._elsewhere(tool) for tool in made]

    def _elsewhere(self, tool: Tool) -> Tool:
        """The same tool for other threads and loops."""
        inside = tool.handler
        assert inside is not None

        async def handler(**params: Any) -> Any:
            if self._loop.is_closed() or self._stop.is_set():
                raise ToolError(
                    f"{tool.name}: the connection to its MCP server was closed: use the tool inside"
                    " of `with connect(...)`"
                )
            future = asyncio.run_coroutine_threadsafe(inside(**params), self._loop)
            return await asyncio.wrap_future(future)

        return Tool(tool.name, tool.description, tool.schema, handler, returns=tool.returns)

    def __enter__(self) -> list[Tool]:
        self._thread.start()
        self._opened.wait()
        if self._failure is not None:
            raise self._failure
        return list(self._tools)

    def __exit__(self, *exc_info: object) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def __aenter__(self) -> list[Tool]:
        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(self, *exc_info: object) -> None:
        await asyncio.to_thread(self.__exit__)


def _check(prefix: str, server: Any) -> None:
    what = _described(prefix, server)
    if isinstance(server, str):
        if not server.startswith(("http://", "https://")):
            raise ValueError(
                f"{what}: a URL begins with http:// or https://, a command is a list: [{server!r}]"
            )
    elif isinstance(server, Sequence):
        if not server or not all(isinstance(part, str) for part in server):
            raise TypeError(f"{what}: a command is a list of str, its program first")
    elif not any(hasattr(server, name) for name in ("command", "run", "__aenter__")):
        raise TypeError(f"{what}: a server is a URL, a command as a list, or what mcp.Client takes")


def _described(prefix: str, server: Any) -> str:
    """Which server is meant, for an error."""
    name = f"MCP server {prefix[:-1]!r}" if prefix else "MCP server"
    return f"{name} ({shlex.join(server) if _is_command(server) else server})"


def _is_command(server: Any) -> bool:
    return isinstance(server, (list, tuple)) and all(isinstance(part, str) for part in server)


def _reason(error: BaseException, timeout: float | None) -> str:
    """Why there is no connection; the SDK's task groups wrap that, more than once."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return f"it gave no answer within {timeout} s"
    return printable(str(error)) or type(error).__name__


def _client(server: Any) -> Any:
    try:
        from mcp import Client, StdioServerParameters
    except ImportError as error:
        raise ImportError(f"MCP needs the package mcp, 2 or newer: {error}") from error
    if isinstance(server, Sequence) and not isinstance(server, str):
        command, *arguments = server
        server = StdioServerParameters(command=command, args=list(arguments))
    return Client(server)


__all__ = ["connect", "mcp_tools", "value_of"]

if __name__ == "__main__":
    import sys

    from .mcp_command import main

    sys.exit(main())
