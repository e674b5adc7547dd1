#!/usr/bin/env python3
"""Runs the commands' cases with our native builds and compares them with what the GNU tools did.

usage: run.py --bin DIR [--known FILE] [--only SUBSTRING] [--show N] [--jobs N] FILE.cases...
       run.py --pinfold PATH [...] FILE.cases...     the same inside the sandbox
       run.py --record [--only SUBSTRING] FILE.cases...
                                                     asks the system's tools and rewrites the files
       run.py --verify FILE.cases...                 whether the system's tools still agree

A file of cases holds bash scripts, each behind a line `### name` and followed by what was recorded:

    ### empty regex repeats the last one
    printf 'ab\\n' | sed -n '/b/s//X/p'
    => 0
    |aX

`=> N` is the exit status; lines with | are standard output, lines with ! standard error. A last line
that had no newline ends in a line `|\\` or `!\\`. Lines that are no plain UTF-8 text begin with :| or
:! and are written with Python's escapes. Words after `name:` change what is compared: `nostderr` leaves
standard error out, `nosandbox` leaves the case out with --pinfold.

--command NAME keeps the cases whose script has that word.

Every script runs with `bash -c` in an empty directory. Its PATH holds the programs of DIR and nothing else,
so that a command which is missing fails instead of being the system's. The known failures are an exact
list: one that passes is an error as well.
"""
import argparse
import concurrent.futures
import difflib
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3, "tools"))
from case_process import run_to_end  # noqa: E402

BASH = "/bin/bash"


class Case:
    def __init__(self, file, heading):
        self.file, self.heading = file, heading
        name, _, words = heading.partition(": ")
        self.words = words.split()
        self.name = os.path.basename(file)[: -len(".cases")] + "/" + name
        self.code, self.expected = "", None


def decode_lines(lines):
    """The bytes that recorded lines (without their mark) stand for."""
    out = b""
    for escaped, text in lines:
        if text == "\\" and not escaped:
            out = out[:-1]
        else:
            out += (text.encode("latin-1").decode("unicode_escape").encode("latin-1") if escaped else text.encode()) + b"\n"
    return out


def encode_lines(mark, data):
    lines = []
    for line in data.split(b"\n")[:-1] if data.endswith(b"\n") else data.split(b"\n") if data else []:
        try:
            text = line.decode()
            plain = text != "\\" and all(c == "\t" or c.isprintable() for c in text)
        except UnicodeDecodeError:
            plain = False
        if plain:
            lines.append(mark + text)
        else:
            lines.append(":" + mark + "".join(chr(b) if 32 <= b < 127 and b != 92 else f"\\x{b:02x}" for b in line))
    if data and not data.endswith(b"\n"):
        lines.append(mark + "\\")
    return "".join(line + "\n" for line in lines)


def read_cases(path):
    """What stands before the first case, and the cases."""
    preface, cases, parts = "", [], None
    with open(path, encoding="utf-8", newline="\n") as f:
        for line in f:
            if line.startswith("### "):
                cases.append(Case(path, line[4:].strip()))
                parts = None
            elif not cases:
                preface += line
            elif parts is None and line.startswith("=> "):
                parts = {"|": [], "!": []}
                cases[-1].expected = [int(line[3:]), parts]
            elif parts is None:
                cases[-1].code += line
            elif line[0] == ":" and line[1:2] in parts:
                parts[line[1]].append((True, line[2:-1]))
            elif line[0] in parts:
                parts[line[0]].append((False, line[1:-1]))
            elif line.strip():
                sys.exit(f"{path}: {cases[-1].name}: cannot read the recorded line {line!r}")
    for case in cases:
        case.code = case.code.rstrip("\n") + "\n"
        if case.expected:
            status, parts = case.expected
            case.expected = (status, decode_lines(parts["|"]), decode_lines(parts["!"]))
    return preface, cases


def write_cases(path, preface, cases):
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write(preface)
        for case in cases:
            status, out, err = case.expected
            f.write(f"### {case.heading}\n{case.code}=> {status}\n{encode_lines('|', out)}{encode_lines('!', err)}\n")


def run(case, path, pinfold, timeout):
    """(status, stdout, stderr) of one case; the directory it ran in is called /workspace."""
    work = tempfile.mkdtemp(prefix="case-")
    env = {"PATH": path, "HOME": work, "LC_ALL": "C.UTF-8", "TZ": "UTC", "USER": "user", "LOGNAME": "user"}
    command = [pinfold, "-c", case.code] if pinfold else [BASH, "-c", case.code, "bash"]
    status, out, err = run_to_end(command, timeout, cwd=work, env=env)
    shutil.rmtree(work, ignore_errors=True)
    out, err = (text.replace(work.encode(), b"/workspace") for text in (out, err))
    return status, out, err


def make_path(folder):
    """A folder with links to our programs, and bash to run what they start."""
    out = tempfile.mkdtemp(prefix="bin-")
    for name in os.listdir(folder):
        if name not in ("bash", "sh"):
            os.symlink(os.path.abspath(os.path.join(folder, name)), os.path.join(out, name))
    for name in ("bash", "sh"):
        os.symlink(BASH, os.path.join(out, name))
    return out


def read_known(path):
    if not path:
        return set()
    with open(path, encoding="utf-8") as f:
        return {line.partition("#")[0].strip() for line in f} - {""}


def differs(case, got):
    parts = 2 if "nostderr" in case.words else 3
    return got[:parts] != case.expected[:parts]


def show(case, got):
    print(f"FAILED {case.name}\n{case.code}", end="")
    for what, mine, real in zip(("status", "stdout", "stderr"), got, case.expected):
        if mine != real:
            print(f"--- {what}")
            lines = (str(readable(text)).splitlines() for text in (real, mine))
            print("\n".join(list(difflib.unified_diff(*lines, "recorded", "ours", lineterm="", n=1))[2:]))


def readable(value):
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("files", nargs="+")
    p.add_argument("--bin")
    p.add_argument("--pinfold")
    p.add_argument("--record", action="store_true")
    p.add_argument("--verify", action="store_true")
    p.add_argument("--known", default="")
    p.add_argument("--only", default="")
    p.add_argument("--command", default="")
    p.add_argument("--show", type=int, default=50)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--timeout", type=float, default=20)
    a = p.parse_args()
    if a.record + a.verify + bool(a.bin) + bool(a.pinfold) != 1:
        p.error("one of --bin, --pinfold, --record and --verify is needed")
    files = [(path, *read_cases(path)) for path in a.files]
    cases = [c for _, _, some in files for c in some if a.only in c.name and not (a.pinfold and "nosandbox" in c.words)]
    if a.command:
        word = re.compile(rf"(?<![\w-]){re.escape(a.command)}(?![\w-])")
        cases = [c for c in cases if word.search(c.code)]
    names = [c.name for c in cases]
    if len(set(names)) < len(names):
        sys.exit("two cases have one name: " + ", ".join(sorted({n for n in names if names.count(n) > 1})))
    a.pinfold = a.pinfold and os.path.abspath(a.pinfold)
    path = make_path(a.bin) if a.bin else "/usr/bin:/bin"
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        results = list(pool.map(lambda c: run(c, path, a.pinfold, a.timeout), cases))
    if a.bin:
        shutil.rmtree(path)
    if a.record:
        for case, result in zip(cases, results):
            if result[0] == "timeout":
                sys.exit(f"{case.name}: does not end")
            case.expected = result
        for file, preface, some in files:
            write_cases(file, preface, some)
        return 0
    known = read_known(a.known) if not a.verify else set()
    failed = 0
    for case, got in zip(cases, results):
        if case.expected is None:
            sys.exit(f"{case.name}: nothing is recorded; run.py --record asks the system's tools")
        wrong = differs(case, got)
        if wrong == (case.name in known):
            continue
        failed += 1
        if not wrong:
            print(f"PASSED {case.name}, which is listed as a known failure")
        elif failed <= a.show:
            show(case, got)
    print(f"{len(cases) - failed} of {len(cases)} cases are as recorded")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
