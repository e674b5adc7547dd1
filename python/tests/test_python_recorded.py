"""Programs of the kind that agents write end as in CPython: output, messages, status, byte by byte."""

import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import python_programs  # noqa: E402

PROGRAMS = python_programs.programs()


def test_what_is_recorded_is_what_is_there():
    for area, texts in PROGRAMS.items():
        assert list(python_programs.recorded(area)) == list(texts)


@pytest.mark.parametrize("area", PROGRAMS)
def test_programs_end_as_in_cpython(area):
    known = python_programs.recorded(area)
    different = {}
    for name, text in PROGRAMS[area].items():
        told = python_programs.ours(name, text)
        if told != known[name]:
            different[name] = {part: told[part] for part in told if told[part] != known[name][part]}
    assert not different, json.dumps(different, indent=1)
