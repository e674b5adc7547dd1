"""The operator's page: the sessions of the store, the trees of their snapshots, their traces.

It only looks. It has a token of its own (``--admin-token``), which stands in no address: what is
downloaded has a ticket, which is good once and soon ends. Whatever a tenant or a script named is
shown with what is invisible escaped, and is never markup.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response

from ..errors import BoundError
from ..page import HEADERS, join
from ..page.looking import no_files
from ..page.writing import written
from .problems import Problem
from .state import State

if TYPE_CHECKING:
    from .sessions import Sessions

_HERE = Path(__file__).parent
#: Seconds that a ticket is good for, and how many there may be.
_SECONDS, _TICKETS = 60.0, 1000
#: Sessions of one answer, snapshots of a tree, traces of a session.
_SESSIONS, _TREE, _TRACES = 50, 1000, 100
#: Characters of an admin token, at least.
SHORTEST = 32


def page() -> tuple[str, str]:
    """The page, and the policy that it is sent with."""
    there = Path(join.__file__).parent
    style = "\n\n".join(_text(path) for path in (there / "page.css", _HERE / "admin.css"))
    scripts = (_text(path) for path in (there / "text.js", _HERE / "admin.js"))
    script = "\n\n".join(['"use strict";', *scripts])
    text = _text(_HERE / "admin.html")
    for name, part in (("STYLE", style), ("SCRIPT", script)):
        text = text.replace(f"@{name}@", part, 1)
    policy = [
        "default-src 'none'",
        f"script-src {_hash(script)}",
        f"style-src {_hash(style)}",
        "img-src data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    return text + "\n", "; ".join(policy)


def _text(path: Path) -> str:
    return path.read_text("utf-8").rstrip("\n")


def _hash(text: str) -> str:
    digest = hashlib.sha256(f"\n{text}\n".encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


class Tickets:
    """What may be fetched once, soon."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[float, str, int]] = OrderedDict()

    def give(self, kind: str, id: int) -> str:
        ticket = secrets.token_urlsafe(24)
        self._known[ticket] = time.monotonic() + _SECONDS, kind, id
        while len(self._known) > _TICKETS:
            self._known.popitem(last=False)
        return ticket

    def take(self, ticket: str) -> tuple[str, int]:
        until, kind, id = self._known.pop(ticket, (0.0, "", 0))
        if time.monotonic() > until:
            raise Problem(404, "no_ticket", "the ticket was used, or it is over: ask for another")
        return kind, id


def router(token: str) -> APIRouter:
    """The routes, for who has this token."""
    if len(token) < SHORTEST:
        raise ValueError(f"an admin token has {SHORTEST} characters or more")
    text, policy = page()
    tickets, wanted = Tickets(), hashlib.sha256(token.encode()).digest()

    def admitted(request: Request) -> None:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        digest = hashlib.sha256(given.strip().encode("utf-8", "surrogateescape")).digest()
        if not hmac.compare_digest(digest, wanted) or scheme.lower() != "bearer":
            raise Problem(401, "bad_token", "this is not the admin token")

    routes = APIRouter(prefix="/admin", include_in_schema=False)
    api = APIRouter(prefix="/api", dependencies=[Depends(admitted)])

    @routes.get("")
    async def show() -> Any:
        return HTMLResponse(text, headers={**HEADERS, "Content-Security-Policy": policy})

    @api.get("/sessions")
    async def sessions(request: Request, prefix: str = "", after: str = "") -> Any:
        return _json(await _sessions(_home(request), prefix, after))

    @api.get("/tree")
    async def tree(request: Request, name: str) -> Any:
        return _json(await _tree(_home(request), name))

    @api.get("/traces")
    async def traces(request: Request, name: str) -> Any:
        home = _home(request)
        found = await home._stored(lambda: home.store.trace_page(name, limit=_TRACES))
        return _json({"traces": [{"id": t.id, "age": t.age, "bytes": t.bytes} for t in found]})

    @api.post("/tickets")
    async def give(
        kind: Annotated[str, Query(pattern="^(trace|view|snapshot)$")],
        id: Annotated[int, Query(ge=0, lt=1 << 63)],
    ) -> Any:
        return _json({"path": f"admin/tickets/{tickets.give(kind, id)}"})

    @routes.get("/tickets/{ticket}")
    async def take(request: Request, ticket: str) -> Any:
        return await _fetched(_home(request), *tickets.take(ticket))

    routes.include_router(api)
    return routes


def _home(request: Request) -> Sessions:
    home: Sessions = request.app.state.sessions
    return home


def _json(value: Any) -> Response:
    """Names may have what no encoding takes: as escapes, everything is ASCII."""
    return Response(json.dumps(value), media_type="application/json", headers=HEADERS)


async def _sessions(home: Sessions, prefix: str, after: str) -> dict[str, Any]:
    found = await home._stored(lambda: home.store.page(prefix, after=after, limit=_SESSIONS))
    count = await home._stored(lambda: home.store.count(prefix))
    live = home.live()
    states = [state for state in live.values() if state]
    return {
        "sessions": [
            {
                "name": named.name,
                "snapshot": named.snapshot,
                "age": named.age,
                "bytes": named.bytes,
                "driver": named.driver,
                "state": live.get(named.name),
            }
            for named in found
        ],
        "next": found[-1].name if len(found) == _SESSIONS else None,
        "count": count,
        "active": len(live),
        "running": states.count("running"),
        "waiting": states.count("waiting"),
    }


async def _tree(home: Sessions, name: str) -> dict[str, Any]:
    more = False
    try:
        try:
            found = await home._stored(lambda: home.store.tree(name, limit=_TREE))
        except BoundError:
            more = True
            line = home.store.line
            found = (await home._stored(lambda: line(name, limit=_TREE)))[::-1]
        now = await home._stored(home.store.now)
    except KeyError:
        raise Problem(404, "no_session", "there is no such session in the store") from None
    snapshots = []
    for saved in reversed(found):
        said, damaged = _said(home, saved.label, name.partition("/")[0])
        snapshots.append(
            {
                "id": saved.id,
                "parent": saved.parent,
                "age": now - saved.time.timestamp(),
                "bytes": saved.bytes,
                "names": saved.names,
                "said": said,
                "damaged": damaged,
            }
        )
    return {"snapshots": snapshots, "more": more}


def _said(home: Sessions, label: str, tenant: str) -> tuple[str, bool]:
    """What the state beside a snapshot says of it; of another program's the label."""
    if " {" not in label:
        return label[:200], False
    try:
        state = State.read(label, home.key, tenant)
    except Problem as problem:
        return problem.message, True
    if state.run is None:
        return "new", False
    if state.result is not None:
        return f"run {state.run}: {'ok' if state.result.get('ok') else 'failed'}", False
    methods = len(state.since)
    return f"run {state.run}: waits for {methods} call{'' if methods == 1 else 's'}", False


async def _fetched(home: Sessions, kind: str, id: int) -> Response:
    try:
        if kind == "snapshot":
            data = await home._stored(lambda: home.store.data(id))
            return _download(data, f"snapshot-{id}.pinfold", "application/octet-stream")
        data = await home._stored(lambda: home.store.trace(id))
    except KeyError:
        raise Problem(404, "gone", f"the {kind} {id} is not in the store any more") from None
    if kind == "trace":
        return _download(data, f"trace-{id}.jsonl", "application/x-ndjson")
    why = "the server does not run it again; pinfold trace does"
    try:
        text = await home.work(lambda: written(data, f"trace {id}", no_files(why)))
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise Problem(422, "no_trace", f"trace {id} cannot be shown: {error}") from None
    policy = f"{join.policy()}; frame-ancestors 'none'; sandbox allow-scripts"
    return HTMLResponse(text, headers={**HEADERS, "Content-Security-Policy": policy})


def _download(data: bytes, name: str, kind: str) -> Response:
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=kind, headers=headers)
