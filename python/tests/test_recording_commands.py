"""`pinfold what-if`, `bisect` and `diff`, and what they stand on."""

import hashlib
import json
import shlex
import subprocess
import sys

import pytest

from pinfold import BoundError, MethodCapability, Sandbox, compare_traces, replay
from pinfold.bisecting import bisect

ANYTHING = [MethodCapability("**")]
WORK = """
for item in tea pen cup; do
    n=$(tool stock --item $item | jq .n)
    if [ $n -gt 0 ]; then tool ship --item $item; echo $item,$n >> report.csv
    else tool refund --item $item; : > report.csv; fi
done
"""


def record(path, pens=3, **settings):
    def stock(item: str) -> dict:
        return {"n": pens if item == "pen" else 1}

    def ship(item: str) -> str:
        return "shipped"

    def refund(item: str) -> str:
        return "refunded"

    with Sandbox(
        tools=[stock, ship, refund], capabilities=ANYTHING, record=path, **settings
    ) as sandbox:
        sandbox.run("echo start")
        sandbox.run(WORK)
        sandbox.run("cat report.csv")
    return path


@pytest.fixture
def good(tmp_path):
    return record(tmp_path / "good.jsonl")


@pytest.fixture
def bad(tmp_path):
    return record(tmp_path / "bad.jsonl", pens=0)


@pytest.fixture
def pinfold(tmp_path):
    def run(*arguments, **how):
        words = [sys.executable, "-m", "pinfold", *map(str, arguments)]
        return subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, **how)

    return run


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


# ------------------------------------------------------------------ bisect


def test_the_call_that_emptied_it(pinfold, bad):
    done = pinfold(
        "bisect", bad, "--check", "! grep -q tea report.csv || test $(wc -l < report.csv) -ge 1"
    )
    assert done.returncode == 1 and "the check holds at the end" in done.stdout
    done = pinfold("bisect", "--check", "test -s report.csv && ! grep -q cup report.csv", bad)
    assert done.returncode == 0, done.stderr
    assert "the last answer before it: line" in done.stdout
    assert 'refund({"item":"pen"}): answered "refunded"' in done.stdout
    assert "in run 2, shell: " in done.stdout


def test_where_it_was_well_need_not_be_known(pinfold, tmp_path):
    """It fails at both ends: the report is made, and then lost."""
    path = tmp_path / "run.jsonl"
    with Sandbox(record=path) as sandbox:
        for n in range(40):
            sandbox.run(f"echo {n} >> log")
            if n == 20:
                sandbox.run("echo 1 > report")
            if n == 30:
                sandbox.run(": > report")
    with replay(path) as run:
        found = run.bisect("test -s report")
        with run.at(found.line) as before, run.at(found.line + 1) as after:
            assert before.files["report"] == b"1\n" and after.files["report"] == b""
            assert after.files["log"].count(b"\n") == 31
        assert found.good == found.line and found.checks < 60
        assert (
            run.bisect("test -e log || true").why == "the check holds at the end: nothing broke it"
        )
        never = run.bisect("false")
        assert never.line is None and "at none of" in never.why
        end = found.line + 1
        assert run.bisect("test -s report", good=found.line - 5, bad=end)[:2] == found[:2]
        assert "fails at line 2 already" in run.bisect("test -s report", good=2).why
        for how in ({"good": 0}, {"bad": 10**6}, {"good": 9, "bad": 9}):
            with pytest.raises(ValueError):
                run.bisect("true", **how)
    done = pinfold("bisect", path, "--check", "test -s report", "--json")
    assert json.loads(done.stdout)["line"] == found.line
    assert json.loads(done.stdout)["where"] == "run 33, shell: : > report"


def test_checks_are_few():
    """log2 of the lines, wherever the event is."""
    for event in (1, 2, 499, 5000, 9998):
        asked = []

        def holds(line, event=event, asked=asked):
            asked.append(line)
            return line <= event

        found = bisect(holds, 10_000)
        assert (found.line, found.good) == (event, event) and found.checks == len(asked) <= 16


def test_lines_that_nobody_can_look_at_are_gone_around(tmp_path):
    path = tmp_path / "run.jsonl"

    def get() -> str:
        return "x"

    with Sandbox(tools=[get], capabilities=ANYTHING, record=path) as sandbox:
        sandbox.run("echo 1 > report")
        sandbox.run(
            "require('child_process').execSync('tool get; : > report; tool get')", "javascript"
        )
        sandbox.run("echo on")
    with replay(path) as run:
        found = run.bisect("test -s report")
        with run.at(found.line + 1) as after:
            assert after.files["report"] == b""
        with run.at(found.good) as before:
            assert before.files["report"] == b"1\n"


# ------------------------------------------------------------------ what-if


def test_another_answer_from_the_recording(pinfold, good):
    done = pinfold("what-if", good, "--answer", '1={"n": 7}')
    assert done.returncode == 0, done.stderr
    assert 'recorded  call 1, stock({"item":"tea"}): answered {"n":1}' in done.stdout
    assert 'what if   {"n": 7}' in done.stdout
    assert "/workspace/report.csv" in done.stdout and "tea,7" in done.stdout
    done = pinfold("what-if", good, "--answer", '1={"n": 7}', "--get", "report.csv")
    assert done.stdout == "tea,7\npen,3\ncup,1\n"


def test_a_call_without_an_answer_stops_it(pinfold, good):
    done = pinfold("what-if", good, "--answer", '3={"n": 0}')
    assert done.returncode == 1
    assert 'Stopped: the recording has no answer to refund({"item":"pen"})' in done.stdout
    done = pinfold("what-if", good, "--fail", "3=no such item", "--json")
    data = json.loads(done.stdout)
    assert data["calls"][0]["error"] == "no such item" and data["calls"][0]["source"] == "given"


PROGRAMS = {
    "pipeline": (
        "shell",
        "for i in tea pen cup; do tool stock --item $i --raw; done | jq -r .n | sort -n | tail -1 > most",
    ),
    "all": (
        "javascript",
        "const all = await Promise.all(['tea', 'pen', 'cup'].map(item => stock({item})));\n"
        "fs.writeFileSync('most', Math.max(...all.map(({n}) => n)) + '\\n')",
    ),
    "python": (
        "python",
        "from tools import stock\n"
        "counts = [stock(item=item)['n'] for item in ('tea', 'pen', 'cup')]\n"
        "with open('most', 'w') as file:\n    print(max(counts), file=file)",
    ),
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_what_if_of_each_kind_of_program(pinfold, tmp_path, kind):
    """The answer that decides is the second of three, in a pipeline, at once, in a loop."""
    language, code = PROGRAMS[kind]
    asked = []

    def stock(item: str) -> dict:
        asked.append(item)
        return {"n": len(item)}

    path = tmp_path / "run.jsonl"
    with Sandbox(tools=[stock], capabilities=ANYTHING, record=path) as sandbox:
        assert sandbox.run(code, language).ok
        assert sandbox.files["most"] == b"3\n"
    done = pinfold("what-if", path, "--answer", '2={"n": 40}', "--get", "most")
    assert (done.returncode, done.stdout) == (0, "40\n"), done.stderr
    done = pinfold("what-if", path, "--answer", '2={"n": 40}')
    assert 'call 2, stock({"item":"pen"})' in done.stdout and "/workspace/most" in done.stdout
    done = pinfold("what-if", path, "--fail", "2=no such item", "--json")
    data = json.loads(done.stdout)
    assert data["stopped"] is None and data["calls"][0]["error"] == "no such item"
    assert [call["source"] for call in data["calls"]][0] == "given"
    done = pinfold("bisect", path, "--check", "! grep -q 3 most")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the last answer before it" in done.stdout and "call 3" in done.stdout
    assert asked == ["tea", "pen", "cup"]


def test_live_tools_answer_the_others(pinfold, good, tmp_path):
    asked = tmp_path / "asked"
    tool = shlex.join(["tee", "-a", str(asked)])
    done = pinfold(
        *("what-if", good, "--answer", '3={"n": 0}', "--live", "--tool", f"refund={tool}", "--json")
    )
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads(done.stdout)
    assert [call["source"] for call in data["calls"]] == ["given", "live", "recorded", "recorded"]
    assert asked.read_text() == '{"item": "pen"}'  # and nothing else was called
    assert data["files"]["changed"] == ["/workspace/report.csv"] and data["stopped"] is None
    policy = tmp_path / "policy"
    policy.write_text(
        '{"capabilities": [{"method": "**", "constraints": [["item", "!=", "pen"]]}]}'
    )
    asked.unlink()
    done = pinfold(
        *("what-if", good, "--answer", '3={"n": 0}', "--live", "--tool", f"refund={tool}"),
        *("--policy", policy),
    )
    assert not asked.exists(), done.stdout + done.stderr


def test_mistakes_of_the_command_line(pinfold, good, tmp_path):
    (tmp_path / "text").write_text("hello\n")
    for arguments, said in (
        (["what-if", good], "which call"),
        (["what-if", good, "--answer", "x=1"], "number of a call"),
        (["what-if", good, "--answer", "1=late"], "--answer 1='\"late\"'"),
        (["what-if", good, "--answer", "99=1"], "call 99 was not answered"),
        (["what-if", good, "--answer", "1=1", "--live"], "belong together"),
        (["what-if", good, "--answer", "1=1", "--policy", "p"], "is for --live"),
        (["what-if", "missing", "--answer", "1=1"], "missing: No such file"),
        (["what-if", "text", "--answer", "1=1"], "not a pinfold trace"),
        (["what-if", good, "--answer", "1=1", "--limit", "tool_calls=1"], "tool_calls"),
        (["bisect", good], "--check"),
        (["bisect", good, "--check", "true", "--good", "0"], "the trace has the lines"),
        (["diff", good], "B"),
        (["diff", good, "text"], "text: this is not a pinfold trace"),
    ):
        done = pinfold(*arguments)
        assert done.returncode == 125 and said in done.stderr, (arguments, done)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["what-if", "bisect", "diff"])
def test_help(pinfold, command):
    done = pinfold(command, "--help")
    assert done.returncode == 0 and "Exit status" in done.stdout


# ------------------------------------------------------------------ diff


def test_where_they_part_and_what_followed(pinfold, good, bad):
    done = pinfold("diff", good, bad)
    assert done.returncode == 1
    answers = [event for event in lines_of(good) if event.get("do") == "resume"]
    assert f"good.jsonl:{answers[2]['n']}: call 3" in done.stdout
    for line in (
        'answered {"n":3}',
        'answered {"n":0}',
        '- ship({"item":"pen"}): answered "shipped"',
        '+ refund({"item":"pen"}): answered "refunded"',
        "~ /workspace/report.csv",
    ):
        assert line in done.stdout
    data = json.loads(pinfold("diff", "--json", good, bad).stdout)
    assert data["first"]["a"]["line"] == answers[2]["n"] and data["same"] > 5
    assert data["files"] == {"added": [], "changed": ["/workspace/report.csv"], "removed": []}
    assert data["head"] == []


def test_times_are_no_difference(good, tmp_path):
    other = record(tmp_path / "other.jsonl")
    assert good.read_bytes() != other.read_bytes()
    found = compare_traces(good, other)
    assert found.alike and found.first is None and found.files is not None
    assert compare_traces(good.read_bytes(), other, files=False).files_why == "nobody asked"


def test_output_settings_and_length_are_differences(tmp_path):
    paths = []
    for name, script, env in (
        ("a", "echo $W; echo x > f", {"W": "one"}),
        ("b", "echo $W; echo x > f", {"W": "two"}),
        ("c", "echo $W; echo x > f", {"W": "one"}),
    ):
        paths.append(tmp_path / name)
        with Sandbox(record=paths[-1], env=env) as sandbox:
            sandbox.run(script, isolated=True)
            if name == "c":
                sandbox.run("rm f")
    found = compare_traces(paths[0], paths[1])
    assert found.head == ["env"] and "other output" in found.first[0].event
    assert (found.first[0].stdout, found.first[1].stdout) == (b"one\n", b"two\n")
    found = compare_traces(paths[0], paths[2])
    assert found.first[0].line is None and "rm f" in found.first[1].event
    assert found.files["removed"] == ["/workspace/f"]


def test_what_is_shown_is_fit_to_be_shown(pinfold, tmp_path):
    for name in "ab":
        with Sandbox(record=tmp_path / name) as sandbox:
            sandbox.run(f"printf '\\33[31m{name}'; touch $'\\33[2J{name}'")
    done = pinfold("diff", tmp_path / "a", tmp_path / "b")
    assert done.returncode == 1 and "\33" not in done.stdout


# ------------------------------------------------------------------ going to any line


def test_a_line_of_one_long_run_is_near(tmp_path):
    """Copies are kept within an act: no line costs what the run did before it."""
    path = tmp_path / "run.jsonl"
    with Sandbox(record=path) as sandbox:
        sandbox.run("for ((i = 0; i < 800; i++)); do echo $i | sed s/1/2/ >> out; done")
    with replay(path) as run:
        lines = path.read_text().count("\n")
        acts = [event["n"] for event in lines_of(path) if "do" in event]
        for line in range(1, lines, lines // 23):
            with run.at(line) as there, replay(path, until=line) as slow:
                assert there.line == slow.line
                assert there.files.get("out") == slow.files.get("out")
                with there.branch() as branch:
                    branch.finish() if branch._machine.running() else None
        inside = [kept.line for kept in run._history._kept if kept.line not in acts]
        assert len(inside) > 3


# ------------------------------------------------------------------ bounds of a comparison


def test_a_comparison_has_bounds(good, pinfold, tmp_path):
    other = record(tmp_path / "other.jsonl")
    with pytest.raises(BoundError, match="trace a has more than max_bytes, 100"):
        compare_traces(good, other, max_bytes=100)
    with pytest.raises(BoundError, match="trace b has more than max_bytes"):
        compare_traces(b"", "/dev/zero", max_bytes=1 << 20)
    with pytest.raises(BoundError, match="not done after max_seconds"):
        compare_traces(good, other, max_seconds=1e-6)
    done = pinfold("diff", "--max-bytes", "1K", good, other)
    assert done.returncode == 125 and "max_bytes, 1024" in done.stderr
    assert pinfold("diff", "--max-bytes=none", "--max-seconds=none", good, other).returncode == 0


def test_words_about_a_difference_are_few_and_come_soon(pinfold, tmp_path):
    """Scripts chose the lines: matching them all with each other would take hours."""
    for name, most in (("a", 3), ("b", 2)):
        with Sandbox(record=tmp_path / name) as sandbox:
            sandbox.run(
                f"echo {name}; awk 'BEGIN {{ for (; i < 60000; i++) print i * i % {most} }}'"
            )
    done = pinfold("diff", "--no-files", tmp_path / "a", tmp_path / "b", timeout=60)
    assert done.returncode == 1
    assert "lines more" in done.stdout and len(done.stdout) < 5000


def with_sums(lines):
    """The lines of a trace, as anybody can write them who knows how its sums are made."""
    out, state = [], bytes(16)
    for line in lines:
        body = line[: line.rindex(b',"sum"')]
        state = hashlib.blake2b(state + body, digest_size=16).digest()
        out.append(body + b',"sum":"' + state.hex()[:8].encode() + b'"}\n')
    return b"".join(out)


@pytest.mark.parametrize("was, now", [
    (b'"decision":', b'"decided":'), (b'"id":1,', b'"id":[],'), (b'"exit_code":0', b'"code":0'),
    (b'"method":"ship"', b'"method":{"a":1}'), (b'"language":"shell"', b'"tongue":7'),
])  # fmt: skip
def test_a_trace_that_nobody_recorded_is_said_to_be_so(good, pinfold, was, now):
    lines = good.read_bytes().splitlines(keepends=True)
    assert with_sums(lines) == good.read_bytes()
    forged = good.with_name("forged.jsonl")
    forged.write_bytes(with_sums([line.replace(was, now) for line in lines]))
    assert forged.read_bytes() != good.read_bytes()
    for pair in ((good, forged), (forged, good)):
        done = pinfold("diff", *pair)
        assert "Traceback" not in done.stderr and done.returncode in (1, 125), done.stderr
