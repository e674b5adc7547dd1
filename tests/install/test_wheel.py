"""The wheel in an empty environment, where there is no compiler: the README works there."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from stranger import BUILD, ROOT, run

EPOCH = {"SOURCE_DATE_EPOCH": "1700000000"}  # the time of a wheel's members
BUILT = BUILD / "python" / "pinfold"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(tmp_path_factory.mktemp("wheel"))


def build(folder):
    if not importlib.util.find_spec("scikit_build_core"):
        pytest.skip("scikit-build-core is not installed")
    given = [
        "--config-settings=cmake.define.PF_PACKAGE=" + str(BUILT),
        f"--config-settings=build-dir={folder}/build",
    ]
    quiet = ["-q", "--no-deps", "--no-build-isolation", "-w", folder]
    run(sys.executable, "-m", "pip", "wheel", *quiet, *given, ROOT, env=os.environ | EPOCH)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """A fresh environment with the wheel and nothing else."""
    venv = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", venv)
    run(venv / "bin" / "pip", "install", "-q", "--no-index", "--no-deps", wheel)
    return venv / "bin" / "python"


def test_one_wheel_for_every_python(wheel):
    assert "-cp311-abi3-" in wheel.name


def test_the_same_bytes_each_time(wheel, tmp_path):
    assert build(tmp_path).read_bytes() == wheel.read_bytes()


def test_says_what_it_is_made_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith("/sboms/pinfold.cdx.json")]
        assert ".dist-info/sboms/" in name
        assert json.loads(archive.read(name))["bomFormat"] == "CycloneDX"


def test_readme_in_an_empty_environment(python, tmp_path):
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    program = tmp_path / "readme.py"
    program.write_text("\n".join(blocks))
    alone = {"PATH": str(python.parent), "HOME": str(tmp_path)}
    out = run(python, "-I", program, cwd=tmp_path, env=alone)
    assert out.splitlines() == re.findall(r"# prints (.*)", "\n".join(blocks))


def test_its_command_is_the_whole_program(python, tmp_path):
    """The same `pinfold` as the C library's, found without a search path, from any folder."""
    command = python.parent / "pinfold"
    for words in ([command], [python, "-m", "pinfold"]):
        assert run(*words, "-c", "echo $((6 * 7)); pwd", cwd=tmp_path, env={}) == "42\n/workspace\n"
        assert run(*words, "--version", env={}).startswith("pinfold ")
        assert "--tool" in run(*words, "run", "--help", env={})
        assert "usage: pinfold mcp" in run(*words, "mcp", "--help", env={})
    failed = subprocess.run([command, "-c", "exit 7"], env={}, check=False)
    assert failed.returncode == 7


def test_its_page_of_a_recording(python, tmp_path):
    """The page's own files are in the wheel, and `pinfold` finds Python for it."""
    command = python.parent / "pinfold"
    run(command, "--record", "a.jsonl", "-c", "echo 1 > one", cwd=tmp_path, env={})
    run(command, "trace", "a.jsonl", cwd=tmp_path, env={})
    page = (tmp_path / "a.jsonl.html").read_text()
    assert "</style>" in page and 'id="files" data-packed' in page
    assert "usage: pinfold debug" in run(command, "debug", "--help", env={})



def test_its_command_through_a_link(python, tmp_path):
    """As pipx and uv put it on the search path."""
    (tmp_path / "pinfold").symlink_to(python.parent / "pinfold")
    assert run(tmp_path / "pinfold", "-c", "echo found", env={}) == "found\n"


def test_its_command_in_other_layouts(python, wheel, tmp_path):
    """Where an installer puts packages: pip --target, Fedora's lib64, a prefix like /usr/local, and
    a path that would be a pattern."""
    flat = tmp_path / "a [b] *" / "flat"
    flags = ["-q", "--no-index", "--no-deps"]
    run(python.parent / "pip", "install", *flags, "--target", flat, wheel)
    assert run(flat / "bin" / "pinfold", "-c", "echo flat", env={}) == "flat\n"
    for library in ("lib64/python3.13/site-packages", "lib/python3.12/dist-packages"):
        prefix = tmp_path / library.replace("/", "-")
        (prefix / library).parent.mkdir(parents=True)
        shutil.copytree(flat, prefix / library)
        (prefix / library / "bin").rename(prefix / "bin")
        assert run(prefix / "bin" / "pinfold", "-c", "echo there", env={}) == "there\n"


def test_its_command_alone_says_what_is_missing(python, tmp_path):
    shutil.copy(python.parent / "pinfold", tmp_path)
    alone = subprocess.run(
        [tmp_path / "pinfold", "-c", "true"], env={"PATH": ""}, capture_output=True, text=True
    )
    assert alone.returncode == 125
    assert "the Python package pinfold" in alone.stderr and str(tmp_path) in alone.stderr


def test_no_symbols_and_no_second_copy(wheel, tmp_path):
    """What users download: the images once, without what only a debugger reads."""
    with zipfile.ZipFile(wheel) as archive:
        large = [i for i in archive.infolist() if i.file_size > 1_000_000]
        assert [i.filename.split(".")[0] for i in large] == ["pinfold/libpinfold"]
        sections = run("readelf", "-SW", archive.extract(large[0], tmp_path))
        assert ".rodata" in sections and ".debug_info" not in sections
    assert wheel.stat().st_size < 31 << 20
