"""freeze.py: the modules that CPython starts with, compiled, as the headers its frozen.c includes.

    freeze.py CPYTHON OUTPUT

Writes OUTPUT/frozen.c, OUTPUT/Python/frozen_modules/NAME.h. CPython's own way compiles them with an interpreter
that it builds first; this takes the Python of the build, which must be of the same 3.11.
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
ENTRY = re.compile(r'^    \{("[\w.]+"), NULL, 0, (false|true), GET_CODE\((\w+)\)\},$', re.M)


def header(name: str, code: bytes) -> str:
    lines = [f"static const unsigned char _Py_M__{name}[] = {{"]
    lines += [",".join(map(str, code[at : at + 32])) + "," for at in range(0, len(code), 32)]
    return "\n".join([*lines, "};", ""])


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
        **{name: source / "Lib" / path for name, path in MODULES.items()},
        "getpath": source / "Modules" / "getpath.py",
    }
    for name, path in modules.items():
        frozen = name.replace("_", ".", 1) if name.startswith("importlib_") else name
        code = compile(
            path.read_bytes(), f"<frozen {frozen}>", "exec", dont_inherit=True, optimize=0
        )
        (folder / f"{name}.h").write_text(header(name, marshal.dumps(code)))
    (output / "frozen.c").write_text(table((source / "Python" / "frozen.c").read_text()))


if __name__ == "__main__":
    main()
