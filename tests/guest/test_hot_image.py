"""What cmake/hot_image.py must do: a program that unwinds at each of its waits computes what it did before.

usage: test_hot_image.py WASM_OPT WASM2C WAT2WASM CC INCLUDE

Calls that wait, directly, through a table and in a loop, are unwound and rewound by a driver; the calls that never wait
lie between them. Then lists and C of another shape are refused. Prints each failure; the exit status says
whether there was one.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))

from hot_image import keep_state  # noqa: E402
from split_image import split  # noqa: E402
from wasm_image import Refused, optimise, translate  # noqa: E402

ROUNDS = 50
PROGRAM = """
(module (import "pf" "call" (func $call (param i32) (result i32)))
  (memory (export "memory") 1 1) (table 2 2 funcref) (elem (i32.const 0) $wait $twice)
  (type $one (func (param i32) (result i32)))
  (func $twice (param i32) (result i32) (i32.shl (local.get 0) (i32.const 1)))
  (func $wait (param i32) (result i32)
    (i32.add (call $call (local.get 0)) (call $twice (call $call (i32.const 5)))))
  (func $run (export "run") (param $n i32) (result i32) (local $i i32) (local $sum i32)
    (loop $again
      (if (i32.and (local.get $i) (i32.const 1))
        (then (local.set $sum (i32.add (local.get $sum) (call $wait (local.get $i)))))
        (else (local.set $sum (i32.xor (local.get $sum) (call $twice (local.get $sum))))))
      (local.set $sum (i32.add (local.get $sum) (call_indirect (type $one) (local.get $i)
        (i32.rem_u (local.get $i) (i32.const 2)))))
      (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $sum)))
"""
DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include "t.h"
struct Z_pf_instance_t { int unused; };
static Z_t_instance_t instance;
static int waits;
void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t initial, uint32_t most) {
    memory->data = calloc(initial, 65536);
    memory->pages = initial;
    memory->size = initial * 65536;
}
void wasm_rt_free_memory(wasm_rt_memory_t *memory) { free(memory->data); }
void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t count, uint32_t most) {
    table->data = calloc(count, sizeof *table->data);
    table->size = table->max_size = count;
}
void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table) { free(table->data); }
uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...) { return params * 8 + results + 1; }
bool wasm_rt_is_initialized(void) { return true; }
void wasm_rt_trap(wasm_rt_trap_t code) { exit(9); }
u32 Z_pfZ_call(struct Z_pf_instance_t *pf, u32 value) {
    if (Z_tZ_asyncify_get_state(&instance) == 2) {
        Z_tZ_asyncify_stop_rewind(&instance);
        return value + 3;
    }
    waits++;
    Z_tZ_asyncify_start_unwind(&instance, 1024);
    return 0;
}
int main(int argc, char **argv) {
    struct Z_pf_instance_t pf;
    Z_t_init_module();
    Z_t_instantiate(&instance, &pf);
    u32 result = 0;
    for (;;) {
        u32 *stack = (u32 *)(instance.w2c_memory.data + 1024);
        if (!waits) stack[0] = 2048, stack[1] = 60000;
        result = Z_tZ_run(&instance, atoi(argv[1]));
        if (!Z_tZ_asyncify_get_state(&instance)) break;
        Z_tZ_asyncify_stop_unwind(&instance);
        Z_tZ_asyncify_start_rewind(&instance, 1024);
    }
    printf("%u %d\n", result, waits);
}
"""


def expected(rounds: int) -> str:
    """What the program gives, and how often it waits."""
    total = waits = 0
    for i in range(rounds):
        wait = i + 3 + 2 * (5 + 3)
        total = total + wait if i & 1 else total ^ 2 * total
        total += 2 * i if i & 1 else wait
        waits += 2
        total &= 0xFFFFFFFF
    return f"{total} {waits}"


def refuses(what: str, function, *args) -> int:
    try:
        function(*args)
    except Refused:
        return 0
    print(f"accepted {what}")
    return 1


def main(wasm_opt: str, wasm2c: str, wat2wasm: str, cc: str, include: str) -> int:
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "t.wat").write_text(PROGRAM)
        (folder / "driver.c").write_text(DRIVER)
        subprocess.run([wat2wasm, "--debug-names", str(folder / "t.wat"), "-o", str(folder / "plain.wasm")], check=True)
        optimise(wasm_opt, folder / "plain.wasm", folder / "t.wasm", "-O1",
                 ["--asyncify", "--pass-arg=asyncify-imports@pf.call"])
        translate(wasm2c, folder / "t.wasm", "t", folder)
        text = (folder / "t.c").read_text()
        header, parts = split(text, "t", 3, "# most of the time\nwait\ntwice\nrun\n")
        if "pf_state = 0;" not in parts[1]:
            failures += 1
            print("no function keeps the state")
        (folder / "t_parts.h").write_text(header)
        files = [folder / f"t_{i}.c" for i in range(len(parts))]
        for file, part in zip(files, parts, strict=True):
            file.write_text(part)
        for level in ("-O0", "-O1", "-O2"):
            program = folder / "driver"
            subprocess.run([cc, level, "-std=gnu11", "-w", f"-I{include}", f"-I{folder}", *map(str, files),
                            str(folder / "driver.c"), "-o", str(program), "-lm"], check=True)
            done = subprocess.run([str(program), str(ROUNDS)], capture_output=True, text=True, check=False)
            if done.stdout.strip() != expected(ROUNDS):
                failures += 1
                print(f"at {level}: {done.stdout.strip()} instead of {expected(ROUNDS)}, status {done.returncode}")
        failures += refuses("a list of another program", split, text, "t", 3, "wait\nnobody\n")
        state = "instance->w2c_g0"
        failures += refuses("a change of the state", keep_state, f"{{\n  FUNC_PROLOGUE;\n  {state} = 1u;\n}}", state, set())
        # A call after which nobody asks: the answer may be another one.
        unasked = keep_state(f"{{\n  FUNC_PROLOGUE;\n  w2c_f(instance);\n  w2c_i0 = {state};\n}}", state, {"w2c_f"})
        if unasked.count(f"pf_state = {state};") != 2:
            failures += 1
            print(f"does not ask after a call: {unasked}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
