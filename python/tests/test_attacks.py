"""What an attacker inside, or a careless embedder outside, might try. No call may get through, and each
attempt ends in the error that is promised."""

import json
import threading
import time

import pytest

from pinfold import Limits, MethodCapability, Param, Sandbox, Tool, create_sandbox_tool, load_policy

# ------------------------------------------------------------------ policies


@pytest.mark.parametrize(
    "policy",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"capabilities": {}}',
        '{"capabilities": [null]}',
        '{"capabilities": [{"method": ""}]}',
        '{"capabilities": [{"method": "a", "method": "b"}]}',
        '{"capabilities": [{"method": "a//b"}]}',
        '{"capabilities": [{"method": "a*"}]}',
        '{"capabilities": [{"method": "../a"}]}',
        '{"capabilities": [{"method": "a\\u0000b"}]}',
        '{"capabilities": [{"method": "a", "max_calls": -1}]}',
        '{"capabilities": [{"method": "a", "max_calls": 1.5}]}',
        '{"capabilities": [{"method": "a", "max_calls": "1"}]}',
        '{"capabilities": [{"method": "a", "max_calls": true}]}',
        '{"capabilities": [{"method": "a", "max_calls": 1e30}]}',
        '{"capabilities": [{"method": "a", "ask": "yes"}]}',
        '{"capabilities": [{"method": "a", "unknown": 1}]}',
        '{"capabilities": [{"method": "a", "constraints": [{}]}]}',
        '{"capabilities": [{"method": "a", "constraints": [{"param": "x"}]}]}',
        '{"capabilities": [{"method": "a", "constraints": [{"param": "x", "op": "<="}]}]}',
        '{"capabilities": [{"method": "a", "constraints": [{"param": "x", "op": "<=", "value": true}]}]}',
        '{"capabilities": [{"method": "a", "constraints": [{"param": "x", "op": "=<", "value": 1}]}]}',
        '{"capabilities": [{"method": "a", "constraints": [{"param": "x", "op": "in", "value": "abc"}]}]}',
        '{"capabilities": [{"method": "a", "constraints": [{"param": "x", "op": "matches", "value": "("}]}]}',
        '{"capabilities": [{"method": "a", "constraints": [{"param": "", "op": "exists"}]}]}',
        '{"capabilities": [{"method": "a", "constraints": [{"all": []}, {"nor": []}]}]}',
        '{"capabilities": [{"method": "a", "constraints": {"x": "USD"}}]}',
        '{"capabilities": [{"method": "a", "constraints": {"x": "<= ten"}}]}',
        '{"capabilities": [{"method": "a", "constraints": {"x": null}}]}',
        '{"capabilities": [{"method": "a", "constraints": {"x": NaN}}]}',
        "[" * 100000,
    ],
)
def test_malformed_policies(policy):
    with pytest.raises(ValueError):
        load_policy(policy)


def test_constraints_that_protect_nothing():
    def pay(amount: int) -> None:
        raise AssertionError("not reached")

    for constraints in ({"pay": {"amont": "<=5"}}, {"pya": {"amount": "<=5"}}, {"pay": {"amount": "5"}}, {"pay": {"amount": ()}}):
        if constraints == {"pay": {"amount": ()}}:
            continue  # an empty list of values: nothing is allowed, which is safe
        with pytest.raises((ValueError, TypeError)):
            create_sandbox_tool(tools=[pay], constraints=constraints)
    assert "amount" in create_sandbox_tool(tools=[pay], constraints={"pay": {"amount": []}}).run("pay --amount 1", "shell")


# ------------------------------------------------------------------ arguments

LIMITED = [MethodCapability("pay", [Param("amount") <= 1000, Param("to").starts_with("acct_")])]


def attempt(payload, capabilities=LIMITED):
    """What a call with this JSON text as arguments leads to: the handler's view, or an exit status."""
    seen = []
    tool = Tool("pay", handler=lambda **params: seen.append(params))
    with Sandbox(tools=[tool], capabilities=capabilities, files={"args": payload}) as sandbox:
        result = sandbox.run("tool pay < args")
    assert bool(seen) == (result.exit_code == 0)
    return seen[0] if seen else result.exit_code


def test_what_is_allowed_is_delivered():
    assert attempt('{"amount": 1e3, "to": "acct_1"}') == {"amount": 1000.0, "to": "acct_1"}


@pytest.mark.parametrize(
    "payload",
    [
        '{"amount": "1e3", "to": "acct_1"}',
        '{"amount": "5", "to": "acct_1"}',
        '{"amount": true, "to": "acct_1"}',
        '{"amount": null, "to": "acct_1"}',
        '{"amount": [5], "to": "acct_1"}',
        '{"amount": {"valueOf": 5}, "to": "acct_1"}',
        '{"to": "acct_1"}',
        '{"amount": 1000.0000000000001, "to": "acct_1"}',
        '{"amount": 1e999, "to": "acct_1"}',
        '{"amount": 1001e0, "to": "acct_1"}',
        '{"amount": 99999999999999999999999999999999999999, "to": "acct_1"}',
        '{"amount": NaN, "to": "acct_1"}',
        '{"amount": -Infinity, "to": "acct_1"}',
        '{"amount": 0x10, "to": "acct_1"}',
        '{"amount": 5, "amount": 5000, "to": "acct_1"}',
        '{"amount": 5, "am\\u006funt": 5000, "to": "acct_1"}',
        '{"__proto__": {"amount": 5}, "to": "acct_1"}',
        '{"constructor": {"amount": 5}, "to": "acct_1"}',
        '{"\\u0430mount": 5, "to": "acct_1"}',
        '{"amount": 5, "to": "\\u0430cct_1"}',
        '{"amount": 5, "to": "acct\\uff3f1"}',
        '{"amount": 5, "to": ["acct_1"]}',
        '{"amount": 5, "to": "x\\nacct_1"}',
        '{"amount": 5, "to": "acct_\\ud800"}',
        '[{"amount": 5, "to": "acct_1"}]',
        '"acct_1"',
        '{"amount": 5, "to": "acct_1"} {"amount": 5000}',
        '{"amount": 5, "to": "acct_1", "x": ' + "[" * 250 + "]" * 250 + "}",
        '{"amount": ' + "1" * 5000 + ', "to": "acct_1"}',
    ],
)
def test_type_confusion(payload):
    assert attempt(payload) in (1, 2, 126)


@pytest.mark.parametrize("name", ["PAY", "pay ", "p\u0430y", "pay\u200b", "pay/", "/pay", "pay/../pay", "mcp:mcp:pay", "__proto__", "constructor", "toString", "*", "**"])
def test_names_that_look_like_it(name):
    called = []
    tool = Tool("pay", handler=lambda **params: called.append(params))
    with Sandbox(tools=[tool], capabilities=[MethodCapability("pay")]) as sandbox:
        sandbox.files["name"] = name
        code = "const n = await fs.readFile('name'); await tools[n]({})"
        sandbox.run(code, "javascript")
        assert sandbox.run('tool "$(cat name)"').exit_code != 0
        sandbox.run("pay")
    assert len(called) == 1


def test_a_hostile_prototype_does_not_reach_the_gate():
    code = """
        Object.prototype.amount = 5; Object.prototype.to = 'acct_1';
        Array.prototype.toJSON = () => ({amount: 5, to: 'acct_1'});
        const tricky = {get amount() { return this.n = (this.n ?? 0) + 600 }, to: 'acct_1'};
        const out = [];
        for (const given of [{}, [], tricky, {toJSON: () => ({amount: 5000, to: 'acct_1'})}, new Proxy({}, {ownKeys: () => ['amount'], get: () => 5000})])
            try { await pay(given); out.push('allowed') } catch (e) { out.push(e.name) }
        return out.join();
    """
    seen = []
    tool = Tool("pay", handler=lambda **params: seen.append(params))
    with Sandbox(tools=[tool], capabilities=LIMITED) as sandbox:
        out = sandbox.run(code, "javascript").value.split(",")
    assert all(params["amount"] <= 1000 and params["to"].startswith("acct_") for params in seen)
    assert out[0] != "allowed" and out[3:] == ["CapabilityError", "CapabilityError"]


def test_raw_calls_past_the_library():
    """Programs have nothing but the kernel's call: its payload is judged as bytes."""
    with Sandbox(tools=[Tool("pay", handler=lambda **p: pytest.fail("called"))], capabilities=LIMITED) as sandbox:
        for text in ("pay --amount 5000 --to acct_1", "tool pay --json '{\"amount\":5000,\"to\":\"acct_1\"}'", "tool pay --amount 5 --amount 5000 --to acct_1"):
            assert sandbox.run(text).exit_code in (1, 2, 126)


# ------------------------------------------------------------------ budgets


def test_a_race_of_promises():
    calls = []
    with Sandbox(tools=[Tool("f", handler=lambda: calls.append(1))], capabilities=[MethodCapability("f", max_calls=5)]) as sandbox:
        code = """
            const settled = await Promise.allSettled(Array.from({length: 500}, () => f({})));
            const codes = settled.map(s => s.status === 'fulfilled' ? 'ok' : s.reason.code);
            return {ok: codes.filter(c => c === 'ok').length, limit: codes.filter(c => c === 'limit').length};
        """
        assert sandbox.run(code, "javascript").value == {"ok": 5, "limit": 495}
        assert len(calls) == 5
        assert sandbox.run("for i in 1 2 3; do f & done; wait; f").exit_code == 126
    assert len(calls) == 5


def test_a_race_of_processes_and_a_restart():
    calls = []
    with Sandbox(tools=[Tool("f", handler=lambda: calls.append(1))], capabilities=[MethodCapability("f", max_calls=3)]) as sandbox:
        sandbox.run("for i in $(seq 20); do f & done; wait")
        assert len(calls) == 3
        sandbox.run("exit")
        sandbox.run("f")
        data = sandbox.snapshot()
    with Sandbox.restore(data, tools=[Tool("f", handler=lambda: calls.append(1))], capabilities=[MethodCapability("f", max_calls=3)]) as sandbox:
        sandbox.run("f; f")
    assert len(calls) == 3


def test_calls_per_run():
    with Sandbox(tools=[Tool("f", handler=lambda: 1)], capabilities=[MethodCapability("f")], limits=Limits(tool_calls=3)) as sandbox:
        result = sandbox.run("let n = 0; try { for (;;) { await f({}); n++ } } catch (e) { return [n, e.name, e.code] }", "javascript")
        assert result.value == [3, "CapabilityError", "limit"]


# ------------------------------------------------------------------ handlers


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    "handler, code",
    [
        (lambda: 1 / 0, "failed"),
        (lambda: float("nan"), "failed"),
        (lambda: float("inf"), "failed"),
        (lambda: {"x": float("-inf")}, "failed"),
        (lambda: b"bytes", "failed"),
        (lambda: object(), "failed"),
        (lambda: {("a", "b"): 1}, "failed"),
        (lambda: "\ud800", "failed"),
        (lambda: iter([1]), "failed"),
        (lambda: "x" * (100 << 20), "invalid"),
        (lambda: [0] * (6 << 20), "invalid"),
    ],
)
def test_handlers_that_misbehave(handler, code):
    with Sandbox(tools=[Tool("f", handler=handler)], capabilities=[MethodCapability("f")]) as sandbox:
        result = sandbox.run("try { await f({}); return 'fine' } catch (e) { return [e.name, e.code, e.message.length < 1000] }", "javascript")
        assert result.value == ["ToolError", code, True]
        assert sandbox.run("tool f").exit_code == 1
        assert sandbox.run("echo alive").stdout == "alive\n"


@pytest.mark.parametrize("size, limits", [(1_500_000, None), (5_000_000, None), (5_000_000, Limits(tool_argument_bytes=None))])
def test_arguments_that_are_too_large(size, limits):
    """Also those that no message to the host can hold."""
    with Sandbox(tools=[Tool("f", handler=len)], capabilities=[MethodCapability("f")], limits=limits) as sandbox:
        result = sandbox.run(f"try {{ await f({{x: 'x'.repeat({size})}}) }} catch (e) {{ return [e.name, e.code, e.message] }}", "javascript")
        bound = 2 << 20 if limits else 1 << 20 if size < 2_000_000 else 2 << 20
        text = f"the arguments have {size + 30} bytes, the limit is {bound}"
        assert result.value == ["ToolError", "invalid", text]
        result = sandbox.run(f"{{ printf '{{\"x\":\"'; head -c {size} /dev/zero | tr '\\0' x; printf '\"}}'; }} | tool f; echo $?")
        assert (result.stdout, result.stderr) == ("1\n", f"f: {text}\n")
        assert sandbox.run("echo alive").stdout == "alive\n"


def test_arguments_that_do_not_fit_into_memory():
    with Sandbox(tools=[Tool("f", handler=len)], capabilities=[MethodCapability("f")], limits=Limits(process_memory_bytes=16 << 20)) as sandbox:
        result = sandbox.run("{ printf '{\"x\":\"'; head -c 6000000 /dev/zero | tr '\\0' x; printf '\"}'; } | tool f; echo $?")
        assert (result.stdout, result.stderr) == ("1\n", "f: Cannot allocate memory\n")
        assert sandbox.run("echo alive").stdout == "alive\n"


@pytest.mark.parametrize("answer", ["x" * 100, ValueError("\u00e9" * 300)])
def test_answers_longer_than_their_limit(answer):
    """The text that says so, or what went wrong, is cut where it is longer itself."""
    def f(method, params):
        if isinstance(answer, Exception):
            raise answer
        return answer

    with Sandbox(tool_handler=f, capabilities=[MethodCapability("**")], limits=Limits(tool_result_bytes=21)) as sandbox:
        result = sandbox.run("echo before; tool f; echo after")
        assert (result.stdout, result.exit_code, result.limit) == ("before\nafter\n", 0, None)
        assert result.stderr in ("f: the result of f has\n", "f: ValueError: \u00e9\u00e9\u00e9\u00e9\n", "f: the result of f has 1\n")
        assert sandbox.run("tool f 2>/dev/null; echo $?").stdout == "1\n"


def test_circles_and_depths():
    circle = []
    circle.append(circle)
    deep = 0
    for _ in range(100_000):
        deep = [deep]
    for value in (circle, deep):
        with Sandbox(tools=[Tool("f", handler=lambda value=value: value)], capabilities=[MethodCapability("f")]) as sandbox:
            assert sandbox.run("tool f").exit_code == 1
            assert sandbox.run("echo alive").stdout == "alive\n"


def test_a_handler_that_hangs_is_not_counted_and_can_be_interrupted():
    release = threading.Event()
    with Sandbox(tools=[Tool("f", handler=lambda: release.wait(20) and None, timeout=0.3)], capabilities=[MethodCapability("f")], limits=Limits(wall_seconds=0.2)) as sandbox:
        started = time.monotonic()
        result = sandbox.run("try { await f({}) } catch (e) { return e.code }", "javascript")
        release.set()
        assert result.value == "timeout" and result.limit is None and time.monotonic() - started < 5


def test_a_handler_that_comes_back_in():
    with Sandbox(tool_handler=lambda method, params: sandbox.run("echo"), capabilities=[MethodCapability("f")]) as sandbox:
        result = sandbox.run("tool f")
        assert result.exit_code == 1 and "SandboxBusy" in result.stderr


def test_an_answer_of_many_numbers_is_exact():
    value = {"big": 2**200, "small": -(2**63), "float": 0.1, "exp": 1e300}
    with Sandbox(tools=[Tool("f", handler=lambda: value)], capabilities=[MethodCapability("f")]) as sandbox:
        assert json.loads(sandbox.run("tool f").stdout) == value
