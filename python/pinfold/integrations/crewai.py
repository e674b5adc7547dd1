"""A sandbox as a tool of CrewAI."""

from __future__ import annotations

from typing import Any, Literal

from crewai.tools import BaseTool
from pydantic import BaseModel, Field

from ..sandbox_tool import SandboxTool


class Script(BaseModel):
    """What a model gives the tool."""

    code: str = Field(description="the script")
    language: Literal["javascript", "python", "shell"] = Field(description="what it is written in")


class PinfoldTool(BaseTool):  # type: ignore[misc]
    """``Agent(tools=[PinfoldTool(tool)])``."""

    name: str = "run_script"
    description: str = ""
    args_schema: type[BaseModel] = Script
    _tool: SandboxTool

    def __init__(self, tool: SandboxTool | None = None, **more: Any) -> None:
        made = SandboxTool() if tool is None else tool
        super().__init__(**{"description": made.description, **more})
        self._tool = made

    def _run(self, code: str, language: str) -> str:
        return self._tool.run(code, language)

    async def _arun(self, code: str, language: str) -> str:
        return await self._tool.arun(code, language)
