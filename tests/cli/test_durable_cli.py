"""Recording, replaying, snapshots and the session, as somebody at a prompt uses them."""

import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

import pytest


def test_record_and_replay(pinfold, tmp_path):
    trace = tmp_path / "trace"
    tool = ["--tool", "get=sh -c 'cat > /dev/null; date +%N'"]
    code = "tool get; echo $RANDOM; sleep 0.01; date +%N; echo kept > note"
    first = pinfold(*tool, "--record", trace, "-c", code)
    again = pinfold("replay", "--files", trace)
    assert first.returncode == again.returncode == 0
    assert again.stdout.startswith(first.stdout)
    assert again.stdout.endswith("/workspace/note\n")
    assert pinfold("replay", "--get", "/workspace/note", trace).stdout == "kept\n"
    assert json.loads(pinfold("replay", "--json", trace).stdout)["stdout"] == first.stdout


def test_an_incomplete_recording_is_told(pinfold, tmp_path):
    trace = tmp_path / "trace"
    os.mkfifo(trace)
    begun = """while IFS= read -r l; do case $l in *'"do":"start"'*) exit; esac; done < "$0" """
    reader = subprocess.Popen(["bash", "-c", begun, trace])  # then nobody reads any more
    done = pinfold("--record", trace, "-c", "seq 20000")  # more than a pipe holds
    reader.wait()
    assert done.stdout.endswith("\n20000\n")
    assert done.returncode != 0
    assert "the recording is incomplete" in done.stderr


def test_replay_until_a_line(pinfold, tmp_path):
    trace = tmp_path / "trace"
    pinfold(
        "--record", trace, "-c", "echo 1 > n; sleep 0.001; cat n; sleep 0.001; echo 2 > n; cat n"
    )
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    shown = next(line["n"] for line in lines if line.get("text") == "1\n")
    assert (
        pinfold("replay", "--until", str(shown + 1), "--get", "/workspace/n", trace).stdout == "1\n"
    )


def test_redacted_results_are_supplied(pinfold, tmp_path):
    trace = tmp_path / "trace"
    out = pinfold(
        "--tool", "get=echo secret", "--record", trace, "--redact", "-c", "tool get | wc -c"
    )
    assert out.stdout == "9\n" and "secret" not in trace.read_text().replace("echo secret", "")
    missing = pinfold("replay", trace)
    assert missing.returncode == 125 and "call 1" in missing.stderr
    assert pinfold("replay", "--result", '1="secret"', trace).stdout == "9\n"
    other = pinfold("replay", "--result", '1="longer secret"', trace)
    assert other.returncode == 1 and "trace:" in other.stderr and "replay:" in other.stderr


def test_altered_traces_are_refused(pinfold, tmp_path):
    trace = tmp_path / "trace"
    pinfold("--record", trace, "-c", "echo hello")
    trace.write_text(trace.read_text().replace("hello", "jello"))
    out = pinfold("replay", trace)
    assert out.returncode == 125 and "altered in line" in out.stderr
    assert pinfold("trace", trace).returncode == 125


def test_trace_page_is_self_contained(pinfold, tmp_path):
    trace, page = tmp_path / "trace", tmp_path / "page.html"
    pinfold("--record", trace, "-c", "echo '</script><script>alert(1)'; seq 3 | sort -r")
    assert pinfold("trace", "-o", page, trace).returncode == 0
    text = page.read_text()
    assert "</script><script>alert" not in text and "http" not in text.split("</style>")[1]
    assert text.count("<script") == 2


def test_snapshots(pinfold, tmp_path):
    saved, key = tmp_path / "saved", tmp_path / "key"
    key.write_bytes(os.urandom(32))
    pinfold("--key", key, "--snapshot", saved, "-c", "x=5; echo text > note; f() { echo f$x; }")
    assert pinfold("--key", key, "--restore", saved, "-c", "f; cat note").stdout == "f5\ntext\n"
    assert pinfold("--restore", saved, "-c", "f").returncode == 125
    shown = json.loads(pinfold("snapshot", "show", "--json", "--key", key, saved).stdout)
    assert shown["authenticated"] and shown["this_build"] and not shown["running"]
    assert [process["name"] for process in shown["processes"]] == ["bash"]
    assert (
        pinfold("snapshot", "show", "--key", key, "--get", "/workspace/note", saved).stdout
        == "text\n"
    )
    closed = pinfold("snapshot", "show", saved)
    assert (
        closed.returncode == 1 and "with a key" in closed.stdout and "give the key" in closed.stderr
    )
    saved.write_bytes(b"something else")
    assert pinfold("snapshot", "show", saved).returncode == 125


def test_an_older_snapshot_is_not_restored_where_its_counter_is_known(pinfold, tmp_path):
    old, new, key = tmp_path / "old", tmp_path / "new", tmp_path / "key"
    key.write_bytes(os.urandom(32))
    secret = ("--key", key)
    assert pinfold(*secret, "--snapshot", old, "--counter", "7", "-c", "x=old").returncode == 0
    again = pinfold(
        *secret, "--restore", old, "--min-counter", "7", "--snapshot", new, "--counter", "8", "-c", "x=new"
    )
    assert again.returncode == 0, again.stderr
    assert pinfold(*secret, "--restore", new, "--min-counter", "8", "-c", "echo $x").stdout == "new\n"
    rolled_back = pinfold(*secret, "--restore", old, "--min-counter", "8", "-c", "echo $x")
    assert rolled_back.returncode == 125 and rolled_back.stdout == ""
    assert "counter is 7" in rolled_back.stderr or "older" in rolled_back.stderr
    assert json.loads(pinfold("snapshot", "show", "--json", *secret, new).stdout)["counter"] == 8
    assert "counter        7\n" in pinfold("snapshot", "show", *secret, old).stdout


@pytest.mark.parametrize(
    "wrong",
    [
        ("--counter", "7"),
        ("--counter", "7", "--snapshot", "FILE"),
        ("--min-counter", "7", "--restore", "FILE"),
        ("--key", "FILE", "--snapshot", "FILE", "--counter", "0"),
        ("--key", "FILE", "--snapshot", "FILE", "--counter", "-1"),
        ("--key", "FILE", "--snapshot", "FILE", "--counter", "9223372036854775808"),
        ("--key", "FILE", "--restore", "FILE", "--min-counter", "7x"),
    ],
    ids=" ".join,
)
def test_a_counter_that_would_protect_nothing_is_refused(pinfold, tmp_path, wrong):
    given = [str(tmp_path / "file") if word == "FILE" else word for word in wrong]
    refused = pinfold(*given, "-c", "echo ran")
    assert refused.returncode == 125 and refused.stdout == "" and "counter" in refused.stderr


def test_mounts(pinfold, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a").write_text("one\n")
    for mode in "", ":ro":
        out = pinfold("--mount", f"{folder}:/data{mode}", "-c", "cat /data/a; echo x > /data/a")
        assert out.stdout == "one\n" and "Permission denied" in out.stderr
    mount = ["--mount", f"{folder}:/workspace:copy"]
    out = pinfold(*mount, "--changes", "-", "-c", "echo two >> a; touch b")
    assert out.stdout == "M /workspace/a\nA /workspace/b\n"
    pinfold(*mount, "--changes", "c.tar", "-c", "rm a; touch b")
    listed = subprocess.run(["tar", "tf", tmp_path / "c.tar"], text=True, capture_output=True)
    assert listed.stdout == "b\n.wh.a\n"
    assert (folder / "a").read_text() == "one\n" and len(list(folder.iterdir())) == 1


def test_mounts_in_a_snapshot(pinfold, tmp_path):
    """It names them; what was not read is read from the directory that is given again."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a").write_text("one\n")
    (tmp_path / "data" / "b").write_text("two\n")
    mount = ["--mount", "data:/data:copy"]
    assert pinfold(*mount, "--snapshot", "s", "-c", "cat /data/a").stdout == "one\n"
    assert "mount          /data, copy-on-write\n" in pinfold("snapshot", "show", "s").stdout
    shown = json.loads(pinfold("snapshot", "show", "--json", "s").stdout)
    assert shown["mounts"] == [{"place": "/data", "copy": True}]
    assert "/data/b" in pinfold("snapshot", "show", "--files", "s").stdout
    assert pinfold("snapshot", "show", "--get", "/data/a", "s").stdout == "one\n"
    assert "Input/output error" in pinfold("snapshot", "show", "--get", "/data/b", "s").stderr
    refused = pinfold("--restore", "s", "-c", "cat /data/b")
    assert refused.returncode == 125 and "mounted at /data" in refused.stderr
    assert pinfold(*mount, "--restore", "s", "-c", "cat /data/b").stdout == "two\n"


def test_fixed_clock_and_seed(pinfold):
    code = "sleep 1000; date -u +%s; echo $RANDOM; uuidgen"
    outs = {pinfold("--clock", "86400", "--seed", "7", "-c", code).stdout for _ in range(2)}
    assert len(outs) == 1
    assert int(outs.pop().split()[0]) == 86400 + 1000
    assert pinfold("--clock", "soon", "-c", ":").returncode == 125


@pytest.mark.parametrize(
    "command", ["run", "shell", "replay", "trace", "snapshot", "policy", "completion"]
)
def test_every_command_has_help(pinfold, command):
    out = pinfold(command, "--help")
    assert out.returncode == 0 and out.stdout.startswith("usage: pinfold") and not out.stderr
    assert command in pinfold("--help").stdout


def test_completion(pinfold):
    script = pinfold("completion", "bash").stdout
    ask = (
        f"{script}\nCOMP_WORDS=(pinfold replay --u); COMP_CWORD=2; _pinfold; echo ${{COMPREPLY[@]}}"
    )
    assert subprocess.run(["bash", "-c", ask], text=True, capture_output=True).stdout == "--until\n"
    assert pinfold("completion", "tcsh").returncode == 125


def test_shell_reads_a_script(pinfold):
    script = (
        "x=1\nfor i in 1 2\ndo echo $i$x\ndone\necho 'a\nb'\ncat <<E\n$x\nE\nexit 3\necho never\n"
    )
    out = pinfold("shell", input=script)
    assert (out.stdout, out.returncode) == ("11\n21\na\nb\n1\n", 3)


def test_shell_survives_ctrl_c(tmp_path):
    parent, child = pty.openpty()
    shell = subprocess.Popen(
        [os.environ.get("PINFOLD", "build/pinfold"), "shell"],
        stdin=child,
        stdout=child,
        stderr=child,
        start_new_session=True,
        preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
    )
    os.close(child)

    seen = ""

    def expect(text):
        """Takes what is shown up to and with `text`."""
        nonlocal seen
        end = time.monotonic() + 60
        while text not in seen:
            ready, _, _ = select.select([parent], [], [], max(0, end - time.monotonic()))
            assert ready, seen
            seen += os.read(parent, 4096).decode()
        seen = seen.partition(text)[2]

    expect("pinfold$ ")
    os.write(parent, b"x=kept; while :; do :; done\n")
    expect("done\r\n")
    time.sleep(0.3)
    os.write(parent, b"\x03")
    expect("pinfold$ ")
    os.write(parent, b'echo $x-"$x"\n')
    expect("kept-kept")
    expect("pinfold$ ")
    os.write(parent, b"\x04")
    assert shell.wait(20) == 0
    os.close(parent)
    assert shell.returncode != -signal.SIGINT


OPTIONS = re.compile(r"--[a-z][a-z-]*")


def test_the_manual_and_completion_know_every_option(pinfold):
    manual = (pathlib.Path(__file__).parents[2] / "docs" / "pinfold.1").read_text()
    manual = manual.replace("\\-", "-")
    completion = pinfold("completion", "bash").stdout
    for command in ("run", "shell", "replay", "trace", "snapshot", "policy"):
        assert command in manual and command in completion
        for option in set(OPTIONS.findall(pinfold(command, "--help").stdout)):
            assert option in manual, f"{command} {option}"
            assert option in completion, f"{command} {option}"


def test_completion_in_a_real_bash(pinfold, tmp_path):
    """What Tab gives: the words that bash's own function of pinfold puts into COMPREPLY."""
    script = tmp_path / "complete"
    script.write_text(pinfold("completion", "bash").stdout)
    words = {
        ("pinfold", "re"): "replay",
        ("pinfold", "run", "--cha"): "--changes",
        ("pinfold", "snapshot", "s"): "show",
    }
    for line, expected in words.items():
        quoted = " ".join(f"'{word}'" for word in line)
        code = (
            f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(line) - 1}; "
            "f=$(complete -p pinfold | sed 's/.*-F \\([^ ]*\\).*/\\1/'); "
            f"$f pinfold '{line[-1]}' '{line[-2]}'; echo \"${{COMPREPLY[@]}}\""
        )
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True)
        assert expected in done.stdout.split(), (line, done)


def test_a_file_is_written_whole_or_not_at_all(pinfold, tmp_path):
    pinfold("-c", "echo $((6 * 7))", "--record", "trace")
    page = tmp_path / "page"
    page.write_text("as it was")
    full = subprocess.run(  # as a disk that is full: the page is larger than a block
        ["bash", "-c", 'ulimit -f 1; exec "$0" trace -o page trace', pinfold.program],
        capture_output=True, text=True, cwd=tmp_path,
    )
    assert full.returncode == 125 and "page: File too large" in full.stderr
    assert page.read_text() == "as it was"
    assert {entry.name for entry in tmp_path.iterdir()} == {"page", "trace"}


def test_a_snapshot_replaces_one_as_it_was_kept(pinfold, tmp_path):
    (tmp_path / "kept").mkdir()
    kept, link = tmp_path / "kept" / "snapshot", tmp_path / "link"
    kept.write_text("no snapshot")
    kept.chmod(0o640)
    link.symlink_to("kept/snapshot")
    before = kept.stat().st_ino
    with kept.open() as reader:
        assert pinfold("-c", "x=5", "--snapshot", "link").returncode == 0
        assert reader.read() == "no snapshot"
    assert link.is_symlink() and kept.stat().st_ino != before
    assert kept.stat().st_mode & 0o777 == 0o640
    assert pinfold("-c", "echo $x", "--restore", "link", "--snapshot", "new").stdout == "5\n"
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o666 & ~mask
    assert [entry.name for entry in kept.parent.iterdir()] == ["snapshot"]
    pipe = subprocess.run(
        [pinfold.program, "-c", "x=5", "--snapshot", "/dev/stdout"], capture_output=True
    )
    assert len(pipe.stdout) > 1000 and pipe.returncode == 0


def test_a_replay_prints_every_run(pinfold, tmp_path):
    pinfold("-c", "echo one; echo two >&2", "--record", "t", "--snapshot", "s")
    done = pinfold("replay", "t")
    assert (done.stdout, done.stderr) == ("one\n", "two\n")


@pytest.mark.parametrize("most, expected", [(1000, '"done"\n0\nnext\n'), (100, "126\nnext\n")])
def test_a_call_that_waits_is_judged_by_who_restores_it(pinfold, tmp_path, most, expected):
    from pinfold import MethodCapability, Sandbox, Tool

    with Sandbox(tools=[Tool("pay")], capabilities=[MethodCapability("pay")]) as sandbox:
        sandbox.start("pay --amount 900; echo $?")
        (tmp_path / "saved").write_bytes(sandbox.snapshot())
    (tmp_path / "policy").write_text(
        json.dumps({"capabilities": [{"method": "pay", "constraints": {"amount": f"<={most}"}}]})
    )
    (tmp_path / "pay").write_text("#!/bin/sh\necho paid >> log\necho done\n")
    (tmp_path / "pay").chmod(0o755)
    how = ["--policy", "policy", "--tool", "pay=./pay", "--restore", "saved"]
    out = pinfold(*how, "-c", "echo next")
    assert out.stdout == expected
    assert (tmp_path / "log").exists() == (most == 1000)
