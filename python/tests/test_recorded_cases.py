"""Recorded cases of bash and the GNU tools, where PINFOLD_CASES names their folder.

Which of them do not agree is an exact list, tests/conformance/NAME.txt: one that fails and is not
there is a defect, one that is there and passes has to leave it.
"""

import collections
import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = os.environ.get("PINFOLD_CASES")
LISTS = pathlib.Path(__file__).parents[2] / "tests" / "conformance"


def listed(name):
    """The ids in a list: lines `ID -- REASON`; # begins a comment."""
    lines = (LISTS / f"{name}.txt").read_text().splitlines()
    entries = [line.split(" -- ") for line in lines if line and not line.startswith("#")]
    assert all(len(entry) == 2 and entry[1].strip() for entry in entries), "an id without a reason"
    return collections.Counter(entry[0] for entry in entries)


@pytest.mark.skipif(not FOLDER, reason="PINFOLD_CASES names no folder of recorded cases")
@pytest.mark.parametrize("name", ["shell_cases", "command_cases"])
def test_recorded_cases(name):
    folder = pathlib.Path(FOLDER)
    done = subprocess.run(
        [sys.executable, folder / "run_cases.py", folder / f"{name}.jsonl", "--list-failed"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert "cases agree" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
    failed = collections.Counter(
        line.removeprefix("FAILED ").strip()
        for line in done.stdout.splitlines()
        if line.startswith("FAILED ")
    )
    known = listed(name)
    assert sorted(failed - known) == [], "these do not agree any more"
    assert sorted(known - failed) == [], "these agree now: take them off the list"
