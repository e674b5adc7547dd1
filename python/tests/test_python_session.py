"""language="python" is a notebook: names last from run to run, and the interpreter's end is told."""

import pytest

from pinfold import Limits, Sandbox, replay


def py(sandbox, code, **how):
    return sandbox.run(code, language="python", **how)


@pytest.fixture
def sandbox():
    with Sandbox(seed=7) as made:
        yield made


def test_names_imports_and_the_directory_last(sandbox):
    py(sandbox, "import json, os\nx = 1\ndef f(): return x + 1\nos.chdir('/tmp')")
    assert py(sandbox, "x += 1; (f(), json.dumps([x]), os.getcwd())").value == [3, "[2]", "/tmp"]
    assert py(sandbox, "__name__").value == "__main__"
    assert "NameError" in py(sandbox, "x", isolated=True).stderr
    assert py(sandbox, "x", isolated=False).value == 2


def test_the_shell_has_a_session_of_its_own(sandbox):
    sandbox.run("y=7; cd /tmp")
    py(sandbox, "y = 8")
    assert sandbox.run("echo $y $PWD").stdout == "7 /tmp\n"
    assert py(sandbox, "y").value == 8
    assert sandbox.run("y=9; exit 3").session_ended
    assert py(sandbox, "y").value == 8


def test_a_traceback_cites_the_cells(sandbox):
    py(sandbox, "def f(x):\n    return 1 / x\n")
    stderr = py(sandbox, "\nf(0)").stderr
    assert '  File "<cell 2>", line 2, in <module>\n    f(0)\n' in stderr
    assert '  File "<cell 1>", line 2, in f\n    return 1 / x\n' in stderr
    assert stderr.endswith("ZeroDivisionError: division by zero\n")
    assert "_cell.py" not in stderr


def test_a_cell_that_exits_ends_alone(sandbox):
    py(sandbox, "x = 1")
    result = py(sandbox, "import sys\nprint('out')\nsys.exit(4)")
    assert (result.exit_code, result.stdout, result.session_ended) == (4, "out\n", False)
    assert py(sandbox, "sys.exit('no')").stderr == "no\n"
    assert py(sandbox, "1 / 0").exit_code == 1
    assert py(sandbox, "x").value == 1


def test_the_end_of_the_interpreter_is_told(sandbox):
    py(sandbox, "x = 1")
    result = py(sandbox, "import os\nos._exit(5)")
    assert (result.exit_code, result.session_ended, result.session_lost) == (5, True, False)
    assert "NameError" in py(sandbox, "x").stderr
    result = py(sandbox, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    assert (result.exit_code, result.session_ended, result.session_lost) == (137, True, True)
    assert py(sandbox, "1 + 1").value == 2


def test_a_limit_ends_the_interpreter():
    with Sandbox(limits=Limits(cpu_seconds=0.3)) as sandbox:
        py(sandbox, "x = 1")
        result = py(sandbox, "while True: pass")
        assert (result.limit, result.session_lost) == ("cpu_seconds", False)
        assert "KeyboardInterrupt" in result.stderr
        assert py(sandbox, "x").value == 1
        code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
        result = py(sandbox, code)
        assert (result.limit, result.session_lost) == ("cpu_seconds", True)
        assert "NameError" in py(sandbox, "x").stderr


def test_streams_are_those_of_the_run(sandbox):
    assert py(sandbox, "input() + input()", stdin="a\nb\nc\n").value == "ab"
    assert py(sandbox, "input()", stdin="d\n").value == "d"
    assert "EOFError" in py(sandbox, "input()").stderr
    py(sandbox, "import sys\nsys.stdin.close(); sys.stdout.close()")
    assert py(sandbox, "print(sys.stdin.read())", stdin="e").stdout == "e\n"


def test_tasks_go_on_in_later_cells(sandbox):
    py(
        sandbox,
        """
        import asyncio
        got = []
        async def later():
            await asyncio.sleep(0.01)
            got.append(1)
        task = asyncio.create_task(later())
        await asyncio.sleep(0)
        """,
    )
    assert py(sandbox, "await task; got").value == [1]


def test_a_future_statement_lasts(sandbox):
    py(sandbox, "from __future__ import annotations")
    assert py(sandbox, "def f(x: nowhere): pass\nf.__annotations__").value == {"x": "nowhere"}


def test_a_snapshot_and_a_branch_have_the_names(sandbox):
    py(sandbox, "x = [1]")
    data = sandbox.snapshot()
    with sandbox.fork() as branch:
        py(branch, "x.append(2)")
        assert py(branch, "x").value == [1, 2]
    assert py(sandbox, "x").value == [1]
    with Sandbox.restore(data) as restored:
        assert py(restored, "x").value == [1]
    with Sandbox.restore(data, isolation="process") as restored:
        assert py(restored, "x").value == [1]


def test_a_recording_of_a_session_is_replayed(tmp_path):
    trace = str(tmp_path / "trace")
    with Sandbox(seed=3, record=trace) as sandbox:
        py(sandbox, "import random\nx = random.random()")
        said = py(sandbox, "print(x)").stdout
    with replay(trace) as again:
        assert [result.stdout for result in again.results] == ["", said]


def test_a_child_of_a_cell_ends_with_the_cell(sandbox):
    code = "import os\npid = os.fork()\nif pid:\n    print(os.waitpid(pid, 0)[1] >> 8)\nelse:\n    raise SystemExit(6)"
    assert py(sandbox, code).stdout == "6\n"
    assert py(sandbox, "pid > 0").value is True
