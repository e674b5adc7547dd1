"""The examples of the documentation as type checkers see them, in their strict modes."""

import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from test_typing import check

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: The page whose blocks are a program each; those of the others are one, as they are read one after the other.
RECIPES = "cookbook"


def programs():
    """All Python of the README and of docs/, by the name of a file for it: none is left out."""
    made = {}
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        page = path.stem.lower()
        blocks = re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.DOTALL | re.MULTILINE)
        if page == RECIPES:
            made |= {f"example_{page}_{number}.py": block for number, block in enumerate(blocks, 1)}
        elif blocks:
            made[f"example_{page}.py"] = "\n".join(blocks)
    return made


PROGRAMS = programs()


def of_others(file):
    """Does an example use other packages, whose own types may be what is unknown?"""
    names = set(re.findall(r"^(?:from|import) (\w+)", pathlib.Path(file).read_text(), re.MULTILINE))
    return not names <= {*sys.stdlib_module_names, "pinfold"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("examples")
    for name, text in PROGRAMS.items():
        (made / name).write_text(text)
    return made


@functools.cache
def mypy(folder):
    pytest.importorskip("mypy")
    # What is read of frameworks is nothing, see check(): a name of theirs is not found, and what it makes is Any.
    about = ("[import", "[untyped-decorator]", "[misc]  # decorator")
    said = check(*[folder / name for name in PROGRAMS])
    return [line for line in said.splitlines() if ": error:" in line and not any(a in line for a in about)]


@functools.cache
def pyright(folder):
    """What it says; it is a program of Node, which its package brings or finds."""
    pytest.importorskip("mypy")
    if shutil.which("pyright", path=str(pathlib.Path(sys.executable).parent)) is None:
        pytest.skip("pyright is not installed")
    mypy(folder)  # makes the copy of the package
    settings = {"typeCheckingMode": "strict", "reportMissingImports": False, "reportMissingModuleSource": False, "extraPaths": ["typed"]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--outputjson", *PROGRAMS]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    try:
        said = json.loads(done.stdout)["generalDiagnostics"]
    except ValueError:
        pytest.skip(f"pyright cannot run here: {(done.stderr or done.stdout).strip()[-200:]}")
    return [
        f"{pathlib.Path(one['file']).name}:{one['range']['start']['line'] + 1}: {one['message']} [{one.get('rule')}]"
        for one in said
        if one["severity"] == "error" and not (of_others(one["file"]) and re.match("report(Unknown|Untyped)", one.get("rule", "")))
    ]


@pytest.mark.parametrize("checker", [mypy, pyright], ids=["mypy", "pyright"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_types(checker, name, folder):
    if checker is pyright:
        for package in re.findall(r"^(?:from|import) (\w+)", PROGRAMS[name], re.MULTILINE):
            pytest.importorskip(package)  # what is not there has no types
    wrong = [line for line in checker(folder) if line.startswith(f"{name}:")]
    assert not wrong, "\n".join(wrong)
