"""The runtime behind a sandbox."""

from .wasm import Runtime, RuntimeConfig, RuntimeError, RuntimeStatus, precompile_module

__all__ = ["Runtime", "RuntimeConfig", "RuntimeError", "RuntimeStatus", "precompile_module"]
