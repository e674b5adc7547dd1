"""A sample of CPython's own tests (make test-cpython runs all): exactly what is listed fails."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def test_a_sample_of_cpythons_own_tests():
    archives = pathlib.Path.home() / ".cache" / "pinfold-sources"
    if not list(archives.glob("python3.11_*.orig.tar.gz")):
        pytest.skip("the archive of CPython, which the build fetches, is not kept here")
    command = [sys.executable, ROOT / "tools" / "test_cpython.py", "--build", ROOT / "build"]
    sample = ["test_bisect", "test_struct", "test_unpack"]
    result = subprocess.run([*command, *sample], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
