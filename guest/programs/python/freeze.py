"""freeze.py: the modules that CPython starts with, compiled, as the headers its frozen.c includes.

    freeze.py CPYTHON OUTPUT

Writes OUTPUT/frozen.c, OUTPUT/Python/frozen_modules/NAME.h, and OUTPUT/boot_modules.h for boot.c. CPython's own
way compiles them with an interpreter that it builds first; this takes the Python of the build, which must be of
the same 3.11.
"""

import importlib.util
import marshal
import pathlib
import re
import sys

MAGIC = 3495  # of the byte code of every 3.11
MODULES = {
    "importlib__bootstrap": "importlib/_bootstrap.py",
    "importlib__bootstrap_external": "importlib/_bootstrap_external.py",
    "zipimport": "zipimport.py",
    "abc": "abc.py",
    "codecs": "codecs.py",
    "io": "io.py",
    "_collections_abc": "_collections_abc.py",
    "_sitebuiltins": "_sitebuiltins.py",
    "genericpath": "genericpath.py",
    "ntpath": "ntpath.py",
    "posixpath": "posixpath.py",
    "os": "os.py",
    "site": "site.py",
    "stat": "stat.py",
    "importlib_util": "importlib/util.py",
    "importlib_machinery": "importlib/machinery.py",
    "runpy": "runpy.py",
}
# What boot.py imports, and what that imports, if it is neither C nor frozen.
BOOTED = """
    encodings encodings.aliases encodings.utf_8
    _cell _compression _socket _weakrefset argparse ast base64 bisect bz2 collections
    collections.abc contextlib contextvars copy copyreg csv dataclasses datetime decimal difflib dis enum fnmatch fractions
    functools gettext glob hashlib heapq importlib importlib._abc inspect json json.decoder json.encoder
    json.scanner keyword linecache locale logging lzma numbers opcode operator pathlib pprint random re
    re._casefix re._compiler re._constants re._parser reprlib selectors shutil signal socket statistics string
    struct subprocess tempfile textwrap threading token tokenize traceback types typing urllib urllib.parse
    warnings weakref
    unittest unittest.case unittest.loader unittest.main unittest.result unittest.runner unittest.signals
    unittest.suite unittest.util
    concurrent concurrent.futures concurrent.futures._base
    asyncio asyncio.base_events asyncio.base_futures asyncio.base_subprocess asyncio.base_tasks
    asyncio.constants asyncio.coroutines asyncio.events asyncio.exceptions asyncio.format_helpers
    asyncio.futures asyncio.locks asyncio.log asyncio.mixins asyncio.protocols asyncio.queues asyncio.runners
    asyncio.selector_events asyncio.sslproto asyncio.staggered asyncio.streams asyncio.subprocess
    asyncio.taskgroups asyncio.tasks asyncio.threads asyncio.timeouts asyncio.transports asyncio.trsock
    asyncio.unix_events
""".split()
ROOT = "/usr/lib/python3.11"  # as in library.py
MASK = 0x5A  # boot.c's: wasm-opt makes two segments of one around each run of zeros
ROOM = 1 << 18  # the table's size is a multiple: what lies behind it stays where it is
ESCAPES = {
    byte: f"\\{byte:03o}" for byte in range(256) if not 32 <= byte < 127 or chr(byte) in '"\\?'
}
ENTRY = re.compile(r'^    \{("[\w.]+"), NULL, 0, (false|true), GET_CODE\((\w+)\)\},$', re.M)


def array(head: str, data: bytes) -> str:
    """An array of bytes as C: as a string, which compilers read many times faster than numbers."""
    rows = (data[at : at + 64].decode("latin-1") for at in range(0, len(data), 64))
    return "\n".join(
        [f"{head}[{len(data)}] =", *(f'"{row.translate(ESCAPES)}"' for row in rows), ";", ""]
    )


def header(name: str, code: bytes) -> str:
    return array(f"static const unsigned char _Py_M__{name}", code)


def library_file(source: pathlib.Path, output: pathlib.Path, path: str) -> pathlib.Path:
    """A file of the library, as adapt_cpython.py leaves it."""
    adapted = output / "adapted" / "Lib" / path
    return adapted if adapted.exists() else source / "Lib" / path


def table(text: str) -> str:
    """frozen.c with the bytes in its table; CPython's own tests' modules are left out."""

    def entry(found: re.Match) -> str:
        name, package, module = found.groups()
        if module not in MODULES:
            return ""
        where = f"_Py_M__{module}"
        return f"    {{{name}, {where}, (int)sizeof({where}), {package}, NULL}},"

    text, count = ENTRY.subn(entry, text)
    if count != 29:
        sys.exit(f"frozen.c is not written as freeze.py expects: {count} entries")
    includes = "".join(f'#include "Python/frozen_modules/{name}.h"\n' for name in MODULES)
    return text.replace("/* End includes */", includes)


def boot_table(folders: list[pathlib.Path]) -> str:
    """boot_codes for boot.c: of each module its name and NUL, 1 if it is a package, its size, its code."""
    own = pathlib.Path(__file__).with_name("boot.py")
    table = boot_entry("_boot", False, own.read_bytes(), "<boot>")
    for name in BOOTED:
        path = name.replace(".", "/")
        found = [
            (file, folder / file)
            for folder in folders
            for file in (f"{path}/__init__.py", f"{path}.py")
            if (folder / file).exists()
        ]
        if not found:
            sys.exit(f"freeze.py: there is no module {name}")
        file, where = found[0]
        package = file.endswith("__init__.py")
        table += boot_entry(name, package, where.read_bytes(), f"{ROOT}/{file}")
    table += bytes(ROOM - len(table) % ROOM)
    table = bytes(byte ^ MASK for byte in table)
    return array('__attribute__((section("boot_codes"))) static unsigned char boot_codes', table)


def boot_entry(name: str, package: bool, text: bytes, file: str) -> bytes:
    code = marshal.dumps(compile(text, file, "exec", dont_inherit=True, optimize=0))
    return name.encode() + bytes([0, package]) + len(code).to_bytes(4, "little") + code


def write_changed(path: pathlib.Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main() -> None:
    source, output = map(pathlib.Path, sys.argv[1:])
    if int.from_bytes(importlib.util.MAGIC_NUMBER[:2], "little") != MAGIC:
        sys.exit(
            f"{sys.executable} is Python {sys.version.split()[0]}, whose byte code is not 3.11's"
        )
    folder = output / "Python" / "frozen_modules"
    folder.mkdir(parents=True, exist_ok=True)
    (output / "Modules").mkdir(exist_ok=True)  # getpath.c includes "../Python/…"
    modules = {
        **{name: library_file(source, output, path) for name, path in MODULES.items()},
        "getpath": source / "Modules" / "getpath.py",
    }
    for name, path in modules.items():
        frozen = name.replace("_", ".", 1) if name.startswith("importlib_") else name
        code = compile(
            path.read_bytes(), f"<frozen {frozen}>", "exec", dont_inherit=True, optimize=0
        )
        write_changed(folder / f"{name}.h", header(name, marshal.dumps(code)))
    write_changed(output / "frozen.c", table((source / "Python" / "frozen.c").read_text()))
    own = pathlib.Path(__file__).parent / "lib"
    write_changed(
        output / "boot_modules.h", boot_table([own, output / "adapted" / "Lib", source / "Lib"])
    )


if __name__ == "__main__":
    main()
