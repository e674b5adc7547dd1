#!/usr/bin/env python3
"""curl: what a granted request costs through curl in the sandbox, beside the same by httpx outside.

    bench/curl.py [--rounds N] [--requests N]

Both talk to one server on loopback, in a process of its own, over connections that are used again. Rounds of
either take turns; of each the best round stands, and the middle one. A round of the sandbox is one script
that starts curl for each request; `empty` is the same script with `true` in the place of curl. The difference
that counts is between `curl` and `httpx`: it should be below 0.3 ms.
"""

import argparse
import multiprocessing
import socket
import statistics
import time

import httpx

from pinfold import Sandbox
from pinfold.http import Http

BODY = b"x" * 1000
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


def serve(pipe):
    """Answers each request with one write, one connection after the other in threads."""
    import threading

    def answer(connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = b""
        while piece := connection.recv(65536):
            data += piece
            head, end, body = data.partition(b"\r\n\r\n")
            _, _, length = head.lower().partition(b"content-length:")
            if end and len(body) >= int(length.partition(b"\r")[0] or 0):
                data = b""
                connection.sendall(ANSWER)

    listener = socket.create_server(("127.0.0.1", 0))
    pipe.send(listener.getsockname()[1])
    while True:
        threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()


def per_request(function, requests):
    began = time.perf_counter()
    function()
    return (time.perf_counter() - began) * 1000 / requests


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--requests", type=int, default=20)
    args = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    url = f"http://127.0.0.1:{ours.recv()}/v1/thing"
    loop = f"for i in {{1..{args.requests}}}; do %s; done"
    with Sandbox(tools=[Http([f"{url}/**", url])]) as sandbox, httpx.Client() as client:

        def ran(command):
            result = sandbox.run(loop % command)
            assert result.ok, result

        def asked(method, body=None):
            for _ in range(args.requests):
                client.request(method, url, content=body).raise_for_status()

        measured = {
            "empty": lambda: ran("true"),
            "httpx GET": lambda: asked("GET"),
            "curl GET": lambda: ran(f"curl -sf -o /dev/null {url}"),
            "httpx POST": lambda: asked("POST", BODY),
            "curl POST": lambda: ran(f"curl -sf -o /dev/null -d {BODY.decode()} {url}"),
        }
        times = {name: [] for name in measured}
        for _ in range(args.rounds):
            for name, function in measured.items():
                times[name].append(per_request(function, args.requests))
    print(f"{'ms a request':14} {'best':>8} {'middle':>8}")
    for name, taken in times.items():
        print(f"{name:14} {min(taken):8.3f} {statistics.median(taken):8.3f}")
    for method in ("GET", "POST"):
        more = min(times[f"curl {method}"]) - min(times[f"httpx {method}"])
        print(f"curl costs {more:.3f} ms more than httpx: {method}")
    process.kill()


if __name__ == "__main__":
    main()
