#!/usr/bin/env python3
"""Runs recorded cases with a native build of the shell as `bash` and `sh`, other commands being the system's.

usage: native_cases.py CASES.jsonl --shell PATH [--helpers DIR] [--only SUBSTRING] [--show N] [--list-failed] [--jobs N]

Seconds instead of a sandbox build: for work on the shell. A case is {"id", "code", "stdout", "status"} with optional
"files"; it runs in an empty directory of its own with a private TMP. The verdict that counts is the sandbox's.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import tempfile

from case_process import compare, run_to_end


def run(case, shell, helpers, timeout):
    work = tempfile.mkdtemp(prefix="case-")
    home, tmp, bin_dir = (os.path.join(work, d) for d in ("workspace", "tmp", "bin"))
    for d in (home, tmp, bin_dir):
        os.mkdir(d)
    for name in ("bash", "sh"):
        os.symlink(os.path.abspath(shell), os.path.join(bin_dir, name))
    for path, text in case.get("files", {}).items():
        full = os.path.join(home, path.lstrip("/"))
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w") as f:
            f.write(text)
    env = {"PATH": ":".join(filter(None, [bin_dir, helpers, "/usr/bin:/bin"])), "HOME": home, "TMP": tmp, "SH": "bash",
           "LC_ALL": "C.UTF-8", "TZ": "UTC", "USER": "user"}
    status, out, err = run_to_end([os.path.join(bin_dir, "bash"), "-c", case["code"], "bash"], timeout, cwd=home, env=env)
    shutil.rmtree(work, ignore_errors=True)
    if isinstance(status, int) and status < 0:
        status = 128 - status
    text = [b.decode("utf-8", "replace").replace(home, "/workspace").replace(tmp, "/tmp/spec") for b in (out, err)]
    return text[0], status, text[1]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cases")
    p.add_argument("--shell", required=True)
    p.add_argument("--helpers", default="")
    p.add_argument("--only", default="")
    p.add_argument("--show", type=int, default=0, metavar="N", help="show N failures in full")
    p.add_argument("--skip", type=int, default=0, metavar="N", help="of those to show, skip the first N")
    p.add_argument("--list-failed", action="store_true")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--timeout", type=float, default=5)
    a = p.parse_args()
    cases = [c for c in map(json.loads, open(a.cases)) if a.only in c["id"]]
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        results = list(pool.map(lambda c: run(c, a.shell, a.helpers, a.timeout), cases))
    failures, counts = compare(cases, results, a.skip, a.show, lambda id: id.split("/", 1)[0])
    if a.list_failed:
        for case, _, status, _ in failures:
            print("FAILED", case["id"], "(timeout)" if status == "timeout" else "")
    print(counts)


if __name__ == "__main__":
    main()
