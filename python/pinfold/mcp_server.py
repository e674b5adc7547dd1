"""``pinfold mcp``: a sandbox as a tool for any MCP client, over stdio or HTTP on loopback.

A session is a sandbox in which files and the shell's state last from call to call. A client on
stdio has one of its own, and so has an HTTP client whose protocol knows sessions. Newer HTTP
clients do not say who they are: their calls run in fresh sandboxes unless they name a session, by
the secret id that ``open_session`` gave them. Needs ``mcp``, 2 or newer.
"""

from __future__ import annotations

import asyncio
import functools
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any

from . import __version__
from .approval import NeverAsked
from .content import Content, printed_images
from .definitions import PARAMETERS
from .elicit import Rounds, approve
from .errors import ToolError
from .mcp_jobs import job_tools
from .prompt import describe_sandbox
from .sandbox_tool import SandboxTool
from .shown import shorten
from .tool import Handler, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from .capability import MethodCapability
    from .result import Result
    from .sandbox import Sandbox
    from .typed import OtherSettings

#: What scripts may be written in; the first is that of a call that says none. Where JavaScript may
#: be, TypeScript may, too.
LANGUAGES = ("shell", "javascript", "python")
ALIASES = {
    **{"bash": "shell", "sh": "shell", "js": "javascript", "node": "javascript"},
    **{"ts": "typescript", "py": "python"},
}
#: An HTTP client whose protocol has no sessions may name one of its own by this header.
HEADER = "pinfold-session"
HEADER_CHARACTERS = 16

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
            if session.closed:
                raise ValueError("the session was closed meanwhile")
            yield session.tool
            session.used = time.monotonic()

    async def close(self, id: str) -> bool:
        """When who uses it is done."""
        session = self._open.get(id)
        if session is None:
            return False
        async with session.lock:
            return self._drop(id, session)

    def _drop(self, id: str, session: Session) -> bool:
        if session.closed:
            return False
        session.closed = True
        del self._open[id]
        session.tool.close()
        return True

    def _drop_idle(self) -> None:
        oldest = time.monotonic() - IDLE_SECONDS
        for id, session in list(self._open.items()):
            if session.used < oldest and not session.lock.locked():
                self._drop(id, session)


class Session:
    def __init__(self, tool: SandboxTool) -> None:
        self.tool = tool
        self.closed = False
        self.lock = asyncio.Lock()
        self.used = time.monotonic()


def _own(context: Any) -> str | None:
    """The id of the session that belongs to whoever calls, if that can be told."""
    headers = context.headers
    if not headers:
        return "main"  # stdio: there is one client
    id = headers.get("mcp-session-id")
    if id is not None:
        return f"http {id}"
    chosen = headers.get(HEADER)
    if chosen is None:
        return None
    if len(chosen) < HEADER_CHARACTERS:  # others must not guess it
        raise ToolError(
            f"the header Pinfold-Session is a secret of {HEADER_CHARACTERS} characters or more"
        )
    return f"header {chosen}"


def create_server(
    tools: Iterable[Tool | Handler] | None = None,
    *,
    name: str = "pinfold",
    languages: Sequence[str] = LANGUAGES,
    capabilities: Iterable[MethodCapability] | None = None,
    ask: bool | Iterable[str] = False,
    elicit: bool = False,
    **settings: Unpack[OtherSettings],
) -> Any:
    """A server of the SDK whose tools run scripts in sandboxes; scripts may call ``tools``, as
    ``capabilities`` say, or each as it is. ``languages`` are those that clients may use, the first
    without saying so. ``ask`` is that of `create_sandbox_tool`; with ``elicit`` the client's user
    is asked about these calls, of all tools where neither ``ask`` nor ``capabilities`` is given, and
    shown what would come of them (docs/approval.md). Other settings are those of
    `SandboxTool.from_functions`."""
    if elicit:
        if settings.get("approve") is not None:
            raise TypeError(
                "elicit asks the client's user, approve somebody else: give one of them"
            )
        settings["approve"] = approve
        ask = ask or capabilities is None
    unknown = [one for one in languages if one not in LANGUAGES]
    if unknown or not languages:
        raise ValueError(f"languages are some of {', '.join(LANGUAGES)}, not {list(languages)!r}")
    try:
        model = SandboxTool.from_functions(
            tools or [], capabilities=capabilities, ask=ask, **settings
        )
    except NeverAsked as error:
        if not elicit:
            raise
        how = error.reason or "give tools, or capabilities of which one has ask=True"
        raise NeverAsked(f"elicit asks about no call: {how}", error.reason) from None
    with model:
        return server_of(model, name, languages)


def server_of(model: SandboxTool, name: str, languages: Sequence[str] = LANGUAGES) -> Any:
    """A server whose sessions are sandboxes with the settings of this one's, for scripts in these
    languages, of which the first is that of a call that says none."""
    try:
        from mcp.server.mcpserver import Context, MCPServer
    except ImportError as error:
        raise ImportError(f"the MCP server needs the package mcp, 2 or newer: {error}") from error
    about = describe_sandbox(model, languages)
    model.sandbox._share_budgets()
    make = model._another
    sessions, rounds = Sessions(make), Rounds()
    asks = model.sandbox._approve is approve
    server: Any = MCPServer(name, version=__version__, instructions=about)

    def language_of(name: str) -> str:
        """The language that is meant, if clients may use it."""
        name = ALIASES.get(name, name)
        if ("javascript" if name == "typescript" else name) not in languages:
            raise ToolError(f"unknown language {name!r}; use {', '.join(languages)}")
        return name

    async def run(
        context: Any,
        code: str,
        language: str = languages[0],
        session: str = "",
        cwd: str = "",
        timeout: float = 0.0,
    ) -> Any:
        language = language_of(language)
        how: Any = {"cwd": cwd or None, "timeout": timeout or None}

        async def work() -> Any:
            async with sessions.using(session, _own(context)) as tool:
                text, result = await tool.arun_result(code, language, **how)
                return answer_of(tool, text, result)

        return await (rounds.run(context, work) if asks else work())

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
        closed = await sessions.close(session or _own(context) or "")
        return "the session is closed" if closed else "there is no such session"

    schemas = {**_SCHEMAS, "language": {**_SCHEMAS["language"], "enum": sorted(languages)}}
    for function, text in (
        (run, f"{about}\n\n{_LASTING}"),
        (write_file, "Writes a text file into the sandbox; relative paths are below /workspace."),
        (read_file, "Reads a text file of the sandbox; relative paths are below /workspace."),
        (open_session, "Opens a session, a sandbox of its own, and gives its id for other calls."),
        (close_session, "Ends a session and drops its files."),
        *job_tools(sessions.using, _own, language_of, languages[0]),
    ):
        _annotate(function, Context, schemas)
        server.add_tool(
            _told(function), name=function.__name__, description=text, structured_output=False
        )
    _describe_output(server)
    return server


#: What ``run`` gives beside the text, for programs.
OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "stdout": {"type": "string", "description": "as shown: long output is cut"},
        "stderr": {"type": "string", "description": "as shown: long output is cut"},
        "exit_code": {"type": "integer"},
        "value": {"description": "what the program returned; null if nothing"},
        "limit": {"type": ["string", "null"], "description": "the limit that ended the run"},
        "truncated": {"type": "boolean"},
        "session_ended": {"type": "boolean", "description": "shell variables are gone"},
    },
    "required": ["stdout", "stderr", "exit_code", "limit", "truncated", "session_ended"],
}


def answer_of(tool: SandboxTool, text: str, result: Result) -> Any:
    """A run as a client gets it: text, the images that the script printed the paths of, and the
    parts of the result."""
    from mcp.types import CallToolResult

    content = Content(text, printed_images(tool.sandbox, result.stdout)).mcp()
    most = tool.output_characters
    stdout, stderr = (
        one if most is None or len(one) <= most else shorten(one, most)
        for one in (result.stdout, result.stderr)
    )
    value = None if len(result.value_json or "") > VALUE_CHARACTERS else _value_of(result)
    parts = {
        "stdout": stdout,
        "stderr": stderr,
        "exit_code": result.exit_code,
        "value": value,
        "limit": result.limit,
        "truncated": result.truncated,
        "session_ended": result.session_ended,
    }
    return CallToolResult(content=content, structured_content=parts)


#: A larger value is in the text alone.
VALUE_CHARACTERS = 100_000


def _value_of(result: Result) -> Any:
    try:
        return result.value
    except ValueError:  # it is nested too deeply for Python
        return None


def _describe_output(server: Any) -> None:
    """Tells clients the shape of what ``run`` gives; the SDK reads it off a type that ours is not."""
    manager = getattr(server, "_tool_manager", None)
    tool = manager.get_tool("run") if manager is not None else None
    metadata = getattr(tool, "fn_metadata", None)
    if metadata is not None and hasattr(metadata, "output_schema"):
        metadata.output_schema = OUTPUT


_LASTING = (
    "Files and shell state last within a session. On stdio, and over HTTP with sessions, a client has"
    " one of its own; over HTTP without them each call gets a fresh sandbox, unless it passes"
    " `session` (open_session gives one) or sends the header Pinfold-Session, a secret of its own."
)


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
    "cwd": {"type": "string", "description": "where this run starts, instead of the session's"},
    "timeout": {
        "type": "number",
        "minimum": 0,
        "description": "seconds that this run may take in all; 0: as long as the limits let it",
    },
    "session": {
        "type": "string",
        "description": "what open_session gave; empty: your own, else a fresh one",
    },
}
_TYPES: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}


def _annotate(function: Any, context: Any, schemas: dict[str, dict[str, Any]]) -> None:
    """What the SDK reads off a function: the type of its context, the schemas of the others."""
    from pydantic import WithJsonSchema

    for name in function.__annotations__:
        if name == "context":
            function.__annotations__[name] = context
        elif name in schemas:
            kind = _TYPES[schemas[name]["type"]]
            function.__annotations__[name] = Annotated[kind, WithJsonSchema(schemas[name])]


def _told(function: Any) -> Any:
    """The SDK hides what an exception says; what ours say is meant for the client."""

    @functools.wraps(function)
    async def call(*args: Any, **kwargs: Any) -> Any:
        from mcp.server.mcpserver.exceptions import ToolError as Told

        try:
            return await function(*args, **kwargs)
        except (ToolError, ValueError, OSError) as error:
            raise Told(str(error)) from error

    return call


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
