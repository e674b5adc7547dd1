"""`Runtime`: one sandbox and what it may call.

The name of this module, and some of the names in it, come from a runtime that was a wasm module
driven step by step. Here a pinfold sandbox does the work.
"""

from __future__ import annotations

import base64
import builtins
import enum
import json
import math
import os
import threading
import time
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pinfold

from .. import auth
from ..capabilities import CapabilityError, MethodCapability
from ..tools.handlers import ToolHandler
from .gate import Budgets, authorize, can_call, engine_patterns, method_ids
from .prelude import prelude

OUTPUT_BUFFER_SIZE = 8192
TOOL_RESULT_CHUNK_SIZE = 2048
MAX_TOOL_RESULT_SIZE = 10 * 1024 * 1024
#: Addresses in the memory of the runtime that was; nothing is there.
CMD_PTR, OUT_PTR, SUBMIT_PTR, AUDIT_PTR = 0x1000, 0x3000, 0x5000, 0x7000

OnOutput = Callable[[str], Any]


class RuntimeError(builtins.RuntimeError):
    """The runtime cannot be made, or cannot run."""


class RuntimeStatus(enum.Enum):
    RUNNING = "running"
    ALL_BLOCKED = "all_blocked"
    ALL_DONE = "all_done"
    ERROR = "error"
    PANIC = "panic"


class AuditCollectorProtocol(Protocol):
    def drain_from_runtime(self, runtime: Any) -> Any: ...


@dataclass
class RuntimeConfig:
    wasm_path: str | Path | None = None
    pca_bytes: bytes = b""
    trusted_authorities: list[str] = field(default_factory=list)
    capabilities: list[MethodCapability] = field(default_factory=list)
    tool_handler: ToolHandler | None = None
    tools_json: str = "[]"
    max_steps: int = 10000
    output_buffer_size: int = OUTPUT_BUFFER_SIZE
    tool_result_chunk_size: int = TOOL_RESULT_CHUNK_SIZE
    max_tool_result_size: int = MAX_TOOL_RESULT_SIZE


class Runtime:
    """Runs commands; its `execute` is the shell's."""

    def __init__(self, config: RuntimeConfig) -> None:
        self._config = config
        self._grant = _verified(config)
        self._capabilities = list(config.capabilities)
        self._budgets = Budgets(self._capabilities)
        self._tools = _declared(config.tools_json)
        self._tool_handler = config.tool_handler
        self._lock = threading.Lock()
        self._session_id = uuid.uuid4().hex
        self._audit_lines: list[str] = []
        self._collector: AuditCollectorProtocol | None = None
        self._awaiting = False
        self._result: pinfold.Result | None = None
        self._sandbox = self._made()

    @classmethod
    def for_testing(
        cls,
        capabilities: list[str] | None = None,
        tool_handler: ToolHandler | None = None,
        tools_json: str = "[]",
        wasm_path: str | Path | None = None,
        max_steps: int = 10000,
    ) -> Runtime:
        """A runtime with a token of its own, for patterns like ``"tool_call:math/**"``."""
        granted = [auth.ALLOW_ALL] if capabilities is None else list(capabilities)
        authority = auth.EphemeralAuthority()
        return cls(
            RuntimeConfig(
                wasm_path=wasm_path,
                pca_bytes=authority.create_pca(capabilities=granted).to_cbor(),
                trusted_authorities=[authority.public_key_hex()],
                capabilities=[
                    MethodCapability(text.removeprefix("tool_call:")) for text in granted
                ],
                tool_handler=tool_handler,
                tools_json=tools_json,
                max_steps=max_steps,
            )
        )

    def _made(self) -> pinfold.Sandbox:
        """The engine grants what some capability may match; `_call` decides."""
        names = [
            tool["name"]
            for tool in self._tools
            if any(
                can_call([MethodCapability(c.method_pattern)], Budgets([]), i, {})
                for c in self._capabilities
                for i in method_ids(tool["name"])
            )
        ]
        patterns = engine_patterns(self._capabilities)
        free = (
            not self._tools
            and self._tool_handler is not None
            and any(not pattern.startswith("*") for pattern in patterns)
        )
        with _no_warnings():
            return pinfold.Sandbox(
                tools=[
                    pinfold.Tool(
                        tool["name"],
                        tool["description"],
                        _open_schema(tool["schema"]),
                        handler=self._handler_of(tool["name"]),
                    )
                    for tool in self._tools
                ],
                capabilities=[
                    pinfold.MethodCapability(name) for name in (patterns if free else names)
                ],
                tool_handler=self._call if free else None,
                js_prelude=prelude(self._tools),
                limits=pinfold.Limits(
                    tool_calls=self._config.max_steps,
                    tool_result_bytes=self._config.max_tool_result_size,
                    output_bytes=64 << 20,
                ),
            )

    # ------------------------------------------------------------------ calls

    def _handler_of(self, name: str) -> Callable[..., Any]:
        def handler(**params: Any) -> Any:
            return self._call(name, params)

        return handler

    def _call(self, name: str, params: dict[str, Any]) -> Any:
        """One tool call: allowed or not, and what the handler makes of it."""
        self._note("tool_call", method=f"mcp:{name}", params=params)
        try:
            self._check_token(name)
            authorize(self._capabilities, self._budgets, name, params)
        except CapabilityError as error:
            raise pinfold.ToolError(str(error), "denied") from error
        if self._tool_handler is None:
            raise pinfold.ToolError(f"No handler for tool {name!r}")
        try:
            value = self._tool_handler(f"mcp:{name}", params)
        except Exception as error:
            raise _failure(name, params, error) from error
        if not hasattr(value, "__await__"):
            return value
        if self._awaiting:
            return _awaited(name, params, value)
        if hasattr(value, "close"):
            value.close()
        raise pinfold.ToolError(
            f"the handler of {name!r} returned a coroutine: run the script with execute_async()"
        )

    def _check_token(self, name: str) -> None:
        granted = [MethodCapability(pattern) for pattern in self._grant.patterns]
        if datetime.now(UTC) >= self._grant.expires_at:
            raise CapabilityError("the token of this runtime is expired")
        if not any(can_call(granted, Budgets([]), i, {}) for i in method_ids(name)):
            raise CapabilityError(f"the token of this runtime does not grant mcp:{name}")

    # ------------------------------------------------------------------ running

    def execute(
        self,
        command: str,
        on_output: OnOutput | None = None,
        stdin: str | bytes | None = None,
    ) -> str:
        """Runs a shell command and gives its standard output."""
        return self.run_program(command, "shell", on_output, stdin)

    async def execute_async(
        self,
        command: str,
        on_output: OnOutput | None = None,
        stdin: str | bytes | None = None,
    ) -> str:
        """As `execute`; what handlers return may be awaited."""
        return await self.arun_program(command, "shell", on_output, stdin)

    def run_program(
        self,
        code: str,
        language: str,
        on_output: OnOutput | None = None,
        stdin: str | bytes | None = None,
    ) -> str:
        with self._lock:
            self._begin(code)
            self._awaiting = False
            result = self._sandbox.run(
                code, language, stdin, _only_stdout(on_output), isolated=language == "shell"
            )
            return self._end(result)

    async def arun_program(
        self,
        code: str,
        language: str,
        on_output: OnOutput | None = None,
        stdin: str | bytes | None = None,
    ) -> str:
        self._begin(code)
        self._awaiting = True
        try:
            result = await self._sandbox.arun(
                code, language, stdin, _only_stdout(on_output), isolated=language == "shell"
            )
        finally:
            self._awaiting = False
        return self._end(result)

    def _begin(self, code: str) -> None:
        self._note("command_create", command=code[:200])

    def _end(self, result: pinfold.Result) -> str:
        self._result = result
        for stream, text in (("stdout", result.stdout), ("stderr", result.stderr)):
            if text:
                self._note("stream_chunk", stream=stream, size=len(text))
        self._note("command_exit", exit_code=result.exit_code, elapsed_ns=self.last_elapsed_ns)
        if self._collector is not None:
            self._collector.drain_from_runtime(self)
        return result.stdout

    # ------------------------------------------------------------------ the last run

    @property
    def last_stderr(self) -> str:
        return "" if self._result is None else self._result.stderr

    @property
    def last_exit_code(self) -> int:
        return 0 if self._result is None else self._result.exit_code

    @property
    def last_elapsed_ns(self) -> int | None:
        return None if self._result is None else round(self._result.usage.wall_seconds * 1e9)

    @property
    def last_user_time_ns(self) -> int | None:
        if self._result is None:
            return None
        usage = self._result.usage
        return round(min(usage.cpu_seconds, usage.wall_seconds) * 1e9)

    @property
    def last_sys_time_ns(self) -> int | None:
        elapsed, user = self.last_elapsed_ns, self.last_user_time_ns
        return None if elapsed is None or user is None else elapsed - user

    # ------------------------------------------------------------------ capabilities

    def can_call(self, method: str, params: dict[str, Any] | None = None) -> bool:
        return can_call(self._capabilities, self._budgets, method, params or {})

    def get_capabilities(self) -> list[MethodCapability]:
        return list(self._capabilities)

    def get_remaining_calls(self, key: str) -> int | None:
        return self._budgets.left(key)

    def get_call_counts(self) -> dict[str, int]:
        return self._budgets.counts()

    # ------------------------------------------------------------------ the rest

    def set_audit_collector(self, collector: AuditCollectorProtocol | None) -> None:
        self._collector = collector

    def drain_audit(self) -> str:
        """What was noted since this was last asked, a JSON object in each line."""
        lines, self._audit_lines = self._audit_lines, []
        return "".join(f"{line}\n" for line in lines)

    def _note(self, type: str, **data: Any) -> None:
        if self._collector is None:
            return
        entry = {
            "type": type,
            "session_id": self._session_id,
            "timestamp": datetime.fromtimestamp(time.time(), UTC).isoformat(),
            **data,
        }
        self._audit_lines.append(json.dumps(entry, default=str))

    def register_tools(self, tools: list[Any]) -> None:
        """Does nothing: tools are declared when the runtime is made."""

    def close(self) -> None:
        self._sandbox.close()


# ------------------------------------------------------------------ making


def _verified(config: RuntimeConfig) -> auth.Grant:
    if not config.trusted_authorities:
        raise RuntimeError("no trusted authorities are configured")
    if not config.pca_bytes:
        raise RuntimeError("no token (PCA) is given")
    try:
        return auth.verify(config.pca_bytes, config.trusted_authorities)
    except ValueError as error:
        raise RuntimeError(f"the token (PCA) is rejected: {error}") from None


def _declared(tools_json: str) -> list[dict[str, Any]]:
    try:
        written = json.loads(tools_json or "[]")
    except ValueError as error:
        raise RuntimeError(f"tools_json cannot be read: {error}") from None
    return [
        {
            "name": tool["name"].removeprefix("mcp:"),
            "description": tool.get("description") or "",
            "schema": tool.get("inputSchema") or tool.get("parameters") or {},
        }
        for tool in written
    ]


_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")


def _open_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema as the shell needs it to read options. It accepts any value: what a function takes
    is the function's business, and a description of it may be wider or narrower."""
    properties = {}
    for name, part in (schema.get("properties") or {}).items():
        part = part if isinstance(part, dict) else {}
        kind = part.get("type")
        first = [kind] if kind in _TYPES else ["integer", "number", "boolean"] if not kind else []
        rest = [t for t in reversed(_TYPES) if t not in first and t != "string"]
        kinds = [*first, *rest, *([] if "string" in first else ["string"])]
        properties[name] = {"type": kinds}
        if isinstance(part.get("description"), str):
            properties[name]["description"] = part["description"]
    out: dict[str, Any] = {"type": "object", "properties": properties}
    required = schema.get("required")
    if isinstance(required, list) and required:
        out["required"] = [name for name in required if isinstance(name, str)]
    return out


class _no_warnings:
    """Names that clash with commands: amla's tools are globals of the prelude all the same."""

    def __enter__(self) -> None:
        import warnings

        self._catch = warnings.catch_warnings()
        self._catch.__enter__()
        warnings.simplefilter("ignore", pinfold.ToolNameWarning)

    def __exit__(self, *exc_info: Any) -> None:
        self._catch.__exit__(*exc_info)


# ------------------------------------------------------------------ handlers and output


def _failure(name: str, params: dict[str, Any], error: Exception) -> pinfold.ToolError:
    text = str(error) or type(error).__name__
    return pinfold.ToolError(f"Tool {name!r} failed: {text}\nParameters: {str(params)[:200]}")


def _awaited(name: str, params: dict[str, Any], value: Any) -> Coroutine[Any, Any, Any]:
    async def waited() -> Any:
        try:
            return await value
        except Exception as error:
            raise _failure(name, params, error) from error

    return waited()


def _only_stdout(on_output: OnOutput | None) -> Callable[[str, str], None] | None:
    if on_output is None:
        return None
    given = on_output

    def emit(text: str, stream: str) -> None:
        if stream == "stdout":
            given(text)

    return emit


# ------------------------------------------------------------------ results in pieces


def _create_tool_result_responses(
    op_id: Any,
    runtime_id: Any,
    result: Any,
    chunk_size: int = TOOL_RESULT_CHUNK_SIZE,
    max_size: int = MAX_TOOL_RESULT_SIZE,
) -> list[dict[str, Any]]:
    """A result as the messages that carried it into the runtime that was."""

    def message(content: dict[str, Any]) -> dict[str, Any]:
        return {"id": op_id, "runtime_id": runtime_id, "result": content}

    try:
        text = json.dumps(result)
    except (TypeError, ValueError, RecursionError) as error:
        text = f"the result is not JSON-serializable: {error}"
        return [message({"type": "error", "code": "internal", "message": text})]
    data = text.encode()
    if len(data) > max_size:
        text = f"the result is too large: {len(data)} bytes, {max_size} are allowed"
        return [message({"type": "tool_result_error", "message": text})]
    if len(data) <= chunk_size:
        return [message({"type": "tool_result", "result": result})]
    count = math.ceil(len(data) / chunk_size)
    return [
        message(
            {
                "type": "tool_result_chunk",
                "data": base64.b64encode(data[i * chunk_size : (i + 1) * chunk_size]).decode(),
                "eof": i == count - 1,
            }
        )
        for i in range(count)
    ]


# ------------------------------------------------------------------ nothing to compile


def get_cache_dir() -> Path:
    """Where a compiled runtime would be."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "amla-sandbox"


def default_wasm_path() -> Path:
    """The native module that takes the place of a wasm one."""
    from .._wasm import get_wasm_path

    return get_wasm_path()


def get_precompiled_path(path: str | Path | None = None) -> Path:
    return default_wasm_path() if path is None else Path(path)


def precompile_module(path: str | Path | None = None) -> Path:
    """Nothing is to be done: pinfold comes compiled. Gives the path of its module."""
    return get_precompiled_path(path)
