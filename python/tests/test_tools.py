"""Tools from functions: names, arguments, results and failures, from shell and JavaScript."""

import asyncio
import dataclasses
import datetime
import decimal
import enum
import functools
import ipaddress
import json
import os
import pathlib
import subprocess
import sys
import uuid

import pytest

from pinfold import AuditLog, MethodCapability, Sandbox, Tool, ToolError, create_sandbox_tool

TRANSACTIONS = [
    {"id": 1, "amount": 10, "disputed": False},
    {"id": 2, "amount": 20, "disputed": True},
    {"id": 3, "amount": 30, "disputed": True},
]


def list_transactions(customer: str) -> list[dict]:
    """Lists the transactions of a customer.

    Args:
        customer: the customer's id
    """
    return TRANSACTIONS if customer == "cus_123" else []


def test_the_main_job():
    sandbox = create_sandbox_tool(tools=[list_transactions])

    javascript = sandbox.run('''
        const txns = await list_transactions({customer: "cus_123"});
        console.log(txns.filter(t => t.disputed)[0]);
    ''', language="javascript")

    disputed = sandbox.run("list_transactions --customer cus_123 | jq '[.[] | select(.disputed)] | .[0]'", language="shell")
    length = sandbox.run("tool list_transactions --customer cus_123 | jq length", language="shell")

    assert javascript == "{ id: 2, amount: 20, disputed: true }"
    assert disputed == '{\n  "id": 2,\n  "amount": 20,\n  "disputed": true\n}'
    assert length == "3"


def call(function, arguments="{}", name=None, language="javascript", **settings):
    """What a script gets that calls a tool made from `function`."""
    tool = Tool.from_function(function, name=name)
    with Sandbox(
        tools=[tool], capabilities=[MethodCapability(tool.name)], **settings
    ) as sandbox:
        code = f"""
            try {{ return await {tool.name}({arguments}) }}
            catch (error) {{ return [error.name, error.code, error.message] }}
        """
        return sandbox.run(code, language).value


def test_values_arrive_as_they_are():
    value = {"i": 1, "f": 1.5, "big": 2**60, "s": "é\u2028\0", "l": [None, True, {}]}

    def same(**given):
        assert given == value and type(given["i"]) is int
        return given

    text = '{"i":1,"f":1.5,"big":1152921504606846976,"s":"é\\u2028\\u0000","l":[null,true,{}]}'
    tool = Tool("same", handler=same)
    with Sandbox(tools=[tool], capabilities=[MethodCapability("same")]) as sandbox:
        result = sandbox.run(f"tool same --json '{text}' > out; jq -c .i out; cat out > copy")
        assert result.stdout == "1\n", result.stderr
        assert b'"big":1152921504606846976' in sandbox.files["copy"]


def test_defaults_and_keyword_only():
    def f(a: int, b: int = 2, *, c: str = "x") -> str:
        return f"{a}{b}{c}"

    assert call(f, "{a: 1}") == "12x"
    assert call(f, "{a: 1, c: 'z', b: 5}") == "15z"


def test_arguments_are_checked_before_the_handler():
    def f(a: int) -> int:
        raise AssertionError("not reached")

    for arguments in ("{}", "{a: 'x'}", "{a: 1.5}", "{a: null}", "{a: 1, b: 2}"):
        name, code, message = call(f, arguments)
        assert (name, code) == ("ToolError", "invalid"), (arguments, message)


def test_an_integer_of_json_is_an_int():
    def kind(i: int, many: list[int]) -> str:
        return " ".join(type(value).__name__ for value in (i, *many))

    tool = Tool.from_function(kind)
    with Sandbox(tools=[tool], capabilities=[MethodCapability("kind")]) as sandbox:
        for number in ("100", "1e2", "5.0"):
            result = sandbox.run(f"""tool kind --json '{{"i":{number},"many":[{number}]}}'""")
            assert result.stdout == '"int int"\n', result


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Order:
    item: str
    count: int = 1
    colour: Colour | None = None


def test_annotated_types_are_built():
    def f(order: Order, extra: list[Order] | None = None) -> dict:
        assert isinstance(order, Order)
        return {"colour": order.colour is Colour.BLUE, "extra": len(extra or [])}

    assert call(f, "{order: {item: 'x', colour: 'blue'}}") == {"colour": True, "extra": 0}
    assert call(f, "{order: {item: 'x'}, extra: [{item: 'y'}]}") == {"colour": False, "extra": 1}
    assert call(f, "{order: {item: 'x', colour: 'green'}}")[1] == "invalid"


def test_results_of_json_like_types():
    assert call(lambda: Order("x", 2, Colour.RED), name="f") == {
        "item": "x",
        "count": 2,
        "colour": "red",
    }
    assert call(lambda: (1, "a"), name="f") == [1, "a"]
    assert call(lambda: None, name="f") is None


@dataclasses.dataclass
class Row:
    when: datetime.datetime
    price: decimal.Decimal
    id: uuid.UUID
    where: pathlib.PurePosixPath
    took: datetime.timedelta
    tags: frozenset[Colour]
    sender: ipaddress.IPv6Address


def test_what_comes_in_as_text_goes_out_as_text():
    row = Row(
        datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.UTC),
        decimal.Decimal("0.10"),
        uuid.UUID(int=7),
        pathlib.PurePosixPath("/a/b"),
        datetime.timedelta(days=-1, microseconds=5),
        frozenset([Colour.RED]),
        ipaddress.IPv6Address("::1"),
    )
    given = call(lambda: [row], name="f")
    assert given[0]["when"] == "2024-02-29T12:30:00+00:00"
    assert given[0]["price"] == "0.10"
    assert given[0]["id"] == str(row.id)
    assert given[0]["where"] == "/a/b"
    assert given[0]["tags"] == ["red"]
    assert call(lambda: {1: {3, 10, 2}}, name="f") == {"1": [2, 3, 10]}
    assert call(lambda: datetime.date(2024, 2, 29), name="f") == "2024-02-29"
    assert call(lambda: datetime.time(9), name="f") == "09:00:00"

    def back(rows: list[Row]) -> bool:
        return rows == [row]

    assert call(back, f"{{rows: {json.dumps(given)}}}") is True


@pytest.mark.parametrize(
    "value, place",
    [
        ([{"when": object()}], "at [0].when: object"),
        ({"rows": (1, [Order("x", b"y")])}, "at rows[1][0].count: bytes"),
        ({"a": [1.5, float("nan")]}, "at a[1]: Out of range"),
        ({"a": {"b": {(1, 2): 3}}}, "at a.b: keys"),
        (["fine", "\ud800"], "at [1]: "),
        (object(), "JSON: object"),
    ],
)
def test_a_result_that_is_not_json_says_where(value, place):
    name, code, message = call(lambda: value, name="f")
    assert place in message


@pytest.mark.parametrize(
    "value, word",
    [
        (object(), "object"),
        (float("inf"), "Out of range"),
        (b"bytes", "bytes"),
        ({(1, 2): 3}, "keys"),
        ((n for n in "ab"), "generator"),
        ("\ud800", "surrogates"),
    ],
)
def test_results_that_are_not_json(value, word):
    name, code, message = call(lambda: value, name="f")
    assert (name, code) == ("ToolError", "failed")
    assert "not JSON" in message and word in message


class Unspeakable(Exception):
    def __str__(self):
        raise SystemExit(5)

    __repr__ = __str__


class Hostile(dict):
    def items(self):
        raise RuntimeError("no items today")


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


class Node:
    """Not JSON itself; what it stands for holds it again."""

    def keys(self):
        return ["self"]

    def __iter__(self):
        return iter(self.keys())

    def __getitem__(self, key):
        return self


def circle():
    value = []
    value.append(value)
    return value


BAD_RESULTS = [
    (lambda: {"1": 1, 1: 2}, "twice"),
    (lambda: nested(201), "deep"),
    (lambda: 10**4000, "number"),
    (lambda: 10**5000, "digits"),
    (lambda: Hostile(a=1), "no items today"),
    (circle, "recursion"),
    (Node, "recursion"),
]


@pytest.mark.parametrize("asynchronous", [False, True], ids=["run", "arun"])
@pytest.mark.parametrize("isolation", [None, "process"])
def test_no_result_and_no_exception_of_a_handler_ends_the_run(asynchronous, isolation):
    given = [None]
    entries = []

    def f():
        value = given[0]()
        if isinstance(value, Exception):
            raise value
        return value

    with Sandbox(
        tools=[f],
        capabilities=[MethodCapability("f")],
        isolation=isolation,
        audit=AuditLog(entries.append),
    ) as sandbox:
        for make, words in [*BAD_RESULTS, (Unspeakable, "Unspeakable")]:
            given[0] = make
            code = "tool f; echo $?"
            result = asyncio.run(sandbox.arun(code)) if asynchronous else sandbox.run(code)
            assert result.stdout == "1\n", (words, result)
            assert "f" in result.stderr and words in result.stderr, (words, result)
            answers = [entry for entry in entries if entry["event"] == "answer"]
            assert len(answers) == 1 and not answers[0]["ok"], words
            entries.clear()


def test_python_without_a_bound_of_recursion_is_not_overrun():
    # In a process of its own: what this is about would end it.
    code = """
import sys; sys.setrecursionlimit(10**6)
sys.path.insert(0, {tests!r})
from test_tools import Node, circle, nested, MethodCapability, Sandbox
for make in (circle, Node, lambda: nested(100_000)):
    with Sandbox(tool_handler=lambda m, p: make(), capabilities=[MethodCapability("**")]) as sandbox:
        result = sandbox.run("tool f; echo $?")
        assert result.stdout == "1\\n" and "nested" in result.stderr, result
with Sandbox() as sandbox:
    deep = sandbox.run("return JSON.parse('['.repeat(100000) + ']'.repeat(100000))", "javascript")
    try:
        deep.value
    except ValueError as error:
        assert "nested" in str(error)
    else:
        assert deep.value_json is None
""".format(tests=os.path.dirname(__file__))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done


def test_a_time_limit_longer_than_a_thread_can_wait():
    tool = Tool("f", handler=lambda: "in time", timeout=1e300)
    with Sandbox(tools=[tool], capabilities=[MethodCapability("f")]) as sandbox:
        assert sandbox.run("f").stdout == '"in time"\n'
        assert asyncio.run(sandbox.arun("f")).stdout == '"in time"\n'


def test_an_exception_reaches_the_guest_without_its_traceback():
    def f():
        secret = "hidden"
        raise KeyError("no such customer") if secret else None

    name, code, message = call(f)
    assert (name, code) == ("ToolError", "failed")
    assert message == "KeyError: 'no such customer'"
    assert call(f, hide_tool_errors=True) == ["ToolError", "failed", "failed"]


def test_a_tool_error_says_exactly_this():
    def f():
        raise ToolError("try again later", code="timeout")

    assert call(f) == ["ToolError", "timeout", "try again later"]


def test_shell_statuses_of_failures_and_denials():
    def fail():
        raise ValueError("broken")

    with Sandbox(
        tools=[fail, list_transactions], capabilities=[MethodCapability("fail")]
    ) as sandbox:
        result = sandbox.run("tool fail; echo $?; list_transactions --customer x; echo $?")
        assert result.stdout == "1\n126\n"
        assert "ValueError: broken" in result.stderr


def test_methods_partials_and_callable_objects():
    class Bank:
        def __init__(self, rate: int) -> None:
            self.rate = rate

        def interest(self, amount: int) -> int:
            return amount * self.rate

        def __call__(self, amount: int) -> int:
            return amount

    def download(url: str, token: str) -> str:
        return f"{url} {token}"

    assert call(Bank(3).interest, "{amount: 7}") == 21
    assert call(Bank(3), "{amount: 7}", name="bank") == 7
    bound = functools.partial(download, token="secret")
    assert call(bound, "{url: 'u'}") == "u secret"
    assert call(bound, "{url: 'u', token: 'mine'}")[1] == "invalid"
    assert "token" not in Tool.from_function(bound).schema["properties"]


def test_async_handlers_in_a_synchronous_run():
    async def later(n: int) -> int:
        await asyncio.sleep(0)
        return n + 1

    assert call(later, "{n: 1}") == 2


def test_names_with_segments():
    tools = [Tool("stripe.charges.create", handler=lambda **params: params)]
    with Sandbox(tools=tools, capabilities=[MethodCapability("stripe/charges/*")]) as sandbox:
        result = sandbox.run(
            """console.log(JSON.stringify([
                await stripe.charges.create({a: 1}),
                await stripe_charges_create({a: 2}),
                await tools["stripe/charges/create"]({a: 3}),
            ]))""",
            language="javascript",
        )
        assert result.stdout == '[{"a":1},{"a":2},{"a":3}]\n', result.stderr


@pytest.mark.parametrize(
    "tools, error, text",
    [
        ([lambda: 1], ValueError, "lambda"),
        ([list_transactions, list_transactions], ValueError, "same name"),
        ([Tool("a.b"), Tool("mcp:a/b")], ValueError, "same name"),
        ([Tool("")], ValueError, ""),
        ([Tool("a//b")], ValueError, ""),
        ([Tool("f", schema={"type": "object", "wibble": 1})], ValueError, "wibble"),
        (list_transactions, TypeError, "list"),
        (["f"], TypeError, "function"),
        ([5], TypeError, "function"),
    ],
)
def test_tools_that_cannot_be(tools, error, text):
    with pytest.raises(error, match=text):
        Sandbox(tools=tools)


def test_functions_that_cannot_be_tools():
    def star(*args: int): ...
    def positional(a: int, /): ...
    def generator():
        yield 1
    def unknown(when: type(NotImplemented)): ...
    def dangling(a: "Nowhere"): ...  # noqa: F821

    for function, word in [
        (star, r"\*args"),
        (positional, "positional-only a"),
        (generator, "generator"),
        (unknown, "'when'"),
        (dangling, "Nowhere"),
    ]:
        with pytest.raises(ValueError, match=word):
            Tool.from_function(function)


def test_a_call_without_a_handler_fails_clearly():
    with Sandbox(tools=[Tool("f")], capabilities=[MethodCapability("f")]) as sandbox:
        result = sandbox.run("tool f")
        assert result.exit_code == 1 and "no handler" in result.stderr


def test_a_dotted_name_is_told_its_command():
    tools = [Tool("bank.pay-now", "Pays.", None, lambda amount: amount)]
    with Sandbox(tools=tools, capabilities=[MethodCapability("**")]) as sandbox:
        result = sandbox.run("bank.pay-now --amount 1; bank_pay_now --amount 1; a.b")
    assert result.stdout == "1\n"
    assert result.stderr.splitlines() == [
        "bash: line 1: bank.pay-now: command not found",
        "hint: use bank_pay_now",
        "bash: line 1: a.b: command not found",
    ]
