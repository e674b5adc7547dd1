#!/usr/bin/env python3
"""Runs small JavaScript programs in pinfold's js and compares them with Node, or with what they say.

    run.py --js build/twins/native/bin/js [-v] [PATTERN]     the native twin
    run.py --pinfold build/pinfold [-v] [PATTERN]            inside the sandbox
    run.py --record node [PATTERN]                           asks Node again

node/*.js   programs that must print and end as in Node. One file holds many, each after a line
            `//// name [cjs|mjs|args…]`; mjs is the default. node/*.expected has what Node said
            when it was last asked: `//// name STATUS`, then its standard output, each line after a `|`
            (a last line without newline after a `\\`).
own/*.js    programs for what Node does not have; after the program, `//= status` and `//> line`
            say what it must end with and print, `//! text` what stderr must contain, `//$ option` passes
            options and `//< line` is standard input.
known.txt   `file:name` of cases that differ from Node, each with the reason after a `#`: an exact
            list, so a case that starts to agree fails until it is taken off. `[sandbox]` or `[native]`
            after the name: only there; `[sanitized]`: only natively under a sanitizer.
"""

import argparse
import concurrent.futures
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def cases(path):
    """(name, options, text) of each program in a file."""
    parts = re.split(r"^//// (.*)$", path.read_text(), flags=re.M)
    for head, text in zip(parts[1::2], parts[2::2], strict=True):
        name, *options = head.split()
        yield name, options, text.lstrip("\n")


def recorded(path):
    """{name: (status, stdout)} of a file of expectations."""
    found = {}
    if not path.exists():
        return found
    for block in re.split(r"^//// ", path.read_text(), flags=re.M)[1:]:
        head, _, body = block.partition("\n")
        name, status = head.split()
        lines = body.split("\n")[:-1]
        out = "".join(line[1:] + "\n" if line[0] == "|" else line[1:] for line in lines)
        found[name] = int(status), out
    return found


def write_record(path, results):
    with path.open("w") as file:
        for name, (status, out) in results.items():
            file.write(f"//// {name} {status}\n")
            whole = out.endswith("\n")
            lines = (out[:-1] if whole else out).split("\n") if out else []
            for i, line in enumerate(lines):
                file.write(f"{'|' if whole or i < len(lines) - 1 else chr(92)}{line}\n")


class Runner:
    """Runs a program's text with one of the three; answers status, stdout, stderr as text."""

    def __init__(self, program, sandbox):
        self.program, self.sandbox = program, sandbox

    def run(self, text, extension, flags=(), args=(), stdin=""):
        with tempfile.TemporaryDirectory(prefix="pinfold-js-") as folder:
            file = pathlib.Path(folder) / f"case.{extension}"
            file.write_text(text)
            if self.sandbox:
                words = " ".join(
                    f"'{word}'" for word in ["js", *flags, f"/workspace/case.{extension}", *args]
                )
                command = [
                    self.program,
                    "run",
                    "--language",
                    "shell",
                    "--file",
                    f"{file}:/workspace/case.{extension}",
                    "-c",
                    words,
                ]
                where = "/workspace"
            else:
                command, where = [self.program, *flags, str(file), *args], folder
            try:
                done = subprocess.run(
                    command, cwd=folder, input=stdin.encode(), capture_output=True, timeout=60
                )
            except subprocess.TimeoutExpired:
                return -1, "", "timeout"
            # Folders differ, programs must not notice.
            out, err = (
                data.decode(errors="replace").replace(where, "DIR")
                for data in (done.stdout, done.stderr)
            )
            return done.returncode, out, err


def ask(runner, options, text):
    kind = "js" if "cjs" in options else "mjs"
    return runner.run(text, kind, args=[o for o in options if o not in ("cjs", "mjs")])


def compare_with_node(runner, expected, name, options, text):
    """None when both agree, else what differs."""
    if name not in expected:
        return "nothing is recorded: run.py --record node"
    status, out, err = ask(runner, options, text)
    if expected[name] == (status, out):
        return None
    texts = [f"status {code}\n{text}".split("\n") for code, text in (expected[name], (status, out))]
    return "\n".join([*difflib.unified_diff(*texts, "node", "js", lineterm="", n=1), err])


def check_own(runner, expected, name, options, text):
    """None when the program did what its comments say."""
    expect = re.findall(r"^//([=>!$<]) ?(.*)$", text, flags=re.M)
    status = next((int(value) for mark, value in expect if mark == "="), 0)
    wanted = "".join(value + "\n" for mark, value in expect if mark == ">")
    stdin = "".join(value + "\n" for mark, value in expect if mark == "<")
    flags = [value for mark, value in expect if mark == "$"]
    code = re.sub(r"^//[=>!$<].*\n?", "", text, flags=re.M)
    extension = "ts" if "ts" in options else "mjs" if "mjs" in options else "js"
    got, out, err = runner.run(code, extension, flags, stdin=stdin)
    missing = [value for mark, value in expect if mark == "!" and value not in err]
    if got == status and out == wanted and not missing:
        return None
    return f"wanted status {status}\n{wanted}\ngot status {got}\n{out}\nstderr: {err}\nmissing: {missing}"


def record(node, pattern, pool):
    for path in sorted((HERE / "node").glob("*.js")):
        before = recorded(path.with_suffix(".expected"))
        runner, results = Runner(node, False), {}
        for name, options, text in cases(path):
            if name in before and pattern not in f"node/{path.stem}:{name}":
                results[name] = before[name]
            else:
                results[name] = pool.submit(ask, runner, options, text)
        for name, result in results.items():
            if not isinstance(result, tuple):
                results[name] = result.result()[:2]
        write_record(path.with_suffix(".expected"), results)


def known_cases(where):
    known = set()
    for line in (HERE / "known.txt").read_text().splitlines():
        name, *only = line.split("#")[0].split() or [None]
        if name and (not only or only[0][1:-1] in where):
            known.add(name)
    return known


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--js")
    parser.add_argument("--pinfold")
    parser.add_argument("--record", metavar="NODE")
    parser.add_argument("--sanitized", action="store_true", help="of --js: its frames are larger")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("pattern", nargs="?", default="")
    args = parser.parse_args()
    pool = concurrent.futures.ThreadPoolExecutor(2)
    if args.record:
        return record(args.record, args.pattern, pool)
    runner = Runner(str(pathlib.Path(args.js or args.pinfold).resolve()), not args.js)
    where = ["native"] if args.js else ["sandbox"]
    known = known_cases(where + ["sanitized"] if args.sanitized else where)
    results = {}
    for folder, check in (("node", compare_with_node), ("own", check_own)):
        for path in sorted((HERE / folder).glob("*.js")):
            expected = recorded(path.with_suffix(".expected"))
            for name, options, text in cases(path):
                label = f"{folder}/{path.stem}:{name}"
                if args.pattern in label:
                    results[label] = pool.submit(check, runner, expected, name, options, text)
    failed = 0
    for label, result in results.items():
        difference = result.result()
        if label in known:
            difference = "is in known.txt, but agrees now" if difference is None else None
        if difference is not None:
            failed += 1
            print(f"FAIL {label}\n{difference}" if args.v or args.pattern else f"FAIL {label}")
    print(f"{len(results) - failed} of {len(results)} passed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
