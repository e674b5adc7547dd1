"""The server of `pinfold debug`: one page and its questions, on loopback, for one person.

Whoever else is on this machine or in the browser gets nothing: a random token is the first part of
every path, the Host header has to be the address that is listened at (no other name leads here),
and a question has to come from the page itself.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from .._native import printable
from ..errors import PinfoldError
from . import HEADERS

if TYPE_CHECKING:
    from .session import Session

#: Bytes of a question.
_MOST = 4 << 20
#: Seconds that a connection may say nothing, and how many there may be at once: each is a thread.
_IDLE = 120
_CONNECTIONS = 64


class Refused(Exception):
    """A request that is none of the page's: the status and what is said."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Server(ThreadingHTTPServer):
    """Serves a page and answers its questions by a session."""

    daemon_threads = True
    request_queue_size = 32

    def __init__(self, port: int, page: str, policy: str, session: Session) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.token = secrets.token_urlsafe(24)
        self.page = page.encode()
        self.policy = f"{policy}; frame-ancestors 'none'"
        self.session = session
        self._room = threading.BoundedSemaphore(_CONNECTIONS)
        self.hosts = {f"127.0.0.1:{self.server_port}", f"localhost:{self.server_port}"}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Others on this machine can connect as well, and say nothing."""
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no error."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "pinfold", ""
    timeout = _IDLE

    def do_GET(self) -> None:
        try:
            if self._path() != "":
                raise Refused(404, "there is nothing here")
            site = self.headers.get("Sec-Fetch-Site", "none")
            if site not in ("none", "same-origin"):
                raise Refused(403, "another page leads here: open the address that was printed")
        except Refused as refused:
            self._say(refused.status, "text/plain; charset=utf-8", f"{refused}\n".encode())
            return
        self._say(200, "text/html; charset=utf-8", self.server.page)

    def do_POST(self) -> None:
        try:
            name, given = self._question()
            answer = self.server.session.answer(name, given)
            status = 200
        except Refused as refused:
            answer, status = {"error": str(refused)}, refused.status
            self.close_connection = True  # what it sent was not read
        except (PinfoldError, ValueError, TypeError, LookupError, OSError) as error:
            answer, status = {"error": _words(error)}, 422
        except Exception as error:  # a fault of ours ends no session
            answer, status = {"error": f"a fault: {type(error).__name__}: {_words(error)}"}, 500
        self._say(status, "application/json", json.dumps(answer).encode())

    def _path(self) -> str:
        """What stands behind the token."""
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            raise Refused(421, "this is not the server of that name")
        token, slash, rest = self.path.removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()) or not slash:
            raise Refused(404, "there is nothing here")
        return rest

    def _question(self) -> tuple[str, dict[str, Any]]:
        folder, _, name = self._path().partition("/")
        if folder != "api":
            raise Refused(404, "there is nothing here")
        origin = f"http://{self.headers['Host']}"
        if self.headers.get("Origin") != origin:
            raise Refused(403, "a question comes from the page itself")
        if self.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            raise Refused(403, "a question comes from the page itself")
        if self.headers.get("Content-Type") != "application/json":
            raise Refused(415, "a question is application/json")
        lengths = self.headers.get_all("Content-Length") or [""]
        length = lengths[0]
        plain = length.isascii() and length.isdigit() and len(lengths) == 1
        if not plain or "Transfer-Encoding" in self.headers:
            raise Refused(411, "a question says how long it is")
        if len(length) > 12 or int(length) > _MOST:
            raise Refused(413, f"a question has at most {_MOST} bytes")
        try:
            given = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise Refused(400, "the question is not JSON") from None
        if not isinstance(given, dict):
            raise Refused(400, "a question is an object")
        return name, given

    def _say(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", self.server.policy)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: paths have the token."""


def _words(error: Exception) -> str:
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return "\n".join(printable(line) for line in text.splitlines()) or type(error).__name__
