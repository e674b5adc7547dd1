"""What a script can make its embedder write down has an end."""

import json

import pytest

from pinfold import (
    AuditFull,
    AuditLog,
    Limits,
    MethodCapability,
    Sandbox,
    SandboxStateError,
    TraceError,
    Tool,
    replay,
)

NOISY = "while :; do tool nothing --text xxxxxxxxxxxxxxxxxxxx; done 2>/dev/null"


@pytest.fixture(params=[None, "process"])
def isolation(request):
    return request.param


def test_calls_that_are_refused_do_not_fill_the_log(isolation):
    entries = []
    limits = Limits(cpu_seconds=1)
    with Sandbox(audit=AuditLog(entries.append), limits=limits, isolation=isolation) as sandbox:
        assert sandbox.run(NOISY).limit == "cpu_seconds"
        outcomes = [e["outcome"] for e in entries if e["event"] == "decision"]
        assert len(outcomes) <= 1001 and outcomes[-1] in ("unknown", "limit")
        # The next run has its calls.
        entries.clear()
        sandbox.run("tool nothing")
        assert [e.get("outcome", e["event"]) for e in entries] == ["run", "unknown", "result"]


@pytest.mark.parametrize("bound", [{"max_entries": 50}, {"max_bytes": 20_000}])
def test_a_log_with_a_bound(bound, isolation, tmp_path):
    path = tmp_path / "audit.jsonl"
    with Sandbox(
        audit=AuditLog(path, **bound), limits=Limits(tool_calls=None), isolation=isolation
    ) as sandbox:
        with pytest.raises(AuditFull, match="max_"):
            sandbox.run(NOISY)
        entries = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(entries) <= 51 and path.stat().st_size <= 40_000
        assert entries[-1]["event"] == "full" and "max_" in entries[-1]["message"]
        assert [e["event"] for e in entries].count("full") == 1
        # Another run has the bound anew, and the sandbox is as good as before.
        assert sandbox.run("echo on").stdout == "on\n"
        entries = [json.loads(line) for line in path.read_text().splitlines()]
        assert [e["event"] for e in entries[-2:]] == ["run", "result"]


def test_what_is_not_logged_does_not_happen(isolation):
    done = []

    def pay():
        done.append(1)

    with Sandbox(
        tools=[pay],
        capabilities=[MethodCapability("pay")],
        audit=AuditLog([].append, max_entries=5),
        isolation=isolation,
    ) as sandbox:
        with pytest.raises(AuditFull):
            sandbox.run("pay; pay; pay; pay")
        assert len(done) == 2  # run, and two decisions with their answers


def test_bounds_are_numbers():
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="max_entries"):
            AuditLog([].append, max_entries=wrong)
    with pytest.raises(TypeError, match="max_bytes"):
        AuditLog([].append, max_bytes="1M")
    with Sandbox(audit=AuditLog([].append, max_entries=None, max_bytes=None)) as sandbox:
        assert sandbox.run("echo on").stdout == "on\n"


def test_a_trace_with_a_bound(tmp_path, isolation):
    path = tmp_path / "trace"
    sandbox = Sandbox(record=path, limits=Limits(trace_bytes=100_000), isolation=isolation)
    sandbox.run("echo small")
    sandbox.run("for ((i = 0; i < 2000; i++)); do /bin/true; done; echo done")
    assert path.stat().st_size <= 100_000
    last = json.loads(path.read_bytes().splitlines()[-1])
    assert last["full"] is True and set(last) == {"n", "full", "sum"}
    with pytest.raises(SandboxStateError, match="trace_bytes"):
        sandbox.run("echo more")
    with pytest.raises(SandboxStateError, match="trace_bytes"):
        sandbox.close()
    assert path.stat().st_size <= 100_000
    with pytest.raises(TraceError, match="came to its bound"):
        replay(path)
    with replay(path, partial=True) as again:
        assert [result.stdout for result in again.results] == ["small\n"]
    # Nothing can be added behind it.
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(True)[0])
    with pytest.raises(TraceError, match="altered"):
        replay(path, partial=True)


def test_a_trace_that_cannot_even_begin(tmp_path):
    with pytest.raises(ValueError, match="trace_bytes"):
        Sandbox(record=tmp_path / "trace", limits=Limits(trace_bytes=100))


def test_a_call_that_waits_when_the_trace_is_full(tmp_path):
    done = []
    tool = Tool("pay", handler=lambda: done.append(1))
    sandbox = Sandbox(
        tools=[tool],
        capabilities=[MethodCapability("pay")],
        record=tmp_path / "trace",
        limits=Limits(trace_bytes=50_000),
    )
    with pytest.raises(SandboxStateError, match="trace_bytes"):
        sandbox.run("for ((i = 0; i < 2000; i++)); do /bin/true; done; pay")
    assert done == []
    with pytest.raises(SandboxStateError):
        sandbox.close()
