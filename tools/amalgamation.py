#!/usr/bin/env python3
"""pinfold as a few files of C for any compiler: `make amalgamation`.

usage: amalgamation.py --build DIR [--out DIR] [--no-archive]

Takes what DIR was built from and writes OUT/pinfold-VERSION/ and OUT/pinfold-VERSION.tar.xz:

    pinfold.c, pinfold.h  the host
    lib/                  the libraries that are built in
    images/               the kernel and the programs, as C that was compiled from WebAssembly
    templates.bin         the booted machine, which pinfold.c takes in; other files that it names
    README, LICENSE, NOTICE.md

They are compiled by `cc -c` alone: no clang, wabt, binaryen, cargo or node. The units of the host
become parts of pinfold.c, one after the other, with the headers first. A name that more than one unit
has for itself gets the unit's behind it.
"""

import argparse
import collections
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Targets whose sources become pinfold.c, in this order; those of images are files of their own.
HOST = ["pf_utf8", "pf_regex", "pf_base", "pf_zones", "pf_library", "pf_http", "pf_capability", "pf_cpu", "pinfold",
        "pf_baked", "pf_guest_images"]
FOREIGN = ["pf_yyjson", "pf_unicode", "pf_monocypher", "pf_zstd"]
COMMAND = "cc -O2 -ffp-contract=off -c pinfold.c lib/*.c images/*.c"
README = """\
pinfold {version}, as C sources. With gcc or clang on Linux (x86-64 or arm64), in this folder:

    {command}
    ar rcs libpinfold.a *.o
    cc your_program.c libpinfold.a -lm -pthread

The images take some minutes: `ls *.c */*.c | xargs -n 1 -P $(nproc) cc -O2 -ffp-contract=off -c` uses all
processors. -ffp-contract=off is needed: WebAssembly rounds after each operation. pinfold.h is the
documentation. These files are generated: https://github.com/pinfold/pinfold has what they are made from.
"""


class Unit:
    """A source and how it is compiled."""

    def __init__(self, entry: dict) -> None:
        self.path = pathlib.Path(entry["file"]).resolve()
        words = shlex.split(entry["command"])
        self.object = words[words.index("-o") + 1]
        (self.target,) = re.findall(r"CMakeFiles/([^/]+)\.dir/", self.object) or [""]
        self.folders = [self.path.parent]
        self.defines, self.files = {}, {}  # names of what is on the command line; those of files
        for word, after in zip(words, [*words[1:], ""]):
            if word in ("-iquote", "-idirafter"):
                self.folders.append(pathlib.Path(after))
            elif word.startswith("-I"):
                self.folders.append(pathlib.Path(word[2:]))
            elif word.startswith("-D") and "_FORTIFY_SOURCE" not in word:
                name, _, value = word[2:].partition("=")
                if value.startswith('"/'):
                    self.files[name] = value.strip('"')
                else:
                    self.defines[name] = value or "1"


INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
INCBIN = re.compile(r'(\.incbin \\")([^"\\]+)(\\")')
INCBIN_NAMED = re.compile(r'(?<=\.incbin \\)"" (\w+) "(?=\\")')
GUARD = re.compile(r"^\s*#\s*ifndef\s+(\w+)\s*\n\s*#\s*define\s+\1\b", re.MULTILINE)


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)


def is_guarded(text: str) -> bool:
    """Is all of a header within one #ifndef?"""
    bare = without_comments(text).strip()
    if bare.startswith("#pragma once"):
        return True
    found = GUARD.match(bare)
    if not found:
        return False
    depth, lines = 0, bare.split("\n")
    for number, line in enumerate(lines):
        if re.match(r"\s*#\s*if", line):
            depth += 1
        elif re.match(r"\s*#\s*endif", line):
            depth -= 1
            if depth == 0:
                return number == len(lines) - 1
    return False


class Amalgamation:
    def __init__(self, out: pathlib.Path, roots: list[pathlib.Path]) -> None:
        self.out, self.roots = out, roots
        self.seen: set[pathlib.Path] = set()
        self.lines: list[str] = []

    def resolve(self, name: str, quoted: bool, unit: Unit, here: pathlib.Path) -> pathlib.Path | None:
        folders = [here.parent, *unit.folders] if quoted else unit.folders[1:]
        for folder in folders:
            path = folder / name
            if path.is_file() and any(root in path.resolve().parents for root in self.roots):
                return path.resolve()
        return None

    def take(self, path: pathlib.Path, unit: Unit, text: str | None = None) -> None:
        """A file (with this text instead of its own), with all that it includes of ours."""
        if path.name == "pinfold.h":
            return
        text = text or path.read_text()
        if path != unit.path:
            if path in self.seen:
                return
            if is_guarded(text):
                self.seen.add(path)
        for line in text.split("\n"):
            found = INCLUDE.match(line)
            inner = found and self.resolve(found[2], found[1] == '"', unit, path)
            if inner:
                self.take(inner, unit)
            elif not re.match(r"\s*#\s*pragma once", line):
                line = INCBIN_NAMED.sub(lambda name: '"' + unit.files[name[1]], line)
                self.lines.append(INCBIN.sub(self.beside, line))

    def beside(self, found: re.Match) -> str:
        """A file that the assembler takes in lies beside pinfold.c."""
        path = pathlib.Path(found[2])
        shutil.copyfile(path, self.out / path.name)
        return f"{found[1]}{path.name}{found[3]}"


LOCAL = [
    re.compile(r"^(?:_Thread_local\s+)?static\b[^=;({]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*[=;(]", re.MULTILINE),
    re.compile(r"^(?:static )?(?:const )?(?:struct|union|enum)\s+(\w+)\s*\{", re.MULTILINE),
    re.compile(r"^typedef [^;{]*?\b(\w+);", re.MULTILINE),
    re.compile(r"^\}\s*(\w+)\s*(?:\[[^\]]*\])?\s*[;=]", re.MULTILINE),
]


TOKEN = re.compile(
    r"""(?P<kept>/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|^[ \t]*\#[ \t]*include[^\n]*)
    |(?P<before>(?:->|(?<!\.)\.)[ ]*|\b(?:struct|union|enum)[ ]+)?\b(?P<name>[A-Za-z_]\w*)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE)
# What a structure of this project's layout holds: names in it are members, unless a word leads to them.
BODY = re.compile(r"^(?:typedef |static |const )*(?:struct|union)\b[^;{}()=]*\{.*?^\}", re.MULTILINE | re.DOTALL)


def local_names(text: str) -> set[str]:
    """What a unit defines for itself at file scope, in this project's layout."""
    bare = without_comments(text)
    names = {name for pattern in LOCAL for name in pattern.findall(bare)}
    for body in re.findall(r"^(?:static )?enum\s*\w*\s*\{(.*?)\}", bare, re.MULTILINE | re.DOTALL):
        names |= {re.match(r"\s*(\w*)", part)[1] for part in body.split(",")}
    return names - {"", "__attribute__"}


def renamed(text: str, names: set[str], tag: str) -> str:
    """The text with these names of its own changed; members and what is in quotes stay."""
    def change(found: re.Match, member: bool) -> str:
        name, before = found["name"], found["before"] or ""
        if found["kept"] or name not in names or before.strip() in ("->", "."):
            return found[0]
        if member and not before and not re.match(r"\s*\**\s*\w", text[found.end():]):
            return found[0]
        return f"{before}{name}__{tag}"
    out, at = [], 0
    for body in BODY.finditer(text):
        out.append(TOKEN.sub(lambda m: change(m, False), text[at:body.start()]))
        head = text.index("{", body.start())
        out.append(TOKEN.sub(lambda m: change(m, False), text[body.start():head]))
        out.append(TOKEN.sub(lambda m: change(m, True), text[head:body.end()]))
        at = body.end()
    return "".join([*out, TOKEN.sub(lambda m: change(m, False), text[at:])])


def own_macros(text: str) -> set[str]:
    return set(re.findall(r"^\s*#\s*define\s+(\w+)", without_comments(text), re.MULTILINE))


def defined(defines: dict[str, str]) -> list[str]:
    lines = []
    for name, value in sorted(defines.items()):
        lines += [f"#ifndef {name}", f"#define {name} {value}", "#endif"]
    return lines


def write_host(units: list[Unit], out: pathlib.Path, build: pathlib.Path, version: str) -> None:
    whole = Amalgamation(out, [ROOT, build.resolve()])
    texts = {unit.path: unit.path.read_text() for unit in units}
    names = {path: local_names(text) for path, text in texts.items()}
    count = collections.Counter(name for found in names.values() for name in found)
    whole.lines.append(f"/* pinfold.c: pinfold {version}, made by tools/amalgamation.py; see README. */")
    whole.lines += defined({name: value for unit in units for name, value in unit.defines.items()})
    whole.lines.append('#include "pinfold.h"')
    for unit in units:  # headers first, where no unit's macros are in force
        for found in map(INCLUDE.match, texts[unit.path].split("\n")):
            inner = found and whole.resolve(found[2], found[1] == '"', unit, unit.path)
            if inner and is_guarded(inner.read_text()):
                whole.take(inner, unit)
    everywhere = set()
    for header in whole.seen:
        count.update(local_names(header.read_text()))
        everywhere |= own_macros(header.read_text())
    for unit in units:
        own = {name for name in names[unit.path] if count[name] > 1}
        tag = f"{unit.path.parent.name}_{unit.path.stem}"
        whole.lines.append(f"\n/* ======== {unit.path.parent.name}/{unit.path.name} ======== */")
        macros = sorted(own_macros(texts[unit.path]))
        hidden = [name for name in macros if name in everywhere]  # a header's, until the unit's end
        for name in hidden:
            whole.lines += [f'#pragma push_macro("{name}")', f"#undef {name}"]
        whole.take(unit.path, unit, renamed(texts[unit.path], own, tag))
        whole.lines += [f"#undef {name}" for name in macros]
        whole.lines += [f'#pragma pop_macro("{name}")' for name in hidden]
    (out / "pinfold.c").write_text("\n".join(whole.lines) + "\n")


def write_alone(units: list[Unit], folder: pathlib.Path, build: pathlib.Path) -> None:
    """Each unit with the headers that are ours taken in, so that it needs nothing beside it."""
    folder.mkdir()
    for unit in units:
        one = Amalgamation(folder, [ROOT, build.resolve()])
        one.lines += defined(unit.defines)
        one.take(unit.path, unit)
        name = unit.path.name
        if (folder / name).exists() or name == "image.c":
            name = f"{unit.path.parent.name}_{name}"
        assert not (folder / name).exists(), name
        (folder / name).write_text("\n".join(one.lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--no-archive", action="store_true", help="only the folder")
    args = parser.parse_args()
    version = re.search(r"project\(pinfold VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    parent = args.out or args.build / "amalgamation"
    out = parent / f"pinfold-{version}"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    units = [Unit(e) for e in json.loads((args.build / "compile_commands.json").read_text())]
    host = [u for target in HOST for u in units if u.target == target]
    foreign = [u for u in units if u.target in FOREIGN]
    assert {u.target for u in host} == set(HOST) and {u.target for u in foreign} == set(FOREIGN)
    programs = set(re.findall(r"pf_image_(\w+)", next(
        u.path.read_text() for u in host if u.target == "pf_guest_images")))
    images = [u for u in units if u.target.removeprefix("pf_image_") in programs
              and u.target.startswith("pf_image_")]
    write_host(host, out, args.build, version)
    write_alone(foreign, out / "lib", args.build)
    write_alone(images, out / "images", args.build)
    shutil.copyfile(ROOT / "include/pinfold.h", out / "pinfold.h")
    shutil.copyfile(ROOT / "LICENSE", out / "LICENSE")
    shutil.copyfile(ROOT / "third_party/README.md", out / "NOTICE.md")
    (out / "README").write_text(README.format(version=version, command=COMMAND))
    print(f"{out}: {len(host)} units in pinfold.c, {len(images)} of images")
    if args.no_archive:
        return 0
    subprocess.run(["tar", "--sort=name", "--owner=0", "--group=0", "--mtime=@0", "-C", parent,
                    "-I", "xz -3", "-cf", parent / f"{out.name}.tar.xz", out.name], check=True)
    size = (parent / f"{out.name}.tar.xz").stat().st_size
    print(f"{parent}/{out.name}.tar.xz: {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
