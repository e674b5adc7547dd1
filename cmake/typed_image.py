"""typed_image.py: accesses to memory that no compiler takes for accesses to the instance.

For split_image.py, which may be asked for it. wasm2c writes accesses to the linear memory as copies of
bytes, which may be in anything: after each store a compiler reads again from the instance where the
memory lies, and whether Asyncify unwinds. Here they are accesses to a member of a union. All of them
may meet one another, whatever their sizes, but an instance, which is another type, is none of it. That
counts with -fstrict-aliasing.

What the code does is not touched: the instance does not lie in its own memory, and who else changes it
is called. C of another shape than wasm2c's is refused.
"""

from wasm_image import Refused

WORD = """\
typedef union __attribute__((packed)) {
  u8 u8_;
  s8 s8_;
  u16 u16_;
  s16 s16_;
  u32 u32_;
  s32 s32_;
  u64 u64_;
  f32 f32_;
  f64 f64_;
} pf_word;

"""
CHANGES = [("""\
  static inline t3 name(wasm_rt_memory_t* mem, u64 addr) { \\
    MEMCHECK(mem, addr, t1);                               \\
    t1 result;                                             \\
    wasm_rt_memcpy(&result, &mem->data[addr], sizeof(t1)); \\
    wasm_asm("" ::"r"(result));                            \\
""", """\
  static inline t3 name(wasm_rt_memory_t* mem, u64 addr) { \\
    MEMCHECK(mem, addr, t1);                               \\
    t1 result = ((pf_word*)&mem->data[addr])->t1##_;       \\
    wasm_asm("" ::"r"(result));                            \\
"""), ("""\
    t1 wrapped = (t1)value;                                            \\
    wasm_rt_memcpy(&mem->data[addr], &wrapped, sizeof(t1));            \\
""", """\
    ((pf_word*)&mem->data[addr])->t1##_ = (t1)value;                   \\
"""), ("DEFINE_LOAD(i32_load, u32, u32, u32)\n", WORD + "DEFINE_LOAD(i32_load, u32, u32, u32)\n")]


def type_accesses(text: str) -> str:
    """The C of a module, with its accesses through the union."""
    for old, new in CHANGES:
        if text.count(old) != 1:
            raise Refused(f"has {text.count(old)} times, not once: {old.splitlines()[0].strip()}")
        text = text.replace(old, new)
    return text
