"""Recorded cases of bash and the GNU tools, where PINFOLD_CASES names their folder.

The share that agrees may not fall below what was reached.
"""

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = os.environ.get("PINFOLD_CASES")


@pytest.mark.skipif(not FOLDER, reason="PINFOLD_CASES names no folder of recorded cases")
@pytest.mark.parametrize(("name", "percent"), [("shell_cases", 96), ("command_cases", 77)])
def test_recorded_cases(name, percent):
    folder = pathlib.Path(FOLDER)
    done = subprocess.run(
        [sys.executable, folder / "run_cases.py", folder / f"{name}.jsonl", "--min", str(percent)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
