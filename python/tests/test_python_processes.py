"""Locks, processes and memory of files in Python: what a snapshot and a branch have of them."""

import textwrap

import pytest

from pinfold import MethodCapability, Sandbox

TRY = """python3 -c '
import fcntl
try: fcntl.flock(open("f"), fcntl.LOCK_EX | fcntl.LOCK_NB); print("free")
except BlockingIOError: print("taken")'"""


@pytest.fixture
def sandbox():
    with Sandbox() as sandbox:
        yield sandbox


def test_a_lock_is_part_of_a_snapshot_and_of_a_branch(sandbox):
    code = "import fcntl, os\nf = open('f', 'w')\nfcntl.flock(f, fcntl.LOCK_EX)"
    assert sandbox.run(code, language="python").exit_code == 0
    assert sandbox.run(TRY).stdout == "taken\n"
    with Sandbox.restore(sandbox.snapshot()) as restored, sandbox.fork() as branch:
        assert sandbox.run("f.close()", language="python").exit_code == 0
        assert sandbox.run(TRY).stdout == "free\n"
        for one in restored, branch:
            assert one.run(TRY).stdout == "taken\n"
            assert one.run("fcntl.flock(f, fcntl.LOCK_UN)", language="python").exit_code == 0
            assert one.run(TRY).stdout == "free\n"


def test_who_is_killed_gives_its_locks_back(sandbox):
    result = sandbox.run(
        "timeout -s KILL 0.3 python3 -c 'import fcntl, time; f = open(\"f\", \"w\");"
        " fcntl.flock(f, fcntl.LOCK_EX); print(1, flush=True); time.sleep(60)'; " + TRY
    )
    assert result.stdout == "1\nfree\n"


def test_a_program_waits_for_the_shell_s_database(sandbox):
    sandbox.run("sqlite3 a.db 'create table t(n)'")
    code = textwrap.dedent("""
        import sqlite3, subprocess
        db = sqlite3.connect("a.db", isolation_level=None)
        db.execute("begin exclusive")
        told = subprocess.run(["sqlite3", "a.db", "select * from t"], capture_output=True, text=True)
        print(told.returncode, told.stderr.strip())
        db.execute("insert into t values (7)")
        db.execute("commit")
        print(subprocess.run(["sqlite3", "a.db", "select * from t"], capture_output=True).stdout)
    """)
    result = sandbox.run(code, language="python")
    assert "database is locked" in result.stdout
    assert result.stdout.endswith("b'7\\n'\n")


def test_a_pool_in_a_cell(sandbox):
    code = textwrap.dedent("""
        from concurrent.futures import ProcessPoolExecutor
        def f(n):
            return n * n
        with ProcessPoolExecutor(2) as pool:
            found = list(pool.map(f, range(5)))
        found
    """)
    result = sandbox.run(code, language="python")
    assert (result.value, result.stderr) == ([0, 1, 4, 9, 16], "")


def test_properties_that_wait_are_bytes():
    def double(x: int) -> int:
        return 2 * x

    code = textwrap.dedent("""
        import functools, tools
        class Slow:
            @property
            def once(self):
                return tools.double(x=1)
            @functools.cached_property
            def kept(self):
                return tools.double(x=self.once)
        slow = Slow()
        print(slow.kept, slow.kept)
    """)
    granted = {"tools": [double], "capabilities": [MethodCapability("double")]}
    with Sandbox(**granted) as sandbox:
        sandbox.start(code, language="python")
        with Sandbox.restore(sandbox.snapshot(), **granted) as restored:
            assert restored.finish().stdout == "4 4\n"
        assert sandbox.finish().stdout == "4 4\n"


def test_generators_that_wait_are_bytes():
    def double(x: int) -> int:
        return 2 * x

    code = textwrap.dedent("""
        import tools
        def doubled(xs):
            for x in xs:
                yield tools.double(x=x)
        def sums(xs):
            total = 0
            for x in doubled(xs):
                total += x
                yield total
        print([x for x in sums([1, 2, 3])])
    """)
    granted = {"tools": [double], "capabilities": [MethodCapability("double")]}
    with Sandbox(**granted) as sandbox:
        sandbox.start(code, language="python")
        with Sandbox.restore(sandbox.snapshot(), **granted) as restored:
            assert restored.finish().stdout == "[2, 6, 12]\n"
        assert sandbox.finish().stdout == "[2, 6, 12]\n"
