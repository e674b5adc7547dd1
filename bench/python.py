#!/usr/bin/env python3
# ruff: noqa: E501 (programs stand on one line)
"""python: Python inside the sandbox beside the machine's python3.11, in turns.

    bench/python.py [--native python3.11] [--rounds N]

Each program measures itself with a clock of its own, so that no start and no import is counted; the best of
the rounds stands. Debian's python3.11 was compiled with profiles and across files; --native names another one.
Then what a start costs, and a cell in an interpreter that waits.
"""

import argparse
import math
import subprocess
import time

from pinfold import Sandbox

PROGRAMS = {
    "fib": "f = lambda n: n if n < 2 else f(n - 1) + f(n - 2)\nf(22)",
    "loop": "x = 0\nfor i in range(500000): x = (x + i * 3) % 1000003",
    "nbody": """
p = [[1.0, 2.0, 3.0, .1, .2, .3], [4.0, 5.0, 6.0, .2, .1, .3], [7.0, 9.0, 8.0, .3, .1, .2]]
for _ in range(4000):
    for a in p:
        for b in p:
            if a is not b:
                dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
                m = 0.001 / ((dx * dx + dy * dy + dz * dz) ** 1.5)
                a[3] -= dx * m; a[4] -= dy * m; a[5] -= dz * m
    for a in p: a[0] += a[3] * .001; a[1] += a[4] * .001; a[2] += a[5] * .001""",
    "json": """
import json
v = [{"id": i, "name": f"n{i}", "ok": i % 2 == 0, "list": [1, 2.5, None]} for i in range(5000)]
json.loads(json.dumps(v))""",
    "regex": """
import re
t = "the quick brown fox, 2024-01-02 jumps over 1999-12-31; " * 1500
sum(int(m[1]) for m in re.finditer(r"(\\d{4})-(\\d\\d)-(\\d\\d)", t)), re.sub(r"[aeiou]+", lambda m: m[0].upper(), t)""",
    "sort": "import random\nr = random.Random(1)\na = [r.random() for _ in range(60000)]\na.sort(); sorted(map(str, a[:20000]))",
    "dict": "d = {}\nfor i in range(150000): d[f'k{i % 5000}'] = i\nsum(d.values())",
    "set": "s = set()\nfor i in range(300000): s.add(i % 1000)\nlen(s | {1, 2})",
    "strings": "s = ''.join('ab' + str(i % 10) for i in range(100000))\ns.count('a'), s.replace('b', 'cc').split('a'), s.upper()",
    "classes": """
class P:
    def __init__(self, x): self.x = x
    def add(self, n): self.x += n; return self
p = P(0)
for i in range(100000): p.add(i)
[P(i) for i in range(50000)]""",
    "generators": "def g(n):\n    for i in range(n): yield i\nsum(x for x in g(150000))",
    "comprehensions": "[[j * i for j in range(100)] for i in range(1000)]; {i: str(i) for i in range(30000)}",
    "exceptions": "for i in range(60000):\n    try: raise ValueError(i)\n    except ValueError: pass",
    "collections": """
from collections import Counter, defaultdict, deque
Counter("abracadabra" * 5000); d = defaultdict(list)
for i in range(50000): d[i % 100].append(i)
q = deque(range(50000))
while q: q.popleft()""",
    "dataclasses": """
from dataclasses import dataclass
@dataclass(order=True)
class R: a: int; b: str
sorted(R(i * 7919 % 10007, "x") for i in range(8000))""",
    "datetime": """
from datetime import datetime, timedelta
d = datetime(2024, 1, 1)
for i in range(15000): (d + timedelta(hours=i)).strftime("%Y-%m-%d %H"); datetime.fromisoformat("2024-05-06T07:08:09")""",
    "decimal": "from decimal import Decimal as D\nx = D(0)\nfor i in range(60000): x += D(i) / D(7)",
    "integers": "x = 1\nfor i in range(1, 1500): x *= i\nstr(x % 10**2000); pow(3, 10**300, 10**50)",
    "csv": """
import csv, io
t = io.StringIO(); w = csv.writer(t)
for i in range(10000): w.writerow([i, f"name {i}", i * 1.5])
t.seek(0); sum(float(r[2]) for r in csv.reader(t))""",
    "sqlite": """
import sqlite3
c = sqlite3.connect(":memory:"); c.execute("create table t(a int, b text)")
c.executemany("insert into t values(?, ?)", [(i, str(i)) for i in range(10000)])
c.execute("select sum(a), count(distinct b) from t where a % 3 = 0").fetchall()""",
}
MEASURED = """
import time
{imports}
code = compile({code!r}, "bench", "exec")
began = time.perf_counter()
exec(code, {{}})
print(time.perf_counter() - began)
"""


def best(function, rounds):
    least = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        function()
        least = min(least, time.perf_counter() - began)
    return least


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--native", default="python3.11")
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    ratios = []
    print(f"{'program':15} {'native ms':>10} {'sandbox ms':>10} {'ratio':>7}")
    with Sandbox() as sandbox:
        for name, code in PROGRAMS.items():
            imports = "\n".join(line for line in code.split("\n") if line.startswith(("import ", "from ")))
            script = MEASURED.format(imports=imports, code=code)
            native = inside = float("inf")
            for _ in range(args.rounds):  # in turns: the machine's mood is the same for both
                said = subprocess.run([args.native, "-c", script], capture_output=True, text=True, check=True)
                native = min(native, float(said.stdout))
                result = sandbox.run(script, language="python", isolated=True)
                inside = min(inside, float(result.stdout))
            ratios.append(inside / native)
            print(f"{name:15} {native * 1e3:10.2f} {inside * 1e3:10.2f} {inside / native:7.2f}")
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"geometric mean {mean:.2f}, worst {max(ratios):.2f}\n")
        start = best(lambda: subprocess.run([args.native, "-c", "print(1)"], capture_output=True), 20)
        print(f"native start            {start * 1e3:8.2f} ms")
        start = best(lambda: sandbox.run("python3 -c 'print(1)'"), 20)
        print(f"python3 -c in a sandbox {start * 1e3:8.2f} ms")
        cell = best(lambda: sandbox.run("1 + 1", language="python"), 200)
        print(f"cell that waits         {cell * 1e6:8.1f} us")


if __name__ == "__main__":
    main()
