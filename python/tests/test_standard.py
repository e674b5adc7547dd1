"""The standard tools of models on a sandbox's files: Anthropic's and OpenAI's."""

import asyncio
import json

import pytest

from pinfold import Limits, create_sandbox_tool
from pinfold.editor import EditError
from pinfold.patching import updated

TEXT = "one\ntwo\nthree\nfour\nfive\n"


@pytest.fixture(params=["sync", "async", "process"])
def serve(request):
    isolation = "process" if request.param == "process" else None
    with create_sandbox_tool(files={"a.txt": TEXT, "b.bin": b"\xff\x00"}, isolation=isolation) as tool:

        def anthropic(name, **given):
            block = {"type": "tool_use", "id": "t", "name": name, "input": given}
            answer = asyncio.run(tool.ahandle_anthropic(block)) if request.param == "async" else tool.handle_anthropic(block)
            assert answer["type"] == "tool_result" and answer["tool_use_id"] == "t"
            (part,) = answer["content"]
            return part["text"], answer.get("is_error", False)

        def openai(**item):
            item = {"call_id": "c", **item}
            return asyncio.run(tool.ahandle_openai(item)) if request.param == "async" else tool.handle_openai(item)

        serve.anthropic, serve.openai, serve.tool = anthropic, openai, tool
        yield serve


def edit(serve, command, path="/workspace/a.txt", **given):
    return serve.anthropic("str_replace_based_edit_tool", command=command, path=path, **given)


def test_view(serve):
    assert edit(serve, "view") == (
        "Here's the result of running `cat -n` on /workspace/a.txt:\n" + "".join(f"{i:6}\t{w}\n" for i, w in enumerate(TEXT.split("\n"), 1)).rstrip("\n"),
        False,
    )
    assert edit(serve, "view", view_range=[2, 3])[0].endswith(":\n     2\ttwo\n     3\tthree")
    assert edit(serve, "view", view_range=[4, -1])[0].split("\n")[1] == "     4\tfour"
    assert "/workspace/a.txt" in edit(serve, "view", "/workspace")[0]
    for bad in ([0, 1], [3, 2], [99, -1], [1], "1", [1.5, 2]):
        assert edit(serve, "view", view_range=bad)[1]
    assert edit(serve, "view", "/none") == ("[error]: The path /none does not exist. Please provide a valid path.", True)
    assert "no text" in edit(serve, "view", "b.bin")[0]


def test_create_and_undo(serve):
    assert edit(serve, "create", "/workspace/new/deep.txt", file_text="x\n") == ("File created successfully at: /workspace/new/deep.txt", False)
    assert serve.tool.sandbox.files["new/deep.txt"] == b"x\n"
    edit(serve, "create", "/workspace/new/deep.txt", file_text="y\n")
    assert "undone" in edit(serve, "undo_edit", "/workspace/new/deep.txt")[0]
    assert serve.tool.sandbox.files["new/deep.txt"] == b"x\n"
    edit(serve, "undo_edit", "/workspace/new/deep.txt")
    assert "new/deep.txt" not in serve.tool.sandbox.files
    assert edit(serve, "undo_edit", "/workspace/new/deep.txt") == ("[error]: No edit history found for /workspace/new/deep.txt.", True)


def test_replace(serve):
    said, failed = edit(serve, "str_replace", old_str="two\nthree", new_str="2\n3")
    assert not failed and "     2\t2\n     3\t3" in said
    assert serve.tool.sandbox.files["a.txt"] == b"one\n2\n3\nfour\nfive\n"
    assert "did not appear verbatim" in edit(serve, "str_replace", old_str="absent", new_str="")[0]
    assert "in lines 1, 4" in edit(serve, "str_replace", old_str="o", new_str="")[0]
    edit(serve, "str_replace", old_str="four\n")
    assert serve.tool.sandbox.files["a.txt"] == b"one\n2\n3\nfive\n"
    edit(serve, "undo_edit")
    edit(serve, "undo_edit")
    assert serve.tool.sandbox.files.text("a.txt") == TEXT


def test_insert(serve):
    edit(serve, "insert", insert_line=0, insert_text="zero\n")
    edit(serve, "insert", insert_line=6, new_str="six")
    assert serve.tool.sandbox.files.text("a.txt") == f"zero\n{TEXT}six\n"
    for bad in (-1, 8, "1", None, True):
        assert edit(serve, "insert", insert_line=bad, insert_text="x")[1]


def test_programs_rights_are_those_of_edits(serve):
    for path in ("/usr/bin/bash", "/etc/x", "/tools/tools.json", "/dev/null/x"):
        said, failed = edit(serve, "create", path, file_text="x")
        assert failed and "[error]: " in said
    serve.tool.run("ln -s /usr/bin/ls link; mkdir dir; chmod 444 a.txt", "shell")
    assert edit(serve, "create", "/workspace/link", file_text="x")[1]
    assert edit(serve, "create", "/workspace/dir", file_text="x")[1]
    assert "Permission denied" in edit(serve, "str_replace", old_str="one", new_str="1")[0]
    assert edit(serve, "create", "/workspace/it's $(touch x) `y`; \"z\"", file_text="x") [1] is False
    assert sorted(serve.tool.sandbox.files.list()) == sorted(["a.txt", "b.bin", "dir", "it's $(touch x) `y`; \"z\"", "link"])


@pytest.mark.parametrize("given", [{}, {"command": "rename"}, {"command": "create", "path": "x"}, {"command": "view", "path": ""}, {"command": "view", "path": "a\0"}, {"command": "create", "path": 1, "file_text": ""}])
def test_mistakes_are_words(serve, given):
    assert serve.anthropic("str_replace_editor", **given)[1]


def test_bash(serve):
    assert serve.anthropic("bash", command="x=5; echo hi") == ("hi", False)
    assert serve.anthropic("bash", command="echo $x") == ("5", False)
    assert serve.anthropic("bash", restart=True)[0].startswith("The shell was restarted.\n[session]")
    assert serve.anthropic("bash", command="echo [$x]") == ("[]", False)
    assert serve.anthropic("bash")[1]
    assert serve.anthropic("sandbox", code="return 1", language="javascript") == ("1", False)
    assert serve.anthropic("sandbox", code=1)[1]


def test_openai_shell(serve):
    answer = serve.openai(type="shell_call", action={"commands": ["echo hi; y=1", "echo $y >&2; exit 4"]})
    assert answer == {
        "type": "shell_call_output",
        "call_id": "c",
        "output": [
            {"stdout": "hi\n", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
            {"stdout": "", "stderr": "1\n", "outcome": {"type": "exit", "exit_code": 4}},
        ],
    }
    local = {"type": "exec", "command": ["echo", "a b", "$HOME"], "working_directory": "/tmp", "env": {"A": "1 2"}}
    answer = serve.openai(type="local_shell_call", id="l", action=local)
    assert answer == {"type": "local_shell_call_output", "id": "l", "output": "a b $HOME"}
    answer = serve.openai(type="function_call", name="sandbox", arguments=json.dumps({"code": "echo x", "language": "shell"}))
    assert answer == {"type": "function_call_output", "call_id": "c", "output": "x"}
    assert "not JSON" in serve.openai(type="function_call", name="sandbox", arguments="{")["output"]


def test_openai_apply_patch(serve):
    def operate(**operation):
        return serve.openai(type="apply_patch_call", operation=operation)

    assert operate(type="create_file", path="n/new.py", diff="+x = 1\n+y = 2\n")["status"] == "completed"
    assert serve.tool.sandbox.files["n/new.py"] == b"x = 1\ny = 2\n"
    assert operate(type="update_file", path="a.txt", diff="@@ two\n-three\n+3\n four\n")["status"] == "completed"
    assert serve.tool.sandbox.files["a.txt"] == b"one\ntwo\n3\nfour\nfive\n"
    failed = operate(type="update_file", path="a.txt", diff="-seven\n+7\n")
    assert failed["status"] == "failed" and "seven" in failed["output"]
    assert operate(type="delete_file", path="a.txt")["status"] == "completed" and "a.txt" not in serve.tool.sandbox.files
    assert operate(type="delete_file", path="a.txt")["status"] == "failed"
    assert operate(type="rename")["status"] == "failed"


def test_a_whole_patch(serve):
    patch = "*** Begin Patch\n*** Add File: p.txt\n+hello\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n one\n-two\n+2\n*** End Patch"
    answer = serve.openai(type="function_call", name="apply_patch", arguments=json.dumps({"input": patch}))
    assert answer["output"] == "Done!\nA /workspace/p.txt\nR /workspace/a.txt /workspace/b.txt"
    files = serve.tool.sandbox.files
    assert files["b.txt"] == b"one\n2\nthree\nfour\nfive\n" and "a.txt" not in files
    broken = "*** Begin Patch\n*** Add File: q.txt\n+q\n*** Update File: b.txt\n-absent\n*** End Patch"
    answer = serve.openai(type="custom_tool_call", name="apply_patch", input=broken)
    assert "absent" in answer["output"] and "q.txt" not in files, "all of it or nothing"
    for bad in ("", "x", "*** Begin Patch\n+x\n*** End Patch"):
        assert "[error]" in serve.openai(type="custom_tool_call", name="apply_patch", input=bad)["output"]


@pytest.mark.parametrize(
    "text, diff, made",
    [
        ("a\nb\n", "+c", "a\nb\nc\n"),
        ("a\nb\n", " a\n+x\n b", "a\nx\nb\n"),
        ("a\n  b\n", " a\n-b\n+B", "a\nB\n"),
        ("f()\n  x\ng()\n  x\n", "@@ g()\n-  x\n+  y", "f()\n  x\ng()\n  y\n"),
        ("x\ny\nx\n", "-x\n+z\n*** End of File", "x\ny\nz\n"),
        ("a\nb\nc\nd\n", "@@\n-a\n+A\n@@\n-d\n+D", "A\nb\nc\nD\n"),
        ("a\n\nb\n", " a\n\n-b\n+c", "a\n\nc\n"),
        ("", "+a", "a\n"),
    ],
)
def test_diffs(text, diff, made):
    assert updated(text, diff) == made


@pytest.mark.parametrize("diff", ["-x", "@@ none\n+a", "?a"])
def test_diffs_that_do_not_fit(diff):
    with pytest.raises(EditError):
        updated("a\nb\n", diff)


def test_an_edit_without_room():
    tool = create_sandbox_tool(limits=Limits(filesystem_bytes=1 << 20), files={"a.txt": "a"})
    block = {"id": "t", "name": "str_replace_editor", "input": {"command": "create", "path": "big", "file_text": "x" * (2 << 20)}}
    answer = tool.handle_anthropic(block)
    assert answer["is_error"] and "No space left" in answer["content"][0]["text"]


def test_the_definitions():
    tool = create_sandbox_tool()
    assert [t["name"] for t in tool.as_anthropic_tools()] == ["sandbox", "bash", "str_replace_based_edit_tool"]
    assert [t["type"] for t in tool.as_openai_tools()] == ["function", "shell", "apply_patch"]
