"""Tools: definitions, functions, and those of other libraries."""

from .conversion import capability_from_function, tool_from_function
from .definition import ToolDefinition
from .handlers import AsyncToolHandler, SyncToolHandler, ToolHandler, create_tool_handler
from .ingest import (
    from_anthropic_tools,
    from_claude,
    from_langchain,
    from_openai,
    from_openai_tools,
)

__all__ = [
    "AsyncToolHandler",
    "SyncToolHandler",
    "ToolDefinition",
    "ToolHandler",
    "capability_from_function",
    "create_tool_handler",
    "from_anthropic_tools",
    "from_claude",
    "from_langchain",
    "from_openai",
    "from_openai_tools",
    "tool_from_function",
]
