"""Sandboxes: what programs see, what handlers get, what is denied."""

import asyncio
import builtins
import json

import pytest

import amla_sandbox
from amla_sandbox import (
    AuditConfig,
    ConstraintSet,
    MethodCapability,
    Param,
    Runtime,
    RuntimeConfig,
    RuntimeError,
    Sandbox,
    SandboxTool,
    ToolCallCap,
    ToolDefinition,
    create_sandbox_tool,
)
from amla_sandbox.auth import PCA, EphemeralAuthority
from amla_sandbox.bash_tool import _parse_constraints, _parse_string_constraint
from amla_sandbox.runtime.wasm import (
    MAX_TOOL_RESULT_SIZE,
    TOOL_RESULT_CHUNK_SIZE,
    _create_tool_result_responses,
)

NUMBERS = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
ADD = ToolDefinition("math.add", "Adds two numbers", NUMBERS)


def adder(method, params):
    adder.calls.append((method, params))
    return params["a"] + params["b"]


adder.calls = []


def with_tools(handler=adder, **settings):
    adder.calls.clear()
    return Sandbox(tools=[ADD], tool_handler=handler, **settings)


# ------------------------------------------------------------------ JavaScript


def test_every_name_is_there():
    assert all(hasattr(amla_sandbox, name) for name in amla_sandbox.__all__)


def test_tools_are_globals():
    sandbox = with_tools()
    code = """
        console.log(await math_add({a: 3, b: 4}));
        console.log(listTools().join(), getToolInfo("math_add").id, getToolInfo("math_add").description);
        console.log("math_add" in __tools__, Object.keys(__tools__).join());
    """
    assert sandbox.execute(code) == "7\nmath_add mcp:math.add Adds two numbers\ntrue math_add\n"
    assert adder.calls == [("math.add", {"a": 3, "b": 4})]
    assert all(type(value) is int for value in adder.calls[0][1].values())


@pytest.mark.parametrize("name", ["math.add", "weather/current", "x-y", "a:b", "echo", "fetch", "console_x"])
def test_names_of_tools(name):
    sandbox = Sandbox(tools=[ToolDefinition(name, "d")], tool_handler=lambda method, params: method)
    flat = name
    for sign in "./-:":
        flat = flat.replace(sign, "_")
    assert sandbox.execute(f"return await {flat}({{}})") == f"{name}\n"


@pytest.mark.parametrize("value", [{"a": [1]}, [1, "x"], 7, 1.5, "text", "", True, False, "日本語 🎉 עברית", {"deep": [[[[[[[[[[1]]]]]]]]]]}])
def test_results_are_values(value):
    sandbox = with_tools(lambda method, params: value)
    assert json.loads(sandbox.execute("return JSON.stringify(await math_add({a: 1, b: 1}))")) == value


def test_large_results():
    rows = [{"id": i, "text": "日本語" * 10} for i in range(2000)]
    sandbox = with_tools(lambda method, params: rows)
    assert sandbox.execute("const r = await math_add({a: 1, b: 1}); return r.length + ' ' + r[1999].text") == "2000 " + "日本語" * 10 + "\n"


def test_files():
    sandbox = Sandbox()
    code = """
        await fs.mkdir('/workspace/d');
        await fs.writeFile('/workspace/d/b.txt', 'text');
        await fs.writeFile('/workspace/d/a.txt', '');
        const text = await fs.readFile('/workspace/d/b.txt');
        console.log(typeof text, text, await fs.exists('/workspace/d'), await fs.exists('/nowhere'));
        console.log((await fs.stat('/workspace/d')).isDirectory, (await fs.stat('/workspace/d/b.txt')).isDirectory);
        console.log((await fs.stat('/workspace/d/b.txt')).size);
        console.log((await fs.readdir('/workspace/d')).sort().join(','));
        await fs.unlink('/workspace/d/a.txt');
        try { fs.readFileSync('/workspace/d/b.txt') } catch (e) { console.log(e.message.includes('await fs.readFile')) }
        try { fs.writeFileSync('/workspace/x', '') ; console.log('wrote') } catch (e) { console.log('threw') }
    """
    assert sandbox.execute(code).splitlines() == ["string text true false", "true false", "4", "a.txt,b.txt", "true", "threw"]
    assert sandbox.shell("ls /workspace/d; cat /workspace/d/b.txt") == "b.txt\ntext"
    sandbox.shell("echo from shell > /workspace/s.txt")
    assert sandbox.execute("return await fs.readFile('/workspace/s.txt')").strip() == "from shell"
    assert Sandbox().execute("return await fs.exists('/workspace/s.txt')") == "false\n"
    denied = Sandbox().execute("try { await fs.mkdir('/mydir') } catch (e) { console.log(e.message) }")
    assert "EACCES" in denied and "permission denied" in denied.lower()


def test_shell_from_javascript():
    sandbox = Sandbox()
    code = """
        const r = await shell("printf 'a\\nb\\nc\\n' | wc -l");
        console.log(r.stdout.trim(), r.exitCode);
        console.log(await shell.run("echo hi"));
        try { await shell.run("exit 1") } catch (e) { console.log('REJECTED', e.message) }
    """
    out = sandbox.execute(code)
    assert out.startswith("3 0\nhi\n") and "REJECTED" in out and "exit 1" in out


@pytest.mark.parametrize(
    "code, words",
    [
        ("undefined.x", ("TypeError", "undefined")),
        ("nothingLikeThis()", ("ReferenceError", "not defined")),
        ("const n = 5; n.foo()", ("TypeError", "not a function")),
        ("const s = 'open", ("error", "stderr")),
    ],
)
def test_failing_programs(code, words):
    told = create_sandbox_tool().run(code, "javascript")
    assert any(word.lower() in told.lower() for word in words) and "[stderr]: " in told
    assert Sandbox().execute(f"console.log('before'); {code}" if "open" not in code else code) in ("before\n", "")


def test_caught_errors_streams_and_stdin():
    sandbox = Sandbox()
    assert sandbox.execute("try { throw new Error('Test error') } catch (e) { console.log('Caught: ' + e.message) }") == "Caught: Test error\n"
    pieces = []
    assert sandbox.execute("console.log('é'); console.error('x'); console.log(2)", on_output=pieces.append) == "é\n2\n"
    assert "".join(pieces) == "é\n2\n"
    assert sandbox.last_stderr == "x\n"
    assert sandbox.execute("ignored(", stdin=b"console.log(1)") == "1\n"
    assert sandbox.execute("return null") == "null\n" and sandbox.execute("return {a: 1}") == '{"a":1}\n'
    assert sandbox.shell("cat >&2; exit 3", stdin="in") == "" and sandbox.last_stderr == "in"


# ------------------------------------------------------------------ the shell


def test_the_tool_command():
    sandbox = with_tools()
    assert sandbox.shell("tool math.add --a 10 --b 5") == "15\n"
    assert adder.calls[-1] == ("math.add", {"a": 10, "b": 5})
    assert sandbox.shell("""tool math.add --json '{"a": 1, "b": 2}' | jq '. + 1'""") == "4\n"
    assert "math.add" in sandbox.shell("tool --list") and "Adds two" in sandbox.shell("tool --list math")
    assert "math.add" not in sandbox.shell("tool --list other")
    shown = sandbox.shell("tool --help math.add")
    assert "math.add" in shown and "Adds two numbers" in shown and "--a" in shown
    sandbox.shell("tool math.add --a 1")
    assert "b" in sandbox.last_stderr or "required" in sandbox.last_stderr
    sandbox.shell("tool nope.nothing")
    assert any(word in sandbox.last_stderr.lower() for word in ("unknown", "not found", "no tools"))
    empty = Sandbox()
    empty.shell("tool nope.nothing --a 1")
    assert any(word in empty.last_stderr.lower() for word in ("unknown", "not found", "no tools"))


def test_values_keep_the_type_of_their_schema():
    kinds = {"s": "string", "i": "integer", "n": "number", "b": "boolean"}
    schema = {"type": "object", "properties": {k: {"type": v} for k, v in kinds.items()}}
    sandbox = Sandbox(tools=[ToolDefinition("echo.it", "", schema)], tool_handler=lambda method, params: params)
    out = sandbox.shell("tool echo.it --s 10 --i 10 --n 1.5 --b true")
    assert json.loads(out) == {"s": "10", "i": 10, "n": 1.5, "b": True}
    # A description of a function may be narrower than the function: nothing is checked by it.
    assert json.loads(sandbox.execute("return await echo_it({s: {x: 1}, i: 'text', more: [1]})")) == {"s": {"x": 1}, "i": "text", "more": [1]}


# ------------------------------------------------------------------ errors and limits


def message_of(sandbox, call="math_add({a: 1, b: 2})"):
    return sandbox.execute(f"try {{ console.log(await {call}) }} catch (e) {{ console.log('ERROR: ' + e.message) }}")


def test_handlers():
    assert "No handler" in message_of(with_tools(handler=None))

    def broken(method, params):
        raise KeyError("boom")

    told = message_of(with_tools(broken))
    assert "boom" in told and "math.add" in told and "Parameters:" in told
    assert "must be a mapping" in message_of(with_tools(), "math_add('x')")


def test_async_handlers():
    async def handler(method, params):
        await asyncio.sleep(0)
        return params["a"] * 2

    told = message_of(with_tools(handler))
    assert "coroutine" in told and "execute_async" in told
    code = "console.log(await math_add({a: 21, b: 0}))"
    assert asyncio.run(with_tools(handler).execute_async(code)) == "42\n"
    assert asyncio.run(with_tools().execute_async("return await math_add({a: 1, b: 2})")) == "3\n"


def test_constraints_and_budgets():
    def transfer(amount: int, currency: str) -> str:
        return "sent"

    tool = create_sandbox_tool(
        tools=[transfer],
        constraints={"transfer": {"amount": "<=1000", "currency": ["USD", "EUR"]}},
        max_calls=2,
    )
    sandbox = tool.sandbox
    key = "cap:method:mcp:transfer"
    assert sandbox.get_call_counts() == {key: 2} and sandbox.get_remaining_calls(key) == 2
    assert sandbox.get_remaining_calls("cap:tool-call:mcp:transfer") == 2
    assert sandbox.get_remaining_calls("cap:method:other") is None
    told = message_of(sandbox, "transfer({amount: 5000, currency: 'USD'})")
    assert "amount" in told and "5000" in told
    assert "GBP" in message_of(sandbox, "transfer({amount: 5, currency: 'GBP'})")
    assert sandbox.get_remaining_calls(key) == 2
    good = "transfer({amount: 5, currency: 'USD'})"
    assert message_of(sandbox, good) == "sent\n"
    assert sandbox.can_call("mcp:transfer", {"amount": 5, "currency": "USD"}) is True
    assert message_of(sandbox, good) == "sent\n"
    assert "exceeded" in message_of(sandbox, good)
    assert sandbox.can_call("mcp:transfer", {"amount": 5, "currency": "USD"}) is False
    assert sandbox.get_call_counts() == {key: 0}
    sandbox.shell("tool transfer --amount 5 --currency USD")
    assert "exceeded" in sandbox.last_stderr


def test_a_failing_handler_costs_a_call_and_a_later_capability_takes_over():
    def fails(method, params):
        raise ValueError("no")

    sandbox = with_tools(fails, capabilities=[MethodCapability("mcp:math.add", max_calls=1), ToolCallCap("**", max_calls=1)])
    for left in ({"cap:method:mcp:math.add": 0, "cap:tool-call:**": 1}, {"cap:method:mcp:math.add": 0, "cap:tool-call:**": 0}):
        assert "no" in message_of(sandbox)
        assert sandbox.get_call_counts() == left
    assert "exceeded" in message_of(sandbox)


def test_a_race_for_one_budget():
    sandbox = with_tools(capabilities=[MethodCapability("mcp:math.add", max_calls=3)])
    code = """
        const all = Array.from({length: 20}, () => math_add({a: 1, b: 1}));
        const settled = await Promise.allSettled(all);
        return settled.filter(s => s.status === 'fulfilled').length;
    """
    assert sandbox.execute(code) == "3\n" and len(adder.calls) == 3


def test_nothing_else_is_allowed():
    sandbox = with_tools(capabilities=[MethodCapability("mcp:other")])
    assert "ERROR" in message_of(sandbox) and not adder.calls
    authority = EphemeralAuthority()
    token = authority.create_pca(capabilities=["tool_call:**"])
    sandbox = Sandbox(pca=token.to_cbor(), trusted_authorities=[authority.public_key_hex()], tools=[ADD], tool_handler=adder)
    assert sandbox.get_capabilities() == [] and "ERROR" in message_of(sandbox)


def test_can_call_is_literal():
    sandbox = Sandbox(capabilities=[MethodCapability("api/*", ConstraintSet([Param("n") <= 1]))])
    assert sandbox.can_call("api/users", {"n": 1}) is True
    assert sandbox.can_call("api/users") is False and sandbox.can_call("mcp:api/users", {"n": 1}) is False
    assert Sandbox().can_call("mcp:limited.action") is True
    sandbox._runtime = None
    assert sandbox.can_call("api/users", {"n": 1}) is False and sandbox.last_stderr == ""
    for run in (lambda: sandbox.execute("1"), lambda: sandbox.shell("ls"), lambda: asyncio.run(sandbox.execute_async("1"))):
        with pytest.raises(builtins.RuntimeError, match="not initialized"):
            run()


def test_the_payment_snippets():
    sandbox = Sandbox(
        capabilities=[
            MethodCapability(
                method_pattern="stripe/charges/*",
                constraints=ConstraintSet([Param("amount") <= 10000, Param("currency").is_in(["USD", "EUR"])]),
                max_calls=100,
            )
        ],
        tool_handler=lambda method, params: {"method": method, **params},
    )
    out = sandbox.execute('return await stripe.charges.create({amount: 500, currency: "USD"})')
    assert json.loads(out) == {"method": "stripe/charges/create", "amount": 500, "currency": "USD"}
    assert "20000" in message_of(sandbox, 'stripe.charges.create({amount: 20000, currency: "USD"})')
    assert sandbox.get_remaining_calls("cap:method:stripe/charges/*") == 99

    def transfer(amount: int) -> int:
        return amount

    tool = SandboxTool.from_functions([transfer], capabilities=[MethodCapability("mcp:transfer", ConstraintSet([Param("amount") <= 100]))])
    assert tool.run("console.log(await transfer({amount: 100}))", "javascript") == "100\n"
    assert "101" in tool.run("await transfer({amount: 101})", "javascript")


# ------------------------------------------------------------------ runtimes and tokens


def test_runtimes():
    runtime = Runtime.for_testing()
    assert runtime.execute("echo hi") == "hi\n" and runtime.last_exit_code == 0
    runtime.execute("exit 3")
    assert runtime.last_exit_code == 3 and runtime.last_sys_time_ns == runtime.last_elapsed_ns - runtime.last_user_time_ns
    assert runtime.can_call("mcp:limited.action") is True
    runtime._capabilities = [MethodCapability("mcp:limited.action", max_calls=1)]
    assert [c.key() for c in runtime.get_capabilities()] == ["cap:method:mcp:limited.action"]
    assert runtime.get_remaining_calls("cap:method:mcp:limited.action") is None
    assert runtime.can_call("mcp:limited.action") is True and runtime.can_call("mcp:other") is False
    for config in (RuntimeConfig(), RuntimeConfig(pca_bytes=b"x"), RuntimeConfig(pca_bytes=b"x", trusted_authorities=["ed25519:00"])):
        with pytest.raises(RuntimeError):
            Runtime(config)


def test_tokens():
    authority = EphemeralAuthority.from_seed(bytes(32))
    assert authority.public_key_hex() == "ed25519:3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
    assert len(authority.public_key_bytes()) == 32
    token = authority.create_pca(capabilities=["tool_call:math/**"])
    assert isinstance(token, PCA) and token.to_cbor()
    config = {"pca_bytes": token.to_cbor(), "trusted_authorities": [authority.public_key_hex()]}
    Runtime(RuntimeConfig(**config))
    # What the token does not grant is denied, whatever the capabilities say.
    tools = json.dumps([ADD.to_dict(), {"name": "other", "description": ""}])
    runtime = Runtime(RuntimeConfig(**config, capabilities=[MethodCapability("**")], tools_json=tools, tool_handler=lambda method, params: 1))
    assert runtime.execute("tool math.add --a 1 --b 2") == "1\n"
    assert runtime.execute("tool other") == "" and "token" in runtime.last_stderr
    data = bytearray(token.to_cbor())
    data[-1] ^= 1
    stranger = EphemeralAuthority().public_key_hex()
    expired = authority.create_pca(expires_in_secs=-1).to_cbor()
    for bad in ({"pca_bytes": bytes(data)}, {"trusted_authorities": [stranger]}, {"pca_bytes": expired}):
        with pytest.raises(RuntimeError, match="rejected"):
            Runtime(RuntimeConfig(**{**config, **bad}))
    with pytest.raises(ValueError):
        EphemeralAuthority.from_seed(b"short")
    with pytest.raises(ValueError):
        authority.create_pca(designated_executor="rsa:00")


# ------------------------------------------------------------------ small parts


@pytest.mark.parametrize(
    "spec, kind, value",
    [("<=1000", "le", 1000), (">= 5", "ge", 5), ("<5", "lt", 5), (">5", "gt", 5), ("==5", "eq", 5), ("<=99.99", "le", 99.99)],
)
def test_constraints_as_text(spec, kind, value):
    constraint = _parse_string_constraint("p", spec)
    assert (constraint.type, constraint.param, constraint.value) == (kind, "p", value)


def test_other_constraints():
    assert _parse_string_constraint("p", "startswith:x").prefix == "x"
    assert _parse_string_constraint("p", "nonsense") is None and _parse_string_constraint("p", "<=x") is None
    assert len(_parse_constraints({"a": ["x"], "b": 5, "c": "no", "d": None})) == 2
    for spec in ("no", None, "<=x", ("a",)):
        with pytest.raises(ValueError):
            create_sandbox_tool([adder_function], constraints={"adder_function": {"a": spec}})


def adder_function(a: int, b: int = 1) -> int:
    """Adds."""
    return a + b


def test_the_tool_of_functions():
    tool = create_sandbox_tool([adder_function], max_calls={"adder_function": 7})
    assert tool._tool_map == {"adder_function": adder_function} and tool.tools == [adder_function]
    (capability,) = tool.sandbox.capabilities
    assert capability.method_pattern == "mcp:adder_function" and capability.max_calls == 7
    assert create_sandbox_tool([adder_function]).sandbox.capabilities[0].max_calls == 100
    assert tool.sandbox.tool_handler("mcp:adder_function", {"a": 1}) == 2
    with pytest.raises(ValueError):
        tool.sandbox.tool_handler("other", {})
    for tools in (None, []):
        assert create_sandbox_tool(tools).sandbox.tool_handler is None
    assert "adder_function" in tool.get_tool_descriptions() and "Adds." in tool.get_tool_descriptions()
    assert "7" in tool._get_constraints_summary()
    assert create_sandbox_tool().run("true", "shell") == "(no output)"
    assert "Error:" in str(amla_sandbox.ExecutionResult(error="x", stderr="y"))


def test_results_in_pieces():
    assert 1024 <= TOOL_RESULT_CHUNK_SIZE <= 8192 and MAX_TOOL_RESULT_SIZE == 10 << 20
    for value in (None, {}, [], "", {"a": 1}):
        assert _create_tool_result_responses("op", 1, value) == [{"id": "op", "runtime_id": 1, "result": {"type": "tool_result", "result": value}}]
    value = {"data": "日本語" * 3000}
    pieces = [piece["result"] for piece in _create_tool_result_responses("op", 1, value)]
    import base64
    import math

    size = len(json.dumps(value).encode())
    assert len(pieces) == math.ceil(size / TOOL_RESULT_CHUNK_SIZE)
    assert [p["eof"] for p in pieces] == [False] * (len(pieces) - 1) + [True]
    assert json.loads(b"".join(base64.b64decode(p["data"]) for p in pieces)) == value
    (large,) = _create_tool_result_responses("op", 1, "x" * 100, max_size=10)
    assert large["result"]["type"] == "tool_result_error" and "too large" in large["result"]["message"].lower()
    (bad,) = _create_tool_result_responses("op", 1, object())
    assert bad["result"]["code"] == "internal" and "not json-serializable" in bad["result"]["message"].lower()


def test_audit(tmp_path):
    path = tmp_path / "audit.jsonl"
    with with_tools(audit_config=AuditConfig(output_path=path, agent_id="a")) as sandbox:
        assert len(sandbox.audit_collector) == 0 and list(sandbox.get_audit_entries()) == []
        sandbox.execute("await math_add({a: 1, b: 2})")
        sandbox.audit_collector.new_turn()
        sandbox.shell("echo")
        (call,) = sandbox.get_audit_entries("tool_call")
        assert call.data["method"] == "mcp:math.add" and call.agent_id == "a" and call.turn_id == 0
        count = len(sandbox.audit_collector)
        assert list(sandbox.get_audit_entries())[-1].turn_id == 1
    assert sandbox.audit_collector is None
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == count and lines[0]["type"] == "command_create"
    assert Sandbox().audit_collector is None and list(Sandbox().get_audit_entries()) == []
