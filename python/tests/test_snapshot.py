"""Snapshots: bytes that another process continues, also while calls are pending."""

import subprocess
import sys

import pytest

from pinfold import Limits, MethodCapability, Param, Sandbox, SnapshotError

EVERYTHING = [MethodCapability("**")]
SHELL = 'x=7; for n in 1 2; do tool double --json "{\\"n\\": $n}"; done | paste -sd+; echo $x'
JAVASCRIPT = """
    const before = 'kept';
    const doubled = await Promise.all([1, 2, 3].map(n => tools.double({n})));
    console.log(before, doubled.join());
"""

CONTINUE = """
import sys
from pinfold import MethodCapability, Sandbox
sandbox = Sandbox.restore(
    sys.stdin.buffer.read(),
    capabilities=[MethodCapability("**")],
    tool_handler=lambda method, params: params["n"] * 2,
)
sys.stdout.write(sandbox.finish().stdout)
"""


@pytest.mark.parametrize(
    "code, language, expected",
    [(SHELL, "shell", "2+4\n7\n"), (JAVASCRIPT, "javascript", "kept 2,4,6\n")],
)
def test_another_process_answers_the_pending_calls(code, language, expected):
    with Sandbox(tool_handler=lambda *call: None, capabilities=EVERYTHING) as sandbox:
        sandbox.start(code, language)
        ids = [call.id for call in sandbox.pending]
        assert ids
        data = sandbox.snapshot()
        with Sandbox.restore(
            data, tool_handler=lambda *call: None, capabilities=EVERYTHING
        ) as here:
            assert [call.id for call in here.pending] == ids
    out = subprocess.run([sys.executable, "-c", CONTINUE], input=data, capture_output=True)
    assert out.stdout.decode() == expected, out.stderr.decode()


def test_session_and_files_are_kept(sandbox):
    sandbox.run("cd /tmp; f() { echo f:$v; }; v=1; echo text > note; sleep 100 & :")
    data = sandbox.snapshot()
    sandbox.run("v=2; rm note")
    with Sandbox.restore(data) as copy:
        assert (
            copy.run("pwd; f; cat note; jobs > /tmp/jobs; wc -l < /tmp/jobs").stdout
            == "/tmp\nf:1\ntext\n1\n"
        )


@pytest.mark.parametrize(
    "code, language, limits",
    [
        ("trap '' INT; while :; do :; done", "shell", {"cpu_seconds": 0.05}),
        ("while :; do :; done", "shell", {"cpu_seconds": 0.05}),
        ("trap '' INT; sleep 100", "shell", {"wall_seconds": 0.05}),
        ("for (;;);", "javascript", {"cpu_seconds": 0.05}),
        ("while True: pass", "python", {"cpu_seconds": 0.05}),
        ("x=x; while :; do x=$x$x; done", "shell", {"memory_bytes": 32 << 20}),
        ("yes", "shell", {"output_bytes": 100, "cpu_seconds": 0.05}),
        ("kill -9 $$", "shell", {}),
        ("exit 3", "shell", {}),
    ],
)
def test_however_a_run_ended_its_sandbox_goes_on_elsewhere(code, language, limits):
    with Sandbox(limits=Limits(**limits)) as sandbox:
        sandbox.run("echo kept > note; sleep 100 &")
        sandbox.run(code, language)
        data = sandbox.snapshot()
    with Sandbox.restore(data) as copy:
        assert copy.run("cat note").stdout == "kept\n"
        assert copy.run("echo $((6 * 7))").stdout == "42\n"


def test_authority_never_comes_from_the_data():
    with Sandbox(tool_handler=lambda *call: 1, capabilities=[MethodCapability("f")]) as sandbox:
        data = sandbox.snapshot()
    narrower = [MethodCapability("f", [Param("n") <= 1])]
    with Sandbox.restore(data, tool_handler=lambda *call: 2, capabilities=narrower) as copy:
        code = "tool f --json '{\"n\": 1}'; tool f --json '{\"n\": 2}'; echo $?"
        assert copy.run(code).stdout == "2\n126\n"


def test_counters_come_from_the_data():
    capabilities = [MethodCapability("f", max_calls=2)]
    with Sandbox(tool_handler=lambda *call: 1, capabilities=capabilities) as sandbox:
        sandbox.run("tool f")
        data = sandbox.snapshot()
    with Sandbox.restore(data, tool_handler=lambda *call: 1, capabilities=capabilities) as copy:
        assert copy.run("tool f; echo $?; tool f; echo $?").stdout == "1\n0\n126\n"


def test_what_is_no_snapshot_is_refused(sandbox):
    data = sandbox.snapshot()
    middle = len(data) // 2
    altered = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    for wrong in (b"", b"hello", data[:-1], data[:100], data + b"x", altered):
        with pytest.raises(SnapshotError):
            Sandbox.restore(wrong)
    with pytest.raises(TypeError):
        Sandbox.restore("text")


def test_capabilities_need_not_be_those_of_the_snapshot():
    def f() -> int:
        return 1

    base = Sandbox(files={"x": b"base "}).snapshot()
    with Sandbox.restore(base, tools=[f], capabilities=[MethodCapability("f")]) as sandbox:
        assert sandbox.run("cat x; f").stdout == "base 1\n"
    with Sandbox(tools=[f], capabilities=[MethodCapability("f", max_calls=3)]) as sandbox:
        sandbox.run("f; f")
        spent = sandbox.snapshot()
        sandbox.start("f")
        waiting = sandbox.snapshot()
    with Sandbox.restore(spent) as sandbox:
        assert sandbox.run("echo here").stdout == "here\n"
    other = [MethodCapability("g"), MethodCapability("f", max_calls=3)]
    with Sandbox.restore(spent, tools=[f], capabilities=other) as sandbox:
        assert sandbox.run("f; f 2>/dev/null; echo $?").stdout == "1\n126\n"
    with Sandbox.restore(waiting, tools=[f], capabilities=other) as sandbox:
        assert sandbox.pending[0].capability is other[1] and sandbox.finish().stdout == "1\n"
    with pytest.raises(SnapshotError, match='"f" were spent, .* give "f" as well'):
        Sandbox.restore(spent, tools=[f], capabilities=[MethodCapability("*")])
    with Sandbox.restore(waiting) as sandbox:  # what nobody grants any more is denied
        assert sandbox.pending == [] and sandbox.result.exit_code == 126


def test_a_snapshot_leaves_nothing_behind():
    """Its list of files is made by the sandbox's own kernel."""
    ends = []
    for often in (False, True):
        with Sandbox(clock=1e9, seed=3) as sandbox:
            for step in ("mkdir -p d/e; echo a > d/e/f", "ln d/e/f g; rm d/e/f", "x=1; seq 9 > h"):
                sandbox.run(step)
                if often:
                    assert sandbox.snapshot() == sandbox.snapshot()
            ends.append(sandbox.snapshot())
    assert ends[0] == ends[1]


def test_every_file_is_in_the_list():
    """Many, large ones, links, holes: of either kind of snapshot."""
    script = r"""
    for ((i = 0; i < 1500; i++)); do mkdir -p d$((i % 40))/e; echo "file $i" > d$((i % 40))/e/f$i; done
    seq 200000 > large; truncate -s 3000000 holes; echo end >> holes; printf x > one; : > empty
    echo short > grown; truncate -s 5000 grown
    ln large other; ln -s large link; mkfifo pipe; mkdir none; chmod 600 one; echo t > /tmp/t
    """
    with Sandbox() as sandbox:
        assert sandbox.run(script).ok
        expected = dict(sandbox.files)
        assert expected.pop("/workspace/link") == expected["/workspace/large"]
        assert len(expected) == 1507
        for data in (sandbox.snapshot(), sandbox.snapshot(portable=True)):
            found = Sandbox.files_of(data)
            assert {path: found[path] for path in expected} == expected
            assert set(found) == set(expected)
