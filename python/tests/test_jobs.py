"""Jobs: what goes on behind the run that started it, as handles."""

import asyncio

import pytest

import pinfold
from pinfold import Limits, MethodCapability, PinfoldError, Sandbox, create_sandbox_tool

COUNT = "for i in 1 2 3 4 5; do echo $i; sleep 0.2; done; exit 7"
FIXED = {"clock": 1_700_000_000.0, "seed": 1}


@pytest.fixture(params=[None, "process"])
def sandbox(request):
    with Sandbox(isolation=request.param) as made:
        yield made


def test_a_handle(sandbox):
    sandbox.run("cd /tmp; export A=7; b=8")
    job = sandbox.jobs.start("pwd; echo $A-$b; read x; echo got $x; sleep 0.2; echo late >&2; exit 3")
    assert (job.id, job.running, job.exit_code, job.read()) == (1, True, None, "/tmp\n7-\n")
    job.write("hello\n")
    assert job.wait(5) == 3
    assert job.read() == "got hello\nlate\n" and job.read() == ""
    assert job.output == "/tmp\n7-\ngot hello\nlate\n"
    assert not job.running and job.code.startswith("pwd")
    with pytest.raises(PinfoldError, match="job 1 has ended, with status 3"):
        job.write("more")


def test_the_session_is_as_it_was(sandbox):
    sandbox.run("sleep 1000 & first=$!")
    sandbox.jobs.start("sleep 1000")
    assert sandbox.run("[ $! = $first ] && jobs -p | wc -l").stdout.strip() == "1"


def test_a_list_of_them(sandbox):
    assert len(sandbox.jobs) == 0
    jobs = [sandbox.jobs.start(f"sleep {seconds}") for seconds in (1000, 0.1)]
    jobs[1].wait()
    assert [job.id for job in sandbox.jobs] == [1, 2]
    assert [job.id for job in sandbox.jobs.running] == [1]
    assert 2 in sandbox.jobs and 3 not in sandbox.jobs and sandbox.jobs[2].exit_code == 0
    assert repr(sandbox.jobs[1]) == "<Job 1 running: sleep 1000>"
    with pytest.raises(KeyError, match="no job 9"):
        sandbox.jobs[9]


def test_stopping(sandbox):
    polite = sandbox.jobs.start("trap 'echo bye; exit 5' TERM; sleep 1000 & wait")
    stubborn = sandbox.jobs.start("trap '' TERM; while :; do sleep 1000; done")
    assert (polite.wait(0.1), polite.stop(), polite.read()) == (None, 5, "bye\n")
    assert stubborn.stop() == 137 and stubborn.stop() == 137
    assert "sleep" not in sandbox.run("ps").stdout


def test_the_end_of_input(sandbox):
    job = sandbox.jobs.start("cat; echo end")
    job.write("abc")
    job.close_input()
    assert job.wait(5) == 0 and job.output == "abcend\n"


def test_more_than_a_pipe_holds_waits_and_then_is_refused(sandbox):
    job = sandbox.jobs.start("sleep 1; wc -c")
    job.write("x" * 200_000)
    with pytest.raises(PinfoldError, match="has not read what it was sent"):
        job.write("y")
    job.wait(1.5)
    job.close_input()
    assert job.wait(5) == 0 and job.output.strip() == "200000"


@pytest.mark.parametrize("language, code", [
    ("javascript", "console.log(1); await new Promise(done => setTimeout(done, 50)); console.log(2)"),
    ("typescript", "const n: number = 1; console.log(n); console.log(2)"),
    ("python", "import time\nprint(1)\ntime.sleep(0.05)\nprint(2)"),
])  # fmt: skip
def test_other_languages(language, code):
    with Sandbox() as sandbox:
        job = sandbox.jobs.start(code, language)
        assert job.wait(10) == 0, job.output
        assert job.output == "1\n2\n"
        with pytest.raises(ValueError, match="no language 'cobol'"):
            sandbox.jobs.start("x", "cobol")


def test_snapshots_and_branches_carry_them():
    with Sandbox() as first:
        first.jobs.start(COUNT).wait(0.5)
        seen = first.jobs[1].read()
        data = first.snapshot()
        with first.fork() as branch:
            assert branch.jobs[1].wait() == 7 and branch.jobs[1].output == "1\n2\n3\n4\n5\n"
        assert first.jobs[1].running
    with Sandbox.restore(data) as second:
        assert second.jobs[1].wait() == 7
        assert seen + second.jobs[1].read() == "1\n2\n3\n4\n5\n"


def test_a_recording_replays_them(tmp_path):
    trace = tmp_path / "trace"
    with Sandbox(record=trace, **FIXED) as sandbox:
        job = sandbox.jobs.start(COUNT)
        assert job.wait() == 7
        ended = sandbox.run("cat /tmp/jobs/1/output").stdout
    with pinfold.replay(trace) as replayed:
        assert replayed.files.text("/tmp/jobs/1/output") == ended


def test_tool_calls_of_a_job_are_answered_while_something_waits():
    def fetch(n: int) -> int:
        return n * 2

    with Sandbox(tools=[fetch], capabilities=[MethodCapability("fetch", max_calls=2)]) as sandbox:
        job = sandbox.jobs.start("for n in 1 2 3; do sleep 0.1; tool fetch --n $n; done")
        job.wait()
        assert job.output.startswith("2\n4\n") and "over its limit" in job.output


BUSY = {
    "shell": "while :; do let n++; [ $((n % 1000)) = 0 ] && echo $n; done",
    "javascript": "for (let n = 1;; n++) if (n % 100000 === 0) console.log(n)",
    "python": "n = 0\nwhile True:\n    n += 1\n    if n % 100000 == 0: print(n)",
}


@pytest.mark.parametrize("language", BUSY)
def test_a_job_that_computes_holds_no_run(sandbox, language):
    limits = Limits(cpu_seconds=2)
    assert sandbox.run("true", limits=limits).limit is None
    job = sandbox.jobs.start(BUSY[language], language)
    for text in ("one", "two"):
        result = sandbox.run(f"echo {text}", limits=limits)
        assert (result.stdout, result.limit) == (f"{text}\n", None)
    assert job.wait(0.3) is None and job.read() and job.running
    assert job.stop() in (143, 137) and not job.running


def test_a_job_that_computes_holds_no_tool_call():
    def fetch(n: int) -> int:
        return n * 2

    async def main():
        async with Sandbox(tools=[fetch], capabilities=[MethodCapability("fetch")]) as sandbox:
            await sandbox.jobs.astart(BUSY["shell"])
            script = "for n in 1 2 3; do tool fetch --n $n; done"
            assert sandbox.run(script).stdout == "2\n4\n6\n"
            assert (await sandbox.arun(script)).stdout == "2\n4\n6\n"
            sandbox.start("tool fetch --n 4")
            assert sandbox.step().params == {"n": 4}
            sandbox.resume(8)
            assert sandbox.result.stdout == "8\n"

    asyncio.run(main())


def test_a_busy_job_lies_in_snapshots_and_recordings(tmp_path):
    with Sandbox(record=tmp_path / "t.trace") as sandbox:
        job = sandbox.jobs.start(BUSY["shell"])
        job.wait(0.1)
        with Sandbox.restore(sandbox.snapshot()) as copy, sandbox.fork() as branch:
            for other in (copy, branch):
                assert other.jobs[1].wait(0.2) is None
                assert len(other.jobs[1].output) > len(job.output)
                assert other.jobs[1].stop() == 143
        job.wait(0.1)
        printed = job.output
    with pinfold.replay(tmp_path / "t.trace") as replayed:
        assert replayed.files.text("/tmp/jobs/1/output") == printed


def test_a_limit_of_the_run_that_waits_ends_it():
    with Sandbox(limits=Limits(cpu_seconds=0.5)) as sandbox:
        job = sandbox.jobs.start("while :; do :; done")
        result = sandbox.run(f"{job.folder}/wait 10")
        assert result.limit == "cpu_seconds" and job.exit_code in (None, 137)
        assert sandbox.run("echo fine").stdout == "fine\n"


def test_the_programs_in_its_folder_are_the_handle_for_scripts():
    with Sandbox() as sandbox:
        sandbox.jobs.start("read x; echo got $x; sleep 1000")
        assert sandbox.run("cd /tmp/jobs/1; echo a >input; ./wait 0.1; echo $?; ./read; ./read").stdout == "124\ngot a\n"
        assert sandbox.run("/tmp/jobs/1/stop; cat /tmp/jobs/1/status").stdout == "143\n"


def test_async_twins():
    async def main():
        async with Sandbox() as sandbox:
            job = await sandbox.jobs.astart("read x; echo $x; read y; sleep 1000")
            await job.awrite("hi\n")
            assert await job.await_(0.1) is None
            assert job.read() == "hi\n"
            await job.aclose_input()
            assert await job.astop() == 143

    asyncio.run(main())


def test_a_wait_has_a_sensible_time():
    with Sandbox() as sandbox:
        job = sandbox.jobs.start("sleep 1000")
        for wrong in (-1, float("nan"), float("inf")):
            with pytest.raises(ValueError, match="timeout is seconds"):
                job.wait(wrong)


def test_a_model_is_told_what_still_runs():
    with create_sandbox_tool() as tool:
        assert tool.run("echo hi", "shell") == "hi"
        text = tool.run("sleep 1000 & false", "shell")
        assert "[exit code]: 1" in text and "[job %1 running: sleep 1000]" in text
        assert tool.run("echo $?; kill %1; wait", "shell") == "1"
        assert tool.run("echo hi", "shell") == "hi"
        job = tool.sandbox.jobs.start("sleep 1000")
        assert "[job 1 running: sleep 1000]" in tool.run("return 1", "javascript")
        assert asyncio.run(tool.arun("echo hi", "shell")).startswith("hi\n[job 1 running: sleep 1000]\n")
        tool.run("/tmp/jobs/1/stop", "shell")
        assert job.exit_code == 143 and tool.run("echo hi", "shell") == "hi"
