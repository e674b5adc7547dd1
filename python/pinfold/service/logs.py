"""One line of JSON for each request, and a bound on what comes in."""

from __future__ import annotations

import json
import logging
import secrets
import sys
import time
from typing import Any

from starlette.exceptions import HTTPException

from ..log import _traceback


#: Of a body that is parsed, which happens between all other requests: the largest result of a tool
#: fits. A file (``PUT``) is not parsed, and has its tenant's bound.
_PARSED_BYTES = 16 << 20


class Logged:
    """Around the application: bounds bodies, and writes a line for each request, which has no
    token, no body and no argument. ``most`` is of a file, in bytes."""

    def __init__(self, app: Any, log: logging.Logger, most: int) -> None:
        self._app, self._log, self._most = app, log, most

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, id, status = time.perf_counter(), secrets.token_hex(6), 0
        seen, most = 0, self._most
        if scope["method"] != "PUT":
            most = min(most, _PARSED_BYTES)

        async def bounded() -> Any:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(413, f"this request has at most {most} bytes")
            return message

        async def told(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"request-id", id.encode())]
            await send(message)

        try:
            await self._app(scope, bounded, told)
        finally:
            fields = {
                "request": id,
                "method": scope["method"],
                "path": scope["path"],
                "status": status,
                "ms": round((time.perf_counter() - begun) * 1000, 2),
                "tenant": scope.get("pinfold.tenant"),
            }
            self._log.info("request", extra={"fields": fields})


class JsonLines(logging.Formatter):
    """Whatever a script, a client or a store chose stands inside of a JSON text."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": round(record.created, 3),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = _traceback(record.exc_info[1])
        return json.dumps(line)


def to_stderr(level: int = logging.INFO) -> None:
    """All of pinfold's and the server's lines, to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("pinfold", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(level)
        logger.propagate = False
