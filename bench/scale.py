#!/usr/bin/env python3
"""How far one machine goes: creating, suspending and resuming sandboxes, and what they take.

usage: bench/scale.py [--store PLACE] [--seconds N] [--service] [--json]

Prints a table: each figure with its unit, and p50 and p99 where it is a distribution. docs/scale.md
has results and what they mean for many machines. The load of the machine is printed with them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable

from pinfold import MethodCapability, Sandbox, Store, Tool

TOOLS = [Tool("ask")]
ALL = [MethodCapability("**")]


def times(work: Callable[[int], object], seconds: float) -> list[float]:
    """How long each of as many turns took as fit into so many seconds, five at least."""
    taken, until, turn = [], time.perf_counter() + seconds, 0
    while turn < 5 or time.perf_counter() < until:
        begun = time.perf_counter()
        work(turn)
        taken.append(time.perf_counter() - begun)
        turn += 1
    return taken


def spread(taken: list[float]) -> dict[str, float]:
    ordered = sorted(taken)
    return {
        "p50_ms": statistics.median(ordered) * 1000,
        "p99_ms": ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)] * 1000,
        "per_second": len(ordered) / sum(ordered),
        "n": len(ordered),
    }


def waiting(isolation: str | None = None) -> Sandbox:
    sandbox = Sandbox(tools=TOOLS, capabilities=ALL, isolation=isolation)
    sandbox.run("x=5; seq 100 > numbers")
    sandbox.start("echo $x $(tool ask)")
    return sandbox


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def live(count: int) -> float:
    """Bytes of memory that one waiting sandbox takes."""
    before = resident()
    sandboxes = [waiting() for _ in range(count)]
    taken = (resident() - before) / count
    for sandbox in sandboxes:
        sandbox.close()
    return taken


def worker_memory(count: int) -> float:
    """What the process of one sandbox takes of its own: shared pages are divided among all."""
    sandboxes = [waiting("process") for _ in range(count)]
    taken = 0
    for pid in children(os.getpid()):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup") as file:
            taken += sum(int(line.split()[1]) for line in file if line.startswith("Pss:")) * 1024
    for sandbox in sandboxes:
        sandbox.close()
    return taken / count


def children(pid: int) -> list[int]:
    """All processes below one."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/children") as file:
            for child in map(int, file.read().split()):
                found += [child, *children(child)]
    return found


def measure(place: str, seconds: float) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    found["create"] = spread(times(lambda turn: Sandbox().close(), seconds))
    process = times(lambda turn: Sandbox(isolation="process").close(), seconds)
    found["create, isolation=process"] = spread(process)
    found["create, run, wait"] = spread(times(lambda turn: waiting().close(), seconds))
    process = times(lambda turn: waiting("process").close(), seconds)
    found["create, run, wait, isolation=process"] = spread(process)
    sandbox = waiting()
    data = sandbox.snapshot()
    found["suspend to bytes"] = spread(times(lambda turn: sandbox.snapshot(), seconds))
    restore = lambda turn: Sandbox.restore(data, tools=TOOLS, capabilities=ALL).close()  # noqa: E731
    found["resume from bytes"] = spread(times(restore, seconds))
    found["a waiting sandbox"] = {"bytes": len(data), "memory_bytes": live(300)}
    found["a worker process"] = {"memory_bytes": worker_memory(10)}
    with Store(place) as store:
        save = lambda turn: store.save(f"s{turn}", sandbox)  # noqa: E731
        found["save in the store"] = spread(times(save, seconds))
        load = lambda turn: store.load("s0", tools=TOOLS, capabilities=ALL).close()  # noqa: E731
        found["load from the store"] = spread(times(load, seconds))
        idle = Sandbox()
        grow = lambda turn: (idle.run(f"echo {turn} > n"), store.save("line", idle))  # noqa: E731
        found["run and save, a line of snapshots"] = spread(times(grow, seconds))
    sandbox.close()
    return found


def service(place: str, seconds: float, clients: int = 8) -> dict[str, dict[str, float]]:
    """Runs with one tool call each through ``pinfold serve``, from several clients at once."""
    import socket
    import threading

    import uvicorn

    from pinfold.service.api import create_app
    from pinfold.service.authority import encoded
    from pinfold.service.client import Client
    from pinfold.service.config import config
    from pinfold.service.sessions import Sessions
    from pinfold.tokens import Issuer

    issuer, listening = Issuer(), socket.socket()
    settings = config({"tenants": {"bench": {"keys": [issuer.public_key.hex()]}}})
    listening.bind(("127.0.0.1", 0))
    app = create_app(settings, Sessions(settings, Store(place), "bench"))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    serving = threading.Thread(target=lambda: server.run(sockets=[listening]))
    serving.start()
    token = encoded(issuer.issue(ALL, expires_in=3600))
    taken: list[float] = []

    def client(number: int) -> None:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with Client(url, token) as made:
            box = made.create(f"s{number}", tools=[{"name": "ask"}])
            taken.extend(times(lambda turn: box.run("tool ask", tools={"ask": int}), seconds))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures = spread(taken)
    figures["per_second"] = len(taken) / (time.perf_counter() - begun)
    server.should_exit = True
    serving.join()
    return {f"run with a tool call, {clients} clients": figures}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", help="a file or postgresql://…; default: a new file")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each figure; default 3")
    parser.add_argument("--service", action="store_true", help="through pinfold serve, too")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        place = given.store or f"{folder}/scale.db"
        found = measure(place, given.seconds)
        if given.service:
            found |= service(place, given.seconds)
    if given.json:
        print(json.dumps({"load": load, "cores": os.cpu_count(), "figures": found}, indent=1))
        return
    print(f"load {load:.1f} on {os.cpu_count()} cores")
    for name, figures in found.items():
        print(f"{name:36}", "  ".join(f"{k} {v:.4g}" for k, v in figures.items()))


if __name__ == "__main__":
    main()
