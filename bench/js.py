#!/usr/bin/env python3
# ruff: noqa: E501 (programs stand on one line)
"""js: JavaScript inside the sandbox beside the same QuickJS as a native program.

    bench/js.py --pinfold build/pinfold --js build/native/bin/js [--node node] [--rounds N]

Each program measures itself, so that no start is counted; the best of the rounds stands. Then what a start with
`return 1 + 1` costs as a user meets it: the whole command, process included.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

PROGRAMS = {
    "fib": "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } fib(27);",
    "loops": "let s = 0; for (let i = 0; i < 6e6; i++) { s = (s + i * 3) % 1000003; }",
    "arrays": "const a = []; for (let i = 0; i < 5e5; i++) a.push(i * 2); a.map(x => x + 1).filter(x => x % 3).reduce((x, y) => x + y, 0);",
    "objects": "const o = []; for (let i = 0; i < 2e5; i++) o.push({ id: i, name: 'n' + i, tags: [i] }); o.reduce((s, x) => s + x.tags[0], 0);",
    "json": "const v = Array.from({ length: 20000 }, (_, i) => ({ id: i, name: 'name ' + i, ok: i % 2 === 0, list: [1, 2.5, null] })); const t = JSON.stringify(v); JSON.parse(t).length; JSON.stringify(JSON.parse(t));",
    "regex": "let n = 0; const t = 'the quick brown fox, 2024-01-02 and jumps over 1999-12-31; '.repeat(3000); for (const m of t.matchAll(/(\\\\d{4})-(\\\\d\\\\d)-(\\\\d\\\\d)/g)) n += +m[1]; t.replace(/[aeiou]+/g, x => x.toUpperCase());",
    "sort": "let x = 1; const a = Array.from({ length: 2e5 }, () => (x = x * 48271 % 2147483647)); a.sort((p, q) => p - q); a.map(String).sort();",
    "strings": "let s = ''; for (let i = 0; i < 1e6; i++) s += 'ab' + i % 10; s.split('a').join('c').length; let c = 0; for (let i = 0; i < s.length; i++) c += s.charCodeAt(i);",
    "map": "const m = new Map(); for (let i = 0; i < 3e5; i++) m.set('k' + i % 5e4, i); let t = 0; for (const [, v] of m) t += v; const q = new Set(); for (let i = 0; i < 5e5; i++) q.add(i % 1000);",
    "classes": "class P { #v = 0; add(n) { this.#v += n; return this; } get v() { return this.#v; } } const p = new P(); for (let i = 0; i < 1e6; i++) p.add(i); p.v;",
}
TEMPLATE = "const began = performance.now(); (() => {{ {code} }})(); console.log(performance.now() - began);"


def measured(command, rounds):
    return min(
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(rounds)
    )


def wall(command, rounds):
    best = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        best = min(best, time.perf_counter() - began)
    return best * 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pinfold", required=True)
    parser.add_argument("--js", required=True)
    parser.add_argument("--node")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    ratios = {}
    print(f"{'program':10} {'native':>10} {'sandbox':>10} {'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name, code in PROGRAMS.items():
            file = pathlib.Path(folder) / f"{name}.js"
            file.write_text(TEMPLATE.format(code=code.replace("\\\\", "\\")))
            native = measured([args.js, str(file)], args.rounds)
            inside = measured([args.pinfold, "run", str(file)], args.rounds)
            ratios[name] = round(inside / native, 2)
            print(f"{name:10} {native:8.1f}ms {inside:8.1f}ms {ratios[name]:6.2f}x")
        file = pathlib.Path(folder) / "start.js"
        file.write_text("return 1 + 1")
        print(
            f"\nstart      {wall([args.js, str(file)], 20):8.1f}ms {wall([args.pinfold, 'run', str(file)], 20):8.1f}ms"
        )
        if args.node:
            file.write_text("1 + 1")
            print(f"node start {wall([args.node, str(file)], 5):8.1f}ms")
    print(json.dumps(ratios))


if __name__ == "__main__":
    main()
