"""Keywords as type checkers see them where a function passes them on."""

from __future__ import annotations

from typing import Literal, TypedDict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from os import PathLike

    from .audit import AuditLog
    from .capability import MethodCapability
    from .core import Approve, ToolHandler
    from .limits import Limits
    from .mounts import MountSource
    from .output import OnOutput
    from .tool import Handler, Tool


class PlaceSettings(TypedDict, total=False):
    """What a run has of its own."""

    stdin: bytes | str | None
    on_output: OnOutput | None
    cwd: str | PathLike[str] | None
    env: Mapping[str, str] | None
    limits: Limits | None
    budget: int | Mapping[str, int] | None
    binary: bool


class ToolRunSettings(PlaceSettings, total=False):
    """Keywords of `SandboxTool.run`."""

    timeout: float | None


class StartSettings(PlaceSettings, total=False):
    """Keywords of `Sandbox.start`."""

    isolated: bool


class RunSettings(ToolRunSettings, StartSettings, total=False):
    """Keywords of `Sandbox.run`."""


class CommonSettings(TypedDict, total=False):
    """Settings of `Sandbox` that are not about what may be called."""

    tool_handler: ToolHandler | None
    limits: Limits | None
    env: Mapping[str, str] | None
    clock: Literal["host"] | datetime | float
    js_prelude: str | None
    hide_tool_errors: bool
    approve: Approve | None
    audit: AuditLog | None
    record: str | PathLike[str] | None
    redact: bool
    key: bytes | None
    mounts: Mapping[str, MountSource] | None
    isolation: Literal["process"] | None
    passthrough: Iterable[type[Exception]]


class RestoreSettings(CommonSettings, total=False):
    """Of `Sandbox.restore`."""

    tools: Iterable[Tool | Handler] | None
    capabilities: Iterable[MethodCapability] | None


class OtherSettings(CommonSettings, total=False):
    """Of `create_sandbox_tool` and `SandboxTool.from_functions`, beside what these name."""

    files: Mapping[str, bytes | str | PathLike[str]] | None
    seed: int | None


class ToolSettings(OtherSettings, total=False):
    """Of `create_sandbox_tool`, with those of `SandboxTool`."""

    output_characters: int | None
    description_characters: int | None
    session_options: bool


class SandboxSettings(RestoreSettings, OtherSettings, total=False):
    """Of `Sandbox`: all."""
