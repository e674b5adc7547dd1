"""Finds the program and runs it."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("PINFOLD", str(ROOT / "build" / "pinfold"))


@pytest.fixture
def pinfold(tmp_path):
    """Runs `pinfold ARGUMENTS` in an empty directory and gives the finished process."""

    def run(*arguments, input="", timeout=60, **how):
        return subprocess.run(
            [PROGRAM, *arguments],
            input=input,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=tmp_path,
            **how,
        )

    run.program = PROGRAM
    run.folder = tmp_path
    return run
