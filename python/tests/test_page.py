"""The page of `pinfold trace`, in a real browser: by keyboard alone, light, dark, narrow, hostile, long."""

import json
import pathlib
import random
import subprocess
import sys

import pytest
from browser import CONTRAST, by_tab, line_of, names_missing, panel, settle, until
from debugging import record

from pinfold import MethodCapability, Sandbox, Tool, replay
from pinfold.page.join import as_json, packed, page
from pinfold.page.trace_command import main


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    return record(tmp_path_factory.mktemp("page") / "run.jsonl")


@pytest.fixture(scope="module")
def lines(trace):
    return [json.loads(line) for line in trace.read_bytes().splitlines()]


@pytest.fixture(scope="module")
def written(trace):
    out = trace.with_suffix(".html")
    assert main([str(trace), "-o", str(out)]) == 0
    return out.as_uri()


def at(page, lines, **what):
    """Goes to the first line with these members."""
    n = next(line["n"] for line in lines if what.items() <= line.items())
    page.evaluate("n => pinfoldPage.go(n)", n)
    settle(page)
    return n


def test_nothing_is_fetched_and_no_script_runs_but_its_own(visit, written):
    page = visit(written)
    assert [url for url in page.asked if not url.startswith("data:")] == [written]
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    assert "unsafe" not in policy and policy.startswith("default-src 'none'")
    assert "'none'" in policy.split("trusted-types")[-1]
    with pytest.raises(Exception, match="TrustedHTML"):
        page.evaluate("document.body.innerHTML = '<b>x</b>'")
    visit.troubles.clear()  # what the policy says of that


def test_stepping_by_keyboard(visit, written, lines):
    page = visit(written)
    assert line_of(page) == len(lines) - 1
    page.keyboard.press("ArrowLeft")  # nothing has the focus yet
    assert line_of(page) < len(lines) - 1
    page.keyboard.press("ArrowRight")
    assert line_of(page) == len(lines) - 1
    by_tab(page, "[role=slider]")
    page.keyboard.press("Home")
    assert line_of(page) == 0
    page.keyboard.press("ArrowRight")
    assert line_of(page) == next(e["n"] for e in lines if e.get("do") == "write")
    by_tab(page, "#events")
    page.keyboard.press("End")
    assert line_of(page) == len(lines) - 1
    page.keyboard.press("ArrowUp")
    assert line_of(page) == max(e["n"] for e in lines if e.get("out") == "result")
    settle(page)
    chosen = page.locator("#events").get_attribute("aria-activedescendant")
    row = page.locator(f"#{chosen}")
    assert row.get_attribute("aria-selected") == "true" and "status 1" in row.inner_text()
    for key, what in (("[", "start"), ("e", None)):
        page.keyboard.press(key)
        assert what is None or lines[line_of(page)].get("do") == what
    assert lines[line_of(page)]["out"] == "call"  # pay is no tool
    page.keyboard.press("k")
    page.keyboard.press("j")
    assert lines[line_of(page)]["out"] == "call"
    until(page, "document.getElementById('said').textContent.includes('pay')")


def test_output_is_that_of_the_moment(visit, written, lines):
    page = visit(written)
    starts = [e["n"] for e in lines if e.get("do") == "start"]
    for n in range(starts[1], starts[2], 3):
        page.evaluate("n => pinfoldPage.go(n)", n)
        text = panel(page, "Output").text_content()
        want = "".join(e["text"] for e in lines[starts[1] : n + 1] if e.get("out") in ("stdout", "stderr"))
        shown = page.locator("pre.output")
        got = "" if shown.count() == 0 else shown.text_content()
        for stream in ("stdout: ", "stderr: "):  # for who hears it
            got = got.replace(stream, "")
        assert got == want
        assert ("still on" in text) == (n < lines[starts[2]]["n"] - 1)


def test_files_are_those_of_the_moment(visit, written, trace, lines):
    page = visit(written)
    with replay(trace) as run:
        for n in [e["n"] for e in lines if e.get("out") in ("result", "call")]:
            page.evaluate("n => pinfoldPage.go(n)", n)
            panel(page, "Files")
            with run.at(n + 1) as there:
                want = sorted(there.files)
                report = there.files.text("report.csv") if "/workspace/report.csv" in want else None
            assert [b.inner_text() for b in page.locator("button.file").all()] == want
            if report:
                by_tab(page, "button.file")
                page.locator("button.file", has_text="report.csv").focus()
                page.keyboard.press("Enter")
                page.locator("pre.contents").wait_for()
                assert page.locator("pre.contents").text_content() == report
                assert "report.csv" in page.evaluate("document.activeElement.innerText")
                page.keyboard.press("Enter")
                settle(page)


def test_changes_between_two_points(visit, written, lines):
    page = visit(written)
    at(page, lines, out="call", method="refund")
    page.keyboard.press("m")
    page.keyboard.press("e")
    while lines[line_of(page)].get("out") != "result":
        page.keyboard.press("j")
    content = panel(page, "Changes")
    text = content.inner_text()
    assert "report.csv" in text and "Calls: " in text and "shipped cup" in text
    diff = content.locator("details", has_text="report.csv").inner_text().split()
    assert {"tea,3", "cup,3"} <= set(diff)
    assert content.locator(".diff .minus").first.inner_text().split("\n")[-1] == "tea,3"
    by_tab(page, "[data-focus=forget]")
    page.keyboard.press("Enter")
    settle(page)
    assert "Mark a point" in content.inner_text()


def test_processes_calls_and_the_event(visit, written, lines):
    page = visit(written)
    n = at(page, lines, out="exec", name="jq")
    content = panel(page, "Processes")
    assert "jq" in content.inner_text() and str(lines[n]["pid"]) in content.inner_text()
    content = panel(page, "Calls")
    assert "Waiting for an answer: 1" in content.inner_text()
    page.keyboard.press("e")
    settle(page)
    assert "the service is late" in content.inner_text() and "failed" in content.inner_text()
    assert "the service is late" in panel(page, "Event").inner_text()
    by_tab(page, "button.link")
    page.keyboard.press("Enter")
    assert lines[line_of(page)]["out"] == "call"


def test_finding_and_kinds(visit, written, lines):
    page = visit(written)
    page.keyboard.press("/")
    page.keyboard.type("the service is late")
    until(page, "pinfoldPage.list.rows.length === 2")
    by_tab(page, "#events")
    page.keyboard.press("Home")
    assert lines[line_of(page)]["do"] == "fail"
    page.locator("#find").fill("")
    by_tab(page, "input[type=checkbox]")
    until(page, "pinfoldPage.list.rows.length > 2")
    page.get_by_label("turns").focus()
    page.keyboard.press("Space")
    assert page.evaluate("pinfoldPage.list.rows.length") == len(lines)


def test_single_letters_can_be_turned_off(visit, written):
    page = visit(written)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    dialog.get_by_label("Single letters are keys").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    line = line_of(page)
    page.keyboard.press("k")
    assert line_of(page) == line


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read_and_has_a_name(visit, written, lines, scheme):
    page = visit(written, scheme=scheme)
    at(page, lines, out="call", method="refund")
    page.keyboard.press("m")
    page.keyboard.press("e")
    for name in ("Output", "Files", "Processes", "Calls", "Changes", "Event"):
        panel(page, name)
        assert page.evaluate(CONTRAST) == []
        assert names_missing(page) == []


def test_focus_is_seen(visit, written):
    page = visit(written)
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", page.evaluate("document.activeElement.outerHTML.slice(0, 100)")


def test_a_narrow_window(visit, written, lines):
    page = visit(written, width=340, height=700)
    at(page, lines, out="call", method="refund")
    for name in ("Output", "Files", "Processes", "Calls", "Changes", "Event"):
        panel(page, name)
        assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0, name


def test_no_motion_for_who_wants_none(visit, written):
    page = visit(written, motion="reduce")
    moving = "[...document.querySelectorAll('*')].filter((e) => getComputedStyle(e).transitionDuration !== '0s').length"
    assert page.evaluate(moving) == 0


def test_hostile_names(visit, tmp_path):
    evil = "\x9b31m\u202etxt.exe</script><script>alert(1)</script><img src=x onerror=alert(2)><!--"
    path = tmp_path / "evil.jsonl"
    with Sandbox(record=path) as sandbox:
        sandbox.files[f"a{evil.replace('/', '')}"] = evil
        sandbox.files["__proto__"] = evil
        sandbox.run(f"cat <<'E'\n{evil}\nE\ncat a* >&2; cp /bin/ls '{evil.replace('/', '')}' 2>&1; '{evil}'")
        sandbox.run(evil, "javascript")
    out = tmp_path / f"{evil.replace('/', '')}.html"
    assert main([str(path), "-o", str(out)]) == 0
    page = visit(out.as_uri())
    for line in range(page.evaluate("pinfoldPage.trace.lines.length")):
        page.evaluate("n => pinfoldPage.go(n)", line)
        page.evaluate("pinfoldPage.refresh()")
    for name in ("Output", "Files", "Processes", "Calls", "Changes", "Event"):
        panel(page, name)
        for item in page.locator("button.file").all():
            item.focus()
            page.keyboard.press("Enter")
            settle(page)
        text = page.evaluate("document.documentElement.textContent.replace(/<script[^]*/, '')")
        shown = page.locator("body").inner_text()
        assert "\x9b" not in shown and "\u202e" not in shown and text
        assert page.locator("img").count() == 0
    assert "\\u009b31m\\u202etxt.exe</script>" in panel(page, "Output").text_content()
    assert page.locator("script").count() == 4
    assert all(url.startswith(("file:", "data:")) for url in page.asked)


def test_lines_that_lie(visit, tmp_path):
    """Sums prove nothing about who wrote a trace: members of every kind, in every place."""
    odd = [None, True, -1, 1e300, "", "x", [], ["a"], {}, {"length": 3}, "__proto__", "\u202e"]
    names = ("do", "in", "out", "id", "pid", "parent", "name", "text", "code", "language", "method", "params")
    names += ("decision", "message", "json", "ns", "path", "source", "exit_code", "text_base64", "tool_calls")
    draw = random.Random(1)
    lines = [{"n": 0, "pinfold_trace": 2, "version": [], "start_ns": "x", "tools": {}}]
    for n in range(1, 600):
        line = draw.choice(
            [{"do": "start"}, {"out": "call", "id": n % 7}, {"do": "resume", "id": n % 7}, {"do": "fail", "id": n % 7},
             {"out": "stdout", "text": "a"}, {"out": "fork", "pid": n % 5, "parent": n % 3}, {"out": "end", "pid": n % 5},
             {"out": "result"}, {"in": "time", "ns": n}, {"do": "write"}, {"do": "mount"}, {"in": "fill"}, {"in": "kill"}]
        )
        more = {name: draw.choice(odd) for name in draw.sample(names, draw.randrange(4))}
        more = {name: value for name, value in more.items() if not name.endswith("base64") or value in ("", "eA==")}
        lines.append({"n": n, "at": 1, **line, **more})
    data = "\n".join(json.dumps(line) for line in lines).encode()
    out = tmp_path / "odd.html"
    out.write_text(page("\n".join([as_json("settings", {"name": "odd"}), packed("trace", data)])))
    there = visit(out.as_uri())
    for name in ("Output", "Processes", "Calls", "Changes", "Event"):
        panel(there, name)
        for n in range(0, 600, 7):
            there.evaluate("async (n) => { pinfoldPage.go(n); await pinfoldPage.refresh(); }", n)
            assert there.locator("#content [role=alert]").count() == 0, (name, lines[n])


def test_a_hundred_thousand_events(visit, tmp_path):
    lines = [{"n": 0, "pinfold_trace": 2, "version": "0", "start_ns": 1, "tools": []}]
    while len(lines) < 100_000:
        n = len(lines)
        if n % 1000 == 1:
            lines.append({"n": n, "do": "start", "language": "shell", "code": f"echo {n}"})
        elif n % 1000 == 0:
            lines.append({"n": n, "out": "result", "exit_code": 0})
        elif n % 3:
            lines.append({"n": n, "out": "stdout", "text": f"line {n}\n"})
        else:
            params = json.dumps({"n": n})
            lines.append({"n": n, "out": "call", "id": n, "decision": "allowed", "method": "f", "params": params})
    data = "\n".join(json.dumps(line) for line in lines).encode()
    out = tmp_path / "long.html"
    out.write_text(page("\n".join([as_json("settings", {"name": "long"}), packed("trace", data)])))
    assert out.stat().st_size < len(data) / 4  # it is carried packed
    there = visit(out.as_uri())
    most = "document.querySelectorAll('*').length"
    assert there.evaluate(most) < 1500
    by_tab(there, "[role=slider]")
    there.keyboard.press("Home")
    for _ in range(5):
        there.keyboard.press("PageUp")  # up is on
    assert 8_000 < line_of(there) < 12_000
    by_tab(there, "#events")
    for key in ("PageDown", "End", "Home", "PageDown"):
        there.keyboard.press(key)
    settle(there)
    assert there.evaluate(most) < 1500
    chosen = there.locator("#events").get_attribute("aria-activedescendant")
    box = there.locator(f"#{chosen}").bounding_box()
    around = there.locator("#events").bounding_box()
    assert around["y"] <= box["y"] and box["y"] + box["height"] <= around["y"] + around["height"]


def test_a_page_without_files_says_why(visit, trace, tmp_path, lines):
    out = tmp_path / "none.html"
    assert main([str(trace), "--no-files", "-o", str(out)]) == 0
    shown = panel(visit(out.as_uri()), "Files").inner_text()
    assert "--no-files" in shown and "pinfold debug run.jsonl" in shown
    redacted = tmp_path / "redacted.jsonl"
    with Sandbox(tools=[Tool("one", handler=lambda: 1)], capabilities=[MethodCapability("one")], record=redacted, redact=True) as sandbox:
        sandbox.run("tool one > made")
    assert main([str(redacted), "-o", str(out)]) == 0
    assert "There are no files in this page" in panel(visit(out.as_uri()), "Files").inner_text()
    assert main([str(redacted), "-o", str(out), "--result", "1=5"]) == 0
    assert "/workspace/made" in panel(visit(out.as_uri()), "Files").inner_text()


def test_the_same_page_from_the_c_program(visit, trace, tmp_path):
    import pinfold

    program = pathlib.Path(pinfold.__file__).with_name("_program")
    out = tmp_path / "c.html"
    subprocess.run([program, "trace", "-o", out, trace], check=True)
    page = visit(out.as_uri())
    assert "shipped tea" in page.locator("#events").inner_text() or page.evaluate("pinfoldPage.trace.runs.length") == 4
    assert "no files in this page" in panel(page, "Files").inner_text()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(["/dev/null"], "not a pinfold trace"), (["missing"], "No such file"), ([], "required"), (["-x", "f"], "see pinfold")],
)
def test_mistakes(arguments, why, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "pinfold", "trace", *arguments], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 125 and why in done.stderr and "Traceback" not in done.stderr
