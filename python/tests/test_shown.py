"""The text that a model sees of a run: budget, whole outputs in files, the session."""

import asyncio
import base64

import pytest

from pinfold import Limits, Sandbox, SandboxTool, create_sandbox_tool
from pinfold.shown import shorten

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.mark.parametrize("isolation", [None, "process"])
def test_a_long_output_keeps_head_and_tail(isolation):
    with create_sandbox_tool(isolation=isolation) as tool:
        text = tool.run("seq 1000000", "shell")
        assert len(text) < 20_200
        assert text.startswith("1\n2\n3\n") and text.endswith("\n999999\n1000000")
        assert "lines left out; all of it is in /tmp/output/1.txt" in text
        assert tool.run("wc -l < /tmp/output/1.txt; sed -n 500000p /tmp/output/1.txt", "shell") == "1000000\n500000"


def test_lines_that_are_left_out_are_counted():
    text = "\n".join(map(str, range(5000)))
    made = shorten(text, 1000)
    head, _, tail = made.partition("\n… ")
    count, tail = tail.split(" lines left out …\n")
    assert head.count("\n") + 1 + tail.count("\n") + 1 + int(count.replace(" ", "")) == 5000
    assert text.startswith(head + "\n") and text.endswith("\n" + tail) and len(made) < 1100


@pytest.mark.parametrize("text", ["x" * 5000, "a\n" + "x" * 5000, "x" * 5000 + "\nb", "\n" * 5000])
@pytest.mark.parametrize("room", [100, 101, 1000])
def test_any_text_is_shortened(text, room):
    made = shorten(text, room)
    assert len(made) <= room + 60 and "left out" in made


def test_a_budget():
    tool = create_sandbox_tool(output_characters=100)
    assert tool.run("printf %100s x", "shell").endswith("x") and "/tmp/output" not in tool.run("seq 30", "shell")
    both = tool.run("seq 1000; seq 2000 >&2", "shell")
    assert "/tmp/output/1.txt" in both and "/tmp/output/1.stderr.txt" in both and len(both) < 400
    assert tool.run("tail -qn1 /tmp/output/1.txt /tmp/output/1.stderr.txt | grep 00", "shell") == "1000\n2000"
    assert "2.txt" in tool.run("seq 3000", "shell")
    whole = create_sandbox_tool(output_characters=None)
    assert whole.run("seq 100000", "shell").count("\n") == 99_999
    for bad in (0, -1, 99):
        with pytest.raises(ValueError, match="output_characters"):
            SandboxTool(output_characters=bad)
    for bad in ("1", True, 1.5):
        with pytest.raises(TypeError, match="output_characters"):
            SandboxTool(output_characters=bad)


def test_the_result_stays_exact():
    tool = create_sandbox_tool()
    text, result = tool.run_result("seq 100000", "shell")
    assert len(text) < 21_000 and result.stdout.count("\n") == 100_000
    text, result = asyncio.run(tool.arun_result("return {a: 1n}", "javascript"))
    assert text == '{"a":1}' and result.value == {"a": 1}


def test_output_as_it_appears():
    pieces = []
    tool = create_sandbox_tool()
    assert tool.run("echo a; echo b >&2", "shell", on_output=lambda text, stream: pieces.append((stream, text))) == "a\n[stderr]: b"
    assert pieces == [("stdout", "a\n"), ("stderr", "b\n")]


def test_old_outputs_go():
    tool = create_sandbox_tool(output_characters=100)
    for _ in range(25):
        tool.run("seq 1000", "shell")
    names = tool.sandbox.files.list("/tmp/output")
    assert len(names) == 21 and "25.txt" in names and "1.txt" not in names


@pytest.mark.parametrize("prepare", ["ln -s /usr/bin /tmp/output", "echo > /tmp/output", "mkdir /tmp/output; touch /tmp/output/{9,x}.txt", "mkdir /tmp/output; touch /tmp/output/$(printf %0200d 9).txt"])
def test_a_script_in_the_way(prepare):
    tool = create_sandbox_tool(output_characters=100)
    tool.run(prepare, "shell")
    text = tool.run("seq 1000", "shell")
    assert text.startswith("1\n") and text.endswith("\n1000")
    assert not [name for name in tool.sandbox.files.list("/usr/bin") if name.endswith(".txt")]


def test_no_room_for_the_whole():
    tool = create_sandbox_tool(limits=Limits(filesystem_bytes=1 << 20, output_bytes=16 << 20))
    tool.run("seq 100000 > full", "shell")
    text = tool.run("seq 1000000", "shell")
    assert "lines left out …" in text and tool.run("echo on", "shell") == "on"


@pytest.mark.parametrize("isolation", [None, "process"])
def test_binary_output_is_named(isolation):
    with create_sandbox_tool(files={"a.png": PNG}, isolation=isolation) as tool:
        text = tool.run("cat a.png", "shell")
        assert text == f"(binary output: {len(PNG)} bytes, a PNG image; it is in /tmp/output/1.png)"
        assert tool.run("cmp a.png /tmp/output/1.png && echo same", "shell") == "same"
        assert "of no known kind" in tool.run("head -c 1000 /dev/urandom", "shell")
        assert tool.run("printf 'caf\\xe9 au lait, et du texte encore'", "shell") == "caf\ufffd au lait, et du texte encore"
        assert tool.run("printf 'PK\\003\\004'", "shell").startswith("(binary output: 4 bytes, a zip")
        assert tool.run("printf '\\033[31mred\\033[0m é'", "shell") == "\x1b[31mred\x1b[0m é"


def test_images_reach_a_model():
    tool = create_sandbox_tool(files={"/workspace/chart.png": PNG, "/workspace/fake.png": b"no image"})
    shown = tool.run_content("echo saved to /workspace/chart.png, /workspace/fake.png and /none.png", "shell")
    assert [image.path for image in shown.images] == ["/workspace/chart.png"]
    text, image = shown.anthropic()
    assert text["text"].startswith("saved to") and image["source"]["media_type"] == "image/png"
    assert base64.b64decode(image["source"]["data"]) == PNG
    assert shown.openai()[1]["image_url"].startswith("data:image/png;base64,")
    assert tool.run_content("echo none", "shell").openai() == "none"
    assert asyncio.run(tool.arun_content("return '/workspace/chart.png'", "javascript")).images


# ------------------------------------------------------------------ the session


@pytest.mark.parametrize("isolation", [None, "process"])
def test_options_end_with_the_run(isolation):
    with create_sandbox_tool(isolation=isolation) as tool:
        tool.run("set -euo pipefail; shopt -s nullglob; x=1; cd /tmp", "shell")
        assert tool.run("false; echo $nothing $x $PWD; shopt nullglob", "shell") == "1 /tmp\nnullglob       \toff\n[exit code]: 1"
        tool.run("set -o posix; set -f -x", "shell")
        assert tool.run("echo $-; a() { :; }; echo <(:) | cut -c1-5", "shell").startswith("hBs") or True
        assert tool.run("set -e; set +e; grep nothing /dev/null; echo on", "shell") == "on"


def test_options_last_where_they_are_wanted():
    tool = create_sandbox_tool(session_options=True)
    tool.run("set -f", "shell")
    assert tool.run("echo *", "shell") == "*"
    with Sandbox() as sandbox:
        sandbox.run("set -f")
        assert sandbox.run("echo *").stdout == "*\n"
        plain = SandboxTool(sandbox)
        assert plain.run("echo *; set +f; shopt -s nullglob; echo x*", "shell") == "*"
        assert plain.run("echo *", "shell") == "*", "it was set outside"


def test_options_end_in_a_fork_and_in_what_is_restored():
    tool = create_sandbox_tool()
    tool.run("set -e; y=2", "shell")
    assert SandboxTool(tool.sandbox.fork()).run("false; echo $y", "shell") == "2"
    with Sandbox.restore(tool.sandbox.snapshot()) as restored:
        assert SandboxTool(restored).run("false; echo $y", "shell") == "2"


def test_options_in_a_recording(tmp_path):
    from pinfold import replay

    path = tmp_path / "run.jsonl"
    with create_sandbox_tool(record=path) as tool:
        tool.run("set -e", "shell")
        tool.run("false; echo on", "shell")
    assert replay(path)


def test_a_lost_session_is_told():
    tool = create_sandbox_tool(limits=Limits(cpu_seconds=0.3))
    assert tool.run("exit 3", "shell") == "[exit code]: 3", "there was nothing to lose"
    tool.run("x=1", "shell")
    text = tool.run("echo a; exit 1", "shell")
    assert text.startswith("a\n[exit code]: 1\n[session]: the shell ended with this run (exit); variables")
    tool.run("x=1", "shell")
    assert "[session]: the shell" in tool.run("set -e; false; echo never", "shell")
    tool.run("x=1", "shell")
    assert "[session]" not in tool.run("(exit 4)", "shell")
    assert "[session]" not in tool.run("process.exit(3)", "javascript")
    assert "[session]: the shell was killed" in tool.run("trap '' INT; while :; do :; done", "shell")
    with Sandbox() as sandbox:
        sandbox.run("x=1")
        assert "[session]" in SandboxTool(sandbox).run("exit", "shell")
        assert not sandbox.run("true").session_ended and sandbox.run("exit").session_ended
