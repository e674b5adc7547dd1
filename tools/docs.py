#!/usr/bin/env python3
"""Writes the pages of the site: those of docs/, and the references, from what they describe.

usage: docs.py --program PINFOLD --out FOLDER
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
#: Commands whose --help the reference of the command line has.
COMMANDS = [
    *("", "run", "shell", "restore", "replay", "trace", "verify", "snapshot", "policy", "completion")
]
#: Those that come with the Python package.
PYTHON_COMMANDS = ("what-if", "bisect", "diff", "debug")
#: What the reference of Python has, page by page.
PYTHON = (
    "create_sandbox_tool SandboxTool Sandbox Result Usage Limits Tool MethodCapability Param"
    " ConstraintSet load_policy Call AuditLog Store AsyncStore replay Replay compare_traces Cache Proof analyze Analysis"
).split()
MODULES = [f"pinfold.{name}" for name in "jobs files http errors tokens mcp definitions".split()]


def command_line(program: str) -> str:
    parts = ["# Command line\n"]
    package = pathlib.Path(program).resolve().parent / "python"
    env = os.environ | {"COLUMNS": "100", "PYTHONPATH": str(package)}
    how = {"capture_output": True, "text": True, "check": True}
    of_program = [(command, [program, *([command] if command else [])]) for command in COMMANDS]
    of_python = [(name, [sys.executable, "-m", "pinfold", name]) for name in PYTHON_COMMANDS]
    for command, words in of_program + of_python:
        text = subprocess.run([*words, "--help"], env=env, **how).stdout
        parts.append(f"## pinfold {command}".rstrip() + f"\n\n```text\n{text.rstrip()}\n```\n")
    return "\n".join(parts)


def python() -> str:
    names = [f"::: pinfold.{name}" for name in PYTHON]
    names += [f"::: {module}" for module in MODULES]
    return "# Python\n\n" + "\n\n".join(names) + "\n"


def c_library() -> str:
    """The header, cut at its comments."""
    text = (ROOT / "include/pinfold.h").read_text()
    about = re.match(r"/\*\n(.*?)\*/", text, re.DOTALL)
    intro = "\n".join(line[3:] for line in about[1].splitlines()) if about else ""
    rest = text[about.end() if about else 0 :].strip()
    return f"# C\n\n```text\n{intro}\n```\n\n```c\n{rest}\n```\n"


def page(text: str, pages: set[str]) -> str:
    """Links that lead out of docs/ are names of files."""

    def link(match: re.Match[str]) -> str:
        words, target = match[1], match[2]
        if target.startswith(("http", "#")) or target.partition("#")[0] in pages:
            return match[0]
        name = target.removeprefix("../")
        return f"`{name}`" if words == name else f"{words} (`{name}`)"

    return re.sub(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)", link, text)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    shutil.rmtree(given.out, ignore_errors=True)
    given.out.mkdir(parents=True)
    sources = sorted((ROOT / "docs").glob("*.md"))
    pages = {source.name for source in sources}
    for source in sources:
        (given.out / source.name).write_text(page(source.read_text(), pages))
    (given.out / "cli.md").write_text(command_line(given.program))
    (given.out / "python.md").write_text(python())
    (given.out / "c.md").write_text(c_library())


if __name__ == "__main__":
    main()
