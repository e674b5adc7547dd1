"""What one run has of its own: cwd, env, limits, budget; and what the session has afterwards."""

import asyncio

import pytest

import pinfold
from pinfold import Limits, MethodCapability, Sandbox


def pay(n: int = 0) -> int:
    return n


@pytest.fixture(params=[None, "process"])
def sandbox(request):
    granted = [MethodCapability("pay", max_calls=10)]
    with Sandbox(tools=[pay], capabilities=granted, isolation=request.param) as sandbox:
        yield sandbox


def test_the_session_has_its_own_again_afterwards(sandbox):
    sandbox.run("cd /tmp; x=41; export Y=1; declare -r R=ro; arr=(1 2); unset GONE")
    own = {"x": "1", "Y": "2", "GONE": "here", "R": "new", "arr": "text"}
    inside = sandbox.run('pwd; echo $x $Y $GONE $R $arr $OLDPWD; env | grep -c ^GONE=; cd /usr; unset x', cwd="/", env=own)
    assert inside.stdout == "/\n1 2 here new text /tmp\n1\n"
    after = sandbox.run('pwd; echo $x $Y $R ${arr[@]} ${GONE-gone} $OLDPWD; declare -p Y R')
    assert after.stdout == '/tmp\n41 1 ro 1 2 gone /workspace\ndeclare -x Y="1"\ndeclare -r R="ro"\n'


@pytest.mark.parametrize("how", [{"isolated": True}, {"language": "javascript"}, {"language": "python"}])
def test_processes_of_their_own_start_there(sandbox, how):
    code = {
        "javascript": "console.log(process.cwd(), process.env.A, process.env.HOME)",
        "python": "import os; print(os.getcwd(), os.environ['A'], os.environ['HOME'])",
    }.get(how.get("language"), "echo $PWD $A $HOME")
    assert sandbox.run(code, cwd="/tmp", env={"A": "é b"}, **how).stdout == "/tmp é b /workspace\n"


def test_a_relative_cwd_starts_at_the_workspace(sandbox):
    sandbox.files["a/b"] = b""
    assert sandbox.run("cd /; pwd", cwd="a").stdout == "/\n"
    assert sandbox.run("pwd", cwd="a").stdout == "/workspace/a\n"


def test_a_cwd_that_is_none_is_an_error_before_anything_runs(sandbox):
    with pytest.raises(FileNotFoundError, match="/nowhere"):
        sandbox.run("touch ran", cwd="/nowhere")
    with pytest.raises(NotADirectoryError):
        sandbox.run("touch ran", "javascript", cwd="/etc/passwd")
    with pytest.raises(ValueError):
        sandbox.run("touch ran", env={"A=B": "1", "": "x"})
    with pytest.raises(TypeError):
        sandbox.run("touch ran", cwd=7)
    assert sandbox.run("ls").stdout == ""


def test_a_session_that_ends_takes_its_place_with_it(sandbox):
    assert sandbox.run("exit 3", cwd="/", env={"Q": "1"}).exit_code == 3
    assert sandbox.run("pwd; echo ${Q-none}").stdout == "/workspace\nnone\n"


def test_a_directory_that_moved_is_still_gone_back_to(sandbox):
    sandbox.run("mkdir here; cd here")
    sandbox.run("mv /workspace/here /workspace/there", cwd="/")
    assert sandbox.run("pwd -P").stdout == "/workspace/there\n"


def test_limits_of_a_run(sandbox):
    cut = sandbox.run("echo 0123456789", limits=Limits(output_bytes=4))
    assert (cut.stdout, cut.truncated) == ("0123", True)
    assert sandbox.run("echo 0123456789").stdout == "0123456789\n"
    assert sandbox.run("while :; do :; done", limits=Limits(cpu_seconds=0.1)).limit == "cpu_seconds"
    assert sandbox.run("sleep 30", limits=Limits(wall_seconds=0.1)).limit == "wall_seconds"
    one = sandbox.run("pay --n 1; pay --n 2", limits=Limits(tool_calls=1))
    assert one.stdout == "1\n" and "tool_calls" in one.stderr
    assert sandbox.run("pay --n 1; pay --n 2").stdout == "1\n2\n"
    with pytest.raises(ValueError, match="files is no limit of one run"):
        sandbox.run("true", limits=Limits(files=4))


def test_limits_of_a_run_may_be_higher():
    for isolation in (None, "process"):
        few = Limits(output_bytes=100, tool_calls=1, code_bytes=30)
        with Sandbox(tools=[pay], capabilities=[MethodCapability("pay")], limits=few, isolation=isolation) as sandbox:
            more = Limits(output_bytes=1000, tool_calls=3, code_bytes=100)
            code = "pay; pay; pay; head -c 900 /dev/zero # and a long text"
            assert len(sandbox.run(code, limits=more).stdout) == 906
            assert sandbox.run("pay; pay").stdout == "0\n"
            with pytest.raises(ValueError, match="code_bytes"):
                sandbox.run(code)


def test_only_what_is_named_counts():
    with Sandbox(limits=Limits(output_bytes=8)) as sandbox:
        assert sandbox.run("echo 0123456789", limits=Limits(cpu_seconds=5)).stdout == "01234567"
        assert sandbox.run("echo 0123456789", limits=Limits(output_bytes=1 << 20)).stdout == "0123456789\n"


def test_a_budget_of_a_run(sandbox):
    over = sandbox.run("pay; pay; pay", budget={"pay": 2})
    assert over.stdout == "0\n0\n" and "this run may make 2 calls of pay (budget)" in over.stderr
    assert sandbox.run("pay; pay", budget=1).exit_code == 126
    assert sandbox.run("pay", budget=0).exit_code == 126
    asked = asyncio.run(sandbox.arun("return (await Promise.allSettled([pay(), pay()])).map(p => p.status)", "javascript", budget=1))
    assert asked.value == ["fulfilled", "rejected"]
    assert sandbox.run("pay").ok  # the next run has none
    for bad, error in (({"a..b": 1}, ValueError), (-1, ValueError), ({"pay": "1"}, TypeError), ("pay", TypeError)):
        with pytest.raises(error):
            sandbox.run("true", budget=bad)


def test_a_budget_step_by_step(sandbox):
    sandbox.start("pay --n 1; pay --n 2; echo $?", budget=1)
    given = []
    while call := sandbox.step():
        given.append(call.params["n"])
        sandbox.resume(0)
    assert given == [1] and sandbox.result.stdout == "0\n126\n"


def test_a_branch_in_the_middle_keeps_them(sandbox):
    sandbox.start("pay; pay; pwd; echo $A; head -c 99 /dev/zero", cwd="/tmp", env={"A": "b"}, limits=Limits(tool_calls=2, output_bytes=20), budget=2)
    with sandbox.fork() as branch:
        for one in (branch, sandbox):
            result = one.finish()
            assert result.stdout.startswith("0\n0\n/tmp\nb\n") and result.truncated
            assert one.run("pwd; head -c 99 /dev/zero | wc -c").stdout == "/workspace\n99\n"


def test_a_snapshot_in_the_middle_keeps_the_place(sandbox):
    sandbox.run("A=before; cd /usr")
    sandbox.start("pay; pwd; echo $A", cwd="/tmp", env={"A": "b"}, limits=Limits(output_bytes=4))
    with Sandbox.restore(sandbox.snapshot(), tools=[pay], capabilities=[MethodCapability("pay", max_calls=10)]) as again:
        assert again.finish().stdout == "0\n/tmp\nb\n"
        assert again.run("pwd; echo $A").stdout == "/usr\nbefore\n"


def test_a_trace_has_them(tmp_path):
    for isolation in (None, "process"):
        path = tmp_path / f"{isolation}.jsonl"
        with Sandbox(record=path, isolation=isolation) as sandbox:
            sandbox.run("pwd; echo $A", cwd="/tmp", env={"A": "é"})
            sandbox.run("echo 0123456789", limits=Limits(output_bytes=4))
            with pytest.raises(FileNotFoundError):
                sandbox.run("pwd", cwd="/nowhere")
            sandbox.run("pwd; echo 0123456789", "shell")
        results = [result.stdout for result in pinfold.replay(path).results]
        assert results == ["/tmp\né\n", "0123", "/workspace\n0123456789\n"]


def test_a_trace_cannot_ask_for_more_than_a_replay_allows(tmp_path):
    with Sandbox(record=tmp_path / "t.jsonl") as sandbox:
        sandbox.run("echo", limits=Limits(output_bytes=1 << 30))
    with pytest.raises(pinfold.BoundError, match="output_bytes"):
        pinfold.replay(tmp_path / "t.jsonl")
    assert pinfold.replay(tmp_path / "t.jsonl", limits=Limits(output_bytes=1 << 30)).results[0].stdout == "\n"


def test_output_as_bytes(sandbox):
    pieces = []
    sandbox.run("printf 'a\\xff'; echo e >&2", on_output=lambda data, stream: pieces.append((stream, data)), binary=True)
    assert pieces == [("stdout", b"a\xff"), ("stderr", b"e\n")]

    async def told():
        got = []

        async def tell(data, stream):
            got.append(data)

        await sandbox.arun("printf 'a\\xff'", on_output=tell, binary=True)
        return b"".join(got)

    assert asyncio.run(told()) == b"a\xff"
