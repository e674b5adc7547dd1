"""What a request may do: its token says whose it is, what its sandboxes may call, and which
requests it may make.

A tenant is whose key issued the token, so narrowing never leads to another one. What the token
grants below ``pinfold/`` are requests: ``pinfold/sessions/run`` with ``{"session": NAME}``, judged
as any call, so that a token for one user is
``MethodCapability("pinfold/sessions/*", [Param("session").starts_with("alice-")])``. All else is
what sandboxes may call.
"""

from __future__ import annotations

import base64
import binascii
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from .. import _native
from ..capability import MethodCapability, widening
from ..errors import CapabilityError
from ..sandbox import Sandbox
from ..tokens import Token
from .config import Config, Tenant
from .problems import Problem

OWN = "pinfold"
#: Tokens that were checked, and need no second look while they last.
_REMEMBERED = 4096


class Principal(NamedTuple):
    """Who makes a request."""

    tenant: Tenant
    #: What its sandboxes may call.
    capabilities: list[MethodCapability]
    expires: float
    requests: _native.Gate

    def allow(self, action: str, session: str) -> None:
        why = self.requests.refusal(f"{OWN}/sessions/{action}", json.dumps({"session": session}))
        if why is not None:
            raise Problem(403, "denied", f"the token does not allow that: {why}")

    def allow_tools(self, wanted: Iterable[MethodCapability]) -> None:
        """A sandbox may do no more than the token of who uses it, and than its tenant."""
        wanted = list(wanted)
        for limit, whose in ((self.capabilities, "the token"), (self.tenant.policy, "the tenant")):
            why = None if limit is None or not wanted else widening(wanted, limit)
            if why is not None:
                raise Problem(403, "denied", f"the session may call more than {whose}: {why}")


class Authority:
    """Checks tokens."""

    def __init__(self, config: Config) -> None:
        self._tenants = list(config.tenants.values())
        self._known: OrderedDict[bytes, Principal] = OrderedDict()

    def of(self, request: Request) -> Principal:
        """Who makes it."""
        known: Principal | None = request.scope.get("pinfold.principal")
        if known is None:
            known = self.principal(request.headers.get("authorization"))
            request.scope["pinfold.principal"] = known
            request.scope["pinfold.tenant"] = known.tenant.name
        return known

    def principal(self, header: str | None) -> Principal:
        scheme, _, text = (header or "").partition(" ")
        if scheme.lower() != "bearer" or not text.strip():
            raise Problem(401, "no_token", "a request has a token: Authorization: Bearer TOKEN")
        try:
            data = decoded(text.strip())
        except ValueError:
            raise Problem(401, "bad_token", "the token is no base64url text") from None
        known = self._known.get(data)
        if known is not None and time.time() < known.expires:
            return known
        self._known.pop(data, None)
        made = self._checked(Token(data))
        self._known[data] = made
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return made

    def _checked(self, token: Token) -> Principal:
        why = "the token is refused"
        for tenant in self._tenants:
            try:
                grant = token.verify(tenant.keys)
            except CapabilityError as error:
                why = str(error)
                continue
            own = [c for c in grant.capabilities if _is_own(c)]
            for capability in own:
                counted = capability.max_calls is not None or capability.ask
                if counted and capability.method_pattern.split("/")[0] == OWN:
                    raise Problem(
                        401,
                        "bad_token",
                        f"the token grants {capability.method_pattern} with max_calls or ask:"
                        " requests are neither counted nor asked about",
                    )
            others = [c for c in grant.capabilities if c.method_pattern.split("/")[0] != OWN]
            with Sandbox(capabilities=own, tool_handler=_nothing) as judge:
                requests = _native.Gate(judge._settings)
            return Principal(tenant, others, grant.expires, requests)
        raise Problem(401, "bad_token", why)


class Known:
    """Around the routes: who has no token is told so before the body is read, which may be large,
    and is parsed before a route asks who it is from."""

    def __init__(
        self,
        app: Any,
        authority: Authority,
        told: Callable[[Request, Problem], Awaitable[Response]],
    ) -> None:
        self._app, self._authority, self._told = app, authority, told

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/v1/"):
            request = Request(scope)
            try:
                self._authority.of(request)
            except Problem as problem:
                answer = await self._told(request, problem)
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)


def encoded(token: Token) -> str:
    """A token as it stands in a header."""
    return base64.urlsafe_b64encode(token.data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None


def _is_own(capability: MethodCapability) -> bool:
    return bool(_native.pattern_matches(capability.method_pattern, f"{OWN}/sessions/list")) or (
        capability.method_pattern.split("/")[0] in (OWN, "*", "**")
    )


def _nothing(method: str, params: dict[str, object]) -> None:
    raise AssertionError("requests are judged, not made")
