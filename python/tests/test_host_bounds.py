"""What is asked of a sandbox from outside has bounds, keeps what costs nothing free, lets other
threads run, and ends at an interrupt."""

import io
import math
import os
import signal
import subprocess
import sys
import tarfile
import textwrap
import threading
import time

import pytest

from pinfold import BoundError, Limits, NoTimerError, Sandbox, SandboxInterrupted, replay

MIB = 1 << 20


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "first").write_text("as it came\n")
    return folder


@pytest.fixture
def sandbox(folder):
    with Sandbox(mounts={"/m": (folder, "copy")}) as sandbox:
        yield sandbox


LINKS = "cd /m; head -c 1M /dev/urandom > a; for i in $(seq 120); do ln a l$i; done"
HOLES = "cd /m; for i in 1 2 3 4 5 6 7 8; do truncate -s 2000M h$i; echo tail >> h$i; done"


def test_links_are_links(sandbox, tmp_path):
    assert sandbox.run(LINKS).exit_code == 0
    mounted = sandbox.mounted("/m")
    data = mounted.tar(max_bytes=2 * MIB)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert sum(member.islnk() for member in archive) == 120
        assert archive.extractfile("l7").read() == sandbox.files["/m/a"]
    mounted.export(tmp_path / "out", max_bytes=2 * MIB)
    assert (tmp_path / "out" / "l120").stat().st_nlink == 121
    with pytest.raises(BoundError, match=r"tar of /m: more than max_bytes, 524288"):
        mounted.tar(max_bytes=MIB // 2)


def test_holes_are_holes(sandbox, tmp_path):
    assert sandbox.run(HOLES).exit_code == 0
    mounted = sandbox.mounted("/m")
    assert len(mounted.changes(max_bytes=1000)) == 8
    data = mounted.tar(True, max_bytes=MIB)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        member = archive.getmember("h3")
        assert member.size == 2000 * MIB + 5
        content = archive.extractfile(member)
        content.seek(-7, io.SEEK_END)
        assert content.read() == b"\0\0tail\n"
    mounted.export(tmp_path / "out", max_bytes=MIB)
    found = (tmp_path / "out" / "h8").stat()
    assert found.st_size == 2000 * MIB + 5 and found.st_blocks * 512 < MIB
    with open(tmp_path / "out" / "h8", "rb") as file:
        file.seek(-5, os.SEEK_END)
        assert file.read() == b"tail\n"


def test_archives_are_read_by_tar(sandbox, tmp_path):
    sandbox.run("cd /m; mkdir -p d; truncate -s 3M d/hole; echo x > d/y; ln d/y z")
    long = "n" * 120
    sandbox.run(f"cd /m/d; truncate -s 1M {long}; echo end >> {long}")
    (tmp_path / "a.tar").write_bytes(sandbox.mounted("/m").tar())
    (tmp_path / "t").mkdir()
    done = subprocess.run(["tar", "-xf", "a.tar", "-C", "t"], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    out = tmp_path / "t"
    assert (out / "d" / "hole").read_bytes() == bytes(3 * MIB)
    assert (out / "d" / long).read_bytes() == bytes(MIB) + b"end\n"
    assert (out / "z").stat().st_ino == (out / "d" / "y").stat().st_ino


def test_what_a_file_gives_is_bounded(sandbox):
    sandbox.run("truncate -s 900M hole; seq 1000 > numbers; touch empty")
    with pytest.raises(BoundError, match="reading /workspace/hole: more than max_bytes, 536870912"):
        sandbox.files["hole"]
    with pytest.raises(BoundError, match="max_bytes, 1000,"):
        sandbox.files.read("numbers", max_bytes=1000)
    assert sandbox.files.read("numbers", max_bytes=3893) == sandbox.files["numbers"]
    assert sandbox.files.read("empty", max_bytes=1) == b""
    assert sandbox.files.read("/proc/uptime", max_bytes=100)
    with pytest.raises(BoundError):
        sandbox.files.read("/proc/meminfo", max_bytes=3)
    assert len(sandbox.files.read("hole", max_bytes=math.inf)) == 900 * MIB
    with pytest.raises(KeyError):
        sandbox.files.read("missing")
    with pytest.raises(BoundError, match="listing"):
        sandbox.files.list("/usr/bin", max_bytes=50)
    with pytest.raises(BoundError, match="snapshot"):
        sandbox.snapshot(max_bytes=100)
    with pytest.raises(BoundError, match="max_seconds"):
        sandbox.snapshot(max_seconds=1e-9)
    assert sandbox.run("wc -l < numbers").stdout == "1000\n"


@pytest.mark.parametrize("bad", [0, -1, 1.5, math.nan, True, "1"])
def test_bounds_are_checked(sandbox, bad):
    for ask in (sandbox.mounted("/m").changes, sandbox.mounted("/m").tar, sandbox.snapshot):
        with pytest.raises((ValueError, TypeError), match="max_bytes"):
            ask(max_bytes=bad)
    for bad_time in (0, -1, math.nan, True, "1"):
        with pytest.raises((ValueError, TypeError), match="max_seconds"):
            sandbox.snapshot(max_seconds=bad_time)


def test_time_is_bounded(sandbox, tmp_path):
    sandbox.run("cd /m; mkdir -p a/b; touch a/b/c; head -c 1M /dev/zero > z; : > /tmp/f")
    mounted = sandbox.mounted("/m")
    for ask in (mounted.changes, mounted.tar, lambda **how: mounted.export(tmp_path / "o", **how)):
        with pytest.raises(BoundError, match="max_seconds"):
            ask(max_seconds=1e-9)
    with pytest.raises(BoundError, match="max_seconds"):
        list(sandbox.files.walk(max_seconds=1e-9))
    assert list(sandbox.files.walk()) == ["/tmp/f"]
    assert mounted.changes() == [
        ("A", "/m/a"), ("A", "/m/a/b"), ("A", "/m/a/b/c"), ("A", "/m/z")
    ]


# ---- other threads, interrupts


def slow(sandbox):
    """Something that is asked for takes a while: many small files."""
    sandbox.run("cd /m; head -c 30M /dev/zero | split -b 2K -a 4 - f", language="shell")


@pytest.mark.parametrize("isolation", [None, "process"])
def test_interrupt_ends_it(isolation):
    with Sandbox(isolation=isolation) as sandbox:
        sandbox.run("head -c 100M /dev/zero > big")
        done = threading.Event()

        def interrupt():
            while not done.wait(0.001):
                sandbox.interrupt()

        other = threading.Thread(target=interrupt)
        other.start()
        try:
            with pytest.raises(SandboxInterrupted, match="interrupted"):
                for _ in range(1000):
                    sandbox.files["big"]
        finally:
            done.set()
            other.join()
        assert sandbox.run("echo usable").stdout == "usable\n"
        assert len(sandbox.files["big"]) == 100 * MIB


def test_other_threads_run_meanwhile(sandbox):
    """The GIL is free: a thread that counts is never stopped for the whole of a reading."""
    sandbox.run("head -c 150M /dev/zero > /tmp/big")
    seen, reading, done = [], threading.Event(), threading.Event()

    def count():
        reading.wait()
        while not done.is_set():
            seen.append(1)
            time.sleep(0)

    other = threading.Thread(target=count)
    other.start()
    sys.setswitchinterval(1000)  # who holds the GIL keeps it, unless it is given away
    try:
        for _ in range(5):
            reading.set()
            sandbox.files["/tmp/big"]
    finally:
        done.set()
        other.join()
        sys.setswitchinterval(0.005)
    assert len(seen) >= 4


def test_a_sandbox_that_is_read_is_busy(sandbox):
    from pinfold import SandboxBusy

    sandbox.run("head -c 150M /dev/zero > /tmp/big")
    busy, done = [], threading.Event()

    def look():
        while not done.wait(0.001):  # who asks without a pause leaves the reader no turn
            try:
                sandbox.files.list("/m")
            except SandboxBusy:
                busy.append(1)

    other = threading.Thread(target=look)
    other.start()
    read = 0
    try:
        while not busy and read < 200:
            try:
                read += len(sandbox.files["/tmp/big"]) > 0
            except SandboxBusy:
                pass
    finally:
        done.set()
        other.join()
    assert busy


CTRL_C = """
import os, signal, sys, threading, time
from pinfold import Sandbox
with Sandbox() as sandbox:
    sandbox.run("head -c 150M /dev/zero > big")
    def later():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=later).start()
    try:
        for _ in range(100000):
            sandbox.files["big"]
    except KeyboardInterrupt:
        print("stopped")
    print(sandbox.run("echo usable").stdout, end="")
"""


def test_ctrl_c_ends_it():
    done = subprocess.run(
        [sys.executable, "-c", CTRL_C], capture_output=True, text=True, timeout=300
    )
    assert (done.stdout, done.stderr) == ("stopped\nusable\n", "")


# ---- a worker process


def test_bounds_hold_in_a_worker():
    with Sandbox(isolation="process") as sandbox:
        sandbox.run("truncate -s 900M hole; seq 1000 > numbers")
        with pytest.raises(BoundError, match="reading /workspace/hole: more than max_bytes"):
            sandbox.files["hole"]
        with pytest.raises(BoundError, match="max_bytes, 1000,"):
            sandbox.files.read("numbers", max_bytes=1000)
        with pytest.raises(BoundError, match="max_seconds"):
            sandbox.snapshot(max_seconds=1e-9)
        with pytest.raises(BoundError, match="max_bytes"):
            sandbox.snapshot(max_bytes=10)
        assert sandbox.files.read("numbers", max_seconds=math.inf).endswith(b"1000\n")
        assert sandbox.run("echo usable").stdout == "usable\n"


# ---- replays


def test_a_replay_keeps_to_the_embedders_limits(tmp_path):
    trace = tmp_path / "trace"
    more = Limits(memory_bytes=600 * MIB, cpu_seconds=20)
    with Sandbox(record=trace, limits=more) as sandbox:
        sandbox.run("echo once")
    with pytest.raises(BoundError, match=r"asks for 629145600 as memory_bytes.*limits="):
        replay(trace)
    with replay(trace, limits=more) as again:
        assert again.results[0].stdout == "once\n"
    with pytest.raises(BoundError, match="asks for 20000 as cpu_ms"):
        replay(trace, limits=Limits(memory_bytes=600 * MIB))
    with replay(trace, limits=Limits(memory_bytes=None, cpu_seconds=None)) as again:
        assert len(again.results) == 1


def test_a_replay_has_an_end(tmp_path):
    trace = tmp_path / "trace"
    with Sandbox(record=trace) as sandbox:
        sandbox.run("for i in $(seq 2000); do :; done; echo once")
    with pytest.raises(BoundError, match=r"not done after max_seconds, 1e-09.*max_seconds="):
        replay(trace, max_seconds=1e-9)
    with replay(trace, max_seconds=math.inf) as again:
        assert again.results[0].stdout == "once\n"
    with pytest.raises(ValueError, match="max_seconds"):
        replay(trace, max_seconds=0)


# ---- a store


def test_diff_is_bounded_and_reads_no_holes(tmp_path):
    from pinfold import Store

    with Store(tmp_path / "store.db") as store, Sandbox() as sandbox:
        sandbox.run("for i in 1 2 3 4; do truncate -s 2000M h$i; done; echo same > s; echo a > c")
        store.save("a", sandbox)
        sandbox.run("truncate -s 0 h1; truncate -s 2000M h1; echo x >> h2; echo b > c; cp s t")
        store.save("b", sandbox)
        found = store.diff("a", "b")
        assert found == {
            "added": ["/workspace/t"], "changed": ["/workspace/c", "/workspace/h2"], "removed": []
        }
        with pytest.raises(BoundError, match="max_seconds"):
            store.diff("a", "b", max_seconds=1e-9)
        with pytest.raises(BoundError, match="max_bytes"):
            store.diff("a", "b", max_bytes=20)
        assert store.diff("a", "b", max_seconds=math.inf, max_bytes=math.inf) == found


# ---- the tick


def in_child(code):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=300
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("isolation", [None, "process"])
def test_limits_hold_with_the_signal_blocked(isolation):
    out = in_child(f"""
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMAX - 1])
        from pinfold import Limits, Sandbox
        with Sandbox(limits=Limits(cpu_seconds=0.2), isolation={isolation!r}) as sandbox:
            print(sandbox.run("for(;;);", language="javascript").limit)
            print(sandbox.run("while :; do :; done").limit)
        with Sandbox(
            limits=Limits(cpu_seconds=None, wall_seconds=0.3), isolation={isolation!r}
        ) as sandbox:
            print(sandbox.run("for(;;);", language="javascript").limit)
        print(signal.SIGRTMAX - 1 in signal.pthread_sigmask(signal.SIG_BLOCK, []))
    """)
    assert out == "cpu_seconds\ncpu_seconds\nwall_seconds\nTrue\n"


def test_a_refused_timer_is_an_error():
    out = in_child("""
        import resource
        from pinfold import NoTimerError, Sandbox
        resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, 0))
        try:
            Sandbox()
        except NoTimerError as error:
            print(error)
    """)
    assert "timer_create: Resource temporarily unavailable" in out and "ulimit -i" in out


def test_its_errors_are_the_packages():
    from pinfold import PinfoldError, SandboxStateError

    assert issubclass(SandboxInterrupted, SandboxStateError)
    assert issubclass(BoundError, PinfoldError) and issubclass(NoTimerError, PinfoldError)
