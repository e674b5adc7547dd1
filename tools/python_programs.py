#!/usr/bin/env python3
"""python_programs: programs of the kind that agents write, in the sandbox as in CPython.

    tools/python_programs.py [NAME...]             runs them in sandboxes, shows what differs
    tools/python_programs.py --record [NAME...]    records what /usr/bin/python3.11 does

tests/python_programs/README.md says what is there.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "python_programs"
REAL = "/usr/bin/python3.11"  # of Debian: the same version, so the library's lines are the same
INPUT = "one\ntwo\n"


def programs() -> dict[str, dict[str, str]]:
    """By area and name: the text."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(FOLDER.glob("*.txt")):
        area = found.setdefault(path.stem, {})
        for block in path.read_text().split("\n==== ")[1:]:
            name, _, text = block.partition("\n")
            area[name] = text.rstrip("\n") + "\n"
    return found


def recorded(area: str) -> dict[str, dict]:
    path = FOLDER / f"{area}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def real(name: str, text: str) -> dict:
    """What CPython says, with the sandbox's names of folders."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, f"{name}.py").write_text(text)
        env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "HOME": folder}
        result = subprocess.run(
            [REAL, f"{name}.py"], cwd=folder, env=env, input=INPUT, capture_output=True, text=True
        )
    status = result.returncode if result.returncode >= 0 else 128 - result.returncode
    out, err = (
        text.replace(os.path.realpath(folder), "/workspace").replace(REAL, "/usr/bin/python3")
        for text in (result.stdout, result.stderr)
    )
    return {"status": status, "stdout": out, "stderr": err}


def ours(name: str, text: str) -> dict:
    """What the sandbox says."""
    from pinfold import Limits, Sandbox

    with Sandbox(limits=Limits(wall_seconds=60, cpu_seconds=60)) as sandbox:
        sandbox.files[f"{name}.py"] = text
        result = sandbox.run(f"python3 {name}.py", stdin=INPUT)
    return {"status": result.exit_code, "stdout": result.stdout, "stderr": result.stderr}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    wrong = total = 0
    for area, texts in programs().items():
        known = recorded(area)
        for name, text in texts.items():
            if args.names and name not in args.names and area not in args.names:
                continue
            total += 1
            if args.record:
                known[name] = real(name, text)
                continue
            told = ours(name, text)
            if told != known[name]:
                wrong += 1
                print(f"==== {name}")
                for part in told:
                    if told[part] != known[name][part]:
                        print(f"-- {part}, expected:\n{known[name][part]}\n-- is:\n{told[part]}")
        if args.record:
            known = {name: known[name] for name in texts if name in known}
            lines = [f"{json.dumps(name)}: {json.dumps(known[name])}" for name in known]
            (FOLDER / f"{area}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{total} programs, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
