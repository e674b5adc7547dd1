"""Bodies of requests and answers: what the OpenAPI description is made from."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """Nothing is ever ignored."""

    model_config = ConfigDict(extra="forbid")


class ToolSpec(Strict):
    name: str = Field(min_length=1, max_length=200)
    description: str = Field("", max_length=100_000)
    parameters: dict[str, Any] | None = Field(None, description="JSON Schema of the arguments")


class SessionSpec(Strict):
    name: str = Field(description="Letters, digits, ., _ and -; at most 100")
    tools: list[ToolSpec] = []
    capabilities: list[dict[str, Any]] | None = Field(
        None,
        description="What its scripts may call, as in a policy; default: what the token grants",
    )
    limits: dict[str, float | int | None] = Field({}, description="At most those of the tenant")
    env: dict[str, str] = {}
    seed: int | None = Field(None, ge=0, lt=1 << 64)
    record: bool = Field(False, description="Keep traces of it: see /traces")


class RunSpec(Strict):
    code: str
    language: Literal["shell", "javascript", "typescript", "python"] = "shell"
    stdin: str | None = None
    isolated: bool = False
    cwd: str | None = None
    env: dict[str, str] | None = None
    key: str | None = Field(
        None,
        max_length=200,
        description="Names this run: a second request with the same key is about the same run",
    )


class Answer(Strict):
    """One of ``value``, ``error`` and ``deny``."""

    value: Any = None
    error: str | None = None
    code: Literal["failed", "invalid", "timeout"] = "failed"
    deny: str | None = None


class ForkSpec(Strict):
    name: str
    snapshot: int | None = Field(None, description="One of its history; default: the newest")


class CallInfo(BaseModel):
    id: int = Field(description="Stays the same wherever the sandbox goes: an idempotency key")
    method: str
    params: dict[str, Any]
    ask: bool = Field(description="Wants approval: its answer needs pinfold/sessions/approve")


class UsageInfo(BaseModel):
    cpu_seconds: float
    wall_seconds: float
    memory_bytes: int
    tool_calls: int


class ResultInfo(BaseModel):
    ok: bool
    exit_code: int
    stdout: str
    stderr: str
    value: Any = None
    limit: str | None = None
    truncated: bool = False
    shortened: bool = Field(False, description="Its output is too long to be kept after a restart")
    usage: UsageInfo


class RunInfo(BaseModel):
    number: int
    state: Literal["running", "waiting", "done"]
    calls: list[CallInfo] = []
    result: ResultInfo | None = None


class SessionInfo(BaseModel):
    name: str
    snapshot: int
    run: RunInfo | None = None
    tools: list[str] = []


class SessionList(BaseModel):
    sessions: list[str]


class SnapshotInfo(BaseModel):
    id: int
    parent: int | None
    time: str
    bytes: int


class SnapshotList(BaseModel):
    snapshots: list[SnapshotInfo]


class TraceInfo(BaseModel):
    id: int
    age: float = Field(description="Seconds since it was kept, by the store's clock")
    bytes: int


class TraceList(BaseModel):
    traces: list[TraceInfo]


class FileInfo(BaseModel):
    path: str
    bytes: int


class FileList(BaseModel):
    files: list[FileInfo]


class Health(BaseModel):
    status: str


class ErrorInfo(BaseModel):
    code: str
    message: str


class ErrorBody(BaseModel):
    error: ErrorInfo
