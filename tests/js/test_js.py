"""The npm package: its own tests, which Node runs, and what a stranger does with it."""

import os
import re

import pytest
from conftest import BUILD, call


@pytest.mark.parametrize("engine", ["wasm", "native"])
def test_its_own_tests(package, engine):
    run = call("node", "--test", "test/", env={**os.environ, "PINFOLD_BUILD": BUILD, "PINFOLD_ENGINE": engine})
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
