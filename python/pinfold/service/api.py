"""The routes: what `docs/service.md` and ``/openapi.json`` describe."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from .. import __version__
from ..errors import BoundError, PinfoldError
from ..files import HOME
from .admin import router as admin_router
from .authority import Authority, Known, Principal
from .config import Config
from .logs import Logged
from .models import (
    Answer,
    ErrorBody,
    FileInfo,
    FileList,
    ForkSpec,
    Health,
    RunInfo,
    RunSpec,
    SessionInfo,
    SessionList,
    SessionSpec,
    SnapshotInfo,
    SnapshotList,
    TraceInfo,
    TraceList,
)
from .problems import Elsewhere, Problem
from .session import Session, dumped
from .sessions import Sessions
from .state import Run

T = TypeVar("T")
#: Seconds that a request waits for a run to rest, unless it says less.
_WAIT = 60.0
_DESCRIPTION = """Sandboxes for code that language models write, over HTTP.

Every request has a token (`Authorization: Bearer …`): whose key issued it is the tenant, and what
it grants below `pinfold/sessions/` are the requests. What is acknowledged is in the store."""

_errors: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody} for status in (401, 403, 404, 409, 413, 422, 429, 500, 503, 507)
}
router = APIRouter(
    prefix="/v1", responses=_errors, dependencies=[Depends(HTTPBearer(auto_error=False))]
)


def create_app(config: Config, sessions: Sessions, admin: str | None = None) -> FastAPI:
    """The application; ``sessions`` are opened and closed with it. ``admin`` is the token of the
    page for operators, which is not there without one."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await sessions.open()
        yield
        await sessions.close()

    app = FastAPI(title="pinfold", version=__version__, description=_DESCRIPTION, lifespan=lifespan)
    app.state.sessions = sessions
    app.state.authority = authority = Authority(config)
    app.include_router(router)
    app.include_router(_operators())
    if admin is not None:
        app.include_router(admin_router(admin))
    app.add_exception_handler(Problem, _told)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _plain)
    most = max(tenant.upload_bytes for tenant in config.tenants.values())
    app.add_middleware(Known, authority=authority, told=_told)
    app.add_middleware(Logged, log=sessions.log, most=most + (1 << 20))
    return app


def _operators() -> APIRouter:
    routes = APIRouter(tags=["operators"])

    @routes.get("/healthz", response_model=Health, summary="Does the process live?")
    async def healthz() -> Any:
        return {"status": "ok"}

    @routes.get("/readyz", response_model=Health, summary="May requests be sent here?")
    async def readyz(request: Request) -> Any:
        why = await request.app.state.sessions.ready()
        return JSONResponse({"status": why or "ok"}, 503 if why else 200)

    @routes.get("/metrics", response_class=Response, summary="For Prometheus")
    async def metrics(request: Request) -> Any:
        text = request.app.state.sessions.measured()
        return Response(text, media_type="text/plain; version=0.0.4")

    return routes


async def _told(request: Request, problem: Any) -> Response:
    if isinstance(problem, Elsewhere):
        home = _home(request)
        try:
            answer = await home.peers.answer(request, problem)
        except Problem as other:
            problem = other
        else:
            if answer is not None:
                home.metrics.passed_on.inc()
                return answer
    if problem.status in (401, 403):
        request.app.state.sessions.metrics.denials.labels(problem.code).inc()
    headers = {"Retry-After": "1"} if problem.status in (429, 503) else {}
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(problem.body(), problem.status, headers)


async def _invalid(request: Request, error: Any) -> Response:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return JSONResponse(Problem(422, "invalid", f"{where}: {first['msg']}").body(), 422)


async def _plain(request: Request, error: Any) -> Response:
    code = {404: "no_route", 405: "no_method", 413: "too_large"}.get(error.status_code, "http")
    problem = Problem(error.status_code, code, str(error.detail))
    return JSONResponse(problem.body(), error.status_code, error.headers)


def _who(request: Request) -> Principal:
    principal: Principal = request.app.state.authority.of(request)
    return principal


Who = Annotated[Principal, Depends(_who)]
Wait = Annotated[float, Query(ge=0, le=600, description="Seconds to wait for it to rest")]


def _home(request: Request) -> Sessions:
    home: Sessions = request.app.state.sessions
    return home


async def _done(work: Coroutine[Any, Any, T]) -> T:
    """To its end, also when the client goes away."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        raise


def _info(session: Session) -> dict[str, Any]:
    return {
        "name": session.name,
        "snapshot": session.snapshot,
        "run": None if session.run is None else session.run.body(),
        "tools": [tool["name"] for tool in session.state.spec["tools"]],
    }


# ---------------------------------------------------------------------- sessions


@router.post("/sessions", status_code=201, response_model=SessionInfo, tags=["sessions"])
async def create_session(request: Request, who: Who, spec: SessionSpec) -> Any:
    return _info(await _done(_home(request).create(who, spec)))


@router.get("/sessions", response_model=SessionList, tags=["sessions"])
async def list_sessions(request: Request, who: Who) -> Any:
    """Those that the token may read."""
    names = []
    for name in await _home(request).names(who):
        with contextlib.suppress(Problem):
            who.allow("list", name)
            names.append(name)
    return {"sessions": names}


@router.get("/sessions/{name}", response_model=SessionInfo, tags=["sessions"])
async def read_session(request: Request, who: Who, name: str) -> Any:
    return _info(await _done(_home(request).get(who, "read", name)))


@router.delete("/sessions/{name}", status_code=204, tags=["sessions"])
async def delete_session(request: Request, who: Who, name: str) -> Response:
    await _done(_home(request).delete(who, name))
    return Response(status_code=204)


# ---------------------------------------------------------------------- runs and calls


@router.post("/sessions/{name}/runs", response_model=RunInfo, tags=["runs"])
async def start_run(
    request: Request,
    who: Who,
    name: str,
    spec: RunSpec,
    wait: Wait = _WAIT,
    accept: Annotated[str, Header()] = "",
) -> Any:
    """Runs a script until it ends or waits for answers. With ``Accept: text/event-stream`` events
    come as they happen: ``output``, ``call``, ``waiting``, ``result``."""
    _home(request).refuse_runs()
    session = await _done(_home(request).get(who, "run", name))
    run = await _done(session.start(spec))
    if "text/event-stream" in accept:
        return _stream(run, 0)
    return await _rested(run, wait)


@router.get("/sessions/{name}/runs/{number}", response_model=RunInfo, tags=["runs"])
async def read_run(request: Request, who: Who, name: str, number: int, wait: Wait = 0) -> Any:
    """The run that is on, or the last one."""
    return await _rested(await _run(request, who, name, number), wait)


@router.get(
    "/sessions/{name}/runs/{number}/events", tags=["runs"], response_class=StreamingResponse
)
async def read_events(
    request: Request,
    who: Who,
    name: str,
    number: int,
    last_event_id: Annotated[int, Header()] = 0,
) -> Any:
    """The events of a run behind ``Last-Event-ID``, as they come."""
    return _stream(await _run(request, who, name, number), last_event_id)


@router.post("/sessions/{name}/interrupt", response_model=RunInfo, tags=["runs"])
async def interrupt_run(request: Request, who: Who, name: str, wait: Wait = 5) -> Any:
    """Ends the run that is on, as Ctrl-C does; calls that wait fail."""
    session = await _done(_home(request).get(who, "interrupt", name))
    await _done(session.interrupt())
    assert session.run is not None
    return await _rested(session.run, wait)


@router.post("/sessions/{name}/calls/{id}", response_model=RunInfo, tags=["runs"])
async def answer_call(request: Request, who: Who, name: str, id: int, answer: Answer) -> Any:
    """Answers a call that waits, and lets the script go on until it rests. The same answer twice is
    one answer; another one for a call that was answered is refused."""
    if sum(given is not None for given in (answer.error, answer.deny)) > 1 or (
        "value" in answer.model_fields_set and (answer.error or answer.deny) is not None
    ):
        raise Problem(422, "invalid", "an answer is one of value, error and deny")
    session = await _done(_home(request).get(who, "answer", name))
    await _done(session.answer(id, answer, lambda: who.allow("approve", name)))
    assert session.run is not None
    return session.run.body()


async def _run(request: Request, who: Principal, name: str, number: int) -> Run:
    session = await _done(_home(request).get(who, "read", name))
    run = session.run
    if run is None or run.number != number:
        last = "none" if run is None else f"number {run.number}"
        raise Problem(404, "no_run", f"run {number} is not the last one, which is {last}")
    return run


async def _rested(run: Run, wait: float) -> Any:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(wait):
            await run.rest()
    if run.problem is not None and run.result is None:
        raise run.problem
    status = 202 if run.state == "running" else 200
    return JSONResponse(run.body(), status)


def _stream(run: Run, after: int) -> StreamingResponse:
    async def events() -> AsyncIterator[bytes]:
        async for event in run.follow(after):
            if event is None:
                yield b": nothing new\n\n"
                continue
            number, kind, body = event
            yield f"id: {number}\nevent: {kind}\ndata: {dumped(body)}\n\n".encode()

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Run": str(run.number)}
    return StreamingResponse(events(), media_type="text/event-stream", headers=headers)


# ---------------------------------------------------------------------- files


def _path(path: str) -> str:
    if "\0" in path:
        raise Problem(422, "invalid", "a path has no NUL")
    return f"{HOME}/{path}" if not path.startswith("/") else path


@router.get("/sessions/{name}/files", response_model=FileList, tags=["files"])
async def list_files(request: Request, who: Who, name: str) -> Any:
    """The regular files in /workspace and /tmp."""
    session = await _done(_home(request).get(who, "read", name))

    def look(sandbox: Any) -> list[FileInfo]:
        found = []
        for path in sandbox.files.walk():
            size = sandbox._machine.file_lstat(path)[1]
            found.append(FileInfo(path=path, bytes=size))
        return found

    return {"files": await _bounded(session.look(look))}


@router.get("/sessions/{name}/files/{path:path}", tags=["files"], response_class=Response)
async def read_file(request: Request, who: Who, name: str, path: str) -> Response:
    session = await _done(_home(request).get(who, "read", name))
    most = session.tenant.upload_bytes
    data = await _bounded(session.look(lambda s: s.files.read(_path(path), max_bytes=most)))
    return Response(data, media_type="application/octet-stream")


@router.put("/sessions/{name}/files/{path:path}", status_code=204, tags=["files"])
async def write_file(request: Request, who: Who, name: str, path: str) -> Response:
    """The body is the file. It is in the store when this is answered."""
    who.allow("write", name)
    parts, size = [], 0
    async for part in request.stream():
        parts.append(part)
        size += len(part)
        if size > who.tenant.upload_bytes:
            raise Problem(413, "too_large", f"a file has at most {who.tenant.upload_bytes} bytes")
    data = request.state.body = b"".join(parts)
    session = await _done(_home(request).get(who, "write", name))

    def work(sandbox: Any) -> None:
        sandbox.files[_path(path)] = data

    await _bounded(session.change(work))
    return Response(status_code=204)


@router.delete("/sessions/{name}/files/{path:path}", status_code=204, tags=["files"])
async def delete_file(request: Request, who: Who, name: str, path: str) -> Response:
    session = await _done(_home(request).get(who, "write", name))
    await _bounded(session.change(lambda sandbox: sandbox.files.__delitem__(_path(path))))
    return Response(status_code=204)


async def _bounded(work: Coroutine[Any, Any, T]) -> T:
    try:
        return await _done(work)
    except (KeyError, FileNotFoundError) as error:
        raise Problem(404, "no_file", str(error).strip("'\"")) from None
    except BoundError as error:
        raise Problem(413, "too_large", str(error)) from None
    except (OSError, ValueError, PinfoldError) as error:
        raise Problem(422, "invalid", str(error)) from None


# ---------------------------------------------------------------------- the tree


@router.get("/sessions/{name}/snapshots", response_model=SnapshotList, tags=["snapshots"])
async def list_snapshots(request: Request, who: Who, name: str) -> Any:
    """Its snapshots, newest first."""
    who.allow("read", name)
    found = []
    for saved in await _home(request).history(who, name):
        info = SnapshotInfo(
            id=saved.id, parent=saved.parent, time=saved.time.isoformat(), bytes=saved.bytes
        )
        found.append(info)
    return {"snapshots": found}


@router.get("/sessions/{name}/snapshots/{id}", tags=["snapshots"], response_class=Response)
async def read_snapshot(request: Request, who: Who, name: str, id: int) -> Response:
    """Its bytes: what `Sandbox.restore` takes."""
    who.allow("read", name)
    home = _home(request)
    found = await home.of_history(who, name, id)
    data = await home._stored(lambda: home.store.data(found))
    return Response(data, media_type="application/octet-stream")


@router.post(
    "/sessions/{name}/forks", status_code=201, response_model=SessionInfo, tags=["snapshots"]
)
async def fork_session(request: Request, who: Who, name: str, spec: ForkSpec) -> Any:
    """Another session that goes on from a snapshot, its calls that wait included."""
    home = _home(request)
    await _done(home.fork(who, name, spec.snapshot, spec.name))
    return _info(await _done(home.get(who, "read", spec.name)))


@router.get("/sessions/{name}/traces", response_model=TraceList, tags=["traces"])
async def list_traces(request: Request, who: Who, name: str) -> Any:
    """The recordings of a session with `record`, newest first."""
    found = await _home(request).traces(who, name)
    return {"traces": [TraceInfo(id=t.id, age=t.age, bytes=t.bytes) for t in found]}


@router.get("/sessions/{name}/traces/{id}", tags=["traces"], response_class=Response)
async def read_trace(request: Request, who: Who, name: str, id: int) -> Response:
    """One of them: what `pinfold trace` and `pinfold replay --partial` take."""
    data = await _home(request).trace(who, name, id)
    return Response(data, media_type="application/x-ndjson")


def openapi(app: FastAPI) -> str:
    """The description, as text."""
    return json.dumps(app.openapi(), indent=1)
