"""Python inside a sandbox: `python3` as a program, and runs with language="python"."""

import textwrap

import pytest

from pinfold import Limits, MethodCapability, Sandbox, Tool


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(seed=7) as made:
        yield made


def python(sandbox, code, **how):
    return sandbox.run(textwrap.dedent(code), language="python", **how)


# ---------------------------------------------------------------- the program


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("python3 -c 'print(1)'", "1\n"),
        ("python -c 'import sys; print(sys.argv[1:])' a 'b c'", "['a', 'b c']\n"),
        ("echo 'print(2 + 2)' | python3", "4\n"),
        ("echo 'print(5)' | python3 -", "5\n"),
        ("printf 'import sys\\nprint(sys.argv)\\n' > s.py; python3 s.py x", "['s.py', 'x']\n"),
        ("printf '#!/usr/bin/env python3\\nprint(6)\\n' > t; chmod +x t; ./t", "6\n"),
        ("python3 -c 'raise SystemExit(3)'; echo $?", "3\n"),
        ("python3 -c '1/0' 2>/dev/null; echo $?", "1\n"),
        ("""echo '{"a":[1]}' | python3 -m json.tool --compact""", '{"a":[1]}\n'),
        (
            "python3 -c 'import sys, os; print(sys.platform, os.name, sys.version_info[:2])'",
            "linux posix (3, 11)\n",
        ),
        (
            "yes | python3 -c 'import sys\nfor l in sys.stdin: print(l, end=\"\", flush=True)' 2>/dev/null "
            "| head -2",
            "y\ny\n",
        ),
        ("seq 3 | xargs -n1 python3 -c 'import sys; print(int(sys.argv[1]) ** 2)'", "1\n4\n9\n"),
        ("python3 -u -c 'print(1)' & wait; echo 2", "1\n2\n"),
        ("timeout 0.2 python3 -c 'while True: pass'; echo $?", "124\n"),
        ("python3 -c 'import time; time.sleep(0.01); print(\"slept\")'", "slept\n"),
        ("x=$(python3 -c 'print(input())' <<< hello); echo $x", "hello\n"),
    ],
)
def test_python3_is_a_program_like_others(sandbox, script, expected):
    result = sandbox.run(script)
    assert (result.stdout, result.stderr) == (expected, "")


def test_a_traceback_cites_the_script_and_the_library(sandbox):
    result = sandbox.run("printf 'import json\\njson.loads(\"[\")\\n' > bad.py; python3 bad.py")
    assert result.exit_code == 1
    assert 'File "/workspace/bad.py", line 2, in <module>' in result.stderr
    assert 'File "/usr/lib/python3.11/json/__init__.py"' in result.stderr
    assert "return _default_decoder.decode(s)" in result.stderr
    assert result.stderr.endswith(
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 2 (char 1)\n"
    )


LIBRARY = """
    argparse array ast asyncio base64 bisect bz2 calendar cmath codecs collections concurrent.futures configparser
    contextlib copy csv dataclasses datetime decimal difflib dis email enum fcntl fnmatch fractions functools
    getopt glob graphlib grp gzip hashlib heapq hmac html http.client importlib.metadata inspect io ipaddress
    itertools json keyword locale logging logging.config lzma math mimetypes operator os pathlib pickle
    pkgutil platform plistlib pprint profile pwd pydoc queue quopri random re resource sched secrets select
    selectors shelve shlex shutil signal socket sqlite3 statistics string struct subprocess symtable sysconfig
    tarfile tempfile textwrap threading time timeit tokenize tomllib traceback types typing unicodedata
    unittest unittest.mock urllib.request uuid warnings wave weakref xml.dom.minidom xml.etree.ElementTree
    xml.sax zipapp zipfile zlib zoneinfo
"""


def test_the_standard_library_is_there(sandbox):
    code = f"""
        import importlib
        missing = []
        for name in {LIBRARY!r}.split():
            try:
                importlib.import_module(name)
            except Exception as error:
                missing.append(f"{{name}}: {{error}}")
        missing
    """
    result = python(sandbox, code)
    assert (result.value, result.stderr) == ([], "")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "import zlib, bz2, lzma\nd = b'abc' * 99\n"
            "all(m.decompress(m.compress(d)) == d for m in (zlib, bz2, lzma))",
            True,
        ),
        (
            "import hashlib\nhashlib.sha256(b'a').hexdigest()[:8] + hashlib.sha3_256(b'a').hexdigest()[:8]",
            "ca97811280084bf2",
        ),
        ("from decimal import Decimal\nstr(Decimal(1) / 7)", "0.1428571428571428571428571429"),
        (
            "import datetime, zoneinfo\n"
            "datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')).isoformat()",
            "2024-07-01T00:00:00+02:00",
        ),
        (
            "import sqlite3\nd = sqlite3.connect(':memory:')\nd.execute('create table t(a)')\n"
            "d.executemany('insert into t values (?)', [(1,), (2,)])\n"
            "d.execute('select sum(a) from t').fetchone()[0]",
            3,
        ),
        (
            "import asyncio\nawait asyncio.gather(*(asyncio.sleep(0.01, i) for i in range(3)))",
            [0, 1, 2],
        ),
        (
            "import asyncio, sys\nasync def f():\n    p = await asyncio.create_subprocess_exec('echo', 'x', stdout=-1)\n"
            "    return (await p.communicate())[0].decode()\nawait f()",
            "x\n",
        ),
        ("import socket\na, b = socket.socketpair()\na.send(b'hi')\nb.recv(5).decode()", "hi"),
        ("import xml.etree.ElementTree as e\ne.fromstring('<a><b/></a>')[0].tag", "b"),
        ("import tempfile, os\nf = tempfile.NamedTemporaryFile()\nos.path.exists(f.name)", True),
    ],
)
def test_libraries_work(sandbox, code, expected):
    result = sandbox.run(code, language="python")
    assert (result.value, result.stderr) == (expected, "")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("subprocess.run(['echo', 'hi'], capture_output=True, text=True).stdout", "hi\n"),
        ("subprocess.run('exit 3', shell=True).returncode", 3),
        ("subprocess.run(['sh', '-c', 'kill -TERM $$']).returncode", -15),
        ("subprocess.check_output(['tr', 'a-z', 'A-Z'], input=b'abc').decode()", "ABC"),
        ("subprocess.run(['pwd'], cwd='/tmp', capture_output=True, text=True).stdout", "/tmp\n"),
        ("subprocess.run('echo $X', shell=True, env={'X': '5'}, stdout=-1).stdout.decode()", "5\n"),
        (
            "subprocess.run('echo err >&2', shell=True, stderr=subprocess.STDOUT, stdout=-1).stdout.decode()",
            "err\n",
        ),
        (
            "subprocess.Popen(['cat'], stdin=-1, stdout=-1).communicate(b'x' * 100000)[0] == b'x' * 100000",
            True,
        ),
        ("os.popen('echo p').read()", "p\n"),
        ("os.waitstatus_to_exitcode(os.system('exit 4'))", 4),
    ],
)
def test_processes(sandbox, code, expected):
    result = sandbox.run("import subprocess, os\n" + code, language="python")
    assert (result.value, result.stderr) == (expected, "")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (
            "import subprocess\nsubprocess.run(['nowhere'])",
            "FileNotFoundError: [Errno 2] No such file",
        ),
        ("import subprocess\nsubprocess.run(['pwd'], cwd='/nowhere')", "directory: '/nowhere'"),
        ("import subprocess\nsubprocess.run(['sleep', '9'], timeout=0.05)", "TimeoutExpired"),
        (
            "import subprocess\nsubprocess.run(['a'], user=0)",
            "PermissionError: [Errno 1] a process cannot become another user",
        ),
        ("import os\nsorted([1, 2], key=lambda x: os.fork())", "use subprocess"),
        ("import ctypes", "a sandbox runs none"),
        ("import ssl", "call a tool"),
        ("import socket\nsocket.create_connection(('example.com', 80))", "call a tool"),
        (
            "def f(n):\n    return f(n + 1)\nf(0)",
            "RecursionError: maximum recursion depth exceeded",
        ),
        ("eval('[' * 100000)", "SyntaxError: too many nested parentheses"),
        ("import json\njson.loads('[' * 100000)", "RecursionError"),
        ("x = bytearray(1 << 30)", "MemoryError"),
        ("x = []\nwhile True:\n    x.append(bytearray(1 << 20))", "MemoryError"),
    ],
)
def test_mistakes_and_what_is_not_here(sandbox, code, error):
    result = sandbox.run(code, language="python", isolated=True)
    assert result.exit_code == 1
    assert error in result.stderr
    assert sandbox.run("echo still here").stdout == "still here\n"


def test_an_alarm_reaches_a_busy_loop(sandbox):
    result = python(
        sandbox,
        """
        import signal
        def ring(*_):
            raise TimeoutError("rung")
        signal.signal(signal.SIGALRM, ring)
        def busy():
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            while True:
                pass
        try:
            busy()
        except TimeoutError as error:
            print(error)
    """,
    )
    assert (result.stdout, result.stderr) == ("rung\n", "")


def test_equal_seeds_give_equal_runs():
    code = "import random, uuid, time\n[hash('a'), random.random(), str(uuid.uuid4()), {'b', 'a', 'c'}.__repr__(), time.time()]"

    def run(seed):
        with Sandbox(seed=seed, clock=0) as made:
            return made.run(code, language="python").value

    assert run(1) == run(1) != run(2)


def test_the_library_is_no_memory_until_it_is_used(sandbox):
    assert sandbox.run("ls /usr/lib/python3.11 | grep -c py$").stdout > "150"
    assert "def loads" in sandbox.run("cat /usr/lib/python3.11/json/__init__.py").stdout
    assert not sandbox.run("echo x > /usr/lib/python3.11/json/new").ok


# ---------------------------------------------------------------- cells


@pytest.mark.parametrize(
    ("code", "value", "output"),
    [
        ("1 + 1", 2, ""),
        ("x = 5", None, ""),
        ("print('a')\n{'k': (1, None)}", {"k": [1, None]}, "a\n"),
        ("2 ** 70", 2**70, ""),
        ("object.__name__", "object", ""),
        ("{1}", None, "{1}\n"),
        ("float('nan')", None, "nan\n"),
        ("'\\u00e9'", "\u00e9", ""),
        ("", None, ""),
        ("# nothing", None, ""),
        ("def f():\n    return 1\nf()", 1, ""),
        ("\n    # indented\n    x = 3\n    if x:\n        x += 1\n    x\n", 4, ""),
    ],
)
def test_the_value_of_a_last_expression(sandbox, code, value, output):
    result = sandbox.run(code, language="python")
    assert (result.value, result.stdout, result.stderr, result.exit_code) == (value, output, "", 0)


def test_an_error_cites_the_cell(sandbox):
    result = python(
        sandbox,
        """\
        def f(x):
            return 1 / x

        f(0)
    """,
        isolated=True,
    )
    assert result.stderr == textwrap.dedent("""\
        Traceback (most recent call last):
          File "<cell>", line 4, in <module>
            f(0)
          File "<cell>", line 2, in f
            return 1 / x
                   ~~^~~
        ZeroDivisionError: division by zero
    """)
    assert result.exit_code == 1
    wrong = python(sandbox, "print(1)\nx = = 2\n", isolated=True)
    assert 'File "<cell>", line 2' in wrong.stderr and "SyntaxError" in wrong.stderr


def test_the_exit_status_of_a_cell(sandbox):
    assert python(sandbox, "raise SystemExit(4)").exit_code == 4
    assert python(sandbox, "import sys; sys.exit('no')").stderr == "no\n"


def test_standard_input_of_a_cell(sandbox):
    assert python(sandbox, "input() + '!'", stdin="hi\n").value == "hi!"


# ---------------------------------------------------------------- tools


def pay(to: str, amount: int, memo: str = "") -> dict:
    """Pays somebody."""
    return {"to": to, "amount": amount, "memo": memo}


def broken() -> int:
    """Fails."""
    raise ValueError("out of order")


@pytest.fixture(scope="module")
def shop():
    with Sandbox(
        tools=[pay, broken, Tool("bank/wire", handler=pay)],
        capabilities=[
            MethodCapability("pay"),
            MethodCapability("broken"),
            MethodCapability("bank/wire"),
        ],
    ) as made:
        yield made


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("from tools import pay\npay(to='a', amount=5)", {"to": "a", "amount": 5, "memo": ""}),
        ("import tools\ntools.pay('b', 2**60)['amount']", 2**60),
        ("import tools\ntools.bank.wire(to='c', amount=1)['to']", "c"),
        (
            "import tools\npay = tools.pay\n[pay.__name__, pay.__doc__.split('.')[0]]",
            ["pay", "Pays somebody"],
        ),
        (
            "import tools, inspect\nlist(inspect.signature(tools.pay).parameters)",
            ["to", "amount", "memo"],
        ),
        (
            "import tools\nawait tools.aio.pay(to='d', amount=3)",
            {"to": "d", "amount": 3, "memo": ""},
        ),
        (
            "import tools, asyncio\nr = await asyncio.gather(*(tools.aio.pay(to='e', amount=i) for i in range(9)))\n"
            "[x['amount'] for x in r]",
            list(range(9)),
        ),
        (
            "import tools\ntry:\n    tools.broken()\nexcept tools.ToolError as e:\n    r = [str(e), e.code]\nr",
            ["ValueError: out of order", "failed"],
        ),
    ],
)
def test_tools_are_functions(shop, code, value):
    result = shop.run(code, language="python")
    assert (result.value, result.stderr) == (value, "")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("tools.pay(to='a')", "TypeError: pay() missing 1 required positional argument: 'amount'"),
        (
            "tools.pay(to='a', amount=1, no=2)",
            "TypeError: pay() got an unexpected keyword argument 'no'",
        ),
        (
            "tools.nothing()",
            "AttributeError: there is no tool nothing; there are: bank.wire, broken, pay",
        ),
        ("tools.pay(to='a', amount=float('nan'))", "the arguments are not JSON"),
        ("tools.pay(to='a', amount='x')", "ToolError"),
        ("from tools import gone", "ImportError: cannot import name 'gone' from 'tools'"),
    ],
)
def test_mistakes_with_tools(shop, code, error):
    result = shop.run("import tools\n" + code, language="python")
    assert error in result.stderr and result.exit_code == 1


def test_a_call_that_is_not_allowed():
    with Sandbox(tools=[pay], capabilities=[MethodCapability("pay", max_calls=1)]) as made:
        result = made.run(
            "import tools\ntools.pay(to='a', amount=1)\ntry:\n    tools.pay(to='a', amount=1)\n"
            "except tools.CapabilityError as e:\n    code = e.code\ncode",
            language="python",
        )
        assert (result.value, result.stderr) == ("limit", "")


# ---------------------------------------------------------------- limits


def test_a_busy_python_ends_at_the_limit():
    with Sandbox(limits=Limits(cpu_seconds=0.3)) as made:
        result = made.run("while True: pass", language="python")
        assert result.limit == "cpu_seconds"
        assert made.run("print(1)", language="python").stdout == "1\n"
