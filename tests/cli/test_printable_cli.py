"""What a script chose cannot act on the terminal of who looks at its traces, files and snapshots."""

import json
import subprocess

import pytest

NASTY = "\x1b]0;owned\x07\x9b31m\u202eevil\u2066\u200b\ufeff\u2028\x7f\r\t\U000e0041"
ACTS = [*"\x1b\x07\x9b\u202e\u2066\u200b\ufeff\u2028\x7f\r\t\U000e0041"]
SAFE = "\\u001b]0;owned\\u0007\\u009b31m\\u202eevil\\u2066\\u200b\\ufeff\\u2028\\u007f\\r\\t\\udb40\\udc41"


def assert_clean(done, *expected):
    for text in (done.stdout, done.stderr):
        assert not [hex(ord(c)) for c in ACTS if c in text]
    for words in expected:
        assert words in done.stdout + done.stderr


@pytest.fixture
def waiting(tmp_path):
    """A snapshot with a call that waits, a process and files that a script has named badly."""
    pinfold = pytest.importorskip("pinfold")
    with pinfold.Sandbox(
        tools=[pinfold.Tool("note")], capabilities=[pinfold.MethodCapability("note")]
    ) as sandbox:
        script = f"touch 'a\nb' \"$(printf '\\xff')\" $'{NASTY}'; cp /bin/sleep $'./{NASTY}' 2>/dev/null;"
        script += f" exec -a $'{NASTY}' sleep 1000 & js -e 'await note({{text: process.argv[1]}})' $'{NASTY}'"
        sandbox.start(script)
        assert sandbox.step().params == {"text": NASTY}
        data = sandbox.snapshot()
    path = tmp_path / "waiting.snapshot"
    path.write_bytes(data)
    return path


def test_a_snapshot(pinfold, waiting):
    done = pinfold("snapshot", "show", "--files", waiting)
    assert_clean(done, 'note {"text":"', f"/workspace/{SAFE}", "/workspace/a\\nb", "/workspace/\\xff")
    done = pinfold("snapshot", "show", "--json", waiting)
    assert_clean(done)
    shown = json.loads(done.stdout)
    assert shown["calls"][0]["params"] == {"text": NASTY}


def test_names_that_are_asked_for(pinfold, waiting):
    assert_clean(pinfold("snapshot", "show", "--get", f"/no{NASTY}", waiting), SAFE)
    assert_clean(pinfold("snapshot", "show", NASTY), SAFE)
    assert_clean(pinfold("policy", "check", NASTY), SAFE)
    assert_clean(pinfold("run", NASTY), SAFE)
    assert_clean(pinfold("replay", NASTY), SAFE)


def test_changes_of_a_mount(pinfold):
    folder = pinfold.folder / "data"
    folder.mkdir()
    done = pinfold("-c", f"touch $'/d/{NASTY}'", "--mount", f"{folder}:/d:copy", "--changes", "-")
    assert_clean(done, f"A /d/{SAFE}")


def test_results_as_json(pinfold):
    program = f"console.log({json.dumps(NASTY)}); console.error('\\x9b'); return {{[{json.dumps(NASTY)}]: '\"\\\\'}}"
    done = pinfold("-c", program, "--language", "javascript", "--json")
    assert_clean(done)
    shown = json.loads(done.stdout)
    assert shown["value"] == {NASTY: '"\\'} and shown["stderr"] == "\x9b\n"
    assert shown["stdout"].startswith(NASTY)


def test_what_a_program_prints_is_its_own(pinfold):
    done = subprocess.run([pinfold.program, "-c", "printf '\\e[1m\\xff'"], capture_output=True, timeout=60)
    assert done.stdout == b"\x1b[1m\xff"


def test_a_replay_that_differs(pinfold):
    done = pinfold("-c", f"printf %s $'{NASTY}'; cat /dev/urandom | head -c 3 | od -An -tx1", "--record", "t.jsonl")
    assert done.returncode == 0
    done = pinfold("trace", "-o", "-", "t.jsonl")
    assert "pf_printable" in done.stdout


def test_a_policy_with_such_names(pinfold):
    policy = {"capabilities": [{"method": f"a{NASTY}"}]}
    (pinfold.folder / "p.json").write_text(json.dumps(policy))
    assert_clean(pinfold("policy", "check", "p.json"), "\\u202e")
