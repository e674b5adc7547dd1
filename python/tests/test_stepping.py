"""start, step, resume: the host holds the loop."""

import pytest

from pinfold import (
    Limits,
    MethodCapability,
    Param,
    Sandbox,
    SandboxBusy,
    SandboxStateError,
    Tool,
)

EVERYTHING = [MethodCapability("**")]
THREE = "console.log(JSON.stringify(await Promise.all([1, 2, 3].map(n => tools.square({n})))))"


@pytest.fixture
def sandbox():
    with Sandbox(tool_handler=lambda method, params: None, capabilities=EVERYTHING) as made:
        yield made


def test_the_loop_of_the_documentation(sandbox):
    code = "console.log(await tools.square({n: 3}), await tools.square({n: 4}))"

    def execute(call):
        assert call.method == "square"
        return call.params["n"] ** 2

    sandbox.start(code, language="javascript")
    while sandbox.has_work():
        call = sandbox.step()  # a tool call, allowed by the capabilities
        sandbox.resume(execute(call))  # or call.resume(value), call.fail("message")
    result = sandbox.result

    assert result.stdout == "9 16\n"


def test_a_call_describes_itself(sandbox):
    sandbox.start('tool stripe.charges.create --json \'{"amount": 500, "to": "x"}\'')
    call = sandbox.step()
    assert call.method == "stripe/charges/create"
    assert call.name == "stripe.charges.create"
    assert call.params == {"amount": 500, "to": "x"}
    assert type(call.params["amount"]) is int
    assert call.capability is sandbox.capabilities[0]
    assert isinstance(call.id, int)
    assert "stripe/charges/create" in repr(call)
    call.resume({"ok": True})
    assert sandbox.result.stdout == '{"ok":true}\n'


def test_stepping_never_asks_the_handler():
    asked = []
    with Sandbox(
        tool_handler=lambda method, params: asked.append(method), capabilities=EVERYTHING
    ) as sandbox:
        sandbox.start("tool f")
        assert sandbox.has_work() and sandbox.result is None
        sandbox.step().resume(1)
        assert sandbox.result.stdout == "1\n" and asked == []


def test_parallel_calls_are_pending_together_and_answered_in_any_order(sandbox):
    sandbox.start(THREE, language="javascript")
    calls = sandbox.pending
    assert [call.params["n"] for call in calls] == [1, 2, 3]
    assert "waiting for 3" in repr(sandbox)
    for call in reversed(calls):
        call.resume(call.params["n"] ** 2)
    assert sandbox.result.stdout == "[1,4,9]\n"


def test_has_work_only_looks(sandbox):
    sandbox.start(THREE, language="javascript")
    assert sandbox.has_work() and sandbox.has_work()
    first, second, third = sandbox.step(), sandbox.step(), sandbox.step()
    assert not sandbox.has_work() and sandbox.step() is None
    assert first.id < second.id < third.id
    assert [call.id for call in sandbox.pending] == [first.id, second.id, third.id]


def test_resume_answers_the_call_last_handed_out(sandbox):
    sandbox.start(THREE, language="javascript")
    first, second = sandbox.step(), sandbox.step()
    sandbox.resume("second")
    assert second.id not in [call.id for call in sandbox.pending]
    assert first.id in [call.id for call in sandbox.pending]


def test_a_failed_call(sandbox):
    code = """
        try { await tools.f({}) } catch (error) {
            console.log(error.name, error.code, error.message)
        }
    """
    sandbox.start(code, language="javascript")
    sandbox.step().fail("not today", code="timeout")
    assert sandbox.result.stdout == "ToolError timeout not today\n"


def test_an_answer_comes_once(sandbox):
    sandbox.start("tool f; tool g")
    call = sandbox.step()
    call.resume(1)
    with pytest.raises(SandboxStateError):
        call.resume(2)
    with pytest.raises(SandboxStateError):
        call.fail("late")
    sandbox.step().resume(2)
    assert sandbox.result.stdout == "1\n2\n"


def test_an_answer_that_is_not_json_leaves_the_call_open(sandbox):
    sandbox.start("tool f")
    call = sandbox.step()
    for value in (object(), float("nan"), b"x", "\ud800", (n for n in "x")):
        with pytest.raises(ValueError, match="JSON"):
            call.resume(value)
    call.resume("fine")
    assert sandbox.result.stdout == '"fine"\n'


def test_nothing_to_answer(sandbox):
    with pytest.raises(SandboxStateError, match="step"):
        sandbox.resume(1)
    with pytest.raises(SandboxStateError):
        sandbox.finish()
    assert sandbox.result is None and sandbox.step() is None and sandbox.pending == []


def test_one_run_at_a_time(sandbox):
    sandbox.start("tool f")
    with pytest.raises(SandboxStateError):
        sandbox.start("echo")
    with pytest.raises(SandboxStateError):
        sandbox.run("echo")
    sandbox.step().resume(1)
    assert sandbox.result.stdout == "1\n"


def test_finish_hands_the_rest_to_the_handlers():
    with Sandbox(tool_handler=lambda method, params: method, capabilities=EVERYTHING) as sandbox:
        sandbox.start("tool f; tool g; tool h")
        sandbox.step().resume("by hand")
        sandbox.step()
        assert sandbox.finish().stdout == '"by hand"\n"g"\n"h"\n'


def test_denied_calls_are_never_handed_out():
    capability = MethodCapability("f", [Param("n") <= 3])
    with Sandbox(tool_handler=lambda *call: None, capabilities=[capability]) as sandbox:
        sandbox.start(
            "tool f --json '{\"n\": 4}'; echo $?; tool g; echo $?; tool f --json '{\"n\": 3}'"
        )
        call = sandbox.step()
        assert call.params == {"n": 3}
        call.resume()
        assert sandbox.result.stdout == "126\n126\nnull\n"


def test_calls_over_the_limit_of_a_run():
    with Sandbox(
        tool_handler=lambda *call: 0, capabilities=EVERYTHING, limits=Limits(tool_calls=2)
    ) as sandbox:
        result = sandbox.run("for i in 1 2 3; do tool f; echo $?; done")
        assert result.stdout == "0\n0\n0\n0\n126\n"
        assert result.usage.tool_calls == 2


def test_a_handler_may_use_files_but_not_run():
    def handler(method, params):
        if method == "files":
            return sandbox.files["note"].decode()
        with pytest.raises(SandboxBusy):
            sandbox.run("echo nested")
        return "refused"

    with Sandbox(tool_handler=handler, capabilities=EVERYTHING, files={"note": "seen"}) as sandbox:
        assert sandbox.run("tool files; tool run").stdout == '"seen"\n"refused"\n'


def test_a_handler_may_run_another_sandbox(sandbox):
    with Sandbox(
        tool_handler=lambda method, params: sandbox.run("echo inner").stdout,
        capabilities=EVERYTHING,
    ) as outer:
        assert outer.run("tool f").stdout == '"inner\\n"\n'


def test_a_background_job_answered_after_its_run_goes_on_in_the_next():
    granted = [MethodCapability("ask")]
    limits = Limits(cpu_seconds=0.3)
    with Sandbox(tools=[Tool("ask")], capabilities=granted, limits=limits) as sandbox:
        sandbox.start("(tool ask; while :; do :; done) & echo started")
        assert sandbox.result.stdout == "started\n"
        sandbox.pending[0].resume(1)  # runs nothing: no run is on, so no limit would hold
        result = sandbox.run("echo next")
        assert "next\n" in result.stdout and result.limit == "cpu_seconds"
