#!/usr/bin/env python3
"""memo: rollouts that share prefixes, run and restored.

    bench/memo.py [--rollouts 1000] [--depth 8] [--choices 3] [--all]

A rollout is what an agent does in one attempt: steps in a sandbox of its own, each chosen from what
the ones before it led to. The first choice is taken in six of ten steps, as a model samples it.
Every rollout begins at the beginning; a `Cache` runs each step once for all that come to it in the same
way. The first pass is without a cache (every 50th rollout, of which the time of all is reckoned,
unless --all), the second fills one, the third finds all in the file that the second left.
"""

import argparse
import os
import random
import tempfile
import time
from collections.abc import Iterator

from pinfold import Cache, MethodCapability, Sandbox

#: What a step does, by kind: work as agents do it, from a command to a program.
STEPS = (
    (
        "shell",
        "mkdir -p notes; echo step {n} >> notes/log; seq 2000 | sort -r | head -50 > notes/{n}",
    ),
    ("shell", "tool search --query topic-{n} | jq -r .hits >> found; sort -u found | wc -l"),
    (
        "python",
        "import json, pathlib\n"
        "rows = [{{'n': i, 'sq': i * i % 97}} for i in range(3000)]\n"
        "rows.sort(key=lambda row: row['sq'])\n"
        "pathlib.Path('table{n}.json').write_text(json.dumps(rows[:100]))",
    ),
    (
        "javascript",
        "let x = 1; for (let i = 0; i < 100000; i++) x = (x * 31 + i + {n}) % 1000003;\n"
        "fs.appendFileSync('js', x + '\\n'); return x",
    ),
)


def search(query: str) -> dict[str, int]:
    return {"hits": len(query) * 7}


def rollouts(count: int, depth: int, choices: int) -> list[list[int]]:
    rng = random.Random(1)
    weights = [6, *[4 / (choices - 1)] * (choices - 1)] if choices > 1 else [1]
    return [rng.choices(range(choices), weights, k=depth) for _ in range(count)]


def steps_of(path: list[int]) -> Iterator[tuple[str, str]]:
    """The scripts of a rollout; what a step is depends on those before it."""
    place = 0
    for level, choice in enumerate(path):
        place = place * 7 + choice + 1
        language, text = STEPS[(level + choice) % len(STEPS)]
        yield language, text.format(n=place % 1009)


def sandbox() -> Sandbox:
    return Sandbox(
        tools=[search], capabilities=[MethodCapability("search")], clock=1_700_000_000, seed=1
    )


def run(
    paths: list[list[int]], cache: Cache | None
) -> tuple[float, float, list[tuple[str, object]]]:
    """Seconds, seconds of processor time, and what the last steps gave."""
    ends = []
    began, used = time.perf_counter(), time.process_time()
    for path in paths:
        with sandbox() as box:
            for language, code in steps_of(path):
                if cache is None:
                    result = box.run(code, language)
                else:
                    result = cache.run(box, code, language)
            ends.append((result.stdout, result.value))
    return time.perf_counter() - began, time.process_time() - used, ends


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rollouts", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--choices", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="run all rollouts without a cache, too")
    given = parser.parse_args()
    paths = rollouts(given.rollouts, given.depth, given.choices)
    total = len(paths) * given.depth
    different = len({tuple(path[: n + 1]) for path in paths for n in range(len(path))})
    print(
        f"{len(paths)} rollouts of depth {given.depth}: {total} steps, {different} different ones"
    )
    some = paths if given.all else paths[::50]
    plain, used, ends = run(some, None)
    plain *= len(paths) / len(some)
    used *= len(paths) / len(some)
    reckoned = "" if given.all else f" (reckoned from {len(some)})"
    print(f"without a cache   {plain:8.2f} s, {used:6.2f} s of processor time{reckoned}")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "memo.db")
        for name in ("filling it", "filled"):
            with Cache(file) as cache:
                seconds, cpu, found = run(paths, cache)
                counts = cache.counts()
            assert found[:: len(paths) // len(some)][: len(ends)] == ends, "a cached step differs"
            rate = 100 * counts.hits / total
            print(
                f"cache, {name:10} {seconds:8.2f} s, {cpu:6.2f} s of processor time,"
                f" {used / cpu:5.1f} times as fast, {rate:5.1f} % hits, {counts.entries} entries,"
                f" {counts.bytes / 1e6:.1f} MB, {cpu / total * 1e6:.0f} µs a step"
            )


if __name__ == "__main__":
    main()
