#!/usr/bin/env python3
"""Runs the shell's own cases with our shell and with GNU bash 5.2, and compares what they print.

usage: run.py --shell PATH [--oracle /bin/bash] [--only SUBSTRING] [--show N] [--jobs N] [FILE.cases]...

A file of cases holds scripts, each after a line `### name`. Every script runs with `bash -c` in an empty
directory, with name `bash`; standard output, exit status and standard error must be equal. Words after `name:`
change that: `file` runs it as a file `./script`, `stdin` gives it as standard input, `posix` runs `bash --posix`,
`sh` calls the shell by the name `sh`, and `nostderr` leaves standard error out. Nothing that bash prints is
stored here: it is asked each time. Exits 77 (skipped) when there is no bash 5.2 to ask.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3, "tools"))
from case_process import run_to_end  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def read_cases(path):
    name, code, cases = None, [], []
    for line in open(path, encoding="utf-8"):
        if line.startswith("### "):
            if name is not None:
                cases.append((name, "".join(code)))
            name, code = line[4:].strip(), []
        elif name is not None:
            code.append(line)
    if name is not None:
        cases.append((name, "".join(code)))
    return [(os.path.basename(path)[:-6] + "/" + n, c) for n, c in cases]


def modes_of(name):
    """The words after the colon of a case's name."""
    return name.rpartition(": ")[2].split() if ": " in name else []


def command_of(bin_dir, code, modes):
    """How a script is given to the shell, and what its standard input holds."""
    command = [os.path.join(bin_dir, "sh" if "sh" in modes else "bash")]
    if "posix" in modes:
        command.append("--posix")
    if "file" in modes:
        with open(os.path.join(bin_dir, os.pardir, "w", "script"), "wb") as f:
            f.write(code.encode("utf-8", "surrogateescape"))
        return [*command, "./script"], b""
    if "stdin" in modes:
        return command, code.encode("utf-8", "surrogateescape")
    return [*command, "-c", code, "bash"], b""


def run(shell, code, timeout=10, modes=()):
    work = tempfile.mkdtemp(prefix="sh-")
    home, bin_dir, tmp = os.path.join(work, "w"), os.path.join(work, "b"), os.path.join(work, "t")
    for d in (home, bin_dir, tmp):
        os.mkdir(d)
    for name in ("bash", "sh"):
        os.symlink(os.path.abspath(shell), os.path.join(bin_dir, name))
    env = {"PATH": bin_dir + ":/usr/bin:/bin", "HOME": home, "TMP": tmp, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    command, text = command_of(bin_dir, code, modes)
    status, out, err = run_to_end(command, timeout, cwd=home, env=env, text=text)
    shutil.rmtree(work, ignore_errors=True)
    out, err = (b.decode("utf-8", "replace").replace(work, "/work") for b in (out, err))
    # process ids differ, and addresses of nothing else may
    err = re.sub(r"(?<=line \d: |ine \d\d: )( *\d+)(?= [A-Z][a-z]+)", "PID", err)
    err = re.sub(r"(?<=wait: pid )\d+(?= is not)|(?<=coproc \[)\d+", "PID", err)
    return out, status, err


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("files", nargs="*")
    p.add_argument("--shell", required=True)
    p.add_argument("--oracle", default="/bin/bash")
    p.add_argument("--only", default="")
    p.add_argument("--show", type=int, default=1000)
    p.add_argument("--jobs", type=int, default=2)
    a = p.parse_args()
    try:
        version = subprocess.run([a.oracle, "-c", "echo $BASH_VERSION"], capture_output=True, text=True).stdout
    except OSError:
        version = ""
    if not version.startswith("5.2"):
        print("no bash 5.2 to compare with")
        return 77
    files = a.files or sorted(os.path.join(HERE, "cases", f) for f in os.listdir(os.path.join(HERE, "cases")))
    cases = [c for f in files for c in read_cases(f) if a.only in c[0]]
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        ours = pool.map(lambda c: run(a.shell, c[1], modes=modes_of(c[0])), cases)
        theirs = pool.map(lambda c: run(a.oracle, c[1], modes=modes_of(c[0])), cases)
        results = list(zip(cases, ours, theirs))
    failed = 0
    for (name, code), our, their in results:
        if "nostderr" in modes_of(name):
            our, their = our[:2], their[:2]
        if our == their:
            continue
        failed += 1
        if failed <= a.show:
            print(f"FAILED {name}\n{code}")
            for what, mine, real in zip(("stdout", "status", "stderr"), our, their):
                if mine != real:
                    print(f"--- {what}: bash\n{real}\n--- {what}: ours\n{mine}")
    print(f"{len(results) - failed} of {len(results)} cases agree with bash {version.strip()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
