"""There is nothing to call: programs of a sandbox are not native code."""

raise ImportError(
    "ctypes calls native code, and a sandbox runs none: use struct or array for binary "
    "data, and a tool for what only the host can do",
    name="_ctypes",
)
