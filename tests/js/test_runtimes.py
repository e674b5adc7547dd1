"""The package in the other runtimes of servers, as npm has them: Deno and Bun."""

import json
import pathlib
import shutil

import pytest
from conftest import call

HERE = pathlib.Path(__file__).parent
COMMANDS = {
    "node": ["node"],
    "deno": ["deno", "run", "--no-prompt", "--allow-read", "--allow-env", "--allow-ffi"],
    "bun": ["bun"],
}
PACKAGES = {"deno": "deno@2", "bun": "bun@1"}
WANTED = [
    ['HELLO\n[{"customer":"a","total":40}]\n', 0],
    ["[ { customer: 'a', total: 40 } ]\n1\n", 0],
    ['[{"customer": "a", "total": 40}]\n', 0],
    "ENOENT",
    '"here" 5\n',
    '"branch" 5\n',
    '"later" 5\n',
    "cpu_seconds",
]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The programs by name: those that are installed, else those that npm brings."""

    def find(name):
        found = shutil.which(name)
        if found:
            return found
        folder = tmp_path_factory.mktemp(name)
        got = call("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGES[name])
        if got.returncode:
            pytest.skip("npm cannot fetch the runtimes")
        return str(folder / "node_modules/.bin" / name)

    return find


@pytest.mark.parametrize("runtime", COMMANDS)
def test_a_tour(package, program, runtime):
    """Every face: programs, tools, files, branches, snapshots, limits."""
    command, *options = COMMANDS[runtime]
    run = call(program(command), *options, str(HERE / "smoke.mjs"), str(package), cwd=HERE)
    assert run.returncode == 0, run.stdout + run.stderr
    seen = dict(map(json.loads, run.stdout.splitlines()))
    assert list(seen) == ["native", "wasm", "worker"], run.stderr
    for face, got in seen.items():
        assert got == WANTED, face
