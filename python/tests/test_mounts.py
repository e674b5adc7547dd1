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
    with Sandbox() as sandbox, pytest.raises(LookupError, match="nothing is mounted"):
        sandbox.mounted("/data").changes()


def test_nothing_is_read_before_somebody_looks(folder):
    """Names come with the first look into a directory, contents with the first opening."""
    with Sandbox(mounts={"/data": (folder, "copy")}) as sandbox:
        (folder / "late").write_text("came later\n")
        assert sandbox.run("ls /data").stdout == "a\nlate\nlink\nrun.sh\nsub\n"
        (folder / "later").write_text("")
        (folder / "a").write_text("rewritten\n")
        (folder / "sub" / "new").write_text("x")
        out = sandbox.run("ls /data; cat /data/a; ls /data/sub; stat -c %s /data/a").stdout
        assert out == "a\nlate\nlink\nrun.sh\nsub\nrewritten\ndeep\nnew\n10\n"
        (folder / "a").write_text("again\n")
        (folder / "late").unlink()
        result = sandbox.run("cat /data/a /data/late")
        assert result.stdout == "rewritten\n"
        assert result.stderr == "cat: /data/late: No such file or directory\n"
        assert sandbox.mounted("/data").changes() == []


def test_the_whole_host_as_a_mount():
    """A mount costs what is read of it, not what it has."""
    with Sandbox(mounts={"/host": "/"}, limits=Limits(filesystem_bytes=16 << 20)) as sandbox:
        assert "usr" in sandbox.run("ls /host").stdout.split()
        assert len(sandbox.snapshot()) < 200_000
        assert sandbox.files["/host/etc/passwd"] == open("/etc/passwd", "rb").read()


def test_what_does_not_fit(folder):
    with open(folder / "big", "wb") as big:
        big.truncate(300 << 20)
    with open(folder / "huge", "wb") as huge:
        huge.truncate(5 << 30)
    (folder / "many").mkdir()
    for i in range(50):
        (folder / "many" / str(i)).write_text("")
    limits = Limits(filesystem_bytes=64 << 20, files=1000)
    with Sandbox(mounts={"/data": folder}, limits=limits) as sandbox:
        result = sandbox.run("stat -c %s /data/huge /data/big; cat /data/big; cat /data/a")
        assert result.stdout == f"{5 << 30}\n{300 << 20}\none\n"
        assert result.stderr == "cat: /data/big: No space left on device\n"
        sandbox.run("i=0; while touch /tmp/$i 2>/tmp/0; do i=$((i+1)); done; rm /tmp/1*")
        assert sandbox.run("ls /data/many | wc -l").stdout == "50\n"
    with Sandbox(mounts={"/data": folder}, limits=Limits(files=800)) as sandbox:
        sandbox.run("i=0; while touch /tmp/$i 2>/tmp/0; do i=$((i+1)); done; rm /tmp/1")
        assert "No space left on device" in sandbox.run("ls /data").stderr
        assert sandbox.run("rm /tmp/*; ls /data | wc -l").stdout == "7\n"


def test_absent_files_are_ordinary_ones(folder):
    """Whatever is done first to a file that was not read yet, it comes out as with a copy."""
    scripts = {
        "mv a b; cat b": "one\n",
        "mv sub new; cat new/deep/b | wc -c": "256\n",
        "ln a c; echo two >> c; cat a": "one\ntwo\n",
        "echo two > a; cat a": "two\n",
        ": > a; stat -c %s a": "0\n",
        "truncate -s 2 a; cat a; echo": "on\n",
        "set -C; cat < a > n; cat n": "one\n",
        "set -C; ./run.sh > n; cat n": "ran\n",
        "cd sub/deep && wc -c < b": "256\n",
        "[ a -ef a ] && du -b a | cut -f1": "4\n",
        "exec 3<> a; read -u 3 x; echo two >&3; cat a": "one\ntwo\n",
        "rmdir sub; echo $?": "1\n",
        "mkdir e; mv -T e sub; echo $?": "1\n",
        "rm -r sub && ls | wc -l": "3\n",
        "cp -r sub copy && cmp sub/deep/b copy/deep/b && echo same": "same\n",
        "find . -type f | sort | xargs cat | wc -c": f"{256 + 4 + 19}\n",
        "echo */*/b; PATH=$PWD:$PATH; run.sh": "sub/deep/b\nran\n",
        "cat link | wc -c; (cat a & cat a; wait)": "256\none\none\n",
        'js -p \'fs.readFileSync("a", "utf8").trim()\' ; node -p \'fs.readdirSync(".").length\'': "one\n4\n",
        "chmod 700 a; touch -d @5 sub; stat -c '%a %Y' a sub | head -1": "700 1000000000\n",
    }
    for script, expected in scripts.items():
        with Sandbox(mounts={"/workspace": (folder, "copy")}) as sandbox:
            result = sandbox.run(script)
            assert result.stdout == expected, (script, result)
    assert (folder / "a").read_text() == "one\n"


def test_changes_where_nothing_was_read(folder):
    changes = {
        "mv a b": [("D", "a"), ("A", "b")],
        "mv sub moved": [
            ("A", "moved"), ("A", "moved/deep"), ("A", "moved/deep/b"),
            ("D", "sub"), ("D", "sub/deep"), ("D", "sub/deep/b"),
        ],
        "mv run.sh a": [("M", "a"), ("D", "run.sh")],
        "chmod 600 a; touch a": [("M", "a")],
        "echo one > a": [("M", "a")],  # it was never read, so nobody knows
        "rm -r sub": [("D", "sub"), ("D", "sub/deep"), ("D", "sub/deep/b")],
        "ls -lR; cat a": [],
    }  # fmt: skip
    for script, expected in changes.items():
        with Sandbox(mounts={"/workspace": (folder, "copy")}) as sandbox:
            assert sandbox.run(script).exit_code == 0
            with sandbox.fork() as branch:
                found = branch.mounted("/workspace").changes()
                assert [(what, path[11:]) for what, path in found] == expected, script
            found = sandbox.mounted("/workspace").changes()
            assert [(what, path[11:]) for what, path in found] == expected, script
    with Sandbox(mounts={"/workspace": (folder, "copy")}) as sandbox:
        sandbox.run("mv sub moved")
        with tarfile.open(fileobj=io.BytesIO(sandbox.mounted("/workspace").tar(True))) as tar:
            assert tar.extractfile("moved/deep/b").read() == bytes(range(256))


def test_snapshots_hold_what_was_read(folder, tmp_path):
    with Sandbox(mounts={"/data": (folder, "copy"), "/more": folder}) as sandbox:
        sandbox.run("cat /data/a; echo x >> /data/run.sh; mv /data/link /data/l")
        data = sandbox.snapshot()
    (folder / "a").write_text("other\n")
    with pytest.raises(ValueError, match="mounted at /data: name that directory again"):
        Sandbox.restore(data)
    with pytest.raises(ValueError, match="mounted at /more"):
        Sandbox.restore(data, mounts={"/data": (folder, "copy")})
    with pytest.raises(ValueError, match="at /data is copy-on-write"):
        Sandbox.restore(data, mounts={"/data": folder, "/more": folder})
    with pytest.raises(ValueError, match="no mount at /other"):
        Sandbox.restore(data, mounts={"/other": folder})
    again = {"/data": (folder, "copy"), "/more": folder}
    with Sandbox.restore(data, mounts=again) as sandbox:
        assert sandbox.run("cat /data/a /more/a; wc -c < /data/l").stdout == "one\nother\n256\n"
        changes = [("A", "/data/l"), ("D", "/data/link"), ("M", "/data/run.sh")]
        assert sandbox.mounted("/data").changes() == changes
        assert sandbox.mounted("/more").changes() == []
    with Sandbox.restore(data, mounts={"/data": None, "/more": None}) as sandbox:
        result = sandbox.run("cat /data/a /data/l; ls /more")
        assert result.stdout == "one\n"
        assert result.stderr.count("Input/output error") == 2
    with Sandbox(mounts={"/data": folder}) as sandbox:
        sandbox.run("find /data -type f -exec cat {} +")
        data = sandbox.snapshot()
    with Sandbox.restore(data) as sandbox:  # everything is in it
        assert sandbox.run("cat /data/a").stdout == "other\n"


def test_branches_read_for_themselves(folder):
    with Sandbox(mounts={"/data": (folder, "copy")}) as trunk:
        trunk.run("ls /data")
        with trunk.fork() as branch:
            assert branch.run("cat /data/a").stdout == "one\n"
            (folder / "a").write_text("two\n")
            assert trunk.run("cat /data/a").stdout == "two\n"
            assert branch.run("cat /data/a; echo x > /data/x").stdout == "one\n"
            assert branch.mounted("/data").changes() == [("A", "/data/x")]
            assert trunk.mounted("/data").changes() == []


def test_what_became_something_else(folder, tmp_path):
    """Between the listing and the opening a file becomes a link out, a FIFO or a device."""
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    for name in ("to-link", "to-fifo", "to-device"):
        (folder / name).write_text("mine\n")
    (folder / "d").mkdir()
    (folder / "d" / "secret").write_text("mine\n")
    with Sandbox(mounts={"/data": folder}) as sandbox:
        sandbox.run("ls /data /data/d")
        for name in ("to-link", "to-fifo", "to-device"):
            (folder / name).unlink()
        (folder / "to-link").symlink_to(secret)
        os.mkfifo(folder / "to-fifo")
        if os.geteuid() == 0:
            os.mknod(folder / "to-device", stat.S_IFCHR | 0o666, os.makedev(1, 5))
        (folder / "d").rename(folder / "e")
        (folder / "d").symlink_to(tmp_path)
        result = sandbox.run("cat /data/to-link /data/to-fifo /data/to-device /data/d/secret")
        assert result.stdout == "" and result.exit_code == 1
        assert "secret\n" not in result.stderr.replace("/secret", "")
        assert result.stderr.count("cat: /data/") == 4


def test_mounts_within_mounts(folder, tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "i").write_text("inner\n")
    (folder / "sub" / "empty").mkdir()
    mounts = {"/data": (folder, "copy"), "/data/sub/empty": tmp_path / "inner"}
    with Sandbox(mounts=mounts, record=tmp_path / "trace") as sandbox:
        out = sandbox.run("cat /data/a /data/sub/empty/i; ls /data/sub").stdout
        assert out == "one\ninner\ndeep\nempty\n"
    with replay(tmp_path / "trace") as again:
        assert again.results[0].stdout == out


def test_what_the_embedder_reads_is_in_the_trace(folder, tmp_path):
    trace = tmp_path / "trace"
    with Sandbox(mounts={"/data": folder}, record=trace) as sandbox:
        assert sandbox.files["/data/a"] == b"one\n"
        assert "/data/none" not in sandbox.files
        (folder / "a").write_text("other\n")
        out = sandbox.run("cat /data/a; cat /data/sub/deep/b | md5sum; cat /data/none").stdout
    folder.rename(tmp_path / "gone")
    with replay(trace) as again:
        assert again.results[0].stdout == out
        assert again.files["/data/a"] == b"one\n"
    text = trace.read_text()
    assert '"in":"fill","source":"0/a","data":"one\\n"' in text
    trace.write_text(text.replace("fill", "FILL", 1))
    with pytest.raises(ValueError, match="altered|checksum|sum"):
        replay(trace)


def test_mounts_are_in_the_trace(folder, tmp_path):
    trace = tmp_path / "trace"
    with Sandbox(mounts={"/far/down/data": (folder, "copy")}, record=trace) as sandbox:
        code = "cd /far/down/data; cat a; sha256sum link; stat -c '%a %Y %n' * | sort; date +%N"
        out = sandbox.run(code).stdout
    (folder / "a").write_text("other")
    with replay(trace) as again:
        assert again.results[0].stdout == out


def test_a_deep_tree_hides_no_changes(tmp_path):
    (tmp_path / "kept").write_text("old")
    with Sandbox(mounts={"/m": (tmp_path, "copy")}) as sandbox:
        deep = "for i in {1..1000}; do mkdir d && cd d || exit; done; echo deep > file"
        assert sandbox.run(f"cd /m; echo new > kept; ({deep})").exit_code == 0
        changes = sandbox.mounted("/m").changes()
        assert ("M", "/m/kept") in changes
        assert ("A", "/m" + 1000 * "/d" + "/file") in changes
        assert len(changes) == 1002
        sandbox.run(f"cd /m{1000 * '/d'}; {deep.replace('1000', '2000')}")  # beyond what paths can say
        assert ("M", "/m/kept") in sandbox.mounted("/m").changes()
