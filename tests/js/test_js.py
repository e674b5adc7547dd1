"""The npm package: built as `make js` does, and its own tests, which Node runs."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = os.environ.get("PINFOLD_BUILD", str(ROOT / "build"))
OLDEST = (18, 19)


def call(*command, timeout=1200, **options):
    return subprocess.run(
        command, cwd=ROOT / "js", capture_output=True, text=True, timeout=timeout, check=False, **options
    )


@pytest.fixture(scope="module")
def package():
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("Node or npm is not there")
    version = tuple(map(int, re.findall(r"\d+", call("node", "--version").stdout)[:2]))
    if version < OLDEST:
        pytest.skip("Node is older than 18.19")
    fetched = call("make", "-C", str(ROOT), "js/node_modules/.package-lock.json")
    if fetched.returncode:
        pytest.skip("npm cannot fetch what the TypeScript is compiled with")
    made = call("make", "-C", str(ROOT), "js", f"BUILD={BUILD}")
    assert made.returncode == 0, made.stdout + made.stderr
    return ROOT / "js"


def test_its_own_tests(package):
    run = call("node", "--test", "test/", env={**os.environ, "PINFOLD_BUILD": BUILD})
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]


def test_a_stranger_installs_it(package, tmp_path):
    """`npm pack`, installed in an empty folder, and the first program of its README."""
    packed = call("npm", "pack", "--silent", "--pack-destination", str(tmp_path))
    assert packed.returncode == 0, packed.stderr
    name = packed.stdout.split()[-1]
    (tmp_path / "package.json").write_text('{"type": "module"}')
    installed = call("npm", "install", "--silent", "--prefix", str(tmp_path), str(tmp_path / name))
    assert installed.returncode == 0, installed.stderr
    assert not (tmp_path / "node_modules" / "typescript").exists()
    example = re.search(r"```js\n(.*?)```", (package / "README.md").read_text(), re.S)
    (tmp_path / "first.js").write_text(example[1])
    run = call("node", str(tmp_path / "first.js"))
    wanted = re.findall(r"// prints (.*)$", example[1], re.M)
    assert run.stdout.splitlines() == wanted, run.stderr
