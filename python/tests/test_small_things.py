"""Words and kinds of errors, and other small promises."""

import asyncio
import os

import pytest

import pinfold
from pinfold import CapabilityError, Limits, MethodCapability, Sandbox, Tool, create_sandbox_tool, load_policy


def pay(n: int = 0) -> int:
    return n


def test_a_limit_says_its_value():
    for isolation in (None, "process"):
        with Sandbox(isolation=isolation, limits=Limits(wall_seconds=0.2)) as sandbox:
            result = sandbox.run("sleep 9")
            assert (result.limit, result.limit_value) == ("wall_seconds", 0.2)
            result = sandbox.run("while :; do :; done", limits=Limits(cpu_seconds=0.1, wall_seconds=9))
            assert (result.limit, result.limit_value) == ("cpu_seconds", 0.1)
            result = sandbox.run("sleep 9", timeout=0.1, limits=Limits(wall_seconds=30))
            assert (result.limit, result.limit_value) == ("timeout", 0.1)
            assert sandbox.run("true").limit_value is None
    with Sandbox(limits=Limits(cpu_seconds=0.1)) as sandbox:
        with pytest.raises(pinfold.ExecutionError, match=r"stopped at the limit cpu_seconds \(0.1 s\)"):
            sandbox.shell("while :; do :; done")
    few = create_sandbox_tool([pay], limits=Limits(tool_calls=1))
    assert "(tool_calls: 1)" in few.run("pay; pay", "shell")


def test_tuples():
    def move(to: tuple[int, str], size: tuple[float, float] = (1.0, 2.0), nothing: tuple[()] = ()) -> str:
        assert isinstance(to, tuple) and isinstance(size, tuple) and nothing == ()
        return repr((to, size))

    tool = Tool.from_function(move)
    assert tool.schema["properties"]["to"]["prefixItems"] == [{"type": "integer"}, {"type": "string"}]
    sandbox = create_sandbox_tool([tool])
    assert sandbox.run("return await move({to: [1, 'a'], size: [3, 4.5]})", "javascript") == "((1, 'a'), (3, 4.5))"
    assert "((1, 'a'), " in sandbox.run("return await move({to: [1, 'a']})", "javascript")
    for wrong in ("[1]", "['a', 1]", "[1, 'a', 2]"):
        assert "ToolError" in sandbox.run(f"return await move({{to: {wrong}}})", "javascript")


def test_an_async_approve_needs_arun_under_a_loop():
    async def approve(call):
        return True

    tool = create_sandbox_tool([pay], ask=True, approve=approve)
    assert tool.run("pay", "shell") == "0"

    async def main():
        with pytest.raises(RuntimeError, match=r"approve is async .* `await sandbox.arun"):
            tool.run("pay", "shell")
        return await tool.arun("pay", "shell")

    assert asyncio.run(main()) == "0"


def test_a_policy_from_a_file(tmp_path):
    path = tmp_path / "policy.json"
    path.write_text('{"capabilities": [{"method": "pay", "max_calls": 3}]}')
    assert load_policy(path) == [MethodCapability("pay", max_calls=3)]
    path.write_text("{")
    with pytest.raises(CapabilityError, match="policy.json: "):
        load_policy(path)
    path.write_bytes(b"\xff")
    with pytest.raises(CapabilityError, match="policy.json: "):
        load_policy(path)
    with pytest.raises(FileNotFoundError):
        load_policy(tmp_path / "none")
    with pytest.raises(CapabilityError) as refused:
        load_policy("policy.json")
    assert "pathlib.Path" in refused.value.__notes__[0]


def test_errors_of_replays_are_their_own(tmp_path):
    with pytest.raises(pinfold.TraceError) as refused:
        pinfold.replay(b"no trace")
    assert isinstance(refused.value, (pinfold.ReplayError, ValueError))
    assert not isinstance(refused.value, pinfold.SnapshotError)


def test_hints():
    with Sandbox() as sandbox:
        with pytest.raises(FileNotFoundError) as refused:
            sandbox.run("true", cwd="/none")
        assert "in the sandbox" in refused.value.__notes__[0]
        with pytest.raises(KeyError) as missing:
            sandbox.files["nothing"]
        assert "/workspace/nothing" in missing.value.__notes__[0]


def test_os_fork_copies_a_sandbox():
    with Sandbox(limits=Limits(cpu_seconds=1)) as sandbox:
        sandbox.run("x=1; echo parent > f")
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                same = sandbox.run("echo $x; cat f; x=2; echo child > f").stdout == "1\nparent\n"
                ends = sandbox.run("while :; do :; done", limits=Limits(cpu_seconds=0.1)).limit == "cpu_seconds"
                code = 0 if same and ends and Sandbox().run("echo new").stdout == "new\n" else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert sandbox.run("echo $x; cat f").stdout == "1\nparent\n"
