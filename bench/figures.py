"""Times what tools/bench_pair compares, with the pinfold that PYTHONPATH names; prints JSON.

usage: figures.py [--only WORD]

One round of each figure, in seconds: who calls takes the best of many.
"""

import argparse
import base64
import json
import re
import time
from collections.abc import Callable

import pinfold

LINES = "".join(f"line {n * 7919 % 10007} of user{n % 97}\n" for n in range(20000))
PATTERN = "user1[0-9]"
FOUND = len(re.findall(PATTERN + "\n", LINES))
ENCODED = len(base64.encodebytes(LINES.encode()))
LOOP = "i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done; echo $i"
SUBSTITUTIONS = "i=0; while [ $i -lt 50 ]; do x=$(echo $i); i=$((i + 1)); done; echo $x"
CALLS = 100
SHELL_CALLS = (
    f"i=0; while [ $i -lt {CALLS} ]; do x=$(tool add_one --n $i); i=$((i + 1)); done; echo $x"
)
JS_CALLS = f"let n = 0; for (let i = 0; i < {CALLS}; i++) n = await add_one({{n}}); return n"
BYTES = 20000

#: (what, language, code, expected output or value, divided by)
WORK = [
    ("echo hi, live", "shell", "echo hi", "hi", 1),
    ("echo hello | tr a-z A-Z", "shell", "echo hello | tr a-z A-Z", "HELLO", 1),
    ("JS return 1+1", "javascript", "return 1+1", 2, 1),
    ("tool call from shell", "shell", SHELL_CALLS, str(CALLS), CALLS),
    ("tool call from JS", "javascript", JS_CALLS, CALLS, CALLS),
    ("while loop, a round", "shell", LOOP, "2000", 2000),
    ("x=$(echo $i)", "shell", SUBSTITUTIONS, "49", 50),
    (
        "read and write a byte",
        "shell",
        f"dd if=/dev/zero of=/dev/null bs=1 count={BYTES} status=none",
        "",
        BYTES,
    ),
    ("sort, 20 000 lines", "shell", "sort lines | tail -1", max(LINES.split("\n")), 1),
    ("grep -c, 20 000 lines", "shell", f"grep -c '{PATTERN}$' lines", str(FOUND), 1),
    ("wc -l, 20 000 lines", "shell", "wc -l < lines", "20000", 1),
    ("base64, 20 000 lines", "shell", "base64 lines | wc -c", str(ENCODED), 1),
]


def add_one(n: int) -> int:
    return n + 1


def new_sandbox() -> pinfold.Sandbox:
    sandbox = pinfold.Sandbox(
        tools=[add_one],
        capabilities=[pinfold.MethodCapability("add_one")],
        limits=pinfold.Limits(tool_calls=None, cpu_seconds=120, wall_seconds=120),
    )
    sandbox.files["/workspace/lines"] = LINES.encode()
    return sandbox


def timed(function: Callable[[], object]) -> float:
    """Seconds of the fastest of several groups of calls."""
    least, began = float("inf"), time.perf_counter()
    while time.perf_counter() - began < 0.15:
        count, started = 0, time.perf_counter()
        while count == 0 or (count < 50 and time.perf_counter() - started < 0.01):
            function()
            count += 1
        least = min(least, (time.perf_counter() - started) / count)
    return least


def first_program() -> None:
    with pinfold.Sandbox() as sandbox:
        sandbox.run("echo hi")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="figures whose name has this word")
    only = parser.parse_args().only
    figures = {}
    if only in "new sandbox + first program":
        first_program()
        figures["new sandbox + first program"] = timed(first_program)
    with new_sandbox() as sandbox:
        for what, language, code, expected, divisor in WORK:
            if only not in what:
                continue
            result = sandbox.run(code, language)
            got = result.stdout.strip() if language == "shell" else result.value
            if got != expected:
                raise SystemExit(f"{what}: {got!r} instead of {expected!r}: {result.stderr}")
            figures[what] = timed(lambda c=code, n=language: sandbox.run(c, n)) / divisor
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
