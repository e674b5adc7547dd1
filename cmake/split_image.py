"""split_image.py: the C of an image as several files, so that it compiles on all cores.

Called by cmake/WasmProgram.cmake behind wasm_image.py (and checked_image.py). Part 0 has the data, the
tables and what the host calls; the functions are shared out among the others, neighbours together. A
change of one function changes one part: the borders stay where they are, as long as they can, because
they lie before functions whose names have the smallest hashes.

A function that only its own part calls stays static there. The others are seen by all parts of the
image under the linker's name `w2c.IMAGE.FUNCTION`, hidden, so that images do not meet. What the code does is
not touched; C of another shape than wasm2c's is refused. Functions of a list (hot_image.py) are part 1.
"""

import argparse
import hashlib
import pathlib
import re
import sys

from hot_image import keep_state, read_names, state_of
from typed_image import type_accesses
from wasm_image import Refused, write_changed

TYPE = r"(?:void|u32|u64|f32|f64)"
FIRST = "static bool s_module_initialized = false;\n"
DECLARATION = re.compile(rf"^static ({TYPE} (w2c_\w+)\([^;{{]*\));$", re.M)
DEFINITION = re.compile(rf"^static {TYPE} (w2c_\w+)\(")
TYPES = re.compile(r"^static (u32 func_types\[\d+\]);$", re.M)
NAME = re.compile(r"\bw2c_\w+")


def take_functions(text: str) -> tuple[dict[str, str], str]:
    """The functions by name, in their order, and the rest of the text."""
    functions, rest = {}, []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        found = DEFINITION.match(line)
        if not found or line.endswith(");"):
            rest.append(line)
            at += 1
            continue
        end = lines.index("}", at)
        if found[1] in functions:
            raise Refused(f"defines {found[1]} twice")
        functions[found[1]] = "\n".join(lines[at:end + 1]) + "\n"
        at = end + 1
    return functions, "\n".join(rest)


def share_out(functions: dict[str, str], parts: int) -> list[list[str]]:
    """The names for each part: of about the same size, with borders that seldom move."""
    names = list(functions)
    total, shares, start, size, done = sum(map(len, functions.values())), [], 0, 0, 0
    ends, near = [], total / parts / 4
    for i, name in enumerate(names):
        size += len(functions[name])
        ends.append(size)
    for part in range(1, parts):
        ideal = total * part / parts
        choice = [i for i in range(start + 1, len(names)) if abs(ends[i - 1] - ideal) <= near]
        if not choice:
            continue
        border = min(choice, key=lambda i: hashlib.sha256(names[i].encode()).digest())
        shares.append(names[start:border])
        start = border
    shares.append(names[start:])
    return shares + [[] for _ in range(parts - len(shares))]


def make_hot(functions: dict[str, str], hot: set[str], state: str | None) -> None:
    """Changes the functions of part 1."""
    if not state:
        return
    unwinds = {name for name, body in functions.items() if state in body}
    for name in hot:
        functions[name] = keep_state(functions[name], state, unwinds)


def split(text: str, module: str, parts: int, names: str = "") -> tuple[str, list[str]]:
    """The common header and the parts; `names`: the list for part 1."""
    if text.count(FIRST) != 1:
        raise Refused("does not say where its functions begin")
    head, rest = text.split(FIRST)
    functions, rest = take_functions(rest)
    declared = {name: prototype for prototype, name in DECLARATION.findall(rest)}
    rest = DECLARATION.sub("", rest)
    if declared.keys() != functions.keys():
        odd = sorted(declared.keys() ^ functions.keys())
        raise Refused(f"declares other functions than it defines: {', '.join(odd[:5])}")
    types = TYPES.findall(rest)
    if len(types) != 1:
        raise Refused("has no table of function types")
    hot = read_names(names, functions)
    make_hot(functions, hot, state_of(text))
    first = [[], [name for name in functions if name in hot]] if names else [[]]
    others = {name: body for name, body in functions.items() if name not in hot}
    shares = first + share_out(others, parts - len(first))
    home = {name: part for part, names in enumerate(shares) for name in names}
    shared = set(NAME.findall(rest)) & functions.keys()
    uses: list[set[str]] = []
    for part, names in enumerate(shares):
        used = set()
        for name in names:
            used |= set(NAME.findall(functions[name])) & functions.keys()
        uses.append(used)
        shared |= {name for name in used if home[name] != part}
    header = [head, "#pragma GCC visibility push(hidden)",
              f'extern {types[0]} __asm__("w2c.{module}.func_types");']
    header += [f'{declared[name]} __asm__("w2c.{module}.{name[4:]}");'
               for name in functions if name in shared]
    header += ["#pragma GCC visibility pop", ""]
    include = f'#include "{module}_parts.h"\n\n'
    texts = [include + FIRST + rest.replace(f"static {types[0]};", f"{types[0]};")]
    for names in shares[1:]:
        local = [f"static {declared[name]};\n" for name in names if name not in shared]
        bodies = [functions[name] if name not in shared
                  else functions[name].removeprefix("static ") for name in names]
        texts.append(include + "".join(local) + "\n" + "\n".join(bodies))
    return "\n".join(header), texts


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--module", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where MODULE.c lies")
    parser.add_argument("--parts", type=int, required=True, help="how many files: 2 or more")
    parser.add_argument("--typed", action="store_true", help="accesses to memory as typed_image.py writes them")
    parser.add_argument("--hot", type=pathlib.Path, help="a list of the functions for part 1")
    args = parser.parse_args()
    try:
        names = args.hot.read_text() if args.hot else ""
        text = (args.folder / f"{args.module}.c").read_text()
        if args.typed:
            text = type_accesses(text)
        header, parts = split(text, args.module, args.parts, names)
    except Refused as error:
        print(f"parts of {args.module}: {error}", file=sys.stderr)
        return 1
    write_changed(args.folder / f"{args.module}_parts.h", header)
    for part, content in enumerate(parts):
        write_changed(args.folder / f"{args.module}_{part}.c", content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
