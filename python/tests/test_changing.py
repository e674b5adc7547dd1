"""A live sandbox that changes: tools come and go, it is reset; and what all of its runs cost."""

import asyncio

import pytest

import pinfold
from pinfold import AuditLog, Limits, MethodCapability, Sandbox, SandboxStateError, SandboxTool, create_sandbox_tool


def pay(n: int = 0) -> int:
    return n


def greet(name: str) -> str:
    return f"hello {name}"


@pytest.fixture(params=[None, "process"])
def isolation(request):
    return request.param


@pytest.fixture
def sandbox(isolation):
    granted = [MethodCapability("pay", max_calls=3)]
    with Sandbox(tools=[pay], capabilities=granted, isolation=isolation, files={"given": "g"}) as sandbox:
        yield sandbox


def test_a_tool_that_comes(sandbox):
    sandbox.run("x=1; cd /tmp; echo f > f; pay")
    files = sandbox.files
    with pytest.raises(ValueError, match="already"):
        sandbox.add_tools([pay])
    assert sandbox.run("greet --name Ada").exit_code == 127
    sandbox.add_tools([greet])
    assert "no capability" in sandbox.run("greet --name Ada").stderr or sandbox.result.exit_code == 126
    sandbox.remove_tools("greet")
    sandbox.add_tools([greet], [MethodCapability("greet", {"name": ["Ada"]})])
    said = sandbox.run("greet --name Ada; greet --name Bo; echo $x $PWD; cat f; tool --list")
    assert '"hello Ada"' in said.stdout and "1 /tmp\nf\n" in said.stdout and "denied" in said.stderr
    assert sandbox.run("return await greet({name: 'Ada'})", "javascript").value == "hello Ada"
    assert [tool.name for tool in sandbox.tools] == ["pay", "greet"]
    assert sandbox.files is files and files["/tmp/f"] == b"f\n"
    assert sandbox.calls_left(sandbox.capabilities[0]) == 2


def test_a_tool_that_goes(sandbox):
    sandbox.add_tools([greet], [MethodCapability("greet")])
    sandbox.run("pay; pay")
    sandbox.remove_tools("greet")
    gone = sandbox.run("greet --name Ada; tool greet --name Ada; tool --list; find /tools")
    assert "greet" not in gone.stdout and "greet: command not found\ntool: unknown tool: greet\n" in gone.stderr
    with pytest.raises(pinfold.ExecutionError, match="greet is not defined"):
        sandbox.execute("await greet({name: 'Ada'})")
    assert sandbox.calls_left(sandbox.capabilities[0]) == 1
    assert [c.method_pattern for c in sandbox.capabilities] == ["pay"]
    with pytest.raises(KeyError):
        sandbox.remove_tools("greet")
    sandbox.remove_tools("pay")
    assert sandbox.run("find /tools -type f; tool --list").stdout == ""


def test_not_while_a_run_is_on(sandbox):
    sandbox.start("pay")
    for change in (lambda: sandbox.add_tools([greet]), lambda: sandbox.remove_tools("pay")):
        with pytest.raises(SandboxStateError, match="a run is on"):
            change()
    assert sandbox.finish().stdout == "0\n"


def test_what_cannot_be_changes_nothing(sandbox):
    with pytest.raises(ValueError):
        sandbox.add_tools([greet], [MethodCapability("greet", {"nobody": 1})])
    assert [tool.name for tool in sandbox.tools] == ["pay"] and sandbox.run("pay").ok


def test_the_audit_log_goes_on(isolation):
    entries = []
    with Sandbox(tools=[pay], capabilities=[MethodCapability("pay")], audit=AuditLog(entries.append), isolation=isolation) as sandbox:
        sandbox.add_tools([greet], [MethodCapability("greet")])
        sandbox.remove_tools("pay")
        sandbox.run("greet --name Ada")
        decided = [entry for entry in entries if entry["event"] == "decision"]
        assert decided[0]["rule"]["method"] == "greet"


def test_recordings_go_on_in_traces_of_their_own(tmp_path, isolation):
    with Sandbox(record=tmp_path / "run.jsonl", isolation=isolation) as sandbox:
        sandbox.run("echo one > f")
        sandbox.add_tools([greet], [MethodCapability("greet")])
        sandbox.run("cat f; greet --name Ada")
        sandbox.reset()
        sandbox.run("ls")
    assert [r.stdout for r in pinfold.replay(tmp_path / "run.jsonl").results] == [""]
    assert [r.stdout for r in pinfold.replay(tmp_path / "run.1.jsonl").results] == ['one\n"hello Ada"\n']
    assert [r.stdout for r in pinfold.replay(tmp_path / "run.2.jsonl").results] == [""]


def test_reset(sandbox):
    sandbox.run("x=1; cd /tmp; rm /workspace/given; echo f > f; pay; (sleep 1000; echo never) &")
    files = sandbox.files
    sandbox.start("pay; touch more")
    sandbox.reset()
    assert sandbox.pending == [] and sandbox.result is None
    assert sandbox.run("echo ${x-unset} $PWD; ls /tmp; ls; jobs").stdout == "unset /workspace\ngiven\n"
    assert sandbox.files is files and files["given"] == b"g"
    assert sandbox.calls_left(sandbox.capabilities[0]) == 1  # what was spent stays spent
    assert sandbox.run("pay; pay").stdout == "0\n"
    sandbox.reset()
    assert "all 3 calls of pay are used up" in sandbox.run("pay").stderr


def test_reset_keeps_to_clock_seed_and_mounts(tmp_path):
    (tmp_path / "f").write_text("mounted")
    with Sandbox(clock=1e9, seed=7, mounts={"/data": (tmp_path, "copy")}) as sandbox:
        first = sandbox.run("date +%s; echo $RANDOM; cat /data/f; echo changed > /data/f").stdout
        sandbox.reset()
        assert sandbox.run("date +%s; echo $RANDOM; cat /data/f").stdout == first


def test_usage_of_all_runs(sandbox):
    assert sandbox.usage.runs == 0
    sandbox.run("pay")
    asyncio.run(sandbox.arun("pay"))
    sandbox.start("pay; echo")
    while sandbox.step():
        sandbox.resume(1)
    usage = sandbox.usage
    assert (usage.runs, usage.tool_calls) == (3, 3)
    assert usage.wall_seconds > 0 and usage.memory_bytes >= sandbox.result.usage.memory_bytes
    with sandbox.fork() as branch:
        assert branch.usage.runs == 0 and sandbox.usage.runs == 3


def test_a_tool_for_models(isolation):
    tool = create_sandbox_tool([pay], isolation=isolation)
    before = tool.description
    tool.add_tools([greet], constraints={"greet": {"name": ["Ada"]}}, max_calls=1)
    assert "greet" in tool.description and "greet" not in before
    assert tool.run("greet --name Ada", "shell") == '"hello Ada"'
    assert "used up" in tool.run("greet --name Ada", "shell")
    tool.run("x=1", "shell")
    tool.reset()
    assert tool.run("echo ${x-unset}", "shell") == "unset"
    tool.remove_tools("greet")
    assert "greet" not in tool.description
    assert tool.run("pwd; echo $A", "shell", cwd="/tmp", env={"A": "b"}) == "/tmp\nb"
    assert "[error]" in tool.run("sleep 60", "shell", timeout=0.2)
    assert "budget" in tool.run("pay; pay", "shell", budget=1)
    assert tool.run("echo 0123456789", "shell", limits=Limits(output_bytes=4)).startswith("0123")
    pieces = []
    text, result = tool.run_result("echo hi", "shell", on_output=lambda data, stream: pieces.append(data), binary=True)
    assert (text, result.stdout, pieces) == ("hi", "hi\n", [b"hi\n"])
    assert asyncio.run(tool.arun("pwd", "shell", cwd="/tmp")) == "/tmp"
    tool.close()


def test_a_reset_that_may_not_be():
    with SandboxTool() as tool:
        tool.sandbox.close()
        with pytest.raises(pinfold.SandboxClosed):
            tool.reset()
