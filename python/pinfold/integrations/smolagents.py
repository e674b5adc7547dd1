"""A sandbox as the executor of smolagents' CodeAgent."""

from __future__ import annotations

import json
from typing import Any

from smolagents import Tool as SmolTool
from smolagents.local_python_executor import CodeOutput, PythonExecutor

from ..sandbox_tool import SandboxTool, create_sandbox_tool
from ..tool import Tool

_TYPES = {"string", "boolean", "integer", "number", "array", "object"}


class PinfoldExecutor(PythonExecutor):
    """``CodeAgent(tools, model, executor=PinfoldExecutor())``. The agent's tools run on the host;
    ``settings`` are those of `create_sandbox_tool`, constraints by the names of the tools included.
    Each action is a program of its own; files last from one to the next.
    """

    def __init__(self, **settings: Any) -> None:
        self._settings = settings
        self._variables: dict[str, Any] = {}
        self._answer: list[Any] = []
        self.tool: SandboxTool = create_sandbox_tool(**settings)
        self._names: dict[str, list[str]] = {}

    def send_tools(self, tools: dict[str, SmolTool]) -> None:
        made = [self._made(name, tool) for name, tool in tools.items()]
        self._names = {name: list(tool.inputs) for name, tool in tools.items()}
        fresh = create_sandbox_tool(tools=made, **self._settings)
        for path, data in self.tool.sandbox.files.items():
            fresh.sandbox.files[path] = data
        self.tool.close()
        self.tool = fresh

    def send_variables(self, variables: dict[str, Any]) -> None:
        for name, value in variables.items():
            try:
                json.dumps(value)
            except (TypeError, ValueError):
                raise TypeError(f"the variable {name} is not JSON: {value!r}") from None
        self._variables.update(variables)

    def __call__(self, code_action: str) -> CodeOutput:
        self._answer.clear()
        result = self.tool.sandbox.run(self._prelude() + code_action, language="python")
        if self._answer:
            return CodeOutput(self._answer[0], result.stdout, True)
        if not result.ok:
            raise RuntimeError(result.stderr.strip() or f"exit status {result.exit_code}")
        return CodeOutput(result.value, result.stdout, False)

    def cleanup(self) -> None:
        """Ends the sandbox."""
        self.tool.close()

    def _made(self, name: str, tool: SmolTool) -> Tool:
        properties = {key: _schema(given) for key, given in tool.inputs.items()}
        required = [key for key, given in tool.inputs.items() if not given.get("nullable")]
        schema = {"type": "object", "properties": properties, "required": required}

        def handler(**params: Any) -> Any:
            if name == "final_answer":
                self._answer.append(params.get("answer"))
                return None
            return tool(**params)

        return Tool(name, tool.description, schema, handler)

    def _prelude(self) -> str:
        """Tools as functions that also take their arguments by position, and the variables."""
        lines = ["import json as _json, tools as _tools"]
        for name, inputs in self._names.items():
            lines.append(
                f"def {name}(*args, **more):"
                f" return _tools.{name}(**dict(zip({inputs!r}, args)), **more)"
            )
        values = json.dumps(json.dumps(self._variables))
        lines.append(f"globals().update(_json.loads({values}))")
        return "; ".join(lines[:1]) + "\n" + "\n".join(lines[1:]) + "\n"


def _schema(given: dict[str, Any]) -> dict[str, Any]:
    kind = given.get("type")
    schema = {"description": given.get("description", "")}
    return {**schema, "type": kind} if kind in _TYPES else schema
