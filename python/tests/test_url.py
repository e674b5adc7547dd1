"""A sandbox as a line of text."""

import subprocess
import sys

import pytest

from pinfold import BoundError, MethodCapability, Sandbox, SnapshotError, _native

KEY = b"sixteen bytes or more"
CONTINUE = """
import sys
from pinfold import MethodCapability, Sandbox
sandbox = Sandbox.from_url(
    sys.argv[1], key=b"sixteen bytes or more", tools=[], tool_handler=lambda m, p: p["n"] * 2,
    capabilities=[MethodCapability("**")],
)
sys.stdout.write(sandbox.finish().stdout)
"""


def waiting():
    sandbox = Sandbox(
        tool_handler=lambda *call: None, capabilities=[MethodCapability("**")], key=KEY
    )
    sandbox.start("x=7; y=$(tool double --json '{\"n\": 4}'); echo $x $y")
    return sandbox


def test_a_waiting_sandbox_goes_on_in_another_process():
    with waiting() as sandbox:
        text = sandbox.to_url()
    assert text.startswith("pinfold:") and text.isascii() and len(text.split()) == 1
    assert len(text) <= 8192
    out = subprocess.run([sys.executable, "-c", CONTINUE, text], capture_output=True, text=True)
    assert out.stdout == "7 8\n", out.stderr


def test_it_is_smaller_than_a_snapshot_and_as_well_protected():
    """Also with some files in it."""
    with waiting() as sandbox:
        for name in "abc":
            sandbox.files[name] = f"{name} is a file\n"
        text, data = sandbox.to_url(), sandbox.snapshot()
    assert len(text) <= 8192
    assert len(text) < len(data) * 4 // 3
    shrunk = _native.snapshot_shrink(data, KEY)
    assert _native.snapshot_info(shrunk)[1:7] == _native.snapshot_info(data)[1:7]
    assert Sandbox.files_of(shrunk, key=KEY)["/workspace/a"] == b"a is a file\n"
    for wrong, key in ((data[:-1] + b"x", KEY), (data, KEY + b"!"), (data, None), (b"none", KEY)):
        with pytest.raises(ValueError, match="altered|authenticated|no snapshot|not a pinfold"):
            _native.snapshot_shrink(wrong, key)


def test_a_mailer_may_wrap_it():
    with waiting() as sandbox:
        text = sandbox.to_url()
    wrapped = "\n ".join(text[i : i + 76] for i in range(0, len(text), 76)) + "\r\n"
    with Sandbox.from_url(
        wrapped, key=KEY, capabilities=[MethodCapability("**")], tool_handler=lambda *call: 3
    ) as other:
        assert other.finish().stdout == "7 3\n"


def test_what_is_no_such_text_is_refused():
    with waiting() as sandbox:
        text = sandbox.to_url()
    for damaged in (
        "",
        "pinfold:",
        "https://example.com/#" + text,
        text[:-1],
        text[:-40],
        text + "AAAA",
        text.replace(text[50], "!", 1),
        text[:60] + ("A" if text[60] != "A" else "B") + text[61:],
        "pinfold:" + text,
    ):
        with pytest.raises(SnapshotError):
            Sandbox.from_url(damaged, key=KEY).close()
    with pytest.raises(SnapshotError):
        Sandbox.from_url(text, key=b"another key, long enough").close()
    with pytest.raises(TypeError):
        Sandbox.from_url(text.encode(), key=KEY)


def test_it_has_a_key_on_both_sides():
    with Sandbox() as sandbox, pytest.raises(ValueError, match="needs a key"):
        sandbox.to_url()
    with waiting() as sandbox:
        text = sandbox.to_url()
    with pytest.raises(ValueError, match="key"):
        Sandbox.from_url(text)


def test_one_that_is_too_long_says_how_long():
    with waiting() as sandbox:
        assert len(sandbox.to_url(max_bytes=20000)) < 20000
        with pytest.raises(
            BoundError, match=r"is a text of \d+ characters, more than max_bytes \(100\)"
        ):
            sandbox.to_url(max_bytes=100)
        for wrong in ("8", 8.0, True):
            with pytest.raises(TypeError):
                sandbox.to_url(max_bytes=wrong)
        sandbox.step().resume(1)  # nothing was lost


def test_isolation_keeps_to_it():
    with Sandbox(key=KEY, isolation="process") as sandbox:
        sandbox.run("x=5")
        text = sandbox.to_url()
    with Sandbox.from_url(text, key=KEY, isolation="process") as other:
        assert other.run("echo $x").stdout == "5\n"
