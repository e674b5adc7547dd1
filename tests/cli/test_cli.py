"""The command line program as its users meet it."""

import json
import signal
import subprocess
import time

import pytest


def test_a_piece_of_code(pinfold):
    done = pinfold("-c", "echo out; echo err >&2; exit 7")
    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "err\n", 7)


def test_a_call_that_somebody_must_approve_is_denied(pinfold):
    policy = {"capabilities": [{"method": "pay", "ask": True}, {"method": "glance"}]}
    (pinfold.folder / "policy.json").write_text(json.dumps(policy))
    tools = ("--tool", "pay=touch paid", "--tool", "glance=echo 1")
    done = pinfold("-c", "glance; pay", "--policy", "policy.json", *tools)
    assert done.stdout == "1\n" and done.returncode == 126 and "needs approval" in done.stderr
    assert not (pinfold.folder / "paid").exists()


def test_standard_input_is_the_script_s(pinfold):
    assert pinfold("-c", "tr a-z A-Z", input="abc").stdout == "ABC"
    (pinfold.folder / "in").write_text("file")
    assert pinfold("-c", "cat", "--stdin", "in", input="pipe").stdout == "file"


@pytest.mark.parametrize(
    "name, text",
    [
        ("a.sh", "echo $((6 * 7))"),
        ("b.js", "return 6 * 7"),
        ("c.mjs", "return await 42"),
        ("d", "#!/bin/bash\necho 42"),
        ("e", "#!/usr/bin/env -S node --test\nconsole.log(42)"),
        ("f", "echo 42"),
        ("g.py", "import sys\nprint(6 * 7)"),
        ("h", "#!/usr/bin/env python3\nprint(42)"),
    ],
)
def test_the_language_of_a_file(pinfold, name, text):
    (pinfold.folder / name).write_text(text)
    done = pinfold("run", name)
    assert done.stdout == "42\n", done.stderr


@pytest.mark.parametrize(
    "name, text",
    [("a.rb", "x=5"), ("a", "#!/usr/bin/env ruby\nx=5"), ("b", "#!/usr/bin/awk -f\nx=5")],
)
def test_a_file_in_another_language_is_not_taken_for_shell(pinfold, name, text):
    (pinfold.folder / name).write_text(text)
    done = pinfold("run", name)
    assert done.returncode == 125 and "--language NAME" in done.stderr
    assert pinfold("run", "--language", "shell", name).returncode == 0


def test_arguments_of_a_python_script(pinfold):
    (pinfold.folder / "x.py").write_text('"""Doc."""\nfrom __future__ import annotations\n'
                                         "import sys\nprint(sys.argv)\n1 / 0\n")
    done = pinfold("run", "x.py", "a b", "\u00e9'")
    assert done.stdout == "['x.py', 'a b', \"\u00e9'\"]\n"
    assert "line 5" in done.stderr and "1 / 0" in done.stderr


def test_a_script_from_standard_input(pinfold):
    assert pinfold("run", "-", input="echo hi; cat").stdout == "hi\n"
    assert pinfold("run", "--language", "javascript", "-", input="return 1").stdout == "1\n"


def test_tools_are_commands_without_a_shell(pinfold):
    done = pinfold(
        "-c",
        "same --json '{\"n\": [1, 2]}' | jq -c .n; tool text; tool literal; tool nothing",
        "--tool", "same=cat",
        "--tool", "text=printf 'two words\\n'",
        "--tool", "literal=printf %s $HOME|cat",
        "--tool", "nothing=true",
    )
    assert done.stdout == '[1,2]\n"two words"\n"$HOME|cat"\nnull\n', done.stderr


def test_tools_that_fail(pinfold):
    done = pinfold(
        "-c", "tool a; echo $?; tool b; echo $?; tool c; echo $?",
        "--tool", "a=false", "--tool", "b=/no/such/program", "--tool", "c=sh -c 'kill -9 $$'",
    )
    assert done.stdout == "1\n1\n1\n"
    assert "false failed with status 1" in done.stderr
    assert "/no/such/program cannot be run: No such file or directory" in done.stderr
    assert "killed by signal 9" in done.stderr


def test_parallel_calls_run_at_once(pinfold):
    started = time.monotonic()
    done = pinfold(
        "-l", "javascript",
        "-c", "return await Promise.all([1, 2, 3, 4].map(n => slow({n})))",
        "--tool", "slow=sh -c 'sleep 0.5; cat'",
    )
    assert json.loads(done.stdout) == [{"n": n} for n in (1, 2, 3, 4)]
    assert time.monotonic() - started < 1.9


def test_a_large_exchange_with_a_tool(pinfold):
    code = "const s = 'x'.repeat(900_000); return (await same({s})).s.length"
    assert pinfold("-l", "javascript", "-c", code, "--tool", "same=cat").stdout == "900000\n"


def test_a_policy_grants_instead_of_the_command_line(pinfold):
    (pinfold.folder / "policy.json").write_text(
        '{"capabilities": [{"method": "pay", "max_calls": 2,'
        ' "constraints": [{"param": "n", "op": "<=", "value": 5}]}]}'
    )
    done = pinfold(
        "-c", "for n in 9 1 2 3; do pay --json \"{\\\"n\\\": $n}\"; echo $?; done; other; echo $?",
        "--policy", "policy.json", "--tool", "pay=cat", "--tool", "other=cat",
    )
    assert done.stdout == '126\n{"n":1}\n0\n{"n":2}\n0\n126\n126\n', done.stderr


def test_policy_explain(pinfold, tmp_path):
    policy = tmp_path / "policy.json"
    policy.write_text(
        '{"capabilities": [{"method": "pay", "constraints": {"n": "<=5"}},'
        ' {"method": "mail/*", "ask": true}]}'
    )
    good = pinfold("policy", "explain", policy, "pay", '{"n": 3}')
    assert (good.returncode, good.stdout) == (0, "pay: allowed by capability 1\n")
    asks = pinfold("policy", "explain", policy, "mail.send")
    assert asks.returncode == 0 and "capability 2, if somebody" in asks.stdout
    bad = pinfold("policy", "explain", policy, "pay", "-", input='{"n": 7}')
    assert bad.returncode == 1 and "n must be <= 5 (it is 7)" in bad.stdout
    assert pinfold("policy", "explain", policy, "burn").returncode == 1
    broken = pinfold("policy", "explain", policy, "pay", '{"n": 3, "n": 9}')
    assert broken.returncode == 1


def test_policy_check(pinfold):
    (pinfold.folder / "good").write_text('{"capabilities": [{"method": "a/*"}]}')
    (pinfold.folder / "bad").write_text('{"capabilities": [{"method": "a//b"}]}')
    (pinfold.folder / "cut").write_text('{"capabilities": [')
    assert pinfold("policy", "check", "good").returncode == 0
    for name in ("bad", "cut"):
        done = pinfold("policy", "check", name)
        assert done.returncode == 1 and done.stderr.startswith(f"{name}: ")
    assert pinfold("policy", "check", "missing").returncode == 125


def test_files_and_environment(pinfold):
    (pinfold.folder / "a:b").write_bytes(b"\xff\x00")
    code = "wc -c < /tmp/in/x; tr '\\377\\0' ab < /tmp/in/x; echo; echo $WHO"
    done = pinfold("-c", code, "--file", "a:b:/tmp/in/x", "--env", "WHO=me=you")
    assert done.stdout.split() == ["2", "ab", "me=you"], done.stderr


def test_the_host_s_environment_stays_outside(pinfold):
    done = pinfold("-c", "env", env={"SECRET": "leaked"})
    assert "leaked" not in done.stdout and "PATH=" in done.stdout


def test_json(pinfold):
    done = pinfold("--json", "-l", "javascript", "-c", "console.log('é\\t'); return {a: 1}")
    report = json.loads(done.stdout)
    assert report["stdout"] == 'é\t\n{"a":1}\n'
    assert report["value"] == {"a": 1}
    assert (report["exit_code"], report["limit"], report["stderr"]) == (0, None, "")
    assert report["usage"]["memory_bytes"] > 0
    assert json.loads(pinfold("--json", "-c", "printf '\\377'; exit 3").stdout)["stdout"] == "\ufffd"


def test_limits(pinfold):
    done = pinfold("-c", "while :; do :; done", "--limit", "cpu_seconds=0.2")
    assert done.returncode == 137 and "cpu_seconds" in done.stderr
    done = pinfold("-c", "yes | head -c 5000", "--limit", "output_bytes=1K")
    assert len(done.stdout) == 1024 and "output was cut" in done.stderr
    done = pinfold("-c", "yes | head -c 2000000", "--limit", "output_bytes=none")
    assert len(done.stdout) == 2_000_000


@pytest.mark.parametrize(
    "arguments, limit",
    [
        (["-c", "head -1", "--limit", "stdin_bytes=1000"], "stdin_bytes (1000)"),
        (["-c", "head -1"], "stdin_bytes (67108864)"),
        (["run", "-", "--limit", "code_bytes=1K"], "code_bytes (1024)"),
        (["shell", "--limit", "code_bytes=1K"], "code_bytes (1024)"),
        (["-c", "ls", "--stdin", "/dev/null", "-f", "/dev/zero:/big", "--limit", "filesystem_bytes=4M"], "filesystem_bytes (4194304)"),
    ],
)
def test_no_more_is_read_than_the_sandbox_takes(pinfold, arguments, limit):
    with subprocess.Popen(["tr", "\\0", "x"], stdin=open("/dev/zero"), stdout=subprocess.PIPE) as endless:
        done = subprocess.run(
            [pinfold.program, *arguments],
            stdin=endless.stdout, capture_output=True, text=True, timeout=60,
        )
        endless.kill()
    assert done.returncode == 125 and limit in done.stderr, done


def test_as_much_is_read_as_the_sandbox_takes(pinfold):
    done = pinfold("-c", "wc -c", "--limit", "stdin_bytes=100000", input="x" * 100_000)
    assert done.stdout == "100000\n"
    assert pinfold("-c", "wc -c", "--limit", "stdin_bytes=none", input="x" * 100_000).returncode == 0
    code = "x" * 1020 + "=5\necho $" + "x" * 1020  # a line that is as long as it may be
    assert pinfold("shell", "--limit", "code_bytes=1028", input=code + "\n").stdout == "5\n"


def test_output_appears_at_once_and_ctrl_c_interrupts(pinfold):
    child = subprocess.Popen(
        [pinfold.program, "-c", "echo ready; sleep 100"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    )
    try:
        assert child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        assert child.wait(20) == 130
    finally:
        child.kill()


def test_ctrl_c_that_is_trapped_is_enough_at_the_third_time(pinfold):
    child = subprocess.Popen(
        [pinfold.program, "-c", "trap 'echo trapped' INT; echo ready; while :; do :; done"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    )
    try:
        assert child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "trapped\n"
        child.send_signal(signal.SIGINT)
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        assert child.wait(8) == 137  # its own limit would be 10 seconds of the processor later
    finally:
        child.kill()


def test_a_reader_that_goes_away_ends_it(pinfold):
    done = subprocess.run(
        ["bash", "-c", f"'{pinfold.program}' -c yes </dev/null | head -1; echo ${{PIPESTATUS[0]}}"],
        capture_output=True, text=True, timeout=60,
    )
    assert done.stdout == "y\n141\n"


@pytest.mark.parametrize(
    "arguments, text",
    [
        ([], "usage"),
        (["-c"], "argument"),
        (["--wibble", "-c", "x"], "wibble"),
        (["run"], "FILE"),
        (["run", "missing.sh"], "missing.sh: No such file"),
        (["run", "a", "b"], "a: No such file"),
        (["nosuch"], "there is no command 'nosuch'; a script is run by 'pinfold run nosuch'"),
        (["mcp"], "pinfold[mcp]"),
        (["check"], "the Python package"),
        (["-c", "x", "y"], "see pinfold run --help"),
        (["replay", "--wibble"], "pinfold: unrecognized option"),
        (["replay", "missing"], "missing: No such file"),
        (["trace", "/dev/null"], "not a pinfold trace"),
        (["snapshot", "show", "/dev/null"], "not a pinfold snapshot"),
        (["snapshot", "list"], "snapshot show"),
        (["completion", "tcsh"], "bash|zsh|fish"),
        (["-c", "x", "--limit", "cpu_ms=1"], "cpu_ms: there is no limit"),
        (["-c", "x", "--mount", "/:relative"], "HOST:GUEST[:copy]"),
        (["-c", "x", "--mount", "/none:/x"], "/none: No such file"),
        (["-c", "x", "--mount", "/:/x:rw"], "'rw' is no mode"),
        (["-c", "x", "--mount", "/:/x:"], "'' is no mode"),
        (["-c", "x", "--mount", "/:relative:ro"], "HOST:GUEST[:copy]"),
        (["-c", "x", "--changes", "-"], "--mount HOST:GUEST:copy"),
        (["-c", "x", "--redact"], "--record"),
        (["-c", "x", "--restore", "/dev/null"], "not a pinfold snapshot"),
        (["-c", "x", "--snapshot", "/none/x"], "/none/x: No such file"),
        (["-c", "x", "--clock", "noon"], "seconds since 1970"),
        (["-c", "x", "--seed", "-1"], "64 bits"),
        (["-c", "x", "-l", "cobol"], "cobol"),
        (["-c", "x", "--tool", "f"], "NAME=COMMAND"),
        (["-c", "x", "--tool", "f='unclosed"], "no command"),
        (["-c", "x", "--tool", "a.b=cat", "--tool", "a/b=cat"], "a/b"),
        (["-c", "x", "--tool", "a//b=cat"], "a//b"),
        (["-c", "x", "--file", "f"], "HOST:GUEST"),
        (["-c", "x", "--limit", "speed=1"], "speed"),
        (["-c", "x", "--limit", "cpu_seconds=fast"], "seconds"),
        (["-c", "x", "--limit", "files=-1"], "number"),
        (["-c", "x", "--limit", "files=1T"], "number"),
        (["-c", "x", "--policy", "missing.json"], "missing.json"),
    ],
)
def test_misuse(pinfold, arguments, text):
    done = pinfold(*arguments)
    assert done.returncode == 125
    assert text in done.stderr + done.stdout


def test_arguments_of_a_script(pinfold, tmp_path):
    (tmp_path / "s.sh").write_text('printf "<%s>" "$#" "$@"\nnosuch\n')
    done = pinfold("run", "s.sh", "a b", "it's", "--", "-x", "$HOME")
    assert done.stdout == "<4><a b><it's><-x><$HOME>"
    assert "line 2" in done.stderr
    (tmp_path / "s.js").write_text("#!/usr/bin/env node\nreturn process.argv.slice(2)\n")
    assert pinfold("run", "s.js", 'q"', "é").stdout == '["q\\"","é"]\n'
    assert pinfold("run", "-", "one", input="echo $1").stdout == "one\n"
    assert pinfold("run", "s.sh").stdout == "<0>"


def test_version_and_help(pinfold):
    assert pinfold("--version").stdout.startswith("pinfold 0.")
    done = pinfold("run", "--help")
    assert done.returncode == 0 and "--tool NAME=COMMAND" in done.stdout
