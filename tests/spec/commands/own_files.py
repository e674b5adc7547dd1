#!/usr/bin/env python3
"""Whether every command of the guest's programs has a file of cases of its own.

usage: own_files.py PROGRAMS CASES LIST

PROGRAMS holds the programs' folders, CASES the files NAME.cases, LIST the commands that are tested
elsewhere, one a line, each with the place behind a #. The list is exact: a command on it that has a
file, or that there is not, is an error as well. A file for a command that does not use it is one, too.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import applets  # noqa: E402


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    programs, cases, listed = map(pathlib.Path, sys.argv[1:])
    names = {name for folder in sorted(programs.iterdir()) if folder.is_dir()
             for name, _, _ in applets.commands(folder)}
    lines = [line for line in listed.read_text().splitlines() if line and not line.startswith("#")]
    elsewhere = {line.split("#")[0].strip() for line in lines}
    wrong = [f"{line!r}: say behind a # where it is tested" for line in lines if "#" not in line]
    for name in sorted(names | elsewhere):
        path = cases / f"{name}.cases"
        if name not in names:
            wrong.append(f"{listed.name} names {name}, which is no command")
        elif path.exists() and name in elsewhere:
            wrong.append(f"{listed.name} names {name}, which has {path.name}")
        elif not path.exists() and name not in elsewhere:
            wrong.append(f"{name} has no {path.name}")
        elif path.exists() and not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", path.read_text()):
            wrong.append(f"{path.name} does not run {name}")
    wrong += [f"{path.name}: CMake's lists break at such a name" for path in cases.iterdir()
              if not re.fullmatch(r"[\w.+-]+", path.name)]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(names)} commands, {len(elsewhere)} of them tested elsewhere")


if __name__ == "__main__":
    main()
