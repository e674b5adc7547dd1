"""A hit of a `Cache` makes no sandbox; what follows it is as if it had been run."""

import sqlite3
import subprocess
import sys
import threading

import pytest

from pinfold import (
    Cache,
    Limits,
    MethodCapability,
    Param,
    Sandbox,
    SandboxBusy,
    StoreError,
    Tool,
    ToolError,
)
from pinfold.memo_machine import Standing

FIXED = {"clock": 1e9, "seed": 7}
ANYTHING = [MethodCapability("**")]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memo.db"


def change(path, statement, *values):
    with sqlite3.connect(path) as connection:
        assert connection.execute(statement, values).rowcount
    connection.close()


def stock(item: str) -> int:
    return len(item)


SCRIPTS = [
    "x=1; seq 5 > n",
    "tool stock --item abc >> n; y=$(tool stock --item a)",
    "z=$x$y$RANDOM",
]


def run_all(cache, **how):
    sandbox = Sandbox(tools=[stock], capabilities=ANYTHING, **FIXED, **how)
    for script in SCRIPTS:
        cache.run(sandbox, script)
    return sandbox


def made(sandbox):
    """Is there a machine at the state where the sandbox stands?"""
    machine = sandbox._machine
    return not isinstance(machine, Standing) or machine._made is not None


def test_a_hit_makes_no_sandbox(path):
    with Cache(path) as cache:
        assert made(run_all(cache))
        with run_all(cache) as sandbox:
            assert cache.counts()[:2] == (3, 3) and not made(sandbox)
            assert sandbox.result.ok and not made(sandbox)
            assert sandbox.run("echo $z; cat n").stdout.split()[1:] == [*"12345", "3"]
            assert made(sandbox)


def expected():
    with Sandbox(tools=[stock], capabilities=ANYTHING, **FIXED) as sandbox:
        for script in SCRIPTS:
            sandbox.run(script)
        return sandbox.run("echo $z; cat n; set | cksum").stdout


@pytest.mark.parametrize("how", ["removed", "file", "clear", "other", "close"])
def test_a_state_that_is_gone_is_made_again(path, how):
    with Cache(path) as cache:
        run_all(cache).close()
    with Cache(path) as cache, run_all(cache) as sandbox:
        assert cache.counts()[:2] == (3, 0)
        if how == "removed":
            change(path, "DELETE FROM state")
        elif how == "other":
            with Cache(path) as other:
                other.clear()
        elif how == "clear":
            cache.clear()
        elif how == "close":
            cache.close()
        else:
            for name in ("memo.db", "memo.db-wal", "memo.db-shm"):
                (path.parent / name).unlink(missing_ok=True)
        assert sandbox.run("echo $z; cat n; set | cksum").stdout == expected()


def test_what_is_made_again_has_to_come_to_the_same(path):
    with Cache(path) as cache:
        run_all(cache).close()
    with Cache(path) as cache, run_all(cache) as sandbox:
        change(path, "DELETE FROM state")
        sandbox._machine._origin.acts.pop()
        with pytest.raises(StoreError, match="somebody has altered it"):
            sandbox.run("true")


def test_an_altered_state_is_said_where_it_is_needed(path):
    with Cache(path) as cache:
        run_all(cache).close()
    change(path, "UPDATE state SET data = zeroblob(100)")
    with Cache(path) as cache, run_all(cache) as sandbox:
        with pytest.raises(StoreError, match="damaged: a state in it was altered"):
            sandbox.run("true")


def forge(path, find, text):
    """Who writes a file without a key can say what waits at a place."""
    from pinfold.memo_file import MemoFile

    file = MemoFile(path, None, 1 << 30, 30)
    [(place, digest)] = file._db.rows(
        "SELECT place, state FROM entry WHERE outcome LIKE ?", (find,), (bytes,), (bytes,)
    )
    file._db.execute("DELETE FROM entry WHERE place = ?", (place,))
    file._new[place] = text, digest, file._code(place, text.encode(), digest)
    file.close()


@pytest.mark.parametrize(
    "calls",
    [
        '[[1, "allowed", "stock", "{\\"item\\": \\"forged\\"}"]]',
        '[[1, "allowed", "secret", "{}"]]',
        '[[1, "allowed", "nobody", "{}"]]',
        '[[1, "ask", "stock", "{\\"item\\":\\"abc\\"}"]]',
        '[[0, "allowed", "stock", "{\\"item\\":\\"abc\\"}"]]',
        '[[1, "allowed", "stock", "{}"]]',
        '[[1, "allowed", "stock", "[]"], [1, "allowed", "stock", "[]"]]',
        "[]",
    ],
)
def test_a_forged_call_passes_the_gate_or_is_none(path, calls):
    asked, secrets = [], []

    def stock(item: str) -> int:
        asked.append(item)
        return len(item)

    def secret() -> str:
        secrets.append(1)
        return "s"

    granted = [MethodCapability("stock", [Param("item") == "abc"], max_calls=1)]
    settings = {"tools": [stock, secret], "capabilities": granted, **FIXED}
    with Cache(path) as cache, Sandbox(**settings) as sandbox:
        cache.run(sandbox, "tool stock --item abc")
    forge(path, '{"calls"%', f'{{"calls": {calls}}}')
    with Cache(path) as cache, Sandbox(**settings) as sandbox:
        assert cache.run(sandbox, "tool stock --item abc").stdout == "3\n"
        assert cache.run(sandbox, "tool stock --item abc").exit_code == 126
        assert sandbox.run("tool stock --item abc").exit_code == 126
    assert asked == ["abc", "abc"] and not secrets


def test_a_call_that_the_state_does_not_wait_for_is_said(path):
    settings = {"tools": [stock], "capabilities": ANYTHING, **FIXED}
    with Cache(path) as cache, Sandbox(**settings) as sandbox:
        cache.run(sandbox, "tool stock --item abc")
    other = '{"calls": [[1, "allowed", "stock", "{\\"item\\": \\"other\\"}"]]}'
    forge(path, '{"calls"%', other)
    with Cache(path) as cache, Sandbox(**settings) as sandbox:
        with pytest.raises(StoreError, match="waits for other calls"):
            cache.run(sandbox, "tool stock --item abc")


def test_a_file_cannot_make_more_calls_than_a_run_may(path):
    """The chain of its entries is as long as who wrote it likes."""
    settings = {"tools": [stock], "capabilities": ANYTHING, "limits": Limits(tool_calls=3), **FIXED}
    script = "for i in 1 2 3 4 5; do tool stock --item a; done"
    for _ in range(2):
        with Cache(path) as cache, Sandbox(**settings) as sandbox:
            result = cache.run(sandbox, script)
            assert result.stdout == "1\n1\n1\n" and "tool_calls" in result.stderr


def test_an_interrupt_while_a_handler_is_asked_reaches_the_run(path):
    script = "trap 'echo caught; exit 9' INT; tool stock --item a; echo on"
    strike = [False]

    def stock(item: str) -> int:
        if strike[0]:
            thread = threading.Thread(target=sandbox.interrupt)
            thread.start()
            thread.join()
        return 1

    outs = []
    for strike[0] in (False, True, False):
        with (
            Cache(path) as cache,
            Sandbox(tools=[stock], capabilities=ANYTHING, **FIXED) as sandbox,
        ):
            outs.append(cache.run(sandbox, script).stdout)
    assert outs[0] == outs[2] == "1\non\n" and "caught" in outs[1]


def test_a_handler_on_the_way_finds_the_sandbox_in_use(path):
    refused = []

    def stock(item: str) -> int:
        for act in (lambda: sandbox.run("true"), lambda: sandbox.fork()):
            try:
                act()
            except SandboxBusy:
                refused.append(item)
        return 1

    for _ in range(2):
        with (
            Cache(path) as cache,
            Sandbox(tools=[stock], capabilities=ANYTHING, **FIXED) as sandbox,
        ):
            assert cache.run(sandbox, "tool stock --item a").stdout == "1\n"
    assert refused == ["a"] * 4


@pytest.mark.parametrize("parked", [False, True])
def test_what_a_handler_does_to_the_files_is_no_secret(path, parked):
    """It is an input that no answer tells of."""
    script = "tool stock --item a; cat note; tool stock --item b; cat note"
    language = "shell"
    if parked:
        script = f"return require('child_process').execSync({script!r}).toString()"
        language = "javascript"
    outs, note = [], [""]

    def stock(item: str) -> int:
        sandbox.files["note"] = f"{note[0]} {item}\n"
        return 1

    for note[0] in ("one", "two", "one"):
        with (
            Cache(path) as cache,
            Sandbox(tools=[stock], capabilities=ANYTHING, **FIXED) as sandbox,
        ):
            result = cache.run(sandbox, script, language)
            outs.append((result.value or result.stdout).split())
    assert outs == [["1", word, "a", "1", word, "b"] for word in ("one", "two", "one")]


def test_many_hits_hold_no_more_than_some(path):
    with Cache(path) as cache:
        for _ in range(2):
            with Sandbox(**FIXED) as sandbox:
                for turn in range(300):
                    cache.run(sandbox, f"x={turn}")
                assert sandbox.run("echo $x").stdout == "299\n"
        assert cache.counts()[:2] == (300, 300)


# ------------------------------------------------------------------ with everything else


def test_with_an_accepted_branch_of_a_preview(path):
    paid = []

    def pay(amount: int) -> str:
        paid.append(amount)
        return f"receipt {amount}"

    def approve(call):
        return call.preview([True, {"amount": 4}])["edited"]

    settings = {
        "tools": [Tool.from_function(pay, simulate=lambda amount: f"receipt {amount}")],
        "capabilities": [MethodCapability("pay", ask=True)],
        "approve": approve,
        **FIXED,
    }
    for _ in range(3):
        with Cache(path) as cache, Sandbox(**settings) as sandbox:
            cache.run(sandbox, "x=1")
            result = cache.run(sandbox, "pay --amount 5 --raw > r; cat r")
            assert result.stdout.strip() == "receipt 4" and sandbox.run("echo $x; cat r").ok
            assert cache.run(sandbox, "cat r").stdout.strip() == "receipt 4"
    assert paid == [4, 4, 4]


def test_a_preview_that_nobody_accepts_changes_nothing(path):
    looks = []

    def approve(call):
        with call.preview([True, False]) as preview:
            looks.append(preview["yes"].stdout)
        return True

    settings = {
        "tools": [Tool.from_function(stock, simulate=lambda item: 77)],
        "capabilities": [MethodCapability("stock", ask=True)],
        "approve": approve,
        **FIXED,
    }
    for turn in range(2):
        with Cache(path) as cache, Sandbox(**settings) as sandbox:
            assert cache.run(sandbox, "tool stock --item abc").stdout == "3\n"
            assert cache.counts()[:2] == (turn, 1 - turn)
    assert looks == ["77\n", "77\n"]


def test_with_forks_and_snapshots(path):
    for _ in range(2):
        with Cache(path) as cache, Sandbox(**FIXED) as trunk:
            cache.run(trunk, "x=1; echo a > f")
            with trunk.fork() as branch:
                assert cache.run(branch, "echo $x; cat f; x=2").stdout == "1\na\n"
            assert cache.run(trunk, "echo $x").stdout == "1\n"
            exact, portable = trunk.snapshot(), trunk.snapshot(portable=True)
        for data in (exact, portable):
            with Cache(path) as cache, Sandbox.restore(data) as again:
                assert cache.run(again, "echo $x; cat f").stdout == "1\na\n"
    with Cache(path) as cache, Sandbox.restore(portable) as again:
        cache.run(again, "echo $x; cat f")
        assert cache.counts()[:2] == (1, 0)


def test_denied_calls_are_denied_each_time(path):
    answers = iter([ToolError("closed", "denied"), ToolError("closed", "denied"), 5])

    def stock(item: str) -> int:
        value = next(answers)
        if isinstance(value, Exception):
            raise value
        return value

    outs = []
    for _ in range(3):
        with (
            Cache(path) as cache,
            Sandbox(tools=[stock], capabilities=ANYTHING, **FIXED) as sandbox,
        ):
            outs.append(cache.run(sandbox, "tool stock --item a 2>&1").stdout)
    assert outs[0] == outs[1] != "5\n" and "closed" in outs[0] and outs[2] == "5\n"


PROGRAM = """
import sys
from pinfold import Cache, Sandbox
with Cache(sys.argv[1]) as cache:
    for turn in range(12):
        with Sandbox(clock=0, seed=1) as sandbox:
            cache.run(sandbox, f"seq {turn % 4} > n")
            assert cache.run(sandbox, "wc -l < n").stdout.strip() == str(turn % 4)
            assert sandbox.run("wc -l < n").stdout.strip() == str(turn % 4)
    print(cache.counts().hits)
"""


def test_several_processes_share_a_file(path):
    programs = [
        subprocess.Popen([sys.executable, "-c", PROGRAM, path], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert all(int(program.communicate()[0]) >= 16 for program in programs)
    assert all(program.returncode == 0 for program in programs)
    done = subprocess.run([sys.executable, "-c", PROGRAM, path], capture_output=True, text=True)
    assert done.stdout == "24\n"
