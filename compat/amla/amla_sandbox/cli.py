"""``amla-precompile``: succeeds, as nothing needs compiling."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def precompile_main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="amla-precompile",
        description="Kept for scripts that call it: pinfold comes compiled.",
    )
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--wasm-path", default=None)
    options = parser.parse_args(argv)
    from .runtime.wasm import precompile_module

    try:
        path = precompile_module(options.wasm_path)
    except Exception as error:
        print(f"amla-precompile: {error}", file=sys.stderr)
        return 1
    if options.verbose:
        print(f"nothing to compile: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(precompile_main())
