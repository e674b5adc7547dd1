"""The sandbox behind the interfaces of frameworks: each with its real package, and no network."""

import asyncio
import json

import pytest

from pinfold import create_sandbox_tool


def pay(to: str, amount: int) -> str:
    """Pays somebody."""
    return f"sent {amount} to {to}"


def granted():
    return create_sandbox_tool(tools=[pay], constraints={"pay": {"amount": "<=10"}})


CODE = "return await pay({to: 'ada', amount: 5})"


def test_deepagents():
    pytest.importorskip("deepagents.backends.sandbox")
    from pinfold.integrations.deepagents import PinfoldBackend

    backend = PinfoldBackend(granted())
    assert backend.id != PinfoldBackend().id
    done = backend.execute("cd /tmp; pay --to ada --amount 5; ls nowhere")
    assert done.exit_code == 2 and '"sent 5 to ada"' in done.output and "No such file" in done.output
    assert backend.execute("pwd").output == "/tmp\n"
    up = backend.upload_files([("/workspace/a.txt", b"one\ntwo\n"), ("/workspace", b"x")])
    assert up[0].error is None and up[1].error is not None
    down = backend.download_files(["/workspace/a.txt", "/workspace/none"])
    assert (down[0].content, down[1].error) == (b"one\ntwo\n", "file_not_found")
    # The framework's own file tools, which are scripts for the sandbox.
    assert "two" in str(backend.read("/workspace/a.txt"))
    assert backend.write("/workspace/b.txt", "three\n").error is None
    assert backend.edit("/workspace/b.txt", "three", "four").error is None
    assert backend.execute("cat /workspace/b.txt").output == "four\n"
    assert [match["path"] for match in backend.grep("two", "/workspace").matches] == ["/workspace/a.txt"]
    assert any("a.txt" in entry["path"] for entry in backend.ls("/workspace").entries)
    assert backend.execute("sleep 5", timeout=1).exit_code != 0


def test_autogen():
    pytest.importorskip("autogen_core.code_executor")
    from autogen_core import CancellationToken
    from autogen_core.code_executor import CodeBlock

    from pinfold.integrations.autogen import PinfoldCodeExecutor

    async def main():
        async with PinfoldCodeExecutor(granted()) as executor:
            blocks = [CodeBlock(CODE, "javascript"), CodeBlock("x=1; exit 3", "bash"), CodeBlock("echo never", "sh")]
            done = await executor.execute_code_blocks(blocks, CancellationToken())
            assert done.exit_code == 3 and done.output.startswith("sent 5 to ada\n") and "never" not in done.output
            await executor.execute_code_blocks([CodeBlock("echo a > f", "sh")], CancellationToken())
            await executor.restart()
            gone = await executor.execute_code_blocks([CodeBlock("cat f", "sh")], CancellationToken())
            assert gone.exit_code == 1
            odd = await executor.execute_code_blocks([CodeBlock("x", "cobol")], CancellationToken())
            assert odd.exit_code == 1 and "cobol" in odd.output
            token = CancellationToken()
            asyncio.get_running_loop().call_later(0.2, token.cancel)
            with pytest.raises(asyncio.CancelledError):
                await executor.execute_code_blocks([CodeBlock("sleep 100", "sh")], token)
            with pytest.raises(ValueError, match="tools"):
                executor.dump_component()

    asyncio.run(main())


def test_smolagents():
    pytest.importorskip("smolagents.local_python_executor")
    from smolagents import CodeAgent, Model, tool
    from smolagents.models import ChatMessage

    from pinfold.integrations.smolagents import PinfoldExecutor

    @tool
    def double(n: int) -> int:
        """Doubles.

        Args:
            n: the number
        """
        return n * 2

    class Scripted(Model):
        texts = iter([
            "Thought: try\n<code>\nimport os\nprint(os.uname().nodename)\nprint(double(4), double(n=5))\n</code>",
            "Thought: done\n<code>\nfinal_answer(double(21))\n</code>",
        ])  # fmt: skip

        def generate(self, messages, **kwargs):
            return ChatMessage(role="assistant", content=next(self.texts))

    executor = PinfoldExecutor()
    agent = CodeAgent(tools=[double], model=Scripted(), executor=executor, additional_authorized_imports=["os"], verbosity_level=0)
    assert agent.run("double it") == 42
    seen = [step for step in agent.memory.steps if getattr(step, "observations", None)]
    assert "pinfold\n8 10" in seen[0].observations
    executor.send_variables({"x": [1, 2]})
    assert executor("sum(x)").output == 3
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        executor("1 / 0")
    with pytest.raises(TypeError, match="not JSON"):
        executor.send_variables({"f": print})


def test_openai_agents():
    pytest.importorskip("agents.sandbox")
    from agents import RunConfig, Runner
    from agents.run_config import SandboxRunConfig
    from agents.sandbox import SandboxAgent
    from agents.sandbox.capabilities import Filesystem, Shell
    from agents.sandbox.entries import File
    from agents.sandbox.manifest import Manifest
    from agents.testing import ScriptedModel, assistant_message, function_call

    from pinfold.integrations.openai_agents import PinfoldFunctions, PinfoldSandboxClient

    def command(id, **arguments):
        return [function_call("exec_command", json.dumps({"yield_time_ms": 5000, **arguments}), call_id=id)]

    model = ScriptedModel([
        command("a", cmd="cat notes/plan.txt; pwd; pay --to ada --amount 5; echo draft > out.txt"),
        command("b", cmd="node pay.js; pay --to ada --amount 50; exit 3"),
        command("c", cmd="read name; echo hello $name; cat", yield_time_ms=300),
        [function_call("write_stdin", json.dumps({"session_id": 3, "chars": "Ada\n", "yield_time_ms": 300}), call_id="d")],
        [assistant_message("done")],
    ])  # fmt: skip
    manifest = Manifest(entries={
        "notes/plan.txt": File(content=b"plan\n"),
        "pay.js": File(content=b"console.log(await pay({to: 'bob', amount: 1}))"),
    })
    agent = SandboxAgent(name="worker", model=model, instructions="Work.", default_manifest=manifest,
                         capabilities=[Filesystem(), Shell(), PinfoldFunctions()])  # fmt: skip
    client = PinfoldSandboxClient(granted())

    async def main():
        config = RunConfig(sandbox=SandboxRunConfig(client=client), tracing_disabled=True)
        result = await Runner.run(agent, "go", run_config=config)
        assert result.final_output == "done"
        return {item.raw_item["call_id"]: item.output for item in result.new_items if item.type == "tool_call_output_item"}

    said = asyncio.run(main())
    assert 'plan\n/workspace\n"sent 5 to ada"' in said["a"] and "code 0" in said["a"]
    assert "sent 1 to bob" in said["b"] and "amount must be <= 10 (it is 50)" in said["b"] and "code 3" in said["b"]
    assert "session ID 3" in said["c"] and "hello Ada" in said["d"]
    first = model.calls[0]
    assert "declare function pay" in str(first.system_instructions)


def test_openai_agents_session():
    pytest.importorskip("agents.sandbox")
    import io
    from pathlib import Path

    from agents.sandbox.errors import ExecTimeoutError, InvalidManifestPathError, WorkspaceReadNotFoundError
    from agents.sandbox.manifest import Manifest
    from agents.sandbox.snapshot import LocalSnapshotSpec

    from pinfold.integrations.openai_agents import PinfoldSandboxClient

    async def main(folder):
        client = PinfoldSandboxClient(granted())
        session = await client.create(snapshot=LocalSnapshotSpec(base_path=Path(folder)), manifest=Manifest())
        async with session:
            await session.write(Path("a/b.txt"), io.BytesIO(b"one\n"))
            assert (await session.read(Path("a/b.txt"))).read() == b"one\n"
            with pytest.raises(WorkspaceReadNotFoundError):
                await session.read(Path("none"))
            ran = await session.exec("ln -s /etc out; chmod +x a/b.txt; cat a/b.txt; pwd >&2; exit 4")
            assert (ran.stdout, ran.stderr, ran.exit_code) == (b"one\n", b"/workspace\n", 4)
            with pytest.raises(InvalidManifestPathError):
                await session.read(Path("out/passwd"))
            with pytest.raises(ExecTimeoutError):
                await session.exec("sleep 100", timeout=0.2)
            both = await asyncio.gather(*(session.exec(f"sleep 0.01; echo {n}") for n in range(3)))
            assert [one.stdout for one in both] == [b"0\n", b"1\n", b"2\n"]
            assert {Path(entry.path).name for entry in await session.ls("a")} == {"b.txt"}
            await session.mkdir("deep/er", parents=True)
            await session.mv("a/b.txt", "deep/er/c.txt")
            await session.exec("rm out")
            await session.apply_patch({"type": "create_file", "path": "new.txt", "diff": "+hello\n"})
            with pytest.raises(ValueError, match="one user"):
                await session.exec("id", user="root")
            saved = client.serialize_session_state(session.state)
        again = PinfoldSandboxClient(granted())
        async with await again.resume(again.deserialize_session_state(json.loads(json.dumps(saved)))) as resumed:
            done = await resumed.exec("cat deep/er/c.txt new.txt; [ -x deep/er/c.txt ] && pay --to ada --amount 2")
            assert done.stdout == b'one\nhello"sent 2 to ada"\n', done
        with pytest.raises(ValueError, match="/workspace"):
            await client.create(manifest=Manifest(root="/etc"))

    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(folder))


def test_pydantic_ai_toolset():
    pytest.importorskip("pydantic_ai.toolsets")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    from pinfold.integrations.pydantic_ai import PinfoldToolset

    def scripted(messages, info):
        assert "pay" in info.function_tools[0].description
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("run_script", {"code": CODE, "language": "javascript"})])
        return ModelResponse(parts=[TextPart(str(messages[-1].parts[0].content))])

    agent = Agent(FunctionModel(scripted), toolsets=[PinfoldToolset(granted())])
    assert agent.run_sync("pay").output == "sent 5 to ada"


def test_llama_index():
    pytest.importorskip("llama_index.core.tools")
    from pinfold.integrations.llama_index import as_llama_index_tool

    tool = as_llama_index_tool(granted())
    assert "declare function pay" in tool.metadata.description
    assert set(tool.metadata.get_parameters_dict()["properties"]) == {"code", "language"}
    assert tool.call(code=CODE, language="javascript").content == "sent 5 to ada"
    assert asyncio.run(tool.acall(code="echo hi", language="shell")).content == "hi"


def test_strands():
    pytest.importorskip("strands.tools.tools")
    from strands import Agent
    from strands.models import Model

    from pinfold.integrations.strands import as_strands_tool

    class Scripted(Model):
        def update_config(self, **config):
            pass

        def get_config(self):
            return {}

        async def structured_output(self, *args, **kwargs):
            yield {}

        async def stream(self, messages, *args, **kwargs):
            yield {"messageStart": {"role": "assistant"}}
            results = [part["toolResult"] for m in messages for part in m["content"] if "toolResult" in part]
            if results:
                yield {"contentBlockStart": {"start": {}}}
                yield {"contentBlockDelta": {"delta": {"text": results[-1]["content"][0]["text"]}}}
                yield {"contentBlockStop": {}}
                yield {"messageStop": {"stopReason": "end_turn"}}
                return
            yield {"contentBlockStart": {"start": {"toolUse": {"name": "run_script", "toolUseId": "t1"}}}}
            given = json.dumps({"code": CODE, "language": "javascript"})
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": given}}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "tool_use"}}

    agent = Agent(model=Scripted(), tools=[as_strands_tool(granted())], callback_handler=None)
    assert "sent 5 to ada" in str(agent("pay"))


def test_crewai():
    pytest.importorskip("crewai.tools")
    from pinfold.integrations.crewai import PinfoldTool

    tool = PinfoldTool(granted())
    assert "declare function pay" in tool.description
    assert tool.run(code=CODE, language="javascript") == "sent 5 to ada"
    structured = tool.to_structured_tool()
    assert structured.invoke({"code": "echo hi", "language": "shell"}) == "hi"


def test_langgraph_checkpoints_carry_a_sandbox():
    pytest.importorskip("langgraph.graph")
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import END, START, StateGraph
    from typing_extensions import TypedDict

    from pinfold import MethodCapability
    from pinfold.integrations.langgraph import Carried

    class State(TypedDict, total=False):
        task: str
        said: str
        sandbox: bytes

    carried = Carried(tools=[pay], capabilities=[MethodCapability("pay", max_calls=2)], key=b"k" * 32)

    def work(state):
        update = {}
        with carried.using(state, update) as sandbox:
            update["said"] = sandbox.run(state["task"]).stdout
        return update

    graph = StateGraph(State).add_node("work", work).add_edge(START, "work").add_edge("work", END)
    saver = InMemorySaver()
    thread = {"configurable": {"thread_id": "1"}}
    first = graph.compile(checkpointer=saver)
    first.invoke({"task": "x=7; echo draft > plan; pay --to ada --amount 1"}, thread)
    again = graph.compile(checkpointer=saver)  # as another process would
    assert again.invoke({"task": "echo $x; cat plan"}, thread)["said"] == "7\ndraft\n"
    assert "sent" in again.invoke({"task": "pay --to ada --amount 2"}, thread)["said"]
    assert again.invoke({"task": "pay --to ada --amount 3; echo $?"}, thread)["said"] == "126\n"
