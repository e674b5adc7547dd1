#!/usr/bin/env python3
"""Takes the checks of the boundary away, one at a time: some test has to fail. `make mutate`.

usage: mutate.py [--build DIR] [--work DIR] [--jobs N] [--tests WORD] [--fresh] [--list] [FILE...]

Each FILE (without any: all that tools/mutations.py names) is compiled once with all its mutations
in it, each test program is linked once, and each function of a test runs once to learn what it
reaches and how long it takes. Then a mutation costs the tests that reach it, those first that
noticed most in the least time, until one fails or does not end. One that survives tests of some
seconds is a failure, unless tests/mutation/survivors.txt names it with a reason; so is one of that
list that is killed, or that does not exist any more. Sources and build are left alone.

What is killed is kept in DIR/results.jsonl, as long as its function stays as it is: a run that was
stopped goes on there. --fresh forgets it; --list only names the mutations; --tests takes the test
programs with WORD in their name only.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import sys
import threading

from mutant_tests import ROOT, Programs, Test
from mutations import FILES, Mutation, find

# A mutation has survived when tests of so many seconds did not notice it.
SECONDS = 30
SURVIVORS = ROOT / "tests/mutation/survivors.txt"


class Order:
    """Which test to try first: what it killed of those that it was tried with, by its time."""

    def __init__(self) -> None:
        self.tried: collections.Counter[tuple[str, str]] = collections.Counter()
        self.killed: collections.Counter[tuple[str, str]] = collections.Counter()

    def cost(self, test: Test, file: str) -> float:
        kills = self.killed[test.name, file] + 0.1
        return (test.seconds + 0.02) * (self.tried[test.name, file] + 1) / kills

    def learn(self, test: Test, file: str, killed: bool) -> None:
        self.tried[test.name, file] += 1
        self.killed[test.name, file] += killed


def try_mutation(number: int, mutation: Mutation, tests: list[Test],
                 order: Order) -> tuple[str, str]:
    """What became of it, and by which test."""
    reached = [t for t in tests if t.seen[number]]
    left = SECONDS
    for test in sorted(reached, key=lambda t: order.cost(t, mutation.file)):
        if left < 0:
            break
        left -= test.seconds
        outcome = test.run(number)
        if outcome == "failed":  # counts when it comes again: a test about time may fail once
            outcome = test.run(number)
        order.learn(test, mutation.file, outcome != "passed")
        if outcome != "passed":
            return ("killed" if outcome == "failed" else "hangs"), test.name
    return ("survived" if reached else "not reached"), ""


def read_survivors() -> dict[str, str]:
    """The mutations that are known to survive, with the reason of each."""
    survivors = {}
    if SURVIVORS.exists():
        for line in SURVIVORS.read_text().splitlines():
            if line and not line.startswith("#"):
                name, _, reason = line.partition(" -- ")
                if not reason:
                    raise SystemExit(f"{SURVIVORS}: no reason: {line}")
                survivors[name.strip()] = reason
    return survivors


def known_results(log: pathlib.Path, mutations: list[Mutation]) -> dict[str, str]:
    """What an earlier run killed. Survivors are tried again: there may be a test for them now."""
    done = {}
    for line in log.read_text().splitlines() if log.exists() else []:
        entry = json.loads(line)
        done[entry["name"], entry["function"]] = entry["outcome"]
    found = {m.name: done.get((m.name, m.function)) for m in mutations}
    return {name: outcome for name, outcome in found.items() if outcome in ("killed", "hangs")}


def verdict(results: dict[str, str], mutations: list[Mutation], files: list[str]) -> int:
    """Prints what is not as it should be; how many."""
    known, wrong = read_survivors(), 0
    there = {m.name for m in mutations}
    for name, outcome in results.items():
        if outcome not in ("killed", "hangs") and name not in known:
            wrong += 1
            print(f"{outcome}: {name}")
        if outcome in ("killed", "hangs") and name in known:
            wrong += 1
            print(f"is {outcome}: take it off {SURVIVORS.name}: {name}")
    for name in known:
        if name.split(" ")[0] in files and name not in there:
            wrong += 1
            print(f"does not exist any more: take it off {SURVIVORS.name}: {name}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tests", default="")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    files = args.files or FILES
    mutations = [m for file in files for m in find(ROOT, file)]
    if args.list:
        print(*(m.name for m in mutations), sep="\n")
        return 0
    work = args.work or args.build / "mutate"
    work.mkdir(parents=True, exist_ok=True)
    log = work / "results.jsonl"
    if args.fresh:
        log.unlink(missing_ok=True)
    results = known_results(log, mutations)
    left = [(n, m) for n, m in enumerate(mutations) if m.name not in results]
    if left:
        tests = Programs(args.build, work, args.jobs).tests(mutations, args.tests)
        print(f"{len(left)} mutations, {len(tests)} tests of "
              f"{sum(t.seconds for t in tests):.0f} s", flush=True)
    order, lock = Order(), threading.Lock()

    def one(job: tuple[int, Mutation]) -> None:
        number, mutation = job
        outcome, test = try_mutation(number, mutation, tests, order)
        entry = {"name": mutation.name, "function": mutation.function, "outcome": outcome,
                 "test": test}
        with lock, log.open("a") as file:
            results[mutation.name] = outcome
            file.write(json.dumps(entry) + "\n")
            if not test:
                print(f"{outcome}: {mutation.name}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for future in [pool.submit(one, job) for job in left]:
            future.result()
    wrong = verdict(results, mutations, files)
    counts = collections.Counter(results.values())
    print(f"{len(results)} mutations:", ", ".join(f"{n} {what}" for what, n in counts.items()),
          f"; {wrong} not as they should be")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
