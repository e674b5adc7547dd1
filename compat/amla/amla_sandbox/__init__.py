"""The names of amla-sandbox on top of pinfold.

>>> from amla_sandbox import create_sandbox_tool
>>> create_sandbox_tool().run("echo hello | tr a-z A-Z", "shell")
'HELLO\\n'
"""

from .audit import AuditCollector, AuditConfig, AuditEntry
from .bash_tool import create_sandbox_tool
from .capabilities import (
    METHOD_CAPABILITY_TYPE,
    TOOL_CALL_CAP_TYPE,
    CallLimitExceededError,
    CapabilityError,
    Constraint,
    ConstraintError,
    ConstraintSet,
    MethodCapability,
    MissingParamError,
    Param,
    ToolCallCap,
    TypeMismatchError,
    ViolationError,
    method_matches_pattern,
    pattern_is_subset,
)
from .codeact import (
    JS_CODEACT_PROMPT,
    create_amla_codeact,
    create_amla_sandbox,
    format_tool_descriptions_js,
)
from .langgraph import ExecutionResult, SandboxTool
from .runtime import Runtime, RuntimeConfig, RuntimeError, RuntimeStatus, precompile_module
from .sandbox import Sandbox
from .tools import (
    AsyncToolHandler,
    SyncToolHandler,
    ToolDefinition,
    ToolHandler,
    capability_from_function,
    create_tool_handler,
    from_anthropic_tools,
    from_claude,
    from_langchain,
    from_openai,
    from_openai_tools,
    tool_from_function,
)

__version__ = "0.2.8"

__all__ = [
    "AsyncToolHandler",
    "AuditCollector",
    "AuditConfig",
    "AuditEntry",
    "CallLimitExceededError",
    "CapabilityError",
    "Constraint",
    "ConstraintError",
    "ConstraintSet",
    "ExecutionResult",
    "JS_CODEACT_PROMPT",
    "METHOD_CAPABILITY_TYPE",
    "MethodCapability",
    "MissingParamError",
    "Param",
    "Runtime",
    "RuntimeConfig",
    "RuntimeError",
    "RuntimeStatus",
    "Sandbox",
    "SandboxTool",
    "SyncToolHandler",
    "TOOL_CALL_CAP_TYPE",
    "ToolCallCap",
    "ToolDefinition",
    "ToolHandler",
    "TypeMismatchError",
    "ViolationError",
    "capability_from_function",
    "create_amla_codeact",
    "create_amla_sandbox",
    "create_sandbox_tool",
    "create_tool_handler",
    "format_tool_descriptions_js",
    "from_anthropic_tools",
    "from_claude",
    "from_langchain",
    "from_openai",
    "from_openai_tools",
    "method_matches_pattern",
    "pattern_is_subset",
    "precompile_module",
    "tool_from_function",
]
