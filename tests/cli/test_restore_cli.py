"""Sandboxes that wait, as files and as text: `pinfold restore`, `run --restore`, `snapshot show`."""

import base64
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "build" / "python"))
pinfold_package = pytest.importorskip("pinfold", reason="the Python package is not built")

KEY = b"sixteen bytes or more"


@pytest.fixture
def waiting(tmp_path):
    """The text of a sandbox that waits for a call."""
    (tmp_path / "key").write_bytes(KEY)
    with pinfold_package.Sandbox(
        tool_handler=lambda *call: None,
        capabilities=[pinfold_package.MethodCapability("double")],
        key=KEY,
    ) as sandbox:
        sandbox.start("x=7; echo before; y=$(tool double --json '{\"n\": 4}'); echo $x $y; exit 3")
        return sandbox.to_url()


def test_it_goes_on_with_the_tools_of_the_command_line(pinfold, waiting, tmp_path):
    assert len(waiting) <= 8192
    (tmp_path / "text").write_text("\n".join(waiting[i : i + 76] for i in range(0, len(waiting), 76)))
    (tmp_path / "snap").write_bytes(
        base64.urlsafe_b64decode(waiting[8:] + "=" * (-len(waiting[8:]) % 4))
    )
    for given in (waiting, "text", "snap"):
        done = pinfold("restore", "--key", "key", "--tool", "double=echo 8", given)
        assert (done.stdout, done.returncode) == ("before\n7 8\n", 3), done.stderr
    done = pinfold("restore", "--key", "key", "-t", "double=echo 8", "--snapshot", "after", "--json", "text")
    assert json.loads(done.stdout)["stdout"] == "before\n7 8\n" and done.returncode == 3
    done = pinfold("run", "--key", "key", "--restore", "after", "-", input="echo $x-")
    assert done.returncode == 0, done.stderr
    done = pinfold("run", "--key", "key", "-t", "double=echo 8", "--restore", waiting, "-", input="echo on $x")
    assert done.stdout.startswith("before\n7 8\non"), done.stderr


def test_authority_is_the_command_line_s(pinfold, waiting):
    done = pinfold("restore", "--key", "key", waiting)
    assert "double" in done.stderr
    assert done.stdout == "before\n7\n"


def test_what_is_in_a_text(pinfold, waiting):
    done = pinfold("snapshot", "show", "--key", "key", waiting)
    assert done.returncode == 0 and 'double {"n":4}' in done.stdout and "with a key" in done.stdout
    done = pinfold("snapshot", "show", "--key", "key", "--get", "/etc/passwd", waiting)
    assert done.returncode == 0 and "root" in done.stdout


def test_mistakes(pinfold, waiting, tmp_path):
    for arguments, said in (
        ([waiting], "has a key: --key FILE"),
        (["--key", "key", waiting[:-3]], "pinfold:…: "),
        (["--key", "key", waiting[:60] + "!" + waiting[61:]], "'!' is no character of base64url"),
        (["--key", "key", waiting[:-4]], "cut short"),
        (["--key", "key", "missing"], "missing: No such file"),
        ([], "which SNAPSHOT?"),
        (["--key", "key", waiting, "more"], "unexpected argument 'more'"),
        (["--key", "key", "-l", "shell", waiting], "the run is in the snapshot"),
    ):
        done = pinfold("restore", *arguments)
        assert done.returncode == 125 and said in done.stderr, (arguments, done.stderr)
        assert len(done.stderr) < 400  # the text itself is not repeated
    pinfold("-c", "x=1", "--snapshot", "idle")
    done = pinfold("restore", "idle")
    assert done.returncode == 125 and "nothing waits in it" in done.stderr
