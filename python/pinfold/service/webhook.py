"""Calls that are sent to a tenant's URL, which the operator has named, and answered from there."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from typing import TYPE_CHECKING, Any

import httpx
from pydantic import ValidationError

from .models import Answer
from .problems import Problem

if TYPE_CHECKING:
    from .session import Session
    from .sessions import Sessions
    from .state import Pending

#: Seconds for one attempt, and how often it is tried.
_SECONDS, _ATTEMPTS = 30.0, 4
_BYTES = 16 << 20


class Webhook:
    """A request says which call it is (``Idempotency-Key``): after a crash of the server it may
    come again, when its answer was not acknowledged. With a secret it is signed."""

    def __init__(self, home: Sessions) -> None:
        self._home = home
        self._client: httpx.AsyncClient | None = None

    async def ask(self, session: Session, pending: Pending) -> None:
        from .session import dumped

        tenant = session.tenant
        body = dumped(
            {"tenant": tenant.name, "session": session.name, "call": pending.body()}
        ).encode()
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": f"{session.key}/{pending.id}",
        }
        if tenant.webhook_secret is not None:
            secret = tenant.webhook_secret.encode()
            signed = hmac.new(secret, body, hashlib.sha256).hexdigest()
            headers["Pinfold-Signature"] = f"sha256={signed}"
        given = await self._asked(tenant.webhook or "", body, headers, tenant.call_seconds)
        if given is None:  # it is answered over HTTP, later
            return
        try:
            await session.answer(pending.id, given)
        except Problem as problem:
            if problem.code not in ("no_call", "answered", "suspended", "moved"):
                self._home.log.warning("webhook of %s: %s", session.key, problem)

    async def _asked(
        self, url: str, body: bytes, headers: dict[str, str], seconds: float | None
    ) -> Answer | None:
        if self._client is None:
            self._client = httpx.AsyncClient(follow_redirects=False, trust_env=False)
        why = ""
        for attempt in range(_ATTEMPTS):
            if attempt:
                await asyncio.sleep(0.2 * 4**attempt)
            try:
                async with asyncio.timeout(min(_SECONDS, seconds or _SECONDS)):
                    status, content = await self._post(url, body, headers)
            except TimeoutError:
                return Answer(error="the tool gave no answer in time", code="timeout")
            except httpx.HTTPError as error:
                why = type(error).__name__
                continue
            if status == 202:
                return None
            if status == 200:
                return _read(content)
            why = f"status {status}"
            if status < 500:
                break
        self._home.log.warning("a webhook failed: %s", why)
        return Answer(error=f"the tool could not be reached ({why})")

    async def _post(self, url: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        assert self._client is not None
        content = b""
        async with self._client.stream(
            "POST", url, content=body, headers=headers, timeout=_SECONDS
        ) as answer:
            async for part in answer.aiter_bytes():
                content += part
                if len(content) > _BYTES:
                    raise httpx.HTTPError("too large")
            return answer.status_code, content

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def _read(content: bytes) -> Answer:
    try:
        return Answer.model_validate_json(content)
    except ValidationError as error:
        first: Any = error.errors()[0]
        return Answer(error=f"the tool's answer is none: {first['msg']}", code="invalid")
