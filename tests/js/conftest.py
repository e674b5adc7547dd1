"""The npm package, built as `make js` does."""

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
        command,
        cwd=ROOT / "js",
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        **options,
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
