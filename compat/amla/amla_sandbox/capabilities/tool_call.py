"""The newer names of `amla_sandbox.capabilities.method`."""

from .method import TOOL_CALL_CAP_TYPE, CallLimitExceededError, CapabilityError, ToolCallCap

__all__ = ["TOOL_CALL_CAP_TYPE", "CallLimitExceededError", "CapabilityError", "ToolCallCap"]
