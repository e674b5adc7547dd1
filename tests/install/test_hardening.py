"""The native files of the product are built as their platform can protect them."""

import json
import os
import struct

import elf
import pytest
from stranger import BUILD, ROOT

FILES = {
    "program": BUILD / "pinfold",
    "library": BUILD / "lib" / "libpinfold.so",
    "module": BUILD / "python" / "pinfold" / "_native.abi3.so",
    "package's program": BUILD / "python" / "pinfold" / "_program",
    "package's command": BUILD / "python" / "pinfold" / "_launcher",
}


@pytest.fixture(params=FILES)
def file(request):
    return elf.Elf(FILES[request.param].resolve())


def test_all_of_it_can_be_moved(file):
    assert file.type == 3, "not position-independent"
    assert elf.TEXTREL not in file.dynamic, "its code is written to when it is loaded"


def test_full_relro_and_bind_now(file):
    assert file.flags(elf.GNU_RELRO), "no RELRO"
    now = file.dynamic.get(elf.FLAGS, 0) & elf.BIND_NOW or (
        file.dynamic.get(elf.FLAGS_1, 0) & elf.NOW
    )
    assert now, "functions are bound when they are first called, through a table that stays writable"


def test_nothing_is_both_writable_and_executable(file):
    both = elf.WRITABLE | elf.EXECUTABLE
    assert all(flags & both != both for flags in file.flags(elf.LOAD))
    assert file.flags(elf.GNU_STACK) and not file.flags(elf.GNU_STACK)[0] & elf.EXECUTABLE


def test_stack_protector_and_fortify(file, request):
    names = file.imported()
    assert "__stack_chk_fail" in names
    if request.node.callspec.id == "module":
        return  # it calls none of the functions that would be checked
    assert {name for name in names if name.startswith("__") and name.endswith("_chk")}


def test_searches_no_folder_of_the_machine_that_built_it(file):
    assert elf.RPATH not in file.dynamic
    if elf.RUNPATH in file.dynamic:  # a Python package's, beside its library
        assert file.string(elf.RUNPATH) == "$ORIGIN"


def test_says_no_path_of_the_machine_that_built_it(file):
    for folder in {str(ROOT), str(BUILD.resolve()), os.path.expanduser("~")} - {"/", "/root"}:
        assert folder.encode() + b"/" not in file.data, f"has a path below {folder}"


def test_every_source_of_the_host_is_compiled_so():
    """A new library that pf_harden() does not name would go unnoticed in the files."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    host = [c for c in commands if f"{ROOT}/host/" in c["file"] and " -o tests/" not in c["command"]]
    host += [c for c in commands if f"{ROOT}/cli/" in c["file"] or "/_native/" in c["file"]]
    assert len(host) > 80
    for command in host:
        assert "-fstack-protector-strong" in command["command"], command["file"]
        assert "-D_FORTIFY_SOURCE=3" in command["command"], command["file"]


def test_the_parser_sees_what_is_missing(tmp_path):
    """Without RELRO, with an executable stack: the checks above would fail."""
    data = bytearray(FILES["library"].resolve().read_bytes())
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        (kind,) = struct.unpack_from("<I", data, start + i * size)
        if kind == elf.GNU_RELRO:
            struct.pack_into("<I", data, start + i * size, 0)
        if kind == elf.GNU_STACK:
            struct.pack_into("<I", data, start + i * size + 4, 7)
    changed = tmp_path / "changed.so"
    changed.write_bytes(data)
    file = elf.Elf(changed)
    assert not file.flags(elf.GNU_RELRO)
    assert file.flags(elf.GNU_STACK)[0] & elf.EXECUTABLE
