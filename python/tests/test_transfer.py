"""Files and directories in and out: `Files.upload`, `download`, `tar`, and Path values."""

import io
import os
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest

import pinfold
from pinfold import BoundError, Limits, Sandbox


@pytest.fixture(params=[None, "process"])
def sandbox(request):
    with Sandbox(isolation=request.param) as sandbox:
        yield sandbox


def a_tree(top):
    (top / "in" / "deep").mkdir(parents=True)
    (top / "in" / "run.sh").write_text("echo ran\n")
    (top / "in" / "run.sh").chmod(0o750)
    (top / "in" / "deep" / "data").write_bytes(bytes(range(256)))
    (top / "in" / "deep" / "up").symlink_to("../run.sh")
    (top / "in" / "out").symlink_to("/etc/hostname")
    os.utime(top / "in" / "deep" / "data", (1, 1_000_000_000))
    os.utime(top / "in" / "deep", (1, 1_200_000_000))
    os.mkfifo(top / "in" / "fifo")
    return top / "in"


def test_a_path_of_the_host_is_a_content(tmp_path, sandbox):
    (tmp_path / "a.csv").write_bytes(b"1,\xff")
    sandbox.files["a.csv"] = tmp_path / "a.csv"
    assert sandbox.files["a.csv"] == b"1,\xff"
    with Sandbox(files={"b.csv": tmp_path / "a.csv"}) as other:
        assert other.files["b.csv"] == b"1,\xff"
    with pytest.raises(FileNotFoundError):
        Sandbox(files={"b.csv": tmp_path / "no"})


def test_a_directory_goes_in_with_modes_times_and_links(tmp_path, sandbox):
    tree = a_tree(tmp_path)
    assert sandbox.files.upload(tree, "data") == 9 + 256
    said = sandbox.run(
        "cd data; stat -c '%a %n' run.sh deep; stat -c %Y deep deep/data; readlink out deep/up;"
        " ./run.sh; cat deep/up; ls; cat out; touch deep/mine"
    )
    assert said.stdout == (
        "750 run.sh\n755 deep\n1200000000\n1000000000\n/etc/hostname\n../run.sh\n"
        "ran\necho ran\ndeep\nout\nrun.sh\npinfold\n"
    )
    assert sandbox.files["data/deep/data"] == bytes(range(256))
    sandbox.files.upload(tree / "run.sh", "alone.sh")
    assert sandbox.run("cd; ./alone.sh").stdout == "ran\n"


def test_what_is_uploaded_has_bounds(tmp_path, sandbox):
    (tmp_path / "large").write_bytes(bytes(5000))
    with pytest.raises(BoundError, match="max_bytes"):
        sandbox.files.upload(tmp_path, max_bytes=4000)
    with pytest.raises(FileNotFoundError):
        sandbox.files.upload(tmp_path / "none")
    with pytest.raises(ValueError, match="no file and no directory"):
        sandbox.files.upload("/dev/null")
    with Sandbox(limits=Limits(filesystem_bytes=4000)) as small, pytest.raises(OSError, match="No space"):
        small.files.upload(tmp_path)


def test_a_directory_comes_out_as_it_is(tmp_path, sandbox):
    sandbox.run(
        "mkdir -p out/d; cd out; echo one > a; ln a b; ln -s d/x l; chmod 640 a; chmod 4755 d; echo x > d/x;"
        " truncate -s 1M hole; echo end >> hole; touch -d @1000000000 d/x d; mkfifo pipe;"
        " touch $'odd\\nname'; mkdir \"$(printf %0200d 0)\"; cd 0*; echo y > f"
    )
    assert sandbox.files.download("out", tmp_path / "new" / "er") > 6
    out = tmp_path / "new" / "er"
    assert (out / "a").read_text() == "one\n" and os.path.samefile(out / "a", out / "b")
    assert os.readlink(out / "l") == "d/x" and (out / "l").read_text() == "x\n"
    assert stat.S_IMODE((out / "a").stat().st_mode) == 0o640
    assert stat.S_IMODE((out / "d").stat().st_mode) == 0o755  # without set-user-id
    assert (out / "d").stat().st_mtime == (out / "d" / "x").stat().st_mtime == 1_000_000_000
    hole = (out / "hole").stat()
    assert hole.st_size == (1 << 20) + 4 and hole.st_blocks * 512 < 1 << 19
    assert (out / "hole").read_bytes().endswith(b"\0end\n")
    assert not (out / "pipe").exists() and (out / "odd\nname").exists()
    assert (out / ("0" * 200) / "f").read_text() == "y\n"


def test_nothing_leads_out(tmp_path, sandbox):
    sandbox.run(
        "mkdir -p out/d; cd out; ln -s /etc abs; ln -s ../.. up; ln -s . here; ln -s .. d/root;"
        " ln -s d/root/../x through; ln -s d good; ln -s here/../../x again; touch plain"
    )
    sandbox.files.download("out", tmp_path / "t")
    assert sorted(os.listdir(tmp_path / "t")) == ["d", "good", "here", "plain"]
    for path in (tmp_path / "t").rglob("*"):
        assert path.resolve().is_relative_to(tmp_path / "t")


def test_only_into_an_empty_directory(tmp_path, sandbox):
    sandbox.files["out/a"] = "x"
    (tmp_path / "there").write_text("precious")
    with pytest.raises(FileExistsError, match="not empty"):
        sandbox.files.download("out", tmp_path)
    with pytest.raises(FileNotFoundError):
        sandbox.files.download("none", tmp_path / "n")
    sandbox.files.download("out/a", tmp_path / "a")
    assert (tmp_path / "a").read_text() == "x"
    with pytest.raises(BoundError):
        sandbox.files.download("out", tmp_path / "n", max_bytes=10)
    with pytest.raises(ValueError, match="not /"):
        sandbox.files.tar("/")


def test_an_archive(sandbox):
    sandbox.run("mkdir d; echo x > d/f; ln -s f d/l")
    with tarfile.open(fileobj=io.BytesIO(sandbox.files.tar())) as tar:
        assert tar.getnames() == ["d", "d/f", "d/l"]
        assert tar.extractfile("d/f").read() == b"x\n"
    with pytest.raises(NotADirectoryError):
        sandbox.files.tar("d/f")


def test_an_archive_that_lies_is_refused(tmp_path, monkeypatch):
    """A worker may say anything."""
    from pinfold.transfer import _Unpacking

    for name, kind, link in (
        ("../x", tarfile.REGTYPE, ""),
        ("/etc/x", tarfile.REGTYPE, ""),
        ("a/../../x", tarfile.DIRTYPE, ""),
        ("h", tarfile.LNKTYPE, "../secret"),
    ):
        text = io.BytesIO()
        with tarfile.open(fileobj=text, mode="w") as tar:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, link
            tar.addfile(info)
        root = tmp_path / "root"
        root.mkdir(exist_ok=True)
        (tmp_path / "secret").write_text("s")
        folder = os.open(root, os.O_RDONLY)
        with pytest.raises(ValueError, match="leads out"):
            _Unpacking(folder, text.getvalue()).all()
        os.close(folder)
        assert os.listdir(root) == []


def test_a_trace_has_what_was_uploaded(tmp_path):
    tree = a_tree(tmp_path)
    with Sandbox(record=tmp_path / "t.jsonl") as sandbox:
        sandbox.files.upload(tree)
        sandbox.files.tar()
        sandbox.run("find . -type f -o -type l | sort; stat -c '%a %Y' run.sh deep")
        wanted = sandbox.result.stdout
    assert [r.stdout for r in pinfold.replay(tmp_path / "t.jsonl").results] == [wanted]


def command():
    from pinfold import __main__

    return Path(__main__.__file__).parent / "_program"


def test_the_command_copies_out(tmp_path):
    script = "mkdir -p d/e; echo hi > d/e/f; ln -s e/f d/l; echo one > one; exit 3"
    place = [f"--out={tmp_path}:/tmp/one", f"--out={tmp_path}/tree:/tmp/d", f"-o{tmp_path}/two:/tmp/one"]
    done = subprocess.run([command(), "--cwd", "/tmp", *place, "-c", script])
    assert done.returncode == 3
    assert (tmp_path / "one").read_text() == (tmp_path / "two").read_text() == "one\n"
    assert (tmp_path / "tree" / "l").read_text() == "hi\n"
    missing = subprocess.run([command(), f"-o{tmp_path}/x:/nope", "-c", "true"], capture_output=True, text=True)
    assert missing.returncode == 125 and "--out /nope: No such file" in missing.stderr
    assert not (tmp_path / "x").exists()
