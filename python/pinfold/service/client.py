"""The other end of ``pinfold serve``: `Client`, synchronous, by httpx."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any
from urllib.parse import quote

import httpx

from ..errors import PinfoldError, ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Self

#: What may be asked again: the server did nothing, or the request names what it is about.
_AGAIN = (429, 503)
_MOVED = ("elsewhere", "moved")


class ServiceError(PinfoldError):
    """What the service refused: ``status``, ``code`` (for programs) and a text."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class Client:
    """A service, for who has a token. ``timeout`` is how many seconds a server that is away, or
    busy, is waited for: requests are made again, which does nothing twice.

    >>> Client("http://127.0.0.1:8080", "token").url
    'http://127.0.0.1:8080'
    """

    def __init__(
        self, url: str, token: str, *, timeout: float = 30.0, transport: Any = None
    ) -> None:
        self.url = url.rstrip("/")
        self._timeout = timeout
        self._http = httpx.Client(
            base_url=f"{self.url}/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=httpx.Timeout(10.0, read=700.0),
            transport=transport,
            trust_env=False,
        )

    def create(
        self,
        name: str,
        *,
        tools: list[dict[str, Any]] | None = None,
        capabilities: list[dict[str, Any]] | None = None,
        **settings: Any,
    ) -> RemoteSession:
        """A new session. A tool is ``{"name": …, "description": …, "parameters": SCHEMA}``."""
        body = {"name": name, "tools": tools or [], "capabilities": capabilities, **settings}
        self.request("POST", "/sessions", json=body, again=False)
        return self.session(name)

    def session(self, name: str) -> RemoteSession:
        """One that is there."""
        return RemoteSession(self, name)

    def sessions(self) -> list[str]:
        names: list[str] = self.request("GET", "/sessions").json()["sessions"]
        return names

    def request(self, method: str, path: str, *, again: bool = True, **how: Any) -> httpx.Response:
        """One request to a path below /v1; `ServiceError`."""
        until = time.monotonic() + self._timeout
        while True:
            try:
                answer = self._http.request(method, path, **how)
            except httpx.TransportError:
                if not again or time.monotonic() > until:
                    raise
            else:
                if answer.is_success:
                    return answer
                refused = _refused(answer)
                later = answer.status_code in _AGAIN or refused.code in _MOVED
                if not later or time.monotonic() > until:
                    raise refused
            time.sleep(0.2)

    def stream(self, method: str, path: str, **how: Any) -> Iterator[tuple[str, Any]]:
        """(event, body) of a stream, as they come."""
        headers = {"Accept": "text/event-stream", **how.pop("headers", {})}
        with self._http.stream(method, path, headers=headers, **how) as answer:
            if not answer.is_success:
                answer.read()
                raise _refused(answer)
            kind = ""
            for line in answer.iter_lines():
                name, _, text = line.partition(": ")
                if name == "event":
                    kind = text
                elif name == "data":
                    yield kind, json.loads(text)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


class RemoteSession:
    """A session of the service."""

    def __init__(self, client: Client, name: str) -> None:
        self.client, self.name = client, name
        self._path = f"/sessions/{quote(name, safe='')}"

    def info(self) -> dict[str, Any]:
        return self._json("GET", "")

    def start(self, code: str, language: str = "shell", **how: Any) -> dict[str, Any]:
        """Runs a script until it ends or waits; the run: ``number``, ``state``, ``calls``,
        ``result``. It has a key of its own, so that it is not run twice."""
        body = {"code": code, "language": language, "key": uuid.uuid4().hex, **how}
        return self._json("POST", "/runs", json=body)

    def run(
        self,
        code: str,
        language: str = "shell",
        tools: Mapping[str, Callable[..., Any]] | None = None,
        **how: Any,
    ) -> dict[str, Any]:
        """Runs a script to its end, with calls answered by these functions; its result."""
        return self.finish(self.start(code, language, **how), tools)

    def finish(
        self, run: dict[str, Any], tools: Mapping[str, Callable[..., Any]] | None = None
    ) -> dict[str, Any]:
        """Answers what a run waits for until it has ended; its result."""
        while run["state"] != "done":
            if run["calls"]:
                call = run["calls"][0]
                run = self.answer(call["id"], **_answer(tools or {}, call))
            else:
                run = self._json("GET", f"/runs/{run['number']}", params={"wait": 30})
        result: dict[str, Any] = run["result"]
        return result

    def answer(self, id: int, **answer: Any) -> dict[str, Any]:
        """``value=…``, ``error=…`` or ``deny=…``; the run, when it rests again."""
        return self._json("POST", f"/calls/{id}", json=answer)

    def stream(self, code: str, language: str = "shell", **how: Any) -> Iterator[tuple[str, Any]]:
        """Runs a script and gives its events, as they come."""
        body = {"code": code, "language": language, **how}
        return self.client.stream("POST", f"{self._path}/runs", json=body)

    def events(self, number: int, after: int = 0) -> Iterator[tuple[str, Any]]:
        """The events of the last run, from a place on."""
        path = f"{self._path}/runs/{number}/events"
        return self.client.stream("GET", path, headers={"Last-Event-ID": str(after)})

    def interrupt(self) -> dict[str, Any]:
        return self._json("POST", "/interrupt")

    def files(self) -> dict[str, int]:
        """Paths and sizes."""
        return {f["path"]: f["bytes"] for f in self._json("GET", "/files")["files"]}

    def read(self, path: str) -> bytes:
        return self.client.request("GET", f"{self._path}/files/{quote(path)}").content

    def write(self, path: str, data: bytes) -> None:
        self.client.request("PUT", f"{self._path}/files/{quote(path)}", content=data)

    def remove(self, path: str) -> None:
        self.client.request("DELETE", f"{self._path}/files/{quote(path)}", again=False)

    def snapshots(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._json("GET", "/snapshots")["snapshots"]
        return found

    def snapshot(self, id: int) -> bytes:
        return self.client.request("GET", f"{self._path}/snapshots/{id}").content

    def traces(self) -> list[dict[str, Any]]:
        """Of a session with ``record=True``, newest first: ``id``, ``age``, ``bytes``."""
        found: list[dict[str, Any]] = self._json("GET", "/traces")["traces"]
        return found

    def trace(self, id: int) -> bytes:
        return self.client.request("GET", f"{self._path}/traces/{id}").content

    def fork(self, name: str, snapshot: int | None = None) -> RemoteSession:
        body = {"name": name, "snapshot": snapshot}
        self.client.request("POST", f"{self._path}/forks", json=body, again=False)
        return self.client.session(name)

    def delete(self) -> None:
        self.client.request("DELETE", self._path, again=False)

    def _json(self, method: str, path: str, **how: Any) -> dict[str, Any]:
        body: dict[str, Any] = self.client.request(method, self._path + path, **how).json()
        return body


def _answer(tools: Mapping[str, Callable[..., Any]], call: dict[str, Any]) -> dict[str, Any]:
    """What a function says to a call, as handlers of a `Sandbox` do."""
    function = tools.get(call["method"])
    if function is None:
        return {"error": f"{call['method']} has no handler"}
    try:
        return {"value": function(**call["params"])}
    except ToolError as error:
        return (
            {"deny": str(error)}
            if error.code == "denied"
            else {"error": str(error), "code": error.code}
        )
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _refused(answer: httpx.Response) -> ServiceError:
    try:
        error = answer.json()["error"]
        return ServiceError(answer.status_code, error["code"], error["message"])
    except (ValueError, KeyError, TypeError):
        return ServiceError(answer.status_code, "http", f"status {answer.status_code}")
