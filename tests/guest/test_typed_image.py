"""What cmake/typed_image.py must do: accesses of all sizes that lie on one another are as before.

usage: test_typed_image.py WASM2C WAT2WASM CC INCLUDE

Random loads and stores, computed here and by what the compiler makes of them. Then C of another shape is
refused. Prints each failure; the exit status says whether there was one.
"""

import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))

from typed_image import CHANGES, type_accesses  # noqa: E402
from wasm_image import Refused, translate  # noqa: E402

ROOM = 20  # bytes that all accesses meet in
STORES = {"i32.store8": "B", "i32.store16": "H", "i32.store": "I", "i64.store8": "B", "i64.store16": "H",
          "i64.store32": "I", "i64.store": "Q", "f32.store": "I", "f64.store": "Q"}
LOADS = {"i32.load8_s": "b", "i32.load8_u": "B", "i32.load16_s": "h", "i32.load16_u": "H", "i32.load": "I",
         "i64.load8_s": "b", "i64.load8_u": "B", "i64.load16_s": "h", "i64.load16_u": "H",
         "i64.load32_s": "i", "i64.load32_u": "I", "i64.load": "Q", "f32.load": "I", "f64.load": "Q"}
DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include "t.h"
void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t initial, uint32_t most) {
    memory->data = calloc(initial, 65536);
    memory->pages = initial;
    memory->size = initial * 65536;
}
void wasm_rt_free_memory(wasm_rt_memory_t *memory) { free(memory->data); }
uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...) { return 1; }
bool wasm_rt_is_initialized(void) { return true; }
void wasm_rt_trap(wasm_rt_trap_t code) { exit(9); }
int main(void) {
    static Z_t_instance_t instance;
    Z_t_init_module();
    Z_t_instantiate(&instance);
    printf("%llu\n", (unsigned long long)Z_tZ_run(&instance));
}
"""


def masked(name: str, value: int) -> int:
    """What a load gives, as 64 bits."""
    return value & (0xFFFFFFFF if name.startswith(("i32", "f32")) else 0xFFFFFFFFFFFFFFFF)


def operand(name: str, value: int) -> str:
    if name.startswith("f"):
        return f"({name[:3]}.reinterpret_i{name[1:3]} (i{name[1:3]}.const {value}))"
    return f"({name[:3]}.const {value})"


def loaded(name: str, at: int) -> str:
    load = f"({name} (i32.const {at}))"
    if name.startswith("f"):
        load = f"(i{name[1:3]}.reinterpret_{name[:3]} {load})"
    return load if name.startswith(("i64", "f64")) else f"(i64.extend_i32_u {load})"


def program(chance: random.Random) -> tuple[str, int]:
    """The body of a function, and what it returns."""
    lines, memory, total, counted = [], bytearray(ROOM + 8), 0, 0
    for _ in range(400):
        at = chance.randrange(ROOM)
        if chance.random() < 0.5:
            name = chance.choice(list(STORES))
            kind = STORES[name]
            value = chance.getrandbits(32 if name.startswith(("i32", "f32")) else 64)
            size = struct.calcsize("<" + kind)
            struct.pack_into("<" + kind, memory, at, value & ((1 << 8 * size) - 1))
            lines.append(f"({name} (i32.const {at}) {operand(name, value)})")
        else:
            name = chance.choice(list(LOADS))
            value = masked(name, struct.unpack_from("<" + LOADS[name], memory, at)[0])
            total = ((total * 31 & 0xFFFFFFFFFFFFFFFF) ^ value) + counted & 0xFFFFFFFFFFFFFFFF
            counted += 1
            lines.append(f"(local.set 0 (i64.add (global.get $counted) (i64.xor {loaded(name, at)} "
                         "(i64.mul (local.get 0) (i64.const 31)))))"
                         "(global.set $counted (i64.add (global.get $counted) (i64.const 1)))")
    return "\n".join(lines), total


def main(wasm2c: str, wat2wasm: str, cc: str, include: str) -> int:
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        body, expected = program(random.Random(7))
        (folder / "t.wat").write_text(
            '(module (memory 1 1) (global $counted (mut i64) (i64.const 0)) (func (export "run") (result i64) '
            f"(local i64)\n{body}\n(local.get 0)))")
        (folder / "driver.c").write_text(DRIVER)
        subprocess.run([wat2wasm, str(folder / "t.wat"), "-o", str(folder / "t.wasm")], check=True)
        translate(wasm2c, folder / "t.wasm", "t", folder)
        text = (folder / "t.c").read_text()
        (folder / "t.c").write_text(type_accesses(text))
        for level in ("-O0", "-O1", "-O2", "-O3"):
            program_file = folder / "driver"
            subprocess.run([cc, level, "-fstrict-aliasing", "-std=gnu11", "-w", f"-I{include}", f"-I{folder}",
                            str(folder / "t.c"), str(folder / "driver.c"), "-o", str(program_file), "-lm"],
                           check=True)
            done = subprocess.run([str(program_file)], capture_output=True, text=True, check=False)
            if done.stdout.strip() != str(expected):
                failures += 1
                print(f"at {level}: {done.stdout.strip()} instead of {expected}, status {done.returncode}: {done.stderr}")
        for old, _ in CHANGES:
            for bad in (text.replace(old, old[:-1] + " \n"), text + old):
                try:
                    type_accesses(bad)
                except Refused:
                    continue
                failures += 1
                print(f"accepted another shape of: {old}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
