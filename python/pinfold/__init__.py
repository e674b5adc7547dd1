"""pinfold: a sandbox in your process for code that language models write.

>>> from pinfold import create_sandbox_tool
>>> sandbox = create_sandbox_tool()
>>> sandbox.run("echo hello | tr a-z A-Z", language="shell")
'HELLO'

`create_sandbox_tool` gives a model one tool that runs its scripts; `Sandbox` is the machine behind
it: runs, files, step-by-step control, snapshots. `MethodCapability`, `Param` and `Limits` say what
a script may do.
"""

from __future__ import annotations

from ._native import version as __version__
from .errors import (
    AuditFull,
    BoundError,
    CapabilityError,
    ExecutionError,
    LeaseError,
    LeftOutWarning,
    NoTimerError,
    PinfoldError,
    ProofError,
    ReplayError,
    SandboxBusy,
    SandboxClosed,
    SandboxDead,
    SandboxInterrupted,
    SandboxStateError,
    SnapshotError,
    StoreError,
    StoreUnavailable,
    ToolError,
    ToolNameWarning,
    TraceError,
)
from .limits import Limits
from .result import Result, Usage
from .sandbox import Sandbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .analysis import Analysis, analyze
    from .astore import AsyncStore
    from .audit import AuditLog
    from .call import Call
    from .capability import Constraint, ConstraintSet, MethodCapability, Param, load_policy
    from .memo import Cache
    from .preview import Preview
    from .proof import Proof
    from .replaying import Replay, replay
    from .sandbox_tool import SandboxTool, create_sandbox_tool
    from .store import Store
    from .tool import Tool
    from .tracediff import compare_traces
    from .whatif import WhatIf

__all__ = [
    "Analysis",
    "AsyncStore",
    "AuditFull",
    "AuditLog",
    "BoundError",
    "Cache",
    "Call",
    "CapabilityError",
    "Constraint",
    "ConstraintSet",
    "ExecutionError",
    "LeaseError",
    "LeftOutWarning",
    "Limits",
    "MethodCapability",
    "NoTimerError",
    "Param",
    "PinfoldError",
    "Preview",
    "Proof",
    "ProofError",
    "Replay",
    "ReplayError",
    "Result",
    "Sandbox",
    "SandboxBusy",
    "SandboxClosed",
    "SandboxDead",
    "SandboxInterrupted",
    "SandboxStateError",
    "SandboxTool",
    "SnapshotError",
    "Store",
    "StoreError",
    "StoreUnavailable",
    "Tool",
    "ToolError",
    "ToolNameWarning",
    "TraceError",
    "Usage",
    "WhatIf",
    "__version__",
    "analyze",
    "compare_traces",
    "create_sandbox_tool",
    "load_policy",
    "replay",
]

# Modules that a plain sandbox does not need are loaded when first asked for: they bring inspect,
# dataclasses and typing, which take longer to import than a sandbox takes to start.
_LATER = {
    "Analysis": "analysis",
    "AsyncStore": "astore",
    "analyze": "analysis",
    "AuditLog": "audit",
    "Cache": "memo",
    "Call": "call",
    "Constraint": "capability",
    "ConstraintSet": "capability",
    "MethodCapability": "capability",
    "Param": "capability",
    "Preview": "preview",
    "Proof": "proof",
    "Replay": "replaying",
    "SandboxTool": "sandbox_tool",
    "Store": "store",
    "Tool": "tool",
    "WhatIf": "whatif",
    "compare_traces": "tracediff",
    "create_sandbox_tool": "sandbox_tool",
    "load_policy": "capability",
    "replay": "replaying",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
