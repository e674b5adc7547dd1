"""What a model is told of the functions it can call: results, failures, limits, within a budget."""

import dataclasses
import datetime
import enum
import pathlib
from collections.abc import AsyncIterator, Awaitable
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from pinfold import MethodCapability, Param, Sandbox, SandboxTool, Tool, create_sandbox_tool
from pinfold.mcp import _unwrapped
from pinfold.returns import result_schema


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Line:
    sku: str
    count: int = 1


class Item(TypedDict):
    name: str
    price: NotRequired[float]


@dataclasses.dataclass
class Tree:
    name: str
    children: "list[Tree]"


@pytest.mark.parametrize(
    "annotation, told",
    [
        (str, "string"),
        (None, "null"),
        (int, "number"),
        (list[Line], "Array<{ sku: string; count: number }>"),
        (Item, "{ name: string; price?: number }"),
        (Line | None, "{ sku: string; count: number } | null"),
        (dict[str, bool], "Record<string, boolean>"),
        (dict, "Record<string, any>"),
        (tuple[str, int], "[string, number]"),
        (tuple[str, ...], "Array<string>"),
        (set[int], "Array<number>"),
        (Colour, '"red" | "blue"'),
        (Literal["a", 1], '"a" | 1'),
        (datetime.datetime, "string"),
        (pathlib.Path, "string"),
        (Awaitable[str], "string"),
        (Tree, "{ name: string; children: Array<any> }"),
        (Any, "any"),
        (object, "any"),
        (AsyncIterator[str], "any"),
    ],
)
def test_a_result_is_described(annotation, told):
    def get():
        pass

    get.__annotations__["return"] = annotation
    tool = create_sandbox_tool([get])
    assert f"get(params: {{}}): Promise<{told}>;" in tool.description
    with tool.sandbox as sandbox:
        said = sandbox.shell("tool --help get")
        assert (f"Prints JSON: {told}\n" in said) is (told != "any")
        assert f"Promise<{told}>" in sandbox.shell("cat /tools/tools.d.ts")


def test_a_result_of_pydantic():
    pydantic = pytest.importorskip("pydantic")

    class Inner(pydantic.BaseModel):
        when: datetime.date
        note: str | None = None

    class Order(pydantic.BaseModel):
        id: str
        total: Annotated[float, pydantic.Field(description="in euros")]
        inner: list[Inner]
        again: "Order | None" = None

    def get_order(id: str) -> Order: ...

    Order.model_rebuild(_types_namespace={"Order": Order, "Inner": Inner})
    get_order.__annotations__["return"] = Order
    told = create_sandbox_tool([get_order]).description
    assert "Promise<{ id: string; total: number /* in euros */; inner: Array<{ when: string /* date */; note: string | null }>; again: any | null }>" in told


def test_what_a_docstring_says():
    def get_order(id: Annotated[str, "as in the mail"], most: int = 5) -> Annotated[dict, "the order"]:
        """Finds an order. It may take long.

        Args:
            most: how many lines to give

        Raises:
            LookupError: there is no such order
        """

    told = create_sandbox_tool([get_order]).description
    for words in (
        "Finds an order. It may take long.",
        "@param id as in the mail",
        "@param most how many lines to give; default 5",
        "@returns the order",
        "Fails with LookupError: there is no such order",
    ):
        assert words in told, told

    def documented() -> str:
        """Does it.

        Returns:
            what was done
        """

    assert "@returns what was done" in create_sandbox_tool([documented]).description


def test_a_comment_cannot_be_left():
    def sly(a: Annotated[str, "*/ declare const x: any; /*"]) -> Annotated[str, "*/ y"]:
        """*/ z"""

    told = create_sandbox_tool([sly]).description
    assert told.count("*/") == 1


def test_limits_and_budgets_are_told():
    def pay(to: str, amount: int) -> str:
        """Pays."""

    tool = create_sandbox_tool(
        [pay], constraints={"pay": {"amount": "<=1000", "to": ["ada", "bo"]}}, max_calls=3
    )
    words = 'Allowed: amount <= 1000, to one of "ada", "bo"; at most 3 calls.'
    assert words in tool.description and words in tool.sandbox.shell("tool --help pay")
    asked = create_sandbox_tool([pay], ask=True, approve=lambda call: True)
    assert "Allowed: each call has to be approved." in asked.description


def test_what_is_not_granted_is_not_advertised():
    def pay() -> str: ...

    def steal() -> str: ...

    tool = SandboxTool.from_functions([pay, steal], capabilities=[MethodCapability("pay")])
    assert "pay(" in tool.description and "steal" not in tool.description
    assert "steal" not in tool.codeact_prompt()
    assert "Not granted: every call is denied." in tool.sandbox.shell("tool --help steal")
    pay_line, steal_line = tool.sandbox.shell("tool --list").splitlines()
    assert pay_line.split() == ["pay"] and "Not granted" in steal_line


def test_what_a_handler_of_all_methods_grants():
    granted = [MethodCapability("stripe/**", [Param("amount") <= 5]), MethodCapability("ping")]
    tool = SandboxTool(Sandbox(tool_handler=lambda method, params: method, capabilities=granted))
    assert "- stripe/** (amount <= 5)\n- ping" in tool.description
    assert tool.run("return await tools.stripe.charges({amount: 1})", "javascript") == "stripe/charges"


def catalogue(count):
    words = "Does things of this kind. And some more words about what it does. " * 3
    schema = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(5)}}
    return [Tool(f"area.tool_{i}", words, schema, lambda **given: 1) for i in range(count)]


@pytest.mark.parametrize("count, budget", [(10, 20_000), (10, 3000), (10, 1500), (100, 5000), (400, 4000), (400, 500)])
def test_a_long_catalogue_is_shortened(count, budget):
    tool = create_sandbox_tool(catalogue(count), description_characters=budget)
    whole = create_sandbox_tool(catalogue(count), description_characters=None).description
    told = tool.description
    assert "area_tool_0" in told or "and 400 more: `tool --list`" in told
    assert len(told) - len(create_sandbox_tool().description) <= max(budget, 900)
    if len(told) < len(whole):
        assert "tool --help NAME" in told and "tool --search WORD" in told
    assert len(tool.tools) == count and "Does things" in tool.run("tool --help area.tool_7", "shell")


def test_a_schema_with_references():
    schema = {
        "type": "object",
        "properties": {"line": {"$ref": "#/$defs/Line"}, "node": {"$ref": "#/$defs/Node"}},
        "$defs": {
            "Line": {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]},
            "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}},
        },
    }
    told = create_sandbox_tool([Tool("add", "", schema, lambda **given: 1)]).description
    assert "{ line?: { sku: string }; node?: { next?: any } }" in told


def test_a_schema_that_explodes_stays_small():
    fan = {f"D{i}": {"type": "array", "prefixItems": [{"$ref": f"#/$defs/D{i + 1}"}] * 10} for i in range(10)}
    fan["D10"] = {"type": "string"}
    tool = Tool("t", "", {"type": "object", "x-returns": {"$ref": "#/$defs/D0", "$defs": fan}}, lambda: 1)
    with Sandbox(tools=[tool]) as sandbox:
        assert len(sandbox.files["/tools/tools.d.ts"]) < 200_000


def test_output_schemas_of_mcp():
    inner = {"type": "array", "items": {"$ref": "#/$defs/Row"}}
    defs = {"Row": {"type": "object"}}
    wrapped = {"type": "object", "properties": {"result": inner}, "$defs": defs}
    assert _unwrapped(wrapped) == {**inner, "$defs": defs}
    assert _unwrapped(None) is None and _unwrapped(inner) is inner


def test_a_schema_never_fails():
    class Odd:
        __pydantic_core_schema__ = None

    assert result_schema(Odd) == {}
    with pytest.raises(TypeError, match="returns"):
        Tool("t", returns="string")
    # What describes a result is not checked, whatever keywords it has.
    tool = Tool("t", "", {"type": "object"}, lambda: 1, returns={"type": "string", "x-odd": 1})
    assert SandboxTool.from_functions([tool]).run("t", "shell") == "1"


def test_the_codeact_prompt_says_what_lasts():
    tool = SandboxTool()
    said = tool.codeact_prompt()
    tool.run("x=41; cd /tmp", "shell")
    assert tool.run("echo $((x + 1)) $PWD", "shell") == "42 /tmp"
    assert "variables, functions and the working directory last" in said
    assert "options (set, shopt) end with the run" in said
    assert "Each JavaScript program starts afresh. In Python names last" in said
    assert "and so do options" in SandboxTool(session_options=True).codeact_prompt()


def test_what_lies_in_an_object_is_explained():
    pydantic = pytest.importorskip("pydantic")

    class Row(pydantic.BaseModel):
        """A line of an order."""

        sku: Annotated[str, pydantic.Field(description="article number", pattern="^[A-Z]+$")]
        count: Annotated[int, pydantic.Field(ge=1, le=99)] = 1

    def order(rows: list[Row], at: Annotated[list[int], pydantic.Field(max_length=2)] = []) -> Row:
        """Orders.

        Args:
            rows: what is ordered.

        Returns:
            The last line.
        """

    order.__annotations__.update(rows=list[Row], at=Annotated[list[int], pydantic.Field(max_length=2)])
    order.__annotations__["return"] = Row
    with create_sandbox_tool([order]) as tool:
        row = '{ sku: string /* article number; matches ^[A-Z]+$ */; count: number /* 1 to 99 */ }'
        given = row.replace("count: number /* 1 to 99 */", "count?: number /* 1 to 99; default 1 */")
        declared = f"declare function order(params: {{ rows: Array<{given}>; at?: Array<number> }}): Promise<{row}>;"
        assert declared in tool.description
        assert "@param rows what is ordered.\n" in tool.description and "@returns The last line." in tool.description
        assert "@param at at most 2 items; default []" in tool.description
        help = tool.run("order --help", "shell")
        assert f"        Array<{given}>\n" in help and "        at most 2 items\n" in help
        stub = tool.sandbox.files.text("/tools/tools.pyi")
        assert f"    rows: what is ordered. Array<{given}>\n" in stub and f"    Returns: The last line. {row}" in stub
        compile(stub, "tools.pyi", "exec")


def test_names_with_dashes_have_their_help():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string", "default": ""}}, "required": ["n"]}
    with create_sandbox_tool([Tool("git/create-issue", "Creates an issue.", schema, lambda n, s="": n + 1)]) as tool:
        for name in ("git/create-issue", "git.create-issue", "git_create_issue"):
            assert "Creates an issue." in tool.run(f"tool --help {name}", "shell")
            assert tool.run(f"tool {name} --n 4", "shell") == "5"
        assert '--s STRING  (default: "")' in tool.run("tool --help git/create-issue", "shell")


def test_cases_of_a_grant_are_told_apart():
    def pay(to: str, amount: int) -> str: ...

    granted = [
        MethodCapability("pay", [Param("amount") <= 10], max_calls=3),
        MethodCapability("pay", [Param("to").is_in(["ada"]), Param("amount") > 10], ask=True),
    ]
    told = create_sandbox_tool([pay], capabilities=granted).description
    cases = '(1) amount <= 10; at most 3 calls. (2) to == "ada", amount > 10; each call has to be approved.'
    assert f"Allowed in these cases: {cases}" in told


def test_the_network_is_what_is_granted():
    pytest.importorskip("httpcore")
    from pinfold.http import Http

    assert "there is no network." in create_sandbox_tool().description
    told = create_sandbox_tool([Http(["GET https://a.example/**"])]).description
    assert "there is no network but for requests of HTTP" in told
    assert 'Allowed: method == "GET" if given and url matches "https://a.example/**".' in told


def test_a_type_that_cannot_be_read_is_named():
    @dataclasses.dataclass
    class Local:
        other: "Elsewhere"  # noqa: F821

    def f(a: int) -> None: ...

    f.__annotations__["a"] = Local
    with pytest.raises(ValueError, match="tool 'f', parameter 'a'.*Elsewhere.*importable"):
        create_sandbox_tool([f])
