"""What the documentation shows is run: the README's examples and every docstring."""

import doctest
import importlib
import pathlib
import pkgutil
import re

import pytest

import pinfold

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = sorted(
    module.name for module in pkgutil.iter_modules(pinfold.__path__) if module.name != "_native"
)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(f"pinfold.{name}")
    names = {**{n: getattr(pinfold, n) for n in pinfold.__all__}, **vars(module)}
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failed, _ = doctest.testmod(module, extraglobs=names, optionflags=flags)
    assert failed == 0


def blocks(language):
    text = (ROOT / "README.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_readme_python(capsys):
    """The blocks run one after the other; `# prints …` comments are what they must print."""
    scope = {}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), scope)
        expected = re.findall(r"# prints (.*)", block)
        assert capsys.readouterr().out.splitlines() == expected
