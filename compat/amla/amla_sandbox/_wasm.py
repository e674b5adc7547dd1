"""Where the runtime is. There is no wasm file: pinfold's native module takes its place."""

from __future__ import annotations

import os
from pathlib import Path


def get_wasm_path() -> Path:
    override = os.environ.get("AMLA_WASM_PATH")
    if override and Path(override).exists():
        return Path(override)
    from pinfold import _native

    return Path(_native.__file__)


def get_wasm_bytes() -> bytes:
    return get_wasm_path().read_bytes()


def is_wasm_available() -> bool:
    return get_wasm_path().exists()
