"""Capabilities from Python: what is written, what is refused, what the guest is told."""

import pytest

from pinfold import (
    ConstraintSet,
    MethodCapability,
    Param,
    Sandbox,
    create_sandbox_tool,
)


def allowed(constraints, params, max_calls=None):
    """Is a call of f with these params (as JavaScript) allowed?"""
    capability = MethodCapability("f", constraints, max_calls)
    with Sandbox(tool_handler=lambda *call: True, capabilities=[capability]) as sandbox:
        result = sandbox.run(
            f"try {{ return await tools.f({params}) }} catch (error) {{ return error.code }}",
            language="javascript",
        )
    assert result.value in (True, "denied"), result
    return result.value is True


@pytest.mark.parametrize(
    "constraint, yes, no",
    [
        (Param("n") <= 10, "{n: 10}", "{n: 10.5}"),
        (Param("n") < 10, "{n: 9}", "{n: 10}"),
        (Param("n") >= 10, "{n: 10}", "{n: 9}"),
        (Param("n") > 10, "{n: 11}", "{n: '11'}"),
        (Param("n") == 1, "{n: 1}", "{n: true}"),
        (Param("n") == "a", "{n: 'a'}", "{n: 'b'}"),
        (Param("n") == None, "{n: null}", "{n: 0}"),  # noqa: E711
        (Param("n") == 1, "{n: 1}", "{}"),
        (Param("n") != 1, "{n: 2}", "{n: 1}"),
        (Param("n").is_in(["a", 1]), "{n: 1}", "{n: '1'}"),
        (Param("n").not_in(["a", 1]), "{n: '1'}", "{n: 'a'}"),
        (Param("n").starts_with("acct_"), "{n: 'acct_1'}", "{n: 'x_acct_1'}"),
        (Param("n").ends_with(".txt"), "{n: 'a.txt'}", "{n: 'a.txt.exe'}"),
        (Param("n").contains("b"), "{n: 'abc'}", "{n: 'ac'}"),
        (Param("n").contains(2), "{n: [1, 2]}", "{n: [1]}"),
        (Param("n").matches("[a-z]+[0-9]?"), "{n: 'abc1'}", "{n: 'abc12'}"),
        (Param("n").exists(), "{n: null}", "{}"),
        (Param("n").not_exists(), "{}", "{n: null}"),
        (Param("n").optional() <= 3, "{}", "{n: 4}"),
        ((Param("n") <= 3).optional(), "{n: 3}", "{n: 4}"),
        (Param("n").length() <= 3, "{n: 'abc'}", "{n: 'abcd'}"),
        (Param("n").length() == 2, "{n: [1, 2]}", "{n: [1]}"),
        (Param("n").is_type("string"), "{n: ''}", "{n: 1}"),
        (Param("a.b[0]") == 1, "{a: {b: [1]}}", "{a: {b: [2]}}"),
        (Param("items[*].price") < 5, "{items: [{price: 1}, {price: 4}]}", "{items: [{price: 1}, {price: 5}]}"),
        ((Param("n") > 0) & (Param("n") < 9), "{n: 5}", "{n: 9}"),
        ((Param("n") < 0) | (Param("n") > 9), "{n: 10}", "{n: 5}"),
        (~(Param("n") == 5), "{n: 4}", "{n: 5}"),
        ({"n": "<=10"}, "{n: 10}", "{n: 11}"),
        ({"n": ["USD", "EUR"]}, "{n: 'EUR'}", "{n: 'GBP'}"),
        ({"n": "startswith:acct_"}, "{n: 'acct_'}", "{n: 'acct'}"),
        ({"n": 5}, "{n: 5}", "{n: 6}"),
    ],
)
def test_constraints(constraint, yes, no):
    assert allowed([constraint] if not isinstance(constraint, dict) else constraint, yes)
    assert not allowed([constraint] if not isinstance(constraint, dict) else constraint, no)


def test_nothing_is_granted_by_default():
    with Sandbox(tool_handler=lambda *call: pytest.fail("called")) as sandbox:
        result = sandbox.run("tool f")
        assert result.exit_code == 126 and result.stderr


def test_patterns():
    capability = MethodCapability(method_pattern="stripe/*/create")
    with Sandbox(tool_handler=lambda method, params: method, capabilities=[capability]) as sandbox:
        code = "tool stripe/charges/create; tool stripe/create; tool stripe.refunds.create; tool x"
        assert sandbox.run(code).stdout == '"stripe/charges/create"\n"stripe/refunds/create"\n'


def test_budgets_are_spent_by_allowed_calls():
    capabilities = [MethodCapability("f", [Param("n") <= 1], max_calls=2), MethodCapability("g")]
    with Sandbox(tool_handler=lambda *call: 1 / 0, capabilities=capabilities) as sandbox:
        code = "for n in 2 1 1 1; do tool f --json \"{\\\"n\\\": $n}\"; echo $?; done 2>/dev/null"
        assert sandbox.run(code).stdout == "126\n1\n1\n126\n"


def test_the_snippet_of_a_payment_tool():
    def handler(method, params):
        return {"method": method, **params}

    sandbox = Sandbox(
        capabilities=[
            MethodCapability(
                method_pattern="stripe/charges/*",
                constraints=ConstraintSet([
                    Param("amount") <= 10000,
                    Param("currency").is_in(["USD", "EUR"]),
                ]),
                max_calls=100,
            )
        ],
        tool_handler=handler,
    )
    result = sandbox.run(
        'return await stripe.charges.create({amount: 500, currency: "USD"})', language="javascript"
    )
    assert result.value == {"method": "stripe/charges/create", "amount": 500, "currency": "USD"}
    result = sandbox.run(
        'await stripe.charges.create({amount: 20000, currency: "USD"})', language="javascript"
    )
    assert result.exit_code == 1
    assert "CapabilityError" in result.stderr
    assert "amount" in result.stderr and "20000" in result.stderr


@pytest.mark.parametrize(
    "make",
    [
        lambda: MethodCapability(""),
        lambda: MethodCapability("a//b"),
        lambda: MethodCapability("a***"),
        lambda: MethodCapability("f", max_calls=-1),
        lambda: Param("").exists(),
        lambda: Param("a[") == 1,
        lambda: Param("n") <= None,
        lambda: Param("n") <= float("nan"),
        lambda: Param("n") == object(),
        lambda: Param("n").is_in("abc"),
        lambda: Param("n").matches("("),
        lambda: Param("n").is_type("strnig"),
        lambda: Param("n").starts_with(5),
        lambda: ConstraintSet({"n": "10"}),
        lambda: ConstraintSet({"n": "<=ten"}),
        lambda: ConstraintSet({"n": "<="}),
        lambda: ConstraintSet({"n": None}),
        lambda: ConstraintSet({"n": {"<=": 1}}),
    ],
)
def test_what_cannot_be_read_is_refused(make):
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize(
    "make, word",
    [
        (lambda: MethodCapability("f", [True]), "constraint"),
        (lambda: MethodCapability("f", "n<=1"), "constraints"),
        (lambda: MethodCapability(5), "pattern"),
        (lambda: MethodCapability("f", max_calls="5"), "max_calls"),
        (lambda: Param("n") <= 1 and Param("m") <= 1, "&"),
        (lambda: 0 < Param("n") < 9, "&"),
        (lambda: (Param("n") <= 1) & True, "constraint"),
        (lambda: Sandbox(capabilities=["f"]), "MethodCapability"),
    ],
)
def test_python_mistakes_are_not_ignored(make, word):
    with pytest.raises(TypeError, match=word):
        make()


def test_constraints_must_fit_the_tools():
    def f(a: int) -> int:
        return a

    with pytest.raises(ValueError, match="b"):
        create_sandbox_tool([f], constraints={"f": {"b": "<=1"}})
    with pytest.raises(ValueError, match="g"):
        create_sandbox_tool([f], constraints={"g": {"a": "<=1"}})
    with pytest.raises(ValueError, match="g"):
        create_sandbox_tool([f], max_calls={"g": 1})


def test_create_sandbox_tool_limits_calls():
    def f(a: int) -> int:
        return a

    loop = "for i in 1 2 3; do f --a $i; done 2>/dev/null"
    assert create_sandbox_tool([f], max_calls=2).run(loop, "shell").startswith("1\n2\n[exit")
    assert create_sandbox_tool([f], max_calls={"f": 1}).run(loop, "shell").startswith("1\n[exit")
    assert create_sandbox_tool([f], constraints={"f": {"a": ">1"}}).run(loop, "shell") == "2\n3"


def test_capabilities_are_values():
    one = MethodCapability("f", ConstraintSet([Param("n") <= 1]), max_calls=2)
    assert one == MethodCapability("f", [Param("n") <= 1], max_calls=2)
    assert one != MethodCapability("f", [Param("n") <= 1.5], max_calls=2)
    assert (Param("n") == 1) != (Param("n") == True)  # noqa: E712
    assert len({one, MethodCapability("f", [Param("n") <= 1], max_calls=2)}) == 1
    assert repr(one) == "MethodCapability('f', 1 constraint, max_calls=2)"
