"""Threads of Python: what programs do with them, what waits at once, and what a snapshot has of them."""

import subprocess
import sys
import textwrap

import pytest

from pinfold import MethodCapability, Sandbox

HEAD = "import threading, queue, time\n"
PROGRAMS = {
    "join": (
        """
        out = []
        ts = [threading.Thread(target=out.append, args=(i,)) for i in range(5)]
        for t in ts: t.start()
        for t in ts: t.join()
        print(out, threading.active_count(), ts[0].is_alive())
        """,
        "[0, 1, 2, 3, 4] 1 False\n",
    ),
    "workers at a queue": (
        """
        q = queue.Queue(); out = []
        def work():
            while True:
                out.append(q.get() ** 2)
                q.task_done()
        for _ in range(3): threading.Thread(target=work, daemon=True).start()
        for i in range(5): q.put(i)
        q.join()
        print(sorted(out))
        """,
        "[0, 1, 4, 9, 16]\n",
    ),
    "workers that are told to end": (
        """
        q, r = queue.Queue(), queue.SimpleQueue()
        def work():
            while (i := q.get()) is not None: r.put(i + 1)
        ts = [threading.Thread(target=work) for _ in range(2)]
        for t in ts: t.start()
        for i in range(4): q.put(i)
        for t in ts: q.put(None)
        for t in ts: t.join()
        print(sorted(r.get() for _ in range(4)))
        """,
        "[1, 2, 3, 4]\n",
    ),
    "locks": (
        """
        n = 0; lock = threading.Lock(); again = threading.RLock()
        def count():
            global n
            for _ in range(100):
                with lock, again, again: n += 1
        ts = [threading.Thread(target=count) for _ in range(4)]
        for t in ts: t.start()
        for t in ts: t.join()
        print(n, lock.locked(), lock.acquire(timeout=0), lock.acquire(timeout=0.01))
        """,
        "400 False True False\n",
    ),
    "events and timers": (
        """
        e = threading.Event()
        threading.Thread(target=e.set).start()
        print(e.wait(1), threading.Event().wait(0.01))
        t = threading.Timer(0.01, print, ["timer"]); t.start(); t.join()
        """,
        "True False\ntimer\n",
    ),
    "of its own": (
        """
        d = threading.local(); d.x = 1
        def f():
            d.x = 2
            print(threading.current_thread().name)
        t = threading.Thread(target=f, name="T"); t.start(); t.join()
        print(d.x, threading.current_thread() is threading.main_thread())
        """,
        "T\n1 True\n",
    ),
    "without a join": (
        "threading.Thread(target=lambda: (time.sleep(0.01), print('ran'))).start(); print('main')",
        "main\nran\n",
    ),
    "who computes lets others run": (
        """
        stop, counts = False, [0, 0, 0]
        def spin(i):
            while not stop: counts[i] += 1
        ts = [threading.Thread(target=spin, args=(i,)) for i in range(3)]
        for t in ts: t.start()
        time.sleep(0.05); stop = True
        for t in ts: t.join()
        print(all(counts))
        """,
        "True\n",
    ),
    "who waits for a lock gets it": (
        """
        lock, done = threading.Lock(), []
        def busy():
            while not done:
                with lock: sum(range(2000))
        def other():
            with lock: done.append(1)
        ts = [threading.Thread(target=f) for f in (busy, busy, other)]
        for t in ts: t.start()
        for t in ts: t.join()
        print(done)
        """,
        "[1]\n",
    ),
    "a wait below other C": (
        """
        q = queue.Queue()
        def give():
            for i in (3, 1, 2): time.sleep(0.001); q.put(i)
        threading.Thread(target=give).start()
        print(sorted("abc", key=lambda _: q.get()))
        class D:
            def __del__(self): print("deleted", q.get(timeout=1))
        threading.Timer(0.001, q.put, ["late"]).start()
        d = D(); del d
        """,
        "['b', 'c', 'a']\ndeleted late\n",
    ),
    "two waits below other C": (
        """
        a, b, out = queue.Queue(), queue.Queue(), []
        def first(): out.append(sorted([1], key=lambda _: a.get()))
        def second(): out.append(sorted([2], key=lambda _: (a.put(0), b.get())[1]))
        ts = [threading.Thread(target=f) for f in (first, second)]
        for t in ts: t.start()
        b.put(1)
        for t in ts: t.join()
        print(sorted(out))
        """,
        "[[1], [2]]\n",
    ),
    "the low level": (
        """
        import _thread
        done = _thread.allocate_lock(); done.acquire()
        print(_thread.start_new_thread(lambda *a, **k: (print(a, k), done.release()), (1,), {"x": 2}) > 0)
        done.acquire(); print(_thread.stack_size(), threading.get_native_id() > 0)
        """,
        "True\n(1,) {'x': 2}\n0 True\n",
    ),
    "many": (
        """
        gate, n = threading.Event(), [0]
        def wait(): gate.wait(); n[0] += 1
        ts = [threading.Thread(target=wait) for _ in range(500)]
        for t in ts: t.start()
        gate.set()
        for t in ts: t.join()
        print(n, threading.active_count())
        """,
        "[500] 1\n",
    ),
    "a pipe between two": (
        """
        import os
        r, w = os.pipe()
        def write():
            with open(w, "wb") as f: f.write(b"x" * 300000)
        t = threading.Thread(target=write); t.start()
        with open(r, "rb") as f: print(len(f.read()))
        t.join()
        """,
        "300000\n",
    ),
    "children": (
        """
        import subprocess
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(3) as pool:
            runs = pool.map(lambda i: subprocess.run(f"sleep 0.0{3 - i}; echo {i}", shell=True, capture_output=True), range(3))
            print([run.stdout for run in runs], [subprocess.call(["true"]) for _ in range(2)])
        """,
        "[b'0\\n', b'1\\n', b'2\\n'] [0, 0]\n",
    ),
    "frames of others": (
        """
        import sys, traceback
        e = threading.Event()
        def inner(): e.wait()
        t = threading.Thread(target=inner); t.start()
        stack = traceback.extract_stack(sys._current_frames()[t.ident]); e.set(); t.join()
        print([f.name for f in stack][-3:])
        """,
        "['inner', 'wait', 'wait']\n",
    ),
    "a pool": (
        """
        from concurrent.futures import ThreadPoolExecutor, as_completed, wait
        with ThreadPoolExecutor(4) as pool:
            print(list(pool.map(lambda x: x * x, range(4))))
            futures = [pool.submit(pow, 2, i) for i in range(3)]
            print(sorted(f.result() for f in as_completed(futures)), len(wait(futures).done))
            print(repr(pool.submit(int, "x").exception())[:10])
        """,
        "[0, 1, 4, 9]\n[1, 2, 4] 3\nValueError\n",
    ),
    "in asyncio": (
        """
        import asyncio
        async def main():
            print(await asyncio.gather(*[asyncio.to_thread(pow, 2, i) for i in range(3)]))
        asyncio.run(main())
        """,
        "[1, 2, 4]\n",
    ),
}


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as made:
        yield made


@pytest.mark.parametrize("name", PROGRAMS)
def test_threads(sandbox, name):
    code, expected = PROGRAMS[name]
    result = sandbox.run(HEAD + textwrap.dedent(code), language="python", isolated=True)
    assert (result.stdout, result.stderr, result.exit_code) == (expected, "", 0)


def test_an_error_in_a_thread_is_told(sandbox):
    code = HEAD + "t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join(); print('on')"
    result = sandbox.run(code, language="python", isolated=True)
    assert result.stdout == "on\n"
    assert "Exception in thread Thread-1" in result.stderr
    assert "ZeroDivisionError" in result.stderr


def test_what_nobody_could_release_is_told(sandbox):
    code = HEAD + "lock = threading.Lock(); lock.acquire(); lock.acquire()"
    result = sandbox.run(code, language="python", isolated=True)
    assert "RuntimeError: deadlock: every thread waits for a lock" in result.stderr


def double(x: int) -> int:
    """Twice as much."""
    return 2 * x


GRANTED = {"tools": [double], "capabilities": [MethodCapability("double")]}
AT_ONCE = """
import subprocess, threading, time, tools
out = []
def run(name, f): out.append((name, f()))
calls = {
    "tool": lambda: tools.double(x=4),
    "input": input,
    "sleep": lambda: time.sleep(0.01),
    "child": lambda: subprocess.call("exit 3", shell=True),
    "sum": lambda: sum(i % 3 for i in range(20000)),
}
threads = [threading.Thread(target=run, args=call) for call in calls.items()]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(out))
"""
AT_ONCE_SAID = "[('child', 3), ('input', 'typed'), ('sleep', None), ('sum', 19999), ('tool', 8)]\n"


def test_waits_of_all_kinds_at_once():
    with Sandbox(**GRANTED) as sandbox:
        result = sandbox.run(AT_ONCE, language="python", isolated=True, stdin="typed\n")
    assert (result.stdout, result.stderr) == (AT_ONCE_SAID, "")


def waiting(sandbox):
    """A program in which three threads wait for tools, one for a lock, and one for time."""
    code = textwrap.dedent("""
        import threading, time, tools
        found, lock = [], threading.Lock()
        def call(x):
            y = tools.double(x=x)
            with lock: found.append(y)
        def nap():
            time.sleep(0.01)
            with lock: found.append(0)
        with lock:
            threads = [threading.Thread(target=call, args=(x,)) for x in (1, 2, 3)]
            threads += [threading.Thread(target=nap)]
            for thread in threads: thread.start()
            print(tools.double(x=5))
        for thread in threads: thread.join()
        print(sorted(found))
    """)
    sandbox.start(code, language="python")
    return sorted(call.params["x"] for call in sandbox.pending)


def test_waiting_threads_are_bytes():
    with Sandbox(seed=1, clock=0, **GRANTED) as sandbox:
        assert waiting(sandbox) == [1, 2, 3, 5]
        data = sandbox.snapshot()
        branch = sandbox.fork()
        told = sandbox.finish().stdout
    assert told == "10\n[0, 2, 4, 6]\n"
    with branch:
        assert branch.finish().stdout == told
    code = """
import sys
from pinfold import MethodCapability, Sandbox
def double(x: int) -> int:
    "Twice as much."
    return 2 * x
data = sys.stdin.buffer.read()
with Sandbox.restore(data, tools=[double], capabilities=[MethodCapability("double")]) as sandbox:
    print(sandbox.finish().stdout, end="")
"""
    other = subprocess.run(
        [sys.executable, "-c", code], input=data, capture_output=True, check=True
    )
    assert other.stdout.decode() == told


def test_threads_are_the_same_twice():
    code = AT_ONCE.replace("sorted(out)", "out, [t.ident for t in threads], time.time(), id(out)")

    def once():
        with Sandbox(seed=3, clock=0, **GRANTED) as sandbox:
            return sandbox.run(code, language="python", isolated=True, stdin="typed\n").stdout

    assert once() == once() != ""


def test_an_interrupt_reaches_the_main_thread_beside_others(sandbox):
    code = textwrap.dedent("""
        import _thread, signal, os, threading, time
        def spin():
            while True: pass
        def strike():
            time.sleep(0.01); os.kill(os.getpid(), signal.SIGINT)
        for f in (spin, strike): threading.Thread(target=f, daemon=True).start()
        try: threading.Event().wait()
        except KeyboardInterrupt: print("waiting")
        threading.Thread(target=strike).start()
        try:
            while True: time.sleep(0)
        except KeyboardInterrupt: print("computing")
    """)
    result = sandbox.run(code, language="python", isolated=True)
    assert (result.stdout, result.stderr) == ("waiting\ncomputing\n", "")


def test_threads_of_a_cell_go_on_in_the_next_one(sandbox):
    start = "import threading, time\ngot = []\nt = threading.Thread(target=lambda: (time.sleep(0.01), got.append(1)))\nt.start()"
    assert sandbox.run(start, language="python").exit_code == 0
    assert sandbox.run("t.join(); got", language="python").value == [1]


def test_a_child_has_the_thread_that_forked(sandbox):
    code = textwrap.dedent("""
        import os, threading, time
        def work():
            pid = os.fork()
            if pid == 0:
                print("child", threading.active_count(), threading.current_thread() is threading.main_thread(), flush=True)
                os._exit(4)
            print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        event = threading.Event()
        other = threading.Thread(target=event.wait); other.start()
        t = threading.Thread(target=work); t.start(); t.join(); event.set()
    """)
    result = sandbox.run(code, language="python", isolated=True)
    assert (result.stdout, result.stderr) == ("child 1 True\nstatus 4\n", "")


def test_a_pool_puts_calls_in_flight_at_once():
    code = textwrap.dedent("""
        import tools
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor() as pool:
            futures = [pool.submit(tools.double, x=i) for i in range(3)]
            print([f.result() for f in futures])
    """)

    with Sandbox(**GRANTED) as sandbox:
        sandbox.start(code, language="python")
        assert [call.params["x"] for call in sandbox.pending] == [0, 1, 2]
        assert sandbox.finish().stdout == "[0, 2, 4]\n"


def test_the_tools_as_a_stub():
    def double(x: int, note: str = "") -> int:
        """Twice as "much"."""
        return 2 * x

    with Sandbox(tools=[double], capabilities=[MethodCapability("double")]) as sandbox:
        code = "import ast; ast.unparse(ast.parse(open('/tools/tools.pyi').read()).body[-1])"
        told = sandbox.run(code, language="python").value
    assert told.startswith("def double(x: int, note: str=...) -> int:")
    assert 'Twice as "much".' in told


def test_processes_by_fork(sandbox):
    code = textwrap.dedent("""
        import multiprocessing as mp
        def square(queue, lock, i):
            with lock: queue.put(i * i)
        queue, lock = mp.Queue(), mp.Lock()
        children = [mp.Process(target=square, args=(queue, lock, i)) for i in range(3)]
        for child in children: child.start()
        print(sorted(queue.get() for _ in children))
        for child in children: child.join()
        print([child.exitcode for child in children])
        with mp.Pool(2) as pool: print(pool.map(abs, [-1, 2]))
    """)
    result = sandbox.run(code, language="python", isolated=True)
    assert result.stdout == "[0, 1, 4]\n[0, 0, 0]\n[1, 2]\n"
