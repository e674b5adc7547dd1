"""What cmake/checked_image.py must do: every function, loop and access asks, or there is no image.

usage: test_checked_image.py WASM-OPT WASM2C WAT2WASM CC INCLUDE

A small module goes all the way: through wasm_image.py, checked_image.py and the compiler, and runs
(checked_driver.c) on the part of the host that takes no signals. Then lines that nobody thought of
are refused. Prints each failure; the exit status says whether there was one.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))

from checked_image import Refused, check_header, check_source  # noqa: E402

# pf_start asks pf.call what to do: it writes a number to address 8.
MODULE = """(module
  (import "pf" "call" (func $call (param i32)))
  (memory (export "memory") 2 65535)
  (global $sp (export "__stack_pointer") (mut i32) (i32.const 8))
  (global (export "__heap_base") i32 (i32.const 8))
  (func (export "pf_asyncify") (result i32) (i32.const 1024))
  (type $f (func (param i32) (result i32)))
  (table 3 funcref) (elem (i32.const 1) $deep $spread)
  (func $deep (type $f)
    (i32.add (i32.mul (call $deep (i32.add (local.get 0) (i32.load (i32.const 16)))) (i32.const 3))
             (call $deep (i32.load (i32.const 16)))))
  (func $spread (type $f)
    (if (result i32) (local.get 0)
      (then (i32.xor
        (call_indirect (type $f) (i32.sub (local.get 0) (i32.const 1)) (i32.load (i32.const 20)))
        (call_indirect (type $f) (i32.sub (local.get 0) (i32.const 1)) (i32.load (i32.const 20)))))
      (else (i32.load (i32.const 16)))))
  (func $loops (local i32)
    (loop $outer
      (loop $inner
        (local.set 0 (i32.add (local.get 0) (i32.const 1)))
        (br_table $inner $outer $inner (i32.and (local.get 0) (i32.const 3))))))
  (func (export "pf_start") (local i32)
    (call $call (i32.const 8))
    (local.set 0 (i32.load (i32.const 8)))
    (if (i32.eq (local.get 0) (i32.const 1)) (then (call $loops)))
    (if (i32.eq (local.get 0) (i32.const 2)) (then (drop (call $deep (i32.const 1)))))
    (if (i32.eq (local.get 0) (i32.const 3)) (then
      (i32.store (i32.const 20) (i32.const 2)) (drop (call $spread (i32.const 99)))))
    (if (i32.eq (local.get 0) (i32.const 4)) (then (drop (i32.load (i32.const 131069)))))
    (if (i32.eq (local.get 0) (i32.const 5)) (then (i64.store offset=4294967295 (i32.const -1) (i64.const 1))))
    (if (i32.eq (local.get 0) (i32.const 6)) (then
      (memory.fill (i32.const 131071) (i32.const 1) (i32.const 2))))
    (if (i32.eq (local.get 0) (i32.const 7)) (then
      (i32.store (i32.const 131068) (i32.load (i32.const 131068))))))
)"""

# Text that is replaced once in good C, and what makes it bad.
CHANGES = [
    ("a jump back to what is no loop", "  w2c_Bfunc:;\n", "  w2c_Bfunc:;\n  goto w2c_Bfunc;\n"),
    ("a loop that is written as one", "  FUNC_EPILOGUE;\n", "  for (;;) {}\n  FUNC_EPILOGUE;\n"),
    ("a function without a prologue", "  FUNC_PROLOGUE;\n", ""),
    ("a statement before the prologue", "  FUNC_PROLOGUE;\n", "  w2c_p0 = 1u;\n  FUNC_PROLOGUE;\n"),
    ("a function of another shape", "static u32 w2c_deep(Z_t_instance_t* instance, u32 w2c_p0) {",
     "u32 w2c_deep(Z_t_instance_t* instance, u32 w2c_p0) {"),
    ("an access without a function", "  FUNC_EPILOGUE;\n",
     "  instance->w2c_memory.data[0] = 1;\n  FUNC_EPILOGUE;\n"),
    ("an unknown access", "i32_load(&instance->w2c_memory", "i32_peek(&instance->w2c_memory"),
    ("another loop's label", "w2c_L1: ", "w2c_L1:"),
    ("other range checks", "offset + (uint64_t)len > mem->size", "offset > mem->size"),
    ("loads that are not checked", "    MEMCHECK(mem, addr, t1);                               \\\n", ""),
    ("another choice of checks", "#if WASM_RT_MEMCHECK_SIGNAL_HANDLER", "#if 1"),
    ("another prologue", "#if WASM_RT_USE_STACK_DEPTH_COUNT", "#if 0"),
    ("a memory that is copied", "  FUNC_EPILOGUE;\n", "  memcpy(x, y, 1);\n  FUNC_EPILOGUE;\n"),
]

failures = 0


def fail(what: str) -> None:
    global failures
    failures += 1
    print(what)


def refuses(change: str, source: str) -> None:
    try:
        check_source(source, "t")
    except Refused:
        return
    fail(f"accepted: {change}")


def main(wasm_opt: str, wasm2c: str, wat2wasm: str, cc: str, include: str) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wat, wasm = folder / "t.wat", folder / "t.wasm"
        wat.write_text(MODULE)
        subprocess.run([wat2wasm, "--debug-names", str(wat), "-o", str(wasm)], check=True)
        script = ROOT / "cmake" / "wasm_image.py"
        # -O0: the module is as it is written here.
        subprocess.run(
            [sys.executable, str(script), "--kind", "program", "--module", "t", "--input", str(wasm),
             "--wasm", str(folder / "out.wasm"), "--folder", str(folder), "--level=-O0",
             "--wasm-opt", wasm_opt, "--wasm2c", wasm2c], check=True)
        source, header = (folder / "t.c").read_text(), (folder / "t.h").read_text()
        text, functions, loops = check_source(source, "t")
        if functions < 6 or loops != 2:
            fail(f"{functions} functions and {loops} loops")
        for what, old, new in CHANGES:
            if old not in source:
                fail(f"the module has nothing to change: {what}")
            refuses(what, source.replace(old, new, 1))
        (folder / "checked").mkdir()
        (folder / "checked" / "t.c").write_text(text)
        (folder / "checked" / "t.h").write_text(check_header(header, "t"))
        host = [ROOT / "host" / "cpu" / f"{unit}.c" for unit in
                ("clone", "context", "instance", "memory", "run", "template", "thread", "ticker",
                 "wasm_rt")]
        program = folder / "driver"
        for level in ("-O0", "-O2"):
            subprocess.run(
                [cc, level, "-std=gnu11", "-w", "-D_GNU_SOURCE", "-DPF_NO_SIGNALS", f"-I{ROOT}", f"-I{include}",
                 f"-I{folder}/checked", str(folder / "checked" / "t.c"),
                 str(ROOT / "tests" / "guest" / "checked_driver.c"), *map(str, host),
                 "-o", str(program), "-lpthread", "-lm"], check=True)
            done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
            if done.returncode:
                fail(f"at {level}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
