"""Snapshots of earlier builds are what they were, whatever has become of images and formats since."""

from __future__ import annotations

from pathlib import Path

import pytest
from upgrade import FOLDER, KEY, TOOLS

from pinfold import Sandbox, _native

NUMBERS = "".join(f"{number}\n" for number in range(1, 2001)).encode()


def kept(kind: str) -> list[Path]:
    return sorted(FOLDER.glob(f"*.{kind}"))


def test_there_are_some_and_they_are_small() -> None:
    assert kept("portable") and kept("exact")
    assert all(path.stat().st_size < 16384 for path in FOLDER.iterdir())


@pytest.mark.parametrize("isolation", [None, "process"])
@pytest.mark.parametrize("path", kept("portable"), ids=lambda path: path.stem)
def test_an_idle_one_goes_on(path: Path, isolation: str | None) -> None:
    data = path.read_bytes()
    with Sandbox.restore(data, key=KEY, isolation=isolation, **TOOLS) as sandbox:
        assert sandbox.left_out == []
        look = (
            'echo $x $n "$e" "${a[1]}" "${m[a b]}" $ref $up $# "$2" $PWD $(umask) $SHELLOPTS; f hi; bash -c "f in";'
            " kill -USR1 $$; alias ll; shopt extglob nullglob; dirs; cat ~-/e/file"
        )
        assert sandbox.run(look).stdout == (
            '7 -5 a  b two 2 c"d 7 ABC 2 q r /tmp 0027 braceexpand:hashall:interactive-comments:pipefail\n'
            "F HI N\nINE\nF IN \nusr 7\nalias ll='ls -l'\nextglob        \ton\nnullglob       \ton\n"
            "/tmp ~/d\none\ntwo\n"
        )
        assert sandbox.run("n=1; echo no").exit_code != 0
        look = "cd /workspace; stat -c '%n %A %h %s' *; readlink link; md5sum < large; cat hard"
        assert sandbox.run(look, isolated=True).stdout == (
            "d drwx--x--x 3 4096\nempty -rw-r----- 1 0\nhard -rw-r----- 2 8\nlarge -rw-r----- 1 8893\n"
            "link lrwxrwxrwx 1 8\nd/e/file\nea4d0a24dabcaa11f9aa979b872d162b  -\none\ntwo\n"
        )
        cell = "[math.pi > 3, boxes[0] is boxes[1], boxes[0].x, double(4), words['a']]"
        assert sandbox.run(cell, "python").value == [True, True, 3, 8, 2]
        assert sandbox.calls_left(TOOLS["capabilities"][0]) == 8


@pytest.mark.parametrize("kind", ["exact", "portable"])
def test_files_can_be_read(kind: str) -> None:
    for path in kept(kind):
        files = Sandbox.files_of(path.read_bytes(), key=KEY)
        assert files["/workspace/d/large" if kind == "exact" else "/workspace/large"] == NUMBERS
        if kind == "exact":
            assert files["/workspace/d/small"] == b"small\n"
            assert files.target("/workspace/d/link") == "small"


def test_a_waiting_one_of_another_build_says_what_it_needs() -> None:
    for path in kept("exact"):
        data = path.read_bytes()
        if _native.snapshot_info(data)[2]:
            continue
        with pytest.raises(ValueError, match="another build.*images"):
            Sandbox.restore(data, key=KEY, **TOOLS)
