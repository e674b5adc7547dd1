"""Recordings as something to move about in: at(), branch(), first()."""

import pytest

from pinfold import (
    Limits,
    MethodCapability,
    Sandbox,
    SandboxStateError,
    TraceError,
    Tool,
    replay,
)

EVERYTHING = [MethodCapability("**")]


def double(n: int) -> int:
    return n * 2


@pytest.fixture
def trace(tmp_path):
    """Three runs in three ways: calls one by one, calls at once, calls in a substitution."""
    path = tmp_path / "run.jsonl"
    with Sandbox(tools=[double], capabilities=EVERYTHING, record=path) as sandbox:
        sandbox.run("for i in 1 2 3; do tool double --n $i >> out; done; echo $RANDOM > r")
        sandbox.run(
            "const a = await Promise.all([double({n: 1}), double({n: 2})]);"
            "fs.writeFileSync('js', a.join() + Math.random())",
            "javascript",
        )
        sandbox.run("x=$(tool double --n 7); echo $x $RANDOM > x; date +%N > d")
    return path


def lines_of(trace):
    return trace.read_text().count("\n")


def test_every_line_is_reached_and_goes_on_to_the_same_end(trace):
    count = lines_of(trace)
    with replay(trace) as whole:
        calls = set()
        for line in range(1, count + 1):
            with whole.at(line) as there, replay(trace, until=line) as slow:
                assert there.line == min(max(line, 2), count - 1) or there.line == line
                assert [r.stdout for r in there.results] == [r.stdout for r in slow.results]
                calls.update(id for id, _, _ in there.pending)
                with there.at(count) as end:
                    for name in ("out", "r", "js", "x", "d"):
                        path = f"/workspace/{name}"
                        assert end.files[path] == whole.files[path]
        assert calls == {1, 2, 3, 4, 5, 6}


def test_a_branch_with_the_recorded_answers_does_what_the_recording_did(trace):
    with replay(trace) as whole:
        line = next(n for n in range(1, lines_of(trace)) if pending(whole, n) == [(2, "double")])
        with whole.at(line) as there:
            with there.branch(tools=[double], capabilities=EVERYTHING) as branch:
                branch.finish()
                assert branch.files["/workspace/out"] == b"2\n4\n6\n"
                assert branch.files["/workspace/r"] == whole.files["/workspace/r"]
            with there.branch(tools=[double], capabilities=EVERYTHING) as other:
                assert other.step().id == 2
                other.resume(100)
                assert other.finish().ok
                assert other.files["/workspace/out"] == b"2\n100\n6\n"
                assert other.run("wc -l < out").stdout == "3\n"
        assert whole.files["/workspace/out"] == b"2\n4\n6\n"  # nobody saw that


def pending(whole, line):
    with whole.at(line) as there:
        return [(id, method) for id, method, _ in there.pending]


def test_authority_of_a_branch_is_what_it_is_given(trace):
    made = []

    def spy(n: int) -> int:
        made.append(n)
        return n

    tools = [Tool.from_function(spy, name="double")]
    with replay(trace) as whole:
        line = next(n for n in range(1, lines_of(trace)) if pending(whole, n) == [(2, "double")])
        with whole.at(line) as there:
            for capabilities in ([], [MethodCapability("**", max_calls=0)]):
                with there.branch(tools=tools, capabilities=capabilities) as branch:
                    result = branch.result
                    assert result is not None and "double: " in result.stderr
                    assert branch.files["/workspace/out"] == b"2\n"
            assert made == []
            # The recorded call has been spent, and the one that waits is charged here.
            with there.branch(tools=tools, capabilities=[MethodCapability("**", max_calls=2)]) as b:
                assert "over its limit" in b.finish().stderr
    assert made == [2]


def test_a_branch_in_a_process_of_its_own(trace):
    with replay(trace) as whole:
        line = next(n for n in range(1, lines_of(trace)) if pending(whole, n) == [(2, "double")])
        with (
            whole.at(line) as there,
            there.branch(tools=[double], capabilities=EVERYTHING, isolation="process") as branch,
        ):
            branch.finish()
            assert branch.files["/workspace/out"] == b"2\n4\n6\n"


def test_first_finds_the_event(trace):
    lines = trace.read_text().splitlines()
    with replay(trace) as whole:
        for want in (1, 2, 3):
            found = whole.first(f"test $(wc -l < out) -ge {want}")
            with whole.at(found) as before, whole.at(found + 1) as after:
                assert before.files.get("/workspace/out", b"").count(b"\n") < want
                assert after.files["/workspace/out"].count(b"\n") >= want
            assert f'"do":"resume","id":{want}' in "".join(lines[:found + 1])
        assert whole.first("false") is None
        assert whole.first("true") == 0
        assert whole.first(lambda sandbox: "/workspace/js" in sandbox.files) is not None


def test_the_check_meets_nobody_and_leaves_nothing(trace):
    """Whatever the run that is on would do next, it does not do it in a check."""
    with replay(trace) as whole:
        assert whole.first("rm -rf /workspace/*; false") is None
        found = whole.first("sleep 0.01; test -e r")
        with whole.at(found) as before:
            assert "/workspace/r" not in before.files


def test_lines_that_are_not_there(trace):
    with replay(trace) as whole:
        for line in (0, -1, lines_of(trace) + 1):
            with pytest.raises(ValueError, match="the trace has the lines 1 to"):
                whole.at(line)
        for line in ("3", 2.0, True):
            with pytest.raises(TypeError):
                whole.at(line)
        with pytest.raises(TypeError, match="unexpected keyword argument 'seed'"):
            whole.branch(seed=1)


def test_a_parked_program_is_gone_around(tmp_path):
    """While it is parked there is no copy; before and after it there is."""
    path = tmp_path / "run.jsonl"
    with Sandbox(tools=[double], capabilities=EVERYTHING, record=path) as sandbox:
        sandbox.run("echo 1 > a")
        sandbox.run("require('child_process').execSync('tool double --n 1; echo > b')", "javascript")
        sandbox.run("echo 1 > c")
    with replay(path) as whole:
        line = next(n for n in range(1, lines_of(path)) if pending(whole, n))
        with whole.at(line) as there, pytest.raises(SandboxStateError, match="parked"):
            there.branch()
        with whole.at(lines_of(path)) as there, there.branch() as branch:
            assert branch.run("ls").stdout == "a\nb\nc\n"


def test_limits_and_redacted_results_hold_everywhere(tmp_path):
    path = tmp_path / "run.jsonl"
    limits = Limits(memory_bytes=1 << 30)
    with Sandbox(
        tools=[double], capabilities=EVERYTHING, record=path, redact=True, limits=limits
    ) as sandbox:
        sandbox.run("tool double --n 4 > out")
    with replay(path, results={1: 8}, limits=limits) as whole:
        assert whole.first("grep -q 8 out") is not None
    with pytest.raises(TraceError, match="left out"):
        replay(path, limits=limits)
