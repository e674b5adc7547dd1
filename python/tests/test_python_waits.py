"""A Python that waits is plain bytes: saved, restored elsewhere, branched; or it says why it is not."""

import textwrap

import pytest

from pinfold import MethodCapability, Sandbox, SandboxStateError, replay

GRANTED = [MethodCapability("**")]


def double(x: int) -> int:
    """Twice as much."""
    return x * 2


def lines(x: int) -> str:
    """Two lines."""
    return f"v{x}\nw{x}\n"


MADE = {"tools": [double, lines], "capabilities": GRANTED, "clock": 0}


def through_bytes(code, language, isolation=None):
    """The result of a run that is saved and restored at each wait, and why it could not be."""
    sandbox, refused = Sandbox(seed=7, isolation=isolation, **MADE), None
    sandbox.start(code, language=language)
    while sandbox.result is None:
        try:
            data = sandbox.snapshot()
        except SandboxStateError as error:
            refused = str(error)
        else:
            sandbox.close()
            sandbox = Sandbox.restore(data, isolation=isolation, **MADE)
        call = sandbox.pending[0]
        handler = {"double": double, "lines": lines}[call.method]
        call.resume(handler(**call.params))
    return sandbox.result, refused


def check(code, language, parks=False):
    code = textwrap.dedent(code)
    with Sandbox(seed=7, **MADE) as plain:
        expected = plain.run(code, language=language)
    assert expected.exit_code == 0, expected.stderr
    result, refused = through_bytes(code, language)
    assert (result.stdout, result.stderr) == (expected.stdout, expected.stderr)
    assert bool(refused) == parks, refused
    if parks:
        assert "(python3) is parked" in refused


CELLS = {
    "call": "import tools; print(tools.double(x=4))",
    "in flight at once": """
        import asyncio, tools
        print(await asyncio.gather(tools.aio.double(x=1), tools.aio.double(x=2)))""",
    "constructor": """
        import tools
        class A:
            def __init__(self, n): self.v = A(n - 1).v if n else tools.double(x=5)
        print(A(0).v, A(40).v)""",
    "generator": """
        import tools
        def g():
            for i in range(3): yield tools.double(x=i)
        def h(): yield from g()
        for v in h(): print(v)
        print(next(g()), [tools.double(x=i) for i in range(3)])""",
    "decorator": """
        import tools, functools
        def d(f):
            @functools.wraps(f)
            def w(*a, **k): return f(*a, **k)
            return w
        @d
        def f(x, y=1): return tools.double(x=x + y)
        print(f(3, y=2))""",
    "context manager": """
        import tools, contextlib
        @contextlib.contextmanager
        def c():
            v = tools.double(x=1)
            yield v
            tools.double(x=2)
        with c() as v: print(v)""",
    "exec": "import tools; exec(compile('print(tools.double(x=9))', 'q', 'exec'))",
    "callable": """
        import tools
        class A:
            def __call__(self, x): return tools.double(x=x)
            def m(self, *a): return tools.double(x=a[0])
        print(A()(6), A().m(*[4]))""",
    "recursion": """
        import tools
        def f(n): return f(n - 1) if n else tools.double(x=1)
        print(f(900))""",
    "coroutine": """
        import tools, asyncio
        async def f(): return tools.double(x=3)
        print(await f(), await asyncio.gather(f(), f()), tools.double(x=1))""",
    "iterators": """
        import tools
        t = lambda x: tools.double(x=x)
        print(list(map(t, [1, 2])), tuple(t(i) for i in [3]), sum(map(t, [4])), [*(t(i) for i in [5])])
        for i, (a, b) in enumerate(zip("a", map(t, [6]))): print(i, a, b)
        print(sorted(map(t, [2, 1])), any(t(i) for i in [0, 1]), all(map(t, [1, 0])), list(filter(t, [0, 1])))""",
    "partial and cached": """
        import tools, functools
        t = functools.partial(tools.double, x=1)
        print(t(), functools.partial(t)(), functools.partial(lambda *a: t(x=sum(a)), 1, 2)(3))
        for size in (0, 2, None):
            f = functools.lru_cache(size)(lambda x: tools.double(x=x))
            print(f(1), f(1), f(2), f.cache_info().misses)""",
    "except": """
        import tools
        try: 1 / 0
        except ZeroDivisionError as e: print(tools.double(x=1), e)
        finally: print(tools.double(x=2))""",
}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_that_waits_for_a_tool_is_bytes(name):
    check(CELLS[name], "python")


# What lies between is C that nobody can unwind: a comparison, set(), text that exec() compiles, depth.
PARKED = {
    "sort": "import tools; print(sorted([3, 1], key=lambda v: tools.double(x=v)))",
    "set": "import tools; print(set(map(lambda v: tools.double(x=v), [1, 2])))",
    "exec of text": "import tools; exec('print(tools.double(x=9))')",
    "constructors within constructors": """
        import tools
        class A:
            def __init__(self, n): self.v = A(n - 1).v if n else tools.double(x=1)
        print(A(90).v)""",
}


@pytest.mark.parametrize("name", PARKED)
def test_a_wait_below_other_c_parks_and_says_so(name):
    check(PARKED[name], "python", parks=True)


PIPE = "tool lines --x 1 | jq -r . | "
SCRIPTS = {
    "input": PIPE + "python3 -c 'print(input(), input())'",
    "readline": PIPE + "python3 -c 'import sys; print(sys.stdin.readline(), sys.stdin.readline())'",
    "read": PIPE + "python3 -c 'import sys; print(repr(sys.stdin.read(4)), repr(sys.stdin.read()))'",
    "lines": PIPE + "python3 -c 'import sys\nfor l in sys.stdin: print(repr(l))'",
    "bytes": PIPE + "python3 -c 'import sys; b = sys.stdin.buffer; print(b.read(4), b.readline(), b.read(9))'",
    "all bytes": PIPE + "python3 -c 'import sys; print(sys.stdin.buffer.read(), open(0).read())'",
    "all lines": PIPE + "python3 -c 'print(open(\"/dev/stdin\").readlines())'",
    "select": PIPE + "python3 -c 'import select, os; print(select.select([0], [], [])); print(os.read(0, 99))'",
    "descriptor": PIPE + "python3 -c 'import os; print(os.read(0, 100))'",
    "unbuffered": PIPE + "python3 -c 'import sys; r = sys.stdin.buffer.raw; print(r.read(3), r.readall())'",
    "subprocess.run": "python3 -c 'import subprocess as s; print(s.run([\"bash\", \"-c\", \"tool lines --x 1; "
    "echo e >&2\"], capture_output=True, text=True))'",
    "subprocess without pipes": "python3 -c 'import subprocess as s; print(s.run(\"tool lines --x 1\", shell=True"
    ").returncode)'",
    "os.popen": "python3 -c 'import os; print(os.popen(\"tool lines --x 1\").read())'",
    "Popen": "python3 -c 'import subprocess\np = subprocess.Popen(\"tool lines --x 1; tool lines --x 2\", "
    "shell=True, stdout=-1, text=True)\nfor l in p.stdout: print(l)\nprint(p.wait())'",
    "sleep": "python3 -c 'import time; time.sleep(3600)' & tool lines --x 1; kill %1; wait %1; echo $?",
    "asyncio": "python3 -c 'import asyncio\nasync def m():\n  p = await asyncio.create_subprocess_shell(\"tool "
    "lines --x 1\", stdout=-1)\n  print(await p.communicate())\nasyncio.run(m())'",
    "import": "printf 'import subprocess\\nprint(subprocess.check_output([\"tool\", \"lines\", \"--x\", "
    "\"1\"]))\\n' > w.py; python3 -c 'import w'",
    "children": "python3 -c 'import os, subprocess as s; p = s.Popen([\"tool\", \"lines\", \"--x\", \"1\"]); "
    "print(os.wait()[1]); p = s.Popen([\"tool\", \"lines\", \"--x\", \"2\"]); print(os.waitpid(p.pid, 0)[1])'",
    "fork": "python3 -c 'import os\npid = os.fork()\nif pid: print(os.waitpid(pid, 0)[1] >> 8)\n"
    "else: os._exit(os.system(\"true\") + len(os.popen(\"tool lines --x 1\").read()))'",
    "file": "printf 'import os\\nprint(os.popen(\"tool lines --x 1\").read())\\n' > s.py; python3 s.py; "
    "python3 -m s; python3 < s.py",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_program_that_waits_is_bytes(name):
    check(SCRIPTS[name], "shell")


def test_a_wait_goes_on_in_another_process_and_in_branches():
    code = textwrap.dedent(CELLS["in flight at once"])
    result, refused = through_bytes(code, "python", isolation="process")
    assert (result.stdout, refused) == ("[2, 4]\n", None)
    with Sandbox(seed=7, **MADE) as trunk:
        trunk.start("import tools; print(tools.double(x=4))", language="python")
        with trunk.fork() as branch:
            branch.pending[0].resume(1)
            trunk.pending[0].resume(2)
            assert (branch.result.stdout, trunk.result.stdout) == ("1\n", "2\n")


def test_a_recorded_wait_is_replayed(tmp_path):
    trace = tmp_path / "run.jsonl"
    with Sandbox(seed=7, record=str(trace), **MADE) as sandbox:
        result = sandbox.run(textwrap.dedent(CELLS["in flight at once"]), language="python")
    assert result.stdout == "[2, 4]\n"
    with replay(str(trace)) as again:
        assert again.results[-1].stdout == result.stdout
