#!/usr/bin/env python3
"""Runs a test program with the hostile kernel: run.py LIST PROGRAM [ARGUMENT]...

What it finds not to be so must be on LIST, with the reason: the test states a size or a duration
itself. Lines of LIST are `PROGRAM: CHECK`, below a comment that gives the reason.
"""

import pathlib
import re
import subprocess
import sys

FOUND = re.compile(r"^\S+\.c:\d+: (?:not so: )?(.*)$")
ENDED = re.compile(r"^\d+ passed, (\d+) failed$")


def main() -> int:
    lines = pathlib.Path(sys.argv[1]).read_text().splitlines()
    known = {line for line in lines if line and not line.startswith("#")}
    name = pathlib.Path(sys.argv[2]).name
    done = subprocess.run(
        sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    print(done.stdout)
    found = [match[1] for line in done.stdout.splitlines() if (match := FOUND.match(line))]
    unknown = [check for check in found if f"{name}: {check}" not in known]
    for check in unknown:
        print(f"not on the list: {name}: {check}")
    told = [int(match[1]) for line in done.stdout.splitlines() if (match := ENDED.match(line))]
    complete = told == [len(found)] if done.returncode == 1 else done.returncode == 0
    if not complete:
        print(f"{name} ended with status {done.returncode}, having told {told} failures")
    return 0 if complete and not unknown else 1


if __name__ == "__main__":
    sys.exit(main())
