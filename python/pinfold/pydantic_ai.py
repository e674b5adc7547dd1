"""PydanticAI tools in, and the sandbox as one out. Needs ``pydantic-ai-slim``."""

from __future__ import annotations

from typing import Any

from .definitions import PARAMETERS
from .tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .sandbox_tool import SandboxTool


def is_pydantic_ai_tool(value: object) -> bool:
    """Looks without importing the library."""
    return hasattr(value, "function_schema") and hasattr(value, "takes_ctx")


def from_pydantic_ai(tool: Any) -> Tool:
    """A PydanticAI tool as a tool of scripts, with its name, description and schema."""
    if tool.takes_ctx:
        raise ValueError(
            f"the tool {tool.name!r} takes a run context, which scripts have not: wrap it in a"
            " function that provides it"
        )
    schema = dict(tool.function_schema.json_schema)
    made = Tool.from_function(tool.function, name=tool.name, description=tool.description or "")
    made.schema = schema
    return made


def as_pydantic_ai_tool(tool: SandboxTool, name: str, description: str) -> Any:
    """A PydanticAI tool that runs scripts."""
    try:
        from pydantic_ai import Tool as PydanticTool
    except ImportError as error:
        raise ImportError(f"PydanticAI tools need pydantic-ai-slim: {error}") from error

    async def run_script(code: str, language: str) -> str:
        return await tool.arun(code, language)

    return PydanticTool.from_schema(
        run_script, name=name, description=description, json_schema=PARAMETERS, sequential=True
    )
