"""`pinfold run --approve`: what a person at the terminal sees, and what their answers do."""

import fcntl
import json
import os
import pty
import select
import struct
import termios
import time

import pytest

DEADLINE = 60
SCRIPT = """
printf 'a,1\\nb,2\\n' > ledger.csv
pay --amount 500 --raw >> ledger.csv && { look --item pen; pay --amount 9; } || echo "no deal $?"
wc -l < ledger.csv
"""
TOOLS = ["--tool", "pay=./pay", "--tool", "look=./look", "--pure", "look", "--simulate", "pay=echo paid"]
PROMPT = "dit the arguments: "


@pytest.fixture
def terminal(pinfold):
    """Runs the program on a terminal; answers come after the text that they wait for."""
    folder = pinfold.folder
    (folder / "script.sh").write_text(SCRIPT)
    for name, said in (("pay", "paid"), ("look", "3")):
        (folder / name).write_text(f"#!/bin/sh\ncat >> {name}.log; echo >> {name}.log; echo {said}\n")
        (folder / name).chmod(0o755)

    def run(answers, *arguments, columns=140, script="script.sh"):
        program = os.path.abspath(pinfold.program)
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execv(program, [program, "run", "--approve", *arguments, script])
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        seen, at, end = "", 0, time.monotonic() + DEADLINE
        answers = list(answers)
        while True:
            ready, _, _ = select.select([fd], [], [], max(0, end - time.monotonic()))
            assert ready, seen
            try:
                data = os.read(fd, 4096)
            except OSError:
                break
            if not data:
                break
            seen += data.decode().replace("\r", "")
            while answers and answers[0][0] in seen[at:]:
                text, keys = answers.pop(0)
                at = seen.index(text, at) + len(text)
                os.write(fd, keys.encode() + b"\n")
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(fd)
        return seen, status

    def log(name):
        path = folder / f"{name}.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    run.log = log
    run.folder = folder
    return run


def test_the_consequence_is_shown_and_kept(terminal):
    seen, status = terminal([(PROMPT, "y"), (PROMPT, "n")], *TOOLS)
    shown, kept = seen.split(PROMPT, 1)
    assert 'pay is to be called with {"amount":500}' in shown
    assert "[yes]" in shown and "│ [no]" in shown
    assert "+paid" in shown and 'look {"item":"pen"} → 3' in shown and "no deal 126" in shown
    assert 'pay {"amount":9}: somebody is asked' in shown
    assert kept.startswith("y\n3\n") and kept.endswith("no deal 126\n3\n") or "no deal 126" in kept
    assert status == 0
    assert terminal.log("pay") == [{"amount": 500}]  # for real, once
    # In the preview, and again when the payment was made, which may have changed it.
    assert terminal.log("look") == [{"item": "pen"}] * 2


def test_what_the_call_has_changed_is_not_what_was_shown(terminal):
    (terminal.folder / "look").write_text("#!/bin/sh\ncat > /dev/null; cat pay.log 2>/dev/null | wc -l\n")
    (terminal.folder / "s.sh").write_text("pay --amount 5; look")
    seen, _ = terminal([(PROMPT, "y")], *TOOLS, script="s.sh")
    assert "look gives 1 now, which is not what was shown" in seen and seen.endswith("1\n")


def test_no_and_why(terminal):
    seen, _ = terminal([(PROMPT, "w"), ("why: ", "too much")], *TOOLS)
    assert "pay: pay is denied: too much" in seen and terminal.log("pay") == []


def test_other_arguments(terminal):
    answers = [(PROMPT, "e"), ("> ", '{"amount": '), (PROMPT, "e"), ("> ", '{"amount": 7}'), (PROMPT, "y"), (PROMPT, "n")]
    seen, _ = terminal(answers, *TOOLS)
    assert "not valid JSON" in seen and "[edited]" in seen
    assert terminal.log("pay") == [{"amount": 7}]


def test_the_policy_judges_other_arguments(terminal):
    policy = {"capabilities": [{"method": "pay", "ask": True, "max_calls": 1, "constraints": {"amount": "<=500"}}]}
    (terminal.folder / "policy.json").write_text(json.dumps(policy))
    (terminal.folder / "one.sh").write_text("pay --amount 500")
    answers = [(PROMPT, "e"), ("> ", '{"amount": 501}'), (PROMPT, "e"), ("> ", '{"amount": 5}'), (PROMPT, "y")]
    seen, _ = terminal(answers, "--policy", "policy.json", "--tool", "pay=./pay", script="one.sh")
    assert "amount must be <= 500" in seen and terminal.log("pay") == [{"amount": 5}]


def test_another_result_than_was_shown(terminal):
    tools = [*TOOLS[:-1], "pay=echo promised"]
    seen, _ = terminal([(PROMPT, "y"), (PROMPT, "n")], *tools)
    assert "+promised" in seen and 'gave "paid", which is not what was shown' in seen
    assert terminal.log("pay") == [{"amount": 500}]


def test_nothing_is_called_for_a_preview_of_what_is_not_known(terminal):
    seen, _ = terminal([(PROMPT, "n")], "--tool", "pay=./pay", "--tool", "look=./look", columns=60)
    assert "neither --pure nor is there a --simulate" in seen
    assert terminal.log("pay") == [] and terminal.log("look") == []


def test_a_narrow_terminal_and_a_recording(terminal, pinfold):
    answers = [(PROMPT, "y"), (PROMPT, "n")]
    seen, _ = terminal(answers, *TOOLS, "--record", "run.jsonl", columns=60)
    assert "│" not in seen and "[yes]\n" in seen
    done = pinfold("replay", "run.jsonl")
    assert done.returncode == 0 and "no deal 126" in done.stdout, done.stderr


def test_what_a_script_writes_does_not_act_on_the_terminal(terminal):
    (terminal.folder / "evil.sh").write_text("pay --to \"$(printf '\\e[2J')\"; printf '\\e[31m\\rfake' > f")
    seen, _ = terminal([(PROMPT, "n")], *TOOLS, script="evil.sh")
    assert "\x1b" not in seen.split(PROMPT)[0] and "\\u001b[31m\\rfake" in seen


def test_mistakes(pinfold):
    assert "no call can ever reach it" in pinfold("-c", "true", "--approve").stderr
    (pinfold.folder / "p.json").write_text('{"capabilities": [{"method": "pay"}]}')
    done = pinfold("-c", "true", "--approve", "--policy", "p.json", "--tool", "pay=true")
    assert done.returncode == 125 and "no capability of the policy" in done.stderr
    assert "there is none named look" in pinfold("-c", "true", "--approve", "--pure", "look").stderr
    done = pinfold("-c", "true", "--pure", "pay", "--tool", "pay=true")
    assert done.returncode == 125 and "are for --approve" in done.stderr
