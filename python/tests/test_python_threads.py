"""Threads of Python take turns: what programs do with them, and what they say where turns are not enough."""

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
    "without a join": ("threading.Thread(target=print, args=('ran',)).start(); print('main')", "main\nran\n"),
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
    assert "RuntimeError: deadlock: nobody is left" in result.stderr


def test_a_pool_puts_calls_in_flight_at_once():
    code = textwrap.dedent("""
        import tools
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor() as pool:
            futures = [pool.submit(tools.double, x=i) for i in range(3)]
            print([f.result() for f in futures])
    """)

    def double(x: int) -> int:
        """Twice as much."""
        return 2 * x

    with Sandbox(tools=[double], capabilities=[MethodCapability("double")]) as sandbox:
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
        try: mp.Pipe()
        except OSError as error: print(error.strerror[:28])
    """)
    result = sandbox.run(code, language="python", isolated=True)
    assert result.stdout == "[0, 1, 4]\n[0, 0, 0]\n[1, 2]\na Pipe() goes one way here: \n"
