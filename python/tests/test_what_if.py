"""A recording with other answers."""

import subprocess
import sys

import pytest

from pinfold import Limits, MethodCapability, Sandbox, Tool, ToolError, replay

ANYTHING = [MethodCapability("**")]
SHELL = """for o in a bb ccc; do tool status --order $o | jq -r .state; done | sort | uniq -c"""
JAVASCRIPT = """
const all = await Promise.all(["x", "yy"].map(order => status({order})));
if (all.some(x => x.state === "late")) await notify({text: "late"});
return all.map(x => x.state);
"""
PYTHON = "from tools import status\nprint(status(order='zz')['state'])"


def status(order: str) -> dict:
    return {"state": "ok"}


def notify(text: str) -> bool:
    return True


@pytest.fixture
def recorded(tmp_path):
    path = tmp_path / "run.jsonl"
    with Sandbox(tools=[status, notify], capabilities=ANYTHING, record=path) as sandbox:
        sandbox.run(SHELL)
        sandbox.run(JAVASCRIPT, "javascript")
        sandbox.files["/workspace/note"] = b"written between two runs"
        sandbox.run(PYTHON, "python")
    with replay(path) as run:
        yield run


def outputs(found):
    with found.sandbox:
        return [(result.stdout, result.exit_code) for result in found.results]


def test_the_recorded_answers_give_the_recorded_run(recorded):
    found = recorded.what_if({1: {"state": "ok"}})
    assert found.stopped is None
    assert [call.source for call in found.calls] == ["given"] + ["recorded"] * 5
    assert found.sandbox.files["/workspace/note"] == b"written between two runs"
    assert outputs(found) == [(r.stdout, r.exit_code) for r in recorded.results]


@pytest.mark.parametrize(
    "call, expected",
    [
        (2, "      1 late\n      2 ok\n"),
        (3, "      1 late\n      2 ok\n"),
        (6, "late\n"),
    ],
)
def test_another_answer_takes_another_course(recorded, call, expected):
    found = recorded.what_if({call: {"state": "late"}})
    assert found.calls[0].source == "given" and found.stopped is None
    assert outputs(found)[0][0] == expected


def test_a_failure_is_an_answer(recorded):
    found = recorded.what_if({1: ToolError("no such order"), 6: ToolError("gone", "timeout")})
    assert found.results[0].stderr == "status: no such order\n"
    assert "gone" in found.results[2].stderr and found.results[2].exit_code == 1
    found.sandbox.close()


def test_a_call_that_nobody_recorded_stops_it(recorded):
    found = recorded.what_if({4: {"state": "late"}})
    assert found.stopped == (
        'the recording has no answer to notify({"text":"late"}): give it, or tools that do'
    )
    assert [call.method for call in found.calls] == ["status", "status"]
    with found.sandbox as sandbox:  # which goes on, if somebody answers
        assert [call.method for call in sandbox.pending] == ["notify"]
        assert sandbox.step().resume(True) is None
        assert sandbox.result.value == ["late", "ok"]


def test_tools_answer_what_the_recording_does_not(recorded):
    told = []

    def notify(text: str) -> bool:
        told.append(text)
        return True

    found = recorded.what_if({4: {"state": "late"}}, tools=[status, notify], capabilities=ANYTHING)
    assert found.stopped is None and told == ["late"]
    assert [call.source for call in found.calls] == ["given", "recorded", "live", "recorded"]
    assert found.results[0].value == ["late", "ok"]
    found.sandbox.close()


def test_approval_and_capabilities_hold_live(recorded):
    asked = []

    def approve(call):
        asked.append(call.method)
        return False

    capabilities = [MethodCapability("status"), MethodCapability("notify", ask=True)]
    with pytest.raises(Exception, match="were spent"):  # the recording's calls were of another one
        recorded.what_if(
            {4: {}}, tools=[status, notify], capabilities=capabilities, approve=approve
        )
    capabilities = [MethodCapability("**", ask=True)]
    found = recorded.what_if(
        {4: {"state": "late"}}, tools=[status, notify], capabilities=capabilities, approve=approve
    )
    assert asked == ["notify"]
    assert "not approved" in found.results[0].stderr
    found.sandbox.close()


def test_handlers_of_every_kind_answer_live(recorded):
    async def notify(text: str) -> bool:
        return True

    found = recorded.what_if({4: {"state": "late"}}, tools=[status, notify], capabilities=ANYTHING)
    assert found.calls[2].answer is True
    found.sandbox.close()

    def notify(text: str) -> bool:  # noqa: F811
        raise KeyError("no such thing")

    found = recorded.what_if({4: {"state": "late"}}, tools=[status, notify], capabilities=ANYTHING)
    assert isinstance(found.calls[2].answer, KeyError)
    assert "no such thing" in found.results[0].stderr
    found.sandbox.close()


def test_calls_that_were_never_answered(recorded):
    with pytest.raises(
        ValueError, match="call 77 was not answered in the recording; answered were 1, 2"
    ):
        recorded.what_if({77: 1})
    with pytest.raises(ValueError, match="no call is given another answer; answered were 1, 2"):
        recorded.what_if({})


def test_a_result_that_is_no_json_is_said(recorded):
    with pytest.raises(ValueError, match="not JSON"):
        recorded.what_if({1: {object()}})


def test_what_runs_had_of_their_own_they_have_again(tmp_path):
    """Directory, variables and limits of one run, files that were uploaded, the sandbox's settings."""
    path = tmp_path / "run.jsonl"
    given = tmp_path / "given"
    given.write_text("uploaded")
    with Sandbox(
        tools=[status],
        capabilities=ANYTHING,
        record=path,
        env={"OWN": "own"},
        js_prelude="globalThis.before = 'prelude'",
    ) as sandbox:
        sandbox.run("tool status --order a")
        sandbox.run(
            "pwd; echo $A; seq 9", cwd="/tmp", env={"A": "b"}, limits=Limits(output_bytes=8)
        )
        sandbox.files.upload(given, "/workspace/given")
        sandbox.run("console.log(process.env.OWN, before)", "javascript")
        sandbox.run("cat given; pwd; echo ${A-none}")
    with replay(path) as run:
        found = run.what_if({1: {"state": "late"}})
        assert found.stopped is None and found.runs_before == 0
        assert outputs(found) == [
            ('{"state":"late"}\n', 0),
            ("/tmp\nb\n1", 0),
            ("own prelude\n", 0),
            ("uploaded/workspace\nnone\n", 0),
        ]


def test_a_directory_that_is_not_there_then_ends_it(tmp_path):
    path = tmp_path / "run.jsonl"
    with Sandbox(tools=[status], capabilities=ANYTHING, record=path) as sandbox:
        sandbox.run("mkdir $(tool status --order a | jq -r .state)")
        sandbox.run("pwd", cwd="/workspace/ok")
    with replay(path) as run:
        found = run.what_if({1: {"state": "late"}})
        assert "cannot start" in found.stopped and "/workspace/ok" in found.stopped
        found.sandbox.close()


def test_other_settings_do_not_silence_the_recorded_answers(recorded):
    """What says nothing about who answers leaves that to the recording."""
    found = recorded.what_if({1: {"state": "late"}}, limits=Limits(cpu_seconds=5))
    assert found.stopped is None and {call.source for call in found.calls} == {"given", "recorded"}
    found.sandbox.close()


def test_without_a_handler_the_recording_is_asked_alone(recorded):
    """Live tools answer for themselves only."""
    nobody = Tool("notify", "", None)
    found = recorded.what_if({4: {"state": "late"}}, tools=[status, nobody], capabilities=ANYTHING)
    assert found.stopped is not None and "no answer to notify" in found.stopped
    found.sandbox.close()


def test_redacted_results_are_supplied(tmp_path):
    path = tmp_path / "run.jsonl"
    with Sandbox(tools=[status], capabilities=ANYTHING, record=path, redact=True) as sandbox:
        sandbox.run("tool status --order a; tool status --order b")
    with replay(path, results={1: {"state": "ok"}, 2: {"state": "ok"}}) as run:
        found = run.what_if({1: {"state": "late"}})
        assert outputs(found) == [('{"state":"late"}\n{"state":"ok"}\n', 0)]


def test_a_recording_with_mounts(tmp_path):
    """It has what was read of them, and no more."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "a").write_text("a\n")
    (site / "b").write_text("b\n")
    script = (
        'cat /site/a; if [ "$(status --raw)" = late ]; then cat /site/b > /site/a; fi; cat /site/a'
    )
    trace = tmp_path / "run.jsonl"

    def status() -> str:
        return "fine"

    with Sandbox(
        tools=[status], capabilities=ANYTHING, record=trace, mounts={"/site": (site, "copy")}
    ) as sandbox:
        assert sandbox.run(script).stdout == "a\na\n"
    (site / "a").write_text("read already\n")
    with replay(trace) as run:
        assert run.results[0].stdout == "a\na\n"
        with pytest.raises(ValueError, match="mounted at /site: name that directory again"):
            run.what_if({1: "late"})
        for mounts, out in (({"/site": (site, "copy")}, "a\nb\n"), ({"/site": None}, "a\n")):
            with run.what_if({1: "late"}, mounts=mounts).sandbox as other:
                assert other.result.stdout.startswith(out)
    command = [
        sys.executable,
        "-m",
        "pinfold",
        "what-if",
        trace,
        "-a",
        '1="late"',
        "--get",
        "/site/a",
    ]
    for mount, status_code in (([], 125), (["--mount", f"{site}:/site:copy"], 0)):
        done = subprocess.run([*command, *mount], capture_output=True, text=True)
        assert done.returncode == status_code, done.stderr
    assert done.stdout == "b\n"
