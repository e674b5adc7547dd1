"""A sandbox as a toolset of PydanticAI."""

from __future__ import annotations

from typing import Any

from pydantic_ai.toolsets import FunctionToolset

from ..pydantic_ai import as_pydantic_ai_tool
from ..sandbox_tool import SandboxTool


class PinfoldToolset(FunctionToolset[Any]):
    """``Agent(model, toolsets=[PinfoldToolset(tool)])``: the sandbox as one tool, which tells the
    model what it runs and which functions scripts can call."""

    def __init__(self, tool: SandboxTool | None = None, *, name: str = "run_script") -> None:
        self.sandbox_tool = SandboxTool() if tool is None else tool
        about = self.sandbox_tool.description
        made = as_pydantic_ai_tool(self.sandbox_tool, name, about)
        super().__init__([made], id="pinfold")
