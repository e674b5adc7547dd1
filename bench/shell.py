"""Prints how the sandbox's shell does beside the machine's bash, measured in one run.

usage: shell.py [--only WORD] [--rounds N]

Each script runs in a fresh shell of both; the figure is the best of several rounds. Output that
differs from bash's is shown as an error, not as a time.
"""

import argparse
import shutil
import subprocess
import sys
import time

import pinfold

FUNCTIONS = "".join(
    f"f{i}() {{ if [ $1 -gt {i} ]; then echo 'a {i}' \"$1\" | cat; "
    "else case $1 in a|b) : ;; esac; fi; }\n"
    for i in range(5000)
)

#: (what, script)
WORK = [
    (
        "100 000 rounds of arithmetic",
        "for ((i = 0; i < 100000; i++)); do ((s += i)); done; echo $s",
    ),
    ("10 000 rounds of while [ ]", "i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done; echo $i"),
    ("20 000 appends to a string", "s=; for i in {1..20000}; do s+=x$i; done; echo ${#s}"),
    (
        "100 000 words split",
        "x=$(printf '%s ' {1..20000}); n=0; for r in 1 2 3 4 5; do "
        "for w in $x; do n=$((n + 1)); done; done; echo $n",
    ),
    (
        "20 000 calls of a function",
        "f() { local x=$1; r=$((x + 1)); }; for i in {1..20000}; do f $i; done; echo $r",
    ),
    (
        "30 000 array elements",
        "a=(); for i in {1..30000}; do a+=($i); done; t=0; "
        "for x in ${a[@]}; do ((t += x)); done; echo $t",
    ),
    (
        "20 000 lines read",
        "seq 20000 > /tmp/lines.$$; while IFS= read -r l; do ((n += l)); done < /tmp/lines.$$; "
        "rm /tmp/lines.$$; echo $n",
    ),
    ("200 x=$(echo $i)", "for i in {1..200}; do x=$(echo $i); done; echo $x"),
    ("1 000 $(echo x)", "for i in {1..1000}; do y=$(echo x); done; echo $y"),
    ("1 000 ( : )", "for i in {1..1000}; do ( : ); done"),
    ("1 000 programs", "for i in {1..1000}; do /bin/true; done"),
    ("10 MB through 5 stages", "head -c 10000000 /dev/zero | tr '\\0' a | cat | cat | wc -c"),
    ("5 000 lines parsed", FUNCTIONS + "echo done"),
]


def best(rounds, run):
    """The least time of `rounds` runs in milliseconds, and the last output."""
    least = float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        output = run()
        least = min(least, time.perf_counter() - started)
    return least * 1e3, output


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    bash = shutil.which("bash")
    if not bash:
        sys.exit("there is no bash on this machine to compare with")
    print(f"{'':32}{'pinfold':>12}{'bash':>12}{'ratio':>8}")
    with pinfold.Sandbox(limits=pinfold.Limits(cpu_seconds=120, wall_seconds=120)) as sandbox:
        sandbox.run(":")
        for what, script in WORK:
            if options.only not in what:
                continue
            ours, result = best(options.rounds, lambda s=script: sandbox.run(s, isolated=True))
            theirs, native = best(
                options.rounds,
                lambda s=script: subprocess.run([bash], input=s.encode(), stdout=subprocess.PIPE),
            )
            if result.stdout_bytes != native.stdout or result.exit_code != native.returncode:
                print(f"{what:32}differs: {result.stdout[:40]!r}, {native.stdout[:40]!r}")
                continue
            print(f"{what:32}{ours:9.1f} ms{theirs:9.1f} ms{ours / theirs:8.2f}")


if __name__ == "__main__":
    main()
