"""What cmake/held_image.py must do: every access goes by the variable, or there is no image.

usage: test_held_image.py WASM-OPT WASM2C WAT2WASM CC INCLUDE FLAGS

That loads and stores mean the same is what tests/wasm shows, which goes the same way. Here: nothing of
the old way is left, what nobody thought of is refused, and a load whose value nobody wants is still
made, with the flags of images (FLAGS, separated by commas). Prints each failure; the exit status says
whether there was one.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))

from held_image import hold  # noqa: E402
from wasm_image import Refused  # noqa: E402

MODULE = """(module
  (import "pf" "call" (func $call (param i32)))
  (memory (export "memory") 2 65535)
  (global $sp (export "__stack_pointer") (mut i32) (i32.const 8))
  (global (export "__heap_base") i32 (i32.const 8))
  (data (i32.const 64) "  i32_load(&instance->w2c_memory, ")
  (func (export "pf_asyncify") (result i32)
    (i64.store32 (i32.const 16) (i64.load16_s (i32.const 8)))
    (f64.store (i32.const 24) (f64.load (i32.const 32)))
    (i32.load8_u (i32.const 7)))
  (func (export "pf_start")
    (call $call (i32.const 8))
    (memory.fill (i32.const 8) (i32.const 1) (i32.const 8))
    (memory.copy (i32.const 8) (i32.const 16) (i32.const 8))
    (drop (memory.grow (memory.size)))
    (drop (i32.load offset=123456 (i32.const 8)))))"""

# Text that is replaced once in good C, and what makes it bad.
CHANGES = [
    ("an unknown access", "i32_load8_u(&instance->w2c_memory", "i32_peek(&instance->w2c_memory"),
    ("an access of its own", "  FUNC_EPILOGUE;\n", "  instance->w2c_memory.data[0] = 1;\n  FUNC_EPILOGUE;\n"),
    ("other loads", "    wasm_rt_memcpy(&result, &mem->data[addr], sizeof(t1)); \\\n", "    result = 0; \\\n"),
    ("other stores", "    wasm_rt_memcpy(&mem->data[addr], &wrapped, sizeof(t1));", "    mem->pages = 0;"),
    ("another choice of checks", "#if WASM_RT_MEMCHECK_SIGNAL_HANDLER", "#if 1"),
    ("two memories", "wasm_rt_allocate_memory(&instance->w2c_memory, ",
     "wasm_rt_allocate_memory(&instance->w2c_more, 1, 1);\n  wasm_rt_allocate_memory(&instance->w2c_memory, "),
]

failures = 0


def fail(what: str) -> None:
    global failures
    failures += 1
    print(what)


def main(wasm_opt: str, wasm2c: str, wat2wasm: str, cc: str, include: str, flags: str) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wat, wasm, held = folder / "t.wat", folder / "t.wasm", folder / "held"
        wat.write_text(MODULE)
        subprocess.run([wat2wasm, "--debug-names", str(wat), "-o", str(wasm)], check=True)
        # -O0: the module is as it is written here.
        subprocess.run(
            [sys.executable, str(ROOT / "cmake" / "wasm_image.py"), "--kind", "program", "--module", "t",
             "--input", str(wasm), "--wasm", str(folder / "out.wasm"), "--folder", str(folder),
             "--level=-O0", "--wasm-opt", wasm_opt, "--wasm2c", wasm2c], check=True)
        source = (folder / "t.c").read_text()
        for what, old, new in CHANGES:
            if old not in source:
                fail(f"the module has nothing to change: {what}")
            try:
                hold(source.replace(old, new, 1))
                fail(f"accepted: {what}")
            except Refused:
                pass
        subprocess.run([sys.executable, str(ROOT / "cmake" / "held_image.py"), "--module", "t",
                        "--input", str(folder), "--folder", str(held)], check=True)
        text = (held / "t.c").read_text()
        data = re.compile(r'^  "(?:[^"\\]|\\.)*"$', re.M)
        if data.findall(text) != data.findall(source):
            fail("data of the image is changed")
        left = re.findall(r"\b[if](?:32|64)_\w+\(&instance.*", data.sub("", text))
        if left or text.count("(held, ") < 6:
            fail(f"accesses go another way: {left}, {text.count('(held, ')} by the variable")
        done = subprocess.run(
            [cc, "-O2", "-S", "-std=gnu11", f"-I{ROOT}", f"-I{include}", f"-I{held}", *flags.split(","),
             str(held / "t.c"), "-o", "-"], check=True, capture_output=True, text=True)
        if "123464" not in done.stdout:
            fail("the compiler leaves out a load whose value nobody wants")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
