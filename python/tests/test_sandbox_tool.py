"""SandboxTool: the text that a model sees."""

import pytest

from pinfold import Limits, MethodCapability, SandboxTool, create_sandbox_tool


@pytest.fixture
def tool():
    with create_sandbox_tool() as made:
        yield made


@pytest.mark.parametrize(
    "code, text",
    [
        ("echo hello | tr a-z A-Z", "HELLO"),
        ("printf 'a\\n\\nb\\n\\n'", "a\n\nb"),
        ("true", "(no output)"),
        ("echo", "(no output)"),
        ("false", "[exit code]: 1"),
        ("echo out; echo err >&2; exit 3", "out\n[stderr]: err\n[exit code]: 3"),
        ("echo warning >&2", "[stderr]: warning"),
    ],
)
def test_shell(tool, code, text):
    assert tool.run(code, language="shell") == text


@pytest.mark.parametrize(
    "code, text",
    [
        ("return 'text'", "text"),
        ("return {a: 1}", '{"a":1}'),
        ("console.log('x')", "x"),
        ("1 + 1", "(no output)"),
    ],
)
def test_javascript(tool, code, text):
    assert tool.run(code, language="javascript") == text


def test_an_uncaught_error(tool):
    text = tool.run("throw new TypeError('bad')", language="javascript")
    assert text.startswith("[stderr]: TypeError: bad") and text.endswith("[exit code]: 1")


def test_a_limit():
    tool = create_sandbox_tool(limits=Limits(cpu_seconds=0.2))
    text = tool.run("echo begun; while :; do :; done", language="shell")
    assert text.startswith("begun\n")
    assert text.endswith("[exit code]: 137\n[error]: stopped at the limit cpu_seconds (0.2 s)")


def test_truncated_output():
    tool = create_sandbox_tool(limits=Limits(output_bytes=4))
    assert tool.run("echo 123456", "shell") == "1234\n[truncated]: stdout over the output limit"


def test_the_value_of_a_python_cell_is_shown(tool):
    assert tool.run("print('a')\nx = {'k': True}\nx", "python") == "a\n{'k': True}"
    assert tool.run("x = 1", "python") == "(no output)"


def test_the_model_s_mistakes_are_text(tool):
    assert tool.run("print(1)", language="perl").startswith("[error]: ")


def test_files_stay_between_runs_and_languages(tool):
    tool.run("echo '{\"n\": 5}' > data.json", language="shell")
    assert tool.run("return JSON.parse(await fs.readFile('data.json')).n", "javascript") == "5"


def test_stdin(tool):
    assert tool.run("wc -c", "shell", stdin="12345").strip() == "5"


def test_from_functions():
    def greet(name: str) -> str:
        return f"hi {name}"

    assert SandboxTool.from_functions([greet]).run("greet --name Bo", "shell") == '"hi Bo"'
    none = SandboxTool.from_functions([greet], capabilities=[MethodCapability("other")])
    assert "[exit code]: 126" in none.run("greet --name Bo", "shell")
    assert [tool.name for tool in none.tools] == ["greet"]
