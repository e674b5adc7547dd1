"""Measures pinfold beside the alternatives in one run, and writes a table and a picture.

usage: compare.py [--only WORD] [--rounds N] [--out FOLDER] [--cases FOLDER]

Machines are shared, so every figure is the best of several rounds, in which the contenders take
turns; behind it stands how far the middle round lies above it. A difference of two times that is
not larger than what the rounds differ by themselves is no figure: – stands for it, as for what a
contender has not.
A contender that is not installed, cannot do a piece of work or gets it wrong says so in its cell.
`--cases` is a folder of recorded cases (PINFOLD_CASES): the share that is as bash's and GNU's.
"""

import argparse
import gc
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

import contenders
import correctness
import report

FIB = "const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2); return fib(27)"
LOOP = "i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done; echo $i"
SUBSTITUTIONS = "i=0; while [ $i -lt 200 ]; do x=$(echo $i); i=$((i + 1)); done; echo $x"
PIPELINE = "seq 10000 | grep 7 | sort -rn | head -5 | tail -1"
AWK = "seq 100000 | awk '{s += $1} END {print s}'"
CALLS = 200
LIVE = 100  #: sandboxes whose memory is looked at together

#: (what, unit, method, code, expected output, divided by)
WORK = [
    ("echo hi, live", "µs", "shell", "echo hi", "hi", 1),
    ("echo hello | tr a-z A-Z", "µs", "shell", "echo hello | tr a-z A-Z", "HELLO", 1),
    ("seq 10000 | grep | sort | head", "ms", "shell", PIPELINE, "9977", 1),
    ("seq 100000 | awk", "ms", "shell", AWK, "5000050000", 1),
    ("while loop, 10 000 rounds", "ms", "shell", LOOP, "10000", 1),
    ("200 × x=$(echo $i)", "ms", "shell", SUBSTITUTIONS, "199", 1),
    ("JS return 1+1, live", "µs", "js", "return 1+1", "2", 1),
    ("JS fib(27)", "ms", "js", FIB, "196418", 1),
    ("Python 1+1, live", "µs", "python", "1+1", "2", 1),
]
SCALE = {"µs": 1e6, "ms": 1e3, "MB": 1, "×": 1}

#: The rounds of one contender, or why it has none.
Samples = list[float] | str


class Unfit(Exception):
    """Why a cell has no figure."""


def tool_work(contender: type | None) -> list[tuple]:
    """Loops of calls to a host function, in the spelling of the contender."""
    shell, js = getattr(contender, "shell_tool", None), getattr(contender, "js_tool", None)
    loop = f"i=0; while [ $i -lt {CALLS} ]; do x=$({shell}); i=$((i + 1)); done; echo $x"
    js_loop = f"let n = 0; for (let i = 0; i < {CALLS}; i++) {js}; return n"
    return [
        ("tool call from shell", "µs", "shell", loop if shell else None, str(CALLS), CALLS),
        ("tool call from JS", "µs", "js", js_loop if js else None, str(CALLS), CALLS),
    ]


def timed(function: Callable[..., object], *arguments: object) -> float:
    """Seconds per call, over enough calls to be measurable."""
    count = 0
    started = time.perf_counter()
    while True:
        function(*arguments)
        count += 1
        spent = time.perf_counter() - started
        if spent > 0.05 or count == 300:
            return spent / count


def a_round(kind: type, work: tuple) -> float:
    """Each round has a sandbox of its own: some stop working after so many commands."""
    _, unit, method, code, expected, divisor = work
    if not hasattr(kind, method) or code is None:
        raise Unfit("–")
    sandbox = kind()
    run = getattr(sandbox, method)

    def checked() -> None:
        got = run(code).strip()
        if got != expected:
            raise Unfit(f"wrong: {got[:7]!r}")

    checked()
    own = hasattr(sandbox, "seconds")
    seconds = sandbox.seconds(method, code, False) if own else timed(checked)
    return seconds / divisor * SCALE[unit]


def new_sandbox(kind: type) -> float:
    """Milliseconds for a sandbox and its first trivial program, in a warm process."""

    def once() -> None:
        trivial(kind())

    once()
    if hasattr(kind, "seconds"):
        return kind().seconds("shell", "echo hi", True) * 1e3
    return timed(once) * 1e3


def trivial(sandbox: object) -> None:
    for method, code in (("shell", "echo hi"), ("js", "return 1"), ("python", "1")):
        if hasattr(sandbox, method):
            getattr(sandbox, method)(code)
            return


def process_seconds(code: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - started


def first_use(kind: type, use: bool) -> float:
    """Milliseconds of a new process that imports; that has a sandbox and a first program, too."""
    if hasattr(kind, "seconds"):
        raise Unfit("–")
    here = os.path.dirname(os.path.abspath(__file__))
    code = f"import sys; sys.path.insert(0, {here!r}); import contenders, compare; "
    if use:
        code += f"compare.trivial(contenders.{kind.__name__}())"
    return process_seconds(code) * 1e3


def proportional_memory() -> int:
    with open("/proc/self/smaps_rollup") as lines:
        for line in lines:
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    raise Unfit("no smaps")


def memory(kind: type, count: int) -> float:
    """Megabytes of so many live sandboxes that have run something; of none: what this process
    itself does meanwhile."""
    if not kind.in_process:
        raise Unfit("–")
    trivial(kind())
    gc.collect()
    before = proportional_memory()
    alive = []
    for _ in range(count):
        sandbox = kind()
        trivial(sandbox)
        alive.append(sandbox)
    gc.collect()
    return (proportional_memory() - before) / 1e6


def two_threads(kind: type) -> float:
    """How much more two threads do than one, each with a busy sandbox of its own."""
    method, code = ("shell", LOOP) if hasattr(kind, "shell") else ("js", FIB)
    if not hasattr(kind, method) or hasattr(kind, "seconds"):
        raise Unfit("–")

    def work() -> None:
        for _ in range(5):
            getattr(kind(), method)(code)

    work()
    started = time.perf_counter()
    work()
    alone = time.perf_counter() - started
    threads = [threading.Thread(target=work) for _ in range(2)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 2 * alone / (time.perf_counter() - started)


def cell(function: Callable[..., float], *arguments: object) -> float | str:
    """One round of one contender, or why there is none."""
    try:
        return function(*arguments)
    except Unfit as reason:
        return str(reason)
    except Exception as error:
        return f"fails: {type(error).__name__}"


def in_turns(rounds: int, functions: list[Callable[[], float]]) -> list[Samples]:
    """What each gave in each round, the contenders taking turns; who gives nothing says why."""
    samples: list[Samples] = [[] for _ in functions]
    for _ in range(rounds):
        for index, function in enumerate(functions):
            if not isinstance(samples[index], list):
                continue
            given = cell(function)
            if isinstance(given, str):
                samples[index] = given
            else:
                samples[index].append(given)
    return samples


def best(samples: Samples, most: bool = False) -> report.Figure | str:
    """The best round: the least, or where more is better the most."""
    if isinstance(samples, str):
        return samples
    value = max(samples) if most else min(samples)
    return report.Figure(value, abs(statistics.median(samples) - value))


def difference(with_it: Samples, without: Samples, divisor: int = 1) -> report.Figure | str:
    """What the one costs beyond the other, unless the rounds of each differ by as much."""
    more, less = best(with_it), best(without)
    if isinstance(more, str) or isinstance(less, str):
        return more if isinstance(more, str) else str(less)
    value, noise = more.value - less.value, more.spread + less.spread
    return "–" if value <= noise else report.Figure(value / divisor, noise / divisor)


def pairs(rounds: int, kinds: list[type], function: Callable[..., float], *how: object) -> list:
    """The rounds of a measurement in two ways, for `difference`."""
    calls = [partial(function, kind, one) for kind in kinds for one in how]
    samples = in_turns(rounds, calls)
    return list(zip(samples[::2], samples[1::2], strict=True))


def installed(only: str) -> list[type]:
    kinds = []
    for kind in contenders.ALL:
        if only not in kind.name:
            continue
        try:
            kind()
            kinds.append(kind)
        except ImportError as error:
            print(f"{kind.name}: not here ({error})", file=sys.stderr)
    return kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="contenders whose name has this word")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path, help="a folder for compare.md and compare.svg")
    parser.add_argument("--cases", type=pathlib.Path, help="a folder of recorded cases")
    arguments = parser.parse_args()
    rounds, kinds = arguments.rounds, installed(arguments.only)
    table = report.Table([kind.name for kind in kinds])
    table.add(
        "first use in a new process",
        "ms",
        [difference(*two) for two in pairs(rounds + 2, kinds, first_use, True, False)],
    )
    fresh = in_turns(rounds, [partial(new_sandbox, kind) for kind in kinds])
    table.add("new sandbox + first program", "ms", [best(samples) for samples in fresh])
    for index, work in enumerate(WORK + tool_work(None)):
        calls = [partial(a_round, kind, (WORK + tool_work(kind))[index]) for kind in kinds]
        table.add(*work[:2], [best(samples) for samples in in_turns(rounds, calls)])
    held = pairs(rounds, kinds, memory, LIVE, 0)
    table.add("memory per live sandbox", "MB", [difference(*two, LIVE) for two in held])
    threads = in_turns(rounds, [partial(two_threads, kind) for kind in kinds])
    table.add("two threads against one", "×", [best(samples, most=True) for samples in threads])
    if arguments.cases:
        for name, what in (("shell_cases", "shell"), ("command_cases", "commands")):
            cases = correctness.read(arguments.cases, name)
            cells = [
                cell(correctness.share, k, cases) if hasattr(k, "case") else "–" for k in kinds
            ]
            table.add(f"{len(cases)} cases of {what} that agree with GNU", "%", cells)
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "compare.md").write_text(table.markdown())
        report.draw(table, arguments.out / "compare.svg")
        print(f"\nwritten: {arguments.out}/compare.md and compare.svg", file=sys.stderr)


if __name__ == "__main__":
    main()
