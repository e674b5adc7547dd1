"""Snapshots that earlier builds made, in ``snapshots/``, and what is known of them.

``python python/tests/upgrade.py NAME`` adds those of the build that is installed. Nothing there is ever
made again: what is restored from it is the promise that snapshots outlive builds.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from pinfold import MethodCapability, Sandbox, Tool

FOLDER = Path(__file__).with_name("snapshots")
KEY = b"the key of kept snapshots"
TOOLS = {"tools": [Tool("get")], "capabilities": [MethodCapability("get", max_calls=9)]}
SHELL = r"""
x=7; declare -ir n=-5; export e='a  b'; a=(1 'two 2' [9]=$'n\nine'); declare -A m=([k]=v ['a b']='c"d')
declare -n ref=x; declare -u up=abc; f() { local y=$1; echo "f $y ${a[9]}" | tr a-z A-Z; }; export -f f
alias ll='ls -l'; shopt -s extglob nullglob; set -o pipefail; trap 'echo usr $x' USR1; umask 027
mkdir -p d/e; printf 'one\ntwo\n' > d/e/file; ln d/e/file hard; ln -s d/e/file link; chmod 711 d; : > empty
seq 2000 > large; cd d; set -- p 'q r'; pushd /tmp > /dev/null; tool get > /dev/null
"""
CELL = """
import math
from collections import Counter
class Box:
    def __init__(self, x): self.x = x
def double(n): return n * 2
boxes = [Box(3)] * 2; words = Counter("aab")
"""


def make(name: str) -> None:
    """An idle one in its portable form, and a waiting one, exact."""
    with Sandbox(key=KEY, clock=1_700_000_000, **TOOLS) as sandbox:
        sandbox.start(SHELL)
        call = sandbox.step()
        assert call is not None
        call.resume("x")
        sandbox.run(CELL, "python")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            portable = sandbox.snapshot(portable=True)
    with Sandbox(key=KEY, **TOOLS) as sandbox:
        sandbox.start("mkdir d; seq 2000 > d/large; echo small > d/small; ln -s small d/link; tool get")
        exact = sandbox.snapshot()
    FOLDER.mkdir(exist_ok=True)
    for kind, data in (("portable", portable), ("exact", exact)):
        path = FOLDER / f"{name}.{kind}"
        if path.exists():
            raise SystemExit(f"{path}: it is there, and stays as it is")
        path.write_bytes(data)


if __name__ == "__main__":
    make(sys.argv[1])
