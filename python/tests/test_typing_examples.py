"""The examples of the documentation as type checkers see them, in their strict modes."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import pinfold
from test_typing import check

ROOT = pathlib.Path(__file__).resolve().parents[2]




#: What is checked: the documents whose blocks are one program each, one after the other.
CHECKED = ("README.md", "docs/authority.md", "docs/frameworks.md")


def documents():
    """Each document's Python blocks as one program, as they are read one after the other."""
    for path in (ROOT / name for name in CHECKED):
        blocks = re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.DOTALL | re.MULTILINE)
        if blocks:
            yield path.name, "\n".join(blocks)


DOCUMENTS = dict(documents())


def lines(told):
    return [line for line in told.splitlines() if ": error:" in line or " - error:" in line]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_mypy(name, tmp_path):
    pytest.importorskip("mypy")
    path = tmp_path / "example.py"
    path.write_text(DOCUMENTS[name])
    # What is read of frameworks is nothing, see check(): a name of theirs is not found.
    wrong = [line for line in lines(check(path)) if "[import" not in line]
    assert not wrong, "\n".join(wrong)


def pyright(directory, *files):
    """What it says; it is a program of Node, which its package brings or finds."""
    if shutil.which("pyright", path=str(pathlib.Path(sys.executable).parent)) is None:
        pytest.skip("pyright is not installed")
    (directory / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "reportMissingImports": false, "reportMissingModuleSource": false, "extraPaths": ["typed"]}')
    command = [sys.executable, "-m", "pyright", "--outputjson", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=directory)
    import json

    try:
        return json.loads(done.stdout)["generalDiagnostics"]
    except ValueError:
        pytest.skip(f"pyright cannot run here: {(done.stderr or done.stdout).strip()[-200:]}")


def test_pyright(tmp_path):
    pytest.importorskip("mypy")
    check_copy = tmp_path / "nothing.py"
    check_copy.write_text("")
    check(check_copy)  # makes the copy of the package
    files = []
    for name, text in DOCUMENTS.items():
        files.append(tmp_path / f"{name.partition('.')[0].lower()}_example.py")
        files[-1].write_text(text)
    said = pyright(tmp_path, *files)
    wrong = [
        f"{pathlib.Path(one['file']).name}:{one['range']['start']['line'] + 1}: {one['message']}"
        for one in said
        if one["severity"] == "error" and one.get("rule") not in ("reportUnusedImport",)
    ]
    assert not wrong, "\n".join(wrong)
