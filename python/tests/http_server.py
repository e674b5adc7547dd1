"""A server on loopback for tests of requests: it answers what its path asks for, and keeps what it was
sent. ``python http_server.py PORT_FILE`` serves until it is ended."""

import base64
import gzip
import json
import pathlib
import socketserver
import ssl
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

HERE = pathlib.Path(__file__).parent / "http"
CA = HERE / "ca.pem"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "test"
    sys_version = ""

    def log_message(self, *args):
        pass

    def version_string(self):
        return "test"

    def date_time_string(self, timestamp=None):
        return "Thu, 01 Jan 1970 00:00:00 GMT"

    def answer(self, status=200, body=b"", headers=(), reason=None):
        if isinstance(body, str):
            body = body.encode()
        self.send_response(status, reason)
        for name, value in headers:
            self.send_header(name, value)
        if not any(name.lower() == "content-type" for name, _ in headers):
            self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def handle_any(self):
        url = urlsplit(self.path)
        query = dict(parse_qsl(url.query, keep_blank_values=True))
        sent = self.body()
        self.server.seen.append((self.command, self.path, list(self.headers.items()), sent))
        name = url.path.strip("/").partition("/")[0]
        getattr(self, "page_" + name, self.page_missing)(url, query, sent)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = handle_any
    do_QUERY = do_get = handle_any

    def page_missing(self, url, query, sent):
        if url.path == "/":
            return self.answer(body="root\n")
        self.answer(404, f"no {url.path}\n")

    def page_hello(self, url, query, sent):
        self.answer(body="hello\n", headers=[("X-Test", "yes")])

    def page_echo(self, url, query, sent):
        shown = {
            "method": self.command,
            "path": self.path,
            "headers": {k: v for k, v in sorted(self.headers.items()) if k not in ("Host", "Expect")},
            "body": sent.decode("latin-1"),
        }
        self.answer(body=json.dumps(shown) + "\n", headers=[("Content-Type", "application/json")])

    def page_body(self, url, query, sent):
        self.answer(body=sent)

    def page_status(self, url, query, sent):
        code = int(url.path.split("/")[2])
        self.answer(code, f"status {code}\n")

    def page_redirect(self, url, query, sent):
        code = int(query.get("code", 302))
        self.answer(code, "moved\n", [("Location", query["to"])])

    def page_loop(self, url, query, sent):
        self.answer(302, "", [("Location", "/loop")])

    def page_hops(self, url, query, sent):
        left = int(url.path.split("/")[2])
        if left:
            return self.answer(302, "", [("Location", f"/hops/{left - 1}")])
        self.answer(body="arrived\n")

    def page_cookie(self, url, query, sent):
        self.answer(body="cookies\n", headers=[("Set-Cookie", f"{k}={v}; Path=/") for k, v in query.items()])

    def page_cookies(self, url, query, sent):
        self.answer(body=(self.headers.get("Cookie") or "none") + "\n")

    def page_auth(self, url, query, sent):
        wanted = "Basic " + base64.b64encode(b"user:pass").decode()
        if self.headers.get("Authorization") == wanted:
            return self.answer(body="welcome\n")
        self.answer(401, "who?\n", [("WWW-Authenticate", 'Basic realm="x"')])

    def page_bytes(self, url, query, sent):
        self.answer(body=bytes(range(256)) * int(query.get("n", 1)))

    def page_large(self, url, query, sent):
        self.answer(body=b"x" * int(query["n"]))

    def page_slow(self, url, query, sent):
        time.sleep(float(query.get("s", 10)))
        self.answer(body="late\n")

    def page_drip(self, url, query, sent):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b".")
            time.sleep(0.05)

    def page_endless(self, url, query, sent):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b"x" * 65536)

    def page_short(self, url, query, sent):
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"short")
        self.close_connection = True

    def page_chunked(self, url, query, sent):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for part in (b"one\n", b"two\n", b"three\n"):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def page_gzip(self, url, query, sent):
        self.answer(body=gzip.compress(b"unpacked\n"), headers=[("Content-Encoding", "gzip")])

    def page_bomb(self, url, query, sent):
        packed = zlib.compressobj(9, zlib.DEFLATED, 31)
        zeros = bytes(1 << 20)
        data = b"".join(packed.compress(zeros) for _ in range(20)) + packed.flush()
        self.answer(body=data, headers=[("Content-Encoding", "gzip")])

    def page_reflect(self, url, query, sent):
        """Everything it was sent, in all the ways that it knows."""
        given = self.headers.get(query.get("header", "Authorization"), "")
        token = given.rpartition(" ")[2]
        data = {
            "plain": lambda: token,
            "all": lambda: json.dumps(list(self.headers.items())),
            "base64": lambda: base64.b64encode(f"x{given}".encode()).decode(),
            "hex": lambda: token.encode().hex(),
            "percent": lambda: "".join(f"%{c:02x}" for c in token.encode()),
            "reversed": lambda: token[::-1],
            "json": lambda: "".join(f"\\u{c:04x}" for c in token.encode()),
        }[query.get("as", "plain")]()
        if query.get("in") == "header":
            return self.answer(headers=[("X-Given", data)])
        if query.get("in") == "reason":
            return self.answer(reason=data)
        if query.get("in") == "gzip":
            return self.answer(body=gzip.compress(data.encode()), headers=[("Content-Encoding", "gzip")])
        if query.get("in") == "br":
            return self.answer(body=data, headers=[("Content-Encoding", "br")])
        if query.get("in") == "location":
            return self.answer(302, "", [("Location", f"/echo?{data}")])
        self.answer(body=data)

    def page_old(self, url, query, sent):
        self.wfile.write(b"just text, no head\r\n\r\n")
        self.close_connection = True

    def page_nothing(self, url, query, sent):
        self.close_connection = True

    def page_headers(self, url, query, sent):
        self.answer(headers=[(f"X-{i}", "y" * 1000) for i in range(int(query["n"]))])

    def page_file(self, url, query, sent):
        name = url.path.rpartition("/")[2]
        self.answer(body=f"file {name}\n", headers=[("Content-Disposition", f'attachment; filename="named-{name}"')])

    def page_flaky(self, url, query, sent):
        """Fails the first times."""
        key = query.get("key", "")
        self.server.tries[key] = self.server.tries.get(key, 0) + 1
        if self.server.tries[key] <= int(query.get("fail", 2)):
            return self.answer(503, "again\n")
        self.answer(body=f"after {self.server.tries[key]}\n")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, tls=False):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen = []
        self.tries = {}
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(HERE / "server.pem")
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server_address[1]
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def handle_error(self, request, client_address):
        pass

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.shutdown()
        self.server_close()


if __name__ == "__main__":
    with Server() as server:
        pathlib.Path(sys.argv[1]).write_text(str(server.port))
        server.thread.join()
