"""What `.ci/run` ends with: nothing that failed or was left out goes unnoticed."""

import subprocess
import sys

import pytest
from stranger import ROOT

SUITE = '<testsuites><testsuite name="s">%s</testsuite></testsuites>'
FINE = '<testcase classname="a" name="fine"/>'
FAILED = '<testcase classname="a" name="bad"><failure>left\nright</failure></testcase>'
BROKEN = '<testcase classname="a" name="setup"><error message="e">no disk</error></testcase>'
SKIPPED = '<testcase classname="a.b" name="odd[x]"><skipped message="no clock here"/></testcase>'
CTEST_FINE = '<testcase name="unit" classname="unit" status="run"/>'
CTEST_FAILED = (
    '<testcase name="spec" classname="spec" status="fail"><failure message=""/>'
    "<system-out>expected 1\ngot 2</system-out></testcase>"
)
CTEST_SKIPPED = (
    '<testcase name="tool" classname="tool" status="notrun">'
    '<skipped message="SKIP_RETURN_CODE=77"/></testcase>'
)


@pytest.fixture
def verdict(tmp_path):
    def run(*cases, skips="", flags=()):
        report = tmp_path / "r.xml"
        report.write_text(SUITE % "".join(cases))
        (tmp_path / "skips").write_text(skips)
        command = [sys.executable, ROOT / "tools/verdict.py", "--skips", tmp_path / "skips"]
        done = subprocess.run([*command, *flags, report], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    return run


def test_all_is_well(verdict):
    assert verdict(FINE, CTEST_FINE) == (0, ["2 passed, 0 failed"])


@pytest.mark.parametrize("case", [FAILED, BROKEN, CTEST_FAILED])
def test_a_failure_is_told_with_its_text(verdict, case):
    status, lines = verdict(FINE, case)
    assert status == 1 and lines[-1] == "1 passed, 1 failed"
    assert lines[0].startswith("FAILED ") and len(lines) > 2


@pytest.mark.parametrize("case, name", [(SKIPPED, "a.b.odd[x]"), (CTEST_SKIPPED, "tool")])
def test_a_skip_is_allowed_or_a_failure(verdict, case, name):
    status, lines = verdict(FINE, case)
    assert status == 1 and lines[-1] == "1 passed, 1 failed"
    assert f"no list allows it: {name}: " in lines[0]
    assert verdict(FINE, case, skips=f"# why\n{name} -- because\n")[0] == 0
    assert verdict(FINE, case, skips=f"{name[:3]}* -- because\n")[0] == 0
    assert verdict(FINE, case, skips="other -- because\n")[0] == 1
    assert verdict(FINE, case, skips=f"{name}\n")[0] == 1  # a line without a reason


def test_what_ran_them_failed(verdict):
    assert verdict(FINE, flags=["--failed"]) == (1, ["1 passed, 1 failed"])


def test_nothing_ran(verdict):
    assert verdict() == (1, ["0 passed, 1 failed"])
