"""How the host makes the requests of `pinfold.http`: by httpcore, the part of httpx that connects.

A name is resolved once, each of its addresses is judged, and the connection goes to one that was: what
the name means a moment later does not matter. No proxy, no cookies, no redirects, and nothing of the
host's environment. All of an answer comes within one deadline.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterable
from typing import Any

from ._native import Http as Engine
from .errors import ToolError

try:
    import httpcore
except ImportError:
    raise ModuleNotFoundError(
        "Http makes its requests by httpx, which is not installed: pip install 'pinfold[http]'",
        name="httpcore",
    ) from None

_CHUNK = 1 << 16
#: What a part of a file of gzip begins with.
_GZIP = b"\x1f\x8b\x08"
#: What may stand between two of them.
_ZEROS = re.compile(rb"\0*")
#: Of the head of an answer: names and values.
_HEAD_BYTES = 1 << 18
#: What may be asked twice, as it may have been heard the first time.
_REPEATABLE = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE")
#: Linux has it.
_QUICK_ACK: int | None = getattr(socket, "TCP_QUICKACK", None)
_FAILED = "Failure when receiving data from the peer"


class _Task(threading.local):
    """The request that a thread is about."""

    url = ""
    until = 0.0
    seconds = 0.0
    connected = False  # by this request, not by one before it
    answered = False  # something came

    def left(self) -> float:
        left = self.until - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("over")
        return left


class Transport:
    """Connections that are used again, by one engine's rules. From any thread."""

    def __init__(self, engine: Engine, ca: Any, concurrency: int, max_bytes: int) -> None:
        self._task = _Task()
        self._max_bytes = max_bytes
        self._pool = httpcore.ConnectionPool(
            ssl_context=_context(ca),
            max_connections=concurrency,
            max_keepalive_connections=concurrency,
            keepalive_expiry=5.0,
            network_backend=_Pinned(engine, self._task),
        )
        os.register_at_fork(after_in_child=self._forked)

    def send(self, plan: dict[str, Any], body: bytes | None, seconds: float) -> Answer:
        """One request and the whole of its answer."""
        task = self._task
        task.url = plan["url"]
        task.seconds = seconds
        task.until = time.monotonic() + seconds
        try:
            return self._send_again(plan, body)
        except httpcore.TimeoutException:
            raise ToolError(
                f"Operation timed out after {round(seconds * 1000)} milliseconds", "timeout"
            ) from None
        except httpcore.ConnectError as error:
            raise ToolError(_connection_failed(plan, error)) from None
        except httpcore.ReadError:
            raise ToolError(f"{_FAILED}: the connection was reset") from None
        except httpcore.WriteError:
            raise ToolError("Failed sending data to the peer") from None
        except httpcore.RemoteProtocolError as error:
            raise ToolError(_protocol_failed(str(error))) from None

    def _send_again(self, plan: dict[str, Any], body: bytes | None) -> Answer:
        """Also when a connection that was used before turns out to be closed: on a new one."""
        task = self._task
        while True:
            task.connected = task.answered = False
            try:
                return self._send(plan, body)
            except (httpcore.ReadError, httpcore.WriteError, httpcore.RemoteProtocolError):
                if task.connected or task.answered or plan["method"] not in _REPEATABLE:
                    raise

    def _send(self, plan: dict[str, Any], body: bytes | None) -> Answer:
        host = plan["host"]
        url = httpcore.URL(
            scheme=plan["scheme"].encode(),
            host=(host[1:-1] if host.startswith("[") else host).encode(),
            port=plan["port"],
            target=plan["target"].encode(),
        )
        headers = [(b"Host", plan["authority"].encode())]
        headers += [(n.encode(), v.encode()) for n, v in plan["headers"]]
        if body is not None:
            named = [name.lower() for name, _ in headers]
            at = named.index(b"content-type") if b"content-type" in named else len(headers)
            headers.insert(at, (b"Content-Length", str(len(body)).encode()))
        left = self._task.left()
        timeouts = {"connect": left, "read": left, "write": left, "pool": left}
        request = httpcore.Request(
            plan["method"], url, headers=headers, content=body, extensions={"timeout": timeouts}
        )
        response = self._pool.handle_request(request)
        try:
            return self._receive(response)
        finally:
            # A server that sends a body to HEAD would have it taken for the next answer.
            stream = response.extensions.get("network_stream")
            if plan["method"] == "HEAD" and isinstance(stream, _Timed):
                stream.retired = True
            response.close()

    def _receive(self, response: httpcore.Response) -> Answer:
        if sum(len(n) + len(v) for n, v in response.headers) > _HEAD_BYTES:
            raise ToolError(f"{_FAILED}: the headers are too large")
        headers = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in response.headers]
        declared = [v for n, v in headers if n.lower() == "content-length"]
        over = ToolError(
            f"Maximum file size exceeded: an answer has at most {self._max_bytes} bytes"
        )
        data = bytearray()
        for chunk in _chunks(response.stream):
            if (
                not data
                and declared
                and declared[0].isdigit()
                and int(declared[0]) > self._max_bytes
            ):
                raise over
            data += chunk
            if len(data) > self._max_bytes:
                raise over
        reason = response.extensions.get("reason_phrase", b"")
        return Answer(response.status, reason.decode("latin-1"), headers, bytes(data))

    def _forked(self) -> None:
        """In a child: the connections are the parent's."""
        self._pool = httpcore.ConnectionPool(
            ssl_context=self._pool._ssl_context,
            max_connections=self._pool._max_connections,
            network_backend=self._pool._network_backend,
        )


def _chunks(stream: Any) -> Iterable[bytes]:
    assert isinstance(stream, Iterable)
    return stream


class Answer:
    """What a server said."""

    def __init__(
        self, status: int, reason: str, headers: list[tuple[str, str]], data: bytes
    ) -> None:
        self.status = status
        self.reason = reason
        self.headers = headers
        self._data = data

    def decoded(self, strict: bool, max_bytes: int) -> bytes:
        """The body without its encodings, which then are gone from the headers; ``strict``: one that
        cannot be taken away is an error, for nobody knows what is in it."""
        coded = [v for n, v in self.headers if n.lower() == "content-encoding"]
        names = [name.strip().lower() for value in coded for name in value.split(",")]
        names = [name for name in names if name and name != "identity"]
        if not names or not self._data:
            return self._data
        if len(names) > 3 or not {"gzip", "x-gzip", "deflate"}.issuperset(names):
            if strict:
                raise ToolError(f"Unrecognized content encoding type: {', '.join(names)[:100]}")
            return self._data
        data = self._data
        for name in reversed(names):
            data = _inflated(data, name, max_bytes)
        gone = ("content-encoding", "content-length")
        self.headers = [(n, v) for n, v in self.headers if n.lower() not in gone]
        self.headers.append(("Content-Length", str(len(data))))
        return data


def unpacked_start(data: bytes, max_bytes: int) -> bytes | None:
    """What is in a file of gzip, in all its parts, as far as ``max_bytes``; nothing of what is none, and
    None of one that is damaged: programs give what they have read of it before they say so."""
    if data[:3] != _GZIP:
        return b""
    try:
        return _gunzipped(data, max_bytes)[0]
    except zlib.error:
        return None


def _gunzipped(data: bytes, most: int) -> tuple[bytes, bool]:
    """The parts of a file of gzip, as far as ``most``, and whether the last one is complete."""
    out, at = bytearray(), 0
    while True:
        inflater, size = zlib.decompressobj(31), 4096
        # In pieces, for what is behind a part is copied: a million parts are not to cost their square.
        while at < len(data) and not inflater.eof and len(out) < most:
            piece = data[at : at + size]
            out += inflater.decompress(piece, most - len(out))
            at += len(piece) - len(inflater.unused_data)
            size = min(2 * size, _CHUNK)
        padding = _ZEROS.match(data, at)
        at = padding.end() if padding else at
        if len(out) >= most or data[at : at + 3] != _GZIP:
            return bytes(out), inflater.eof


def _inflated(data: bytes, name: str, max_bytes: int) -> bytes:
    try:
        if name == "deflate":
            out, complete = _undeflated(data, max_bytes + 1)
        else:
            out, complete = _gunzipped(data, max_bytes + 1)
    except zlib.error:
        raise ToolError(f"Error while processing content unencoding: it is not {name}") from None
    if len(out) > max_bytes:
        raise ToolError(f"Maximum file size exceeded: an answer has at most {max_bytes} bytes")
    if not complete:
        raise ToolError("transfer closed with outstanding read data remaining")
    return out


def _undeflated(data: bytes, most: int) -> tuple[bytes, bool]:
    """With a head as in zlib's files, or without, as some servers send it."""
    inflater = zlib.decompressobj(15)
    try:
        return inflater.decompress(data, most), inflater.eof
    except zlib.error:
        inflater = zlib.decompressobj(-15)
        return inflater.decompress(data, most), inflater.eof


# ---------------------------------------------------------------------- connections


class _Pinned(httpcore.NetworkBackend):
    """Connects to addresses that were judged, in the time that is left."""

    def __init__(self, engine: Engine, task: _Task) -> None:
        self._engine = engine
        self._task = task
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.NetworkStream:
        refused: str | None = None
        failed: Exception | None = None
        for address in _resolve(host, port):
            judged = self._engine.address(self._task.url, address)
            if judged is not None:
                refused = judged[1]
                continue
            options = [*(socket_options or ()), (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
            try:
                stream = self._inner.connect_tcp(
                    address, port, self._task.left(), local_address, options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
                continue
            self._task.connected = True
            return _Timed(stream, self._task)
        if failed is None and refused is not None:
            raise ToolError(f"http/request is denied: {refused}", "denied")
        raise failed or httpcore.ConnectError("Could not resolve host")

    def sleep(self, seconds: float) -> None:
        time.sleep(min(seconds, self._task.left()))


class _Timed(httpcore.NetworkStream):
    """A connection whose every wait ends with the request's time."""

    def __init__(self, inner: httpcore.NetworkStream, task: _Task) -> None:
        self._inner = inner
        self._task = task
        #: No other request goes over it: it looks like one that the server has closed.
        self.retired = False
        self._socket = inner.get_extra_info("socket")
        self._unsent = bytearray()  # head and body of a request leave as one

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        # A server that has closed it may have said why: that is what counts.
        with contextlib.suppress(httpcore.WriteError):
            self._send()
        if _QUICK_ACK is not None and self._socket is not None:
            # A server that sends an answer in pieces waits for word of the first: 40 ms, otherwise.
            with contextlib.suppress(OSError):
                self._socket.setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, 1)
        data: bytes = self._inner.read(max_bytes, self._task.left())
        self._task.answered = self._task.answered or bool(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._unsent += buffer
        if len(self._unsent) >= _CHUNK:
            self._send()

    def _send(self) -> None:
        if self._unsent:
            data = bytes(self._unsent)
            self._unsent.clear()
            self._inner.write(data, self._task.left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        inner = self._inner.start_tls(ssl_context, server_hostname, self._task.left())
        return _Timed(inner, self._task)

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable" and self.retired:
            return True
        return self._inner.get_extra_info(info)


def _resolve(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise ToolError(f"Could not resolve host: {host}") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _context(ca: Any) -> ssl.SSLContext:
    if isinstance(ca, ssl.SSLContext):
        return ca
    context = ssl.create_default_context(cafile=None if ca is None else os.fspath(ca))
    with contextlib.suppress(NotImplementedError):
        context.set_alpn_protocols(["http/1.1"])
    return context


def _connection_failed(plan: dict[str, Any], error: Exception) -> str:
    text = str(error)
    if "CERTIFICATE_VERIFY_FAILED" in text:
        why = text.partition("certificate verify failed: ")[2].partition(" (_ssl")[0]
        return f"SSL certificate problem: {why or 'it cannot be verified'}"
    if "SSL" in text or "TLS" in text:
        return f"SSL connect error: {text.partition('] ')[2].partition(' (_ssl')[0] or text}"
    return f"Failed to connect to {plan['host']} port {plan['port']}: Couldn't connect to server"


def _protocol_failed(text: str) -> str:
    counts = re.search(r"received (\d+) bytes, expected (\d+)", text)
    if counts:
        left = int(counts[2]) - int(counts[1])
        return f"transfer closed with {left} bytes remaining to read"
    if "without sending complete" in text or "incomplete" in text:
        return "transfer closed with outstanding read data remaining"
    if "without sending" in text:
        return "Empty reply from server"
    if "illegal status line" in text:
        return "Received HTTP/0.9 when not allowed"
    return f"{_FAILED}: {text.partition(': bytearray(')[0]}"
