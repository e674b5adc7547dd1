"""The sandbox behind the sandbox interface of the OpenAI Agents SDK: a client that makes sessions.

A session's commands each run in a shell of their own, as the SDK asks; what `exec_command` starts and
goes on is a job of the sandbox. The workspace persists as the SDK's own tar archives.
"""

from __future__ import annotations

import asyncio
import io
import posixpath
import shlex
import tarfile
import uuid
from pathlib import Path
from typing import Any, Literal

from agents.sandbox.capabilities import Capability
from agents.sandbox.errors import (
    ExecTimeoutError,
    ExecTransportError,
    PtySessionNotFoundError,
    WorkspaceArchiveReadError,
    WorkspaceArchiveWriteError,
    WorkspaceReadNotFoundError,
    WorkspaceStartError,
    WorkspaceWriteTypeError,
)
from agents.sandbox.manifest import Manifest
from agents.sandbox.session import SandboxSession, SandboxSessionState
from agents.sandbox.session.base_sandbox_session import BaseSandboxSession
from agents.sandbox.session.dependencies import Dependencies
from agents.sandbox.session.manager import Instrumentation
from agents.sandbox.session.pty_types import (
    PtyExecUpdate,
    clamp_pty_yield_time_ms,
    resolve_pty_write_yield_time_ms,
    truncate_text_by_tokens,
)
from agents.sandbox.session.runtime_helpers import (
    RESOLVE_WORKSPACE_PATH_HELPER,
    RuntimeHelperScript,
)
from agents.sandbox.session.sandbox_client import BaseSandboxClient, BaseSandboxClientOptions
from agents.sandbox.snapshot import SnapshotBase, SnapshotSpec, resolve_snapshot
from agents.sandbox.types import ExecResult, User

from ..catalog import describe_calls
from ..errors import PinfoldError
from ..files import WRITABLE
from ..jobs import Job, JobError
from ..sandbox import Sandbox
from ..sandbox_tool import SandboxTool

_NO_USERS = "a pinfold sandbox has one user: leave `user`, `users` and `groups` out"
_NO_TERMINAL = (
    b"there is no terminal in this sandbox: run the command with tty=false;"
    b" write_stdin reaches its standard input all the same\n"
)
_LANGUAGES = "Commands run in bash; `node` runs JavaScript with top-level await, `python3` Python."


class PinfoldSandboxClientOptions(BaseSandboxClientOptions):
    """Nothing: what sessions may do is said to the client."""

    type: Literal["pinfold"] = "pinfold"


class PinfoldSandboxSessionState(SandboxSessionState):
    """What the SDK keeps of a session between runs."""

    type: Literal["pinfold"] = "pinfold"


class PinfoldSandboxSession(BaseSandboxSession):
    """One sandbox as a session of the SDK."""

    state: PinfoldSandboxSessionState

    def __init__(self, state: PinfoldSandboxSessionState, sandbox: Sandbox) -> None:
        self.state = state
        self.sandbox = sandbox
        self._one = asyncio.Lock()  # a sandbox does one thing at a time
        self._ready = False

    # ------------------------------------------------------------------ its life

    def _runtime_helpers(self) -> tuple[RuntimeHelperScript, ...]:
        return (RESOLVE_WORKSPACE_PATH_HELPER,)

    async def _validate_path_access(self, path: Path | str, *, for_write: bool = False) -> Path:
        place: Path = await self._validate_remote_path_access(path, for_write=for_write)
        return place

    async def _prepare_backend_workspace(self) -> None:
        root = self.state.manifest.root
        made = await self._run(["mkdir", "-p", "--", root], "/", {}, None)
        if not made.ok():
            why = made.stderr.decode(errors="replace").strip()
            raise WorkspaceStartError(path=Path(root), context={"reason": why})

    async def _after_start(self) -> None:
        self._ready = True

    async def running(self) -> bool:
        return self._ready and not self.sandbox.closed

    async def _shutdown_backend(self) -> None:
        self._ready = False
        async with self._one:
            self.sandbox.close()

    async def provision_manifest_accounts(self) -> None:
        if self.state.manifest.users or self.state.manifest.groups:
            raise ValueError(_NO_USERS)

    # ------------------------------------------------------------------ commands

    def _prepare_exec_command(
        self, *command: str | Path, shell: bool | list[str], user: str | User | None
    ) -> list[str]:
        if user is not None:
            raise ValueError(_NO_USERS)
        prepared: list[str] = super()._prepare_exec_command(*command, shell=shell, user=None)
        return prepared

    async def _exec_internal(
        self, *command: str | Path, timeout: float | None = None
    ) -> ExecResult:
        env = await self.state.manifest.environment.resolve()
        root = self.state.manifest.root
        return await self._run([str(word) for word in command], root, env, timeout)

    async def _run(
        self, command: list[str], cwd: str, env: dict[str, str], timeout: float | None
    ) -> ExecResult:
        try:
            async with self._one:
                result = await self.sandbox.arun(
                    shlex.join(command),
                    isolated=True,
                    timeout=timeout if timeout is None or timeout > 0 else 0.001,
                    cwd=cwd,
                    env={"HOME": cwd, **env},
                )
        except (PinfoldError, OSError, ValueError) as error:
            raise ExecTransportError(command=command, cause=error, message=str(error)) from error
        if result.limit == "timeout":
            raise ExecTimeoutError(command=command, timeout_s=timeout)
        stderr = result.stderr_bytes
        if result.limit is not None:
            stderr += f"[stopped at the limit {result.limit}]\n".encode()
        return ExecResult(stdout=result.stdout_bytes, stderr=stderr, exit_code=result.exit_code)

    # ------------------------------------------------------------------ commands that go on

    def supports_pty(self) -> bool:
        return True

    async def pty_exec_start(
        self,
        *command: str | Path,
        timeout: float | None = None,
        shell: bool | list[str] = True,
        user: str | User | None = None,
        tty: bool = False,
        yield_time_s: float | None = None,
        max_output_tokens: int | None = None,
    ) -> PtyExecUpdate:
        prepared = self._prepare_exec_command(*command, shell=shell, user=user)
        if tty:
            return PtyExecUpdate(None, _NO_TERMINAL, 1, None)
        root = self.state.manifest.root
        env = {"HOME": root, **await self.state.manifest.environment.resolve()}
        variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
        script = f"cd {shlex.quote(root)} && exec env {variables} {shlex.join(prepared)}"
        milliseconds = 10_000 if yield_time_s is None else int(yield_time_s * 1000)
        try:
            async with self._one:
                job = await self.sandbox.jobs.astart(script)
                return await self._update(
                    job, clamp_pty_yield_time_ms(milliseconds), max_output_tokens
                )
        except (PinfoldError, OSError) as error:
            raise ExecTransportError(command=prepared, cause=error, message=str(error)) from error

    async def pty_write_stdin(
        self,
        *,
        session_id: int,
        chars: str,
        yield_time_s: float | None = None,
        max_output_tokens: int | None = None,
    ) -> PtyExecUpdate:
        milliseconds = 250 if yield_time_s is None else int(yield_time_s * 1000)
        milliseconds = resolve_pty_write_yield_time_ms(
            yield_time_ms=milliseconds, input_empty=chars == ""
        )
        async with self._one:
            if session_id not in self.sandbox.jobs:
                raise PtySessionNotFoundError(session_id=session_id)
            job = self.sandbox.jobs[session_id]
            if chars:
                try:
                    await job.awrite(chars)
                except JobError as error:
                    raise RuntimeError(str(error)) from error
            return await self._update(job, milliseconds, max_output_tokens)

    async def _update(self, job: Job, milliseconds: int, tokens: int | None) -> PtyExecUpdate:
        code = await job.await_(milliseconds / 1000)
        text, count = truncate_text_by_tokens(job.read(), tokens)
        left = job.id if code is None else None
        return PtyExecUpdate(left, text.encode("utf-8", "replace"), code, count)

    async def pty_terminate_all(self) -> None:
        async with self._one:
            if not self.sandbox.closed:
                for job in self.sandbox.jobs.running:
                    await job.astop()

    # ------------------------------------------------------------------ files

    async def read(self, path: Path, *, user: str | User | None = None) -> io.IOBase:
        if user is not None:
            raise ValueError(_NO_USERS)
        place = await self._validate_path_access(path)
        async with self._one:
            try:
                return io.BytesIO(self.sandbox.files[place.as_posix()])
            except KeyError as error:
                raise WorkspaceReadNotFoundError(path=path, cause=error) from error
            except (PinfoldError, OSError) as error:
                raise WorkspaceArchiveReadError(path=path, cause=error) from error

    async def write(self, path: Path, data: io.IOBase, *, user: str | User | None = None) -> None:
        if user is not None:
            raise ValueError(_NO_USERS)
        content = _bytes(path, data)
        place = await self._validate_path_access(path, for_write=True)
        async with self._one:
            try:
                self.sandbox.files[place.as_posix()] = content
            except (PinfoldError, OSError) as error:
                raise WorkspaceArchiveWriteError(path=place, cause=error) from error

    async def persist_workspace(self) -> io.IOBase:
        root = Path(self.state.manifest.root)
        skipped = [path.as_posix() for path in self._persist_workspace_skip_relpaths()]
        async with self._one:
            try:
                whole = self.sandbox.files.tar(root.as_posix())
            except (PinfoldError, OSError) as error:
                raise WorkspaceArchiveReadError(path=root, cause=error) from error
        return io.BytesIO(_without(whole, skipped) if skipped else whole)

    async def hydrate_workspace(self, data: io.IOBase) -> None:
        root = self.state.manifest.root
        archive = f"/tmp/.hydrate-{self.state.session_id.hex}.tar"
        content = _bytes(Path(archive), data)
        async with self._one:
            self.sandbox.files[archive] = content
        try:
            done = await self._run(["tar", "-xf", archive, "-C", root], "/", {}, None)
        finally:
            async with self._one:
                self.sandbox.files.pop(archive, None)
        if not done.ok():
            why = done.stderr.decode(errors="replace").strip()
            raise WorkspaceArchiveWriteError(path=Path(root), context={"reason": why})


class PinfoldFunctions(Capability):
    """``SandboxAgent(capabilities=[*Capabilities.default(), PinfoldFunctions()])``: tells the model
    which functions scripts in the sandbox can call."""

    type: Literal["pinfold_functions"] = "pinfold_functions"
    #: How long that may be.
    description_characters: int | None = 20_000

    async def instructions(self, manifest: Manifest) -> str | None:
        inner = getattr(self.session, "_inner", self.session)
        if not isinstance(inner, PinfoldSandboxSession):
            return None
        calls = describe_calls(inner.sandbox, self.description_characters)
        return f"# Functions in the sandbox\n{_LANGUAGES}\n\n{calls}" if calls else None


class PinfoldSandboxClient(BaseSandboxClient[PinfoldSandboxClientOptions | None]):
    """``RunConfig(sandbox=SandboxRunConfig(client=PinfoldSandboxClient(tool)))``.

    Each session is a sandbox with the settings of ``tool``, its tools and what is granted of them
    included; ``max_calls`` is spent by all sessions together. Without one, sandboxes have no tools.
    """

    backend_id = "pinfold"
    supports_default_options = True

    def __init__(
        self,
        tool: SandboxTool | None = None,
        *,
        instrumentation: Instrumentation | None = None,
        dependencies: Dependencies | None = None,
    ) -> None:
        self.tool = SandboxTool() if tool is None else tool
        self._instrumentation = Instrumentation() if instrumentation is None else instrumentation
        self._dependencies = dependencies
        self._live: dict[uuid.UUID, PinfoldSandboxSession] = {}

    async def create(
        self,
        *,
        snapshot: SnapshotSpec | SnapshotBase | None = None,
        manifest: Manifest | None = None,
        options: PinfoldSandboxClientOptions | None = None,
    ) -> SandboxSession:
        manifest = self._validate_manifest_for_create(Manifest() if manifest is None else manifest)
        _check(manifest)
        id = uuid.uuid4()
        state = PinfoldSandboxSessionState(
            session_id=id, manifest=manifest, snapshot=resolve_snapshot(snapshot, str(id))
        )
        return self._session(state, preserved=False)

    async def resume(self, state: SandboxSessionState) -> SandboxSession:
        """Goes on with the sandbox of this session if this client still has it, and else with a new
        one, which gets the workspace back from the session's snapshot."""
        if not isinstance(state, PinfoldSandboxSessionState):
            raise TypeError(f"this is the state of a session of {state.type!r}, not of pinfold")
        state.assert_path_grants_rebound()
        _check(state.manifest)
        live = self._live.get(state.session_id)
        if live is None or live.sandbox.closed:
            state.workspace_root_ready = False
            return self._session(state, preserved=False)
        return self._session(state, preserved=True, sandbox=live.sandbox)

    async def delete(self, session: SandboxSession) -> SandboxSession:
        inner = session._inner
        if not isinstance(inner, PinfoldSandboxSession):
            raise TypeError("this is no session of pinfold's")
        self._live.pop(inner.state.session_id, None)
        await inner.shutdown()
        return session

    def deserialize_session_state(self, payload: dict[str, object]) -> SandboxSessionState:
        state: SandboxSessionState = self._deserialize_session_state_payload(
            payload, PinfoldSandboxSessionState
        )
        return state

    def _session(
        self, state: PinfoldSandboxSessionState, *, preserved: bool, sandbox: Sandbox | None = None
    ) -> SandboxSession:
        made = self.tool._another().sandbox if sandbox is None else sandbox
        inner = PinfoldSandboxSession(state, made)
        inner._set_start_state_preserved(preserved)
        for id in [id for id, live in self._live.items() if live.sandbox.closed]:
            del self._live[id]
        self._live[state.session_id] = inner
        return self._wrap_session(inner, instrumentation=self._instrumentation)


def _check(manifest: Manifest) -> None:
    """What cannot be kept is refused before anything is made."""
    root = posixpath.normpath(manifest.root)
    if not any(root == place or root.startswith(f"{place}/") for place in WRITABLE):
        raise ValueError(
            f"the workspace's root is /workspace or a directory below it or /tmp, not {root}:"
            " programs in the sandbox can write nowhere else"
        )
    if manifest.users or manifest.groups:
        raise ValueError(_NO_USERS)


def _bytes(path: Path, data: io.IOBase) -> bytes:
    content: Any = data.read()
    if isinstance(content, str):
        return content.encode()
    if not isinstance(content, bytes | bytearray):
        raise WorkspaceWriteTypeError(path=path, actual_type=type(content).__name__)
    return bytes(content)


def _without(archive: bytes, skipped: list[str]) -> bytes:
    """A tar archive without these paths and what lies below them."""
    out = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive)) as old,
        tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in old:
            name = posixpath.normpath(member.name)
            if not any(name == path or name.startswith(f"{path}/") for path in skipped):
                new.addfile(member, old.extractfile(member) if member.isreg() else None)
    return out.getvalue()
