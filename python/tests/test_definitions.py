"""OpenAI's and Anthropic's tool formats in and out, prompts, and code in a model's answer."""

import json

import pytest

from pinfold import MethodCapability, Sandbox, SandboxTool, create_sandbox_tool
from pinfold.definitions import from_anthropic_tools, from_openai_tools
from pinfold.prompt import extract_code

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION = {"name": "weather", "description": "The weather.", "parameters": SCHEMA}


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


@pytest.mark.parametrize("tool", [FUNCTION, {"type": "function", "function": FUNCTION}, {"type": "function", **FUNCTION}])
@pytest.mark.parametrize("handlers", [{"weather": weather}, lambda name, params: f"sunny in {params['city']}"])
def test_openai_tools_in(tool, handlers):
    made = from_openai_tools([tool], handlers)
    sandbox = create_sandbox_tool(tools=made)
    assert sandbox.run("weather --city Oslo --raw", "shell") == "sunny in Oslo"
    assert "city" in sandbox.run("await weather({town: 'x'})", "javascript")


def test_anthropic_tools_in():
    (made,) = from_anthropic_tools([{"name": "weather", "input_schema": SCHEMA}], {"weather": weather})
    assert made.schema == SCHEMA
    with pytest.raises(ValueError, match="no handler"):
        from_anthropic_tools([{"name": "weather", "input_schema": SCHEMA}], {})
    with pytest.raises(ValueError, match="without a name"):
        from_anthropic_tools([{"input_schema": SCHEMA}], {})


def test_definitions_out():
    tool = create_sandbox_tool(tools=[weather])
    chat = tool.as_openai_tool()
    assert chat["function"]["name"] == "sandbox" and chat["function"]["parameters"]["required"] == ["code", "language"]
    assert "weather" in chat["function"]["description"] and "city: string" in chat["function"]["description"]
    assert tool.as_openai_tool("run", api="responses")["name"] == "run"
    assert set(tool.as_anthropic_tool()) == {"name", "description", "input_schema"}
    with pytest.raises(ValueError):
        tool.as_openai_tool(api="assistants")
    assert "weather" not in SandboxTool().description


def test_calls_of_a_model():
    tool = create_sandbox_tool(tools=[weather])
    arguments = {"code": "return await weather({city: 'Oslo'})", "language": "javascript"}
    assert tool.handle(arguments) == tool.handle(json.dumps(arguments)) == "sunny in Oslo"
    for bad in ("{", "[]", '{"code": 1, "language": "shell"}', '{"code": "ls"}', '{"code": "ls", "language": "perl"}', '{"code": "ls", "language": "shell", "x": 1}'):
        assert tool.handle(bad).startswith("[error]: ")


def test_code_in_an_answer():
    assert extract_code("no code") is None
    assert extract_code("```ruby\nputs 1\n```") is None
    assert extract_code("a\n```js\n1\n```\nb\n```javascript\n2\n```\n```sh\nls\n```") == ("1\n\n2\n", "javascript")
    assert extract_code("```\nreturn 1\n```") == ("return 1\n", "javascript")


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Look:\n```sh\nls\ncat a\n", ("ls\ncat a\n", "shell")),  # cut by a stop sequence
        ("```sh\nls", ("ls", "shell")),
        ("```js\n1\n```\n```js\n2", ("1\n\n2", "javascript")),
        ("1. So:\n\n   ```js\n   if (x)\n     y()\n\n   ```\n2. Done", ("if (x)\n  y()\n\n", "javascript")),
        ("- ```sh\n  ls\n  ```\n- more", ("ls\n", "shell")),
        ("~~~bash\necho '```'\n~~~\n", ("echo '```'\n", "shell")),
        ("````js\nf(`\n```\n`)\n````\ntext", ("f(`\n```\n`)\n", "javascript")),
        ("```js\r\n1\r\n```\r\ntext", ("1\r\n", "javascript")),
        ("```js\nf(`\n      ```\n`)\n```", ("f(`\n      ```\n`)\n", "javascript")),
        ("```ruby\nputs 1\n", None),
        ("```py\nprint(1)\n```", ("print(1)\n", "python")),
        ("text\n```\n", None),
        ("inline ```js 1``` code", None),
        ("```js 1``` code", None),
    ],
)
def test_blocks_as_models_write_them(answer, found):
    assert extract_code(answer) == found


def test_a_model_that_acts_by_code():
    tool = create_sandbox_tool(tools=[weather])
    assert "weather" in tool.codeact_prompt() and "```javascript" in tool.codeact_prompt()
    answers = iter(["Let me see.\n```javascript\nconsole.log(await weather({city: 'Oslo'}))\n```", "It is sunny."])
    seen = []
    for answer in answers:
        program = extract_code(answer)
        if program is None:
            break
        seen.append(tool.run(*program))
    assert seen == ["sunny in Oslo"]


def test_the_types_of_the_sdks():
    openai = pytest.importorskip("openai")
    anthropic = pytest.importorskip("anthropic")
    from openai.types.chat import ChatCompletionFunctionToolParam
    from openai.types.responses import FunctionTool
    from pydantic import TypeAdapter

    assert openai and anthropic
    tool = create_sandbox_tool(tools=[weather])
    TypeAdapter(ChatCompletionFunctionToolParam).validate_python(tool.as_openai_tool(), strict=True)
    made = FunctionTool.model_validate(tool.as_openai_tool(api="responses"))
    assert made.strict is True
    TypeAdapter(anthropic.types.ToolParam).validate_python(tool.as_anthropic_tool())
    (again,) = from_openai_tools([FunctionTool.model_validate({"type": "function", "strict": False, **FUNCTION})], {"weather": weather})
    assert again.schema == SCHEMA


def test_catch_all_handlers_stay_possible():
    with Sandbox(tool_handler=lambda method, params: method, capabilities=[MethodCapability("a/**")]) as sandbox:
        assert SandboxTool(sandbox).run("return await a.b.c({})", "javascript") == "a/b/c"
