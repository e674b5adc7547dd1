#!/usr/bin/env python3
"""Runs small JavaScript programs in pinfold's js and compares them with Node, or with what they say.

    run.py --js build/native/bin/js [--node node] [-v] [PATTERN]

node/*.js   programs that must print and end as in Node, which runs beside. One file holds many,
            each after a line `//// name [cjs|mjs|args…]`; mjs is the default.
own/*.js    programs for what Node does not have; after the program, `//= status` and `//> line`
            say what it must end with and print, `//! text` what stderr must contain, `//$ option` passes
            options and `//< line` is standard input.
known.txt   `file:name` of cases that differ from Node, each with the reason after a `#`: an exact
            list, so a case that starts to agree fails until it is taken off.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def cases(path):
    """(name, options, text) of each program in a file."""
    parts = re.split(r"^//// (.*)$", path.read_text(), flags=re.M)
    for head, text in zip(parts[1::2], parts[2::2]):
        name, *options = head.split()
        yield name, options, text.lstrip("\n")


def run(command, cwd, stdin=b""):
    try:
        done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, timeout=30)
    except subprocess.TimeoutExpired:
        return -1, b"", b"timeout"
    return done.returncode, done.stdout, done.stderr


def compare_with_node(args, path, name, options, text):
    """None when both agree, else what differs."""
    results = []
    for program in (args.node, args.js):
        with tempfile.TemporaryDirectory(prefix="pinfold-js-") as folder:
            kind = "js" if "cjs" in options else "mjs"
            file = pathlib.Path(folder) / f"case.{kind}"
            file.write_text(text)
            # Folders differ, programs must not notice.
            status, out, err = run([program, str(file), *[o for o in options if o not in ("cjs", "mjs")]], folder)
            results.append((status, out.replace(folder.encode(), b"DIR"), err))
    (node_status, node_out, _), (status, out, err) = results
    if node_status == status and node_out == out:
        return None
    return (f"node: status {node_status}\n{node_out.decode(errors='replace')}\n"
            f"js: status {status}\n{out.decode(errors='replace')}\n{err.decode(errors='replace')}")


def check_own(args, path, name, options, text):
    """None when the program did what its comments say."""
    expect = re.findall(r"^//([=>!$<]) ?(.*)$", text, flags=re.M)
    status = next((int(value) for mark, value in expect if mark == "="), 0)
    lines = [value for mark, value in expect if mark == ">"]
    stdin = "".join(value + "\n" for mark, value in expect if mark == "<")
    flags = [value for mark, value in expect if mark == "$"]
    code = re.sub(r"^//[=>!$<].*\n?", "", text, flags=re.M)
    with tempfile.TemporaryDirectory(prefix="pinfold-js-") as folder:
        extension = "ts" if "ts" in options else "mjs" if "mjs" in options else "js"
        file = pathlib.Path(folder) / f"case.{extension}"
        file.write_text(code)
        got, out, err = run([args.js, *flags, str(file)], folder, stdin.encode())
    wanted = "".join(line + "\n" for line in lines)
    missing = [value for mark, value in expect if mark == "!" and value.encode() not in err]
    shown = out.decode(errors="replace")
    if got == status and shown == wanted and not missing:
        return None
    return f"wanted status {status}\n{wanted}\ngot status {got}\n{shown}\nstderr: {err.decode(errors='replace')}\nmissing: {missing}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--js", required=True)
    parser.add_argument("--node", default="node")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("pattern", nargs="?", default="")
    args = parser.parse_args()
    args.js = str(pathlib.Path(args.js).resolve())
    known_text = (HERE / "known.txt").read_text().splitlines()
    known = {line.split("#")[0].strip() for line in known_text if line.split("#")[0].strip()}
    failed = count = 0
    for folder, check in (("node", compare_with_node), ("own", check_own)):
        for path in sorted((HERE / folder).glob("*.js")):
            for name, options, text in cases(path):
                label = f"{folder}/{path.stem}:{name}"
                if args.pattern not in label:
                    continue
                count += 1
                difference = check(args, path, name, options, text)
                if difference is None and label in known:
                    difference = "is in known.txt, but agrees now"
                elif difference is not None and label in known:
                    continue
                if difference is not None:
                    failed += 1
                    print(f"FAIL {label}\n{difference}" if args.v or args.pattern else f"FAIL {label}")
    print(f"{count - failed} of {count} passed")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
