"""chain.py: a wasm module through the build's own chain, and onto the host's own runtime.

What cmake/WasmProgram.cmake does with a linked program: wasm-opt, wasm2c, the rewrite of
cmake/wasm_image.py, that of cmake/held_image.py (the kernel's) or of cmake/checked_image.py (a build
without signals), gcc with the flags of images; by the same functions. Only what they demand of a
program's edges (its exports, its one import) is left out. The result is linked with host/cpu and
driver.c.
"""

import dataclasses
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))

import checked_image  # noqa: E402
import held_image  # noqa: E402
import split_image  # noqa: E402
import wasm_data  # noqa: E402
import wasm_image  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# Of host/cpu, what only others have.
NOT_OF = {"signals": {"ticker"}, "held": {"ticker"}, "checked": {"timer", "trap"}}
FLAVOURS = tuple(NOT_OF)
# What clang-19 makes of C by default, with -mbulk-memory; wasm_image.optimise() tells Binaryen so.
WITHOUT = ["--disable-multi-value", "--disable-reference-types", "--disable-simd",
           "--disable-saturating-float-to-int"]
LETTERS = {"u32": "i", "u64": "I", "f32": "f", "f64": "F", "void": "v"}
# Names may have line ends.
EXPORT = re.compile(r"/\* export: '(?s:.*?)' \*/\n(\S+) (Z_\w+)\((.*)\);")
ARGS_MAX = 32


class LeftOut(Exception):
    """The chain does not take this module; the message is the reason."""


@dataclasses.dataclass
class Tools:
    cc: str
    wasm_opt: str
    wasm2c: str
    wasm_validate: str
    include: str  # of wasm-rt.h
    flags: str  # PF_IMAGE_FLAGS, separated by commas
    held_flags: str  # PF_HELD_FLAGS, in the same way

    @staticmethod
    def add_to(parser) -> None:
        for field in dataclasses.fields(Tools):
            parser.add_argument("--" + field.name.replace("_", "-"), required=True,
                                metavar=field.name.upper())

    @staticmethod
    def of(args) -> "Tools":
        return Tools(*(getattr(args, field.name) for field in dataclasses.fields(Tools)))


class Edges(wasm_image.Module):
    """The exports of a module that need not be a program's."""

    def global_(self, body) -> None:
        pass


def run(command: list, **more) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **more)


CODE, SEGMENT_CODE = 10, (b"\xfc\x08", b"\xfc\x09")  # memory.init, data.drop


def goes_past(wasm: pathlib.Path) -> bool:
    """Is its data such as an image's, which cmake/wasm_data.py takes past wasm2c? What code names by its
    number has to stay."""
    data = wasm.read_bytes()
    reader = wasm_data.Reader(data[8:])
    while reader.more:
        kind, body = reader.u8(), reader.take(reader.u32())
        if kind == CODE and any(code in body for code in SEGMENT_CODE):
            return False
    try:
        return bool(wasm_data.take_data(data)[1])
    except wasm_data.Refused:
        return False


def compile_c(tools: Tools, source: pathlib.Path, out: pathlib.Path, flavour: str, *flags) -> None:
    command = [tools.cc, "-std=gnu11", "-D_GNU_SOURCE", "-c", source, "-o", out, f"-I{ROOT}",
               f"-I{tools.include}", f"-I{HERE}", *flags]
    if flavour == "checked":
        command.append("-DPF_NO_SIGNALS")
    result = run(command)
    if result.returncode:
        raise SystemExit(f"{source}: {result.stderr}")


@dataclasses.dataclass
class Generated:
    """A module's C, and the rows of driver.c's tables for it."""
    name: str
    source: pathlib.Path
    header: str
    text: str
    exports: list[str]
    parts: bool  # is it to be compiled in parts?
    past: bool  # has its data gone past wasm2c?

    def glue(self) -> str:
        """The thunks and the image of this module."""
        n, out, rows = self.name, [], []
        found = EXPORT.findall(self.header)
        if len(found) != len(self.exports):
            raise SystemExit(f"{n}: {len(found)} exports in its header, {len(self.exports)} in it")
        asyncify = set()
        for i, (name, (result, symbol, parameters)) in enumerate(zip(self.exports, found)):
            if name.startswith("asyncify_"):
                asyncify.add(name)
            types = [p.strip() for p in parameters.split(",")][1:]
            pointer = result.endswith("*")
            kind = LETTERS.get(result.rstrip("*"))
            if kind is None or len(types) > ARGS_MAX:
                continue  # a memory, a table
            call = ("*" if pointer else "") + f"{symbol}(i" + "".join(
                f", driver_{t}(v[{k}])" if t[0] == "f" else f", ({t})v[{k}]"
                for k, t in enumerate(types)) + ")"
            if result[0] == "f":
                call = f"driver_bits_{result.rstrip('*')}({call})"
            assign = "" if kind == "v" else "v[0] = "
            out.append(f"static void {n}_{i}(void *i, uint64_t *v) {{ {assign}{call}; }}")
            invoked = int(not types and not pointer and not name.startswith("asyncify_"))
            rows.append(f'    {{"{name.encode().hex()}", \'{kind}\', {invoked}, {n}_{i}}},')
        imports = "Z_spectest_instance" in self.header
        memory = re.search(r"wasm_rt_allocate_memory\(&instance->(\w+), ", self.text)
        out.append(f"static void {n}_make(void *i, void *pf) {{ driver_begin(i); "
                   + ("" if memory else "driver_no_memory(); ")
                   + f"Z_{n}_instantiate(i{', pf' if imports else ''}); driver_end(pf); }}")
        fields = [f".instance_size = sizeof(Z_{n}_instance_t)", f".init_module = Z_{n}_init_module",
                  f".instantiate = {n}_make", ".start = driver_start"]
        for name in ("start_unwind", "stop_unwind", "start_rewind", "stop_rewind"):
            if "asyncify_" + name in asyncify:
                argument = ", uint32_t a" if name.startswith("start") else ""
                out.append(f"static void {n}_{name}(void *i{argument}) "
                           f"{{ Z_{n}Z_asyncify_{name}(i{', a' if argument else ''}); }}")
                fields.append(f".{name} = {n}_{name}")
        out.append(f"static const struct pf_image {n}_image = {{{', '.join(fields)}}};")
        out.append(f"static const struct driver_export {n}_exports[] = {{")
        out += [*rows, "    {0},", "};"]
        return "\n".join(out)


class Chain:
    """One flavour of build, in a folder of its own."""

    def __init__(self, tools: Tools, folder: pathlib.Path, flavour: str) -> None:
        self.tools, self.flavour, self.folder = tools, flavour, folder / flavour
        self.folder.mkdir(parents=True, exist_ok=True)
        self.host: list[pathlib.Path] = []
        sources = sorted((ROOT / "host" / "cpu").glob("*.c"))
        for source in [*(s for s in sources if s.stem not in NOT_OF[flavour]), HERE / "driver.c"]:
            out = self.folder / f"host_{source.stem}.o"
            compile_c(tools, source, out, flavour, "-O2", "-g")
            self.host.append(out)

    def generate(self, wasm: pathlib.Path, *, optimised: bool, imports: str) -> Generated:
        """C for a module. `imports`: what Asyncify takes for functions that may unwind."""
        valid = run([self.tools.wasm_validate, *WITHOUT, wasm])
        if valid.returncode:
            raise LeftOut("is not of the language that clang-19 writes by default")
        # The name is its content's, so that equal modules of two files are compiled once.
        digest = hashlib.sha256(wasm.read_bytes() + bytes([optimised])).hexdigest()
        name = "m" + digest[:16]
        try:
            if optimised:
                opted = self.folder / f"{name}.wasm"
                wasm_image.optimise(self.tools.wasm_opt, wasm, opted, "-O2",
                                    ["--asyncify", f"--pass-arg=asyncify-imports@{imports}"])
                wasm = opted
            edges = Edges(wasm.read_bytes())
            if any(module != "spectest" or kind for module, _, kind in edges.imports):
                raise LeftOut("imports what is no function of the host")
            past = optimised and goes_past(wasm)
            source, header = self.folder / f"{name}.c", self.folder / f"{name}.h"
            if past:
                bare, segments = wasm_data.take_data(wasm.read_bytes())
                wasm = self.folder / f"{name}.bare.wasm"
                wasm.write_bytes(bare)
            wasm_image.translate(self.tools.wasm2c, wasm, name, self.folder)
            if past:
                text = wasm_data.add_data(source.read_text(), segments)
                wasm_image.write_changed(source, text)
            if self.flavour == "checked":
                texts = checked_image.check(source.read_text(), header.read_text(), name)
                wasm_image.write_changed(source, texts[0])
                wasm_image.write_changed(header, texts[1])
            if self.flavour == "held":
                wasm_image.write_changed(source, held_image.hold(source.read_text()))
        except wasm_image.Refused as error:
            raise LeftOut(str(error)) from None
        return Generated(name, source, header.read_text(), source.read_text(),
                         list(edges.exports), optimised, past)

    def parts(self, module: Generated) -> list[pathlib.Path]:
        """The module's C as files: split as large images are, where there is something to share."""
        few = module.text.count("FUNC_PROLOGUE;") < 4
        if few or not module.parts or "memory_init(&instance" in module.text:
            return [module.source]  # clang makes no passive segments, so no image has one
        header, texts = split_image.split(module.text, module.name, 3)
        wasm_image.write_changed(self.folder / f"{module.name}_parts.h", header)
        sources = []
        for i, text in enumerate(texts):
            sources.append(self.folder / f"{module.name}_{i}.c")
            wasm_image.write_changed(sources[-1], text)
        return sources

    def link(self, modules: list[Generated], program: pathlib.Path) -> list[pathlib.Path]:
        """`modules` in the order in which commands name them. Returns their objects."""
        objects, different = [], {m.name: m for m in modules}
        for module in different.values():
            # What it was made from decides, so that a second run finds it.
            for source in self.parts(module):
                key = hashlib.sha256((source.read_text() + module.text + module.header).encode())
                out = self.folder / f"{source.stem}-{key.hexdigest()[:24]}.o"
                if not out.exists():
                    part = out.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
                    held = self.tools.held_flags.split(",") if self.flavour == "held" else []
                    compile_c(self.tools, source, part, self.flavour, f"-I{self.folder}",
                              "-O2", *self.tools.flags.split(","), *held)
                    part.rename(out)
                objects.append(out)
        glue = program.with_name(program.name + ".glue.c")
        rows = [f"    {{&{m.name}_image, {m.name}_exports}}," for m in modules]
        glue.write_text("\n".join(
            ['#include "driver.h"', *(f'#include "{m.name}.h"' for m in different.values()),
             *(m.glue() for m in different.values()),
             "const struct driver_module driver_modules[] = {", *rows, "    {0, 0},", "};", ""]))
        compile_c(self.tools, glue, glue.with_suffix(".o"), self.flavour, f"-I{self.folder}", "-w")
        result = run([self.tools.cc, *self.host, glue.with_suffix(".o"), *objects, "-o", program,
                      "-Wl,--wrap=wasm_rt_trap", "-lpthread", "-lm"])
        if result.returncode:
            raise SystemExit(f"{program}: {result.stderr}")
        return objects
