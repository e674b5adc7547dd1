"""Integers beyond 2^53: the same id for a script, for the policy and for the handler."""

import asyncio
import json

import pytest

from pinfold import MethodCapability, Param, Sandbox, Tool, create_sandbox_tool

ID = 1234567890123456789
LARGE = [2**53, -(2**53), 2**53 + 1, 2**63, ID, -ID, 10**40, -(10**300), int("9" * 3999)]
#: What a Number holds exactly and safely, or was no integer to begin with.
NUMBERS = [0, 1, -1, 2**53 - 1, -(2**53) + 1, 1.5, 1e300, -1e-300, 1e22, 123456789012345680000.0]


class Accounts:
    def __init__(self, *results):
        self.results, self.given = list(results), []

    def get(self) -> object:
        return self.results[0] if len(self.results) == 1 else self.results

    def pay(self, id: int) -> str:
        self.given.append(id)
        return f"paid {id}"

    def take(self, value: object) -> object:
        self.given.append(value)
        return value

    def sandbox(self, **settings):
        tools = [Tool.from_function(f) for f in (self.get, self.pay, self.take)]
        return create_sandbox_tool(tools, **settings).sandbox


@pytest.fixture(params=[None, "process"])
def isolation(request):
    return request.param


def test_an_id_comes_in_and_goes_back(isolation):
    accounts = Accounts({"id": ID})
    with accounts.sandbox(constraints={"pay": {"id": [ID]}}, isolation=isolation) as sandbox:
        for program in (
            "return await pay({id: (await get()).id})",
            "const {id} = await tools.get({}); return await tools.pay({id})",
            "const signal = new AbortController().signal;"
            " return await tools.pay(await get({}, {signal}), {signal})",
            "return await pay(structuredClone(await get()))",
            "return await pay({...await get()})",
            "import('node:assert'); return await pay({id: [await get()].map(x => x.id)[0]})",
            f"return await pay({{id: {ID}n}})",
            f"return await pay({{id: Object({ID}n)}})",
            f"return await pay({{id: JSON.rawJSON('{ID}')}})",
        ):
            result = sandbox.run(program, "javascript")
            assert (result.value, result.stderr) == (f"paid {ID}", ""), program
            result = asyncio.run(sandbox.arun(program, "typescript"))
            assert (result.value, result.stderr) == (f"paid {ID}", ""), program
        assert "paid" in sandbox.run("pay --id $(get | jq .id)").stdout
        assert "paid" in sandbox.run("get | pay < /dev/stdin").stdout
        assert "paid" in sandbox.run("get > f; js -e 'await pay({id: BigInt(process.argv[2])})' x $(jq .id f) && echo paid").stdout
    assert set(accounts.given) == {ID}


def test_the_policy_sees_the_same_number():
    accounts = Accounts(ID)
    with accounts.sandbox(constraints={"pay": {"id": f"<={ID - 1}"}}) as sandbox:
        result = sandbox.run("return await pay({id: await get()})", "javascript")
        assert f"id must be <= {ID - 1} (it is {ID})" in result.stderr
        assert "paid" in sandbox.run(f"return await pay({{id: {ID - 1}n}})", "javascript").stdout


@pytest.mark.parametrize("number", LARGE, ids=lambda n: f"{str(n)[:12]}…{len(str(n))}")
def test_large_integers_are_exact(number):
    accounts = Accounts({"n": number, "in": [[number]]})
    with accounts.sandbox() as sandbox:
        result = sandbox.run("const r = await get(); return [typeof r.n, await take({value: r})]", "javascript")
        assert result.value == ["bigint", {"n": number, "in": [[number]]}], result.stderr
        assert accounts.given == [{"n": number, "in": [[number]]}]
        assert result.stdout.strip() == result.value_json
        shown = sandbox.run("console.log(await get())", "javascript").stdout
        assert f"n: {number}n" in shown
        assert sandbox.run("return (await get()).n", "javascript").value == number


@pytest.mark.parametrize("number", NUMBERS, ids=str)
def test_other_numbers_are_numbers(number):
    accounts = Accounts({"n": number})
    with accounts.sandbox() as sandbox:
        result = sandbox.run("const r = await get(); return [typeof r.n, await take({value: r.n})]", "javascript")
        kind, back = result.value
        assert kind == "number" and float(back) == number == float(accounts.given[0])


def test_small_bigints_are_integers():
    accounts = Accounts(0)
    with accounts.sandbox() as sandbox:
        result = sandbox.run("return [5n, -0n, (await take({value: 7n})) === 7, 2n ** 64n]", "javascript")
        assert result.value == [5, 0, True, 2**64] and type(accounts.given[0]) is int
        assert sandbox.run("return 12345678901234567890n", "javascript").stdout == "12345678901234567890\n"
        assert sandbox.run("return -0", "javascript").value_json == "0"


def test_a_number_with_a_fraction_is_no_integer():
    def raw(**_):
        raise AssertionError

    with Sandbox(tools=[Tool("raw", handler=raw)], capabilities=[MethodCapability("raw")]) as sandbox:
        for text, expected in (
            ("1.0", "number 1"),
            ("1e0", "number 1"),
            ("-0", "number 0"),
            ("12345678901234567890.0", "number 12345678901234567000"),
            ("12345678901234567890e0", "number 12345678901234567000"),
            ("1e300", "number 1e+300"),
            ("9007199254740991", "number 9007199254740991"),
            ("9007199254740992", "bigint 9007199254740992"),
            ("-9007199254740991", "number -9007199254740991"),
            ("-9007199254740993", "bigint -9007199254740993"),
            ('"9007199254740993"', "string 9007199254740993"),
        ):
            sandbox.start("const r = await raw(); return `${typeof r} ${r}`", "javascript")
            sandbox.step()
            sandbox._machine.resume(1 if False else sandbox._last.id, text)
            assert sandbox.result.value == expected, text


def test_an_integer_of_any_length_that_a_policy_takes():
    accounts = Accounts(0)
    with accounts.sandbox() as sandbox:
        program = "const n = 10n ** BigInt(process.env.N); return String(await take({value: n})) === String(n)"
        assert sandbox.run("export N=3900").ok
        sandbox.run(f"cat > /tmp/p.js <<'X'\n{program.replace('return', 'process.exitCode =').replace('===', '===')} ? 0 : 1\nX")
        assert sandbox.run("N=3900 js /tmp/p.js").exit_code == 0
        refused = sandbox.run("N=5000 js /tmp/p.js")
        assert refused.exit_code == 1 and "ToolError" in refused.stderr
    assert accounts.given == [10**3900]


def test_json_of_a_program_is_node_s():
    accounts = Accounts({"id": ID})
    with accounts.sandbox() as sandbox:
        result = sandbox.run("console.log(JSON.stringify(await get()))", "javascript")
        assert "TypeError: Do not know how to serialize a BigInt" in result.stderr
        hint = result.stderr.partition("hint: ")[2]
        recipe = hint[: hint.index(" writes it exactly")]
        program = f"const value = await get(); return {recipe}"
        assert json.loads(sandbox.run(program, "javascript").value) == {"id": ID}
        # What a program does to BigInt counts where JSON would ask for it, as everywhere.
        own = "BigInt.prototype.toJSON = function () { return `${this}` }; return await get()"
        assert sandbox.run(own, "javascript").value == {"id": str(ID)}
        nested = "return {a: 1n, b: {toJSON() { try { return JSON.stringify(1n) } catch (e) { return e.name } }}}"
        assert sandbox.run(nested, "javascript").value == {"a": 1, "b": "TypeError"}
        assert sandbox.run(f"return typeof JSON.parse('{ID}')", "javascript").value == "number"


def test_what_is_told_of_tools():
    schema = {
        "type": "object",
        "properties": {"id": {"type": "integer", "enum": [1, ID]}, "max": {"const": -ID}},
    }
    tool = Tool("pick", "Picks.", schema, handler=lambda **given: given)
    made = create_sandbox_tool([tool])
    assert f"id?: 1 | {ID}n" in made.description and f"max?: -{ID}n" in made.description
    assert "BigInt" in made.description and "BigInt" in made.codeact_prompt()
    with made.sandbox as sandbox:
        assert sandbox.run("return getToolInfo('pick').parameters", "javascript").value == schema
        assert sandbox.run("return listTools()[0].parameters", "javascript").value == schema
        assert sandbox.run("return typeof getToolInfo('pick').parameters.properties.id.enum[1]", "javascript").value == "bigint"
        assert sandbox.run(f"return await pick({{id: {ID}n}})", "javascript").value == {"id": ID}
        assert sandbox.run(f"pick --id {ID} --max -{ID}").stdout == f'{{"id":{ID},"max":-{ID}}}\n'


def test_in_a_snapshot_and_a_replay(tmp_path):
    from pinfold import replay

    accounts = Accounts(ID)
    trace = tmp_path / "t.jsonl"
    tools = [Tool.from_function(accounts.get), Tool.from_function(accounts.pay)]
    granted = [MethodCapability("get"), MethodCapability("pay", [Param("id") == ID])]
    with Sandbox(tools=tools, capabilities=granted, record=trace) as sandbox:
        sandbox.start("const id = await get(); return await pay({id})", "javascript")
        sandbox.step().resume(ID)
        data = sandbox.snapshot()
        assert sandbox.finish().value == f"paid {ID}"
    with Sandbox.restore(data, tools=tools, capabilities=granted) as restored:
        assert restored.pending[0].params == {"id": ID}
        assert restored.finish().value == f"paid {ID}"
    with replay(trace) as again:
        assert again.results[0].value == f"paid {ID}"
