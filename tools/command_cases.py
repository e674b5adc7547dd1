#!/usr/bin/env python3
"""Runs recorded cases with native builds of the commands, under the system's bash.

usage: command_cases.py CASES.jsonl --bin DIR [--bin DIR ...] [--only SUBSTRING] [--words A,B] [--show N] [--skip N]
                        [--list-failed] [--jobs N] [--no-builtins] [--shell PATH]

For work on the commands: seconds instead of a sandbox build. PATH holds the programs of the given folders, bash and
nothing else, so what is not there fails. Each case runs as user 1000 in an empty /workspace with a /tmp of its own, in
a mount namespace: this needs root. --words keeps the cases that name one of these commands. --no-builtins switches off
the builtins of bash that are also commands (echo, printf, test ...), so that the commands are what is tested.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import tempfile

from case_process import compare, run_to_end

INSIDE = """
mount --bind "$2" /etc/passwd && mount --bind "$3" /etc/group && mount --bind "$1" /srv
mount -t tmpfs -o mode=1777 tmpfs /tmp && mount -t tmpfs -o mode=755,uid=1000,gid=1000 tmpfs /workspace
cd /workspace
exec setpriv --reuid 1000 --regid 1000 --clear-groups /usr/bin/env PATH=/srv /srv/bash -c "$4" bash
"""


def run(case, bin_dir, timeout):
    env = {"PATH": "/srv", "HOME": "/workspace", "TMP": "/tmp/spec", "SH": "bash", "LC_ALL": "C.UTF-8", "TZ": "UTC",
           "USER": "user"}
    setup = ["/srv/mkdir -p /tmp/spec"]
    for path, text in case.get("files", {}).items():
        path = path.lstrip("/")
        if "/" in path:
            setup.append("/srv/mkdir -p " + quote(os.path.dirname(path)))
        setup.append(f"printf {quote(octal(text))} > {quote(path)}")
    # Bash drops NUL bytes of a script; an argument cannot hold them.
    code = "; ".join(setup) + "\nexec /srv/bash -c " + quote(case["code"].replace("\0", "")) + " bash"
    command = ["unshare", "-m", "--propagation", "private", "/bin/sh", "-c", INSIDE, "sh", bin_dir,
               os.path.join(bin_dir, ".passwd"), os.path.join(bin_dir, ".group"), code]
    status, out, err = run_to_end(command, timeout, env={**env, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    if isinstance(status, int) and status < 0:
        status = 128 - status
    return out.decode("utf-8", "replace"), status, err.decode("utf-8", "replace")


def octal(text):
    """The text as a printf format: an argument cannot hold NUL bytes."""
    return "".join(f"\\{b:03o}" if b in b"\0%\\" else chr(b) for b in text.encode()).encode("latin-1").decode(
        "utf-8", "surrogateescape")


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def make_bin(folders, shell):
    """One folder with links to every program of the others, and bash."""
    out = tempfile.mkdtemp(prefix="bin-")
    os.chmod(out, 0o755)
    for folder in folders:
        for name in os.listdir(folder):
            target, link = os.path.realpath(os.path.join(folder, name)), os.path.join(out, name)
            if os.path.isfile(target) and not os.path.exists(link):
                link_program(target, link)
    for name in ("bash", "sh"):
        link = os.path.join(out, name)
        if os.path.lexists(link):
            os.remove(link)
        link_program(shell, link)
    for name, text in ((".passwd", "root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/workspace:/bin/bash\n"),
                       (".group", "root:x:0:\nuser:x:1000:\n")):
        with open(os.path.join(out, name), "w") as f:
            f.write(text)
    return out


COPIES = {}


def link_program(target, link):
    """A copy of the program the first time (the folder may lie below /tmp), hard links to it then."""
    if target in COPIES:
        os.link(COPIES[target], link)
        return
    with open(target, "rb") as source, open(link, "wb") as copy:
        copy.write(source.read())
    os.chmod(link, 0o755)
    COPIES[target] = link


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cases")
    p.add_argument("--bin", action="append", required=True)
    p.add_argument("--shell", default="/bin/bash")
    p.add_argument("--only", default="")
    p.add_argument("--words", default="")
    p.add_argument("--show", type=int, default=0, metavar="N", help="show N failures in full")
    p.add_argument("--skip", type=int, default=0, metavar="N", help="of those to show, skip the first N")
    p.add_argument("--list-failed", action="store_true")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--timeout", type=float, default=5)
    p.add_argument("--no-builtins", action="store_true")
    a = p.parse_args()
    cases = [c for c in map(json.loads, open(a.cases)) if a.only in c["id"]]
    if a.words:
        words = re.compile(r"\b(" + "|".join(map(re.escape, a.words.split(","))) + r")\b")
        cases = [c for c in cases if words.search(c["code"])]
    if a.no_builtins:
        for case in cases:
            case["code"] = "enable -n echo printf test [ pwd true false kill\n" + case["code"]
    os.makedirs("/workspace", exist_ok=True)
    bin_dir = make_bin(a.bin, a.shell)
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        results = list(pool.map(lambda c: run(c, bin_dir, a.timeout), cases))
    failures, counts = compare(cases, results, a.skip, a.show, lambda id: id.rsplit("/", 1)[0])
    if a.list_failed:
        for case, _, status, err in failures:
            missing = re.findall(r"(\S+): command not found", err)
            print("FAILED", case["id"], "(timeout)" if status == "timeout" else "", " ".join(sorted(set(missing))))
    print(counts)
    subprocess.run(["rm", "-rf", bin_dir], check=False)


if __name__ == "__main__":
    main()
