"""Attenuation, approval, explanations, names that clash, time limits of tools."""

import asyncio
import time
import warnings

import pytest

from pinfold import (
    ConstraintSet,
    MethodCapability,
    Param,
    Sandbox,
    Tool,
    ToolError,
    ToolNameWarning,
    create_sandbox_tool,
    load_policy,
)

PAY = MethodCapability("bank/pay", [Param("amount") <= 1000], max_calls=10)


# ------------------------------------------------------------------ attenuation


@pytest.mark.parametrize(
    "child, inside",
    [
        (MethodCapability("bank/pay", [Param("amount") <= 1000], max_calls=10), True),
        (MethodCapability("bank/pay", [Param("amount") < 10, Param("to") == "x"], 1), True),
        (MethodCapability("bank/pay", [Param("amount").is_in([1, 5])], 3), True),
        (MethodCapability("bank/pay", [Param("amount") <= 1001], max_calls=10), False),
        (MethodCapability("bank/pay", [Param("amount").optional() <= 5], max_calls=1), False),
        (MethodCapability("bank/pay", [Param("amount") <= 5], max_calls=11), False),
        (MethodCapability("bank/pay", [Param("amount") <= 5]), False),
        (MethodCapability("bank/*", [Param("amount") <= 5], max_calls=1), False),
        (MethodCapability("bank/pay", (), max_calls=1), False),
        (MethodCapability("bank/pay", (), max_calls=0), True),
    ],
)
def test_a_child_within_its_parent(child, inside):
    assert child.is_subset_of(PAY) is inside
    assert (child.widening(PAY) is None) is inside


def test_a_child_may_be_covered_by_several():
    parents = [MethodCapability("a/*"), MethodCapability("b/*", max_calls=3)]
    assert MethodCapability("b/x", max_calls=3).is_subset_of(parents)
    assert not MethodCapability("c").is_subset_of(parents)
    assert "no pattern of the parent" in MethodCapability("c").widening(parents)


def test_a_child_that_does_not_ask_is_wider():
    asks = MethodCapability("pay", ask=True)
    assert asks.is_subset_of(MethodCapability("pay"))
    assert not MethodCapability("pay").is_subset_of(asks)
    assert asks.is_subset_of(asks)
    # What comes first decides: the parent would ask about 500.
    parents = [MethodCapability("pay", [Param("n") > 100], ask=True), MethodCapability("pay")]
    assert not MethodCapability("pay").is_subset_of(parents)


def test_constraint_sets():
    tight = ConstraintSet({"amount": "<=10"})
    assert tight.is_subset_of({"amount": "<=1000"})
    assert not ConstraintSet({"amount": "<=1000"}).is_subset_of(tight)
    both = tight.merge([Param("to").exists()])
    assert len(both) == 2 and both.is_subset_of(tight) and not tight.is_subset_of(both)
    assert ConstraintSet().is_empty and not tight.is_empty


def test_policies_out_and_in():
    written = [PAY, MethodCapability("a/**", ask=True), MethodCapability("b", {"x": ["USD"]})]
    for capability in written:
        assert MethodCapability.from_dict(capability.to_dict()) == capability
    text = '{"capabilities": [{"method": "mcp:a.b", "constraints": {"n": "<=3"}, "ask": true}]}'
    (loaded,) = load_policy(text)
    assert loaded == MethodCapability("a/b", [Param("n") <= 3], ask=True)
    for bad in ('{"capabilities": [{"method": "a", "max": 1}]}', "[]", '{"capabilities": 1}'):
        with pytest.raises(ValueError):
            load_policy(bad)


# ------------------------------------------------------------------ explanations


def test_explanations_come_in_the_order_limit_constraint_nothing():
    capabilities = [PAY, MethodCapability("note", max_calls=0)]
    tools = [Tool("bank.pay"), Tool("note")]
    with Sandbox(tools=tools, capabilities=capabilities) as sandbox:
        assert sandbox.can_call("bank.pay", {"amount": 3}) is True
        assert sandbox.why_not("bank/pay", {"amount": 3000}) == (
            "bank/pay is denied: amount must be <= 1000 (it is 3000)"
        )
        assert "limit" in sandbox.why_not("note")
        assert "no capability grants it" in sandbox.why_not("other")
        assert sandbox.calls_left(PAY) == 10


def test_the_nearest_name_is_offered():
    def list_transactions() -> list:
        return []

    sandbox = create_sandbox_tool(tools=[list_transactions])
    assert "list_transactions" in sandbox.run("tool list_transaction", "shell")
    told = sandbox.run("await tools.list_transactons({})", "javascript")
    assert "list_transactions" in told


# ------------------------------------------------------------------ approval


def asking(**settings):
    return Sandbox(
        tools=[Tool("pay", handler=lambda amount: f"paid {amount}")],
        capabilities=[MethodCapability("pay", ask=True)],
        **settings,
    )


PROGRAM = """
    try { return await pay({amount: 7}) }
    catch (error) { return [error.name, error.code, error.message] }
"""


def test_a_call_that_is_approved():
    seen = []

    def approve(call):
        seen.append((call.method, call.params, call.ask))
        return True

    with asking(approve=approve) as sandbox:
        assert sandbox.run(PROGRAM, "javascript").value == "paid 7"
    assert seen == [("pay", {"amount": 7}, True)]


@pytest.mark.parametrize("answer, words", [(False, "not approved"), ("too much", "too much"), (1, "not approved")])
def test_a_call_that_is_not(answer, words):
    with asking(approve=lambda call: answer) as sandbox:
        name, code, message = sandbox.run(PROGRAM, "javascript").value
        assert (name, code) == ("CapabilityError", "denied") and words in message
        assert sandbox.run("tool pay --amount 7").exit_code == 126


def test_nobody_to_ask_is_no():
    with asking() as sandbox:
        name, code, message = sandbox.run(PROGRAM, "javascript").value
        assert code == "denied" and "nobody is here to give it" in message


def test_an_approver_that_raises_is_no():
    with asking(approve=lambda call: 1 / 0) as sandbox:
        assert sandbox.run("tool pay --amount 7").exit_code != 0


def test_an_async_approver():
    async def approve(call):
        await asyncio.sleep(0)
        return call.params["amount"] == 7

    with asking(approve=approve) as sandbox:
        assert sandbox.run(PROGRAM, "javascript").value == "paid 7"
        assert asyncio.run(sandbox.arun(PROGRAM, "javascript")).value == "paid 7"


def test_a_call_may_wait_for_its_approval_in_a_snapshot():
    with asking() as first:
        first.start(PROGRAM, "javascript")
        call = first.step()
        assert call.ask
        data = first.snapshot()
    granted = [MethodCapability("pay", ask=True)]
    with Sandbox.restore(data, tools=[Tool("pay")], capabilities=granted) as second:
        (call,) = second.pending
        assert call.ask and call.params == {"amount": 7}
        call.resume("paid later")
        assert second.result.value == "paid later"
    with Sandbox.restore(data, tools=[Tool("pay")], capabilities=granted) as third:
        third.pending[0].deny("no")
        assert third.result.value == ["CapabilityError", "denied", "pay is denied: no"]


# ------------------------------------------------------------------ names


def warned(*names, **settings):
    tools = [Tool(name, handler=lambda **given: given) for name in names]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        granted = [MethodCapability(name) for name in names]
        sandbox = Sandbox(tools=tools, capabilities=granted, **settings)
    assert all(w.filename == __file__ for w in caught)
    return sandbox, [str(w.message) for w in caught if w.category is ToolNameWarning]


@pytest.mark.parametrize("name", ["echo", "cd", "jq", "await", "console", "constructor", "__proto__", "tool"])
def test_a_name_that_means_something_else(name):
    sandbox, told = warned(name)
    assert len(told) == 1 and f"`tool {name}`" in told[0]
    with sandbox:
        assert sandbox.run(f"tool {name} --a 1").stdout == '{"a":1}\n'
        code = f"return await tools['{name}']({{a: 1}})"
        assert sandbox.run(code, "javascript").value == {"a": 1}
    sandbox, _ = warned("echo")
    assert sandbox.run("echo hi").stdout == "hi\n"


@pytest.mark.parametrize("name", ["look", "make", "rename", "cal", "users", "w"])
def test_a_granted_tool_takes_the_name_of_a_command_that_few_scripts_use(name):
    with Sandbox() as plain:
        assert plain.run(f"command -v {name}").stdout == f"/usr/bin/{name}\n"
    sandbox, told = warned(name)
    assert told == []
    with sandbox:
        assert sandbox.run(f"{name} --a 1").stdout == '{"a":1}\n'
        assert sandbox.run(f"command -v {name}; echo --a 2 | xargs {name}").stdout == f'/tools/bin/{name}\n{{"a":2}}\n'
        with Sandbox.restore(
            sandbox.snapshot(),
            tools=[Tool(name, handler=lambda **given: given)],
            capabilities=[MethodCapability(name)],
        ) as again:
            assert again.run(f"{name} --a 3").stdout == '{"a":3}\n'
    with Sandbox() as other:
        assert other.run(f"command -v {name}").stdout == f"/usr/bin/{name}\n"


def test_flat_names_that_are_the_same():
    sandbox, told = warned("a.b", "a_b")
    assert len(told) == 2
    with sandbox:
        assert sandbox.run("a_b --x 1").exit_code == 127
        result = sandbox.run("tool a.b --x 1; tool a_b --x 2")
        assert result.stdout == '{"x":1}\n{"x":2}\n'
        assert sandbox.run("return typeof a_b", "javascript").value == "undefined"
        assert sandbox.run("return await tools['a_b']({x: 3})", "javascript").value == {"x": 3}
        assert sandbox.run("return await tools['a/b']({x: 4})", "javascript").value == {"x": 4}


def test_flat_names_take_their_own_schema():
    def first(text: str) -> str:
        return f"first {text}"

    def second(number: int) -> str:
        return f"second {number}"

    for tools in ([("a.b", first), ("a_b", second)], [("a_b", second), ("a.b", first)]):
        made = [Tool.from_function(function, name=name) for name, function in tools]
        with pytest.warns(ToolNameWarning):
            sandbox = create_sandbox_tool(tools=made)
        assert sandbox.run("tool a.b --text 5; tool a_b --number 5", "shell") == '"first 5"\n"second 5"'


def test_one_tool_under_two_names_is_an_error():
    for other in ("a/b", "mcp:a.b"):
        with pytest.raises(ValueError):
            Sandbox(tools=[Tool("a.b"), Tool(other)])


def test_a_dotted_name_below_a_global():
    sandbox, told = warned("fs.read")
    assert len(told) == 1 and "fs_read" in told[0]
    with sandbox:
        assert sandbox.run("fs_read --a 1").stdout == '{"a":1}\n'
        assert sandbox.run("return [typeof fs.readFile, await fs_read({a: 1})]", "javascript").value == ["function", {"a": 1}]


def test_good_names_do_not_warn():
    _, told = warned("get_weather", "stripe.charges.create", "mcp:x-y/z")
    assert told == []


# ------------------------------------------------------------------ what programs can read


def test_pages_and_types():
    def create(amount: int, currency: str = "USD", tags: list[str] | None = None) -> dict:
        """Charges a card.

        Args:
            amount: in cents */ or so
        """

    tool = Tool.from_function(create, name="stripe.charges.create")
    with Sandbox(tools=[tool, Tool("plain")]) as sandbox:
        page = sandbox.run("cat /tools/stripe.charges.create.md").stdout
        types = sandbox.run("cat /tools/tools.d.ts").stdout
    assert "Charges a card." in page and "in cents" in page and "--amount" in page
    assert "amount: number; currency?: string; tags?: Array<string> | null }" in types
    assert "declare const stripe_charges_create" in types
    assert "declare namespace stripe.charges { const create" in types
    assert '"plain"(params: Record<string, any>): Promise<any>' in types


# ------------------------------------------------------------------ time limits


def slow(seconds: float) -> str:
    time.sleep(seconds)
    return "done"


async def aslow(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "done"


TIMED = """
    const ask = async seconds => {
        try { return await slow({seconds}) } catch (error) { return [error.name, error.code] }
    };
    return [await ask(0), await ask(5)];
"""


@pytest.mark.parametrize("function", [slow, aslow])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_tool_that_takes_too_long(function, asynchronous):
    tool = Tool.from_function(function, name="slow", timeout=0.2)
    with Sandbox(tools=[tool], capabilities=[MethodCapability("slow")]) as sandbox:
        started = time.monotonic()
        if asynchronous:
            async def run():
                return await sandbox.arun(TIMED, "javascript")

            loop = asyncio.new_event_loop()  # asyncio.run() would wait for the thread left behind
            result = loop.run_until_complete(run())
        else:
            result = sandbox.run(TIMED, "javascript")
        assert result.value == ["done", ["ToolError", "timeout"]]
        assert time.monotonic() - started < 3


def test_timeouts_that_cannot_be():
    for timeout in (0, -1, float("inf"), float("nan"), True, "1"):
        with pytest.raises(ValueError):
            Tool("f", timeout=timeout)


def test_generators_are_refused_however_they_come():
    async def stream():
        yield 1

    class Callable:
        def __call__(self):
            yield 1

    for handler in (stream, Callable(), (lambda: (yield))):
        with pytest.raises(ValueError, match="generator"):
            Tool("f", handler=handler)


def test_a_handler_may_deny():
    def f():
        raise ToolError("not today", "denied")

    with Sandbox(tools=[f], capabilities=[MethodCapability("f")]) as sandbox:
        result = sandbox.run("tool f")
        assert result.exit_code == 126 and "not today" in result.stderr
