"""A sandbox as a tool of LlamaIndex."""

from __future__ import annotations

from typing import Literal

from llama_index.core.tools import FunctionTool
from pydantic import BaseModel, Field

from ..sandbox_tool import SandboxTool


class Script(BaseModel):
    """What a model gives the tool."""

    code: str = Field(description="the script")
    language: Literal["javascript", "python", "shell"] = Field(description="what it is written in")


def as_llama_index_tool(tool: SandboxTool, name: str = "run_script") -> FunctionTool:
    """The sandbox as a tool for `FunctionAgent(tools=[…])`."""

    def run_script(code: str, language: str) -> str:
        return tool.run(code, language)

    async def arun_script(code: str, language: str) -> str:
        return await tool.arun(code, language)

    return FunctionTool.from_defaults(
        fn=run_script,
        async_fn=arun_script,
        name=name,
        description=tool.description,
        fn_schema=Script,
    )
