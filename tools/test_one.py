#!/usr/bin/env python3
"""From an edit of one command to its tests: `make test-wc`, `make test-sh`, `make test-js`.

usage: test_one.py NAME [--build DIR] [--native]

Builds the command natively and runs the cases whose scripts use it; then the same in the sandbox,
unless --native is given. There a command of a multicall image gets an image of its own, in seconds,
beside all the others as they were built last; sh, git, js, jq, sqlite3 and tool are built whole.
"""
import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "spec" / "commands"
# Programs with tests of their own, as ctest names them: natively, and in the sandbox.
WHOLE = {"sh": "^spec_shell", "git": "^spec_commands_git", "js": "^spec_js", "jq": "jq", "sqlite3": "sqlite", "tool": "tool"}
NAMES = {"bash": "sh", "node": "js"}


def run(*command: object, quiet: bool = False) -> None:
    """Runs a command in the root of the tree, or ends with its status."""
    status = subprocess.run([str(word) for word in command], cwd=ROOT,
                            stdout=subprocess.DEVNULL if quiet else None).returncode
    if status:
        sys.exit(status)


def configure(folder: pathlib.Path, *options: str) -> None:
    run("cmake", "-S", ".", "-B", folder, "-G", "Ninja", *options, quiet=True)


def cases(command: str, *where: object) -> None:
    run(sys.executable, CASES / "run.py", *where, "--known", CASES / "known_failures.txt",
        "--command", command, *sorted((CASES / "cases").glob("*.cases")))


def cached(folder: pathlib.Path, variable: str) -> str:
    """A variable of a configured build folder; empty if it is not there."""
    try:
        lines = (folder / "CMakeCache.txt").read_text().splitlines()
    except FileNotFoundError:
        return ""
    return next((line.partition("=")[2] for line in lines if line.startswith(variable + ":")), "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--native", action="store_true")
    args = parser.parse_args()
    name, build = NAMES.get(args.name, args.name), ROOT / args.build
    twins = build / "twins"
    if not (twins / "build.ninja").exists():
        configure(twins, "-DPF_GUEST=OFF", "-DBUILD_TESTING=OFF")
    programs = twins / "native" / "bin"
    link = programs / name
    image = os.readlink(link) if link.is_symlink() else name
    run("cmake", "--build", twins, "--", "--quiet",
        *([f"native_{image}"] if link.exists() else []), quiet=True)
    if not link.exists():
        sys.exit(f"test_one.py: there is no command {name}")
    if name in WHOLE:
        run("cmake", "--build", build)
        run("ctest", "--test-dir", build, "-R", WHOLE[name], "--output-on-failure")
        return
    cases(name, "--bin", programs)
    if args.native:
        return
    if not (build / "pinfold").exists():
        run("make", "build", f"BUILD={args.build}")
    if cached(build, "PF_ONE") != name:
        configure(build, f"-DPF_ONE={name}")
    run("cmake", "--build", build, "--target", "pinfold_one", "--", "--quiet", quiet=True)
    cases(name, "--pinfold", build / "pinfold_one")


if __name__ == "__main__":
    main()
