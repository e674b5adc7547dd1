#!/usr/bin/env python3
"""Counts the assertions of C by folder: how many for each function.

usage: asserts.py [FOLDER...]

Without any: host and guest/kernel. A function is a definition that starts a line; an assertion is
assert(), DEBUG_ASSERT(), K_ASSERT() or K_DEBUG_ASSERT(). Those of the compiler do not count.
"""

import collections
import pathlib
import re
import sys

from mutations import blank

ROOT = pathlib.Path(__file__).resolve().parent.parent

FUNCTION = re.compile(r"^[a-zA-Z_][^;={}#/\n]*?\b\w+\([^;{}]*\)\s*\{", re.M)
ASSERTION = re.compile(r"\b(?:assert|DEBUG_ASSERT|K_ASSERT|K_DEBUG_ASSERT)\(")


def main() -> None:
    counts: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for folder in sys.argv[1:] or ["host", "guest/kernel"]:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            text = blank(path.read_text())
            for name in dict.fromkeys([folder, str(path.parent.relative_to(ROOT))]):
                counts[name][0] += len(FUNCTION.findall(text))
                counts[name][1] += len(ASSERTION.findall(text))
    for name, (functions, assertions) in sorted(counts.items()):
        print(f"{name:20} {functions:5} functions {assertions:5} assertions"
              f" {assertions / max(functions, 1):5.2f}")


if __name__ == "__main__":
    main()
