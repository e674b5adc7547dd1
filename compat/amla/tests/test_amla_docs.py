"""What the documentation shows is run: the README's example and every docstring."""

import doctest
import importlib
import pathlib
import pkgutil
import re

import pytest

import amla_sandbox

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODULES = sorted(m.name for m in pkgutil.walk_packages(amla_sandbox.__path__, "amla_sandbox."))


@pytest.mark.parametrize("name", ["amla_sandbox", *MODULES])
def test_docstrings(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_readme(capsys):
    (block,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    exec(compile(block, "README.md", "exec"), {})
    expected = re.findall(r"# prints (.*)", block)
    assert [line for line in capsys.readouterr().out.splitlines() if line] == expected
