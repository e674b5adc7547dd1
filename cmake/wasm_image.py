"""wasm_image.py: from a linked wasm module to C that the host can compile.

Called by cmake/WasmProgram.cmake for each image: Asyncify (programs), checks, wasm2c, and the
rewrite that lets all clones of an image share one function table. Everything here fails closed: a
module that is not exactly what the host expects does not become an image.

The rewrite: wasm2c passes to an indirect call the instance that its table entry carries. All
clones of an image share one table, so that would be the first instance; the calling instance is
passed instead. That is right as long as a module's table holds only functions of its own and is
never written to, which is what is checked.
"""

import argparse
import pathlib
import re
import subprocess
import sys

import build_cache
from wasm_data import add_data, take_data
from wasm_read import Reader, Refused

PROGRAM_IMPORT = ("pf", "call")
PROGRAM_EXPORTS = {
    "memory", "__stack_pointer", "__heap_base", "pf_start", "pf_asyncify",
    "asyncify_start_unwind", "asyncify_stop_unwind", "asyncify_start_rewind",
    "asyncify_stop_rewind", "asyncify_get_state",
}
KERNEL_EXPORTS = {
    "memory", "__stack_pointer", "__heap_base", "pf_kernel_mailbox", "pf_kernel_boot",
    "pf_kernel_call", "pf_kernel_next",
}
# What guest/libc adds to every ASYNCIFY_ONLY list: the way from the entry to a wait.
# A name with ? is used where the program has it.
# The linker's name section calls main(int, char **) `main`, whatever clang calls it.
LIBC_WAITS = ["pf_start", "__pf_call_unwind", "__pf_run_main?", "main?", "__main_argc_argv?",
              "__main_void?", "__original_main?", "pf_wait_unwound?", "pf_booted?", "__pf_load_args"]
# Functions that never return need no way back: calling them must not make a caller Asyncify's.
NEVER_RETURN = ["__pf_exit"]
MAX_PAGES = 65535  # wasm_rt_memory_t.size has 32 bits


class Module:
    """What the checks need to know of a wasm file."""

    def __init__(self, data: bytes) -> None:
        if data[:8] != b"\0asm\1\0\0\0":
            raise Refused("not a wasm module of version 1")
        self.imports: list[tuple[str, str, int]] = []
        self.exports: dict[str, tuple[int, int]] = {}
        self.globals: list[bool] = []  # mutable?
        self.memories: list[tuple[int, int | None]] = []
        self.functions: set[str] = set()
        self.has_start = False
        reader = Reader(data[8:])
        while reader.more:
            kind, body = reader.u8(), Reader(reader.take(reader.u32()))
            {0: self.custom, 2: self.import_, 5: self.memory, 6: self.global_, 7: self.export,
             8: self.start}.get(kind, lambda _: None)(body)

    def custom(self, body: Reader) -> None:
        if body.name() != "name":
            return
        while body.more:
            kind, part = body.u8(), Reader(body.take(body.u32()))
            if kind == 1:
                for _ in range(part.u32()):
                    part.u32()
                    self.functions.add(part.name())

    def import_(self, body: Reader) -> None:
        for _ in range(body.u32()):
            module, name, kind = body.name(), body.name(), body.u8()
            self.imports.append((module, name, kind))
            if kind == 0:
                body.u32()
            elif kind == 1:
                body.u8()
                body.limits()
            elif kind == 2:
                self.memories.append(body.limits())
            elif kind == 3:
                body.u8()
                body.u8()

    def memory(self, body: Reader) -> None:
        self.memories += [body.limits() for _ in range(body.u32())]

    def global_(self, body: Reader) -> None:
        for _ in range(body.u32()):
            body.u8()
            self.globals.append(body.u8() == 1)
            op = body.u8()
            if op not in (0x41, 0x42, 0x23):
                raise Refused(f"a global is initialised by opcode {op:#x}")
            body.u32()
            if body.u8() != 0x0B:
                raise Refused("a global's initialiser is no constant")

    def export(self, body: Reader) -> None:
        for _ in range(body.u32()):
            name = body.name()
            self.exports[name] = (body.u8(), body.u32())

    def start(self, body: Reader) -> None:
        self.has_start = True


def check(module: Module, kind: str) -> None:
    """Refuses a module whose edges are not those of abi/message.h."""
    wanted = [] if kind == "kernel" else [(*PROGRAM_IMPORT, 0)]
    extra = [f"{m}.{n}" for m, n, k in module.imports if (m, n, k) not in wanted]
    if extra:
        raise Refused(f"imports {', '.join(extra)}: guest/libc does not provide that")
    if len(module.imports) != len(wanted):
        raise Refused("does not import pf.call: is guest/libc linked?")
    missing = (KERNEL_EXPORTS if kind == "kernel" else PROGRAM_EXPORTS) - module.exports.keys()
    if missing:
        raise Refused(f"does not export {', '.join(sorted(missing))}")
    if module.has_start:
        raise Refused("has a start function, which would run while it is instantiated")
    if len(module.memories) != 1:
        raise Refused("has more or less than one memory")
    low, high = module.memories[0]
    if low > MAX_PAGES or (high or 0) > MAX_PAGES or high is None:
        raise Refused(f"its memory may grow beyond {MAX_PAGES} pages")
    # Asyncify's two are found by count: they have no export.
    mutable = [i for i, m in enumerate(module.globals) if m]
    allowed = 1 if kind == "kernel" else 3
    if module.exports["__stack_pointer"][1] not in mutable or len(mutable) != allowed:
        raise Refused(f"has {len(mutable)} mutable globals; a copy of memory would miss some")


def optimise(wasm_opt: str, source: pathlib.Path, wasm: pathlib.Path, level: str,
             passes: list[str]) -> None:
    """Runs Binaryen on a module of the language that clang writes by default."""
    result = subprocess.run(
        [wasm_opt, str(source), "-o", str(wasm), "-g", "--enable-bulk-memory",
         "--enable-mutable-globals", "--enable-sign-ext", *passes, level],
        capture_output=True, text=True)
    if result.returncode or result.stderr.strip():
        raise Refused(f"wasm-opt: {result.stderr.strip() or result.returncode}")


def asyncify(kind: str, names: set[str], wanted: list[str]) -> list[str]:
    """Binaryen's passes: programs can be unwound, the kernel is only optimised."""
    if kind == "kernel":
        return []
    passes = ["--asyncify", "--pass-arg=asyncify-imports@pf.call"]
    gone = [name for name in NEVER_RETURN if name in names]
    if wanted:
        passes.append("--pass-arg=asyncify-onlylist@" + ",".join(only_list(wanted, names)))
    elif gone:
        passes.append("--pass-arg=asyncify-removelist@" + ",".join(gone))
    return passes


def only_list(wanted: list[str], names: set[str]) -> list[str]:
    """The ASYNCIFY_ONLY list, with the libc's part; every name must exist."""
    only, missing = [], []
    for name in LIBC_WAITS + wanted:
        plain = name.rstrip("?")
        if plain in names:
            only.append(plain)
        elif plain == name:
            missing.append(name)
    if missing:
        raise Refused(f"ASYNCIFY_ONLY names {', '.join(missing)}, which the linked module does not "
                      "have: was it inlined? Mark it __attribute__((noinline)).")
    return only


# A table; a function may be called w2c_TaskStep.
TABLE = re.compile(r"\bw2c_T\d")
# Every way in which the generated C may name one.
TABLE_USES = [
    re.compile(r"^\s*wasm_rt_funcref_table_t w2c_T\d+;$"),
    re.compile(r"^\s*wasm_rt_allocate_funcref_table\(&instance->w2c_T\d+, \d+, \d+\);$"),
    re.compile(r"^\s*funcref_table_init\(&instance->w2c_T\d+, elem_segment_exprs_w2c_e\d+, "
               r"\d+, \d+u, 0, \d+, instance, func_types\);$"),
    re.compile(r"^\s*funcref_table_init\(&instance->w2c_T\d+, NULL, 0, \d+u, 0, 0, instance, NULL\);$"),
    re.compile(r"^\s*wasm_rt_free_funcref_table\(&instance->w2c_T\d+\);$"),
]
CALL = re.compile(r"CALL_INDIRECT\(instance->w2c_T(\d+), ")
# An entry: a function of the module's own. One of an import would be called with the instance of its
# caller, which is not what it takes for its first argument.
SEGMENT = re.compile(r"^static const wasm_elem_segment_expr_t elem_segment_exprs_w2c_e\d+\[\] = \{$")
ENTRY = re.compile(r"^  \{\d+, \(wasm_rt_function_ptr_t\)&w2c_\w+, 0\},$")
CARRIED = re.compile(r"instance->w2c_T(\d+)\.data\[(?:[^\[\]]|\[[^\[\]]*\])*?\]\.module_instance")


def rewrite(text: str) -> tuple[str, int]:
    """Passes the calling instance to indirect calls; how many there are."""
    lines, total, in_segment = [], 0, False
    for line in text.split("\n"):
        if in_segment and line != "};" and not ENTRY.match(line):
            raise Refused(f"has a table with what is no function of its own: {line.strip()}")
        in_segment = bool(SEGMENT.match(line)) or in_segment and line != "};"
        if TABLE.search(line) and not any(use.match(line) for use in TABLE_USES):
            calls = len(CALL.findall(line))
            line, count = CARRIED.subn("instance", line)
            rest = CALL.sub("", line)
            if calls != count or TABLE.search(rest):
                raise Refused(f"uses its function table in a way nobody thought of: {line.strip()}")
            total += count
        lines.append(line)
    text = "\n".join(lines)
    uses = len(re.findall(r"\bCALL_INDIRECT\(", text)) - 1  # without its definition
    if ".module_instance" in text or uses != total:
        raise Refused(f"{uses} indirect calls, {total} rewritten")
    for word in ("funcref_table_set(&", "funcref_table_fill(&", "funcref_table_copy(&",
                 "wasm_rt_grow_funcref_table(", "externref_table_init(&"):
        if word in text:
            raise Refused(f"writes to a table: {word}")
    return text, total


INSTANTIATE = re.compile(r"^(void Z_\w+_)instantiate(\([^{]*\) \{\n.*?^\}\n)", re.M | re.S)
OF_MEMORY = re.compile(r"^  (?:init_memories|init_data_instances)\(instance\);\n", re.M)


def add_wake(text: str) -> str:
    """Adds what makes an instance whose memory comes from elsewhere: host/cpu/baked.h."""
    found = INSTANTIATE.findall(text)
    if len(found) != 1:
        raise Refused(f"is instantiated in {len(found)} ways, not one")
    head, body = found[0]
    body, count = OF_MEMORY.subn("", body)
    if not 1 <= count <= 2 or "memor" in body or "data" in body:
        raise Refused("is instantiated in a way nobody thought of")
    return f"{text}\n{head}wake{body}"


def write_changed(path: pathlib.Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def translate(wasm2c: str, wasm: pathlib.Path, module: str, folder: pathlib.Path,
              wake: bool = False) -> None:
    """Writes the rewritten C of a module and its header. An image's has add_wake() and its data."""
    raw = folder / "raw" / f"{module}.c"
    raw.parent.mkdir(exist_ok=True)
    segments = []
    if wake:
        bare, segments = take_data(wasm.read_bytes())
        wasm = raw.with_suffix(".wasm")
        wasm.write_bytes(bare)
    subprocess.run([wasm2c, f"--module-name={module}", str(wasm), "-o", str(raw)], check=True)
    text, _ = rewrite(raw.read_text())
    if wake:
        text = add_data(add_wake(text), segments)
        wasm.unlink()
    write_changed(folder / f"{module}.c", text)
    write_changed(folder / f"{module}.h", raw.with_suffix(".h").read_text())
    raw.unlink()


def cache_key(args: argparse.Namespace) -> str:
    """Everything that the results depend on: the module, this script, the tools, the options."""
    here = pathlib.Path(__file__)
    parts: list[str | bytes] = [args.input.read_bytes(), here.read_bytes(),
                                here.with_name("wasm_data.py").read_bytes()]
    for tool in (args.wasm_opt, args.wasm2c):
        parts.append(subprocess.run([tool, "--version"], capture_output=True, check=True).stdout)
    return build_cache.key(*parts, args.kind, args.module, args.level, *args.asyncify_only)


def make(args: argparse.Namespace) -> None:
    """The image's C, its header and its module: from the cache, or made."""
    results = [args.folder / f"{args.module}.c", args.folder / f"{args.module}.h", args.wasm]
    cache = build_cache.Cache(args.cache)
    name = cache_key(args) if args.cache else ""
    kept = cache.fetch(name)
    if kept is not None and kept.keys() == {path.name for path in results}:
        for path in results[:2]:
            write_changed(path, kept[path.name].decode())
        args.wasm.write_bytes(kept[args.wasm.name])
        return
    names = Module(args.input.read_bytes()).functions
    optimise(args.wasm_opt, args.input, args.wasm, args.level,
             asyncify(args.kind, names, args.asyncify_only))
    check(Module(args.wasm.read_bytes()), args.kind)
    translate(args.wasm2c, args.wasm, args.module, args.folder, wake=True)
    cache.store(name, {path.name: path.read_bytes() for path in results})


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", choices=["kernel", "program"], required=True)
    parser.add_argument("--module", required=True)
    parser.add_argument("--input", type=pathlib.Path, required=True)
    parser.add_argument("--wasm", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--wasm-opt", required=True)
    parser.add_argument("--wasm2c", required=True)
    parser.add_argument("--level", default="-O2", help="how much wasm-opt optimises: -O1, -O2")
    parser.add_argument("--asyncify-only", nargs="+", default=[])
    parser.add_argument("--cache", type=pathlib.Path, help="a folder that keeps results")
    args = parser.parse_args()
    try:
        make(args)
    except Refused as error:
        args.wasm.unlink(missing_ok=True)
        print(f"image {args.module}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
