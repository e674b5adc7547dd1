"""checked_image.py: from C that leaves faults and time to signal handlers to C that asks itself.

Called by cmake/WasmProgram.cmake with -DPF_SIGNALS=OFF, after wasm_image.py. Every access to memory
is checked against its size, and every function and every loop begins with CPU_CHECK
(host/cpu/guard.h), which ends a program whose stack or whose time is over.

A loop or an access that is overlooked would be an escape, so everything here fails closed: what is
not exactly what wasm2c was seen to write is refused.
"""

import re
import sys

import image_step
from wasm_image import Refused

# What wasm2c lets the compiler choose, chosen: word for word, so that a change is noticed.
DEPTH = """\
#if WASM_RT_USE_STACK_DEPTH_COUNT
#define FUNC_PROLOGUE                                            \\
  if (++wasm_rt_call_stack_depth > WASM_RT_MAX_CALL_STACK_DEPTH) \\
    TRAP(EXHAUSTION);

#define FUNC_EPILOGUE --wasm_rt_call_stack_depth
#else
#define FUNC_PROLOGUE

#define FUNC_EPILOGUE
#endif
"""
GUARD = """\
#define FUNC_PROLOGUE CPU_CHECK(instance->guard)
#define FUNC_EPILOGUE
"""
MEMCHECK = """\
#if WASM_RT_MEMCHECK_SIGNAL_HANDLER
#define MEMCHECK(mem, a, t)
#else
#define MEMCHECK(mem, a, t) RANGE_CHECK(mem, a, sizeof(t))
#endif
"""
CHECKED = "#define MEMCHECK(mem, a, t) RANGE_CHECK(mem, a, sizeof(t))\n"
# The only ways into memory, and the checks in them.
WAYS = ["""\
#define RANGE_CHECK(mem, offset, len)               \\
  if (UNLIKELY(offset + (uint64_t)len > mem->size)) \\
    TRAP(OOB);
""", """\
#define DEFINE_LOAD(name, t1, t2, t3)                      \\
  static inline t3 name(wasm_rt_memory_t* mem, u64 addr) { \\
    MEMCHECK(mem, addr, t1);                               \\
""", """\
#define DEFINE_STORE(name, t1, t2)                                     \\
  static inline void name(wasm_rt_memory_t* mem, u64 addr, t2 value) { \\
    MEMCHECK(mem, addr, t1);                                           \\
""", """\
static inline void memory_fill(wasm_rt_memory_t* mem, u32 d, u32 val, u32 n) {
  RANGE_CHECK(mem, d, n);
""", """\
                               u32 n) {
  RANGE_CHECK(dest, dest_addr, n);
  RANGE_CHECK(src, src_addr, n);
""", """\
  if (UNLIKELY(src_addr + (uint64_t)n > src_size))
    TRAP(OOB);
  LOAD_DATA((*dest), dest_addr, src + src_addr, n);
""", """\
#define LOAD_DATA(m, o, i, s)      \\
  do {                             \\
    RANGE_CHECK((&m), o, s);       \\
"""]
# Where the functions begin.
FIRST = "static bool s_module_initialized = false;\n"
MEMORY = re.compile(r"\bwasm_rt_allocate_memory\(&instance->(w2c_\w+), ")
TYPE = r"(?:u32|u64|f32|f64)"
DEFINITION = re.compile(
    rf"^static (?:void|{TYPE}) w2c_\w+\(\w+\* instance\b[^;{{]*(?:\) \{{)?$")
PARAMETERS = re.compile(
    rf"^    {TYPE} w2c_p\d+,[^;{{]*$|^    {TYPE} w2c_p\d+[^;{{]*\) \{{$")
DECLARATION = re.compile(rf"^  {TYPE} w2c_\w+ = 0[,;]|^      w2c_\w+ = 0[,;]")
LOOP = re.compile(r"^\s+(w2c_L\d+): $")
LABEL = re.compile(r"^\s*(w2c_[BL]\w+):")
GOTO = re.compile(r"\bgoto (\w+);")
# A piece of the image's data, which may look like anything: cmake/wasm_data.py.
STRING = re.compile(r'^  "(?:[^"\\]|\\.)*"$')
# What would be a loop, an access or a jump of another kind.
NEVER = (r"\b(?:for|while|do|asm|__asm__|setjmp|longjmp|alloca|memcpy|memset|memmove)\b"
         r"|->data\b|goto \*|&&w2c")


def once(text: str, old: str, new: str | None = None) -> str:
    """Replaces what must be there exactly once."""
    if text.count(old) != 1:
        raise Refused(f"has {text.count(old)} times, not once: {old.strip().splitlines()[0]}")
    return text if new is None else text.replace(old, new)


def access_patterns(text: str) -> tuple[re.Pattern, re.Pattern]:
    """The accesses that are known, and what must not be there besides them."""
    names = MEMORY.findall(text)
    if len(names) > 1:
        raise Refused(f"has {len(names)} memories")
    memory = rf"instance->{names[0]}\b" if names else "(?!)"
    access = re.compile(
        r"\b(?:[if](?:32|64)_(?:load|store)(?:(?:8|16|32)(?:_[su])?)?"
        rf"|memory_fill|memory_copy|memory_init)\(&{memory}, (?:&{memory}, )?"
        rf"|\bwasm_rt_grow_memory\(&{memory}, |\b{memory}\.pages\b")
    return access, re.compile(f"{NEVER}|{memory}")


def check_function(lines: list[str], access: re.Pattern, never: re.Pattern) -> tuple[list[str], int]:
    """One function, from its head to its closing brace: with its loops checked, and how many."""
    start = 0
    while not lines[start].endswith(") {"):
        start += 1
        if start == len(lines) or not PARAMETERS.match(lines[start]):
            raise Refused(f"the head of a function does not end: {lines[0]}")
    head, body = "\n".join(lines[:start + 1]), lines[start + 1:]
    start = next((i for i, line in enumerate(body) if not DECLARATION.match(line)), None)
    if start is None or body[start] != "  FUNC_PROLOGUE;":
        raise Refused(f"a function does not begin with its prologue: {head}")
    passed: set[str] = set()
    checked: set[str] = set()
    for i, line in enumerate(body):
        loop, label = LOOP.match(line), LABEL.match(line)
        if label:
            if label[1] in passed:
                raise Refused(f"label {label[1]} stands twice: {head}")
            passed.add(label[1])
        if loop:
            checked.add(loop[1])
            body[i] = line + "CPU_CHECK(instance->guard);"
        for target in GOTO.findall(line):
            if target in passed and target not in checked:
                raise Refused(f"goes back to {target}, which is no loop: {head}")
        if never.search(access.sub("", line)):
            raise Refused(f"does what nobody thought of: {line.strip()}")
    return [head, *body], len(checked)


def check_source(text: str, module: str) -> tuple[str, int, int]:
    """The C with its checks; how many functions and loops have one."""
    text = once(text, f'#include "{module}.h"\n',
                f'#include "{module}.h"\n#include "host/cpu/guard.h"\n')
    text = once(text, DEPTH, GUARD)
    text = once(text, MEMCHECK, CHECKED)
    for way in WAYS:
        once(text, way)
    before, rest = once(text, FIRST, FIRST).split(FIRST)
    access, never = access_patterns(rest)
    lines, out, functions, loops = rest.split("\n"), [], 0, 0
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not DEFINITION.match(line):
            code = not STRING.match(line)
            if code and ("FUNC_PROLOGUE" in line or LABEL.match(line) or "goto " in line):
                raise Refused(f"is in no function: {line.strip()}")
            out.append(line)
            continue
        end = lines.index("}", at)
        function, count = check_function([line, *lines[at:end]], access, never)
        out += [*function, "}"]
        functions, loops, at = functions + 1, loops + count, end + 1
    text = before + FIRST + "\n".join(out)
    if not functions:
        raise Refused("has no functions")
    # Nothing was passed over.
    if (rest.count("FUNC_PROLOGUE") != functions
            or len(re.findall(r"\bw2c_L\d+:", rest)) != loops
            or text.count("CPU_CHECK(") != loops + 1):
        raise Refused(f"{functions} functions and {loops} loops are not all")
    return text, functions, loops


def check_header(text: str, module: str) -> str:
    """The instance's structure, with the way to its guard in front."""
    head = f"typedef struct Z_{module}_instance_t {{\n"
    return once(text, head, f"struct cpu_guard;\n\n{head}  struct cpu_guard* guard;\n")


def check(source: str, header: str, module: str) -> tuple[str, str]:
    """Both files of an image."""
    source, _, _ = check_source(source, module)
    return source, check_header(header, module)


if __name__ == "__main__":
    sys.exit(image_step.main(check))
