"""examples/approve, from start to end."""

import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "approve"


def test_the_story():
    environment = {**os.environ, "COLUMNS": "150"}
    done = subprocess.run(
        [sys.executable, FOLDER / "run.py"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    story, _, end = done.stdout.partition("=== The script has written\n")
    asked = re.findall(r"^(\w+) is to be called with (.*)$", story, re.MULTILINE)
    assert [name for name, _ in asked] == ["pay", "pay", "pay", "pay", "send_mail"]
    first, _, third, fourth, last, _ = story.split("--> ")
    assert "+2026-01-12,1001,480,r-1001" in first and "-1001,Nordlicht" in first
    assert "│ [no]: not this month" in first and "not paid: Nordlicht GmbH 480" in first
    assert 'pay {"invoice":"1002"' in first and "somebody is asked" in first
    # A zero too much is seen in the books before it is in them.
    assert "[edited] with" in third and "1003,4800,r-1003" in third and "1003,480,r-1003" in third
    assert "+low balance: 420" in fourth and "get_balance {} → 420" in fourth
    assert "unknown: nothing is known of what send_mail would give" in last
    books, _, rest = end.partition("=== The books\n")[2].partition("=== Still open\n")
    assert [line.split(",")[1:3] for line in books.split()[2:]] == [
        ["1001", "480"],
        ["1002", "120"],
        ["1003", "480"],
    ]
    assert rest.splitlines()[1].startswith("1004,Blumen Maier")
    outside = end.partition("=== Done outside, each once\n")[2].splitlines()
    assert outside == [
        "pay 1001 480",
        "pay 1002 120",
        "pay 1003 480",
        "mail accountant@example.com: paid 1080",
    ]
