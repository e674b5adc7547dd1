"""pinfold as C sources: what `make amalgamation` writes compiles alone, with any compiler, and runs."""

import shutil
import sys

import pytest
from stranger import BUILD, ROOT, run

# Whose C is small; the other images are those of the build, since to compile them takes minutes.
IMAGE = "tool"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("amalgamation")
    run(sys.executable, ROOT / "tools/amalgamation.py", "--build", BUILD, "--out", out, "--no-archive")
    (folder,) = out.iterdir()
    return folder


def test_says_how_it_is_built(folder):
    assert "cc -O2 -ffp-contract=off -c pinfold.c lib/*.c images/*.c" in (folder / "README").read_text()
    assert (folder / "LICENSE").exists() and "zstd" in (folder / "NOTICE.md").read_text()
    assert (folder / "pinfold.h").read_text() == (ROOT / "include/pinfold.h").read_text()


def test_needs_nothing_of_the_tree(folder):
    for path in [folder / "pinfold.c", *folder.glob("*/*.c")]:
        text = path.read_text()
        assert str(ROOT) not in text and str(BUILD) not in text, path
    here = {"pinfold.h"}
    named = {
        line.split('"')[1]
        for line in (folder / "pinfold.c").read_text().splitlines()
        if line.startswith('#include "')
    }
    assert named == here


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_compiles_and_runs(folder, tmp_path, compiler):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    sources = [folder / "pinfold.c", *folder.glob("lib/*.c"), *folder.glob(f"images/{IMAGE}[._]*c")]
    assert len(sources) > 10
    objects = []
    for source in sources:
        objects.append(tmp_path / f"{source.parent.name}-{source.stem}.o")
        # In its folder: the assembler takes in what lies beside it.
        flags = ["-O1", "-ffp-contract=off", "-w"]
        run(compiler, *flags, "-c", source, "-o", objects[-1], cwd=folder)
    program = tmp_path / "hello"
    example = [ROOT / "examples" / "c" / name for name in ("hello.c", "answer.c")]
    libraries = [BUILD / "libpf_guest_images.a", "-lm", "-pthread"]
    run(compiler, f"-I{folder}", *example, *objects, *libraries, "-o", program)
    assert "status 126" in run(program)
