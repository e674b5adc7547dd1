"""Portable snapshots, and the files of any build's, on the command line."""

import hashlib
import json


def of_another_build(path, to):
    data = path.read_bytes()
    other = data[:16] + bytes(32) + data[48:-32]
    to.write_bytes(other + hashlib.blake2b(other, digest_size=32).digest())


def test_a_portable_snapshot_goes_on(pinfold):
    done = pinfold("--snapshot", "s", "--portable", "-c", "x=5; f() { echo f$x; }; echo text > note")
    assert (done.stderr, done.returncode) == ("", 0)
    of_another_build(pinfold.folder / "s", pinfold.folder / "later")
    for name in "s", "later":
        done = pinfold("--restore", name, "-c", "f; cat note")
        assert (done.stdout, done.stderr) == ("f5\ntext\n", "")


def test_what_is_left_is_told(pinfold):
    done = pinfold("--snapshot", "s", "--portable", "-c", "exec 3> file")
    assert done.stderr == (
        "pinfold: s: the portable snapshot does not hold: the shell's open descriptor 3\n"
    )
    done = pinfold("--restore", "s", "-c", ":")
    assert "s: the portable snapshot did not bring: the shell's open descriptor 3" in done.stderr
    done = pinfold("snapshot", "show", "s")
    assert "left out       the shell's open descriptor 3" in done.stdout
    shown = json.loads(pinfold("snapshot", "show", "--json", "s").stdout)
    assert shown["portable"] and shown["left_out"] == ["the shell's open descriptor 3"]


def test_portable_needs_a_snapshot(pinfold):
    done = pinfold("--portable", "-c", ":")
    assert done.returncode == 125 and "--portable is for --snapshot" in done.stderr


def test_the_files_of_any_build(pinfold):
    script = "mkdir d; seq 3000 > d/numbers; ln -s d/numbers link; printf '\\0\\377' > bytes"
    pinfold("--snapshot", "exact", "-c", script)
    pinfold("--snapshot", "portable", "--portable", "-c", script)
    of_another_build(pinfold.folder / "exact", pinfold.folder / "other")
    numbers = "".join(f"{number}\n" for number in range(1, 3001))
    for name in "exact", "other", "portable":
        done = pinfold("snapshot", "show", "--files", name)
        assert done.returncode == 0, done.stderr
        assert "/workspace/d/numbers" in done.stdout and "/workspace/link" in done.stdout
        done = pinfold("snapshot", "show", "--get", "/workspace/d/numbers", name)
        assert (done.stdout, done.stderr, done.returncode) == (numbers, "", 0)
        done = pinfold("snapshot", "show", "--get", "/workspace/none", name)
        assert done.returncode == 1 and "No such file or directory" in done.stderr
    done = pinfold("snapshot", "show", "other")
    assert done.returncode == 1 and "another build" in done.stderr + done.stdout
    done = pinfold("--restore", "other", "-c", ":")
    assert done.returncode == 125 and "its files can be read here" in done.stderr


def test_of_a_key(pinfold):
    (pinfold.folder / "key").write_text("sixteen bytes or more")
    pinfold("--key", "key", "--snapshot", "s", "--portable", "--counter", "4", "-c", "echo a > f")
    assert pinfold("snapshot", "show", "--get", "/workspace/f", "--key", "key", "s").stdout == "a\n"
    assert pinfold("snapshot", "show", "--get", "/workspace/f", "s").returncode == 1
    done = pinfold("--key", "key", "--restore", "s", "--min-counter", "5", "-c", ":")
    assert done.returncode == 125 and "older" in done.stderr
