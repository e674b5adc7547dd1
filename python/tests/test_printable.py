"""What scripts choose (names, arguments, paths, errors) cannot act on a terminal or hide in a log."""

import json
import logging
import sys
import unicodedata

import pytest

from pinfold import (
    AuditLog,
    ExecutionError,
    MethodCapability,
    Param,
    Sandbox,
    Store,
    Tool,
    ToolError,
)
from pinfold._native import printable

#: A window title, C1's CSI, an override and an isolate, invisible ones, line ends, tags.
NASTY = "\x1b]0;owned\x07\x9b31m\u202eevil\u2066\u200b\ufeff\u2028\x7f\r\n\t\U000e0041\x00"
SAFE = (
    "\\u001b]0;owned\\u0007\\u009b31m\\u202eevil\\u2066\\u200b\\ufeff\\u2028\\u007f\\r\\n\\t"
    "\\udb40\\udc41\\u0000"
)


def is_clean(text):
    return text == printable(text)


def test_what_it_makes():
    assert printable(NASTY) == SAFE
    assert printable(SAFE) == SAFE
    assert printable("déjà 日本語 العربية עברית 😀 a\\b ~") == "déjà 日本語 العربية עברית 😀 a\\b ~"
    assert printable("") == "" and printable("\ud800") == "\\xed\\xa0\\x80"
    with pytest.raises(TypeError):
        printable(b"bytes")


def test_every_character_that_is_none():
    """Python's own tables are the oracle; what they do not know yet may be either."""
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        category = unicodedata.category(character)
        if category in ("Cc", "Cf", "Zl", "Zp", "Cs"):
            assert not is_clean(character), hex(code)
        elif category[0] in "LNPS" and code not in (0x115F, 0x1160, 0x3164, 0xFFA0, 0xFFFC, 0xFFFD):
            assert is_clean(character), hex(code)
    for filler in "\u034f\u115f\u3164\ufe0f\U000e0100":  # they show as nothing
        assert not is_clean(filler)


def test_json_stays_the_same_json():
    for text in (NASTY, '"\\', "\U0001f600", "\uffff\U0010ffff"):
        written = printable(json.dumps({text: [text]}, ensure_ascii=False))
        assert json.loads(written) == {text: [text]} and is_clean(written)


# ------------------------------------------------------------------ the faces


@pytest.fixture(params=[None, "process"])
def sandbox(request):
    tools = [Tool("note", handler=lambda text: f"no {text}")]
    with Sandbox(
        tools=tools, capabilities=[MethodCapability("note")], isolation=request.param
    ) as made:
        yield made


CALL = f"await note({{text: {json.dumps(NASTY)}}})"


def test_calls(sandbox):
    sandbox.start(CALL, "javascript")
    call = sandbox.step()
    assert call.params == {"text": NASTY}
    assert is_clean(repr(call)) and "\\u202e" in repr(call)
    assert is_clean(repr(sandbox))


def test_results(sandbox):
    result = sandbox.run(f"console.error({json.dumps(NASTY)}); return {json.dumps(NASTY)}", "javascript")
    assert result.value == NASTY and NASTY in result.stderr and is_clean(repr(result))


def test_what_a_failed_program_said(sandbox):
    with pytest.raises(ExecutionError) as failed:
        sandbox.execute(f"throw new Error({json.dumps(NASTY)})")
    assert is_clean(str(failed.value)) and "\\u001b" in str(failed.value)
    with pytest.raises(ExecutionError) as failed:
        sandbox.shell("printf '\\e[2Jwell\\xe2\\x80\\xae' >&2; false")
    assert str(failed.value) == "exit status 1: \\u001b[2Jwell\\u202e"
    assert failed.value.result.stderr_bytes == b"\x1b[2Jwell\xe2\x80\xae"


def test_names_of_files(sandbox):
    name = NASTY.replace("\x00", "").replace("\n", "")
    sandbox.files[name] = b""
    assert name in sandbox.files.list()
    with pytest.raises(OSError) as failed:
        sandbox.files.mode(name + "/x")
    assert is_clean(str(failed.value))


def test_the_audit_log(tmp_path):
    log = tmp_path / "log.jsonl"
    secret = f"top {NASTY} secret"
    tools = [Tool("note", handler=lambda **given: (_ for _ in ()).throw(ToolError(f"no {given['text']}")))]
    granted = [MethodCapability("note", [Param("text") != "no"])]
    with Sandbox(tools=tools, capabilities=granted, audit=AuditLog(log, redact=["pin"])) as sandbox:
        sandbox.run(CALL, "javascript")
        sandbox.run(f"await tools[{json.dumps(NASTY)}]({{}})", "javascript")
        sandbox.run(f"await note({{text: 'no', pin: {json.dumps(secret)}}})", "javascript")
        sandbox.run(f"await note({{text: {json.dumps(secret)}, pin: {json.dumps(secret)}}})", "javascript")
    lines = log.read_bytes().decode().split("\n")
    assert all(map(is_clean, lines)) and lines.pop() == ""
    entries = [json.loads(line) for line in lines]
    assert any(entry.get("params") == {"text": NASTY} for entry in entries)
    assert any(NASTY in entry.get("error", "") for entry in entries)
    answers = [entry["error"] for entry in entries if entry["event"] == "answer"]
    assert not any("secret" in answer for answer in answers)


def test_the_log_of_failed_tools(caplog):
    tools = [Tool("note", handler=lambda text: {text: object()})]
    with caplog.at_level(logging.INFO, "pinfold"):
        with Sandbox(tools=tools, capabilities=[MethodCapability("note")]) as sandbox:
            sandbox.run(CALL, "javascript")
    assert "not a JSON value" in caplog.text
    assert all(is_clean(record.getMessage()) for record in caplog.records)


def test_the_log_of_exceptions(caplog):
    def note(text):
        try:
            raise ToolError(f"{text}\nINFO root: all is well")
        except ToolError as error:
            raise KeyError(f"no {text}") from error

    with caplog.at_level(logging.INFO, "pinfold"):
        with Sandbox(tools=[Tool("note", handler=note)], capabilities=[MethodCapability("note")]) as sandbox:
            sandbox.run(CALL, "javascript")
    (record,) = caplog.records
    assert isinstance(record.exc_info[1], KeyError)
    lines = logging.Formatter().format(record).split("\n")
    assert all(map(is_clean, lines)) and lines[0] == "tool note failed"
    assert any(line.startswith("pinfold.errors.ToolError: \\u001b") for line in lines)
    assert "The above exception was the direct cause" in "".join(lines)
    assert not any(line.startswith("INFO root") for line in lines)


def test_saved_sandboxes(tmp_path):
    with Store(tmp_path / "db") as store, Sandbox() as sandbox:
        store.save(NASTY, sandbox, label=NASTY)
        assert is_clean(repr(store.list()))


def test_errors_of_the_library(sandbox):
    """A message says the name of what stands in the way of a snapshot, which a script chose."""
    program = "require('child_process').execSync('sleep 100')"
    sandbox.files["tmp.js"] = program
    with pytest.raises(ValueError) as failed:
        MethodCapability(f"a{NASTY}")
    assert is_clean(str(failed.value))
    with pytest.raises(ValueError) as failed:
        sandbox.run("", f"ruby{NASTY}")
    assert is_clean(str(failed.value))
