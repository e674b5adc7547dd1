#!/usr/bin/env python3
"""Writes lib/utf8/tables.c: character classes, case pairs and column widths.

The values are what the C library of this machine says in the C.UTF-8 locale, so that our programs
class characters as GNU's do. Run by hand when a newer Unicode is wanted:

    python3 tools/make_unicode_tables.py > lib/utf8/tables.c
"""

import ctypes

SURROGATES = range(0xD800, 0xE000)
CLASSES = ["alpha", "upper", "lower", "digit", "xdigit", "space", "blank", "cntrl", "print"]
MAX_LENGTH = 1 << 11


def load():
    libc = ctypes.CDLL("libc.so.6")
    libc.setlocale.restype = ctypes.c_char_p
    if libc.setlocale(6, b"C.UTF-8") is None:
        raise SystemExit("no C.UTF-8 locale here")
    return libc


def runs(member):
    """The maximal runs (first, length) of code points for which member() holds."""
    first = None
    for code in range(0x110001):
        inside = code < 0x110000 and code not in SURROGATES and bool(member(code))
        if inside and first is None:
            first = code
        elif not inside and first is not None:
            yield first, code - first
            first = None


def packed(member):
    for first, length in runs(member):
        while length > 0:
            part = min(length, MAX_LENGTH)
            yield first << 11 | (part - 1)
            first, length = first + part, length - part


def case_runs(convert):
    """Runs (first, last, stride, delta) of code points whose other case is at `delta`."""
    out = []
    for code in range(0x110000):
        other = convert(code)
        if other == code or code in SURROGATES:
            continue
        delta = other - code
        if out:
            first, last, stride, old = out[-1]
            step = code - last
            if old == delta and step <= 2 and (stride in (0, step)):
                out[-1] = (first, code, step, old)
                continue
        out.append((code, code, 0, delta))
    return out


def emit(name, values):
    emit_items(name, "uint32_t", (f" 0x{value:08x}," for value in values))


def emit_case(name, table):
    emit_items(name, "struct pf_uni_case", (f" {{0x{first:x}, 0x{last:x}, {max(stride, 1)}, {delta}}},"
                                            for first, last, stride, delta in table))


def emit_items(name, kind, items):
    print(f"const {kind} pf_uni_{name}[] = {{")
    line = "   "
    for item in items:
        if len(line) + len(item) > 100:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};")
    print(f"const size_t pf_uni_{name}_count = sizeof pf_uni_{name} / sizeof *pf_uni_{name};\n")


def main():
    libc = load()
    print("/*")
    print(" * lib/utf8/tables.c: character classes, case pairs and widths, as glibc's C.UTF-8 has them.")
    print(" *")
    print(" * Written by tools/make_unicode_tables.py; not edited by hand. A class entry holds a first code")
    print(" * point in its upper 21 bits and the length minus one of its run in the lower 11.")
    print(" */")
    print('#include "tables.h"\n')
    for name in CLASSES:
        emit("runs_" + name, packed(getattr(libc, "isw" + name)))
    emit("runs_wide", packed(lambda c: libc.wcwidth(c) == 2))
    emit("runs_zero", packed(lambda c: c and libc.wcwidth(c) == 0))
    emit_case("to_lower", case_runs(libc.towlower))
    emit_case("to_upper", case_runs(libc.towupper))


main()
