"""Calls that wait in a snapshot are judged by who restores it, as if they were made now."""

import json

import pytest

from pinfold import (
    AuditLog,
    Limits,
    MethodCapability,
    Param,
    Sandbox,
    SnapshotError,
    Tool,
    replay,
)

SHELL = ("pay --amount 900; echo $?", "shell", "126\n")
JAVASCRIPT = (
    "try { console.log(await pay({amount: 900})) } catch (e) { console.log(e.name, e.code) }",
    "javascript",
    "CapabilityError {code}\n",
)
PAY = {
    "type": "object",
    "properties": {"amount": {"type": "integer"}},
    "required": ["amount"],
    "additionalProperties": False,
}
AT_MOST_100 = {**PAY, "properties": {"amount": {"type": "integer", "maximum": 100}}}


@pytest.fixture(params=[None, "process"])
def isolation(request):
    return request.param


@pytest.fixture
def paid():
    return []


def tool(paid, schema=PAY):
    def pay(**arguments):
        paid.append(arguments["amount"])
        return "paid"

    return Tool("pay", handler=pay, schema=schema)


def waiting(code, language="shell", capabilities=None, isolation=None, **how):
    """A snapshot of a script that waits for its first call."""
    granted = [MethodCapability("pay")] if capabilities is None else capabilities
    with Sandbox(
        tools=[tool([])], capabilities=granted, isolation=isolation, **how
    ) as sandbox:
        sandbox.start(code, language)
        assert sandbox.pending
        return sandbox.snapshot()


REFUSALS = {
    "a constraint": (dict(capabilities=[MethodCapability("pay", [Param("amount") <= 100])]), "denied"),
    "a schema": (dict(schema=AT_MOST_100, capabilities=[MethodCapability("pay")]), "denied"),
    "another schema": (
        dict(schema={**PAY, "required": ["to"]}, capabilities=[MethodCapability("pay")]),
        "denied",
    ),
    "no calls left": (dict(capabilities=[MethodCapability("pay", max_calls=0)]), "limit"),
    "nothing granted": (dict(capabilities=[]), "denied"),
    "no such tool": (dict(schema=None, capabilities=[MethodCapability("pay")]), "denied"),
    "tool_calls": (
        dict(capabilities=[MethodCapability("pay")], limits=Limits(tool_calls=0)),
        "limit",
    ),
    "tool_argument_bytes": (
        dict(capabilities=[MethodCapability("pay")], limits=Limits(tool_argument_bytes=5)),
        "denied",
    ),
}


@pytest.mark.parametrize("script", [SHELL, JAVASCRIPT], ids=["shell", "javascript"])
@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_is_not_allowed_now_is_denied(refusal, script, isolation, paid):
    how, code = REFUSALS[refusal]
    how = dict(how)
    source, language, expected = script
    data = waiting(source, language)
    schema = how.pop("schema", PAY)
    tools = [] if schema is None else [tool(paid, schema)]
    entries = []
    with Sandbox.restore(
        data, tools=tools, audit=AuditLog(entries.append), isolation=isolation, **how
    ) as sandbox:
        assert not sandbox.has_work() and sandbox.pending == [] and sandbox.step() is None
        # The script went on with it: there is nothing that it waits for.
        assert sandbox.result.stdout == expected.format(code=code)
        assert sandbox.finish().stdout == expected.format(code=code)
        assert sandbox.run("echo on").stdout == "on\n"
    assert paid == []
    (decision,) = [e for e in entries if e["event"] == "decision"]
    assert decision["outcome"] == code and decision["id"] == 1
    assert decision["method"] in ("pay", "") and decision["message"]


def test_what_is_still_allowed_waits_on_with_its_id(isolation, paid):
    data = waiting("pay --amount 90; echo $?")
    entries = []
    with Sandbox.restore(
        data,
        tools=[tool(paid, AT_MOST_100)],
        capabilities=[MethodCapability("pay", [Param("amount") <= 100], max_calls=1)],
        audit=AuditLog(entries.append),
        isolation=isolation,
    ) as sandbox:
        (call,) = sandbox.pending
        assert (call.id, call.method, call.params, call.ask) == (1, "pay", {"amount": 90}, False)
        assert sandbox.calls_left(sandbox.capabilities[0]) == 0  # spent once, when it was made
        assert sandbox.finish().stdout == '"paid"\n0\n'
        assert "126" in sandbox.run("pay --amount 1; echo $?").stdout
    assert paid == [90]
    decisions = [(e["outcome"], e.get("id")) for e in entries if e["event"] == "decision"]
    assert decisions == [("allowed", 1), ("limit", None)]


def test_some_of_several(isolation, paid):
    script = """
        const calls = [900, 90, 901, 91].map(amount => pay({amount}));
        for (const c of await Promise.allSettled(calls)) console.log(c.status, c.reason?.code ?? c.value);
    """
    data = waiting(script, "javascript")
    with Sandbox.restore(
        data,
        tools=[tool(paid)],
        capabilities=[MethodCapability("pay", [Param("amount") <= 100])],
        isolation=isolation,
    ) as sandbox:
        assert [call.id for call in sandbox.pending] == [2, 4]
        assert sandbox.finish().stdout == (
            "rejected denied\nfulfilled paid\nrejected denied\nfulfilled paid\n"
        )
    assert paid == [90, 91]


def test_the_budget_is_spent_once_and_must_fit(isolation, paid):
    script = "pay --amount 1 & pay --amount 2 & pay --amount 3 & wait"
    data = waiting(script, capabilities=[MethodCapability("pay", max_calls=3)])
    for most, left in [(3, 0), (4, 1), (2, 0), (1, 0)]:
        paid.clear()
        capability = MethodCapability("pay", max_calls=most)
        with Sandbox.restore(
            data, tools=[tool(paid)], capabilities=[capability], isolation=isolation
        ) as sandbox:
            sandbox.finish()
            assert paid == [1, 2, 3][:most]
            assert sandbox.calls_left(capability) == left


def test_what_was_refused_stays_spent(isolation, paid):
    data = waiting("pay --amount 900; pay --amount 5", capabilities=[MethodCapability("pay", max_calls=2)])
    capability = MethodCapability("pay", [Param("amount") <= 100], max_calls=2)
    with Sandbox.restore(
        data, tools=[tool(paid)], capabilities=[capability], isolation=isolation
    ) as sandbox:
        sandbox.finish()
        assert paid == [5] and sandbox.calls_left(capability) == 0


def test_a_call_belongs_to_the_capability_that_allows_it_now(isolation, paid):
    data = waiting("pay --amount 90", capabilities=[MethodCapability("pay", max_calls=5)])
    small = MethodCapability("pay", [Param("amount") <= 10], max_calls=5)
    large = MethodCapability("pay", [Param("amount") <= 100], max_calls=5)
    with Sandbox.restore(
        data, tools=[tool(paid)], capabilities=[small, large], isolation=isolation
    ) as sandbox:
        assert sandbox.pending[0].capability == large
        assert (sandbox.calls_left(small), sandbox.calls_left(large)) == (5, 4)


@pytest.mark.parametrize("was", [False, True])
def test_approval_is_asked_for_by_the_capability_of_now(was, isolation, paid):
    data = waiting("pay --amount 90; echo $?", capabilities=[MethodCapability("pay", ask=was)])
    asked = []

    def approve(call):
        asked.append(call.id)
        return len(asked) > 1

    for expected in ("126\n", '"paid"\n0\n'):
        with Sandbox.restore(
            data,
            tools=[tool(paid)],
            capabilities=[MethodCapability("pay", ask=True)],
            approve=approve,
            isolation=isolation,
        ) as sandbox:
            assert sandbox.pending[0].ask
            assert sandbox.finish().stdout.endswith(expected)
    assert asked == [1, 1] and paid == [90]
    with Sandbox.restore(
        data, tools=[tool(paid)], capabilities=[MethodCapability("pay")], isolation=isolation
    ) as sandbox:
        assert not sandbox.pending[0].ask
        sandbox.finish()
    assert asked == [1, 1] and paid == [90, 90]


def test_a_call_that_was_handed_out_is_judged_too(isolation, paid):
    with Sandbox(
        tools=[tool([])], capabilities=[MethodCapability("pay")], isolation=isolation
    ) as first:
        first.start("pay --amount 900; echo $?")
        assert first.step().id == 1
        data = first.snapshot()
    with Sandbox.restore(
        data,
        tools=[tool(paid)],
        capabilities=[MethodCapability("pay", [Param("amount") <= 100])],
        isolation=isolation,
    ) as sandbox:
        assert sandbox.finish().stdout == "126\n" and paid == []


def test_calls_in_the_background_are_judged_too(isolation, paid):
    with Sandbox(
        tools=[tool([])], capabilities=[MethodCapability("pay")], isolation=isolation
    ) as first:
        first.run("(pay --amount 900; echo $? > /tmp/status) & :")
        data = first.snapshot()
    with Sandbox.restore(
        data, tools=[tool(paid)], capabilities=[], isolation=isolation
    ) as sandbox:
        assert sandbox.pending == []
        assert sandbox.run("wait; cat /tmp/status").stdout == "126\n"
    assert paid == []


def test_twice_restored_is_twice_judged(isolation, paid):
    data = waiting("pay --amount 900 & pay --amount 5; wait; echo done")
    with Sandbox.restore(
        data, tools=[tool(paid)], capabilities=[MethodCapability("pay")], isolation=isolation
    ) as second:
        again = second.snapshot()
    with Sandbox.restore(
        again,
        tools=[tool(paid)],
        capabilities=[MethodCapability("pay", [Param("amount") <= 100])],
        isolation=isolation,
    ) as third:
        assert third.finish().stdout.endswith("done\n")
    assert paid == [5]


def test_counters_of_capabilities_that_are_gone_are_still_refused(isolation):
    data = waiting("pay --amount 5", capabilities=[MethodCapability("pay", max_calls=3)])
    with pytest.raises(SnapshotError, match='"pay" were spent'):
        Sandbox.restore(
            data, tools=[tool([])], capabilities=[MethodCapability("*")], isolation=isolation
        )


def test_the_recording_of_a_restore_has_the_decision(tmp_path, isolation, paid):
    data = waiting("pay --amount 900; echo $?")
    trace = tmp_path / "trace.jsonl"
    with Sandbox.restore(
        data, tools=[tool(paid)], capabilities=[], record=trace, isolation=isolation
    ) as sandbox:
        sandbox.run("echo more")
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    calls = [line for line in lines if line.get("out") == "call"]
    assert [(call["id"], call["decision"]) for call in calls] == [(1, "denied")]
    with replay(trace) as again:
        assert [result.stdout for result in again.results] == ["126\n", "more\n"]


def test_denied_calls_count_as_calls(isolation):
    entries = []
    with Sandbox(
        tools=[tool([])],
        capabilities=[MethodCapability("pay", [Param("amount") <= 100])],
        limits=Limits(tool_calls=5),
        audit=AuditLog(entries.append),
        isolation=isolation,
    ) as sandbox:
        result = sandbox.run(
            "for i in 1 2 3 4 5; do pay --amount 900; done; pay --amount 1; pay --amount 1; echo $?"
        )
        assert result.stdout == "126\n" and "tool_calls" in result.stderr
        decisions = [e["outcome"] for e in entries if e["event"] == "decision"]
        # Of the calls over the limit the log is told once.
        assert decisions == ["denied"] * 5 + ["limit"]
        assert result.usage.tool_calls == 0
        assert sandbox.run("pay --amount 1").usage.tool_calls == 1


def test_output_that_was_kept_fits_the_new_limit(isolation):
    with Sandbox(
        tools=[tool([])],
        capabilities=[MethodCapability("pay")],
        limits=Limits(output_bytes=1 << 20),
        isolation=isolation,
    ) as first:
        first.start("seq 1000; seq 1000 >&2; pay --amount 1; seq 1000000; seq 1000000 >&2")
        data = first.snapshot()
    for most in (0, 10, 3893, 3894, 5000):
        with Sandbox.restore(
            data,
            tools=[tool([])],
            capabilities=[MethodCapability("pay")],
            limits=Limits(output_bytes=most),
            isolation=isolation,
        ) as sandbox:
            result = sandbox.finish()
            assert len(result.stdout_bytes) <= most and len(result.stderr) <= most
            assert result.truncated


def test_a_restored_run_may_make_the_calls_that_are_left(isolation, paid):
    with Sandbox(
        tools=[tool(paid)],
        capabilities=[MethodCapability("pay")],
        limits=Limits(tool_calls=4),
        isolation=isolation,
    ) as first:
        first.start("for i in 1 2 3 4 5 6; do pay --amount $i; done; echo $?")
        first.step().resume("paid")
        first.step()
        data = first.snapshot()
    for most, expected in [(1, []), (2, [2]), (3, [2, 3]), (4, [2, 3, 4]), (5, [2, 3, 4, 5])]:
        paid.clear()
        with Sandbox.restore(
            data,
            tools=[tool(paid)],
            capabilities=[MethodCapability("pay")],
            limits=Limits(tool_calls=most),
            isolation=isolation,
        ) as sandbox:
            assert sandbox.finish().stdout.endswith("126\n")
            assert paid == expected


def test_a_spent_capability_before_the_one_that_asks(isolation, paid):
    granted = [MethodCapability("pay", max_calls=1), MethodCapability("pay", ask=True)]
    with Sandbox(tools=[tool([])], capabilities=granted, isolation=isolation) as first:
        first.start("pay --amount 1; pay --amount 2; echo $?")
        first.step().resume("paid")
        data = first.snapshot()
    for approved, expected in [(False, "126\n"), (True, "0\n")]:
        paid.clear()
        with Sandbox.restore(
            data,
            tools=[tool(paid)],
            capabilities=granted,
            approve=lambda call, yes=approved: yes,
            isolation=isolation,
        ) as sandbox:
            (call,) = sandbox.pending
            assert call.ask and call.capability == granted[1]
            assert sandbox.finish().stdout.endswith(expected)
            assert paid == ([2] if approved else [])
