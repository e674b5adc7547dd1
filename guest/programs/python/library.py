"""library.py: the standard library, with its byte code, as one block for the host's root.

    library.py CPYTHON/Lib OUTPUT.bin OUTPUT.c [OVERLAY]...

OUTPUT.bin is every file's bytes end to end; OUTPUT.c the table of host/machine/library.h, sorted by
path. Byte code lies in __pycache__ and is taken without a look at its source (PEP 552), so that a file's
time does not matter. Modules of an OVERLAY come later and win. What needs a screen, a network to install from, or
C that is not here is left out.
"""

import importlib.util
import marshal
import multiprocessing
import pathlib
import sys

MAGIC = 3495  # of the byte code of every 3.11
ROOT = "/usr/lib/python3.11"
LEFT_OUT = {
    "ensurepip",
    "idlelib",
    "lib2to3",
    "msilib",
    "test",
    "tkinter",
    "turtle.py",
    "turtledemo",
    "venv",
    "__phello__",
    "__hello__.py",
    "_bootsubprocess.py",
    "_aix_support.py",
    "_osx_support.py",
}
DATA = {".py", ".txt", ".css", ".pxd"}


def sources(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        if path.is_file() and path.suffix in DATA and name.parts[0] not in LEFT_OUT:
            found[name.as_posix()] = path
    return found


def byte_code(job: tuple[str, bytes]) -> tuple[str, bytes]:
    """The file in __pycache__ for a module."""
    name, text = job
    code = compile(text, f"{ROOT}/{name}", "exec", dont_inherit=True, optimize=0)
    path = pathlib.PurePosixPath(name)
    head = (
        importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + importlib.util.source_hash(text)
    )
    cached = path.parent / "__pycache__" / f"{path.stem}.cpython-311.pyc"
    return cached.as_posix(), head + marshal.dumps(code)


def folders(names: list[str]) -> set[str]:
    return {parent.as_posix() for name in names for parent in pathlib.PurePosixPath(name).parents}


def write_table(path: pathlib.Path, blob: pathlib.Path, files: dict[str, bytes]) -> None:
    lines = [
        '#include "host/machine/library.h"',
        "",
        "const struct machine_library_entry machine_library[] = {",
    ]
    at = 0
    for name in sorted({*files, *(folders(list(files)) | {"lib-dynload"}) - {"."}}, key=str.encode):
        if name in files:
            lines.append(f'    {{"{name}", {at}, {len(files[name])}, 0}},')
            at += len(files[name])
        else:
            lines.append(f'    {{"{name}", 0, 0, 1}},')
    lines += [
        "};",
        f"const unsigned machine_library_count = {len(lines) - 3};",
        '__asm__(".section .rodata.pf_library, \\"a\\"\\n"',
        '        ".balign 4096\\n.global machine_library_data\\n.hidden machine_library_data\\n"',
        f'        "machine_library_data:\\n.incbin \\"{blob}\\"\\n.byte 0\\n.previous\\n");',
        "",
    ]
    path.write_text("\n".join(lines))


def main() -> None:
    folder, blob, table = map(pathlib.Path, sys.argv[1:4])
    if int.from_bytes(importlib.util.MAGIC_NUMBER[:2], "little") != MAGIC:
        sys.exit(
            f"{sys.executable} is Python {sys.version.split()[0]}, whose byte code is not 3.11's"
        )
    found = sources(folder)
    for overlay in sys.argv[4:]:
        found |= sources(pathlib.Path(overlay))
    files = {name: path.read_bytes() for name, path in found.items()}
    jobs = [(name, text) for name, text in sorted(files.items()) if name.endswith(".py")]
    with multiprocessing.Pool() as pool:
        files |= dict(pool.map(byte_code, jobs, chunksize=16))
    with blob.open("wb") as out:
        for name in sorted(files, key=str.encode):
            out.write(files[name])
    write_table(table, blob, files)


if __name__ == "__main__":
    main()
