"""Branches, keys, recordings and replays from Python."""

import hashlib
import json
import os
import re
import signal
import threading

import pytest

from pinfold import (
    Limits,
    MethodCapability,
    ReplayError,
    Sandbox,
    SandboxStateError,
    SnapshotError,
    TraceError,
    Tool,
    replay,
)

KEY = b"a secret of sixteen bytes"


def asking(**more):
    return Sandbox(tools=[Tool("ask")], capabilities=[MethodCapability("ask")], **more)


def test_branches_know_nothing_of_each_other():
    with Sandbox() as trunk:
        trunk.run("x=0; echo trunk > note")
        branches = [trunk.fork() for _ in range(100)]
        for number, branch in enumerate(branches):
            branch.run(f"x={number}; echo {number} > note")
        for number, branch in enumerate(branches):
            assert branch.run("echo $x; cat note").stdout == f"{number}\n{number}\n"
            branch.close()
        assert trunk.run("echo $x; cat note").stdout == "0\ntrunk\n"


def test_pending_calls_of_branches_are_told_apart():
    with asking() as trunk:
        trunk.start("tool ask --raw --n 1 & tool ask --raw --n 2; wait")
        with trunk.fork() as branch:
            ids = {call.id for call in trunk.pending} | {call.id for call in branch.pending}
            assert len(ids) == 4
            for sandbox, word in ((trunk, "t"), (branch, "b")):
                for call in sandbox.pending:
                    call.resume(f"{word}{call.params['n']}")
            assert sorted(trunk.result.stdout.split()) == ["t1", "t2"]
            assert sorted(branch.result.stdout.split()) == ["b1", "b2"]


def test_a_branch_has_the_handlers_of_its_trunk():
    def double(n: int) -> int:
        return 2 * n

    with Sandbox(tools=[double], capabilities=[MethodCapability("double", max_calls=2)]) as trunk:
        assert trunk.run("double --n 4").stdout == "8\n"
        with trunk.fork() as branch:
            assert (
                branch.run("double --n 5; double --n 6 2>/dev/null || echo no").stdout == "10\nno\n"
            )
        assert trunk.run("double --n 7").stdout == "14\n"


def test_key():
    with Sandbox(key=KEY) as sandbox:
        data = sandbox.snapshot()
    Sandbox.restore(data, key=KEY).close()
    for key in (None, KEY + b"!"):
        with pytest.raises(SnapshotError):
            Sandbox.restore(data, key=key)
    with Sandbox() as sandbox, pytest.raises(SnapshotError, match="not authenticated"):
        Sandbox.restore(sandbox.snapshot(), key=KEY)
    with pytest.raises(ValueError, match="16"):
        Sandbox(key=b"short")


def test_record_and_replay(tmp_path):
    trace = tmp_path / "trace.jsonl"
    with asking(record=trace, tool_handler=lambda method, params: params) as sandbox:
        outs = [
            sandbox.run("date +%N; tool ask --n $RANDOM; sleep 0.01; date +%N").stdout,
            sandbox.run("return [Math.random(), await ask({a: 1})]", language="javascript").stdout,
        ]
        sandbox.files["x"] = b"\xff"
        outs.append(sandbox.run("od -c x; rm x; echo y > y").stdout)
    with replay(trace) as again:
        assert [result.stdout for result in again.results] == outs
        assert again.files["y"] == b"y\n"
        with pytest.raises(SandboxStateError):
            again.files["z"] = b""
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    assert lines[0]["pinfold_trace"] == 2 and lines[-1]["end"]
    assert [line["n"] for line in lines] == list(range(len(lines)))


def test_a_difference_is_shown_with_both_sides(tmp_path):
    trace = tmp_path / "trace.jsonl"
    with asking(record=trace, redact=True, tool_handler=lambda m, p: "secret") as sandbox:
        sandbox.run("tool ask --raw")
    assert "secret" not in json.loads(trace.read_text().splitlines()[-3]).get("json", "")
    assert replay(trace, results={1: "secret"}).results[0].stdout == "secret\n"
    with pytest.raises(TraceError, match="call 1"):
        replay(trace)
    with pytest.raises(ReplayError, match="(?s)trace: .*secret.*replay: .*other"):
        replay(trace, results={1: "other"})


def test_altered_traces_are_refused(tmp_path):
    trace = tmp_path / "trace.jsonl"
    with Sandbox(record=trace) as sandbox:
        sandbox.run("echo hello")
    data = trace.read_bytes()
    with pytest.raises(TraceError, match="altered"):
        replay(data.replace(b"hello", b"jello", 1))
    with pytest.raises(TraceError, match="cut short"):
        replay(data[: data.rindex(b'{"n"')])
    with pytest.raises(TraceError, match="no.* a pinfold trace"):
        replay(b"something else")


def test_ctrl_c_ends_a_replay(tmp_path):
    """Of a trace in which somebody left out that the program was stopped."""
    trace = tmp_path / "trace"
    with Sandbox(record=trace, limits=Limits(cpu_seconds=0.05)) as sandbox:
        sandbox.run("while :; do :; done")
    lines = trace.read_bytes().splitlines()
    lines[0] = re.sub(rb'"cpu_ms":\d+', b'"cpu_ms":18446744073709551615', lines[0])
    stop = next(i for i, line in enumerate(lines) if b'"cpu_limit"' in line)
    lines[stop] = re.sub(rb'"at":\d+', b'"at":18446744073709551615', lines[stop])
    state, text = bytes(16), b""
    for line in lines[: stop + 1]:
        body = line[: line.rindex(b',"sum"')]
        state = hashlib.blake2b(state + body, digest_size=16).digest()
        text += body + b',"sum":"' + state.hex()[:8].encode() + b'"}\n'
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        replay(text, partial=True)


def test_fixed_clock_and_seed_give_equal_bytes():
    script = "date +%s%N; echo $RANDOM > r; sleep 100; date; uuidgen; seq 500 | sort -R | md5sum"
    seen = set()
    for _ in range(2):
        with Sandbox(clock=1_700_000_000, seed=7) as sandbox:
            out = sandbox.run(script).stdout
            out += sandbox.run("Math.random() + Date.now()", language="javascript").stdout
            seen.add((out, sandbox.snapshot()))
    assert len(seen) == 1


def test_time_stands_still_while_a_call_waits():
    with asking(clock=0) as sandbox:
        sandbox.start(
            "const t = setTimeout(() => console.log('late'), 10);"
            "console.log(await ask({})); clearTimeout(t)",
            "javascript",
        )
        sandbox.step().resume("answer")
        assert sandbox.result.stdout == "answer\n"


def test_a_replay_has_every_result(tmp_path):
    """Also of runs that are the same, one after the other, with nothing between."""
    with Sandbox(clock=0, seed=1, record=tmp_path / "t") as sandbox:
        for _ in range(3):
            sandbox.run("echo same")
    with replay(tmp_path / "t") as again:
        assert [result.stdout for result in again.results] == ["same\n"] * 3


def test_branches_are_recorded(tmp_path):
    """Each has a trace of its own, beside the trunk's."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "f").write_text("mounted\n")
    mounts = {"/data": (tmp_path / "data", "copy")}
    out = {}
    granted = MethodCapability("ask", max_calls=3)
    how = {"tools": [Tool("ask")], "capabilities": [granted]}
    with Sandbox(record=tmp_path / "run.jsonl", mounts=mounts, key=b"k" * 16, **how) as trunk:
        trunk.run("x=1; echo $RANDOM > f")
        trunk.start("y=$(tool ask --n 1); echo $x $y; cat f; date +%N; cat /data/f")
        with trunk.fork() as one, trunk.fork() as two:
            assert one.pending[0].id != two.pending[0].id != trunk.pending[0].id
            one.pending[0].resume("first")
            out["run.1.jsonl"] = [one.result.stdout, one.run("echo $RANDOM; date +%N").stdout]
            with one.fork() as inner, one.fork(record=tmp_path / "other") as other:
                assert inner.result.stdout == one.result.stdout
                out["run.1.1.jsonl"] = [inner.run("echo $RANDOM $x").stdout]
                out["other"] = [other.run("echo $RANDOM; cat f; ls /data").stdout]
            with one.fork(record=False) as unseen:
                unseen.run("true")
            two.pending[0].fail("second")
            out["run.2.jsonl"] = [two.result.stdout]
            left = [sandbox.calls_left(granted) for sandbox in (one, two, trunk)]
            assert left == [2, 2, 2]
        trunk.pending[0].resume("trunk")
        out["run.jsonl"] = ["", trunk.result.stdout]
    (tmp_path / "data" / "f").write_text("other\n")
    assert {p.name for p in tmp_path.iterdir()} == {*out, "data"}
    for name, wanted in out.items():
        with replay(tmp_path / name) as again:
            assert [result.stdout for result in again.results] == wanted, name
    with Sandbox() as plain, plain.fork(record=tmp_path / "late") as branch:
        found = branch.run("echo $RANDOM").stdout
    with replay(tmp_path / "late") as again:
        assert again.results[0].stdout == found


def fill_disk(trace):
    """From here on every write to the trace fails, as on a full disk."""
    full = os.open("/dev/full", os.O_WRONLY)
    for fd in os.listdir("/proc/self/fd"):
        if os.path.exists(f"/proc/self/fd/{fd}") and os.path.samefile(f"/proc/self/fd/{fd}", trace):
            os.dup2(full, int(fd), inheritable=False)
    os.close(full)


def test_an_incomplete_recording_is_told_at_the_end(tmp_path):
    trace = tmp_path / "run.jsonl"
    with pytest.raises(SandboxStateError, match="incomplete.*No space left"):  # noqa: PT012
        with Sandbox(record=trace) as sandbox:
            fill_disk(trace)
            result = sandbox.run("echo done > f; cat f")
            assert result.stdout == "done\n"  # which nobody loses
    assert sandbox.closed


def test_an_incomplete_recording_hides_no_other_error(tmp_path):
    trace = tmp_path / "run.jsonl"
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        with Sandbox(record=trace) as sandbox:
            fill_disk(trace)
            sandbox.run("echo done")
            1 / 0  # noqa: B018
    assert sandbox.closed
    sandbox.close()
