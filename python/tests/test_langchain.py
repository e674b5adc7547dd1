"""LangChain and LangGraph, their real packages; only the model is scripted."""

import asyncio

import pytest

pytest.importorskip("langchain_core")

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import StructuredTool, tool
from pydantic import BaseModel, Field

from pinfold import Sandbox, create_sandbox_tool


def list_orders(customer: str) -> list[dict]:
    """The orders of a customer."""
    return [{"id": 1, "total": 30}, {"id": 2, "total": 12}]


PROGRAM = "const o = await list_orders({customer: 'c'}); return o.reduce((n, x) => n + x.total, 0)"


def test_one_tool():
    made = create_sandbox_tool(tools=[list_orders]).as_langchain_tool()
    assert made.name == "sandbox" and set(made.args) == {"code", "language"}
    assert made.args["language"]["enum"] == ["javascript", "python", "shell"]
    assert "list_orders" in made.description
    assert made.invoke({"code": PROGRAM, "language": "javascript"}) == "42"
    assert asyncio.run(made.ainvoke({"code": "list_orders --customer c | jq length", "language": "shell"})) == "2"
    with pytest.raises(ValueError):
        made.invoke({"code": "x", "language": "perl"})


def test_two_tools():
    js, shell = create_sandbox_tool(tools=[list_orders]).as_langchain_tools()
    assert (js.name, shell.name) == ("sandbox_js", "sandbox_shell")
    assert js.invoke({"code": "await fs.writeFile('x', 'shared')"}) == "(no output)"
    assert shell.invoke({"command": "cat x"}) == "shared"


class Search(BaseModel):
    words: str = Field(description="what to look for")
    limit: int = Field(default=3, ge=1, le=10)


def test_langchain_tools_inside():
    calls = []

    @tool
    def double(n: int) -> int:
        """Doubles a number."""
        return 2 * n

    def search(words: str, limit: int) -> list[str]:
        calls.append("sync")
        return [words] * limit

    async def asearch(words: str, limit: int) -> list[str]:
        calls.append("async")
        return [words] * limit

    found = StructuredTool.from_function(search, asearch, name="search.words", description="Searches.", args_schema=Search)
    sandbox = create_sandbox_tool(tools=[double, found])
    assert [t.name for t in sandbox.tools] == ["double", "search.words"]
    assert sandbox.tools[1].schema["properties"]["words"]["description"] == "what to look for"
    program = "return [await double({n: 21}), await search.words({words: 'x', limit: 2})]"
    assert sandbox.run(program, "javascript") == '[42,["x","x"]]'
    assert asyncio.run(sandbox.arun(program, "javascript")) == '[42,["x","x"]]'
    assert calls == ["sync", "async"]
    assert "limit" in sandbox.run("search.words({words: 'x', limit: 11})".join(["await ", ""]), "javascript")


def test_a_tool_that_is_only_async():
    async def slow(n: int) -> int:
        """Waits."""
        await asyncio.sleep(0)
        return n + 1

    sandbox = create_sandbox_tool(tools=[StructuredTool.from_function(coroutine=slow, name="slow")])
    assert sandbox.run("return await slow({n: 1})", "javascript") == "2"


def test_an_agent_of_langgraph():
    langgraph = pytest.importorskip("langgraph.prebuilt")

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools, **kwargs):
            assert [t.name for t in tools] == ["sandbox"]
            return self

    arguments = {"code": PROGRAM, "language": "javascript"}
    call = {"name": "sandbox", "args": arguments, "id": "call_1", "type": "tool_call"}
    script = [AIMessage(content="", tool_calls=[call]), AIMessage(content="The total is 42.")]
    for run in ("invoke", "ainvoke"):
        with Sandbox() as unused:  # several sandboxes side by side
            made = create_sandbox_tool(tools=[list_orders]).as_langchain_tool()
            agent = langgraph.create_react_agent(Scripted(messages=iter(script)), [made])
            question = {"messages": [("user", "What did c order for?")]}
            state = agent.invoke(question) if run == "invoke" else asyncio.run(agent.ainvoke(question))
            assert unused.run("echo").ok
        (told,) = [m for m in state["messages"] if isinstance(m, ToolMessage)]
        assert told.content == "42" and state["messages"][-1].content == "The total is 42."


@pytest.mark.parametrize("asynchronous", [False, True])
def test_langgraph_codeact(asynchronous):
    """Its documented flow: a model writes programs until it answers in words."""
    codeact = pytest.importorskip("langgraph_codeact")
    from langgraph.checkpoint.memory import MemorySaver

    sandbox = create_sandbox_tool(tools=[list_orders])
    model = GenericFakeChatModel(
        messages=iter(
            [
                AIMessage(f"Let me see.\n\n```javascript\n{PROGRAM.replace('; ', ';' + chr(10))}\n```\n"),
                AIMessage("```javascript\nawait fs.writeFile('sum', '42')\nthrow new Error('oh')\n```"),
                AIMessage("```javascript\nreturn await fs.readFile('sum')\n```"),
                AIMessage("They come to 42."),
            ]
        )
    )
    evaluate = sandbox.as_codeact_eval(asynchronous=asynchronous)
    agent = codeact.create_codeact(model, [], evaluate, prompt=sandbox.codeact_prompt())
    agent = agent.compile(checkpointer=MemorySaver())
    config = {"configurable": {"thread_id": 1}}
    question = {"messages": [{"role": "user", "content": "What do the orders of c come to?"}]}
    if asynchronous:
        state = asyncio.run(agent.ainvoke(question, config))
    else:
        state = agent.invoke(question, config)
    said = [message.content for message in state["messages"]]
    assert said[2] == "42" and "Error: oh" in said[4] and said[6] == "42"
    assert said[-1] == "They come to 42."
