"""Files in and out."""

import stat

import pytest

from pinfold import Sandbox


def test_a_mapping_of_paths_to_bytes(sandbox):
    sandbox.files["a.txt"] = b"one"
    sandbox.files["/tmp/deep/down/b.bin"] = bytes(range(256))
    assert sandbox.files["/workspace/a.txt"] == b"one"
    assert sandbox.run("cat a.txt; wc -c < /tmp/deep/down/b.bin").stdout == "one256\n"
    assert set(sandbox.files) == {"/workspace/a.txt", "/tmp/deep/down/b.bin"}
    assert len(sandbox.files) == 2
    assert "a.txt" in sandbox.files and "c.txt" not in sandbox.files and "/tmp" not in sandbox.files
    del sandbox.files["a.txt"]
    assert "a.txt" not in sandbox.files
    assert sandbox.files.get("a.txt") is None


def test_what_a_program_writes_can_be_read(sandbox):
    sandbox.run("printf 'x\\0y' > out; mkdir -p d/e; echo z > d/e/f; chmod 700 out")
    assert sandbox.files["out"] == b"x\0y"
    assert sandbox.files.text("d/e/f") == "z\n"
    assert sandbox.files.list() == ["d", "out"]
    assert stat.filemode(sandbox.files.mode("out")) == "-rwx------"


def test_text_is_written_as_utf8(sandbox):
    sandbox.files["t"] = "né"
    assert sandbox.files["t"] == "né".encode()


def test_big_files_go_both_ways(sandbox):
    data = bytes(range(256)) * 20_000
    sandbox.files["big"] = data
    assert sandbox.run("wc -c < big").stdout == f"{len(data)}\n"
    assert sandbox.files["big"] == data


def test_errors(sandbox):
    with pytest.raises(KeyError):
        sandbox.files["nothing"]
    with pytest.raises(KeyError):
        del sandbox.files["nothing"]
    with pytest.raises(IsADirectoryError):
        sandbox.files["/tmp"]
    with pytest.raises(IsADirectoryError):
        sandbox.files["/tmp"] = b""
    sandbox.files["file"] = b""
    with pytest.raises(NotADirectoryError):
        sandbox.files["file/below"] = b""
    with pytest.raises(TypeError):
        sandbox.files[5]
    with pytest.raises(TypeError):
        sandbox.files["x"] = 5
    with pytest.raises(ValueError):
        sandbox.files[""]
    with pytest.raises(ValueError):
        sandbox.files["a\0b"]


def test_a_sandbox_with_a_wrong_file_is_not_made():
    with pytest.raises(OSError):
        Sandbox(files={"/tmp": b"a directory is there"})


@pytest.mark.parametrize("isolation", [None, "process"])
def test_what_a_script_leaves_does_not_disturb_its_host(isolation):
    """Links in circles, to nowhere and out of reach, FIFOs, paths longer than a path may be."""
    with Sandbox(isolation=isolation) as sandbox:
        sandbox.run(
            "echo x > f; ln -s . a; ln -s . b; ln -s .. c; ln -s nowhere n; ln -s f g; mkfifo p;"
            "ln -s /etc/passwd out; mkdir d; ln -s ../d d/again; echo y > d/y;"
            "n=$(printf %0200d 1); for i in {1..25}; do mkdir $n; cd $n; done; echo z > z; cd; ls"
        )
        found = [path for path in sandbox.files if "000" not in path]
        assert sorted(found) == [
            "/workspace/d/y",
            "/workspace/f",
            "/workspace/g",
            "/workspace/out",
        ]
        assert sandbox.files["g"] == b"x\n"


@pytest.mark.parametrize("isolation", [None, "process"])
def test_a_path_without_a_file_is_a_key_that_is_missing(isolation):
    with Sandbox(isolation=isolation, files={"ff": b"1"}) as sandbox:
        sandbox.run("ln -s loop loop; ln -s ff/x through; ln -s nowhere n")
        for path in ("ff/x", "loop", "loop/x", "through", "n", "n/x", "a" * 300):
            assert path not in sandbox.files
            assert sandbox.files.get(path) is None
            with pytest.raises(KeyError):
                sandbox.files[path]
        for path in ("ff/x", "loop/x", "n/x", "a" * 300):
            assert sandbox.files.pop(path, None) is None
            with pytest.raises(KeyError):
                del sandbox.files[path]
        for path in ("", "a\0b", "a/" * 5000):
            assert path not in sandbox.files
        del sandbox.files["loop"]
        assert sandbox.files.list() == ["ff", "n", "through"]


def test_names_that_are_not_utf8():
    with Sandbox() as sandbox:
        assert sandbox.run(r"printf x > $'r\xe9'; mkdir $'d\xff'; echo > $'d\xff/f'").exit_code == 0
        name = b"r\xe9".decode("utf-8", "surrogateescape")
        assert name in sandbox.files.list()
        assert sandbox.files[name] == b"x"
        sandbox.files[name] = b"y"
        assert name in sandbox.files
        assert f"/workspace/{name}" in list(sandbox.files)
        assert len(sandbox.files) == 2
        assert sandbox.run(r"cat $'r\xe9'").stdout == "y"
        del sandbox.files[name]
        assert name not in sandbox.files
        with pytest.raises(ValueError):
            sandbox.files["\ud800"]


@pytest.mark.parametrize("isolation", [None, "process"])
def test_an_os_error_has_its_parts(isolation):
    with Sandbox(isolation=isolation) as sandbox:
        sandbox.run("mkdir 'a: b'")
        with pytest.raises(IsADirectoryError) as raised:
            sandbox.files["a: b"]
    assert raised.value.strerror == "Is a directory"
    assert raised.value.filename == "/workspace/a: b"
