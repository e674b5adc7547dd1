"""The wheel in an empty environment, where there is no compiler: the README works there."""

import importlib.util
import re
import sys

import pytest
from stranger import BUILD, ROOT, run

MODULE = BUILD / "python" / "pinfold" / "_native.abi3.so"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if not importlib.util.find_spec("scikit_build_core"):
        pytest.skip("scikit-build-core is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    given = [
        "--config-settings=cmake.define.PF_NATIVE=" + str(MODULE),
        f"--config-settings=build-dir={folder}/build",
    ]
    quiet = ["-q", "--no-deps", "--no-build-isolation", "-w", folder]
    run(sys.executable, "-m", "pip", "wheel", *quiet, *given, ROOT)
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


def test_readme_in_an_empty_environment(python, tmp_path):
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    program = tmp_path / "readme.py"
    program.write_text("\n".join(blocks))
    alone = {"PATH": str(python.parent), "HOME": str(tmp_path)}
    out = run(python, "-I", program, cwd=tmp_path, env=alone)
    assert out.splitlines() == re.findall(r"# prints (.*)", "\n".join(blocks))
    assert run(python, "-m", "pinfold", "--version", cwd=tmp_path, env=alone).startswith("pinfold")
