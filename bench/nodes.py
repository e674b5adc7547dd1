#!/usr/bin/env python3
"""How a pool grows with the nodes of a Ray cluster, and what is left while nodes are killed.

usage: bench/nodes.py [--nodes 1,2] [--seconds 20] [--kill-every 5] [--store PLACE]

The nodes are simulated on this machine by Ray's Cluster, with one core each, so that as many of them
as there are cores say something. For each number of nodes: scripts that compute, through `Pool.map`,
and runs of sessions with one tool call each, which are in the store when they return. Then the same
sessions while a node is killed at random, and another one added, every so many seconds; each
session's file is compared with its runs. The load of the machine is printed with them.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import ray
from ray.cluster_utils import Cluster

from pinfold import MethodCapability
from pinfold.ray import Pool

SCRIPT = "n=0; for ((i = 0; i < 20000; i++)); do ((n += i)); done; echo $n"
PRINTS = f"{sum(range(20000))}\n"
CLIENTS = 16


def pool_of(nodes: int, store: str) -> Pool:
    return Pool(
        sandbox={"capabilities": [MethodCapability("**")]},
        tools=[book],
        size=nodes,
        store=store,
        options={"num_cpus": 1, "resources": {"node": 1}},
        timeout=300,
    )


def book(turn: int) -> int:
    return turn * 100


def scripts(pool: Pool, seconds: float) -> float:
    """Scripts that compute, a second."""
    until, done = time.perf_counter() + seconds, 0
    begun = time.perf_counter()

    def inputs() -> Any:
        while time.perf_counter() < until:
            yield {}

    for result in pool.map(SCRIPT, inputs()):
        assert result.stdout == PRINTS, result
        done += 1
    return done / (time.perf_counter() - begun)


def sessions(pool: Pool, prefix: str, seconds: float) -> tuple[float, int]:
    """Runs with a tool call each that were acknowledged, a second, and how many sessions are wrong."""
    until, done, wrong = time.perf_counter() + seconds, [0] * CLIENTS, [0] * CLIENTS

    def client(number: int) -> None:
        session, turn, expected = pool.session(f"{prefix}-{number}"), 0, ""
        while time.perf_counter() < until:
            expected += f"{turn * 100}\n"
            said = session.run(f"echo $(tool book --turn {turn}) >> log; cat log").stdout
            wrong[number] |= said != expected
            turn += 1
        done[number] = turn

    begun = time.perf_counter()
    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - begun), sum(wrong)


def killing(
    cluster: Cluster, nodes: list[Any], every: float, meanwhile: Callable[[], Any]
) -> tuple[Any, int]:
    """What `meanwhile` gives, and how many nodes were killed while it went on."""
    killed = 0
    with ThreadPoolExecutor(1) as threads:
        ends = threads.submit(meanwhile)
        while not wait([ends], every).done:  # nodes are added by the main thread, or not at all
            cluster.remove_node(nodes.pop(random.randrange(len(nodes))), allow_graceful=False)
            nodes.append(cluster.add_node(num_cpus=1, resources={"node": 1}))
            killed += 1
        return ends.result(), killed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", default="1,2", help="how many, each measured; default 1,2")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each figure")
    parser.add_argument("--kill-every", type=float, default=5.0, help="seconds")
    parser.add_argument("--store", help="postgresql://…; default: a file")
    given = parser.parse_args()
    numbers = [int(number) for number in given.nodes.split(",")]
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    ray.init(address=cluster.address, log_to_driver=False)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    nodes: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or f"{folder}/nodes.db"
        for count in numbers:
            while len(nodes) < count:
                nodes.append(cluster.add_node(num_cpus=1, resources={"node": 1}))
            with pool_of(count, store) as pool:
                list(pool.map(SCRIPT, [{}] * count))  # the actors are there
                computed = scripts(pool, given.seconds)
                runs, wrong = sessions(pool, f"still-{count}", given.seconds)
                print(
                    f"{count} nodes: {computed:.1f} scripts a second,"
                    f" {runs:.1f} runs of sessions a second, wrong: {wrong}",
                    flush=True,
                )
        with pool_of(len(nodes), store) as pool:
            (runs, wrong), killed = killing(
                cluster,
                nodes,
                given.kill_every,
                lambda: sessions(pool, "killed", 2 * given.seconds),
            )
            print(f"{killed} nodes killed: {runs:.1f} runs of sessions a second, wrong: {wrong}")
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
