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
    job = sandbox.jobs.start(
        "pwd; echo $A-$b; read x; echo got $x; sleep 0.2; echo late >&2; exit 3"
    )
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
        assert (
            sandbox.run("cd /tmp/jobs/1; echo a >input; ./wait 0.1; echo $?; ./read; ./read").stdout
            == "124\ngot a\n"
        )
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
        assert asyncio.run(tool.arun("echo hi", "shell")).startswith(
            "hi\n[job 1 running: sleep 1000]\n"
        )
        tool.run("/tmp/jobs/1/stop", "shell")
        assert job.exit_code == 143 and tool.run("echo hi", "shell") == "hi"


# ------------------------------------------------------------------ a folder that a script has made

#: What a script may leave in place of a job's file.
ODD = {
    "nothing": ":",
    "a directory": "mkdir {0}",
    "a FIFO": "mkfifo {0}",
    "a link in a circle": "ln -s {0} {0}",
    "an endless device": "ln -s /dev/zero {0}",
    "a hole": "truncate -s 400G {0}",
    "many digits": "printf %09000d 7 > {0}",
    "digits of others": "printf '٣²' > {0}",
    "less than nothing": "echo -1 > {0}",
    "too much": "echo 999999999999999999999 > {0}",
    "what acts on a terminal": r"printf '\033]0;x\a\u202e' > {0}",
    "no UTF-8": r"printf '\377\0\377' > {0}",
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_what_a_script_says_of_its_job_is_only_that(sandbox, odd):
    tool = create_sandbox_tool([])
    for like in (sandbox, tool.sandbox):
        job = like.jobs.start("sleep 1000")
        for name in ("status", "pid", "code", "seen", "output", "ended", "input", "unread", "wait"):
            like.run(f"cd /tmp/jobs/1; cp -r . /tmp/kept; rm -rf {name}; {odd.format(name)}")
            for look in (
                lambda: job.exit_code, lambda: job.running, lambda: repr(job), job.read,
                lambda: job.output, lambda: job.code, lambda: like.jobs.running, lambda: len(like.jobs),
                lambda: job.wait(0.01), lambda: job.write("x"), job.close_input,
            ):  # fmt: skip
                try:
                    look()
                except PinfoldError as error:  # it may be too much, and is said to be so
                    assert "\033" not in str(error)
            assert "\033" not in repr(job) + repr(like.jobs.running)
            like.run("rm -rf /tmp/jobs/1; mv /tmp/kept /tmp/jobs/1")
        said = tool.run("echo hello", "shell")
        assert said.startswith("hello") and "\033" not in said
        assert like.run("echo fine").stdout == "fine\n"
    tool.sandbox.close()


@pytest.mark.parametrize(
    "made",
    ["mkdir -p {0}; cd {0}; seq 3000 | xargs mkdir", "mkdir -p {0}/999999999", "ln -s /dev/zero {0}",
     ": > {0}", "mkfifo {0}", "mkdir -p {0}/1２ {0}/٣ {0}/01 {0}/-1", "ln -s {0} {0}", "mkdir {0}; : > {0}/1"],
)  # fmt: skip
def test_a_list_of_jobs_that_a_script_has_made_up(sandbox, made):
    sandbox.run(made.format("/tmp/jobs"))
    assert len(sandbox.jobs) <= 1000 and sandbox.jobs.running == []
    assert all(str(job.id).isascii() and job.exit_code == 137 for job in [*sandbox.jobs][:5])
    try:
        job = sandbox.jobs.start("sleep 1000")
    except PinfoldError as error:
        assert "its file" in str(error)
        return
    assert job.id in sandbox.jobs and [one.id for one in sandbox.jobs.running] == [job.id]
    assert job.stop() == 143


def test_a_job_cannot_say_itself_that_it_has_ended(sandbox):
    job = sandbox.jobs.start("trap '' TERM; echo 0 > /tmp/jobs/1/status; while :; do sleep 1; done")
    job.wait(0.1)
    job.stop()
    assert "sleep" not in sandbox.run("ps").stdout


def test_programs_of_the_folder_are_for_scripts_alone(sandbox):
    job = sandbox.jobs.start("sleep 1000")
    sandbox.run("cd /tmp/jobs/1; for p in read wait stop; do echo 'touch /tmp/ran' > $p; done")
    assert job.wait(0.05) is None and job.read() == "" and job.stop() == 143
    assert "/tmp/ran" not in sandbox.files


def test_what_is_said_of_jobs_is_fit_to_be_shown(sandbox):
    tool = create_sandbox_tool([])
    said = tool.run(
        "builtin() { printf '[1]+  Running   \\033[31mred\\n'; }; sleep 1000 &", "shell"
    )
    assert "\033" not in said
