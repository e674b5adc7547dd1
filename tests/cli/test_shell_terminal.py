"""`pinfold shell` on a terminal: what a person at the keyboard sees. Every step waits for text, none for time."""

import ctypes
import os
import pty
import select
import stat
import time

import pytest

PROMPT = "pinfold$ "
DEADLINE = 120


def has_editor():
    for name in ("libedit.so.2", "libedit.so.0", "libedit.so"):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False


edits = pytest.mark.skipif(not has_editor(), reason="no libedit on this machine")


class Terminal:
    def __init__(self, program, folder, environment):
        self.seen = ""
        program = os.path.abspath(program)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            merged = {**os.environ, **environment}
            os.execve(
                program, [program, "shell"], {k: v for k, v in merged.items() if v is not None}
            )

    def until(self, text):
        """Waits for the text; gives what was seen up to its end."""
        end = time.monotonic() + DEADLINE
        while text not in self.seen:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            assert ready, f"no {text!r} after {self.seen!r}"
            try:
                self.seen += os.read(self.fd, 4096).decode()
            except OSError:
                raise AssertionError(f"ended before {text!r}: {self.seen!r}") from None
        at = self.seen.index(text) + len(text)
        found, self.seen = self.seen[:at], self.seen[at:]
        return found

    def type(self, keys, *awaited):
        os.write(self.fd, keys.encode())
        for text in awaited:
            found = self.until(text)
        return found

    def end(self):
        """Ctrl-D; gives the exit status."""
        os.write(self.fd, b"\x04")
        end = time.monotonic() + DEADLINE
        while (ended := os.waitpid(self.pid, os.WNOHANG))[0] == 0:
            assert time.monotonic() < end, "Ctrl-D does not end it"
            time.sleep(0.01)
        status = ended[1]
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


@pytest.fixture
def terminal(pinfold, tmp_path):
    def start(**environment):
        defaults = {
            "TERM": "xterm",
            "XDG_STATE_HOME": None,
            "HOME": str(tmp_path),
            "PINFOLD_HISTORY": str(tmp_path / "history"),
        }
        shell = Terminal(pinfold.program, tmp_path, {**defaults, **environment})
        shell.until(PROMPT)
        return shell

    return start


@pytest.mark.parametrize("term", [pytest.param("xterm", marks=edits), "dumb"])
def test_a_session(terminal, term):
    shell = terminal(TERM=term)
    shell.type("x=5; false\r", PROMPT)
    shell.type("echo st=$? x$x\r", "st=1 x5\r\n", PROMPT)
    shell.type("for i in a b; do\r", "\r\n> ")
    shell.type("echo [$i]\r", "\r\n> ")
    shell.type("done\r", "[a]\r\n[b]\r\n", PROMPT)
    shell.type("cat <<end\r", "\r\n> ")
    shell.type("say $((6*7))\r", "\r\n> ")
    shell.type("end\r", "say 42\r\n", PROMPT)
    shell.type('echo "one\r', "\r\n> ")
    shell.type('two"\r', "\r\none\r\ntwo\r\n", PROMPT)
    assert shell.end() == 0


@pytest.mark.parametrize("term", [pytest.param("xterm", marks=edits), "dumb"])
def test_ctrl_c_ends_a_command_and_a_line_but_no_session(terminal, term):
    shell = terminal(TERM=term)
    shell.type("x=kept; echo up$((1 + 1)); sleep 1000\r", "up2\r\n")
    shell.type("\x03", PROMPT)
    shell.type("echo $? $x\r", "130 kept\r\n", PROMPT)
    shell.type("if true; then\r", "\r\n> ")
    shell.type("\x03", PROMPT)
    shell.type("echo not-run\x03", PROMPT)
    shell.type("echo s$((2+2))\r", "s4\r\n", PROMPT)
    shell.type("(exit 3)\r", PROMPT)
    assert shell.end() == 3


@edits
def test_lines_are_edited(terminal):
    shell = terminal()
    shell.type("ho häß\x01ec\r", "\r\nhäß\r\n", PROMPT)
    shell.type("\x1b[A\x1b[D\x1b[Dx\r", "\r\nhxäß\r\n", PROMPT)
    assert shell.end() == 0


@edits
def test_tab_completes_commands_and_files(terminal):
    shell = terminal()
    shell.type(
        "mkdir -p dir/inner; cd dir; echo text > file_name; echo s$((1+1))\r", "s2\r\n", PROMPT
    )
    shell.type("cat fi\t\r", "\r\ntext\r\n", PROMPT)
    shell.type("cd inn\t; seq\t 2; pwd\r", "\r\n1\r\n2\r\n", "/dir/inner\r\n", PROMPT)
    assert shell.end() == 0


@edits
def test_history_is_kept_from_session_to_session(terminal, tmp_path):
    shell = terminal()
    shell.type("echo first$((1+1))\r", "first2\r\n", PROMPT)
    shell.type(" echo secret$((1+1))\r", "secret2\r\n", PROMPT)
    shell.type("if true; then\r", "\r\n> ")
    shell.type("echo 'a\\b'; fi\r", "\r\na\\b\r\n", PROMPT)
    shell.end()
    file = tmp_path / "history"
    assert file.read_text() == "echo first$((1+1))\nif true; then\\necho 'a\\\\b'; fi\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    shell = terminal()
    shell.type("\x1b[A\x1b[A\r", "first2\r\n", PROMPT)
    assert shell.end() == 0


@edits
def test_where_history_is_kept(terminal, tmp_path):
    shell = terminal(PINFOLD_HISTORY="", XDG_STATE_HOME=str(tmp_path / "unused"))
    shell.type("echo a\r", "\r\na\r\n", PROMPT)
    shell.end()
    assert list(tmp_path.iterdir()) == []

    for variable, folder in (("XDG_STATE_HOME", "state"), ("HOME", "home/.local/state")):
        base = tmp_path / folder.partition("/")[0]
        shell = terminal(**{"PINFOLD_HISTORY": None, variable: str(base)})
        shell.type("echo a\r", "\r\na\r\n", PROMPT)
        shell.end()
        assert (tmp_path / folder / "pinfold" / "history").read_text() == "echo a\n"
