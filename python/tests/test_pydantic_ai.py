"""PydanticAI, its real package; only the model is scripted."""

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from pinfold import create_sandbox_tool


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def test_an_agent():
    program = {"code": "console.log(await weather({city: 'Oslo'}))", "language": "javascript"}

    def model(messages, info):
        returned = [p for p in messages[-1].parts if isinstance(p, ToolReturnPart)]
        if not returned:
            (offered,) = info.function_tools
            assert offered.name == "sandbox" and "weather" in offered.description
            return ModelResponse(parts=[ToolCallPart("sandbox", program)])
        return ModelResponse(parts=[TextPart(f"It is {returned[0].content}.")])

    made = create_sandbox_tool(tools=[weather]).as_pydantic_ai_tool()
    assert Agent(FunctionModel(model), tools=[made]).run_sync("How is Oslo?").output == "It is sunny in Oslo."


def test_its_tools_inside():
    sandbox = create_sandbox_tool(tools=[Tool(weather, name="look_up", description="Looks up.")])
    (tool,) = sandbox.tools
    assert (tool.name, tool.description) == ("look_up", "Looks up.")
    assert sandbox.run("look_up --city Oslo --raw", "shell") == "sunny in Oslo"

    def needs_context(ctx: RunContext, city: str) -> str:
        return city

    with pytest.raises(ValueError, match="run context"):
        create_sandbox_tool(tools=[Tool(needs_context)])
