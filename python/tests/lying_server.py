"""A server on loopback that does not keep to HTTP: each path has an answer of its own, byte for byte."""

import base64
import gzip
import socket
import threading
import time
import zlib


def token_of(head):
    """What stood in Authorization."""
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"authorization:"):
            return line.partition(b":")[2].strip().rpartition(b" ")[2]
    return b""


def whole(body, *headers, status=b"200 OK"):
    lines = [b"HTTP/1.1 " + status, *headers, b"Content-Length: %d" % len(body), b"Connection: close", b"", b""]
    return b"\r\n".join(lines) + body


def chunked(*chunks, trailers=b""):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    return head + b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in chunks) + b"0\r\n" + trailers + b"\r\n"


def endlessly(before, piece, pause=0.0):
    def answer(conn, head):
        conn.sendall(before)
        while True:
            conn.sendall(piece)
            time.sleep(pause)

    return answer


def split(data, at=3):
    """In pieces, each a packet of its own."""

    def answer(conn, head):
        made = data(head) if callable(data) else data
        for i in range(0, len(made), at):
            conn.sendall(made[i : i + at])
            time.sleep(0.001)

    return answer


def packed(size):
    squeezed = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1 << 20)
    return b"".join(squeezed.compress(zeros) for _ in range(size)) + squeezed.flush()


def twice(head):
    return gzip.compress(gzip.compress(token_of(head)))


def raw_gzip(head):
    return whole(gzip.compress(b"your token is " + token_of(head)), b"Content-Type: application/gzip")


def in_parts(head):
    """The token is in the second part."""
    return whole(gzip.compress(b"a part without it") + gzip.compress(b"your token is " + token_of(head)))


def damaged(head):
    """Programs unpack it all before they look at the sum at its end."""
    return whole(gzip.compress(b"your token is " + token_of(head))[:-8] + bytes(8))


def wrapped(head):
    return whole(base64.encodebytes(b"some words before it: " * 2 + token_of(head) + b" and others behind it"))


def escaped(head):
    return whole(b"".join(b"%%25%02x" % c for c in token_of(head)))


def wide(head):
    return whole(token_of(head).decode().encode("utf-16-le"))


ANSWERS = {
    # ---- the head
    "two-lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 30\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\nstolen",
    "length-and-chunks": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "negative-length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc",
    "huge-length": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc",
    "plus-length": b"HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\nabc",
    "folded": b"HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\nContent-Length: 2\r\n\r\nok",
    "bare-line-feeds": b"HTTP/1.1 200 OK\nX-A: one\nContent-Length: 2\n\nok",
    "bare-return": b"HTTP/1.1 200 OK\r\nX-A: one\rX-B: two\r\nContent-Length: 2\r\n\r\nok",
    "zero-in-header": b"HTTP/1.1 200 OK\r\nX-A: o\0ne\r\nContent-Length: 2\r\n\r\nok",
    "no-colon": b"HTTP/1.1 200 OK\r\nnothing here\r\nContent-Length: 2\r\n\r\nok",
    "space-before-colon": b"HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok",
    "http-0.9": b"<html>old</html>\r\n",
    "http-3000": b"HTTP/3000.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "status-of-four": b"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok",
    "status-of-words": b"HTTP/1.1 yes OK\r\nContent-Length: 2\r\n\r\nok",
    "another-protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "one-header-without-end": endlessly(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 65536),
    "headers-without-end": endlessly(b"HTTP/1.1 200 OK\r\n", b"X-Y: z\r\n" * 4096),
    "status-without-end": endlessly(b"HTTP/1.1 200 ", b"O" * 65536),
    "continues-without-end": endlessly(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 200, 0.01),
    "hints-without-end": endlessly(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 200, 0.01),
    "one-continue": b"HTTP/1.1 100 Continue\r\nX-No: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Yes: 1\r\n\r\nok",
    "switching": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nanything",
    "slow-head": endlessly(b"HTTP/1.1 200 OK\r\nX: ", b"y", 0.05),
    # ---- the body
    "slow-body": endlessly(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"y", 0.05),
    "body-without-end": endlessly(b"HTTP/1.1 200 OK\r\n\r\n", b"y" * 65536),
    "chunks-without-end": endlessly(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"y" * 65536 + b"\r\n"
    ),
    "empty-body-of-204": b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
    "chunk-of-minus": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
    "chunk-too-long": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello\r\n0\r\n\r\n",
    "chunk-without-end": endlessly(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;", b"x" * 65536),
    "trailers": chunked(b"ok", trailers=b"X-Late: 1\r\nContent-Encoding: br\r\nHTTP/1.1 500 Oh\r\nSet-Cookie: a=b\r\n"),
    "trailers-without-end": endlessly(chunked(b"ok")[:-2], b"X-Y: z\r\n" * 4096),
    "gzip-bomb": whole(packed(64), b"Content-Encoding: gzip"),
    "gzip-in-gzip": whole(gzip.compress(packed(64)), b"Content-Encoding: gzip, gzip"),
    "gzip-cut": whole(gzip.compress(b"hello" * 100)[:-9], b"Content-Encoding: gzip"),
    "gzip-and-more": whole(gzip.compress(b"one") + gzip.compress(b"two"), b"Content-Encoding: gzip"),
    "no-gzip": whole(b"plain", b"Content-Encoding: gzip"),
    "many-codings": whole(b"plain", b"Content-Encoding: " + b", ".join([b"gzip"] * 50)),
    "zstd": whole(b"\x28\xb5\x2f\xfd\x00", b"Content-Encoding: zstd"),
    "many-parts": whole(gzip.compress(b"") * 5000, b"Content-Encoding: gzip"),
    "many-parts-file": whole(gzip.compress(b"") * 5000),
    "two-answers": whole(b"one") + whole(b"two"),
    "resets": lambda conn, head: conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"),
    "says-nothing": lambda conn, head: None,
    # ---- secrets, in other clothes
    "reflect-split": split(lambda head: chunked(*[bytes([c]) for c in b"token " + token_of(head)])),
    "reflect-trailer": lambda conn, head: conn.sendall(chunked(b"ok", trailers=b"X-T: " + token_of(head) + b"\r\n")),
    "reflect-gzip-twice": lambda conn, head: conn.sendall(whole(twice(head), b"Content-Encoding: gzip, gzip")),
    "reflect-gzip-file": lambda conn, head: conn.sendall(raw_gzip(head)),
    "reflect-gzip-parts": lambda conn, head: conn.sendall(in_parts(head)),
    "reflect-gzip-damaged": lambda conn, head: conn.sendall(damaged(head)),
    "reflect-wrapped": lambda conn, head: conn.sendall(wrapped(head)),
    "reflect-escaped": lambda conn, head: conn.sendall(escaped(head)),
    "reflect-wide": lambda conn, head: conn.sendall(wide(head)),
    "reflect-upper-hex": lambda conn, head: conn.sendall(whole(token_of(head).hex().upper().encode())),
    "reflect-cookie": lambda conn, head: conn.sendall(whole(b"", b"Set-Cookie: t=" + token_of(head) + b"; Path=/")),
    "reflect-header-name": lambda conn, head: conn.sendall(whole(b"", b"X-" + token_of(head).hex().encode() + b": 1")),
    "reflect-status": lambda conn, head: conn.sendall(whole(b"", status=b"200 " + token_of(head))),
    "reflect-entities": lambda conn, head: conn.sendall(whole(b"".join(b"&#%d;" % c for c in token_of(head)))),
    "reflect-refused": lambda conn, head: conn.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Length: " + token_of(head) + b"\r\n\r\n"
    ),
    "reflect-error": lambda conn, head: conn.sendall(token_of(head) + b" is no HTTP\r\n\r\n"),
}


class Liar:
    """``with Liar() as server``: `server.port`, and what it was sent in `server.seen`."""

    def __init__(self, answers=None):
        self.answers, self.seen, self._open = answers or ANSWERS, [], True
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self):
        while self._open:
            try:
                conn, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(conn,), daemon=True).start()

    def _serve(self, conn):
        with conn:
            try:
                head = b""
                while b"\r\n\r\n" not in head:
                    piece = conn.recv(65536)
                    if not piece:
                        return
                    head += piece
                self.seen.append(head)
                name = head.split(b" ", 2)[1].decode().strip("/").partition("?")[0]
                answer = self.answers[name]
                if callable(answer):
                    answer(conn, head)
                else:
                    conn.sendall(answer)
            except OSError:
                pass  # who asked has gone

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self._open = False
        self._listener.close()
