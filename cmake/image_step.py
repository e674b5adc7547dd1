"""image_step.py: the command of a step between wasm_image.py and the compiler.

A step is a module that changes the C of an image, as cmake/WasmProgram.cmake calls it:
STEP_image.py --module NAME --input FOLDER --folder FOLDER.
"""

import argparse
import pathlib
import sys
from collections.abc import Callable

from wasm_image import Refused, write_changed

# Of the C, the header and the module's name: the C and the header; raises Refused.
Change = Callable[[str, str, str], tuple[str, str]]


def main(change: Change) -> int:
    """Reads an image, changes it and writes it; the status of the process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--module", required=True)
    parser.add_argument("--input", type=pathlib.Path, required=True, help="wasm_image.py's folder")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    args = parser.parse_args()
    names = f"{args.module}.c", f"{args.module}.h"
    try:
        texts = change(*((args.input / name).read_text() for name in names), args.module)
    except Refused as error:
        print(f"image {args.module}: {error}", file=sys.stderr)
        return 1
    args.folder.mkdir(exist_ok=True)
    for name, text in zip(names, texts):
        write_changed(args.folder / name, text)
    return 0
