"""A sandbox as a tool of Strands Agents."""

from __future__ import annotations

from typing import Any

from strands.tools.tools import PythonAgentTool

from ..definitions import PARAMETERS
from ..sandbox_tool import SandboxTool


def as_strands_tool(tool: SandboxTool, name: str = "run_script") -> PythonAgentTool:
    """The sandbox as a tool for ``Agent(tools=[…])``."""

    async def run_script(use: Any, **_: Any) -> Any:
        text = await tool.ahandle(use["input"])
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": text}]}

    described = {
        "name": name,
        "description": tool.description,
        "inputSchema": {"json": PARAMETERS},
    }
    return PythonAgentTool(name, described, run_script)  # type: ignore[arg-type]
