"""``pinfold serve`` under fire: servers and their PostgreSQL are killed and paused at random, while
clients run scripts whose tool calls they answer.

usage: PYTHONPATH=build/python python bench/soak.py [--minutes 10] [--servers 2] [--clients 8]

What has to hold in the end: every client has come to its end, each session's file has exactly the
lines that its answers made, in order, and no call was asked again whose answer was acknowledged.
Exits with 1 otherwise. Two to four cores are kept busy.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
import uuid
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python/tests"))

import httpx
import postgres_server
from service_server import Issuer, Process, configured, issued

from pinfold.service.client import Client, RemoteSession, ServiceError

STEP = {"name": "step", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}
CALLS = 3
SCRIPT = f"for i in $(seq {CALLS}); do tool step --n $i >> log; done; wc -l < log"
#: Seconds that a client waits for one thing before it gives up, which fails the run.
PATIENCE = 180.0


class Worker(threading.Thread):
    """A user's program, with any of the servers."""

    def __init__(self, urls: list[str], token: str, name: str, until: float) -> None:
        super().__init__(daemon=True)
        self.urls, self.token, self.name, self.until = urls, token, name, until
        self.rounds = self.longest = 0
        self.acknowledged: set[int] = set()
        self.seconds: list[float] = []
        self.failed: str | None = None
        self.pick = random.Random(name)

    def run(self) -> None:
        try:
            self._ask(self._created)
            while time.monotonic() < self.until:
                self._round()
        except Exception as error:
            self.failed = f"{type(error).__name__}: {error}"

    def _created(self, box):
        try:
            return box.client.create(self.name, tools=[STEP])
        except ServiceError as error:
            if error.code != "exists":  # only the answer was lost
                raise
            return None

    def _round(self) -> None:
        key, turn = uuid.uuid4().hex, self.rounds
        run = self._ask(partial(RemoteSession.start, code=SCRIPT, key=key))
        while run["state"] != "done":
            if not run["calls"]:
                run = self._ask(partial(self._looked, number=run["number"], key=key))
                continue
            call = run["calls"][0]
            if call["id"] in self.acknowledged:
                raise AssertionError(f"call {call['id']} was asked again")
            value = f"{turn}.{call['params']['n']}"
            run = self._ask(partial(RemoteSession.answer, id=call["id"], value=value))
            self.acknowledged.add(call["id"])
        self.rounds += 1
        expected = f"{CALLS * self.rounds}\n"
        if run["result"]["stdout"] != expected:
            raise AssertionError(f"round {turn} said {run['result']}, not {expected!r}")

    def _looked(self, box, number: int, key: str):
        try:
            return box._json("GET", f"/runs/{number}", params={"wait": 10})
        except ServiceError as error:
            if error.code != "no_run":
                raise
            return box.start(SCRIPT, key=key)  # it was never acknowledged

    def _ask(self, what):
        """By any server, until one has answered."""
        begun = time.monotonic()
        while True:
            try:
                with Client(self.pick.choice(self.urls), self.token, timeout=5) as client:
                    made = what(client.session(self.name))
                took = time.monotonic() - begun
                self.seconds.append(took)
                self.longest = max(self.longest, took)
                return made
            except httpx.TransportError:
                pass
            except ServiceError as error:
                if error.status not in (409, 429, 500, 503, 507) or error.code in (
                    *("answered", "busy", "exists", "damaged"),
                ):
                    raise
            if time.monotonic() - begun > PATIENCE:
                raise TimeoutError(f"nobody answered for {PATIENCE:g} s")
            time.sleep(0.1)


class Fleet:
    """Servers that share a store, and who hurts them."""

    def __init__(self, folder: str, issuer: Issuer, servers: int) -> None:
        self.folder = folder
        self.postgres = postgres_server.Postgres()
        self.place = self.postgres.database()
        self.config = configured(folder, issuer, peers=["http://127.0.0.1:*"], runs=64, live=64)
        self.servers = [self._started() for _ in range(servers)]
        self.counts = {"server killed": 0, "server paused": 0, "database killed": 0}

    def _started(self) -> Process:
        return Process(self.folder, self.place, self.config, advertise=True)

    def hurt(self, pick: random.Random) -> None:
        what = pick.choices([*self.counts], [6, 2, 2])[0]
        self.counts[what] += 1
        at = pick.randrange(len(self.servers))
        server = self.servers[at]
        if what == "database killed":
            self.postgres.kill()
            time.sleep(pick.uniform(0, 3))
            self.postgres.start()
        elif what == "server paused":
            server.process.send_signal(signal.SIGSTOP)
            time.sleep(pick.uniform(3, 12))
            server.process.send_signal(signal.SIGCONT)
        else:
            port = int(server.url.rpartition(":")[2])
            server.kill()
            time.sleep(pick.uniform(0, 2))
            self.servers[at] = Process(self.folder, self.place, self.config, port, announced=True)

    def stop(self) -> None:
        for server in self.servers:
            server.kill()
        self.postgres.stop()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=25)
    given = parser.parse_args()
    pick, issuer = random.Random(given.seed), Issuer()
    token = issued(issuer, expires_in=given.minutes * 60 + 3600)
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(folder, issuer, given.servers)
        try:
            until = time.monotonic() + given.minutes * 60
            urls = [server.url for server in fleet.servers]
            names = [f"user-{i}" for i in range(given.clients)]
            workers = [Worker(urls, token, name, until) for name in names]
            for worker in workers:
                worker.start()
            while time.monotonic() < until and any(worker.is_alive() for worker in workers):
                time.sleep(pick.uniform(1, 6))
                fleet.hurt(pick)
            for worker in workers:
                worker.join(PATIENCE * 2)
            wrong = [f"{w.name}: {w.failed}" for w in workers if w.failed]
            wrong += [f"{w.name}: no end" for w in workers if w.is_alive()]
            for worker in workers:
                wrong += checked(worker)
        finally:
            fleet.stop()
    asked = sorted(second for worker in workers for second in worker.seconds)
    figures = {
        **fleet.counts,
        "rounds": sum(worker.rounds for worker in workers),
        "answers acknowledged": sum(len(worker.acknowledged) for worker in workers),
        "request p50 s": round(asked[len(asked) // 2], 3),
        "request p99 s": round(asked[len(asked) * 99 // 100], 2),
        "longest s": round(asked[-1], 1),
        "wrong": len(wrong),
    }
    print(json.dumps(figures, indent=1))
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


def checked(worker: Worker) -> list[str]:
    lines = worker._ask(lambda box: box.read("log")).decode().splitlines()
    made = [f"{t}.{n}" for t in range(worker.rounds) for n in range(1, CALLS + 1)]
    found = [json.loads(line) for line in lines]
    return [] if found == made else [f"{worker.name}: its file is not what its answers made"]


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    sys.exit(main())
