"""The wheel in an empty environment, where there is no compiler: the README works there."""

import importlib.util
import json
import os
import re
import sys
import zipfile

import pytest
from stranger import BUILD, ROOT, run

EPOCH = {"SOURCE_DATE_EPOCH": "1700000000"}  # the time of a wheel's members
MODULE = BUILD / "python" / "pinfold" / "_native.abi3.so"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(tmp_path_factory.mktemp("wheel"))


def build(folder):
    if not importlib.util.find_spec("scikit_build_core"):
        pytest.skip("scikit-build-core is not installed")
    given = [
        "--config-settings=cmake.define.PF_NATIVE=" + str(MODULE),
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
    assert run(python, "-m", "pinfold", "--version", cwd=tmp_path, env=alone).startswith("pinfold")
