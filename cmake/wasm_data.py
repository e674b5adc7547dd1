"""wasm_data.py: the data of an image, past wasm2c.

wasm2c writes a number for each byte and a statement for each segment. In the largest image they are
two thirds of the C, and more than half of the work of wasm2c and the compiler. So the module goes to
wasm2c without its data, and the C gets one string with all of it and one list of where it belongs.
"""

import re

from wasm_read import Reader, Refused

DATA, DATA_COUNT = 11, 12
SEGMENT_NAMES = 9  # the part of the section `name` that is about data
LINE = 64  # bytes of data on a line
ESCAPES = {byte: f"\\{byte:03o}" for byte in range(256)
           if not 32 <= byte < 127 or chr(byte) in '"\\?'}
ALLOCATE = re.compile(
    r"^static void init_memories\(\w+\* instance\) \{\n"
    r"  wasm_rt_allocate_memory\(&instance->(w2c_\w+), \d+, \d+\);\n(?=\}$)", re.M)


def leb(number: int) -> bytes:
    """An unsigned number as WebAssembly writes it."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def take_segments(body: Reader) -> list[tuple[int, bytes]]:
    """Where each segment of a data section belongs, and its bytes."""
    segments = []
    for _ in range(body.u32()):
        if body.u32() != 0 or body.u8() != 0x41:
            raise Refused("has data that is not copied to a constant place when it is instantiated")
        place = body.s32()
        if body.u8() != 0x0B:
            raise Refused("has data whose place is no constant")
        segments.append((place & 0xFFFFFFFF, body.take(body.u32())))
    return segments


def without_segment_names(body: Reader) -> bytes:
    """The section `name` without its part about data; body stands behind the section's own name."""
    kept = body.data[:body.at]
    while body.more:
        start, kind = body.at, body.u8()
        body.take(body.u32())
        if kind != SEGMENT_NAMES:
            kept += body.data[start:body.at]
    return kept


def take_data(module: bytes) -> tuple[bytes, list[tuple[int, bytes]]]:
    """A module without its data, and the data: place and bytes of each segment, in order."""
    kept, segments, reader = [module[:8]], [], Reader(module[8:])
    while reader.more:
        kind, content = reader.u8(), reader.take(reader.u32())
        body = Reader(content)
        if kind == DATA:
            segments += take_segments(body)
        if kind in (DATA, DATA_COUNT):
            continue
        if kind == 0 and body.name() == "name":
            content = without_segment_names(body)
        kept += [bytes([kind]), leb(len(content)), content]
    return b"".join(kept), segments


def add_data(text: str, segments: list[tuple[int, bytes]]) -> str:
    """wasm2c's C for a module without data, with the data."""
    if not segments:
        return text
    found = ALLOCATE.findall(text)
    if len(found) != 1:
        raise Refused(f"makes its memory in {len(found)} ways, not one")
    whole = b"".join(data for _, data in segments).decode("latin-1")
    lines = [f'  "{whole[at:at + LINE].translate(ESCAPES)}"\n' for at in range(0, len(whole), LINE)]
    places = [f"  {{{place}u, {len(data)}u}},\n" for place, data in segments]
    head = "".join(["static const u8 data_bytes[] =\n", *lines, "  ;\n\n",
                    "/* where in memory, how many of data_bytes */\n",
                    "static const u32 data_places[][2] = {\n", *places, "};\n\n"])
    load = (f"  const u8* from = data_bytes;\n"
            f"  for (u32 i = 0; i < {len(segments)}; from += data_places[i++][1])\n"
            f"    LOAD_DATA(instance->{found[0]}, data_places[i][0], from, data_places[i][1]);\n")
    return ALLOCATE.sub(lambda match: head + match[0] + load, text)
