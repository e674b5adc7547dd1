#!/usr/bin/env python3
"""Compares our native builds with the system's GNU tools on random options and inputs.

usage: random_compare.py --bin DIR [--seed N] [--count N] [--only RULE,...] [--skip RULE,...] [--show N]

Every command has a line of grammar in GRAMMAR: `{a|b}` is one of its alternatives, `[x]` is there or not,
`<name>` is another rule. A case is one script, run in its own copy of the same small tree once with our
programs and once with the system's; standard output, standard error, status and what became of the tree
must agree. A difference prints the script; `--seed` repeats a run. What is known to differ stands in
random_known.txt: a regular expression that is searched for in the script, and the reason behind a #.
Without the GNU tools (their `sort --version`) it says so and skips with status 77. Scripts with awk are
compared with gawk; without it they are left out, as the system's awk may be another one.
"""
import argparse
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from random_grammar import FILES, GRAMMAR, LINKS, NESTED, RULES  # noqa: E402

TIME = 1700000000
BATCH = 60


def produce(rng, text):
    """A script out of grammar."""
    out, i = "", 0
    while i < len(text):
        c = text[i]
        if c == "\\" and i + 1 < len(text) and text[i + 1] in "{}[]<>|\\":
            out, i = out + text[i + 1], i + 2
            continue
        if c not in "{[<":
            out, i = out + c, i + 1
            continue
        end, parts = closing(text, i)
        if c == "<":
            name = text[i + 1 : end]
            choice = rng.choice(RULES[name])
            out += produce(rng, choice) if name in NESTED else choice
        elif c == "{":
            out += produce(rng, rng.choice(parts))
        elif rng.random() < 0.4:
            out += produce(rng, rng.choice(parts))
        i = end + 1
    return out


def closing(text, start):
    """Where the group that opens at `start` ends, and its alternatives."""
    level, parts, part, i = 0, [], start + 1, start
    while True:
        c = text[i]
        if c == "\\":
            i += 2
            continue
        if c in "{[<":
            level += 1
        elif c in "}]>":
            level -= 1
            if level == 0:
                return i, parts + [text[part:i]]
        elif c == "|" and level == 1:
            parts.append(text[part:i])
            part = i + 1
        i += 1


def make_tree(folder):
    for name, data in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
    for name, target in LINKS.items():
        os.symlink(target, os.path.join(folder, name))
    os.chmod(os.path.join(folder, "run.sh"), 0o755)
    os.chmod(os.path.join(folder, "d/ro"), 0o444)
    step = 0
    for base, dirs, files in sorted(os.walk(folder, topdown=False)):
        for name in sorted(files) + sorted(dirs):
            os.utime(os.path.join(base, name), (TIME + step,) * 2, follow_symlinks=False)
            step += 3601
    os.utime(folder, (TIME, TIME))


RUNNER = r"""
n=0
while IFS= read -r -d '' script; do
    n=$((n + 1))
    rm -rf "$BASE/work"; cp -a "$BASE/tree" "$BASE/work"; cd "$BASE/work" || exit 9
    PATH=$TOOLS timeout -s KILL 20 bash -c "$script" < "$BASE/tree/words" > "$BASE/out/$n.1" 2> "$BASE/out/$n.2"
    echo $? > "$BASE/out/$n.0"
    find . -printf '%y %m %p %l' \( -type f -printf ' %s %T@' , -printf '\n' \) | LC_ALL=C sort > "$BASE/out/$n.3"
    cd "$BASE"
done
"""


def run_batch(base, tools, scripts):
    out = os.path.join(base, "out")
    os.mkdir(out)
    env = {"PATH": "/usr/bin:/bin", "TOOLS": tools, "BASE": base, "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": base + "/work",
           "USER": "user", "LOGNAME": "user"}
    subprocess.run(["bash", "-c", RUNNER], input=b"".join(s.encode() + b"\0" for s in scripts), env=env, check=True,
                   stderr=subprocess.DEVNULL)
    results = []
    for n in range(1, len(scripts) + 1):
        parts = []
        for kind in "0123":
            with open(f"{out}/{n}.{kind}", "rb") as f:
                parts.append(f.read())
        results.append(tuple(parts))
    shutil.rmtree(out)
    return results


def fresh_times(listing):
    """A tree without the times that this run gave its files."""
    return re.sub(rb" (?!17000|17001|17002|17003)\d{9,}\.\d+$", b" new", listing, flags=re.M)


def differs(ours, theirs):
    return ours[:3] != theirs[:3] or fresh_times(ours[3]) != fresh_times(theirs[3])


def show(script, ours, theirs):
    print(f"DIFFERS  {script}")
    for what, a, b in zip(("status", "stdout", "stderr", "tree"), theirs, ours, strict=True):
        if a != b and (what != "tree" or fresh_times(a) != fresh_times(b)):
            print(f"  {what}: GNU {a[:600]!r}")
            print(f"  {' ' * len(what)}  we  {b[:600]!r}")


def read_known():
    with open(os.path.join(HERE, "random_known.txt"), encoding="utf-8") as f:
        lines = [line.rpartition(" # ")[0].strip() for line in f if not line.startswith("#")]
    return [re.compile(line) for line in lines if line]


def theirs(base):
    """The PATH of the system's tools, with gawk as awk; whether there is gawk."""
    gawk = shutil.which("gawk")
    if not gawk:
        return "/usr/bin:/bin", False
    os.mkdir(base + "/gawk")
    os.symlink(gawk, base + "/gawk/awk")
    return base + "/gawk:/usr/bin:/bin", True


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--only", default="")
    p.add_argument("--skip", default="")
    p.add_argument("--show", type=int, default=20)
    a = p.parse_args()
    if b"GNU coreutils" not in subprocess.run(["sort", "--version"], capture_output=True).stdout:
        print("skipped: the system's tools are not GNU's")
        return 77
    rng = random.Random(a.seed)
    names = a.only.split(",") if a.only else sorted(set(GRAMMAR) - set(a.skip.split(",")))
    scripts = [produce(rng, GRAMMAR[rng.choice(names)]) for _ in range(a.count)]
    scripts = list(dict.fromkeys(scripts))
    known = read_known()
    base = tempfile.mkdtemp(prefix="random-")
    system_path, has_gawk = theirs(base)
    if not has_gawk:
        compared = [s for s in scripts if not re.search(r"\bawk\b", s)]
        print(f"{len(scripts) - len(compared)} scripts with awk are left out: there is no gawk")
        scripts = compared
    os.mkdir(base + "/tree")
    make_tree(base + "/tree")
    ours = base + "/bin"
    os.mkdir(ours)
    for name in os.listdir(a.bin):
        if name not in ("bash", "sh"):
            os.symlink(os.path.join(os.path.abspath(a.bin), name), os.path.join(ours, name))
    for name in ("bash", "sh"):
        os.symlink("/bin/bash", os.path.join(ours, name))
    found, tally = 0, collections.Counter()
    for start in range(0, len(scripts), BATCH):
        batch = scripts[start : start + BATCH]
        pair = [run_batch(base, tools, batch) for tools in (ours, system_path)]
        for script, mine, real in zip(batch, *pair, strict=True):
            if differs(mine, real) and not any(k.search(script) for k in known):
                found += 1
                tally[script.split()[0]] += 1
                if found <= a.show:
                    show(script, mine, real)
    shutil.rmtree(base, ignore_errors=True)
    print(f"{len(scripts) - found} of {len(scripts)} agree with GNU (seed {a.seed})")
    if found:
        print(dict(tally))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
