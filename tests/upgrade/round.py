"""One round of `make upgrade`: what earlier builds left in a folder goes on in this one, which then leaves its own.

``round.py FOLDER NAME``: each build keeps a store with an idle sandbox, one that waits for a call, and its images.
Here the idle ones have to go on from their portable form, the waiting ones in a worker of their build, and the
files of all have to be there.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from pinfold import MethodCapability, Sandbox, SnapshotError, Store, images

WAITING = "x=5; f() { echo f $x; }; seq 3000 > n; tool get --name a; tool get --name b; f"
IDLE = "x=5; f() { echo f $x; }; seq 3000 > n; cd /tmp; set -o pipefail"
NUMBERS = "".join(f"{number}\n" for number in range(1, 3001)).encode()


def get(name: str) -> str:
    return f"got {name}"


SETTINGS = {"tools": [get], "capabilities": [MethodCapability("get", max_calls=3)]}


def leave(folder: Path, name: str) -> None:
    images.export(folder / f"{name}.images")
    with Store(folder / f"{name}.db") as store:
        with Sandbox(**SETTINGS) as sandbox:
            sandbox.start(WAITING)
            store.save("waiting", sandbox)
        with Sandbox(**SETTINGS) as sandbox:
            sandbox.run(IDLE)
            sandbox.run("y = [1, {2: 3}]", "python")
            store.save("idle", sandbox)


def go_on(folder: Path, name: str) -> None:
    with Store(folder / f"{name}.db") as store:
        kept = {saved.names[0]: saved for saved in store.list()}
        assert not kept["idle"].this_build, f"{name}: that is this build"
        assert kept["idle"].portable and not kept["waiting"].portable
        with store.load("idle", **SETTINGS) as sandbox:
            assert sandbox.restored_from == "portable" and sandbox.left_out == []
            assert sandbox.run("f; pwd; set -o | grep pipefail").stdout.split() == [
                *("f", "5", "/tmp", "pipefail", "on")
            ]
            assert sandbox.run("y[1][2]", "python").value == 3
        try:
            store.load("waiting", **SETTINGS)
            raise AssertionError(f"{name}: a waiting one went on without its images")
        except SnapshotError as error:
            assert "images" in str(error)
        own = folder / f"{name}.images"
        with store.load("waiting", images=own, isolation="process", **SETTINGS) as sandbox:
            assert sandbox.restored_from == "exact"
            assert sandbox.finish().stdout == '"got a"\n"got b"\nf 5\n'
            assert sandbox.run("wc -l < n").stdout == "3000\n"
        for which in "idle", "waiting":
            assert Sandbox.files_of(store.data(which))["/workspace/n"] == NUMBERS


def main(folder: Path, name: str) -> None:
    warnings.simplefilter("error")
    folder.mkdir(parents=True, exist_ok=True)
    before = sorted(path.stem for path in folder.glob("*.images"))
    for earlier in before:
        go_on(folder, earlier)
    leave(folder, name)
    print(f"build {images.build()[:16]}: {len(before)} earlier builds go on in it")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
