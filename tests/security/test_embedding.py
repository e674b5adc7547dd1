"""pinfold inside a process that has its own ideas: handlers of faults, forks, threads, sudden ends.

Each case is a program of its own, because what goes wrong would take the test with it.
"""

import signal
import subprocess
import sys
import textwrap

import pytest

import pinfold
from pinfold import Limits, MethodCapability, Sandbox
from pinfold.errors import TraceError


def python(program, *arguments, status=0):
    """Runs a program; its stdout and stderr. A negative status is a signal."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *arguments],
        capture_output=True, text=True, timeout=120,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout, done.stderr


PROLOGUE = """
import faulthandler, os, signal, sys, threading
from pinfold import Sandbox, MethodCapability
def use(sandbox, n=1):
    assert sandbox.run("f() { f; }; f", language="shell").exit_code != 0
    r = sandbox.run("return (function f() { return f() + 1 })()", language="javascript")
    assert "RangeError" in r.stderr
    for i in range(n):
        assert sandbox.run(f"echo {i} | cat").stdout == f"{i}\\n"
"""


def embedding(program, status=0):
    return python(PROLOGUE + textwrap.dedent(program), status=status)


@pytest.mark.parametrize("order", ["before", "after", "both", "off again"])
def test_faulthandler_and_pinfold_know_their_own_faults(order):
    """Whoever came first: a guest's fault is pinfold's, the host's own is the process's end, told once."""
    out, err = embedding(f"""
        order = {order!r}
        if order in ("before", "both"): faulthandler.enable()
        with Sandbox() as sandbox:
            use(sandbox)
            if order in ("after", "both"): faulthandler.enable()
            if order == "off again": faulthandler.enable(); faulthandler.disable()
            use(sandbox)
        print("used", flush=True)
        faulthandler.enable()
        with Sandbox() as sandbox: use(sandbox)
        import ctypes
        ctypes.string_at(16)
    """, status=-signal.SIGSEGV)
    assert out == "used\n"
    assert err.count("Fatal Python error: Segmentation fault") == 1


def test_a_fork_of_the_host_has_sandboxes_of_its_own():
    """Also while other threads make, use and free theirs, whose locks the child never gets back."""
    out, _ = embedding("""
        stop = threading.Event()
        def work():
            while not stop.is_set():
                with Sandbox() as s: assert s.run("echo x").stdout == "x\\n"
        threads = [threading.Thread(target=work) for _ in range(2)]
        for t in threads: t.start()
        with Sandbox() as sandbox:
            sandbox.run("x=kept; echo there > f; sleep 1000 &")
            for _ in range(20):
                pid = os.fork()
                if pid == 0:
                    try:
                        assert sandbox.run("echo $x; cat f; x=child").stdout == "kept\\nthere\\n"
                        with Sandbox() as another: use(another)
                        os._exit(0)
                    except BaseException as error:
                        print(repr(error), flush=True)
                    os._exit(1)
                signal.alarm(60)
                assert os.waitpid(pid, 0)[1] == 0
                signal.alarm(0)
            stop.set()
            for t in threads: t.join()
            assert sandbox.run("echo $x; cat f").stdout == "kept\\nthere\\n"
        print("ok")
    """)
    assert out == "ok\n"


def test_threads_with_alternate_stacks_of_their_own():
    """As Go and the JVM give their threads: it is used as it is, and left there."""
    out, _ = embedding("""
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        class Stack(ctypes.Structure):
            _fields_ = [("sp", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]
        def work():
            room = ctypes.create_string_buffer(65536)
            mine, now = Stack(ctypes.addressof(room), 0, 65536), Stack()
            assert libc.sigaltstack(ctypes.byref(mine), None) == 0
            with Sandbox() as sandbox: use(sandbox, 3)
            assert libc.sigaltstack(None, ctypes.byref(now)) == 0
            assert (now.sp, now.size) == (mine.sp, mine.size)
            off = Stack(None, 2, 0)
            assert libc.sigaltstack(ctypes.byref(off), None) == 0
            done.append(1)
        done = []
        for _ in range(3):
            t = threading.Thread(target=work); t.start(); t.join()
        print(len(done))
    """)
    assert out == "3\n"


def test_a_host_that_is_killed_leaves_a_trace_that_says_so(tmp_path):
    """The lines that are there are whole; the replay needs to be asked to accept that it was cut."""
    trace = tmp_path / "cut.trace"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent("""
            import os, signal, sys
            from pinfold import Sandbox, MethodCapability
            def kill(method, params):
                os.kill(os.getpid(), signal.SIGKILL)
            sandbox = Sandbox(capabilities=[MethodCapability("t")], tool_handler=kill, record=sys.argv[1])
            sandbox.run("echo one > f; cat f; tool t; echo two")
        """), str(trace)], timeout=60,
    )
    assert done.returncode == -signal.SIGKILL
    with pytest.raises(TraceError, match="cut short"):
        pinfold.replay(trace)
    with pinfold.replay(trace, partial=True) as replay:
        assert replay.files["/workspace/f"] == b"one\n"
        assert [call[1] for call in replay.pending] == ["t"] and not replay.results


@pytest.mark.parametrize("kilobytes", [1, 1000, 3000])
def test_a_limit_on_file_sizes_is_an_error_and_no_signal(kilobytes):
    """Processes start from files in memory, for which RLIMIT_FSIZE holds too; its signal, which Python
    ignores, would be the end of others."""
    out, _ = embedding(f"""
        import resource
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        limit = ({kilobytes} << 10, resource.RLIM_INFINITY)
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        try:
            with Sandbox() as sandbox: sandbox.run("seq 3 | sort -r; js -e 1; sqlite3 :memory: 'select 1'")
        except MemoryError as error:
            assert "RLIMIT_FSIZE" in str(error), error
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        with Sandbox() as sandbox: use(sandbox)
        print("goes on")
    """)
    assert out == "goes on\n"


@pytest.mark.parametrize("gigabytes", [2, 9, 18, 27, 36])
@pytest.mark.parametrize("when", ["before the first sandbox", "after it"])
def test_address_space_that_runs_out_is_an_error(gigabytes, when):
    """Each process in a sandbox reserves 8 GiB of it. Whichever of them comes too late: nobody aborts."""
    out, _ = embedding(f"""
        import resource
        if {when!r} == "after it":
            with Sandbox() as sandbox: sandbox.run("echo")
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + ({gigabytes} << 30), resource.RLIM_INFINITY))
        for i in range(3):
            try:
                with Sandbox() as sandbox:
                    result = sandbox.run("head -c 3 /etc/passwd | od -c | cat | wc; js -e 1; sqlite3 .q")
                    assert result.exit_code or not result.stderr
            except MemoryError: pass
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        with Sandbox() as sandbox: use(sandbox)
        print("goes on")
    """)
    assert out == "goes on\n"


def test_a_handler_that_throws_what_it_likes():
    """The script sees a failure; the sandbox is there afterwards."""
    def handler(method, params):
        raise {"v": ValueError("no"), "r": RecursionError("deep"), "m": MemoryError()}[method]

    with Sandbox(capabilities=[MethodCapability("*")], tool_handler=handler) as sandbox:
        for name in "vrm":
            result = sandbox.run(f"tool {name} || echo status $?")
            assert result.stdout == "status 1\n"
        assert sandbox.run("echo alive").stdout == "alive\n"


def test_calls_that_wait_count_as_the_sandbox_s_memory():
    """A script that starts calls and never waits for them: the host holds their arguments."""
    program = """
        const big = "x".repeat(900000), failed = [];
        for (let i = 0; i < 400; i++) {
            tools["t"]({big, i}).catch(e => failed.push(e.code));
            await $`true`; // others get their turn
            if (failed.length > 3) break;
        }
        console.log(failed[0], failed.length);
        process.exit(0);
    """
    limits = Limits(memory_bytes=96 << 20, cpu_seconds=60)
    with Sandbox(
        capabilities=[MethodCapability("t")], tool_handler=lambda method, params: 1, limits=limits
    ) as sandbox:
        sandbox.start(program, language="javascript")
        assert sandbox.result.stdout in ("limit 4\n", "failed 4\n"), sandbox.result
        assert sandbox.result.usage.memory_bytes <= 96 << 20
        assert sandbox.run("echo alive").stdout == "alive\n"
