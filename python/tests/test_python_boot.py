"""python3 starts from an interpreter that was booted at build time: nobody notices but by the clock.

The bare interpreter, /usr/libexec/python3, is what it is compared with.
"""

import subprocess
import sys

import pytest

from pinfold import Sandbox

BARE = """bare() { ( exec -a python3 /usr/libexec/python3 "$@" ); }; """


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(seed=7) as made:
        yield made


def both(sandbox, script):
    """What a script prints with python3, and with bare for it."""
    booted = sandbox.run(script)
    bare = sandbox.run(BARE + script.replace("python3 ", "bare "))
    return [(r.stdout, r.stderr, r.exit_code) for r in (booted, bare)]


@pytest.mark.parametrize(
    "script",
    [
        # what a program sees of its start
        "python3 -c 'import sys; print(sorted(sys.modules))'",
        "python3 -c 'import sys; print(sys.path, sys.argv, sys.orig_argv, sys.executable, sys.prefix)' a b",
        "python3 -c 'import sys; print([(n, v) for n, v in vars(sys).items() if type(v) in (str, int, bool)])'",
        "python3 -c 'print(dir(), __name__, __spec__, __loader__, __builtins__)'",
        "python3 -c 'import sys; print(sys.meta_path, sys.path_hooks, sys.warnoptions, sys._xoptions)'",
        "python3 -c 'import os; print(sorted((k, v) for k, v in os.environ.items() if k != \"_\"))'",
        "python3 -c 'import warnings; print(warnings.filters)'",
        "python3 -c 'import site; print(site.ENABLE_USER_SITE, site.USER_SITE, site.PREFIXES)'",
        "python3 -c 'import builtins; print(sorted(vars(builtins)))'",
        "python3 -c 'import signal; print([(s, signal.getsignal(s)) for s in (2, 13, 15, 25)])'",
        "trap '' INT TERM; python3 -c 'import signal; print(signal.getsignal(2), signal.getsignal(15))'",
        "python3 -c 'import gc; print(gc.isenabled(), gc.get_threshold(), gc.garbage, gc.callbacks)'",
        "python3 -c 'import locale, sys; print(locale.getpreferredencoding(), sys.getfilesystemencoding())'",
        # options
        "for o in -I -E -s -B -u -q -P -S -O -OO -b -bb -v -i; do "
        "python3 $o -c 'import sys; f = sys.flags; print([getattr(f, n) for n in (\"debug\", \"optimize\", "
        '"isolated", "no_site", "no_user_site", "ignore_environment", "quiet", "safe_path", "bytes_warning", '
        "\"dont_write_bytecode\", \"inspect\")], sys.path, hasattr(sys, \"__interactivehook__\"))' "
        "2>/dev/null </dev/null; done",
        "python3 -W error -c 'import warnings; warnings.warn(\"x\")' 2>&1 | tail -1",
        "python3 -W ignore -Wdefault::UserWarning -c 'import sys, warnings; print(sys.warnoptions, warnings.filters)'",
        "PYTHONWARNINGS=error python3 -c 'import warnings; warnings.warn(\"x\")' 2>&1 | tail -1",
        "python3 -X importtime -c 'import json' 2>&1 | grep -c json.decoder",
        "python3 -X utf8 -X a=b -c 'import sys; print(sys._xoptions, sys.flags.utf8_mode)'",
        "python3 -V; python3 --version; python3 -h | head -3; python3 --bogus; python3 -c",
        "echo 'print(__file__, __name__)' > s.py; python3 s.py; python3 ./s.py; python3 missing.py; python3 /tmp",
        "echo 'print(7)' | python3 -; echo 'print(8)' | python3; echo 'x = 1' | python3 -i - 2>&1",
        "mkdir -p app; echo 'print(__name__, __package__)' > app/__main__.py; python3 app; python3 -m app",
        "python3 -m json.tool <<< '[1]'; python3 -m nothing; python3 -m this | head -1",
        # variables
        "PYTHONPATH=/tmp::rel python3 -c 'import sys; print(sys.path)'",
        "mkdir -p /tmp/pp; echo 'print(\"custom\")' > /tmp/pp/sitecustomize.py; PYTHONPATH=/tmp/pp python3 -c 1",
        "PYTHONPATH=/tmp/pp python3 -E -c 'import sys; print(sys.path)'",
        "PYTHONIOENCODING=latin-1:replace python3 -c 'import sys; print(sys.stdout); print(\"\\xe9\\u20ac\")' | od -c",
        "PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 python3 -c 'import sys; print(sys.flags[:9])'",
        "PYTHONOPTIMIZE=1 python3 -c 'assert 0; print(__debug__)'",
        "PYTHONUTF8=1 python3 -c 'import sys; print(sys.flags.utf8_mode)'",
        "unset LANG; python3 -c 'import sys, os; print(sys.flags.utf8_mode, os.environ.get(\"LANG\"))'",
        "LC_ALL=C python3 -c 'import sys, locale; print(sys.flags.utf8_mode, locale.getlocale(), sys.stdout)'",
        "TZ=Asia/Tokyo python3 -c 'import time; print(time.tzname, time.timezone, time.localtime(0).tm_hour)'",
        "PYTHONHASHSEED=random python3 -c 'import sys; print(sys.flags.hash_randomization)'",
        "PYTHONHASHSEED=5 python3 -c 'import sys; print(sys.flags.hash_randomization, hash(\"a\"))'",
        "PYTHONHASHSEED=0 python3 -c 'import sys; print(sys.flags.hash_randomization, hash(\"a\"), {\"a\", \"b\", \"c\"})'",
        # streams
        "python3 -c 'import sys; print(sys.stdin, sys.stdout, sys.stderr)' <&-",
        "python3 -c 'import sys; sys.stderr.write(str(sys.stdout))' >&- 2>&1",
        "python3 -c 'import sys; print(sys.stdout.line_buffering, sys.stdout.write_through, sys.stdin.isatty())'",
        "python3 -u -c 'import sys; print(sys.stdout.write_through, sys.stdout.buffer)'",
        "python3 -c 'import os; os.write(1, b\"a\"); print(\"b\", end=\"\"); os._exit(3)'",
        # the end
        "python3 -c 'import atexit; atexit.register(print, 1); print(2)'",
        "python3 -c 'class A:\n  def __del__(s): print(\"gone\")\na = A(); b = [a]; b.append(b)'",
        "python3 -c 'import builtins\nclass A:\n  def __del__(s): print(\"gone\")\nbuiltins.x = A()'",
        "echo 'class A:\n  def __del__(s): print(\"gone\", json)\nimport json\na = A()' > m.py; python3 -c 'import m'",
        "python3 -c 'import threading; threading.Thread(target=print, args=(1,)).start()'",
        "python3 -c 'import sys; sys.exit(\"bye\")'",
        "python3 -c 'import os, signal; os.kill(os.getpid(), signal.SIGINT)' 2>&1 | tail -1",
        "python3 -c 'import os, sys; print(1); sys.stdout.flush(); os.kill(os.getpid(), 13)'",
        "python3 -c 'print(1)' > /dev/full",
        "python3 -c 'import io, sys; print(1); sys.stdout = io.StringIO(); print(2)' | cat",
        "python3 -c 'import sys\nclass W:\n  write = lambda *a: None\nprint(1); sys.stdout = W()' 2>/dev/null | cat",
        "python3 -c 'f = open(\"left\", \"w\"); f.write(\"open\")'; cat left",
    ],
)
def test_a_booted_interpreter_is_as_a_bare_one(sandbox, script):
    booted, bare = both(sandbox, script)
    assert booted == bare


@pytest.mark.parametrize(
    "statement",
    ["json", "random", "asyncio", "importlib", "importlib.util", "collections.abc", "logging", "concurrent.futures",
     "unittest", "subprocess", "os.path", "urllib.parse", "decimal", "typing", "datetime", "json.tool"],
)  # fmt: skip
def test_an_import_brings_what_it_brings(sandbox, statement):
    """The modules that are there afterwards, where they are from, and the attributes of their packages."""
    booted, bare = both(
        sandbox,
        f"python3 -c 'import sys, {statement}\n"
        "for n, m in sorted(sys.modules.items()):\n"
        '  print(n, getattr(m, "__file__", 0), getattr(m, "__cached__", 0), getattr(m, "__path__", 0))\n'
        '  s = getattr(m, "__spec__", None); print(s and (s.name, s.origin, s.cached, type(s.loader)))\n'
        "  print(sorted(k for k, v in vars(m).items() if isinstance(v, type(sys))))'",
    )
    assert booted == bare


@pytest.mark.parametrize(
    "script",
    [
        "echo 'x = 1' > random.py; python3 -c 'import random; print(random.__file__, random.x)'",
        "echo 'x = 1' > enum.py; python3 -c 'import re' 2>&1 | tail -1",
        "mkdir csv; python3 -c 'import csv; print(csv.__file__)'",
        "python3 -c 'import sys; sys.modules[\"_json\"] = None; import json.scanner as s; print(s.c_make_scanner)'",
        "python3 -c 'import sys; sys.modules[\"re\"] = 1; import json.decoder as d; print(d.re)' 2>&1 | tail -1",
        "python3 -c 'import sys, json; del sys.modules[\"json\"]; a = json; import json; print(a is json)'",
        "python3 -c 'import json, importlib; importlib.reload(json); print(json.dumps(1))'",
        "python3 -c 'import sys; sys.path.clear(); import json' 2>&1 | tail -1",
        "python3 -c 'import sys\nclass F:\n  def find_spec(n, p=None, t=None): print(n)\n"
        "sys.meta_path.insert(0, F); import string'",
        "python3 -c 'import sys; sys.path_hooks.clear(); sys.path_importer_cache.clear(); import csv' 2>&1 | tail -1",
        "python3 -I -c 'import random; print(random.__file__)'",
    ],
)
def test_modules_are_found_where_they_would_be(script):
    results = []
    for text in (script, BARE + script.replace("python3 ", "bare ")):
        with Sandbox(seed=1) as sandbox:
            result = sandbox.run(text)
            results.append((result.stdout, result.stderr))
    assert results[0] == results[1]


def test_what_modules_keep_is_a_processs_own(sandbox):
    first = sandbox.run("python3 -c 'import json, re; json.x = 1; re.compile(\"a\"); print(json.x)'")
    second = sandbox.run("python3 -c 'import json; print(hasattr(json, \"x\"))'")
    assert first.stdout + second.stdout == "1\nFalse\n"


def test_no_two_processes_share_a_random_state():
    script = "import random, uuid, os; print(random.random(), uuid.uuid4(), os.urandom(4).hex())"
    seen = []
    for _ in range(2):
        with Sandbox() as sandbox:
            seen += [sandbox.run(f"python3 -c '{script}'").stdout for _ in range(2)]
            seen.append(sandbox.run(script, language="python").stdout)
    assert len({line for text in seen for line in text.split()}) == 3 * len(seen)


def test_with_a_seed_the_same_again():
    script = "python3 -c 'import random, time; print(random.random(), hash(\"a\"), id(object()), time.time())'"
    seen = []
    for _ in range(2):
        with Sandbox(seed=3, clock=1e9) as sandbox:
            seen.append(sandbox.run(script).stdout)
    assert seen[0] == seen[1] != ""


def test_time_is_not_that_of_the_build(sandbox):
    script = "python3 -c 'import time; print(time.time(), time.perf_counter() < 1e6, time.process_time() < 60)'"
    now = float(sandbox.run("date +%s").stdout)
    seconds, *small = sandbox.run(script).stdout.split()
    assert abs(float(seconds) - now) < 60 and small == ["True", "True"]


def test_a_waiting_interpreter_is_a_small_snapshot():
    with Sandbox() as sandbox:
        without = len(sandbox.snapshot())
        sandbox.run("import json, re, datetime\nx = {'a': 1}", language="python")
        saved = sandbox.snapshot()
    assert len(saved) - without < 1_000_000
    with Sandbox.restore(saved) as again:
        assert again.run("json.dumps(x)", language="python").value == '{"a": 1}'


def test_nothing_of_a_process_is_left_to_the_next():
    """A sandbox uses memory again when it knows what most processes write, here the second one: an
    interpreter in it is as in the first one, byte by byte."""
    script = """if True:
        from pinfold import Sandbox
        def waiting():
            with Sandbox(seed=1, clock=1e9) as sandbox:
                for _ in range(4):
                    print(sandbox.run("python3 -c 'x = b\\"secret\\" * 9; print(1)'").exit_code)
                sandbox.run("x = 1", language="python")
                return sandbox.snapshot()
        first = waiting()
        print(waiting() == first)"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0\n" * 8 + "True\n", "")


def test_memory_errors(sandbox):
    script = """
for text in ("[0] * 10**10", "b'ab' * 2**31", "'ab' * 2**31", "bytes(10**10)", "(1,) * 2**40", "[] * 10**10",
             "[1] * -10**10", "[0] * 10**30", "bytearray(2**33)"):
    try: print(eval(text))
    except Exception as error: print(type(error).__name__, error)
"""
    result = sandbox.run(script, language="python")
    assert result.stdout.splitlines() == [
        "MemoryError ", "MemoryError ", "MemoryError ", "MemoryError ", "MemoryError ", "[]", "[]",
        "OverflowError cannot fit 'int' into an index-sized integer", "MemoryError ",
    ]  # fmt: skip
