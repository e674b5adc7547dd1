"""Tools: definitions, schemas, other libraries' tools, prompts, the command."""

import dataclasses
from datetime import UTC, datetime
from typing import Optional
from unittest.mock import MagicMock

import pytest

from amla_sandbox import (
    JS_CODEACT_PROMPT,
    AuditCollector,
    AuditConfig,
    AuditEntry,
    SandboxTool,
    ToolDefinition,
    capability_from_function,
    create_amla_sandbox,
    create_tool_handler,
    format_tool_descriptions_js,
    from_anthropic_tools,
    from_claude,
    from_langchain,
    from_openai,
    from_openai_tools,
    tool_from_function,
)
from amla_sandbox.cli import precompile_main
from amla_sandbox.schema import dataclass_to_schema, python_type_to_json_schema


def search(query: str, limit: int = 10, tags: Optional[list[str]] = None) -> list:
    """Searches everything.

    Longer text.

    Args:
        query: what to look for,
            in words
        limit (int): how many
    """
    return [query] * limit


def test_definitions_round_trip():
    made = tool_from_function(search)
    assert (made.name, made.description) == ("search", "Searches everything.")
    assert made.parameters["required"] == ["query"]
    properties = made.parameters["properties"]
    assert properties["query"] == {"type": "string", "description": "what to look for, in words"}
    assert properties["limit"] == {"type": "integer", "description": "how many"}
    assert properties["tags"] == {"type": "array", "items": {"type": "string"}, "nullable": True}
    written = made.to_dict()
    assert set(written) == {"name", "description", "inputSchema"}
    assert ToolDefinition.from_dict(written) == made
    assert ToolDefinition.from_dict({"name": "n", "description": "d", "parameters": {"a": 1}}).parameters == {"a": 1}
    assert "required" not in tool_from_function(lambda: None).parameters


def test_functions_without_words():
    def plain(a, b=1):
        pass

    made = tool_from_function(plain)
    assert made.description == "Call plain" and made.parameters["required"] == ["a"]
    assert capability_from_function(plain, max_calls=3).to_dict() == {"method_pattern": "mcp:plain", "max_calls": 3}


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.0


@pytest.mark.parametrize(
    "kind, schema",
    [
        (str, "string"),
        (int, "integer"),
        (float, "number"),
        (bool, "boolean"),
        (list, "array"),
        (dict, "object"),
        (type(None), {"type": "null"}),
        (Optional[int], {"type": "integer", "nullable": True}),
        (int | None, {"type": "integer", "nullable": True}),
        (int | str, "string"),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, int], "object"),
        (object, "string"),
    ],
)
def test_schemas(kind, schema):
    assert python_type_to_json_schema(kind) == schema


def test_schema_of_a_dataclass():
    schema = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "number"}}, "required": ["x"]}
    assert dataclass_to_schema(Point) == python_type_to_json_schema(Point) == schema


def test_handlers():
    handler = create_tool_handler([search])
    assert handler("mcp:search", {"query": "x", "limit": 1}) == handler("search", {"query": "x", "limit": 1}) == ["x"]
    with pytest.raises(ValueError, match="Unknown tool"):
        handler("nope", {})


OPENAI = {"name": "get", "description": "Gets", "parameters": {"type": "object", "properties": {"id": {"type": "string"}}}}


def test_openai_and_anthropic():
    assert from_openai is from_openai_tools and from_claude is from_anthropic_tools

    def other(**params):
        return params

    for tools in ([OPENAI], [{"type": "function", "function": OPENAI}]):
        (func,), (definition,) = from_openai_tools(tools, handlers={"get": other})
        assert func is other and func.__name__ == "get"
        assert definition == ToolDefinition("get", "Gets", OPENAI["parameters"])
    (func,), (definition,) = from_anthropic_tools([{"name": "x", "input_schema": {"type": "object"}}])
    assert definition == ToolDefinition("x", "Call x", {"type": "object"}) and func.__name__ == "x"
    with pytest.raises(NotImplementedError, match="No handler provided"):
        func()
    _, (definition,) = from_openai_tools([{"name": "y"}])
    assert definition.parameters == {"type": "object", "properties": {}}


def test_langchain_objects():
    tool = MagicMock(args_schema=None, description="First.\nSecond.")
    tool.name = "mocked"
    (func,), (definition,) = from_langchain([tool])
    assert func is tool.func and (definition.name, definition.description) == ("mocked", "First.")
    del tool.func
    (func,), _ = from_langchain([tool])
    assert func is tool._run
    (func,), (definition,) = from_langchain([search])
    assert func is search and definition.name == "search"
    with pytest.raises(TypeError, match="Cannot convert tool"):
        from_langchain([object()])


def test_prompts():
    assert "await fs.writeFile" in JS_CODEACT_PROMPT and "await shell" in JS_CODEACT_PROMPT
    assert "writeFileSync" not in JS_CODEACT_PROMPT and "readFileSync" not in JS_CODEACT_PROMPT
    text = format_tool_descriptions_js([search])
    assert "### `search({query: string, limit?: number, tags?: string[] | null})`" in text
    assert text in JS_CODEACT_PROMPT.format(tool_descriptions=text)
    evaluate = create_amla_sandbox([search])
    assert evaluate("console.log((await search({query: 'a', limit: 2})).length)", {"x": 1}) == ("2\n", {})
    tool = SandboxTool.from_functions([search])
    for prompt in (tool.get_system_prompt(), tool.get_system_prompt_for_separate_tools()):
        assert "search(query: str" in prompt and "Searches everything." in prompt
    assert "search(" not in tool.get_system_prompt(include_tools=False)


def test_langchain_tools():
    pytest.importorskip("langchain_core")
    tool = SandboxTool.from_functions([search])
    one = tool.as_langchain_tool()
    assert one.name == "sandbox" and set(one.args) == {"code", "language"}
    assert one.invoke({"code": "echo hi", "language": "shell"}) == "hi\n"
    js, shell = tool.as_langchain_tools()
    assert [js.name, shell.name] == ["sandbox_js", "sandbox_shell"]
    assert js.invoke({"code": "return 1 + 1"}) == shell.invoke({"command": "echo 2"}) == "2\n"


def test_entries(tmp_path):
    entry = AuditEntry("tool_call", "s", datetime(2025, 1, 1, 12, tzinfo=UTC), {"k": 1}, trace_id="t")
    assert entry.to_dict() == {"type": "tool_call", "session_id": "s", "timestamp": "2025-01-01T12:00:00+00:00", "k": 1, "trace_id": "t"}
    assert "\n" not in entry.to_jsonl()
    config = AuditConfig()
    assert (config.output_path, config.agent_id, config.trace_id, config.capture_binary, config.binary_dir, config.custom_enricher) == (None, None, None, False, None, None)
    path = tmp_path / "a.jsonl"
    with AuditCollector(AuditConfig(output_path=path, capture_binary=True, binary_dir=tmp_path / "b")) as collector:
        assert path.exists() and collector.turn_id == 0 and collector.new_turn() is None and collector.turn_id == 1
        collector.add_entry(entry)
        collector.add_entry(entry, write_to_file=False)
        assert len(collector) == 2 and len(path.read_text().splitlines()) == 1
        assert list(collector.get_entries("other")) == []
        assert len(list(collector.get_entries(since=datetime(2024, 1, 1, tzinfo=UTC)))) == 2
        assert collector.capture_binary("ab12", b"x") == tmp_path / "b" / "ab12.bin"
        collector.clear()
        assert collector.entries == [] and collector._file is not None
    assert collector._file is None
    assert AuditCollector().capture_binary("ab12", b"x") is None


def test_entries_from_a_runtime():
    runtime = MagicMock()
    runtime.drain_audit.return_value = '{"type": "tool_call", "timestamp": "nonsense", "x": 1}\nbad\n'
    collector = AuditCollector(AuditConfig(agent_id="a", custom_enricher=lambda data: {**data, "more": 2}))
    (entry,) = collector.drain_from_runtime(runtime)
    assert collector.entries == [entry]
    assert entry.data == {"x": 1, "more": 2} and entry.timestamp.tzinfo is not None and entry.agent_id == "a"


def test_the_command(capsys):
    assert precompile_main([]) == 0
    assert capsys.readouterr().out == ""
