"""A server of git repositories on loopback: what `git http-backend` says, over HTTP."""

import base64
import os
import pathlib
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


CERTIFICATE = pathlib.Path(__file__).parent / "http" / "server.pem"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def handle_any(self):
        server = self.server
        url = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server.seen.append((self.command, self.path, dict(self.headers.items())))
        if url.path.startswith("/moved/"):
            return self.answer(301, [("Location", self.path.replace("/moved/", "/", 1))], b"")
        if server.token is not None:
            sent = self.headers.get("Authorization", "")
            basic = "Basic " + base64.b64encode(f"x:{server.token}".encode()).decode()
            if sent not in (basic, f"Bearer {server.token}"):
                return self.answer(401, [("WWW-Authenticate", 'Basic realm="git"')], b"no\n")
        env = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(server.root), "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": url.path, "QUERY_STRING": url.query, "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "REMOTE_USER": "tester", "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=env)
        head, _, rest = done.stdout.partition(b"\r\n\r\n")
        headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n") if ": " in line]
        status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
        self.answer(status, [(n, v) for n, v in headers if n not in ("Status", "Content-Length")], rest)

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = handle_any


class GitServer:
    """`root` holds bare repositories; with a `token`, who has it not is sent away with 401. `tls`:
    over HTTPS, by the tests' own certificate."""

    def __init__(self, root, token=None, tls=False):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.server.root, self.server.token, self.server.seen = root, token, []
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
            self.url = f"https://localhost:{self.server.server_address[1]}"
        self.seen = self.server.seen

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc):
        self.server.shutdown()
        self.server.server_close()
