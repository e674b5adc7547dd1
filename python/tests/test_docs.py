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
    try:
        module = importlib.import_module(f"pinfold.{name}")
    except ModuleNotFoundError as error:
        if error.name.startswith("pinfold"):
            raise
        pytest.skip(f"{error.name} is not installed, for which pinfold.{name} is")
    names = {**{n: getattr(pinfold, n) for n in pinfold.__all__}, **vars(module)}
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failed, _ = doctest.testmod(module, extraglobs=names, optionflags=flags)
    assert failed == 0


def blocks(language):
    text = (ROOT / "README.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_readme_python(capsys, tmp_path, monkeypatch):
    """The blocks run one after the other; `# prints …` comments are what they must print."""
    monkeypatch.chdir(tmp_path)
    scope = {}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), scope)
        expected = re.findall(r"# prints (.*)", block)
        assert capsys.readouterr().out.splitlines() == expected


def test_authority_page(capsys):
    """As the README; `...` in what is printed stands for anything."""
    text = (ROOT / "docs/authority.md").read_text()
    scope = {}
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        exec(compile(block, "authority.md", "exec"), scope)
        expected = [re.escape(line).replace(r"\.\.\.", ".*") for line in re.findall(r"# prints (.*)", block)]
        printed = [line for line in capsys.readouterr().out.splitlines() if line]
        assert len(printed) == len(expected)
        assert all(map(re.fullmatch, expected, printed)), printed


@pytest.mark.parametrize("page", ["quickstart", "jobs", "analysis", "trace", "approval", "memo", "store"])
def test_page(page, capsys, tmp_path, monkeypatch):
    """The blocks of a page, one after the other, as those of the README."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / f"docs/{page}.md").read_text()
    scope = {}
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        exec(compile(block, f"{page}.md", "exec"), scope)
        printed = capsys.readouterr().out.splitlines()
        if "# prints" in block:
            assert printed == re.findall(r"# prints (.*)", block)


def recipes():
    text = (ROOT / "docs/cookbook.md").read_text()
    return re.findall(r"^## ([^\n]*)\n\n(?:[^`#\n][^\n]*\n)*\n?```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_every_recipe_is_run():
    text = (ROOT / "docs/cookbook.md").read_text()
    assert [title for title, _ in recipes()] == re.findall(r"^## (.*)", text, re.MULTILINE)


@pytest.mark.parametrize("title, code", recipes(), ids=[title for title, _ in recipes()])
def test_recipe(title, code, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("fastapi", "IPython"):
        if re.search(rf"^from {name}\b", code, re.MULTILINE):
            pytest.importorskip(name)
    exec(compile(code, title, "exec"), {"__name__": "recipe"})
    assert capsys.readouterr().out.splitlines() == re.findall(r"# prints (.*)", code)


def test_the_notebook(tmp_path, monkeypatch):
    """The recipe for Jupyter in a kernel, each paragraph a cell."""
    pytest.importorskip("ipykernel")
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(pinfold.__file__).parents[1]))
    code = dict(recipes())["In a notebook"]
    paragraphs = [*code.strip().split("\n\n"), "(await box.arun('echo from a cell')).stdout"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in paragraphs])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    assert any("PNG image data" in output.get("text", "") for output in outputs)
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert outputs[-1]["data"]["text/plain"] == "'from a cell\\n'"
