"""run(): output, status, values, sessions, input, and arguments that make no sense."""

import subprocess
import sys

import pytest

from pinfold import ExecutionError, Limits, Result, Sandbox, SandboxClosed, create_sandbox_tool, replay


def test_stdout_stderr_and_status(sandbox):
    result = sandbox.run("echo out; echo err >&2; exit 7")
    assert (result.stdout, result.stderr, result.exit_code) == ("out\n", "err\n", 7)
    assert not result.ok
    assert result.value is None and result.limit is None and not result.truncated


def test_output_is_exact_bytes_and_readable_text(sandbox):
    result = sandbox.run(r"printf 'a\377\0b'")
    assert result.stdout_bytes == b"a\xff\0b"
    assert result.stdout == "a\ufffd\0b"


def test_unicode_goes_in_and_comes_out(sandbox):
    assert sandbox.run("echo 'héllo 🐑'").stdout == "héllo 🐑\n"


def test_javascript_returns_a_value_and_prints_it(sandbox):
    result = sandbox.run("return {a: [1, null, 'x']}", language="javascript")
    assert result.value == {"a": [1, None, "x"]}
    assert result.stdout == '{"a":[1,null,"x"]}\n'


def test_javascript_returns_nothing(sandbox):
    result = sandbox.run("console.log('hi')", language="javascript")
    assert result.stdout == "hi\n" and result.value is None and result.ok


def test_javascript_error(sandbox):
    result = sandbox.run("\nnull.x", language="javascript")
    assert result.exit_code == 1
    assert "TypeError" in result.stderr


def test_the_shell_is_a_session(sandbox):
    sandbox.run("x=5; cd /tmp; f() { echo f$1; }")
    assert sandbox.run("echo $x; pwd; f 1").stdout == "5\n/tmp\nf1\n"


def test_isolated_runs_have_a_shell_of_their_own(sandbox):
    sandbox.run("x=5")
    assert sandbox.run("echo [$x]; x=6", isolated=True).stdout == "[]\n"
    assert sandbox.run("echo [$x]").stdout == "[5]\n"


def test_exit_ends_the_session_but_not_the_files(sandbox):
    sandbox.run("x=5; echo kept > file; exit 3")
    assert sandbox.run("echo [$x]; cat file").stdout == "[]\nkept\n"


@pytest.mark.parametrize("stdin", ["two\nlines\n", b"two\nlines\n"])
def test_stdin(sandbox, stdin):
    assert sandbox.run("wc -l", stdin=stdin).stdout.strip() == "2"


def test_stdin_is_empty_unless_given(sandbox):
    assert sandbox.run("cat; echo end").stdout == "end\n"


def test_output_as_it_appears(sandbox):
    pieces = []
    result = sandbox.run(
        "echo one; echo two >&2; echo three",
        on_output=lambda text, stream: pieces.append((stream, text)),
    )
    assert "".join(t for s, t in pieces if s == "stdout") == "one\nthree\n" == result.stdout
    assert "".join(t for s, t in pieces if s == "stderr") == "two\n"


def test_an_exception_of_on_output_ends_the_run(sandbox):
    def refuse(text, stream):
        raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError, match="enough"):
        sandbox.run("while :; do echo more; done", on_output=refuse)
    assert sandbox.run("echo fine").stdout == "fine\n"


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ({"code": b"echo"}, TypeError, "text"),
        ({"code": None}, TypeError, "text"),
        ({"code": "x", "language": "cobol"}, ValueError, "cobol"),
        ({"code": "x", "language": "shell\0"}, ValueError, "language"),
        ({"code": "x", "stdin": 5}, TypeError, "stdin"),
        ({"code": "x", "on_output": 5}, TypeError, "on_output"),
        ({"code": "echo \ud800"}, ValueError, "surrogate"),
    ],
)
def test_arguments_that_make_no_sense(sandbox, arguments, error, text):
    with pytest.raises(error, match=text):
        sandbox.run(**arguments)
    assert sandbox.run("echo fine").stdout == "fine\n"


def test_execute_and_shell_give_output_or_raise(sandbox):
    assert sandbox.shell("echo hi") == "hi\n"
    assert sandbox.execute("console.log(1 + 1)") == "2\n"
    with pytest.raises(ExecutionError, match="exit status 4: no") as caught:
        sandbox.shell("echo partial; echo no >&2; exit 4")
    assert isinstance(caught.value.result, Result)
    assert caught.value.result.stdout == "partial\n"
    with pytest.raises(ExecutionError, match="RangeError"):
        sandbox.execute("throw new RangeError('far')")


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("const x = {;", "SyntaxError: "),
        ("let a = 1;\nlet b = )", "SyntaxError: "),
        ("console.error('first'); throw new TypeError('second')", "TypeError: second$"),
        ("console.error('first'); throw 5", "Uncaught 5$"),
        ("class Odd extends Error {}\nthrow new Odd('x')", r"Odd \[Error\]: x$"),
        ("console.error('only'); process.exit(1)", "only$"),
    ],
)
def test_an_execution_error_says_what_was_thrown(sandbox, code, why):
    with pytest.raises(ExecutionError, match=f"^exit status 1: {why}"):
        sandbox.execute(code)


def test_env_and_files():
    with Sandbox(env={"GREETING": "hello"}, files={"data/a.txt": "text\n", "/tmp/b": b"\0"}) as sandbox:
        assert sandbox.run("echo $GREETING; cat data/a.txt; wc -c < /tmp/b").stdout.split() == [
            "hello",
            "text",
            "1",
        ]


def test_no_ambient_authority(sandbox, monkeypatch):
    monkeypatch.setenv("PINFOLD_SECRET", "leaked")
    with Sandbox() as fresh:
        assert "leaked" not in fresh.run("env; cat /etc/passwd /proc/self/environ").stdout
    assert not sandbox.run("test -e /root").ok


def test_clock_and_seed_make_runs_equal():
    def once():
        with Sandbox(clock=1_700_000_000, seed=42) as sandbox:
            return sandbox.run(
                "return [new Date().toISOString(), Math.random()]", language="javascript"
            ).stdout

    assert once() == once()
    assert "2023-11-14" in once()


DETERMINED = """
const log = [], note = (...what) => log.push(what.map(x => typeof x === 'string' ? x : JSON.stringify(x)).join(' '));
note(new Date(), Date.now(), performance.now(), performance.timeOrigin, process.hrtime(), `${process.hrtime.bigint()}`, process.uptime());
note([1, 2, 3].map(() => Math.random()), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))]);
note(require('crypto').randomBytes(6).toString('hex'), require('crypto').randomInt(1e6), require('os').tmpdir(), process.pid);
const order = [];
await Promise.all([30, 10, 20, 10].map((ms, i) => new Promise(done => setTimeout(() => done(order.push(`${i}:${Date.now()}`)), ms))));
setImmediate(() => order.push('immediate')); process.nextTick(() => order.push('tick')); queueMicrotask(() => order.push('microtask'));
await new Promise(done => setTimeout(done, 5)); note(order, Date.now());
const map = new Map(), set = new Set(), object = {};
for (let i = 0; i < 50; i++) { const key = Math.random().toString(36); map.set(key, i); set.add({ key }); object[key] = i; }
note([...map.keys()], Object.keys(object), [...set].map(x => x.key));
fs.mkdirSync('d'); for (let i = 0; i < 20; i++) fs.writeFileSync(`d/${Math.random()}`, ''); note(fs.readdirSync('d'), fs.statSync('d').mtimeMs, fs.statSync('d').ino);
note(fs.mkdtempSync('/tmp/x'), (await $`date +%s.%N; echo $RANDOM $$ $SRANDOM; mktemp -u`).stdout);
note(await Promise.all([ask({ n: 1 }), ask({ n: 2 })]), new Error('x').stack);
return log;
"""


def test_javascript_follows_from_clock_and_seed():
    """Time, randomness, timers and every order: the same bytes, and others from another seed."""

    def ask(n: int) -> int:
        return n + 1

    def once(clock, seed):
        with create_sandbox_tool(tools=[ask], clock=clock, seed=seed).sandbox as sandbox:
            result = sandbox.run(DETERMINED, language="javascript")
            assert result.ok, result.stderr
            return result.stdout.encode()

    first = once(1_700_000_000, 7)
    assert once(1_700_000_000, 7) == first
    assert once(1_700_000_000, 8) != first
    assert once(1_700_000_001, 7) != first


def test_a_closed_sandbox_says_so():
    sandbox = Sandbox()
    sandbox.close()
    sandbox.close()
    assert sandbox.closed
    with pytest.raises(SandboxClosed, match="closed"):
        sandbox.run("echo")
    with pytest.raises(SandboxClosed):
        sandbox.files["x"]
    sandbox.interrupt()


def test_repr_says_what_it_is():
    with Sandbox() as sandbox:
        assert "idle" in repr(sandbox)
        assert "stdout='hi" in repr(sandbox.run("echo hi"))
    assert "closed" in repr(sandbox)


class TestLimits:
    def test_cpu(self):
        with Sandbox(limits=Limits(cpu_seconds=0.2)) as sandbox:
            for code, language in [("while :; do :; done", "shell"), ("for(;;);", "javascript")]:
                result = sandbox.run(code, language)
                assert result.limit == "cpu_seconds"
                assert result.exit_code == 137
            assert sandbox.run("echo fine").stdout == "fine\n"

    def test_wall(self):
        with Sandbox(limits=Limits(wall_seconds=0.3)) as sandbox:
            result = sandbox.run("sleep 30")
            assert (result.limit, result.exit_code) == ("wall_seconds", 137)

    def test_wall_of_what_makes_no_calls(self, tmp_path):
        """One long call of C hears of no limit: it is cut, long before its time of a processor is used up."""
        trace = tmp_path / "trace"
        with Sandbox(limits=Limits(wall_seconds=0.3, cpu_seconds=600), record=trace) as sandbox:
            result = sandbox.run("sum(range(10**13))", language="python")
            assert (result.limit, result.exit_code) == ("wall_seconds", 137)
            assert result.usage.cpu_seconds < 60
            assert sandbox.run("echo fine").stdout == "fine\n"
        with replay(trace) as run:
            assert [result.exit_code for result in run.results] == [137, 0]

    def test_output(self):
        with Sandbox(limits=Limits(output_bytes=10)) as sandbox:
            result = sandbox.run("echo 0123456789abcdef; echo e >&2; exit 2")
            assert result.stdout == "0123456789"
            assert (result.stdout_truncated, result.stderr_truncated) == (True, False)
            assert result.truncated and result.exit_code == 2

    def test_code_and_stdin(self):
        with Sandbox(limits=Limits(code_bytes=10, stdin_bytes=10)) as sandbox:
            with pytest.raises(ValueError, match="code"):
                sandbox.run("echo 0123456789")
            with pytest.raises(ValueError, match="stdin"):
                sandbox.run("cat", stdin="0123456789a")

    def test_lifted(self):
        with Sandbox(limits=Limits(output_bytes=None)) as sandbox:
            assert len(sandbox.run("head -c 3000000 /dev/zero").stdout_bytes) == 3_000_000

    def test_usage(self, sandbox):
        usage = sandbox.run("for i in 1 2 3; do :; done").usage
        assert 0 < usage.wall_seconds < 60 and usage.memory_bytes > 0 and usage.tool_calls == 0

    @pytest.mark.parametrize(
        "arguments, error",
        [
            ({"cpu_seconds": -1}, ValueError),
            ({"cpu_seconds": float("nan")}, ValueError),
            ({"cpu_seconds": "10"}, TypeError),
            ({"files": 1.5}, TypeError),
            ({"files": True}, TypeError),
            ({"speed": 1}, TypeError),
        ],
    )
    def test_values_that_make_no_sense(self, arguments, error):
        with pytest.raises(error):
            Limits(**arguments)

    def test_limits_are_values(self):
        assert Limits(files=7) == Limits(files=7) != Limits()
        assert len({Limits(), Limits()}) == 1
        with pytest.raises(AttributeError):
            Limits().files = 3
        with pytest.raises(TypeError, match="Limits"):
            Sandbox(limits={"files": 3})


def test_import_is_light():
    """What a plain sandbox does not need is not imported: it would take longer than the run."""
    heavy = "asyncio inspect dataclasses typing pydantic json logging"
    heavy += " collections contextlib functools re types warnings"
    code = (
        "import sys; before = set(sys.modules); import pinfold; pinfold.Sandbox().run('echo');"
        f"print([m for m in {heavy.split()} if m in set(sys.modules) - before])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "instead"), [("ruby", "`js`"), ("ipython", "python3"), ("curl", "tool --list"), ("vim", "sed -i")]
)
def test_a_command_that_is_not_there_names_a_near_one(sandbox, name, instead):
    result = sandbox.run(f"{name} x")
    assert result.exit_code == 127
    first, second = result.stderr.splitlines()
    assert first == f"bash: line 1: {name}: command not found"
    assert second.startswith("hint: ") and instead in second
    assert sandbox.run("nosuchthing").stderr == "bash: line 1: nosuchthing: command not found\n"


def test_a_session_does_not_grow(sandbox):
    script = (
        'x=$(echo a | tr a b); f() { local y=1; echo $y; }; f | cat; arr=(1 2 3); '
        "declare -A m=([a]=1); cat <<< $x > /tmp/f; (exit 3); trap '' USR1; eval z=1; "
        "[[ $x =~ b ]]; read q < /tmp/f; sleep 0 & wait; cat <(echo p)"
    )
    sizes = [sandbox.run(script).usage.memory_bytes for _ in range(1000)]
    assert sizes[-1] == sizes[100]


def test_a_killed_session_is_said_to_be_lost():
    with Sandbox() as sandbox:
        assert not sandbox.run("v=1; exit 3").session_lost
        assert sandbox.run("v=1; kill -9 $$").session_lost
        assert not sandbox.run("echo $v").session_lost
        assert not sandbox.run("sh -c 'kill -9 $$'").session_lost
