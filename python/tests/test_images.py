"""Images: what an older build's waiting sandbox goes on with, in a worker of that build."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from pinfold import MethodCapability, Sandbox, SnapshotError, Store, Tool, _native
from pinfold import images as images_of
from pinfold.__main__ import main
from pinfold.images import Images, ImagesError

OTHER = "ab" * 32


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("images") / "build.images"
    images_of.export(path)
    return path


@pytest.fixture
def upgraded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this were another build than that of the images and the snapshots."""
    info = _native.snapshot_info

    def facts(data: bytes) -> tuple[object, ...]:
        found = info(data)
        return (*found[:2], False, *found[3:])

    monkeypatch.setattr(_native, "snapshot_info", facts)


def settings(calls: list[str]) -> dict[str, object]:
    def get(name: str) -> str:
        calls.append(name)
        return f"got {name}"

    return {"tools": [get], "capabilities": [MethodCapability("get", max_calls=3)]}


def waiting(calls: list[str]) -> bytes:
    with Sandbox(**settings(calls)) as sandbox:
        sandbox.start("x=5; tool get --name a; tool get --name b; echo $x > f")
        return sandbox.snapshot()


def rewritten(file: Path, to: Path, **changes: object) -> Path:
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                data = json.dumps({**json.loads(data), **changes}).encode()
            new.writestr(name, data)
    return to


def test_a_waiting_sandbox_goes_on_with_its_build(file: Path, upgraded: None) -> None:
    calls: list[str] = []
    data = waiting(calls)
    granted = settings(calls)
    with Sandbox.restore(data, images=file, isolation="process", **granted) as sandbox:
        home = sandbox._machine._images.home()
        assert Path(home, "pinfold", "worker.py").is_file()
        with sandbox.fork() as branch:
            assert branch.finish().stdout == '"got a"\n"got b"\n'
        assert sandbox.finish().exit_code == 0
        assert sandbox.run("cat f").stdout == "5\n"
        assert sandbox.calls_left(granted["capabilities"][0]) == 1
        again = sandbox.snapshot()
    assert calls == ["a", "b"] * 2
    with Sandbox.restore(again, images=[file], isolation="process", **granted) as sandbox:
        assert sandbox.run("echo $x").stdout == "5\n"


def test_what_cannot_go_on_says_why(file: Path, upgraded: None, tmp_path: Path) -> None:
    data = waiting([])
    granted = settings([])
    with pytest.raises(ValueError, match="isolation='process'"):
        Sandbox.restore(data, images=file, **granted)
    stranger = rewritten(file, tmp_path / "stranger", build=OTHER)
    with pytest.raises(SnapshotError, match="none of the images is of that"):
        Sandbox.restore(data, images=stranger, isolation="process", **granted)
    for changes, why in (
        ({"protocol": 99}, "speaks protocol 99"),
        ({"machine": "pdp11"}, "images for pdp11"),
        ({"format": 7}, "images of format 7"),
        ({"files": {}}, "it does not|ended|exited|worker"),
    ):
        other = rewritten(file, tmp_path / "other", **changes)
        with pytest.raises((SnapshotError, Exception), match=why):
            Sandbox.restore(data, images=other, isolation="process", **granted)


def test_damage_is_seen(file: Path, tmp_path: Path) -> None:
    with pytest.raises(ImagesError, match="its digest is"):
        Images(file, digest="00" * 32)
    assert Images(file, digest=Images(file).digest).build == images_of.build()
    (tmp_path / "none").write_bytes(b"no zip")
    with pytest.raises(ImagesError, match="no file of images"):
        Images(tmp_path / "none")
    with zipfile.ZipFile(file) as old:
        files = json.loads(old.read("manifest.json"))["files"]
    evil = {**files, "../evil.py": files["pinfold/worker.py"]}
    with pytest.raises(ImagesError, match="it has a file"):
        Images(rewritten(file, tmp_path / "evil", files=evil)).home()
    wrong = {**files, "pinfold/worker.py": "00" * 32}
    with pytest.raises(ImagesError, match="worker.py is damaged"):
        Images(rewritten(file, tmp_path / "wrong", files=wrong)).home()


def test_a_store_goes_on_with_images(file: Path, upgraded: None, tmp_path: Path) -> None:
    calls: list[str] = []
    granted = settings(calls)
    with Store(tmp_path / "s.db") as store, Sandbox(**granted) as sandbox:
        sandbox.start("tool get --name a")
        store.save("alice", sandbox)
        with pytest.raises(SnapshotError, match="that build's images"):
            store.load("alice", **granted)
        with store.load("alice", images=file, isolation="process", **granted) as again:
            assert again.restored_from == "exact"
            assert again.finish().stdout == '"got a"\n'


def test_the_command(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    to = tmp_path / "out.images"
    assert main(["images", "export", str(to)]) == 0
    assert images_of.build() in capsys.readouterr().out
    assert to.read_bytes() == file.read_bytes()
    assert main(["images", "show", str(to)]) == 0
    assert main(["images", "show", str(tmp_path / "missing")]) == 125
    assert [path.name for path in tmp_path.iterdir()] == ["out.images"]


def test_images_of_this_build_are_not_needed(file: Path) -> None:
    calls: list[str] = []
    with Sandbox.restore(waiting(calls), images=file, **settings(calls)) as sandbox:
        assert sandbox.finish().exit_code == 0


def test_portable_needs_none(file: Path, upgraded: None) -> None:
    with Sandbox(tools=[Tool("get")]) as sandbox:
        sandbox.run("x=1")
        data = sandbox.snapshot(portable=True)
    with Sandbox.restore(data, images=file) as again:
        assert again.run("echo $x").stdout == "1\n"
