"""Whatever a sandbox goes through, it does the same: bytes, branches, other processes, replays.

A failure names its step and seed; `python python/tests/walk.py STEPS SEED` walks it again, and further.
"""

import os

import pytest
import walk

STEPS = int(os.environ.get("PINFOLD_STEPS", "60"))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_disturbed_and_undisturbed_are_the_same(seed):
    wanted, wanted_files = walk.undisturbed(STEPS, seed)
    assert walk.undisturbed(STEPS, seed) == (wanted, wanted_files)
    found_files, counts = walk.disturbed(STEPS, seed, wanted)
    assert found_files == wanted_files
    assert STEPS < 50 or all(counts.values()), counts
