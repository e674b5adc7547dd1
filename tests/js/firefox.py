"""Firefox without a driver between: it speaks WebDriver BiDi itself, over a WebSocket."""

import base64
import contextlib
import json
import os
import re
import socket
import struct
import subprocess
import tempfile
import time

SECONDS = 180


class WebSocket:
    """A client's end, of texts, as far as a browser on this machine asks for it (RFC 6455)."""

    def __init__(self, host, port, path):
        self.socket = socket.create_connection((host, port), timeout=SECONDS)
        key = base64.b64encode(os.urandom(16)).decode()
        head = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        self.socket.sendall(f"{head}Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.stream = self.socket.makefile("rb")
        status = self.stream.readline()
        assert b" 101 " in status, status
        while self.stream.readline().strip():
            pass

    def send(self, text, kind=1):
        data = text if isinstance(text, bytes) else text.encode()
        size = len(data)
        head = bytes([0x80 | kind])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 1 << 16:
            head += struct.pack(">BH", 0x80 | 126, size)
        else:
            head += struct.pack(">BQ", 0x80 | 127, size)
        mask = os.urandom(4)
        key = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")
        self.socket.sendall(head + mask + masked)

    def receive(self):
        whole = b""
        while True:
            first, second = self.stream.read(2)
            size = second & 127
            if size > 125:
                size = int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
            data = self.stream.read(size)
            kind = first & 15
            if kind == 9:
                self.send(data, 10)
            elif kind == 8:
                raise ConnectionError("Firefox closed the connection")
            elif kind in (0, 1, 2):
                whole += data
                if first & 0x80:
                    return whole.decode()

    def close(self):
        self.stream.close()
        self.socket.close()


class Firefox:
    """A session of a browser that runs."""

    def __init__(self, port):
        self.socket = WebSocket("127.0.0.1", port, "/session")
        self.next = 0
        self.errors = []
        self.do("session.new", capabilities={})
        self.do("session.subscribe", events=["log.entryAdded"])

    def do(self, method, **params):
        self.next += 1
        self.socket.send(json.dumps({"id": self.next, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(message["params"].get("text") or "")
            if message.get("id") != self.next:
                continue
            assert message["type"] == "success", message
            return message["result"]

    def open(self, url):
        context = self.do("browsingContext.create", type="tab")["context"]
        page = Page(self, context)
        page.goto(url)
        return page


class Page:
    """A tab, with the few methods of Playwright's page that tests of both browsers use."""

    def __init__(self, browser, context):
        self.browser, self.context = browser, context

    def goto(self, url):
        self.browser.do("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, function, argument=None):
        """What a function gives, or what its promise does: values of JSON."""
        found = self.browser.do(
            "script.callFunction",
            functionDeclaration=f"async (text) => JSON.stringify(await ({function})(JSON.parse(text)))",
            arguments=[{"type": "string", "value": json.dumps(argument)}],
            awaitPromise=True,
            target={"context": self.context},
        )
        assert found["type"] == "success", found
        value = found["result"]
        return None if value["type"] == "undefined" else json.loads(value["value"])

    def wait_for_timeout(self, milliseconds):
        time.sleep(milliseconds / 1000)

    def close(self):
        self.browser.do("browsingContext.close", context=self.context)


@contextlib.contextmanager
def running(program):
    """A browser with a profile of its own, without a window."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "--headless", "--no-remote", "--profile", folder, "--remote-debugging-port", "0"]
        log = os.path.join(folder, "log")
        with open(log, "w") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, "HOME": folder})
        try:
            end = time.monotonic() + SECONDS
            found = None
            while not found:
                assert process.poll() is None, "Firefox ended"
                assert time.monotonic() < end, "Firefox does not listen"
                time.sleep(0.1)
                with open(log) as lines:
                    found = re.search(r"BiDi listening on ws://127\.0\.0\.1:(\d+)", lines.read())
            browser = Firefox(int(found[1]))
            yield browser
            with contextlib.suppress(ConnectionError, TypeError, ValueError):
                browser.do("session.end")
            browser.socket.close()
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
