"""What cmake/wasm_image.py must refuse: an image that the host does not expect does not come to be.

usage: test_wasm_image.py WASM-OPT WASM2C WAT2WASM CC

Prints each failure; the exit status says whether there was one.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "cmake" / "wasm_image.py"
sys.path.insert(0, str(SCRIPT.parent))

from wasm_data import add_data, leb, take_data  # noqa: E402
from wasm_image import Refused, rewrite  # noqa: E402

CALL = '(import "pf" "call" (func $call (param i32)))'
MEMORY = '(memory (export "memory") 2 65535)'
GLOBALS = ('(global (export "__stack_pointer") (mut i32) (i32.const 8))'
           '(global (export "__heap_base") i32 (i32.const 8))')
START = '(func (export "pf_start") (call $call (i32.const 8)))'
ASYNCIFY = '(func (export "pf_asyncify") (result i32) (i32.const 8))'
TABLE = '(table 3 funcref) (elem (i32.const 1) $start $start)'
INDIRECT = ('(type $v (func)) (func $start (call $call (i32.const 8)))'
            '(func (export "pf_start") (call_indirect (type $v) (i32.const 1)))')

# What is wrong, the module's parts, a word of the message (None: it is accepted).
MODULES = [
    ("nothing", [CALL, MEMORY, GLOBALS, START, ASYNCIFY], None),
    ("nothing, with indirect calls", [CALL, MEMORY, GLOBALS, TABLE, INDIRECT, ASYNCIFY], None),
    ("a second import",
     [CALL, '(import "env" "f" (func $f))', MEMORY, GLOBALS, ASYNCIFY,
      '(func (export "pf_start") (call $call (i32.const 8)) (call $f))'], "imports env.f"),
    ("an imported memory", [CALL, '(import "env" "m" (memory 2 65535)) (export "memory" (memory 0))',
                            GLOBALS, START, ASYNCIFY], "imports env.m"),
    ("no import", [MEMORY, GLOBALS, '(func (export "pf_start"))', ASYNCIFY],
     "does not import pf.call"),
    ("no maximum of memory", [CALL, '(memory (export "memory") 2)', GLOBALS, START, ASYNCIFY],
     "may grow"),
    ("a memory of 4 GiB", [CALL, '(memory (export "memory") 2 65536)', GLOBALS, START, ASYNCIFY],
     "may grow"),
    ("an export that is missing", [CALL, MEMORY, GLOBALS, START], "does not export pf_asyncify"),
    ("a mutable global that no copy of memory holds",
     [CALL, MEMORY, GLOBALS, '(global $g (mut i32) (i32.const 1))',
      '(func (export "pf_start") (call $call (global.get $g)) (global.set $g (i32.const 2)))',
      ASYNCIFY], "mutable globals"),
    ("a start function", [CALL, MEMORY, GLOBALS, START, ASYNCIFY,
                          '(func $s (i32.store (i32.const 8) (i32.const 1))) (start $s)'],
     "start function"),
    ("the import in its table, which a call would give the wrong instance",
     [CALL, MEMORY, GLOBALS, '(table 3 funcref) (elem (i32.const 1) $start $call)',
      '(type $v (func (param i32))) (func $start (type $v) (call $call (i32.const 8)))'
      '(func (export "pf_start") (call_indirect (type $v) (i32.const 8) (i32.const 2)))', ASYNCIFY],
     "no function of its own"),
    ("data that waits for a copy of it",
     [CALL, MEMORY, GLOBALS, ASYNCIFY, '(data $d "text")',
      '(func (export "pf_start") (call $call (i32.const 8))'
      ' (memory.init $d (i32.const 8) (i32.const 0) (i32.const 4)))'], "not copied to a constant place"),
]

# Data with every byte, with one byte, with none, and behind 2 GiB, where a place is a negative number.
SEGMENTS = [(0, bytes(range(256)) + b"??/1\\07"), (300, b"\0"), (400, b""), (0xC0000000, b"%d end")]
# wasm2c's C around memory, as far as data has to do with it; it prints what is loaded.
AROUND = """\
#include <stdio.h>
typedef unsigned char u8;
typedef unsigned u32;
typedef struct { int w2c_memory; } Z_t_instance_t;
#define wasm_rt_allocate_memory(...)
#define LOAD_DATA(m, o, i, s) \\
  do { printf("%u %u ", o, s); fwrite(i, 1, s, stdout); putchar('\\n'); } while (0)
static void init_memories(Z_t_instance_t* instance) {
  wasm_rt_allocate_memory(&instance->w2c_memory, 2, 65535);
}
int main(void) { Z_t_instance_t i; init_memories(&i); return 0; }
"""

# Lines of generated C that no rewrite is known for.
LINES = [
    "  i1 = CALL_INDIRECT(instance->w2c_T0, u32 (*)(void*), 1, i1, instance->w2c_T0.data[i1].other);",
    "  funcref_table_set(&instance->w2c_T0, 1, x);",
    "  funcref_table_copy(&instance->w2c_T0, &instance->w2c_T0, 0, 1, 1);",
    "  x = instance->w2c_T0.data[1].module_instance;",
    "static const wasm_elem_segment_expr_t elem_segment_exprs_w2c_e0[] = {\n"
    "  {0, (wasm_rt_function_ptr_t)Z_pfZ_call, offsetof(Z_t_instance_t, Z_pf_instance)},\n};",
]

failures = 0


def fail(what: str) -> None:
    global failures
    failures += 1
    print(what)


def run(folder: pathlib.Path, parts: list[str], tools: list[str]) -> subprocess.CompletedProcess:
    wat, wasm = folder / "t.wat", folder / "t.wasm"
    wat.write_text("(module " + "\n".join(parts) + ")")
    subprocess.run([tools[2], "--debug-names", str(wat), "-o", str(wasm)], check=True)
    return subprocess.run(
        [sys.executable, str(SCRIPT), "--kind", "program", "--module", "t", "--input", str(wasm),
         "--wasm", str(folder / "out.wasm"), "--folder", str(folder),
         "--wasm-opt", tools[0], "--wasm2c", tools[1]],
        capture_output=True, text=True, check=False)


def sleb(number: int) -> bytes:
    return bytes(number >> shift & 0x7F | 0x80 for shift in (0, 7, 14, 21)) + bytes([number >> 28 & 0x7F])


def check_data(cc: str) -> None:
    """What a module's data is, and where it belongs, comes out of the C as it went in."""
    content = leb(len(SEGMENTS)) + b"".join(
        b"\0\x41" + sleb(place - (place >> 31 << 32)) + b"\x0b" + leb(len(data)) + data
        for place, data in SEGMENTS)
    types, names = b"\x01\x01\0", b"\0\x09\x04name\x09\x02\x01\0"
    module = b"\0asm\1\0\0\0" + types + b"\x0c\x01\x04\x0b" + leb(len(content)) + content + names
    bare, segments = take_data(module)
    if bare != module[:8] + types + b"\0\x05\x04name":
        fail(f"without its data a module is {bare!r}")
    with tempfile.TemporaryDirectory() as name:
        source, program = pathlib.Path(name, "t.c"), pathlib.Path(name, "t")
        source.write_text(add_data(AROUND, segments))
        subprocess.run([cc, str(source), "-o", str(program)], check=True)
        found = subprocess.run([str(program)], capture_output=True, check=True).stdout
    wanted = b"".join(b"%d %d %s\n" % (place, len(data), data) for place, data in SEGMENTS)
    if found != wanted:
        fail(f"data: {found!r} instead of {wanted!r}")


def main(tools: list[str]) -> int:
    check_data(tools[3])
    for what, parts, word in MODULES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            result = run(folder, parts, tools)
            made = (folder / "t.c").exists()
            if word is None and (result.returncode or not made):
                fail(f"{what}: refused: {result.stderr}")
            if word and (not result.returncode or made or word not in result.stderr):
                fail(f"{what}: not refused, or not for that: {result.stderr}")
            if word is None and ".module_instance" in (folder / "t.c").read_text():
                fail(f"{what}: an indirect call still passes the instance of its table entry")
    define = "#define CALL_INDIRECT(table, t, ft, x, ...) \\\n"
    for line in LINES:
        try:
            rewrite(define + line)
        except Refused:
            continue
        fail(f"accepted: {line}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
