"""CodeAct: a model that acts by writing JavaScript."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Sequence
from typing import Any

from .capabilities import MethodCapability
from .langgraph import SandboxTool
from .schema import as_schema
from .tools.conversion import first_line, name_of

SandboxFn = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]

JS_CODEACT_PROMPT = """\
You solve the user's task by writing JavaScript. Answer with one code block, or
with text when you are done:

```javascript
const rows = await list_rows({{table: "orders"}});
console.log(rows.length);
```

What the program prints is all you get to see, so print what you need to know. Programs run in a
sandbox, at the top level of an async function:

* Functions take one object and return promises; call several at once with `Promise.all`.
* Files last from program to program: `await fs.writeFile("/workspace/notes.json", text)`,
  `await fs.readFile(path)`. There are no synchronous variants. Variables do not last.
* `await shell("sort /workspace/notes.txt | uniq -c")` gives `{{stdout, stderr, exitCode}}`.
* There is no network. The functions below are all that reaches outside.

{tool_descriptions}
"""


def format_tool_descriptions_js(functions: Sequence[Callable[..., Any]]) -> str:
    """The functions as a chapter of Markdown, with JavaScript signatures."""
    parts = ["## Functions"]
    for func in functions:
        parts.append(f"### `{_js_signature(func)}`\n{first_line(inspect.getdoc(func))}".rstrip())
    return "\n\n".join(parts)


def _js_signature(func: Callable[..., Any]) -> str:
    try:
        hints = typing.get_type_hints(func)
    except Exception:  # a hint that cannot be resolved says nothing
        hints = {}
    members = []
    for name, parameter in inspect.signature(func).parameters.items():
        if name in ("self", "cls") or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        optional = "" if parameter.default is parameter.empty else "?"
        members.append(f"{name}{optional}: {_js_type(hints.get(name, Any))}")
    return f"{name_of(func)}({{{', '.join(members)}}})"


def _js_type(hint: Any) -> str:
    if hint is Any:
        return "any"
    schema = as_schema(hint)
    kind = {"integer": "number", "array": "any[]"}.get(schema.get("type", ""), "")
    text = kind or schema.get("type", "object")
    if schema.get("type") == "array" and "items" in schema:
        item = schema["items"].get("type", "any")
        text = f"{ {'integer': 'number'}.get(item, item) }[]".replace(" ", "")
    return f"{text} | null" if schema.get("nullable") else text


def create_amla_sandbox(
    tools: Sequence[Callable[..., Any]],
    *,
    capabilities: Sequence[MethodCapability] | None = None,
) -> SandboxFn:
    """A function that runs code, as CodeAct graphs want it. Variables never persist."""
    tool = SandboxTool.from_functions(tools, capabilities=capabilities)

    def evaluate(code: str, locals: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return tool.execute(code).to_tool_message(), {}

    return evaluate


def create_amla_codeact(
    model: Any,
    tools: Sequence[Callable[..., Any]],
    *,
    capabilities: Sequence[MethodCapability] | None = None,
    prompt: str | None = None,
) -> Any:
    """A CodeAct graph whose code runs in a sandbox."""
    try:
        from langchain.chat_models import init_chat_model
        from langgraph_codeact import create_codeact
    except ImportError as error:
        raise ImportError(
            "create_amla_codeact needs langchain and langgraph-codeact:"
            f" pip install langchain langgraph-codeact ({error})"
        ) from error
    functions = list(tools)
    if isinstance(model, str):
        model = init_chat_model(model)
    if prompt is None:
        prompt = JS_CODEACT_PROMPT.format(tool_descriptions=format_tool_descriptions_js(functions))
    return create_codeact(
        model=model,
        tools=functions,
        eval_fn=create_amla_sandbox(functions, capabilities=capabilities),
        prompt=prompt,
    )
