"""Threads, interrupts, and the rule that a sandbox belongs to one thread at a time."""

import asyncio
import copy
import pickle
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

import pinfold.threads
from pinfold import Limits, MethodCapability, Sandbox, SandboxBusy, create_sandbox_tool

FOREVER = "while :; do :; done"


def running_in_a_thread(sandbox, code=FOREVER):
    results = []
    thread = threading.Thread(target=lambda: results.append(sandbox.run(code)))
    thread.start()
    while "busy" not in repr(sandbox):
        time.sleep(0.001)
    return thread, results


def test_a_second_thread_is_refused_at_once(sandbox):
    thread, results = running_in_a_thread(sandbox)
    for use in (
        lambda: sandbox.run("echo"),
        lambda: sandbox.start("echo"),
        lambda: sandbox.files["x"],
        lambda: sandbox.snapshot(),
        lambda: sandbox.close(),
        lambda: sandbox.has_work(),
    ):
        started = time.monotonic()
        with pytest.raises(SandboxBusy):
            use()
        assert time.monotonic() - started < 1
    sandbox.interrupt()
    thread.join(20)
    assert results[0].exit_code == 130
    assert sandbox.run("echo fine").stdout == "fine\n"


def test_an_interrupt_keeps_the_session(sandbox):
    sandbox.run("x=5")
    thread, results = running_in_a_thread(sandbox)
    sandbox.interrupt()
    thread.join(20)
    assert not results[0].session_lost
    assert sandbox.run("echo $x").stdout == "5\n"


class Interrupting(str):
    """Input that interrupts the sandbox when it is looked at: after run() was entered, before the
    guest is."""

    def __new__(cls, sandbox):
        self = super().__new__(cls, "input")
        self.sandbox = sandbox
        return self

    def encode(self, *args):
        self.sandbox.interrupt()
        return b"input"


@pytest.mark.parametrize("isolation", [None, "process"])
@pytest.mark.parametrize("code, language", [(FOREVER, "shell"), ("for (;;);", "javascript")])
def test_an_interrupt_before_the_guest_starts_is_not_lost(isolation, code, language):
    with Sandbox(isolation=isolation) as sandbox:
        result = sandbox.run(code, language, stdin=Interrupting(sandbox))
        assert result.exit_code == 130 and result.limit is None
        sandbox.start(code, language, stdin=Interrupting(sandbox))
        assert sandbox.result.exit_code == 130


@pytest.mark.parametrize("isolation", [None, "process"])
def test_an_interrupt_from_a_handler_is_not_lost(isolation):
    """It is told to a worker on another way than the handler's answer, which may be faster."""

    def stop() -> None:
        sandbox.interrupt()

    with Sandbox(
        tools=[stop], capabilities=[MethodCapability("stop", max_calls=4000)], isolation=isolation
    ) as sandbox:
        for _ in range(3000 if isolation else 50):
            result = sandbox.run("stop; echo after")
            assert result.exit_code == 130 and "after" not in result.stdout


@pytest.mark.parametrize("isolation", [None, "process"])
def test_an_interrupt_between_runs_is_nothing(isolation):
    with Sandbox(isolation=isolation) as sandbox:
        sandbox.interrupt()
        assert sandbox.run("echo one").stdout == "one\n"
        sandbox.interrupt()
        assert sandbox.snapshot()
        assert sandbox.run("echo two").stdout == "two\n"
        with pytest.raises(TypeError):
            sandbox.run("echo", stdin=5)
        sandbox.interrupt()
        assert sandbox.run("echo three").stdout == "three\n"


def test_a_run_that_is_cancelled_before_its_thread_starts(sandbox, monkeypatch):
    """The thread comes late: the script would be started after its run was cancelled."""
    free, submit = threading.Event(), pinfold.threads.submit
    monkeypatch.setattr(
        pinfold.threads, "submit", lambda work: submit(lambda: (free.wait(), work()))
    )

    async def main():
        run = asyncio.ensure_future(sandbox.arun("echo begun > begun"))
        await asyncio.sleep(0)
        run.cancel()
        await asyncio.sleep(0)
        free.set()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(main())
    assert "begun" not in sandbox.files
    assert sandbox.run("echo fine").stdout == "fine\n"


def test_two_sandboxes_run_at_the_same_time():
    """While one guest runs, Python and another guest run too."""
    with Sandbox() as first, Sandbox() as second:
        thread, results = running_in_a_thread(first)
        counted = sum(1 for _ in range(1000))
        assert second.run("echo alive").stdout == "alive\n" and counted == 1000
        assert thread.is_alive()
        first.interrupt()
        thread.join(20)


def test_many_threads_each_with_its_own(request):
    outputs = {}

    def work(n):
        with Sandbox(tool_handler=lambda m, p: p["n"] + 1, capabilities=[MethodCapability("**")]) as s:
            outputs[n] = [
                s.run(f"tool inc --json '{{\"n\": {n + i}}}'").stdout for i in range(20)
            ]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert outputs == {n: [f"{n + i + 1}\n" for i in range(20)] for n in range(4)}


CTRL_C = """
import sys
from pinfold import Sandbox
sandbox = Sandbox()
print("ready", flush=True)
try:
    sandbox.run({code!r}, {language!r})
except KeyboardInterrupt:
    print("interrupted", sandbox.run("echo and well").stdout)
"""


@pytest.mark.parametrize(
    "code, language",
    [(FOREVER, "shell"), ("for (;;);", "javascript"), ("sleep 100", "shell"), ("yes > /dev/null", "shell")],
)
def test_ctrl_c_stops_the_guest_and_raises(code, language):
    child = subprocess.Popen(
        [sys.executable, "-c", CTRL_C.format(code=code, language=language)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=30)
    finally:
        child.kill()
    assert out.split() == ["interrupted", "and", "well"]


STUBBORN = [
    ("trap : INT; while :; do sleep 1; done", "shell"),
    ("trap '' INT; while :; do :; done", "shell"),
    ("while :; do :; done & wait", "shell"),
    ("process.on('SIGINT', () => {}); for (;;);", "javascript"),
    ("trap 'while :; do tool f; done' INT; while :; do tool f; done", "shell"),
]
NO_LIMITS = Limits(cpu_seconds=None, wall_seconds=None, tool_calls=None)


@pytest.mark.parametrize("isolation", [None, "process"])
@pytest.mark.parametrize("code, language", STUBBORN)
def test_ctrl_c_ends_what_ignores_it(code, language, isolation):
    program = f"""
import os, signal, sys, threading
from pinfold import *
sandbox = Sandbox(limits=Limits(cpu_seconds=None, wall_seconds=None, tool_calls=None),
                  isolation={isolation!r},
                  tool_handler=lambda *call: None, capabilities=[MethodCapability("**")])
sandbox.run("echo kept > file")
print("ready", flush=True)
try:
    sandbox.run({code!r}, {language!r})
except KeyboardInterrupt:
    print("interrupted", sandbox.run("cat file").stdout)
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert out.split() == ["interrupted", "kept"]


class Alarm(Exception):
    pass


@pytest.fixture
def alarm():
    before = signal.getsignal(signal.SIGALRM)

    def arm(handler):
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)

    yield arm
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


ENDLESS = [
    (FOREVER, "shell"),
    ("sleep 1000", "shell"),
    ("sleep 1000 | cat", "shell"),
    ("for (;;);", "javascript"),
    ("await new Promise(r => setTimeout(r, 1e6))", "javascript"),
]


@pytest.mark.parametrize("isolation", [None, "process"])
@pytest.mark.parametrize("code, language", ENDLESS)
def test_signal_handlers_run_while_the_guest_does(alarm, code, language, isolation):
    with Sandbox(limits=NO_LIMITS, isolation=isolation) as sandbox:
        sandbox.run("x=5")
        alarm(lambda *_: sandbox.interrupt())
        assert sandbox.run(code, language).exit_code == 130
        signal.setitimer(signal.ITIMER_REAL, 0)

        def ring(*_):
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise Alarm

        with pytest.raises(Alarm):
            alarm(ring)
            sandbox.run(code, language)
        assert sandbox.run("echo $x").stdout == "5\n"


@pytest.mark.parametrize("isolation", [None, "process"])
def test_the_second_exception_kills_and_files_stay(isolation):
    left = [2]

    def ring(*_):
        left[0] -= 1
        if not left[0]:
            signal.setitimer(signal.ITIMER_REAL, 0)
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with Sandbox(limits=NO_LIMITS, isolation=isolation, files={"file": "kept"}) as sandbox:
            with pytest.raises(Alarm):
                signal.setitimer(signal.ITIMER_REAL, 0.3, 0.05)
                sandbox.run("trap '' INT; while :; do :; done")
            assert left == [0]
            assert sandbox.run("cat file").stdout == "kept"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_ctrl_c_in_a_handler_ends_the_run():
    def handler(method, params):
        raise KeyboardInterrupt

    with Sandbox(tool_handler=handler, capabilities=[MethodCapability("**")]) as sandbox:
        with pytest.raises(KeyboardInterrupt):
            sandbox.run("while :; do tool f; done")
        assert sandbox.run("echo fine").stdout == "fine\n"


def test_ctrl_c_between_a_tool_and_the_guest():
    """Many calls in a row: wherever the signal comes, the run ends by it and Python raises."""
    code = """
import os, signal, threading
from pinfold import create_sandbox_tool, Limits
def f(n: int) -> int:
    if n == 500:
        threading.Thread(target=lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    return n
sandbox = create_sandbox_tool(tools=[f], limits=Limits(tool_calls=None)).sandbox
for code, language in (("for (let n = 0;; n++) await f({n})", "javascript"), ("for ((n=0;;n++)); do f --n $n; done >/dev/null", "shell")):
    try:
        sandbox.run(code, language)
    except KeyboardInterrupt:
        print("interrupted", sandbox.run("echo and well").stdout, end="")
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.stdout == "interrupted and well\n" * 2 + "True\n", done.stderr


def test_a_tool_that_sets_a_handler_keeps_it():
    def quiet() -> str:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return "set"

    before = signal.getsignal(signal.SIGINT)
    with create_sandbox_tool(tools=[quiet]).sandbox as sandbox:
        try:
            assert sandbox.run("quiet; quiet").stdout == '"set"\n"set"\n'
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.signal(signal.SIGINT, before)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_a_handler_of_the_program_is_left_alone():
    before = signal.getsignal(signal.SIGINT)
    with Sandbox() as sandbox:
        sandbox.run("echo")
    assert signal.getsignal(signal.SIGINT) is before


def test_a_sandbox_is_not_copied(sandbox):
    for make in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="snapshot"):
            make(sandbox)


def test_python_runs_while_the_guest_does(sandbox):
    """The GIL is free: another thread of Python goes on, and two guests run at the same time."""
    turns = 0
    thread, results = running_in_a_thread(sandbox, "i=0; while ((i < 300000)); do ((i++)); done; echo $i")
    while thread.is_alive():
        turns += 1
    thread.join()
    assert results[0].stdout == "300000\n" and turns > 1000


def test_two_guests_at_once():
    """Each waits for what the other's handler does: one after the other, they would never end."""
    with Sandbox(tools=[], tool_handler=lambda method, params: meeting.wait(20), capabilities=[MethodCapability("meet")]) as a:
        meeting = threading.Barrier(2)
        with Sandbox(tool_handler=lambda method, params: meeting.wait(20), capabilities=[MethodCapability("meet")]) as b:
            results = []
            threads = [threading.Thread(target=lambda s=s: results.append(s.run("tool meet && echo met"))) for s in (a, b)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert all(result.stdout.endswith("met\n") for result in results), results


@pytest.mark.parametrize("isolation", [None, "process"])
def test_what_a_signal_raises_at_any_moment_ends_the_run_alone(isolation):
    """Not the sandbox: no run stays behind, nobody has it in use, its worker is understood."""

    def ring(*_):
        raise Alarm

    codes = [
        ("for i in 1 2 3 4 5 6 7 8; do tool f; done", "shell"),
        ("for (let i = 0; i < 30; i++) await f({})", "javascript"),
        ("echo a; echo b; tool f", "shell"),
    ]
    chance = random.Random(5)
    before = signal.signal(signal.SIGALRM, ring)
    rung = 0
    try:
        with Sandbox(
            tool_handler=lambda *call: 1,
            capabilities=[MethodCapability("**")],
            limits=NO_LIMITS,
            isolation=isolation,
        ) as sandbox:
            for count in range(2000):
                watch = (lambda *_: None) if count % 3 == 0 else None
                try:
                    signal.setitimer(signal.ITIMER_REAL, chance.uniform(2e-5, 4e-3))
                    sandbox.run(*chance.choice(codes), on_output=watch)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except Alarm:
                    rung += 1
                assert sandbox.run("echo well").stdout == "well\n"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung > 10
