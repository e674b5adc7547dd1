"""``isolation="process"``: the same sandbox behind a second wall, and a worker that nobody trusts."""

import asyncio
import contextlib
import errno
import itertools
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from lying import leftovers

import pinfold
from pinfold import (
    AuditLog,
    Limits,
    MethodCapability,
    Param,
    Sandbox,
    SandboxDead,
    Tool,
    _native,
    allowance,
    link,
)
from pinfold.wire import Reader, WireError, send

PACKAGE = str(pathlib.Path(pinfold.__file__).parent.parent)


def pay(amount: int) -> str:
    return f"paid {amount}"


def isolated(**more):
    granted = [MethodCapability("pay", [Param("amount") <= 10], max_calls=3)]
    return Sandbox(tools=[pay], capabilities=granted, isolation="process", **more)


def worker_of(sandbox: Sandbox) -> int:
    return getattr(sandbox._machine, "unwatched", sandbox._machine)._link.pid


# ---------------------------------------------------------------------- the same API


@pytest.mark.parametrize("module", ["test_run", "test_stepping", "test_async", "test_snapshot"])
def test_what_holds_for_a_sandbox_holds_behind_the_wall(module, tmp_path):
    (tmp_path / "behind_the_wall.py").write_text(
        "import pinfold.sandbox, pinfold.remote\n"
        "pinfold.sandbox._machine_type = lambda isolation: pinfold.remote.RemoteMachine\n"
    )
    here = pathlib.Path(__file__).parent
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "behind_the_wall", "-p", "no:cacheprovider"]
        + [str(here / f"{module}.py")],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_shell_javascript_files_and_calls():
    with isolated(files={"data": b"\0\xff"}) as sandbox:
        assert (
            sandbox.run("wc -c < data; pay --amount 3; pay --amount 11").stdout == '2\n"paid 3"\n'
        )
        assert sandbox.run("return await pay({amount: 4})", language="javascript").value == "paid 4"
        assert sandbox.files["data"] == b"\0\xff"
        assert sandbox.calls_left(sandbox.capabilities[0]) == 1


def test_branches_and_snapshots_keep_what_was_spent():
    with isolated() as trunk:
        trunk.run("pay --amount 1; x=7")
        with trunk.fork() as branch:
            assert branch.run("echo $x; pay --amount 1; pay --amount 1").ok
            assert branch.run("pay --amount 1").exit_code == 126
            assert branch.calls_left(branch.capabilities[0]) == 0
        assert trunk.calls_left(trunk.capabilities[0]) == 2
        data = trunk.snapshot()
    granted = [MethodCapability("pay", [Param("amount") <= 10], max_calls=3)]
    with (
        Sandbox.restore(data, tools=[pay], capabilities=granted, isolation="process") as again,
        Sandbox.restore(data, tools=[pay], capabilities=granted) as here,
    ):
        for sandbox in again, here:
            assert sandbox.run("echo $x").stdout == "7\n"
            assert sandbox.calls_left(sandbox.capabilities[0]) == 2


def test_a_recording_can_be_replayed(tmp_path):
    trace = tmp_path / "run.jsonl"
    with isolated(record=trace) as sandbox:
        said = sandbox.run("pay --amount 2; echo $RANDOM").stdout
    with pinfold.replay(trace) as replay:
        assert [result.stdout for result in replay.results] == [said]


def test_what_is_not_possible_says_so(tmp_path):
    with pytest.raises(ValueError, match="mounts are read from the host's files"):
        Sandbox(isolation="process", mounts={"/data": tmp_path})
    with pytest.raises(ValueError, match="isolation is None or \"process\", not 'docker'"):
        Sandbox(isolation="docker")
    with pytest.raises(pinfold.SnapshotError):
        Sandbox.restore(b"no snapshot", isolation="process")
    with pytest.raises(pinfold.CapabilityError):
        Sandbox(capabilities=[MethodCapability("a//b")], isolation="process")


def test_limits_and_interrupts():
    with isolated(limits=Limits(cpu_seconds=0.3)) as sandbox:
        assert sandbox.run("while :; do :; done").limit == "cpu_seconds"
        assert sandbox.run("echo on").stdout == "on\n"
    with isolated() as sandbox:
        started = threading.Event()
        thread = threading.Thread(target=lambda: (started.wait(), sandbox.interrupt()))
        thread.start()
        result = sandbox.run(
            "echo here; while :; do :; done", on_output=lambda text, stream: started.set()
        )
        thread.join()
        assert result.exit_code == 130
        assert sandbox.run("echo on").stdout == "on\n"


@pytest.mark.parametrize(
    "lifted",
    [
        {"memory_bytes": None},
        {"filesystem_bytes": None},
        {"memory_bytes": 1 << 53, "wall_seconds": 1e9},
        {name: None for name in Limits.__slots__ if not name.startswith("_")},
    ],
)
def test_limits_that_are_lifted(lifted):
    with isolated(limits=Limits(**lifted)) as sandbox:
        assert sandbox.run("echo on; head -c 1000 /dev/zero > f; wc -c < f").stdout == "on\n1000\n"
        assert sandbox.fork().run("wc -c < f").stdout == "1000\n"


@pytest.mark.parametrize("limit", ["NOFILE, 40", "DATA, 1_200_000_000", "CORE, 0"])
def test_a_process_with_less_has_workers_with_less(limit):
    script = (
        "import resource, sys; sys.path.insert(0, sys.argv[1]); from pinfold import Sandbox\n"
        f"limit, most = resource.RLIMIT_{limit}\n"
        "resource.setrlimit(limit, (most, most))\n"
        "with Sandbox(isolation='process') as sandbox:\n"
        "    print(sandbox.run('echo on').stdout, end='')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, PACKAGE], capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("on\n", "")


@pytest.mark.parametrize("isolation", [None, "process"])
def test_what_on_output_takes_does_not_count(isolation, monkeypatch):
    monkeypatch.setattr(allowance, "GRACE_SECONDS", 0.5)
    seen = []

    def slowly(text: str, stream: str) -> None:
        if not seen:
            time.sleep(6)
        seen.append(text)

    limits = Limits(wall_seconds=4, output_bytes=8_000_000)
    with Sandbox(isolation=isolation, limits=limits) as sandbox:
        # More than fits between the two processes: the guest waits for the reader.
        result = sandbox.run("yes | head -c 5000000; echo end", on_output=slowly)
        assert (result.limit, result.exit_code) == (None, 0)
        assert "".join(seen).endswith("y\nend\n") and len("".join(seen)) == 5_000_004


# ---------------------------------------------------------------------- the wall


def test_what_stands_around_a_worker_is_told():
    with isolated() as sandbox:
        report = sandbox.isolation_report
        assert report["seccomp"] is True
        pid = worker_of(sandbox)
        for name in ("user", "pid", "net", "ipc", "uts"):
            theirs = os.readlink(f"/proc/{pid}/ns/{name}")
            ours = os.readlink(f"/proc/self/ns/{name}")
            assert (theirs != ours) == (name in report["namespaces"])
    with Sandbox() as sandbox:
        assert sandbox.isolation_report is None


def test_a_worker_has_limits_of_its_own():
    with isolated(limits=Limits(memory_bytes=100 << 20, filesystem_bytes=50 << 20)) as sandbox:
        text = pathlib.Path(f"/proc/{worker_of(sandbox)}/limits").read_text()
        rows = {line[:26].strip(): line[26:].split()[1] for line in text.splitlines()[1:]}
    assert int(rows["Max data size"]) < 1 << 30
    assert int(rows["Max address space"]) < 1 << 42
    assert int(rows["Max open files"]) <= 64
    assert (rows["Max core file size"], rows["Max processes"], rows["Max file size"]) == ("0",) * 3


def test_a_worker_has_nothing_of_the_host(monkeypatch):
    monkeypatch.setenv("API_TOKEN", "secret-of-the-host")
    with isolated() as sandbox:
        sandbox.run("echo started")
        process = pathlib.Path(f"/proc/{worker_of(sandbox)}")
        assert "Seccomp:\t2" in (process / "status").read_text()
        assert "NoNewPrivs:\t1" in (process / "status").read_text()
        if os.getuid() != 0:  # it is not dumpable: only root may look further
            with pytest.raises(PermissionError):
                (process / "environ").read_bytes()
            return
        assert b"secret-of-the-host" not in (process / "environ").read_bytes()
        opened = {os.readlink(entry) for entry in (process / "fd").iterdir()}
        assert all(
            name.startswith(("socket:", "pipe:", "anon_inode:", "/memfd:", "/dev/null"))
            or "/libpinfold.so." in name  # its own code, which it cannot write
            for name in opened
        ), opened


def test_a_worker_begins_with_little():
    """What it imports is waited for by each new sandbox."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import pinfold.worker\n"
        "print(*{'json', 'pathlib', 're', 'select', 'socket', 'typing'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, PACKAGE], capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("\n", "")


def test_a_worker_ends_with_its_sandbox():
    sandbox = isolated()
    pid = worker_of(sandbox)
    sandbox.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(pinfold.SandboxClosed):
        sandbox.run("echo on")


FORK = """
import gc, os, sys; sys.path.insert(0, sys.argv[1])
from pinfold import MethodCapability, Sandbox, SandboxStateError, Tool

def child(act):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            act()
            print("done", flush=True)
        except SandboxStateError as error:
            print(str(error)[:47], flush=True)
        except BaseException as error:
            print(type(error), error, flush=True)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)

def leave():
    with sandbox:
        pass

def forget():
    global sandbox
    del sandbox
    gc.collect()

def write():
    sandbox.files["note"] = b"child"

def another():
    with Sandbox(isolation="process") as own:
        print(own.run("echo own").stdout, end="")

def fork() -> str:
    if os.fork() == 0:
        return "in the child"  # which fails to answer with it
    os.wait()
    return "asked"

granted = [MethodCapability("fork")]
with Sandbox(tools=[fork], capabilities=granted, isolation="process") as sandbox:
    sandbox.run("v=42; echo parent > note")
    opened = len(os.listdir("/proc/self/fd"))
    child(lambda: sandbox.run("v=7"))
    child(write)
    child(sandbox.snapshot)
    child(sandbox.interrupt)
    child(lambda: print(sandbox.closed, opened - len(os.listdir("/proc/self/fd"))))
    child(sandbox.close)
    child(leave)
    child(forget)
    child(another)
    me = os.getpid()
    try:
        print(sandbox.run("fork; echo $v; cat note").stdout, end="", flush=True)
    except SandboxStateError as error:
        print(str(error)[:47], os.getpid() != me, flush=True)
"""


def test_a_forked_child_does_not_have_the_sandbox_of_its_parent():
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", FORK, PACKAGE],
        capture_output=True,
        text=True,
    )
    refused = "the sandbox belongs to the process that made it\n"
    expected = refused * 3 + "done\n" + "True 2\n" + "done\n" * 4 + "own\ndone\n"
    expected += refused.replace("\n", " True\n") + '"asked"\n42\nparent\n'
    assert (done.stdout, done.stderr) == (expected, "")


# ---------------------------------------------------------------------- a worker that dies or lies


@pytest.mark.parametrize("how", [signal.SIGKILL])
def test_a_worker_that_dies_is_one_failed_run(how):
    killed = []

    def kill() -> None:
        killed.append(os.kill(worker_of(sandbox), how))

    granted = [MethodCapability("strike")]
    tool = Tool("strike", handler=kill)
    with Sandbox(tools=[tool], capabilities=granted, isolation="process") as sandbox:
        with isolated() as other:
            with pytest.raises(SandboxDead, match=f"it died of {how.name}"):
                sandbox.run("tool strike; sleep 1; echo never")
            assert killed == [None]
            with pytest.raises(SandboxDead, match="died of"):
                sandbox.run("echo on")
            assert other.run("echo fine").stdout == "fine\n"


def test_a_worker_that_stops_reading_is_given_up(monkeypatch):
    """What it is sent waits no longer than what it is to send."""
    monkeypatch.setattr(allowance, "GRACE_SECONDS", 0.5)

    def stop() -> str:
        os.kill(worker_of(sandbox), signal.SIGSTOP)
        return "x" * 5_000_000

    granted = [MethodCapability("stop")]
    limits = Limits(wall_seconds=0.5, code_bytes=2_000_000)
    with Sandbox(
        tools=[stop], capabilities=granted, isolation="process", limits=limits
    ) as sandbox:
        with pytest.raises(SandboxDead, match="given up: it d"):
            sandbox.run("stop")
    with isolated(limits=limits) as sandbox:
        os.kill(worker_of(sandbox), signal.SIGSTOP)
        for _ in range(100_000):
            sandbox.interrupt()
        with pytest.raises(SandboxDead, match="it does not take what it is sent"):
            sandbox.run("#" + "x" * 1_000_000)


def test_a_worker_that_is_stopped_is_closed(monkeypatch, tmp_path):
    monkeypatch.setattr(allowance, "GRACE_SECONDS", 100)
    sandboxes = [isolated(), isolated(record=tmp_path / "trace")]
    for sandbox in sandboxes:
        os.kill(worker_of(sandbox), signal.SIGSTOP)
    began = time.monotonic()
    sandboxes[0].close()
    with pytest.raises(pinfold.SandboxStateError, match="the recording is incomplete"):
        sandboxes[1].close()
    assert time.monotonic() - began < 60  # not what every other request may take
    for sandbox in sandboxes:
        assert sandbox.closed


FAKE = """
import sys; sys.path.insert(0, sys.argv[1])
import os, time
from pinfold.wire import Ended, Reader, send
fd = 3
reader = Reader(fd)
answers = {"new": (0, None), "tool_names": [], "start": (None, None, ())}
calls = 0

def call(id=1, outcome="allowed", amount=1, tool="pay", by="", more=""):
    request = '{"tool":"%s","params":{"amount":%s}%s}' % (tool, amount, more)
    send(fd, ("call", id, outcome, request.encode(), by))
    answers["start"] = answers["resume"] = answers["fail"] = (None, None, (id,))

def over(*numbers):
    answers["start"] = (b"", b"", 0, None, None, False, False, False, *numbers, False), None, ()

try:
    while True:
        name, _, _, *args = reader.receive()
        {lie}
        send(fd, ("value", answers.get(name)))
except Ended:
    pass
"""


@pytest.mark.parametrize(
    ("lie", "message"),
    [
        # A call that is not allowed, or not one.
        ("call(amount=11)", r"let a call through that is not allowed: .*amount must be <= 10"),
        ("call(tool='steal')", "let a call through that is not allowed: .*steal"),
        ("call(more=', \"tool\": \"x\"')", "let a call through that is not allowed"),
        ("call(outcome='ask')", "it refuses a call of pay, which is allowed"),
        ("call(id=0, outcome='denied')", "it refuses a call of pay, which is allowed"),
        ("call(id=0, outcome='limit')", "it refuses a call of pay, which is allowed"),
        ("call(id=0, outcome='limit', by='tool_calls')", "it makes call 1 of 2"),
        ("call(amount='1' * 3000000)", "a call of [0-9]+ bytes is over"),
        ("send(fd, ('call', 1, 'allowed'))", "its call is"),
        # Numbers of calls, and which of them wait.
        ("call(id=2)", "its next call is 2, not 1"),
        ("call(); call()", "its next call is 1, not 2"),
        ("call(id=1); call(id=2); call(id=3)", r"it makes call 3 of 2 \(tool_calls\)"),
        ("answers['start'] = (None, None, (1,))", r"the calls that wait are \(1\), not \(\)"),
        ("call(); answers['start'] = (None, None, (1, 1))", "the calls that wait are"),
        ("call(); answers['start'] = (None, None, ('1',))", "the calls that wait are"),
        ("call(); call(2); answers['start'] = (None, None, (2, 1))", "the calls that wait are"),
        ("pass", "it waits for nothing"),
        ("call(); answers['resume'] = (None, None, (1,))", "the calls that wait are"),
        # Results.
        ("over(1, 1, 1, 7)", "it counts 7 tool calls where there were 0"),
        ("over(-1, 1, 1, 0)", "its outcome is"),
        ("over(1, 1, 1)", "its outcome is"),
        ("call(); over(1, 1, 1, 0)", "it counts 0 tool calls where there were 1"),
        ("over(1, 1, 1, 0); answers['start'][0] == 1 or answers.update(start=((b'x' * 2000000,"
         " *answers['start'][0][1:]), None, ()))", "its output is over 1048576 bytes"),
        ("answers['start'] = (b'', b'', 'no int')", "its reply is"),
        ("answers['start'] = 'x' * 1000", r"its reply is 'x+'\.\.\."),
        ("call(); answers['start'] = (None, -1, (1,))", "a sleeper is due in -1 ns"),
        # Output.
        ("send(fd, ('output', 1, 'no bytes'))", "its output is"),
        ("send(fd, ('output', 3, b'x'))", "its output is 1 bytes of stream 3"),
        ("send(fd, ('output', 1, b''))", "its output is 0 bytes of stream 1"),
        ("[send(fd, ('output', 1, b'x' * 1000000)) for _ in range(3)]", "over 1048576 bytes"),
        # Frames.
        ("send(fd, ('error', 'SystemExit', ['0']))", "it answered with"),
        ("send(fd, ('error', 'ValueError', [1]))", "it answered with"),
        ("send(fd, ('error', 'OSError', ['no', 'number', None]))", "it answered with"),
        ("send(fd, ('value', 1, 2))", "it answered with"),
        ("os.write(fd, b'x' * 64)", "what came is no frame"),
        ("os.write(fd, b'pfw2' + b'\\xff' * 8)", "a frame of [0-9]+ bytes is over"),
        (
            "os.write(fd, b'pfw2' + (9).to_bytes(8, 'little') + b'L' + b'\\xff' * 8)",
            "too many values",
        ),
        # Its end.
        ("os._exit(7)", "it ended with status 7"),
        ("time.sleep(600)", "it did not stop at its limit of time"),
        ("while True: send(fd, ('call', 0, 'invalid', b'', ''))", "limit of time|of 2"),
    ],
)
def test_a_worker_that_lies_is_given_up(lie, message, monkeypatch):
    begun = f"if name == 'start': {lie}" if not lie.startswith("while") else (
        f"if name == 'start':\n            {lie}"
    )
    monkeypatch.setattr(link, "_BOOT", FAKE.replace("{lie}", begun))
    monkeypatch.setattr(allowance, "GRACE_SECONDS", 0.5)
    paid = []
    with Sandbox(
        tools=[Tool("pay", handler=lambda **given: paid.append(given))],
        capabilities=[MethodCapability("pay", [Param("amount") <= 10])],
        isolation="process",
        limits=Limits(wall_seconds=0.5, tool_calls=2),
    ) as sandbox:
        with pytest.raises(SandboxDead, match=message):
            sandbox.run("pay --amount 1", on_output=lambda text, stream: None)
        with pytest.raises(SandboxDead):
            sandbox.run("echo on")
    assert len(paid) <= ("resume" in lie)


@pytest.mark.parametrize("answer", ["(0,)", "('0', None)", "(0, (True,))", "None", "()"])
def test_a_worker_that_lies_from_the_beginning(answer, monkeypatch):
    monkeypatch.setattr(link, "_BOOT", FAKE.replace("{lie}", f"answers['new'] = {answer}"))
    with pytest.raises(SandboxDead):
        isolated()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("'ValueError', ['\\x1b[2J\\u202e\\x9bx']", ValueError),
        ("'SandboxDead', ['\\x1b[2J\\u202e\\x9bx']", SandboxDead),
        ("'OSError', [2, '\\x1b[2J\\u202e\\x9bx', '\\x1b]0;x\\x07']", FileNotFoundError),
        ("'OSError', [None, '\\x1b[2J\\u202e\\x9bx', None]", OSError),
        ("'SystemExit', ['\\x1b[2J\\u202e\\x9bx']", SandboxDead),
    ],
)
def test_an_exception_of_a_worker_is_fit_to_be_shown(answer, kind, monkeypatch):
    monkeypatch.setattr(
        link, "_BOOT", FAKE.replace("{lie}", f"if name == 'start': send(fd, ('error', {answer}))")
    )
    with isolated() as sandbox, pytest.raises(kind) as told:
        sandbox.run("echo on")
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e]", str(told.value)), ascii(str(told.value))


@pytest.mark.parametrize(
    "facts", [(-5, 1, 1), (1 << 16, 1, 1), (0o100644, -1, 1), (0o100644, 1 << 70, 1), (0, 0, 1 << 70)]
)
@pytest.mark.parametrize(
    "look", [list, lambda files: "a" in files, lambda files: files.mode("a")], ids=["walk", "in", "mode"]
)
def test_a_worker_that_lies_about_files_is_given_up(look, facts, monkeypatch):
    lie = f"answers.update(file_list=['a'], file_stat={facts}, file_lstat={facts})"
    monkeypatch.setattr(link, "_BOOT", FAKE.replace("{lie}", lie))
    with isolated() as sandbox, pytest.raises(SandboxDead, match="its file_l?stat is"):
        look(sandbox.files)


def test_budgets_hold_against_a_worker_that_lies(monkeypatch):
    """It makes a call again and again, in whatever way."""
    again = "if name in ('start', 'resume'): calls += 1; call(id=calls)"
    monkeypatch.setattr(link, "_BOOT", FAKE.replace("{lie}", again))
    entries, paid = [], []

    def pay(amount: int) -> None:
        paid.append(amount)
        assert len(entries) > len(paid)

    with Sandbox(
        tools=[pay],
        capabilities=[MethodCapability("pay", [Param("amount") <= 10], max_calls=3)],
        isolation="process",
        audit=AuditLog(entries.append),
    ) as sandbox:
        with pytest.raises(SandboxDead, match="not allowed: .*3 calls"):
            sandbox.run("pay --amount 1")
    assert paid == [1, 1, 1]
    decisions = [entry for entry in entries if entry["event"] == "decision"]
    assert [entry["outcome"] for entry in decisions] == ["allowed"] * 3


def test_an_event_loop_is_not_held_by_a_worker_that_lies(monkeypatch):
    """A run that never ends, in which nothing but a call waits."""
    lie = "if name == 'start': call(); answers['advance'] = (None, 0, (1,))"
    lie += "; answers['start'] = (None, 0, (1,))"
    monkeypatch.setattr(link, "_BOOT", FAKE.replace("{lie}", lie))
    monkeypatch.setattr(allowance, "GRACE_SECONDS", 0.5)

    async def pay(amount: int) -> None:
        await asyncio.sleep(600)

    async def main():
        beats = 0

        async def beat():
            nonlocal beats
            while True:
                await asyncio.sleep(0.01)
                beats += 1

        beating = asyncio.ensure_future(beat())
        with Sandbox(
            tools=[pay],
            capabilities=[MethodCapability("pay")],
            isolation="process",
            limits=Limits(wall_seconds=0.2),
        ) as sandbox:
            with pytest.raises(SandboxDead, match="did not stop at its limit of time"):
                await sandbox.arun("pay --amount 1")
        beating.cancel()
        assert beats > 3

    asyncio.run(main())


@pytest.mark.parametrize("sleeper", [1 << 62, (1 << 64) - 1])
def test_nobody_sleeps_as_long_as_a_worker_says(sleeper, monkeypatch):
    lie = f"if name == 'start': call(); answers['start'] = (None, {sleeper}, (1,))"
    monkeypatch.setattr(link, "_BOOT", FAKE.replace("{lie}", lie))
    with isolated(limits=Limits(wall_seconds=1)) as sandbox:
        sandbox.start("pay --amount 1")
        assert 0 < sandbox._machine.wait_ns() < 60e9


def test_a_worker_that_uses_processor_time_is_given_up(monkeypatch):
    """Also where nothing limits the time on the wall."""
    monkeypatch.setattr(
        link, "_BOOT", FAKE.replace("{lie}", "while name == 'start': pass")
    )
    monkeypatch.setattr(allowance, "GRACE_SECONDS", 0.5)
    monkeypatch.setattr(link, "_LOOK_SECONDS", 0.1)
    with isolated(limits=Limits(wall_seconds=None, cpu_seconds=0.3)) as sandbox:
        with pytest.raises(SandboxDead, match=r"more processor time .*cpu_seconds"):
            sandbox.run("echo on")


def test_an_audit_log_has_the_decisions_of_this_process():
    entries = []
    with isolated(audit=AuditLog(entries.append), limits=Limits(tool_calls=3)) as sandbox:
        sandbox.run(
            "pay --amount 3; pay --amount 11; tool steal --x 1; tool pay --json nonsense;"
            "pay --amount 1; pay --amount 1; pay --amount 1"
        )
    with Sandbox(
        tools=[pay],
        capabilities=[MethodCapability("pay", [Param("amount") <= 10], max_calls=3)],
        audit=AuditLog(entries.append),
        limits=Limits(tool_calls=3),
    ) as sandbox:
        sandbox.run(
            "pay --amount 3; pay --amount 11; tool steal --x 1; tool pay --json nonsense;"
            "pay --amount 1; pay --amount 1; pay --amount 1"
        )
    for entry in entries:
        for varies in ("time", "sandbox", "duration", "cpu_seconds", "wall_seconds"):
            entry.pop(varies, None)
    half = len(entries) // 2
    assert entries[:half] == entries[half:]
    assert len({entry.get("outcome") for entry in entries}) >= 4


# ---------------------------------------------------------------------- a system that fails


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM])
@pytest.mark.parametrize("fails", [1, 2])
def test_a_connection_that_cannot_be_made(number, fails, monkeypatch):
    calls = []
    true = socket.socketpair

    def failing():
        calls.append(1)
        if len(calls) == fails:
            raise OSError(number, os.strerror(number))
        return true()

    before = leftovers()
    monkeypatch.setattr(socket, "socketpair", failing)
    with pytest.raises(OSError, match=os.strerror(number)):
        isolated()
    assert leftovers() == before


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.ENOENT])
def test_a_process_that_cannot_be_started(number, monkeypatch):
    before = leftovers()
    if number == errno.ENOENT:
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
    else:

        def failing(*args):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(_native, "spawn", failing)
    with pytest.raises(OSError, match=os.strerror(number)):
        isolated()
    assert leftovers() == before


@pytest.mark.parametrize("what", ["read", "write"])
@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.ENOMEM, "Cannot allocate memory"),
        (errno.EIO, "Input/output error"),
        (errno.EPIPE, "died of|it ended|closed its connection"),
        (errno.ECONNRESET, "died of|it ended|closed its connection"),
    ],
)
def test_a_connection_that_fails(what, number, message, monkeypatch):
    """At each of its system calls in turn, until a run needs no more of them."""
    monkeypatch.setattr(link, "_FATE_SECONDS", 0.1)
    true = getattr(os, what)
    for fails in range(1, 30):
        before = leftovers()
        sandbox = isolated()
        calls = []

        def failing(fd, *args, calls=calls, fails=fails, own=sandbox._machine._link):
            if fd == own._requests.fileno():
                calls.append(1)
                if len(calls) == fails:
                    raise OSError(number, os.strerror(number))
            return true(fd, *args)

        monkeypatch.setattr(os, what, failing)
        try:
            assert sandbox.run("pay --amount 1; echo on").ok
            ended = True
        except SandboxDead as dead:
            ended = False
            assert re.search(message, str(dead)), dead
        monkeypatch.setattr(os, what, true)
        sandbox.close()
        assert leftovers() == before
        if ended:
            return
    raise AssertionError("it fails for ever")


@pytest.mark.parametrize("what", ["read", "write"])
def test_a_connection_in_small_pieces(what, monkeypatch):
    """Short reads and writes, would-block and signals between them change nothing."""
    true = getattr(os, what)
    times = itertools.count()
    with isolated() as sandbox:
        own = sandbox._machine._link._requests.fileno()

        def little(fd, more):
            if fd != own:
                return true(fd, more)
            if next(times) % 3 == 0:
                raise BlockingIOError(errno.EAGAIN, "not now")
            return true(fd, 7 if what == "read" else bytes(more[:7]))

        monkeypatch.setattr(os, what, little)
        result = sandbox.run("pay --amount 1; yes | head -c 5000 | wc -c")
        monkeypatch.setattr(os, what, true)
        assert result.stdout == '"paid 1"\n5000\n'


def test_a_poll_that_fails(monkeypatch):
    before = leftovers()
    with isolated() as sandbox:

        class Failing:
            def poll(self, timeout):
                raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

        sandbox._machine._link._readable = Failing()
        with pytest.raises(SandboxDead, match="its connection failed: Cannot allocate memory"):
            sandbox.run("echo on")
    assert leftovers() == before


#: In the worker, by a filter of its own that is there before it starts.
NO_MEMORY = """
import ctypes, struct, sys
sys.path.insert(0, sys.argv[1])
number, error = {number}, {error}
rules = (0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50000 | error), (6, 0, 0, 0x7FFF0000)
filter = b"".join(struct.pack("HBBI", *rule) for rule in rules)
held = ctypes.create_string_buffer(filter)
program = struct.pack("HxxxxxxP", 4, ctypes.addressof(held))
libc = ctypes.CDLL(None)
def install():
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program) == 0
from pinfold import _native, worker
{when}
worker.main()
"""


@pytest.mark.parametrize("error", [errno.ENOMEM, errno.EMFILE, errno.ENOSYS])
@pytest.mark.parametrize("name", ["seccomp", "landlock_restrict_self"])
def test_a_worker_that_cannot_be_walled_in_is_none(name, error, monkeypatch):
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers of system calls are those of x86-64")
    number = {"seccomp": 317, "landlock_restrict_self": 446}[name]
    boot = NO_MEMORY.replace("{number}", str(number)).replace("{error}", str(error))
    monkeypatch.setattr(link, "_BOOT", boot.replace("{when}", "install()"))
    before = leftovers()
    with pytest.raises((OSError, MemoryError, SandboxDead)) as told:
        isolated()
    assert os.strerror(error) in str(told.value) or "ended with status" in str(told.value)
    assert leftovers() == before


@pytest.mark.parametrize("error", [errno.ENOMEM, errno.EMFILE])
def test_a_worker_that_gets_no_files_in_memory(error, monkeypatch):
    """It needs none, or says what it did not get."""
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers of system calls are those of x86-64")
    boot = NO_MEMORY.replace("{number}", "319").replace("{error}", str(error))
    monkeypatch.setattr(link, "_BOOT", boot.replace("{when}", "install()"))
    before = leftovers()
    with contextlib.suppress(MemoryError, SandboxDead), isolated() as sandbox:
        assert sandbox.run("pay --amount 1 | cat").stdout == '"paid 1"\n'
    assert leftovers() == before


@pytest.mark.parametrize("name", ["mmap", "mprotect", "timer_settime", "futex"])
def test_a_machine_that_gets_nothing_of_its_system(name, monkeypatch):
    """Whatever becomes of the run, it ends, and so does the worker."""
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers of system calls are those of x86-64")
    number = {"mmap": 9, "mprotect": 10, "timer_settime": 223, "futex": 202}[name]
    when = (
        "true = worker._Worker._start\n"
        "def start(*args):\n    install()\n    return true(*args)\n"
        "worker._Worker._start = start\n"
        "_native.confine = lambda without: None\n"
    )
    boot = NO_MEMORY.replace("{number}", str(number)).replace("{error}", str(errno.ENOMEM))
    monkeypatch.setattr(link, "_BOOT", boot.replace("{when}", when))
    monkeypatch.setattr(allowance, "GRACE_SECONDS", 1.0)
    before = leftovers()
    with isolated(limits=Limits(wall_seconds=0.5)) as sandbox:
        with contextlib.suppress(SandboxDead, MemoryError, pinfold.SandboxStateError):
            sandbox.run("seq 100000 | sort | tail -1; sleep 0.1; echo on")
    assert leftovers() == before


def test_a_worker_ends_with_the_process_that_has_it():
    """Also one that does not look whether anybody is there."""
    script = (
        "import os, signal, sys, threading; sys.path.insert(0, sys.argv[1])\n"
        "from pinfold import Sandbox\n"
        "made = []\n"
        "thread = threading.Thread(target=lambda: made.append(Sandbox(isolation='process')))\n"
        "thread.start(); thread.join()\n"
        "made.append(Sandbox(isolation='process'))\n"
        "assert made[0].run('echo on').ok  # the thread that made it is gone\n"
        "for sandbox in made:\n"
        "    os.kill(sandbox._machine._link.pid, signal.SIGSTOP)\n"
        "print(*[sandbox._machine._link.pid for sandbox in made], flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, PACKAGE], capture_output=True, text=True)
    pids = done.stdout.split()
    assert len(pids) == 2, done.stderr
    until = time.monotonic() + 60
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < until, "a worker outlives its embedder"
        time.sleep(0.05)


def alive(pid: str) -> bool:
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


# ---------------------------------------------------------------------- frames


def test_frames_carry_plain_values():
    numbers = [1, -2, (1 << 64) - 1, -(1 << 63)]
    value = ("a", [*numbers, None, True, "\u20ac\udcff"], (b"", b"\0" * 100_000, ()), [])
    ours, theirs = os.pipe()
    thread = threading.Thread(target=send, args=(theirs, value))
    thread.start()
    assert Reader(ours, 1 << 20).receive() == value
    thread.join()
    with pytest.raises(TypeError, match="set cannot be sent"):
        send(theirs, {1})
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        (b"", "ends in the middle"),
        (b"x", "no value begins with b'x'"),
        (b"NN", "longer than its value"),
        (b"I\0\0", "ends in the middle"),
        (b"S" + b"\xff" * 8, "ends in the middle"),
        (b"S\2\0\0\0\0\0\0\0\xff\xff", "invalid start byte"),
        (b"L\1\0\0\0" * 99 + b"N", "nested too deeply"),
        (b"L\xff\xff\xff\xff", "too many values"),
        (b"L\2\0\0\0N", "ends in the middle"),
        (b"U\x20\0\0\0" + b"N" * 32, "too many values"),
    ],
)
def test_frames_that_are_none(inside, message):
    ours, theirs = os.pipe()
    os.write(theirs, b"pfw2" + len(inside).to_bytes(8, "little") + inside)
    with pytest.raises(WireError, match=message):
        Reader(ours, 1 << 20, 32).receive()
    os.close(ours)
    os.close(theirs)


def test_a_frame_that_a_signal_interrupted_comes_again():
    ours, theirs = os.pipe()
    send(theirs, ("output", 1, b"x" * 1000))
    frame = os.read(ours, 5000)
    reader = Reader(ours, 1 << 20)
    for at, byte in enumerate(frame):
        asked = iter([None])  # once, then it raises
        os.write(theirs, bytes([byte]))
        if at < len(frame) - 1:
            with pytest.raises(StopIteration):
                reader.receive(asked.__next__)
    assert reader.receive() == ("output", 1, b"x" * 1000)
    send(theirs, "next")
    assert reader.receive() == "next"
    os.close(ours)
    os.close(theirs)


def test_ctrl_c_stops_the_guest_and_keeps_the_session():
    def soon() -> None:
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    with isolated() as sandbox:
        thread = threading.Thread(target=soon)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            sandbox.run("while :; do :; done")
        thread.join()
        assert sandbox.run("echo on").stdout == "on\n"


# What only memos ask of a machine, which refuse a worker.
IN_THIS_PROCESS = {"is_fixed", "was_struck"}


def test_it_has_every_method_of_a_machine():
    """What is added to the one is added to the other. Replays are never in a worker."""
    from pinfold import _native
    from pinfold.remote import RemoteMachine

    public = {name for name in dir(_native.Machine) if not name.startswith(("_", "replay_"))}
    remote = set(dir(RemoteMachine)) | set(RemoteMachine.__annotations__)
    assert public - remote == IN_THIS_PROCESS
