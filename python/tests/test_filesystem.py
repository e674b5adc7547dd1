"""``pinfold://`` for fsspec."""

import pytest

fsspec = pytest.importorskip("fsspec")

from pinfold import Sandbox, SandboxTool
from pinfold.filesystem import SandboxFileSystem


@pytest.fixture(autouse=True)
def known():
    fsspec.register_implementation("pinfold", SandboxFileSystem, clobber=True)


@pytest.fixture(params=[None, "process"])
def sandbox(request):
    with Sandbox(isolation=request.param, files={"a.csv": "x,y\n1,2\n", "d/e/f": "deep"}) as sandbox:
        yield sandbox


def test_it_is_an_entry_point():
    from importlib.metadata import entry_points

    found = [point for point in entry_points(group="fsspec.specs") if point.name == "pinfold"]
    if not found:
        pytest.skip("pinfold is not installed, only on the path")
    assert found[0].load() is SandboxFileSystem


def test_urls(sandbox):
    with fsspec.open("pinfold://a.csv", "r", sandbox=sandbox) as file:
        assert file.read() == "x,y\n1,2\n"
    with fsspec.open("pinfold:///tmp/out.txt", "w", sandbox=SandboxTool(sandbox)) as file:
        file.write("é")
    assert sandbox.run("cat /tmp/out.txt").stdout == "é"
    with pytest.raises(TypeError, match="which sandbox"):
        fsspec.filesystem("pinfold")
    fs, path = fsspec.core.url_to_fs("pinfold://d", sandbox=sandbox)
    assert path == "/workspace/d" and fs.unstrip_protocol("d") == "pinfold:///workspace/d"


def test_a_file_system(sandbox):
    fs = fsspec.filesystem("pinfold", sandbox=sandbox)
    assert fs.ls("", detail=False) == ["/workspace/a.csv", "/workspace/d"]
    assert fs.find("/workspace") == ["/workspace/a.csv", "/workspace/d/e/f"]
    assert fs.glob("/workspace/*.csv") == ["/workspace/a.csv"]
    assert fs.cat("d/e/f") == b"deep" and fs.cat_file("d/e/f", 1, 3) == b"ee"
    assert fs.isdir("d") and fs.isfile("a.csv") and not fs.exists("none")
    with fs.open("d/more", "ab") as file:
        file.write(b"1")
    with fs.open("d/more", "ab") as file:
        file.write(b"2")
    assert fs.cat("d/more") == b"12" and fs.size("d/more") == 2
    fs.cp("d", "copy", recursive=True)
    assert fs.cat("copy/e/f") == b"deep"
    fs.mv("a.csv", "b.csv")
    assert not fs.exists("a.csv") and fs.exists("b.csv")
    fs.rm("copy", recursive=True)
    assert not fs.exists("copy")
    fs.makedirs("x/y")
    fs.makedirs("x/y", exist_ok=True)
    with pytest.raises(FileExistsError):
        fs.mkdir("x/y")
    fs.rmdir("x/y")
    with pytest.raises(FileNotFoundError):
        fs.cat("none")
    with pytest.raises(IsADirectoryError):
        fs.open("d", "rb")
    with pytest.raises(OSError):
        fs.rmdir("d")


def test_a_write_that_fails_leaves_no_file(sandbox):
    fs = fsspec.filesystem("pinfold", sandbox=sandbox)
    with pytest.raises(KeyError), fs.open("half", "wb") as file:
        file.write(b"1")
        raise KeyError
    assert not fs.exists("half")
    sandbox.run("ln -s nowhere dangling; mkfifo pipe")
    assert {one["type"] for one in fs.ls("")} == {"file", "directory", "other"}
