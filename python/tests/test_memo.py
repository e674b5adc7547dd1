"""Runs that were seen before are restored instead of run."""

import sqlite3
import threading

import pytest

from pinfold import (
    AuditLog,
    Cache,
    Limits,
    MethodCapability,
    Param,
    Sandbox,
    SandboxStateError,
    StoreError,
    Tool,
    ToolError,
)

ANYTHING = [MethodCapability("**")]
FIXED = {"clock": 1e9, "seed": 7}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memo.db"


@pytest.fixture
def cache(path):
    with Cache(path) as cache:
        yield cache


class Stock:
    """A tool that says what it is told to, and counts."""

    def __init__(self, answers=None):
        self.asked = []
        self.answers = answers or {}

    def tools(self):
        def stock(item: str) -> int:
            self.asked.append(item)
            value = self.answers.get(item, len(item))
            if isinstance(value, Exception):
                raise value
            return value

        return {"tools": [stock], "capabilities": ANYTHING, **FIXED}


def both(cache, scripts, language="shell", **settings):
    """What a run without the cache and the two with it give; the last one is a hit throughout."""
    with Sandbox(**(FIXED | settings)) as plain:
        expected = [plain.run(script, language) for script in scripts]
        files = dict(plain.files)
    for turn in range(2):
        before = cache.counts()
        with Sandbox(**(FIXED | settings)) as sandbox:
            found = [cache.run(sandbox, script, language) for script in scripts]
            seen = [(r.stdout, r.stderr, r.exit_code, r.value) for r in found]
            assert seen == [(r.stdout, r.stderr, r.exit_code, r.value) for r in expected]
            hits = cache.counts().hits - before.hits
            assert hits == (len(scripts) if turn else 0)
            assert dict(sandbox.files) == files
    return found


def test_a_run_is_not_run_twice(cache):
    found = both(cache, ["x=1; seq 5 > n", "cd /tmp; echo $x$RANDOM > r", "pwd; cat r; date; exit 3"])
    assert found[0].usage.cpu_seconds == 0 and found[2].exit_code == 3


def test_every_language(cache):
    both(cache, ["globalThis.x = Math.random(); return {a: [1, Date.now()]}"], "javascript")
    both(cache, ["import random\nx = random.random()", "x, 'ü'", "1/0"], "python")


def test_what_a_hit_leaves_is_a_sandbox_like_any_other(cache):
    for _ in range(2):
        with Sandbox(**FIXED) as sandbox:
            cache.run(sandbox, "x=1; echo a > f; sleep 100 &")
            assert sandbox.result.ok
            assert sandbox.run("echo $x; cat f").stdout == "1\na\n"
            cache.run(sandbox, "x=2")
            with sandbox.fork() as branch:
                assert branch.run("echo $x").stdout == "2\n"
            sandbox.files["g"] = b"by the embedder"
            assert cache.run(sandbox, "cat g").stdout == "by the embedder"
            data = sandbox.snapshot()
        with Sandbox.restore(data) as again:
            assert cache.run(again, "echo $x").stdout == "2\n"
    assert cache.counts().hits == 4


def test_a_sandbox_that_nobody_looked_at_is_closed_like_any_other(cache):
    for _ in range(2):
        sandbox = Sandbox(**FIXED)
        cache.run(sandbox, "true")
        sandbox.close()
        assert sandbox.closed
        with pytest.raises(Exception, match="closed"):
            sandbox.run("true")


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 8},
        {"clock": 2e9},
        {"limits": Limits(output_bytes=4)},
        {"env": {"A": "b"}},
        {"files": {"f": "other"}},
        {"capabilities": [MethodCapability("a")]},
        {"tools": [Tool("other")]},
        {"js_prelude": "1"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_another_start_is_another_run(cache, change):
    script = "echo $RANDOM; date; echo $A; cat f; ls /tools"
    for settings in ({}, change):
        with Sandbox(**(FIXED | settings)) as plain, Sandbox(**(FIXED | settings)) as sandbox:
            assert cache.run(sandbox, script).stdout == plain.run(script).stdout
    assert cache.counts().hits == 0


def test_how_a_run_is_started_counts(cache):
    ways = [
        {},
        {"stdin": ""},
        {"stdin": "x"},
        {"isolated": True},
        {"cwd": "/tmp"},
        {"env": {"A": "b"}},
        {"limits": Limits(output_bytes=3)},
    ]
    for way in ways * 2:
        with Sandbox(**FIXED) as plain, Sandbox(**FIXED) as sandbox:
            script = "cat; pwd; echo $A; A=1"
            assert cache.run(sandbox, script, **way).stdout == plain.run(script, **way).stdout
    assert cache.counts()[:2] == (len(ways), len(ways))


def test_handlers_are_asked_and_their_answers_decide(cache):
    script = "for i in a bb; do n=$(tool stock --item $i) && echo $n || echo none; done"
    for answers, out in (
        ({}, "1\n2\n"),
        ({}, "1\n2\n"),
        ({"bb": 9}, "1\n9\n"),
        ({"a": ToolError("gone")}, "none\n2\n"),
        ({"bb": ValueError("bad")}, "1\nnone\n"),
        ({"bb": {1: object()}}, "1\nnone\n"),
        ({"a": ToolError("gone")}, "none\n2\n"),
        ({"bb": 9}, "1\n9\n"),
    ):
        stock = Stock(answers)
        with Sandbox(**stock.tools()) as sandbox:
            assert cache.run(sandbox, script).stdout == out
            assert stock.asked == ["a", "bb"]
            assert sandbox.run("echo $n").ok
    assert cache.counts()[:2] == (3, 5)


def test_calls_at_once(cache):
    script = "return await Promise.all(['a', 'bb', 'ccc'].map(item => stock({item})))"
    for answers, value in (({}, [1, 2, 3]), ({}, [1, 2, 3]), ({"bb": 0}, [1, 0, 3])):
        with Sandbox(**Stock(answers).tools()) as sandbox:
            assert cache.run(sandbox, script, "javascript").value == value
    assert cache.counts()[:2] == (1, 2)


def test_todays_capabilities_decide(cache):
    """What was granted once is not granted by that."""
    made = []

    def pay(amount: int) -> str:
        made.append(amount)
        return "paid"

    script = "pay --amount 7; pay --amount 3"
    granted = [MethodCapability("pay")]
    for _ in range(2):
        with Sandbox(tools=[pay], capabilities=granted, **FIXED) as sandbox:
            assert cache.run(sandbox, script).stdout == '"paid"\n"paid"\n'
    assert made == [7, 3, 7, 3]
    made.clear()
    for capabilities, stdout, calls in (
        ([], "", []),
        ([MethodCapability("pay", [Param("amount") <= 5])], '"paid"\n', [3]),
        ([MethodCapability("pay", max_calls=1)], '"paid"\n', [7]),
    ):
        for _ in range(2):
            made.clear()
            with Sandbox(tools=[pay], capabilities=capabilities, **FIXED) as sandbox:
                assert cache.run(sandbox, script).stdout == stdout
                assert made == calls


def test_budgets_are_spent_by_what_is_restored(cache):
    stock = Stock()
    settings = stock.tools() | {"capabilities": [MethodCapability("stock", max_calls=3)]}
    for _ in range(2):
        with Sandbox(**settings) as sandbox:
            [capability] = sandbox.capabilities
            for left in (2, 1, 0):
                assert cache.run(sandbox, "tool stock --item a").ok
                assert sandbox.calls_left(capability) == left
            assert cache.run(sandbox, "tool stock --item a").exit_code == 126
            assert sandbox.run("tool stock --item a").exit_code == 126
    assert len(stock.asked) == 6


def test_approval_and_the_budget_of_one_run_are_asked_each_time(cache):
    asked, stock = [], Stock()

    def approve(call):
        asked.append(call.method)
        return len(asked) != 2

    settings = stock.tools() | {
        "capabilities": [MethodCapability("stock", ask=True)],
        "approve": approve,
    }
    outs = []
    for _ in range(3):
        with Sandbox(**settings) as sandbox:
            outs.append(cache.run(sandbox, "tool stock --item a; true").stdout)
    assert outs == ["1\n", "", "1\n"] and asked == ["stock"] * 3 and len(stock.asked) == 2
    for _ in range(2):
        with Sandbox(**Stock().tools()) as sandbox:
            result = cache.run(sandbox, "tool stock --item a; tool stock --item b", budget=1)
            assert result.stdout == "1\n" and "budget" in result.stderr


def test_remembered_answers_pass_the_gate(path):
    stock = Stock()
    with Cache(path, remember=["stock"]) as cache:
        for script in ("tool stock --item a", "tool stock --item a; echo on"):
            with Sandbox(**stock.tools()) as sandbox:
                assert cache.run(sandbox, script).stdout.startswith("1\n")
        assert stock.asked == ["a"] and cache.counts().remembered == 1
        for capabilities in ([], [MethodCapability("stock", [Param("item") == "b"])]):
            with Sandbox(**stock.tools() | {"capabilities": capabilities}) as sandbox:
                result = cache.run(sandbox, "tool stock --item a")
                assert result.stdout == "" and result.exit_code == 126
        refused = stock.tools() | {
            "capabilities": [MethodCapability("stock", ask=True)],
            "approve": lambda call: False,
        }
        with Sandbox(**refused) as sandbox:
            assert cache.run(sandbox, "tool stock --item a").stdout == ""
        once = stock.tools() | {"capabilities": [MethodCapability("stock", max_calls=1)]}
        with Sandbox(**once) as sandbox:
            assert cache.run(sandbox, "tool stock --item a; tool stock --item a").stdout == "1\n"
        with Sandbox(**stock.tools()) as sandbox:
            assert cache.run(sandbox, "tool stock --item b").stdout == "1\n"
    assert stock.asked == ["a", "b"]


def test_what_a_clock_decided_is_not_kept(cache):
    for _ in range(2):
        with Sandbox(**FIXED, limits=Limits(cpu_seconds=0.2)) as sandbox:
            assert cache.run(sandbox, "while :; do :; done").limit == "cpu_seconds"
    with Sandbox(**FIXED) as sandbox:
        timer = threading.Timer(0.3, sandbox.interrupt)
        timer.start()
        script = "trap 'echo caught; exit' INT; for ((;;)); do :; done"
        assert cache.run(sandbox, script).stdout == "caught\n"
        timer.join()
    assert cache.counts()[:4] == (0, 3, 0, 0)


def test_what_was_seen_of_another_process_is_known(path):
    with Cache(path) as cache, Sandbox(**FIXED) as sandbox:
        cache.run(sandbox, "seq 9 > n")
    with Cache(path) as one, Cache(path) as other:
        for cache in (one, other):
            with Sandbox(**FIXED) as sandbox:
                cache.run(sandbox, "seq 9 > n")
                assert cache.counts()[:2] == (1, 0)
                assert sandbox.files["n"].startswith(b"1\n2\n")
        one.clear()
        with Sandbox(**FIXED) as sandbox:
            other.run(sandbox, "seq 9 > n")
        assert other.counts()[:2] == (1, 1)


def test_a_program_that_is_parked_is_run(cache):
    script = "return require('child_process').execSync('tool stock --item abc').toString()"
    for _ in range(2):
        stock = Stock()
        with Sandbox(**stock.tools()) as sandbox:
            assert cache.run(sandbox, script, "javascript").value == "3\n"
            assert stock.asked == ["abc"]


def test_passthrough_leaves_the_run_to_be_finished(cache):
    class Ask(Exception):
        pass

    answers = iter([Ask(), 5])

    def stock(item: str) -> int:
        value = next(answers)
        if isinstance(value, Exception):
            raise value
        return value

    with Sandbox(tools=[stock], capabilities=ANYTHING, passthrough=[Ask], **FIXED) as sandbox:
        with pytest.raises(Ask):
            cache.run(sandbox, "tool stock --item a")
        with pytest.raises(SandboxStateError, match="finish"):
            cache.run(sandbox, "true")
        assert sandbox.finish().stdout == "5\n"


def test_what_it_is_not_for(cache, tmp_path):
    for settings, said in (
        ({}, "clock=..., seed=..."),
        ({"clock": 0}, "clock=..., seed=..."),
        ({"seed": 1}, "clock=..., seed=..."),
        (FIXED | {"record": tmp_path / "r"}, "record="),
        (FIXED | {"mounts": {"/data": tmp_path}}, "mounts="),
        (FIXED | {"audit": AuditLog(tmp_path / "a")}, "audit="),
        (FIXED | {"isolation": "process"}, "isolation="),
    ):
        with Sandbox(**settings) as sandbox, pytest.raises(ValueError, match=said):
            cache.run(sandbox, "true")
    with pytest.raises(ValueError, match="needs a path"):
        Cache("")
    with pytest.raises(ValueError, match="16 bytes"):
        Cache(tmp_path / "x", key=b"short")
    with pytest.raises(TypeError, match="patterns"):
        Cache(tmp_path / "x", remember="stock")


# ------------------------------------------------------------------ the file


def fill(path, **how):
    with Cache(path, **how) as cache, Sandbox(**Stock().tools()) as sandbox:
        cache.run(sandbox, "tool stock --item abc")


def use(path, **how):
    with Cache(path, **how) as cache, Sandbox(**Stock().tools()) as sandbox:
        result = cache.run(sandbox, "tool stock --item abc")
        sandbox.run("true")
        return result.stdout


def spoil(path, statement, *values):
    with sqlite3.connect(path) as connection:
        assert connection.execute(statement, values).rowcount
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET outcome = replace(outcome, '3', '4')",
        "UPDATE entry SET outcome = '[]'",
        "UPDATE entry SET outcome = ''  WHERE outcome <> ''",
        "UPDATE entry SET outcome = 5",
        "UPDATE entry SET state = zeroblob(32)",
        "UPDATE entry SET code = zeroblob(32)",
        "UPDATE state SET data = zeroblob(100)",
        "UPDATE state SET data = 'text'",
    ],
)
def test_damage_is_said(path, statement):
    fill(path)
    spoil(path, statement)
    with pytest.raises(StoreError, match="memo.db: the cache is damaged"):
        use(path)


def test_what_has_another_key_is_not_believed(path):
    key = b"sixteen bytes or more"
    fill(path, key=key)
    assert use(path, key=key) == "3\n"
    for how in ({}, {"key": key + b"!"}):
        with pytest.raises(StoreError, match="damaged"):
            use(path, **how)


def test_a_state_that_gives_back_what_was_spent_is_refused(path):
    """Who can write the file without a key cannot make a budget larger."""
    from pinfold.memo_file import MemoFile

    settings = Stock().tools() | {"capabilities": [MethodCapability("stock", max_calls=2)]}
    with Cache(path) as cache, Sandbox(**settings) as sandbox:
        fresh = sandbox.snapshot()
        sandbox.run("tool stock --item a")
        cache.run(sandbox, "echo spent")
    from pinfold.memo import _hash

    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT place, outcome FROM entry").fetchall()
    connection.close()
    file = MemoFile(path, None, 1 << 30, 30)
    for place, outcome in rows:
        spoil(path, "DELETE FROM entry WHERE place = ?", place)
        file._new[place] = outcome, _hash(fresh), file._code(place, outcome.encode(), _hash(fresh))
        file._states[_hash(fresh)] = fresh
    file.close()
    with Cache(path) as cache, Sandbox(**settings) as sandbox:
        sandbox.run("tool stock --item a")
        cache.run(sandbox, "echo spent")
        with pytest.raises(StoreError, match="gives back what was spent"):
            sandbox.run("true")


def test_a_file_that_is_none(tmp_path):
    for name, contents in (("text", b"hello " * 100), ("cut", None)):
        path = tmp_path / name
        if contents is None:
            fill(path)
            contents = path.read_bytes()[:5000]
        path.write_bytes(contents)
        with pytest.raises(StoreError, match=name):
            use(path)
    other = tmp_path / "other"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE x(y)")
    connection.close()
    with pytest.raises(StoreError, match="another program, and no cache"):
        Cache(other)


def test_what_was_not_used_for_longest_goes(path):
    with Cache(path, max_bytes=100_000) as cache:
        for turn in range(60):
            with Sandbox(**FIXED) as sandbox:
                cache.run(sandbox, f"echo {turn} > f; seq 500")
        counts = cache.counts()
        assert 0 < counts.entries < 60 and counts.bytes <= 100_000
        with Sandbox(**FIXED) as sandbox:
            cache.run(sandbox, "echo 59 > f; seq 500")
        assert cache.counts().hits == 1
