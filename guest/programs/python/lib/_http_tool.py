"""http.client, and what is built on it, by the tool http/request.

A connection keeps what is sent until its answer is asked for: then the request is one call of the tool,
which the host judges, and the answer is there as a whole.
"""

import base64
import errno
import io
import os
import socket

_TOOL = "http/request"
_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "proxy-connection", "te", "trailer"}


def is_there():
    """Does the sandbox have the tool?"""
    return os.path.exists("/tools/schema/http_request.json")


def https_beside(connection):
    """The HTTPSConnection that goes with an HTTPConnection. Where the sandbox has the tool, both
    connect by it; elsewhere both fail alike, for want of a network."""
    by_tool = is_there()
    if by_tool:
        _connect_by_tool(connection)

    class HTTPSConnection(connection):
        "This class allows communication via SSL, which is the host's."

        default_port = 443

        def __init__(self, host, port=None, *args, key_file=None, cert_file=None, context=None,
                     check_hostname=None, **kwargs):
            if by_tool and (key_file or cert_file or context is not None or check_hostname is False):
                raise ValueError("certificates are the host's to verify: leave context and check_hostname out")
            super().__init__(host, port, *args, **kwargs)

        def connect(self):
            if by_tool:
                _connect(self, "https")
            else:
                super().connect()

    HTTPSConnection.__module__ = "http.client"
    HTTPSConnection.__qualname__ = "HTTPSConnection"
    return HTTPSConnection


def _connect(connection, scheme):
    if connection._tunnel_host:
        raise OSError("a proxy is not reached from here: connections are the host's")
    connection.sock = Connection(scheme, connection.host, connection.port, connection.timeout)


def _connect_by_tool(connection):
    end_headers = connection.endheaders

    def endheaders(self, message_body=None, *, encode_chunked=False):
        end_headers(self, message_body, encode_chunked=encode_chunked)
        if isinstance(self.sock, Connection):
            self.sock.ask()

    connection.connect = lambda self: _connect(self, "http")
    connection.endheaders = endheaders

    import _http_libraries

    _http_libraries.install()


class Connection:
    """What http.client needs of a socket."""

    def __init__(self, scheme, host, port, timeout):
        authority = f"[{host}]" if ":" in host else host
        if port != (443 if scheme == "https" else 80):
            authority += f":{port}"
        self._origin = f"{scheme}://{authority}"
        self._timeout = timeout
        self._sent = bytearray()
        self._answer = None

    def ask(self):
        """Makes the request if it is there as a whole: the caller gets at once the error that a
        connection would have failed with."""
        if not _is_whole(self._sent):
            return
        self._answer = _Answer(self._origin, bytes(self._sent), self._timeout)
        self._sent.clear()
        try:
            self._answer.fetch()
        except (ConnectionResetError, TimeoutError) as error:
            self._answer.failure = error

    def sendall(self, data):
        self._sent += data

    def send(self, data):
        self._sent += data
        return len(data)

    def settimeout(self, seconds):
        self._timeout = seconds

    def gettimeout(self):
        return self._timeout if isinstance(self._timeout, (int, float)) else None

    def setsockopt(self, *option):
        pass

    def close(self):
        self._sent.clear()

    def shutdown(self, how):
        pass

    def makefile(self, mode="r", *args, **kwargs):
        answer, self._answer = self._answer, None
        if answer is None:
            answer = _Answer(self._origin, bytes(self._sent), self._timeout)
            self._sent.clear()
        return io.BufferedReader(answer)


class _Answer(io.RawIOBase):
    """The bytes of an answer; the call is made when the first of them is read."""

    def __init__(self, origin, sent, timeout):
        self._given = (origin, sent, timeout)
        self._data = None
        self.failure = None

    def fetch(self):
        self._data = io.BytesIO(_exchange(*self._given))

    def readable(self):
        return True

    def readinto(self, buffer):
        if self.failure is not None:
            raise self.failure
        if self._data is None:
            self.fetch()
        return self._data.readinto(buffer)


def _exchange(origin, sent, timeout):
    head, _, body = sent.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {}
    for line in _unfolded(lines):
        name, _, value = line.partition(":")
        headers.setdefault(name, []).append(value.strip())
    chunked = any(
        name.lower() == "transfer-encoding" and "chunked" in values[-1].lower() for name, values in headers.items()
    )
    has_body = chunked or any(name.lower() == "content-length" for name in headers)
    url = target if "://" in target else origin + target
    params = {"method": method, "url": url}
    params["headers"] = kept((name, value) for name, values in headers.items() for value in values)
    if has_body:
        params |= written(_joined(body) if chunked else body)
    if isinstance(timeout, (int, float)) and timeout > 0:
        params["timeout"] = timeout
    return _read(call(params), method)


def kept(pairs):
    """Headers as the tool takes them, without what belongs to the connection."""
    headers = {}
    for name, value in pairs:
        if name.lower() not in _HOP:
            headers.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in headers.items()}


def _is_whole(sent):
    head, end, body = bytes(sent).partition(b"\r\n\r\n")
    fields = head.lower().split(b"\r\n")[1:]
    if any(field.startswith(b"transfer-encoding:") for field in fields):
        return body.endswith(b"0\r\n\r\n")
    lengths = [field.partition(b":")[2].strip() for field in fields if field.startswith(b"content-length:")]
    return bool(end) and (not lengths or (lengths[0].isdigit() and len(body) >= int(lengths[0])))


def _unfolded(lines):
    whole = []
    for line in lines:
        if whole and line[:1] in (" ", "\t"):
            whole[-1] += " " + line.strip()
        elif line:
            whole.append(line)
    return whole


def _joined(body):
    """The body of chunks."""
    out = bytearray()
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size.partition(b";")[0], 16)
        if length == 0:
            break
        out += body[:length]
        body = body[length + 2 :]
    return bytes(out)


def written(body):
    """The parameters that a body is given by."""
    try:
        return {"body": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"body_base64": base64.b64encode(body).decode()}


def body_of(answer):
    """The body of an answer of the tool."""
    if "body_base64" in answer:
        return base64.b64decode(answer["body_base64"])
    return answer.get("body", "").encode()


def _read(answer, method):
    """The answer as it would come over the wire, with the length that its body has."""
    body = body_of(answer)
    lines = [f"HTTP/1.1 {answer['status']} {answer['reason']}"]
    for name, value in answer["headers"]:
        if name.lower() not in _HOP or (method == "HEAD" and name.lower() == "content-length"):
            lines.append(f"{name}: {value}")
    if method != "HEAD" and answer["status"] not in (204, 304):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + (b"" if method == "HEAD" else body)


def call(params):
    """Makes a request; what fails is an OSError, as it would be with a socket."""
    import tools

    try:
        return tools._call(_TOOL, params)
    except (tools.CapabilityError, tools.ToolError) as error:
        raise _failure(error) from None


async def call_later(params):
    """As `call`, for an event loop."""
    import tools

    try:
        return await tools._call_later(_TOOL, params)
    except (tools.CapabilityError, tools.ToolError) as error:
        raise _failure(error) from None


def _failure(error):
    text = str(error)
    if error.code in ("denied", "limit"):
        return PermissionError(errno.EACCES, text)
    if text.startswith("Could not resolve host"):
        return socket.gaierror(socket.EAI_NONAME, text)
    if error.code == "timeout":
        return TimeoutError(text)
    if text.startswith("Failed to connect"):
        return ConnectionRefusedError(errno.ECONNREFUSED, text)
    if text.startswith("Empty reply"):
        return ConnectionResetError(errno.ECONNRESET, text)
    return OSError(errno.EIO, text)
