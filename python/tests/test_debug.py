"""`pinfold debug` without a browser: who gets in, and what branches and previews do."""

import contextlib
import hashlib
import json
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from debugging import debugger, line_of_call, lines_of, record

from pinfold import Sandbox, replay


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    return record(tmp_path_factory.mktemp("debug") / "run.jsonl")


@pytest.fixture(scope="module")
def lines(trace):
    return lines_of(trace)


@pytest.fixture(scope="module")
def served(trace):
    with debugger(trace) as made:
        yield made


def counting(tmp_path, text):
    """A tool that writes down each of its calls."""
    calls = tmp_path / "calls"
    calls.touch()
    code = f"import sys; open({str(calls)!r}, 'a').write(sys.stdin.read() + '\\n'); print({text!r})"
    return calls, shlex.join([sys.executable, "-c", code])


# ------------------------------------------------------------------ who gets in


def test_the_page_has_a_strict_policy(served):
    status, headers, body = served.request()
    assert status == 200 and b"<title>pinfold" in body
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "eval" not in policy and "http:" not in policy
    assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not any(name.lower().startswith("access-control") for name in headers)
    assert served.url.startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("status", "given"),
    [
        (421, {"Host": "evil.example"}),
        (421, {"Host": "127.0.0.1"}),
        (404, {"path": "/"}),
        (404, {"path": "/api/branches"}),
        (404, {"path": "/" + "x" * 32 + "/"}),
        (403, {"Sec_Fetch_Site": "cross-site"}),
        (403, {"Sec_Fetch_Site": "same-site"}),
    ],
)
def test_others_get_no_page(served, status, given):
    given = {"path": served.path, **given}
    answer, _, body = served.request("GET", **given)
    assert answer == status and b"<script" not in body


@pytest.mark.parametrize(
    ("status", "change"),
    [
        (403, {"Origin": None}),
        (403, {"Origin": "null"}),
        (403, {"Origin": "http://evil.example"}),
        (403, {"Sec_Fetch_Site": "cross-site"}),
        (415, {"Content_Type": "text/plain"}),
        (415, {"Content_Type": "application/x-www-form-urlencoded"}),
        (413, {"Content_Length": "999999999"}),
        (413, {"Content_Length": "9" * 6000}),
        (411, {"Content_Length": "-1"}),
        (411, {"Transfer_Encoding": "chunked"}),
        (411, {"Content-Length": "5"}),
        (421, {"Host": "evil.example"}),
    ],
)
def test_others_get_no_answers(served, status, change):
    headers = {"Origin": f"http://{served.host}", "Content_Type": "application/json", **change}
    before = len(served.ask("branches")["branches"])
    answer, _, body = served.request(
        "POST", f"{served.path}api/branch", b'{"from": {"line": 5}}', **headers
    )
    assert answer == status and "error" in json.loads(body)
    assert len(served.ask("branches")["branches"]) == before


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000, b"\xff"])
def test_bad_questions(served, body):
    headers = {"Origin": f"http://{served.host}", "Content_Type": "application/json"}
    status, _, said = served.request("POST", f"{served.path}api/files", body, **headers)
    assert status == 400 and json.loads(said)["error"]


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("nothing", {}, "no question"),
        ("__init__", {}, "no question"),
        ("files", {"state": {"line": -1}}, "the trace has the lines"),
        ("files", {"state": {"line": 10**30}}, "the trace has the lines"),
        ("files", {"state": {"line": True}}, "line is a number"),
        ("files", {"state": "x"}, "a state is"),
        ("file", {"state": {"branch": 99}, "path": "/etc/passwd"}, "no branch 99"),
        ("branch", {"from": None}, "from is"),
        ("run", {"branch": 99, "code": ":"}, "no branch 99"),
        ("answer", {"branch": 1, "call": 1, "kind": "give"}, "id of a call"),
        ("preview", {"branch": 1, "call": "1", "answers": 5}, "answers is a list"),
    ],
)
def test_questions_that_make_no_sense(served, name, given, why):
    with pytest.raises(AssertionError, match=why):
        served.ask(name, **given)


def test_no_file_of_the_host_is_read(served, tmp_path, lines):
    secret = tmp_path / "secret"
    secret.write_text("host")
    for path in (str(secret), "../../" + str(secret), "/etc/passwd", "/workspace/../etc/passwd"):
        assert "why" in served.ask("file", state={"line": len(lines) - 1}, path=path)


# ------------------------------------------------------------------ looking


def test_files_at_every_event(served, trace, lines):
    with replay(trace) as run:
        for n in range(0, len(lines), 7):
            entries = served.ask("files", state={"line": n})["entries"]
            with run.at(max(n + 1, 1) if n + 1 < len(lines) else len(lines)) as there:
                want = {path: there.files[path] for path in there.files}
            assert {
                path for path, entry in entries.items() if entry[0] & 0o100000 and entry[2]
            } == set(want)
            for path, data in want.items():
                found = served.ask("file", state={"line": n}, path=path)
                assert found["text"].encode() == data


def test_mounted_and_odd_files(tmp_path):
    """What was read of a mount is there; what was not says so, and nobody asks the host for it."""
    host, trace = tmp_path / "host", tmp_path / "run.jsonl"
    (host / "sub").mkdir(parents=True)
    (host / "in.txt").write_text("host\n")
    (host / "unread.txt").write_text("x")
    with Sandbox(record=trace, mounts={"/data": (host, "copy")}) as sandbox:
        sandbox.run(
            "echo a > $'\\xff'; ln -s /nowhere link; mkfifo pipe; cat /data/in.txt; echo more >> /data/in.txt"
        )
        saved = sandbox.snapshot()
    with debugger(trace) as made:
        state = {"line": len(lines_of(trace)) - 1}
        entries = made.ask("files", state=state)["entries"]
        assert {"/data/in.txt", "/data/unread.txt", "/workspace/link", "/workspace/pipe"} <= set(
            entries
        )
        assert not any(path.startswith(("/etc", "/usr", "/var")) for path in entries)
        assert made.ask("file", state=state, path="/data/in.txt")["text"] == "host\nmore\n"
        assert "not read it" in made.ask("file", state=state, path="/data/unread.txt")["why"]
        assert made.ask("file", state=state, path="/workspace/link") == {"link": "/nowhere"}
        assert made.ask("file", state=state, path="/workspace/\udcff")["text"] == "a\n"
        branch = made.ask("branch", **{"from": state})["branch"]["id"]
        out = made.ask("run", branch=branch, code="cat /data/in.txt", language="shell")["branch"][
            "log"
        ]
        assert [entry["text"] for entry in out if entry["kind"] == "stdout"] == ["host\nmore\n"]
    second = tmp_path / "second.jsonl"
    with Sandbox.restore(saved, record=second, mounts={"/data": (host, "copy")}) as sandbox:
        sandbox.run("echo last > here")
    with debugger(second) as made:
        state = {"line": len(lines_of(second)) - 1}
        assert made.ask("file", state=state, path="/workspace/here")["text"] == "last\n"
        with pytest.raises(AssertionError, match="name that directory again"):
            made.ask("branch", **{"from": state})


# ------------------------------------------------------------------ branches


def test_another_answer_and_typing(served, lines):
    branch = served.ask("branch", **{"from": {"line": line_of_call(lines, "stock", 1)}})["branch"]
    (call,) = branch["calls"]
    assert (
        branch["state"] == "waits" and call["method"] == "stock" and call["recorded"] == '{"n": 0}'
    )
    where = {"branch": branch["id"]}
    branch = served.ask("answer", **where, call=call["id"], kind="give", value={"n": 4})["branch"]
    (call,) = branch["calls"]
    assert (
        call["method"] == "ship" and call["asks"] and json.loads(call["params"]) == {"item": "pen"}
    )
    branch = served.ask("answer", **where, call=call["id"], kind="give", value="sent")["branch"]
    branch = served.ask("recorded", **where)["branch"]  # cup, as it was
    assert branch["state"] == "idle"
    assert (
        served.ask("file", state=where, path="/workspace/report.csv")["text"]
        == "tea,3\npen,4\ncup,3\n"
    )
    branch = served.ask("run", **where, code="wc -l < report.csv; exit 3", language="shell")[
        "branch"
    ]
    assert [e["text"] for e in branch["log"] if e["kind"] == "stdout"][-1] == "3\n"
    assert branch["log"][-1] == {"kind": "result", "exit_code": 3, "limit": None, "value": None}
    branch = served.ask("run", **where, code="6 * 7", language="python")["branch"]
    assert branch["log"][-1]["value"] == 42


def test_branches_of_branches(served, lines):
    first = served.ask("branch", **{"from": {"line": line_of_call(lines, "stock")}})["branch"]
    second = served.ask("branch", **{"from": {"branch": first["id"]}})["branch"]
    assert second["parent"] == first["id"] and second["state"] == "waits"
    done = served.ask(
        "answer", branch=second["id"], call=second["calls"][0]["id"], kind="deny", value="no"
    )
    assert "denied: no" in json.dumps(done)
    assert {b["id"]: b["state"] for b in served.ask("branches")["branches"]}[first["id"]] == "waits"
    rest = served.ask("close", branch=first["id"])["branches"]
    assert [b["line"] for b in rest if b["id"] == second["id"]] == [first["line"]]
    with pytest.raises(AssertionError, match="does not wait"):
        served.ask(
            "answer", branch=second["id"], call=first["calls"][0]["id"], kind="deny", value=""
        )


def test_an_endless_script_is_interrupted(served, lines):
    branch = served.ask("branch", **{"from": {"line": len(lines) - 1}})["branch"]
    timer = threading.Timer(1, lambda: served.ask("interrupt", branch=branch["id"]))
    timer.start()
    try:
        branch = served.ask(
            "run", branch=branch["id"], code="while :; do :; done", language="shell"
        )["branch"]
    finally:
        timer.join()
    assert branch["log"][-1]["kind"] == "result" and branch["log"][-1]["exit_code"] != 0
    assert (
        served.ask("run", branch=branch["id"], code="echo on", language="shell")["branch"]["state"]
        == "idle"
    )


def test_a_run_is_given_up(served, lines):
    branch = served.ask("branch", **{"from": {"line": line_of_call(lines, "ship")}})["branch"]
    with pytest.raises(AssertionError, match="a run is on"):
        served.ask("run", branch=branch["id"], code="echo", language="shell")
    assert served.ask("end", branch=branch["id"])["branch"]["state"] == "idle"
    done = served.ask("run", branch=branch["id"], code="cat report.csv", language="shell")["branch"]
    assert done["state"] == "idle"


# ------------------------------------------------------------------ previews


def test_a_preview_of_recorded_answers_calls_nobody(served, lines):
    branch = served.ask("branch", **{"from": {"line": line_of_call(lines, "ship")}})["branch"]
    where, call = {"branch": branch["id"]}, branch["calls"][0]["id"]
    answers = [
        {"kind": "yes"},
        {"kind": "no", "why": "too late"},
        {"kind": "give", "value": "sent"},
    ]
    preview = served.ask("preview", **where, call=call, answers=answers)["preview"]
    yes, no, given = preview["branches"]
    assert (
        yes["source"] == "recorded"
        and yes["answer"] == '"shipped"'
        and yes["stdout"] == "shipped tea\n"
    )
    assert {path for _, path, _ in yes["changes"]} == {
        "/workspace/log.txt",
        "/workspace/report.csv",
    }
    assert "too late" in no["answer"] and no["changes"] == []
    assert given["label"] == "answered" and yes["calls"][0][0] == "stock"
    assert served.ask("branches")["branches"][-1]["state"] == "waits"  # nothing went on
    kept = served.ask("accept", **where, label="yes")["branch"]
    assert [e["kind"] for e in kept["log"]] == ["answer", "stdout"] and kept["calls"][0][
        "method"
    ] == "stock"
    assert served.ask("file", state=where, path="/workspace/report.csv")["text"] == "tea,3\n"
    with pytest.raises(AssertionError, match="no preview"):
        served.ask("accept", **where, label="yes")


def test_a_recorded_failure_is_kept_as_a_failure(served, lines):
    branch = served.ask("branch", **{"from": {"line": line_of_call(lines, "refund")}})["branch"]
    where = {"branch": branch["id"]}
    preview = served.ask(
        "preview", **where, call=branch["calls"][0]["id"], answers=[{"kind": "yes"}]
    )
    (yes,) = preview["preview"]["branches"]
    assert "the service is late" in yes["answer"] and yes["possible"]
    kept = served.ask("accept", **where, label="yes")["branch"]
    assert "failed: the service is late" in kept["log"][0]["text"]
    assert served.ask("file", state=where, path="/workspace/report.csv")["text"] == ""


def test_a_tool_is_called_when_it_is_said_and_once(trace, lines, tmp_path):
    calls, ship = counting(tmp_path, "sent")
    line = line_of_call(lines, "ship")
    with debugger(trace, "--tool", f"ship={ship}") as made:
        branch = made.ask("branch", **{"from": {"line": line}})["branch"]
        where, call = {"branch": branch["id"]}, branch["calls"][0]
        assert call["live"]
        preview = made.ask("preview", **where, call=call["id"], answers=[{"kind": "yes"}])[
            "preview"
        ]
        assert preview["branches"][0]["calls_tool"]
        made.ask("branch", **{"from": {"branch": branch["id"]}})
        assert calls.read_text() == ""
        kept = made.ask("accept", **where, label="yes")["branch"]
        assert calls.read_text() == '{"item": "tea"}\n'
        assert any(
            "was expected" in e.get("text", "") for e in kept["log"]
        )  # it gave something else
        assert made.ask("file", state=where, path="/workspace/log.txt")["text"] == '"sent"\n'
        other = made.ask("branches")["branches"][-1]
        made.ask("answer", branch=other["id"], call=other["calls"][0]["id"], kind="live")
        assert calls.read_text().count("tea") == 2
        fresh = made.ask("branch", **{"from": {"line": line}})["branch"]
        made.ask("recorded", branch=fresh["id"])
        assert calls.read_text().count("\n") == 2


def test_simulated_and_pure_tools(trace, lines, tmp_path):
    calls, ship = counting(tmp_path, "sent")
    more = ["--simulate", "ship=echo maybe", "--tool", "stock=echo '{\"n\": 8}'", "--pure", "stock"]
    with debugger(trace, "--tool", f"ship={ship}", *more) as made:
        branch = made.ask("branch", **{"from": {"line": line_of_call(lines, "ship")}})["branch"]
        given = {
            "branch": branch["id"],
            "call": branch["calls"][0]["id"],
            "answers": [{"kind": "yes"}],
        }
        (yes,) = made.ask("preview", **given)["preview"]["branches"]
        assert (yes["source"], yes["answer"]) == ("simulated", '"maybe"')
        assert [call[0] for call in yes["calls"]] == ["stock", "ship"]
        assert yes["calls"][0][2] == "answered" and calls.read_text() == ""


def test_the_policy_is_the_recordings_unless_given(trace, lines, tmp_path):
    policy = tmp_path / "policy.json"
    policy.write_text('{"capabilities": [{"method": "stock"}]}')
    with debugger(trace, "--policy", policy) as made:
        branch = made.ask("branch", **{"from": {"line": line_of_call(lines, "ship")}})["branch"]
        assert [call["method"] for call in branch["calls"]] != ["ship"]


# ------------------------------------------------------------------ the command


def test_it_ends_with_status_0(trace):
    for how in (signal.SIGINT, signal.SIGTERM):
        with debugger(trace) as made:
            time.sleep(0.2)
            made.process.send_signal(how)
            assert made.process.wait(30) == 0
            assert made.process.stderr.read() == ""


def test_it_ends_while_a_script_does_not(trace, lines):
    with debugger(trace) as made:
        branch = made.ask("branch", **{"from": {"line": len(lines) - 1}})["branch"]
        endless = {"branch": branch["id"], "code": "while :; do :; done", "language": "shell"}
        asking = threading.Thread(target=unanswered, args=(made, endless))
        asking.start()
        time.sleep(1)
        made.process.send_signal(signal.SIGINT)
        assert made.process.wait(30) == 0
        asking.join(30)


def unanswered(made, given):
    with contextlib.suppress(Exception):
        made.ask("run", **given)


def test_a_recording_that_was_cut_short(trace, tmp_path, lines):
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"\n".join(trace.read_bytes().split(b"\n")[:40]) + b"\n")
    done = subprocess.run(
        [sys.executable, "-m", "pinfold", "debug", cut], capture_output=True, text=True
    )
    assert done.returncode == 125 and "cut short" in done.stderr
    with debugger(cut, "--partial") as made:
        entries = made.ask("files", state={"line": 39})["entries"]
        assert "/workspace/sorted.txt" in entries


def of_another_build(trace, path):
    """The same recording, as another build would have written it."""
    before, out = bytes(16), []
    for line in trace.read_bytes().splitlines():
        text = line[: line.rindex(b',"sum":')]
        text = re.sub(rb'"build":"[0-9a-f]{4}', b'"build":"0000', text, count=1)
        before = hashlib.blake2b(before + text, digest_size=16).digest()
        out.append(text + b',"sum":"' + before.hex()[:8].encode() + b'"}\n')
    path.write_bytes(b"".join(out))
    return path


def test_a_recording_of_another_build(trace, tmp_path):
    other = of_another_build(trace, tmp_path / "other.jsonl")
    done = subprocess.run(
        [sys.executable, "-m", "pinfold", "debug", other], capture_output=True, text=True
    )
    assert done.returncode == 125 and "build" in done.stderr
    command = [sys.executable, "-m", "pinfold", "trace", other, "-o", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (
        done.returncode == 0 and "the page has no files" in done.stderr and "build" in done.stderr
    )
    assert done.stdout.startswith("<!doctype html>") and done.stdout.endswith("</html>\n")


def test_mistakes(trace, tmp_path):
    (tmp_path / "text").write_text("no trace\n")
    other = tmp_path / "other"
    other.write_text(trace.read_text().replace('"build":"', '"build":"00', 1))
    for arguments, why in (
        ([], "required"),
        (["missing"], "missing: No such file"),
        (["text"], "text: this is not a pinfold trace"),
        (["other"], "altered"),
        ([trace, "--port", "70000"], "--port"),
        ([trace, "--line", "100000"], "the trace has the lines 0 to"),
        ([trace, "--pure", "x"], "no --tool of that name"),
        ([trace, "--limit", "tool_calls=1"], "tool_calls"),
    ):
        command = [sys.executable, "-m", "pinfold", "debug", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
        assert done.returncode == 125 and why in done.stderr and not done.stdout, arguments
        assert "Traceback" not in done.stderr
    with debugger(trace) as made:
        port = made.host.split(":")[1]
        command = [sys.executable, "-m", "pinfold", "debug", str(trace), "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 125 and "Address already in use" in done.stderr


def threads_of(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))


def test_connections_that_say_nothing_are_few_threads(trace):
    """Anybody on this machine can connect."""
    with debugger(trace) as served, contextlib.ExitStack() as open:
        before = threads_of(served.process)
        port = int(re.search(r":(\d+)/", served.url)[1])
        for _ in range(200):
            open.enter_context(socket.create_connection(("127.0.0.1", port)))
        time.sleep(0.5)
        assert threads_of(served.process) - before <= 64
        open.close()
        for _ in range(50):
            with contextlib.suppress(OSError):
                if served.request()[0] == 200:
                    break
            time.sleep(0.1)
        assert served.request()[0] == 200
