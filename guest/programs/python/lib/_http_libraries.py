"""urllib3, on which requests stands, and httpx by the tool http/request, when they are installed in a sandbox.

Each is changed as it is imported: urllib3 gets connections of http.client's (_http_tool), httpx transports of
its own. Certificates are the host's to verify, so whoever turns that off hears so.
"""

import importlib.abc
import importlib.machinery
import sys

_VERIFIED = "certificates are the host's to verify: leave verify=False, cert and the like out"


def _urllib3(module):
    """urllib3.connection: connects by the tool, with https as well, which it lacks without ssl."""
    import _http_tool

    plain = module.HTTPConnection

    def connecting(scheme):
        def connect(self):
            if self._tunnel_host or self.proxy:
                raise OSError("a proxy is not reached from here: connections are the host's")
            self.sock = _http_tool.Connection(scheme, self.host, self.port, self.timeout)
            if scheme == "https":
                self.is_verified = True

        return connect

    plain.connect = connecting("http")
    # Nothing is kept open: a request that is whole is a call, and its answer is there.
    plain.is_connected = property(lambda self: self.sock is not None)

    class HTTPSConnection(plain):
        default_port = 443
        cert_reqs = ca_certs = ca_cert_dir = ca_cert_data = cert_file = key_file = None
        ssl_version = ssl_minimum_version = ssl_maximum_version = None
        assert_fingerprint = None

        def __init__(self, host, port=None, *, cert_reqs=None, cert_file=None, key_file=None,
                     ssl_context=None, assert_hostname=None, assert_fingerprint=None, **others):
            self._check(cert_reqs, cert_file, key_file, ssl_context, assert_hostname)
            known = ("timeout", "source_address", "blocksize", "socket_options", "proxy", "proxy_config")
            super().__init__(host, port, **{k: v for k, v in others.items() if k in known})

        def _check(self, cert_reqs, cert_file, key_file, context, assert_hostname):
            if cert_file or key_file or context is not None or assert_hostname is False:
                raise ValueError(_VERIFIED)
            if cert_reqs in (0, "NONE", "CERT_NONE"):
                raise ValueError(_VERIFIED)

        def set_cert(self, key_file=None, cert_file=None, cert_reqs=None, assert_hostname=None, **others):
            self._check(cert_reqs, cert_file, key_file, None, assert_hostname)

        connect = connecting("https")

    HTTPSConnection.__module__ = module.__name__
    HTTPSConnection.__qualname__ = "HTTPSConnection"
    module.HTTPSConnection = module.VerifiedHTTPSConnection = HTTPSConnection


def _httpx(module):
    """httpx._transports.default: both transports make calls of the tool."""
    import _http_tool

    def checked(verify, cert, proxy, uds):
        if verify is False or cert is not None or (verify is not True and not isinstance(verify, str)):
            raise ValueError(_VERIFIED)
        if proxy is not None or uds is not None:
            raise ValueError("connections are the host's: leave proxy and uds out")

    def asked(request, body):
        params = {
            "method": request.method,
            "url": str(request.url).partition("#")[0],
            "headers": _http_tool.kept((n.decode("ascii"), v.decode("latin-1")) for n, v in request.headers.raw),
        }
        if body or request.method in ("POST", "PUT", "PATCH"):
            params |= _http_tool.written(body)
        timeouts = [t for t in request.extensions.get("timeout", {}).values() if t]
        if timeouts:
            params["timeout"] = max(timeouts)
        return params

    def answered(request, answer):
        from httpx import Response

        body = _http_tool.body_of(answer)
        headers = [(n, v) for n, v in answer["headers"] if n.lower() != "transfer-encoding"]
        extensions = {"http_version": b"HTTP/1.1", "reason_phrase": answer["reason"].encode("latin-1", "replace")}
        if request.method == "HEAD":
            body = b""
        from httpx._content import ByteStream

        return Response(answer["status"], headers=headers, stream=ByteStream(body), extensions=extensions)

    def failure(error, request):
        import socket

        import httpx

        kind = httpx.ReadError
        if isinstance(error, (socket.gaierror, ConnectionRefusedError, PermissionError)):
            kind = httpx.ConnectError
        elif isinstance(error, TimeoutError):
            kind = httpx.ReadTimeout
        elif isinstance(error, ConnectionResetError):
            kind = httpx.RemoteProtocolError
        return kind(str(error), request=request)

    class HTTPTransport(module.BaseTransport):
        def __init__(self, verify=True, cert=None, trust_env=True, http1=True, http2=False, limits=None,
                     proxy=None, uds=None, local_address=None, retries=0, socket_options=None):
            checked(verify, cert, proxy, uds)

        def handle_request(self, request):
            try:
                return answered(request, _http_tool.call(asked(request, request.read())))
            except OSError as error:
                raise failure(error, request) from error

    class AsyncHTTPTransport(module.AsyncBaseTransport):
        __init__ = HTTPTransport.__init__

        async def handle_async_request(self, request):
            try:
                return answered(request, await _http_tool.call_later(asked(request, await request.aread())))
            except OSError as error:
                raise failure(error, request) from error

    for made in (HTTPTransport, AsyncHTTPTransport):
        made.__module__, made.__qualname__ = module.__name__, made.__name__
        setattr(module, made.__name__, made)


_ADAPTED = {"urllib3.connection": _urllib3, "httpx._transports.default": _httpx}


class _Finder(importlib.abc.MetaPathFinder):
    """Finds what another finder finds, to be changed once it was executed."""

    def find_spec(self, name, path=None, target=None):
        if name not in _ADAPTED:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, _ADAPTED[name])
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, inner, adapt):
        self._inner, self._adapt = inner, adapt

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def create_module(self, spec):
        return self._inner.create_module(spec)

    def exec_module(self, module):
        self._inner.exec_module(module)
        self._adapt(module)


def install():
    """From now on."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
