"""A thousand sessions on two nodes, one of which is killed: every session ends right.

Usage: python examples/fleet/fleet.py [--sessions 1000] [--store postgresql://…]

The nodes are simulated on this machine by Ray's Cluster. Each session makes three runs with a tool
call each; the tool notes what it was asked. In the middle one node is killed without a goodbye. At
the end each session's files and results are looked at, and how often each call was asked.
"""

import argparse
import collections
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import ray
from ray.cluster_utils import Cluster

from pinfold import MethodCapability
from pinfold.ray import Pool

RUNS = 3


def bookkeeper(folder):
    """A tool with a side effect: a line for each time that it is asked."""

    def book(session: str, turn: int) -> int:
        with open(os.path.join(folder, session), "a") as file:
            file.write(f"{turn}\n")
        return turn * 100

    return book


def one(pool, name):
    """A session's life: what it printed last."""
    for turn in range(RUNS):
        code = f"echo $(tool book --session {name} --turn {turn}) >> log; cat log"
        result = pool.run(name, code)
    return result.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--store", help="postgresql://…; default: a file")
    given = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="pinfold-fleet-")
    books = os.path.join(folder, "books")
    os.mkdir(books)

    head = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    ray.init(address=cluster.address, log_to_driver=False)
    nodes = [cluster.add_node(num_cpus=1, resources={"node": 1}) for _ in range(2)]
    pool = Pool(
        sandbox={"capabilities": [MethodCapability("**")]},
        tools=[bookkeeper(books)],
        size=2,
        store=given.store or os.path.join(folder, "agents.db"),
        options={"num_cpus": 1, "resources": {"node": 0.1}},
        timeout=600,
    )
    names = [f"agent-{number}" for number in range(given.sessions)]
    begun = time.monotonic()
    with pool, ThreadPoolExecutor(32) as threads:
        ends = [threads.submit(one, pool, name) for name in names]
        while (done := sum(end.done() for end in ends)) < len(names) // 3:
            time.sleep(0.05)
        print(f"killing a node: {done} of {len(names)} sessions are done", flush=True)
        cluster.remove_node(nodes[1], allow_graceful=False)
        cluster.add_node(num_cpus=1, resources={"node": 1})
        wrong = [
            name
            for name, end in zip(names, ends, strict=True)
            if end.result() != "".join(f"{turn * 100}\n" for turn in range(RUNS))
        ]
        seconds = time.monotonic() - begun
    asked = collections.Counter()
    for name in names:
        with open(os.path.join(books, name)) as file:
            turns = file.read().split()
        asked[len(turns) - RUNS] += 1
        if list(dict.fromkeys(turns)) != [str(turn) for turn in range(RUNS)]:
            wrong.append(name)
    runs = RUNS * len(names)
    print(f"{len(names)} sessions, {runs} runs in {seconds:.1f} s; wrong: {len(wrong)}")
    again = sum(count * times for times, count in asked.items())
    print(f"calls that were asked again because their answer was not noted yet: {again}")
    ray.shutdown()
    cluster.shutdown()
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
