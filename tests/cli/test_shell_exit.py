"""`exit` in the input of `pinfold shell` leaves it, with its status."""

import os
import pathlib
import subprocess

import pytest

PINFOLD = os.environ.get("PINFOLD", str(pathlib.Path(__file__).resolve().parents[2] / "build/pinfold"))


@pytest.mark.parametrize(
    ("typed", "status", "output"),
    [
        ("echo a\nexit 3\necho never\n", 3, "a\n"),
        ("f() { exit 3; }\necho a\nf\necho never\n", 3, "a\n"),
        ("if true; then\n  exit 4\nfi\necho never\n", 4, ""),
        ("for i in 1 2; do\n  [ $i = 2 ] && exit 7\n  echo $i\ndone\necho never\n", 7, "1\n"),
        ("trap 'echo bye' EXIT\nexit 8\n", 8, "bye\n"),
        ("set -e\nfalse\necho never\n", 1, ""),
        ("(exit 6); echo $?\nx=$(exit 5); echo $?\nfalse\n", 1, "6\n5\n"),
        ("exit 0\nfalse\n", 0, ""),
    ],
)
def test_exit_leaves_with_its_status(typed, status, output):
    done = subprocess.run([PINFOLD, "shell"], input=typed, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (status, output), done.stderr
