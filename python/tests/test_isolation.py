"""``isolation="process"``: the same sandbox behind a second wall, and a worker that nobody trusts."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

import pinfold
from pinfold import Limits, MethodCapability, Param, Sandbox, SandboxDead, Tool, remote
from pinfold.wire import Reader, WireError, send

PACKAGE = str(pathlib.Path(pinfold.__file__).parent.parent)


def pay(amount: int) -> str:
    return f"paid {amount}"


def isolated(**more):
    granted = [MethodCapability("pay", [Param("amount") <= 10], max_calls=3)]
    return Sandbox(tools=[pay], capabilities=granted, isolation="process", **more)


def worker_of(sandbox: Sandbox) -> int:
    return sandbox._machine._worker._process.pid


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
    monkeypatch.setattr(remote, "_GRACE_SECONDS", 0.5)
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


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("open a file", "open('/etc/passwd')"),
        ("look for a file", "os.stat('/')"),
        ("open a socket", "socket.socket()"),
        ("start a process", "os.fork()"),
        ("become another program", "os.execv('/bin/true', ['true'])"),
        ("signal another process", "os.kill(os.getppid(), 0)"),
        ("change its limits", "resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))"),
        ("look at another process", "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)"),
        ("widen the wall", "_native.confine(True)"),
    ],
)
def test_a_confined_process_cannot(what, code):
    script = (
        "import os, resource, socket, sys; sys.path.insert(0, sys.argv[1]);"
        "from pinfold import _native; _native.confine(False); os.write(1, b'in ')\n"
        f"try: {code}\n"
        "except PermissionError: os.write(1, b'refused')\n"
        "else: os.write(1, b'done')\n"
    )
    done = subprocess.run([sys.executable, "-c", script, PACKAGE], capture_output=True)
    assert done.stdout in (b"in ", b"in refused"), what
    assert done.returncode in (0, -signal.SIGSYS)
    if done.stdout == b"in ":
        assert done.returncode == -signal.SIGSYS, done.stderr


def test_a_worker_has_nothing_of_the_host(monkeypatch):
    monkeypatch.setenv("API_TOKEN", "secret-of-the-host")
    with isolated() as sandbox:
        sandbox.run("echo started")
        process = pathlib.Path(f"/proc/{worker_of(sandbox)}")
        assert b"secret-of-the-host" not in (process / "environ").read_bytes()
        assert "Seccomp:\t2" in (process / "status").read_text()
        opened = {os.readlink(entry) for entry in (process / "fd").iterdir()}
        assert all(
            name.startswith(("socket:", "pipe:", "anon_inode:", "/memfd:", "/dev/null"))
            for name in opened
        ), opened


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


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGABRT, signal.SIGSYS])
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
    monkeypatch.setattr(remote, "_GRACE_SECONDS", 0.5)

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
    monkeypatch.setattr(remote, "_GRACE_SECONDS", 100)
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
fd = int(sys.argv[2])
reader = Reader(fd, 1 << 40)
answers = {"new": None, "tool_names": [], "running": True, "pending": [], "wait_ns": None, "start": None}
try:
    while True:
        name, _, *args = reader.receive()
        {lie}
        send(fd, ("value", answers.get(name)))
except Ended:
    pass
"""

CALL = '(1, "pay", "pay", "{\\"amount\\":%s}", 0, False)'


@pytest.mark.parametrize(
    ("lie", "message"),
    [
        (f"answers['step'] = {CALL % 11}", r"not allowed: pay is denied: amount must be <= 10"),
        (f"answers['step'] = {CALL.replace('pay', 'steal') % 1}", "not allowed: .*steal"),
        ("answers['step'] = (1, 'pay', 'pay', '{} , \"tool\": \"x\"', 0, False)", "not allowed"),
        ("answers['step'] = (1, 'pay')", r"its call is \(1, 'pay'\)"),
        ("answers['step'] = 'x' * 1000", "its call is xxx"),
        ("answers['start'] = (b'', b'', 'no int')", "its outcome is"),
        ("name == 'start' and send(fd, ('output', 1, 'no bytes'))", "its output is"),
        ("name == 'start' and send(fd, ('error', 'SystemExit', ['0']))", "it answered with"),
        ("name == 'start' and os.write(fd, b'x' * 64)", "what came is no frame"),
        (
            "name == 'start' and os.write(fd, b'pfw1' + (1).to_bytes(4, 'little') + b'\\x02'"
            " + bytes(7) + b'\\xff' * 8 + b'{}')",
            "a frame of [0-9]+ bytes is over",
        ),
        ("name == 'start' and os._exit(7)", "it ended with status 7"),
        ("name == 'start' and time.sleep(600)", "it did not stop at its limit of time"),
    ],
)
def test_a_worker_that_lies_is_given_up(lie, message, monkeypatch):
    monkeypatch.setattr(remote, "_BOOT", FAKE.replace("{lie}", lie))
    monkeypatch.setattr(remote, "_GRACE_SECONDS", 0.5)
    paid = []
    with Sandbox(
        tools=[Tool("pay", handler=lambda **given: paid.append(given))],
        capabilities=[MethodCapability("pay", [Param("amount") <= 10])],
        isolation="process",
        limits=Limits(wall_seconds=0.5),
    ) as sandbox:
        with pytest.raises(SandboxDead, match=message):
            sandbox.run("pay --amount 1")
        with pytest.raises(SandboxDead):
            sandbox.run("echo on")
    assert paid == []


def test_budgets_hold_against_a_worker_that_lies(monkeypatch):
    lie = f"answers['step'] = ((n := globals().get('n', 0) + 1), *{CALL % 1}[1:])"
    monkeypatch.setattr(remote, "_BOOT", FAKE.replace("{lie}", lie))
    with isolated() as sandbox:
        with pytest.raises(SandboxDead, match="not allowed: .*3 calls"):
            sandbox.run("pay --amount 1")


# ---------------------------------------------------------------------- frames


def test_frames_carry_plain_values():
    value = ("a", [1, -2, 2.5, None, True, "\u20ac\udcff"], (b"", b"\0" * 100_000, ()), [])
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
    "text", [b'{"b":5}', b'{"b":-1}', b'{"x":1}', b"[", b'{"t":1}', b"[" * 9999]
)
def test_frames_that_are_none(text):
    ours, theirs = os.pipe()
    os.write(theirs, b"pfw1" + bytes(4) + len(text).to_bytes(8, "little") + text)
    with pytest.raises(WireError):
        Reader(ours, 1 << 20).receive()
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


def test_it_has_every_method_of_a_machine():
    """What is added to the one is added to the other. Replays are never in a worker."""
    from pinfold import _native
    from pinfold.remote import RemoteMachine

    public = {name for name in dir(_native.Machine) if not name.startswith(("_", "replay_"))}
    assert public - set(dir(RemoteMachine)) - set(RemoteMachine.__annotations__) == set()
