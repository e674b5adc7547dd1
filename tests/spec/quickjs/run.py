#!/usr/bin/env python3
"""Runs QuickJS's own tests, which its crate carries, in pinfold's js.

    run.py --tests FOLDER --js build/twins/native/bin/js [-v] [PATTERN]    the native twin
    run.py --tests FOLDER --pinfold build/pinfold [-v] [PATTERN]           inside the sandbox

FOLDER is tests/ of the crate's copy of QuickJS. A test passes when it ends with status 0. shim.cjs stands for the
modules qjs:std and qjs:os. known.txt lists the tests that fail, each with the reason, exactly.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


# Parts of tests that are left out, and why.
SKIPPED = {
    "test_builtin.js": {
        "test_exception_prepare_stack()": "Error.prepareStackTrace gets the frames of Node's library, too",
    },
}


def wordings():
    """(pattern, replacement) for the messages that pinfold words as Node does."""
    sys.path.insert(0, str(HERE.parents[2] / "guest/programs/js"))
    from adapt_quickjs import WORDING

    pairs = [
        (old, new)
        for _, old, new in WORDING
        if "(" not in old and old.count("%s") == new.count("%s")
    ]
    pairs += [
        (
            "this is not initialized",
            "Must call super constructor in derived class before accessing 'this' or "
            "returning from derived constructor",
        ),
        ("value is not iterable", "#<Object> is not iterable"),
        ("invalid number literal", "Invalid or unexpected token"),
        ("string too long", "Invalid string length"),
        ('"ab".repeat(-1)), "invalid repeat count"', '"ab".repeat(-1)), "Invalid count value: -1"'),
        (
            '"ab".repeat(Infinity)), "invalid repeat count"',
            '"ab".repeat(Infinity)), "Invalid count value: Infinity"',
        ),
        (
            'ex?.message, "invalid character in class in regular expression"',
            'ex?.message, "Invalid regular expression: /[a-]/v: '
            'invalid character in class in regular expression"',
        ),
        (
            '"duplicate group name"',
            '"Invalid regular expression: /(?<g>a)(?<g>b)/: Duplicate capture group name"',
        ),
        ("invalid value used as WeakSet key", "Invalid value used in weak set"),
        ("invalid value used as WeakMap key", "Invalid value used as weak map key"),
        ("assert(messageOf(pat(255)), ", "assert(messageOf(pat(255)).split(': ')[2], "),
        ("assert(messageOf(pat(1000)), ", "assert(messageOf(pat(1000)).split(': ')[2], "),
    ]
    yield r"04/07/2024, 0?(\d+:)", r"4/7/2024, \1"  # in Node's locale
    for old, new in pairs:
        yield re.escape(old).replace("%s", "(.*?)"), new.replace("\\", "\\\\").replace("%s", r"\1")


def copy_tests(folder, to):
    """A copy in which the modules of QuickJS's shell are names that shim.cjs made."""
    shutil.copytree(folder, to)
    messages = list(wordings())
    for path in to.rglob("*.js"):
        text = path.read_text(errors="surrogateescape")
        text = re.sub(
            r"^import \* as (\w+) from ['\"]qjs:(\w+)['\"];?",
            r"const \1 = globalThis.qjs.\2;",
            text,
            flags=re.M,
        )
        for old, new in messages:
            text = re.sub(old, new, text)
        for call in SKIPPED.get(path.name, {}):
            text = text.replace(f"\n{call};\n", "\n")
        path.write_text(text, errors="surrogateescape")
    shutil.copy(HERE / "shim.cjs", to)


def excluded(folder):
    """Files that are no tests, by the list of QuickJS itself."""
    conf = folder.parent / "tests.conf"
    return {
        line.removeprefix("tests/").strip()
        for line in conf.read_text().splitlines()
        if line.startswith("tests/")
    }


def run_test(args, folder, name):
    if args.js:
        command = [args.js, "--require", "./shim.cjs", name]
    else:
        files = [
            word
            for path in folder.rglob("*")
            if path.is_file()
            for word in ("--file", f"{path}:/workspace/{path.relative_to(folder)}")
        ]
        command = [
            args.pinfold,
            "run",
            "--language",
            "shell",
            *files,
            "-c",
            f"js --require ./shim.cjs {name}",
        ]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "timeout"
    said = (done.stdout + done.stderr).decode(errors="replace")
    # As test262 has it: a test may be meant to end with an error of this class.
    meant = re.match(
        r"/\*---\nnegative:.*?type: (\w+)", (folder / name).read_text(errors="replace"), re.S
    )
    if meant:
        return (
            None
            if done.returncode == 1 and f"{meant[1]}: " in said
            else f"should end with {meant[1]}\n{said}"
        )
    return None if done.returncode == 0 else said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tests", type=pathlib.Path, required=True)
    parser.add_argument("--js", type=lambda name: str(pathlib.Path(name).resolve()))
    parser.add_argument("--pinfold", type=lambda name: str(pathlib.Path(name).resolve()))
    parser.add_argument("-v", action="store_true")
    parser.add_argument("pattern", nargs="?", default="")
    args = parser.parse_args()
    lines = (HERE / "known.txt").read_text().splitlines()
    where = "[native]" if args.js else "[sandbox]"
    words = [line.split("#")[0].split() for line in lines]
    known = {name for name, *only in filter(None, words) if only in ([], [where])}
    failed = 0
    with tempfile.TemporaryDirectory(prefix="pinfold-quickjs-") as scratch:
        folder = pathlib.Path(scratch) / "tests"
        copy_tests(args.tests, folder)
        skip = excluded(args.tests) | {"assert.js", "shim.cjs"}
        names = sorted(
            path.name
            for path in folder.glob("*.js")
            if path.name not in skip and args.pattern in path.name
        )
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = zip(names, pool.map(lambda name: run_test(args, folder, name), names))
            for name, why in results:
                if name in known:
                    why = "is in known.txt, but passes now" if why is None else None
                if why is not None:
                    failed += 1
                    print(f"FAIL {name}\n{why}" if args.v or args.pattern else f"FAIL {name}")
    print(f"{len(names) - failed} of {len(names)} passed")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
