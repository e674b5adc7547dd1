"""Host directories inside: what comes in, what can never come in, and what comes out."""

import io
import os
import socket
import stat
import subprocess
import tarfile

import pytest

from pinfold import Limits, Sandbox, replay


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "data"
    (folder / "sub" / "deep").mkdir(parents=True)
    (folder / "a").write_text("one\n")
    (folder / "sub" / "deep" / "b").write_bytes(bytes(range(256)))
    (folder / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("sub/deep/b")
    os.utime(folder / "a", (1_000_000_000, 1_000_000_000))
    return folder


def test_read_only(folder):
    with Sandbox(mounts={"/data": folder}) as sandbox:
        out = sandbox.run(
            "cat /data/a; wc -c < /data/link; /data/run.sh; stat -c %Y /data/a"
        ).stdout
        assert out == "one\n256\nran\n1000000000\n"
        for attempt in (
            "echo x > /data/a",
            "touch /data/new",
            "rm /data/a",
            "mkdir /data/sub/x",
            "chmod 777 /data/a",
            "mv /data/a /data/c",
        ):
            result = sandbox.run(attempt)
            assert result.exit_code != 0, attempt
            assert "ermission denied" in result.stderr or "not permitted" in result.stderr, attempt
        assert sandbox.mounted("/data").changes() == []
        assert sandbox.files["/data/sub/deep/b"] == bytes(range(256))


def test_copy_on_write(folder):
    with Sandbox(mounts={"/workspace": (folder, "copy")}) as sandbox:
        sandbox.run(
            "echo two >> a; rm run.sh; mkdir n; echo x > n/x; ln -s ../a n/l; chmod 600 link"
        )
        mounted = sandbox.mounted("/workspace")
        changes = [
            ("M", "/workspace/a"),
            ("A", "/workspace/n"),
            ("A", "/workspace/n/l"),
            ("A", "/workspace/n/x"),
            ("D", "/workspace/run.sh"),
            ("M", "/workspace/sub/deep/b"),  # chmod follows the link
        ]
        assert mounted.changes() == changes
        with Sandbox.restore(sandbox.snapshot()) as again:
            assert again.mounted("/workspace").changes() == changes
        with sandbox.fork() as branch:
            branch.run("rm a")
            assert ("D", "/workspace/a") in branch.mounted("/workspace").changes()
        assert mounted.changes() == changes
    assert (folder / "a").read_text() == "one\n" and (folder / "run.sh").exists()


def test_export_as_a_directory(folder, tmp_path):
    with Sandbox(mounts={"/w": (folder, "copy")}) as sandbox:
        sandbox.run(
            "cd /w; echo two >> a; ln -s /etc/passwd out; ln -s ../.. up; mkfifo p; rm link"
        )
        sandbox.mounted("/w").export(tmp_path / "new")
        with pytest.raises(ValueError, match="empty"):
            sandbox.mounted("/w").export(tmp_path / "new")
    found = {str(p.relative_to(tmp_path / "new")) for p in (tmp_path / "new").rglob("*")}
    assert found == {"a", "run.sh", "sub", "sub/deep", "sub/deep/b"}
    assert (tmp_path / "new" / "a").read_text() == "one\ntwo\n"
    assert os.access(tmp_path / "new" / "run.sh", os.X_OK)


def test_tar(folder, tmp_path):
    long = "n" * 120
    with Sandbox(mounts={"/w": (folder, "copy")}) as sandbox:
        sandbox.run(
            f"cd /w; echo two >> a; rm run.sh; mkdir -p {long}/{long}; echo y > {long}/{long}/f"
        )
        whole, changed = sandbox.mounted("/w").tar(), sandbox.mounted("/w").tar(changed_only=True)
    (tmp_path / "t.tar").write_bytes(whole)
    listed = subprocess.run(["tar", "-tf", tmp_path / "t.tar"], capture_output=True, text=True)
    assert listed.returncode == 0 and not listed.stderr
    assert set(listed.stdout.split()) == {
        "a",
        "link",
        "sub/",
        "sub/deep/",
        "sub/deep/b",
        f"{long}/",
        f"{long}/{long}/",
        f"{long}/{long}/f",
    }
    with tarfile.open(fileobj=io.BytesIO(whole)) as tar:
        assert tar.extractfile("a").read() == b"one\ntwo\n"
        assert tar.getmember("link").linkname == "sub/deep/b"
    with tarfile.open(fileobj=io.BytesIO(changed)) as tar:
        assert set(tar.getnames()) == {
            "a",
            ".wh.run.sh",
            long,
            f"{long}/{long}",
            f"{long}/{long}/f",
        }


def test_nothing_leads_out(folder, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    (folder / "up").symlink_to("../secret")
    (folder / "absolute").symlink_to(secret)
    (folder / "directory").symlink_to(tmp_path)
    os.mkfifo(folder / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
    if os.geteuid() == 0:
        os.mknod(folder / "device", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    with Sandbox(mounts={"/data": folder}) as sandbox:
        out = sandbox.run(
            "cd /data; cat up absolute directory/secret ../secret /data/../../secret; ls"
        )
        assert "secret" not in out.stdout
        names = out.stdout.split()
        assert "fifo" not in names and "socket" not in names and "device" not in names


def test_names_that_change_meanwhile(tmp_path):
    """A directory that is swapped for a link again and again never lets the other side in."""
    folder, outside = tmp_path / "data", tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("secret")
    (folder / "x").mkdir(parents=True)
    (folder / "x" / "f").write_text("mine")
    script = (
        "import os, sys\nos.chdir(sys.argv[1])\nos.symlink(sys.argv[2], 'l')\n"
        "while True:\n    os.rename('x', 'y'); os.rename('l', 'x')\n"
        "    os.rename('x', 'l'); os.rename('y', 'x')\n"
    )
    with subprocess.Popen(["python3", "-c", script, folder, outside]) as swapping:
        try:
            for _ in range(60):
                with Sandbox(mounts={"/data": folder}) as sandbox:
                    assert "secret" not in sandbox.run("cat /data/*/f").stdout
        finally:
            swapping.kill()


def test_errors_say_what_to_do(folder, tmp_path):
    with pytest.raises(ValueError, match="No such file"):
        Sandbox(mounts={"/data": tmp_path / "none"})
    with pytest.raises(ValueError, match="plain absolute path"):
        Sandbox(mounts={"data": folder})
    with pytest.raises(ValueError, match="there are files already"):
        Sandbox(mounts={"/usr/bin": folder})
    with pytest.raises(ValueError, match="filesystem_bytes"):
        (folder / "big").write_bytes(bytes(3 << 20))
        Sandbox(mounts={"/data": folder}, limits=Limits(filesystem_bytes=2 << 20))
    with Sandbox() as sandbox, pytest.raises(LookupError, match="nothing is mounted"):
        sandbox.mounted("/data").changes()


def test_mounts_are_in_the_trace(folder, tmp_path):
    trace = tmp_path / "trace"
    with Sandbox(mounts={"/far/down/data": (folder, "copy")}, record=trace) as sandbox:
        code = "cd /far/down/data; cat a; sha256sum link; stat -c '%a %Y %n' * | sort; date +%N"
        out = sandbox.run(code).stdout
    (folder / "a").write_text("other")
    with replay(trace) as again:
        assert again.results[0].stdout == out
