"""``pinfold mcp``: a sandbox as a tool for any MCP client, over stdio or HTTP on loopback.

A session is a sandbox in which files and the shell's state last from call to call. A client on
stdio has one of its own, and so has an HTTP client whose protocol knows sessions. Newer HTTP
clients do not say who they are: their calls run in fresh sandboxes unless they name a session, by
the secret id that ``open_session`` gave them. Needs ``mcp``, 2 or newer.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import secrets
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any

from . import __version__
from .definitions import PARAMETERS
from .errors import ToolError
from .limits import DEFAULTS, Limits
from .mcp_jobs import job_tools
from .sandbox_tool import SandboxTool
from .tool import Handler, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .sandbox import Sandbox

#: Sandboxes that one server keeps at once, and how long an unused one may be missed for.
SESSIONS = 64
IDLE_SECONDS = 1800.0


class Sessions:
    """The sandboxes of a server, by their ids. Who comes while one is in use waits for its turn."""

    def __init__(self, make: Callable[[], SandboxTool]) -> None:
        self._make = make
        self._open: dict[str, Session] = {}

    def open(self, id: str | None = None) -> str:
        if len(self._open) >= SESSIONS:
            self._drop_idle()
        if len(self._open) >= SESSIONS:
            raise ValueError(f"there are {SESSIONS} sessions already; close one with close_session")
        id = secrets.token_urlsafe(16) if id is None else id
        self._open[id] = Session(self._make())
        return id

    def get(self, id: str) -> Session:
        if id not in self._open:
            raise ValueError(f"there is no session {id!r}; open_session gives one")
        return self._open[id]

    @asynccontextmanager
    async def using(self, given: str, own: str | None) -> AsyncIterator[SandboxTool]:
        """The sandbox of the session that is given, else the client's own, else a fresh one."""
        if not given and own is None:
            with self._make() as tool:
                yield tool
            return
        if not given and own is not None and own not in self._open:
            self.open(own)
        session = self.get(given or str(own))
        async with session.lock:
            yield session.tool
            session.used = time.monotonic()

    def close(self, id: str) -> bool:
        session = self._open.pop(id, None)
        if session is not None:
            session.tool.close()
        return session is not None

    def _drop_idle(self) -> None:
        oldest = time.monotonic() - IDLE_SECONDS
        for id, session in list(self._open.items()):
            if session.used < oldest and not session.lock.locked():
                self.close(id)


class Session:
    def __init__(self, tool: SandboxTool) -> None:
        self.tool = tool
        self.lock = asyncio.Lock()
        self.used = time.monotonic()


def _own(context: Any) -> str | None:
    """The id of the session that belongs to whoever calls, if that can be told."""
    headers = context.headers
    if not headers:
        return "main"  # stdio: there is one client
    id = headers.get("mcp-session-id")
    return None if id is None else f"http {id}"


def create_server(
    tools: Iterable[Tool | Handler] | None = None,
    *,
    name: str = "pinfold",
    **settings: Any,
) -> Any:
    """A server of the SDK whose tools run scripts in sandboxes; scripts may call ``tools``. Other
    settings are those of `SandboxTool.from_functions`."""
    with SandboxTool.from_functions(tools or [], **settings) as model:
        return server_of(model, name)


def server_of(model: SandboxTool, name: str) -> Any:
    """A server whose sessions are sandboxes with the settings of this one's."""
    try:
        from mcp.server.mcpserver import Context, MCPServer
    except ImportError as error:
        raise ImportError(f"the MCP server needs the package mcp, 2 or newer: {error}") from error
    about = model.description
    model.sandbox._share_budgets()
    make = model._another
    sessions = Sessions(make)
    server: Any = MCPServer(name, version=__version__, instructions=about)

    async def run(context: Any, code: str, language: str = "shell", session: str = "") -> str:
        async with sessions.using(session, _own(context)) as tool:
            return await tool.arun(code, language)

    async def write_file(context: Any, path: str, text: str, session: str = "") -> str:
        async with sessions.using(session, _own(context)) as tool:
            tool.sandbox.files[path] = text
        return f"wrote {len(text.encode())} bytes to {path}"

    async def read_file(context: Any, path: str, session: str = "") -> str:
        async with sessions.using(session, _own(context)) as tool:
            return _text_of(tool.sandbox, path)

    async def open_session() -> str:
        return sessions.open()

    async def close_session(context: Any, session: str = "") -> str:
        closed = sessions.close(session or _own(context) or "")
        return "the session is closed" if closed else "there is no such session"

    for function, text in (
        (run, f"{about}\n\nFiles and shell state last within a session."),
        (write_file, "Writes a text file into the sandbox; relative paths are below /workspace."),
        (read_file, "Reads a text file of the sandbox; relative paths are below /workspace."),
        (open_session, "Opens a session, a sandbox of its own, and gives its id for other calls."),
        (close_session, "Ends a session and drops its files."),
        *job_tools(sessions.using, _own),
    ):
        _annotate(function, Context)
        server.add_tool(
            _told(function), name=function.__name__, description=text, structured_output=False
        )
    return server


def _text_of(sandbox: Sandbox, path: str) -> str:
    """A file for a client, who gets no more of it at once than of a run's output."""
    if path not in sandbox.files:
        raise ToolError(f"there is no file {path}")
    size, most = sandbox.files.size(path), sandbox.limits.output_bytes
    if most is not None and size > most:
        raise ToolError(
            f"{path} has {size} bytes, more than the limit output_bytes ({most}): run a command"
            " that prints a part of it"
        )
    return sandbox.files.text(path)


#: What a client is told of the arguments, as the other interfaces tell it.
_SCHEMAS: dict[str, dict[str, Any]] = {
    **PARAMETERS["properties"],
    "path": {"type": "string", "description": "absolute or below /workspace"},
    "text": {"type": "string", "description": "the whole content"},
    "job": {"type": "integer", "description": "the number that start_job gave"},
    "input": {"type": "string", "description": "what the job is to read"},
    "end": {"type": "boolean", "description": "whether its input ends after that"},
    "seconds": {"type": "number", "description": "at most; up to 60"},
    "session": {
        "type": "string",
        "description": "what open_session gave; empty: your own, else a fresh one",
    },
}
_TYPES: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}


def _annotate(function: Any, context: Any) -> None:
    """What the SDK reads off a function: the type of its context, the schemas of the others."""
    from pydantic import WithJsonSchema

    for name in function.__annotations__:
        if name == "context":
            function.__annotations__[name] = context
        elif name in _SCHEMAS:
            kind = _TYPES[_SCHEMAS[name]["type"]]
            function.__annotations__[name] = Annotated[kind, WithJsonSchema(_SCHEMAS[name])]


def _told(function: Any) -> Any:
    """The SDK hides what an exception says; what ours say is meant for the client."""

    @functools.wraps(function)
    async def call(*args: Any, **kwargs: Any) -> Any:
        from mcp.server.mcpserver.exceptions import ToolError as Told

        try:
            return await function(*args, **kwargs)
        except (ToolError, ValueError) as error:
            raise Told(str(error)) from error

    return call


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="pinfold mcp",
        description="Serves a sandbox to an MCP client, over standard input and output or HTTP.",
    )
    parser.add_argument("--http", action="store_true", help="serve HTTP on loopback at /mcp")
    parser.add_argument("--port", type=int, default=8000, help="of HTTP; default 8000")
    parser.add_argument("--host", default="127.0.0.1", help="of HTTP; a loopback address")
    parser.add_argument("--cpu-seconds", type=float, default=10.0, help="per run; default 10")
    parser.add_argument("--wall-seconds", type=float, default=60.0, help="per run; default 60")
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"another limit, of {', '.join(DEFAULTS)}; none lifts it",
    )
    parser.add_argument(
        "--isolation", choices=["process"], help="each sandbox in a worker process of its own"
    )
    parser.add_argument(
        "--audit", metavar="FILE", help="append what happens to FILE, in JSON Lines"
    )
    options = parser.parse_args(argv)
    try:
        settings = _settings(options)
        server = create_server(**settings)
    except (ImportError, ValueError, OSError) as error:
        print(f"pinfold mcp: {error}", file=sys.stderr)
        return 2
    if not options.http:
        server.run("stdio")
        return 0
    if options.host not in ("127.0.0.1", "localhost", "::1"):
        print("pinfold mcp: --host is a loopback address: 127.0.0.1 or ::1", file=sys.stderr)
        return 2
    serve_http(server, options.host, options.port)
    return 0


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of `Sandbox` that the command line gives."""
    given: dict[str, Any] = {
        "cpu_seconds": options.cpu_seconds,
        "wall_seconds": options.wall_seconds,
    }
    for text in options.limit:
        name, _, value = text.partition("=")
        if name not in DEFAULTS:
            raise ValueError(f"--limit {text}: there is no limit of that name")
        given[name] = _number(text, value, whole=not name.endswith("_seconds"))
    settings: dict[str, Any] = {"limits": Limits(**given), "isolation": options.isolation}
    if options.audit is not None:
        from .audit import AuditLog

        settings["audit"] = AuditLog(options.audit)
    return settings


def _number(text: str, value: str, whole: bool) -> float | int | None:
    """A limit's value as `pinfold run --limit` takes it."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    try:
        if value == "none":
            return None
        if whole:
            unit = units.get(value[-1:])
            return int(value[:-1]) * unit if unit else int(value)
        return float(value)
    except ValueError:
        raise ValueError(f"--limit {text}: not a number") from None


def serve_http(server: Any, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serves HTTP on loopback until it is interrupted. Requests with a foreign Host or Origin are
    refused: a web page must not reach a sandbox through the browser of whoever runs it."""
    server.run(
        "streamable-http", host=host, port=port, transport_security=loopback_only(host, port)
    )


def loopback_only(host: str, port: int) -> Any:
    from mcp.server.transport_security import TransportSecuritySettings

    names = sorted({host if host != "::1" else "[::1]", "127.0.0.1", "localhost"})
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[f"{name}:{port}" for name in names],
        allowed_origins=[f"http://{name}:{port}" for name in names],
    )


if __name__ == "__main__":
    sys.exit(main())
