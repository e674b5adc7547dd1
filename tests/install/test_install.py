"""`make install`, and programs of a stranger against what it installed."""

import os
import re
import shutil

import pytest
from stranger import BUILD, ROOT, run


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", prefix)
    return prefix


@pytest.fixture(scope="module")
def library(prefix):
    (found,) = prefix.rglob("libpinfold.so")
    return found


def test_only_what_the_header_names_is_exported(prefix, library):
    header = (prefix / "include" / "pinfold.h").read_text()
    # A declaration ends at its first parenthesis; the function is the last name before it.
    named = {
        re.search(r"(\w+)$", text)[1] for text in re.findall(r"^PF_API ([^(;]*)\(", header, re.M)
    }
    symbols = run("nm", "-D", "--defined-only", library).split()[2::3]
    assert {symbol.partition("@")[0] for symbol in symbols} == named
    assert all(name.startswith("pf_") for name in named) and len(named) > 40


def test_the_static_library_has_no_other_names(prefix, library):
    """An embedder's own zstd, or a function called base_error, does not meet ours."""
    symbols = run("nm", "-g", "--defined-only", library.parent / "libpinfold.a").split("\n")
    names = {line.split()[-1] for line in symbols if len(line.split()) == 3}
    shared = run("nm", "-D", "--defined-only", library).split()[2::3]
    assert names == {symbol.partition("@")[0] for symbol in shared}


def test_library_names_its_abi(library):
    assert re.search(r"SONAME.*libpinfold\.so\.1\]", run("readelf", "-d", library))


def test_examples_with_cmake(prefix, tmp_path):
    run("cmake", "-S", ROOT / "examples" / "c", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path)
    hello = run(tmp_path / "hello")
    assert run(tmp_path / "hello_static") == hello
    assert "libpinfold" not in run("ldd", tmp_path / "hello_static")
    assert re.fullmatch(
        r"pinfold 0\.\d+\.\d+ \(ABI 1\)\ngreet\nstatus 126\n.*greet is denied: tone must be .*\n",
        hello,
        re.DOTALL,
    ), hello
    assert run(tmp_path / "branches") == "5\n1+2+3+4+5\n"


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="pkg-config is not installed")
def test_examples_with_pkg_config(prefix, library, tmp_path):
    sources = [ROOT / "examples" / "c" / name for name in ("hello.c", "answer.c")]
    environment = os.environ | {"PKG_CONFIG_PATH": str(library.parent / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "pinfold", env=environment).split()
    program = tmp_path / "hello"
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", *sources, *flags, "-o", program)
    assert "status 126" in run(program, env=environment | {"LD_LIBRARY_PATH": str(library.parent)})


@pytest.mark.parametrize(
    "compiler", [["cc", "-std=c99"], ["cc", "-std=c11"], ["c++", "-std=c++11"]]
)
def test_the_header_stands_alone(prefix, tmp_path, compiler):
    source = tmp_path / ("use.cc" if "c++" in compiler[0] else "use.c")
    source.write_text("#include <pinfold.h>\n#include <pinfold.h>\nint f(void) { return PF_OK; }\n")
    strict = ["-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{prefix}/include", "-fsyntax-only"]
    run(*compiler, *strict, source)


def test_what_there_is_to_read(prefix):
    """The header names it, so it is there."""
    documents = prefix / "share" / "doc" / "pinfold"
    assert "policy.md" in (prefix / "include" / "pinfold.h").read_text()
    assert "capabilities" in (documents / "policy.md").read_text()
    assert (documents / "LICENSE").exists() and (documents / "policy.schema.json").exists()


def test_program_and_manual_page(prefix):
    assert run(prefix / "bin" / "pinfold", "-c", "echo installed") == "installed\n"
    page = prefix / "share" / "man" / "man1" / "pinfold.1"
    shown = run("man", "-l", page) if shutil.which("man") else page.read_text()
    for command in ("replay", "snapshot show", "completion", "--record"):
        assert command.replace("-", "") in shown.replace("\\", "").replace("-", "")
