"""`Sandbox`: runs JavaScript and shell commands that may call granted tools."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from .audit import AuditCollector, AuditConfig, AuditEntry
from .auth import EphemeralAuthority
from .capabilities import MethodCapability
from .runtime.prelude import prelude
from .runtime.wasm import Runtime, RuntimeConfig
from .tools.definition import ToolDefinition
from .tools.handlers import ToolHandler

OnOutput = Callable[[str], Any]


@dataclass
class Sandbox:
    """A sandbox. Without a token and authorities it makes its own, which grants what
    ``capabilities`` grant: everything, if there are none."""

    pca: bytes = b""
    tools: list[ToolDefinition] = field(default_factory=list)
    capabilities: list[MethodCapability] = field(default_factory=list)
    trusted_authorities: list[str] = field(default_factory=list)
    tool_handler: ToolHandler | None = None
    wasm_path: str | Path | None = None
    audit_config: AuditConfig | None = None

    _runtime: Runtime | None = field(default=None, repr=False)
    _prelude: str | None = field(default=None, repr=False)
    _audit_collector: AuditCollector | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.pca or not self.trusted_authorities:
            authority = EphemeralAuthority()
            self.pca = authority.create_pca().to_cbor()
            self.trusted_authorities = [authority.public_key_hex()]
            if not self.capabilities:
                self.capabilities = [MethodCapability("**")]
        described = [tool.to_dict() for tool in self.tools]
        self._prelude = prelude(
            {"name": t["name"], "description": t["description"], "schema": t["inputSchema"]}
            for t in described
        )
        self._runtime = Runtime(
            RuntimeConfig(
                wasm_path=self.wasm_path,
                pca_bytes=bytes(self.pca),
                trusted_authorities=list(self.trusted_authorities),
                capabilities=self.capabilities,
                tool_handler=None if self.tool_handler is None else self._handle,
                tools_json=json.dumps(described),
            )
        )
        if self.audit_config is not None:
            self._audit_collector = AuditCollector(self.audit_config)
            self._runtime.set_audit_collector(self._audit_collector)

    def _handle(self, method: str, params: dict[str, Any]) -> Any:
        handler = self.tool_handler
        if handler is None:
            raise ValueError(f"No handler for {method}")
        return handler(method.removeprefix("mcp:"), params)

    def _running(self) -> Runtime:
        if self._runtime is None:
            raise builtins.RuntimeError("Sandbox is not initialized, or was closed")
        return self._runtime

    # ------------------------------------------------------------------ running

    def execute(
        self,
        code: str,
        on_output: OnOutput | None = None,
        stdin: str | bytes | None = None,
    ) -> str:
        """Runs JavaScript and gives its standard output. What the script does wrong is no
        exception: `last_stderr` tells. With ``stdin``, that is the program."""
        return self._running().run_program(_program(code, stdin), "javascript", on_output)

    async def execute_async(
        self,
        code: str,
        on_output: OnOutput | None = None,
        stdin: str | bytes | None = None,
    ) -> str:
        """As `execute`; what handlers return may be awaited."""
        runtime = self._running()
        return await runtime.arun_program(_program(code, stdin), "javascript", on_output)

    def shell(self, command: str, stdin: str | bytes | None = None) -> str:
        """Runs a shell command line and gives its standard output, whatever its exit status."""
        return self._running().execute(command, stdin=stdin)

    @property
    def last_stderr(self) -> str:
        """What the last run wrote to standard error."""
        return "" if self._runtime is None else self._runtime.last_stderr

    # ------------------------------------------------------------------ capabilities

    def can_call(self, method: str, params: dict[str, Any] | None = None) -> bool:
        """Would this call be allowed? Spends nothing."""
        return False if self._runtime is None else self._runtime.can_call(method, params)

    def get_capabilities(self) -> list[MethodCapability]:
        return list(self.capabilities)

    def get_remaining_calls(self, key: str) -> int | None:
        """Calls that the budget of this key has left; ``None`` when it has no limit."""
        return None if self._runtime is None else self._runtime.get_remaining_calls(key)

    def get_call_counts(self) -> dict[str, int]:
        """Calls left of every budget."""
        return {} if self._runtime is None else self._runtime.get_call_counts()

    # ------------------------------------------------------------------ audit

    @property
    def audit_collector(self) -> AuditCollector | None:
        return self._audit_collector

    def get_audit_entries(
        self, entry_type: str | None = None, since: datetime | None = None
    ) -> Iterator[AuditEntry]:
        if self._audit_collector is not None:
            yield from self._audit_collector.get_entries(entry_type, since)

    # ------------------------------------------------------------------ the end

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._audit_collector is not None:
            self._audit_collector.close()
        if self._runtime is not None:
            self._runtime.close()
        self._audit_collector = None
        self._runtime = None


def _program(code: str, stdin: str | bytes | None) -> str:
    if stdin is None:
        return code
    return stdin.decode() if isinstance(stdin, bytes) else stdin
