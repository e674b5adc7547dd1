"""held_image.py: from C that asks its instance for its memory at each access to C that holds it.

Called by cmake/WasmProgram.cmake for a build whose bounds are the system's, after wasm_image.py. The
address of a linear memory never changes while a function runs: its slot is reserved whole
(host/cpu/memory.h), and growing makes more of it accessible. But a compiler cannot know: a store into
the memory might be one into the instance, so it reads the address again after each. Here each
function reads it once, into a variable that nothing can change.

A load must fault even if nobody wants what it reads. wasm2c forces each into a register for that; here
the compiler is told that accesses may not return, and may not be left out then (PF_IMAGE_FLAGS in
cmake/WasmProgram.cmake), so that a comparison or an addition can take its operand from memory.

What is not exactly what wasm2c was seen to write is refused.
"""

import re
import sys

import image_step
from wasm_image import Refused

# The two ways into memory, as wasm2c writes them for processors that are little-endian.
WAYS = [("""\
#define DEFINE_LOAD(name, t1, t2, t3)                      \\
  static inline t3 name(wasm_rt_memory_t* mem, u64 addr) { \\
    MEMCHECK(mem, addr, t1);                               \\
    t1 result;                                             \\
    wasm_rt_memcpy(&result, &mem->data[addr], sizeof(t1)); \\
    wasm_asm("" ::"r"(result));                            \\
    return (t3)(t2)result;                                 \\
""", """\
#define DEFINE_LOAD(name, t1, t2, t3)                      \\
  static inline t3 name(const u8* held, u64 addr) {        \\
    t1 result;                                             \\
    wasm_rt_memcpy(&result, held + addr, sizeof(t1));      \\
    return (t3)(t2)result;                                 \\
"""), ("""\
#define DEFINE_STORE(name, t1, t2)                                     \\
  static inline void name(wasm_rt_memory_t* mem, u64 addr, t2 value) { \\
    MEMCHECK(mem, addr, t1);                                           \\
    t1 wrapped = (t1)value;                                            \\
    wasm_rt_memcpy(&mem->data[addr], &wrapped, sizeof(t1));            \\
""", """\
#define DEFINE_STORE(name, t1, t2)                                     \\
  static inline void name(u8* held, u64 addr, t2 value) {              \\
    t1 wrapped = (t1)value;                                            \\
    wasm_rt_memcpy(held + addr, &wrapped, sizeof(t1));                 \\
""")]
# Nothing else asks for bounds here, or there would be some that are not asked for.
UNCHECKED = """\
#if WASM_RT_MEMCHECK_SIGNAL_HANDLER
#define MEMCHECK(mem, a, t)
#else
"""
PROLOGUE = "  FUNC_PROLOGUE;\n"
MEMORY = re.compile(r"\bwasm_rt_allocate_memory\(&instance->(w2c_\w+), ")
# Parts of the image's data, which may look like anything (cmake/wasm_data.py), are no code.
STRING = re.compile(r'^  "(?:[^"\\]|\\.)*"$')


def hold(text: str) -> str:
    """The C, with the address of its memory in a variable of each function."""
    names = MEMORY.findall(text)
    if len(names) > 1:
        raise Refused(f"has {len(names)} memories")
    if not names:
        return text
    for old, new in WAYS:
        if text.count(old) != 1:
            raise Refused(f"has {text.count(old)} times, not once: {old.splitlines()[0]}")
        text = text.replace(old, new)
    if text.count(UNCHECKED) != 1:
        raise Refused("checks its accesses in a way nobody thought of")
    memory = rf"&instance->{names[0]}\b"
    access = re.compile(rf"\b([if](?:32|64)_(?:load|store)(?:(?:8|16|32)(?:_[su])?)?\(){memory}, ")
    # What takes the whole structure is called, and so reads the address itself.
    taken = re.compile(rf"\b[if](?:32|64)_\w+\({memory}|\binstance->{names[0]}\.data\b")
    lines = []
    for line in text.split("\n"):
        if not STRING.match(line):
            line = access.sub(r"\1held, ", line)
            if taken.search(line):
                raise Refused(f"uses its memory in a way nobody thought of: {line.strip()}")
        lines.append(line)
    declared = f"{PROLOGUE}  u8* const held = instance->{names[0]}.data;\n"
    return "\n".join(lines).replace(PROLOGUE, declared)


if __name__ == "__main__":
    sys.exit(image_step.main(lambda source, header, _: (hold(source), header)))
