"""A time for the whole run, handlers included, and exceptions that pass through one."""

import asyncio
import threading

import pytest

from pinfold import MethodCapability, Sandbox, SandboxTool, Tool, create_sandbox_tool

FOREVER = {
    "busy": ("while :; do :; done", "shell"),
    "asleep": ("sleep 1000", "shell"),
    "deaf": ("trap '' INT TERM; while :; do :; done", "shell"),
    "handler": ("await slow({})", "javascript"),
    "handlers": ("while :; do quick; done", "shell"),
    "caught": ("for (;;) { try { await slow({}) } catch {} }", "javascript"),
}


def make(**settings):
    ends = threading.Event()

    def slow() -> str:
        ends.wait(30)

    def quick() -> str:
        return "done"

    tools = [Tool.from_function(slow), Tool.from_function(quick)]
    granted = [MethodCapability("*")]
    return Sandbox(tools=tools, capabilities=granted, **settings), ends


@pytest.mark.parametrize("isolation", [None, "process"])
@pytest.mark.parametrize("how", ["run", "arun"])
@pytest.mark.parametrize("name", FOREVER)
def test_a_run_has_an_end(name, how, isolation):
    sandbox, ends = make(isolation=isolation)
    with sandbox:
        code, language = FOREVER[name]
        if how == "run":
            result = sandbox.run(code, language, timeout=0.5)
        else:
            result = asyncio.run(sandbox.arun(code, language, timeout=0.5))
        assert (result.limit, result.exit_code) == ("timeout", 137)
        ends.set()
        assert sandbox.run("echo on; quick").stdout == 'on\n"done"\n'
        assert sandbox.result.limit is None


def test_in_time():
    sandbox, ends = make()
    result = sandbox.run("quick; exit 3", timeout=60)
    assert (result.stdout, result.exit_code, result.limit) == ('"done"\n', 3, None)
    for bad in (0, -1, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="timeout"):
            sandbox.run("true", timeout=bad)
    for bad in ("1", True):
        with pytest.raises(TypeError, match="timeout"):
            sandbox.run("true", timeout=bad)


class Pause(Exception):
    pass


def paused(**settings):
    answers = []

    def ask(what: str) -> str:
        """Asks a person."""
        if not answers:
            raise Pause(what)
        return answers[0]

    sandbox = Sandbox(tools=[ask], capabilities=[MethodCapability("ask", max_calls=1)], passthrough=[Pause], **settings)
    return sandbox, answers


@pytest.mark.parametrize("isolation", [None, "process"])
@pytest.mark.parametrize("how", ["run", "arun"])
def test_an_exception_passes_through(how, isolation):
    sandbox, answers = paused(isolation=isolation)

    def run(code):
        return sandbox.run(code) if how == "run" else asyncio.run(sandbox.arun(code))

    with sandbox:
        with pytest.raises(Pause, match="sure"):
            run("x=1; ask --what sure; echo $?")
        assert [call.params for call in sandbox.pending] == [{"what": "sure"}]
        answers.append("yes")
        result = sandbox.finish() if how == "run" else asyncio.run(sandbox.afinish())
        assert result.stdout == '"yes"\n0\n'


def test_what_passed_through_goes_on_elsewhere():
    sandbox, answers = paused()
    with sandbox, pytest.raises(Pause):
        sandbox.run("ask --what sure; echo $?")
    sandbox, answers = paused()
    with pytest.raises(Pause):
        sandbox.run("ask --what sure; echo $?")
    data = sandbox.snapshot()
    sandbox.close()
    other, answers = paused()
    answers.append("later")
    with Sandbox.restore(data, tools=other.tools, capabilities=other.capabilities) as restored:
        assert restored.finish().stdout == '"later"\n0\n'


def test_the_next_run_gives_it_up():
    sandbox, answers = paused()
    with pytest.raises(Pause):
        sandbox.run("ask --what sure; echo never > /workspace/x")
    assert sandbox.run("echo on").stdout == "on\n" and "x" not in sandbox.files
    assert asyncio.run(sandbox.arun("echo on")).stdout == "on\n"


def test_everything_else_fails_the_call():
    with create_sandbox_tool([Tool("t", handler=lambda: 1 / 0)], passthrough=[Pause]) as tool:
        assert "ZeroDivisionError" in tool.run("t", "shell")
    for bad in ([1], "Pause", [BaseException], [Pause()]):
        with pytest.raises(TypeError, match="passthrough"):
            Sandbox(passthrough=bad)


def test_a_mistake_that_is_no_mistake():
    class Retry(ValueError):
        pass

    def handler():
        raise Retry("again")

    tool = SandboxTool(Sandbox(tools=[Tool("t", handler=handler)], capabilities=[MethodCapability("t")], passthrough=Retry))
    with pytest.raises(Retry):
        tool.run("t", "shell")
    with pytest.raises(Retry):
        asyncio.run(tool.arun("t", "shell"))
    with pytest.raises(Retry):
        tool.handle_anthropic({"id": "t", "name": "bash", "input": {"command": "t"}})
