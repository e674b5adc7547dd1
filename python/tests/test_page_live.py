"""The page that `pinfold debug` serves, in a real browser: branches and previews by keyboard alone."""

import json

import pytest
from browser import CONTRAST, by_tab, line_of, names_missing, panel, settle, until
from debugging import debugger, line_of_call, lines_of, record

from pinfold import MethodCapability, Sandbox, Tool


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    return record(tmp_path_factory.mktemp("live") / "run.jsonl")


@pytest.fixture(scope="module")
def lines(trace):
    return lines_of(trace)


@pytest.fixture
def served(trace, chromium):
    with debugger(trace) as made:
        yield made


def at(page, line):
    page.evaluate("n => pinfoldPage.go(n)", line)
    settle(page)


def done(page):
    """Until the sandbox has answered and it is shown."""
    until(page, "!branchesPanel.busy && pinfoldPage.settled")
    page.wait_for_timeout(150)
    until(page, "!branchesPanel.busy && pinfoldPage.settled")


def press(page, name):
    """A button, reached with the Tab key from where one is."""
    for _ in range(60):
        focused = page.evaluate("document.activeElement.matches('button') && document.activeElement.innerText")
        if focused and focused.startswith(name):
            page.keyboard.press("Enter")
            done(page)
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {name}")


def test_files_at_every_event_come_from_the_sandbox(visit, served, lines):
    page = visit(served.url)
    assert "live sandbox" in page.locator("#facts").inner_text()
    line = line_of_call(lines, "ship", 1)
    at(page, line)
    assert "/workspace/report.csv" in panel(page, "Files").inner_text()
    while lines[line_of(page)].get("out") != "result":
        page.keyboard.press("j")
    settle(page)
    page.locator("[data-focus$='report.csv']").focus()
    page.keyboard.press("Enter")
    settle(page)
    assert page.locator("pre.contents").text_content() == "cup,3\n"
    assert all(url.startswith((served.url, "data:")) for url in page.asked)
    page.keyboard.press("Escape")
    at(page, line_of_call(lines, "stock"))
    rows = panel(page, "Processes").locator("tbody tr")
    shown = [row.inner_text().split("\t") for row in rows.all()]
    assert {row[1] for row in shown} >= {"bash", "jq"} and {row[2] for row in shown} <= {"waits", "runs"}


def test_branch_answer_and_type_by_keyboard(visit, served, lines):
    page = visit(served.url)
    at(page, line_of_call(lines, "stock", 1))
    page.keyboard.press("b")
    done(page)
    content = page.locator("#content")
    assert "Branch 1 waits for an answer to stock" in content.inner_text()
    assert page.evaluate("document.activeElement.tagName") == "FIELDSET"  # Enter does nothing yet
    by_tab(page, "input[type=text]")
    page.keyboard.type("{n: 4")
    page.keyboard.press("Enter")
    assert "not JSON" in page.locator("[role=alert]").inner_text()
    page.keyboard.press("Control+a")
    page.keyboard.type('{"n": 4}')
    page.keyboard.press("Enter")
    done(page)
    assert "waits for an answer to ship" in content.inner_text()
    by_tab(page, "input[type=text]")
    page.keyboard.type('"sent"')
    page.keyboard.press("Enter")
    done(page)
    press(page, "Go on as recorded")
    assert page.evaluate("document.activeElement.tagName") in ("TEXTAREA", "BUTTON")
    by_tab(page, "textarea")
    page.keyboard.type("cat report.csv")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("exit 4")
    page.keyboard.press("Enter")
    done(page)
    log = page.get_by_role("log").inner_text()
    assert "tea,3\npen,4\ncup,3" in log and "ends with status 4" in log
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    until(page, "document.getElementById('said').textContent.includes('branch 1 is idle')")


def test_preview_and_keep_by_keyboard(visit, served, lines):
    page = visit(served.url)
    at(page, line_of_call(lines, "ship"))
    page.keyboard.press("p")
    done(page)
    articles = page.get_by_role("article")
    assert [a.get_attribute("aria-label") for a in articles.all()] == ["answer yes", "answer no"]
    yes, no = (article.inner_text() for article in articles.all())
    assert "/workspace/report.csv" in yes and "tea,3" in yes and "shipped tea" in yes
    assert "none changed" in no and "denied" in no
    assert page.evaluate("document.activeElement.tagName") == "H3"  # Enter keeps nothing
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    done(page)
    assert articles.count() == 0
    text = page.locator("#content").inner_text()
    assert 'ship {"item":"tea"} → "shipped"' in text and "waits for an answer to stock" in text
    assert "report.csv" in page.locator("#content details").last.inner_text()


def test_branches_are_a_tree_and_compared(visit, served, lines):
    page = visit(served.url)
    at(page, line_of_call(lines, "stock"))
    page.keyboard.press("b")
    done(page)
    by_tab(page, "input[type=text]")
    page.keyboard.type('{"n": 7}')
    press(page, "Branch from this")
    press(page, "As recorded")
    press(page, "As recorded")  # ship
    by_tab(page, "[role=treeitem]")
    page.keyboard.press("ArrowUp")
    done(page)
    tree = page.get_by_role("tree", name="branches")
    assert [i.get_attribute("aria-level") for i in tree.get_by_role("treeitem").all()] == ["1", "2", "3"]
    assert "Branch 1" in page.evaluate("document.activeElement.innerText")
    page.keyboard.press("ArrowRight")
    done(page)
    assert "Branch 2" in page.evaluate("document.activeElement.innerText")
    until(page, "document.activeElement.innerText.includes('2 files changed')")
    page.locator("[data-focus=compare]").focus()
    page.keyboard.type("branch 1")
    done(page)
    assert page.locator("[data-focus=compare]").input_value() == "branch 1"
    until(page, "document.querySelectorAll('.console .diff .plus').length === 2")
    assert "tea,3" in page.locator("#content").inner_text()
    press(page, "Close")
    assert tree.get_by_role("treeitem").count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read_and_has_a_name(visit, served, lines, scheme):
    page = visit(served.url, scheme=scheme)
    at(page, line_of_call(lines, "ship"))
    page.keyboard.press("p")
    done(page)
    assert page.evaluate(CONTRAST) == []
    assert names_missing(page) == []


def test_a_narrow_window(visit, served, lines):
    page = visit(served.url, width=340, height=700)
    at(page, line_of_call(lines, "ship"))
    page.keyboard.press("p")
    done(page)
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0


def test_mistakes_are_told(visit, served, lines):
    page = visit(served.url)
    at(page, 0)
    page.keyboard.press("p")
    done(page)
    assert "No call waits at this line" in page.locator("[role=alert]").inner_text()
    served.process.terminate()
    served.process.wait(30)
    press(page, "Branch at line 0")
    assert "does not answer" in page.locator("[role=alert]").inner_text()
    visit.troubles.clear()  # the browser's own words for that


def test_a_hostile_branch(visit, tmp_path):
    evil = "\x9b31m\u202etxt.exe</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    trace = tmp_path / "evil.jsonl"
    tool = Tool("get", evil, None, lambda **given: evil)
    with Sandbox(tools=[tool], capabilities=[MethodCapability("get")], record=trace) as box:
        script = "import sys, subprocess\nprint(ARG)\nopen(ARG.replace('/', ''), 'w').write(ARG)"
        box.run(script.replace("ARG", repr(evil)), "python")
        box.run(f"tool get --x {json.dumps(evil)!r}")
    lines = lines_of(trace)
    with debugger(trace) as made:
        page = visit(made.url)
        at(page, line_of_call(lines, "get"))
        page.keyboard.press("p")
        done(page)
        shown = page.locator("body").inner_text()
        assert "\x9b" not in shown and "\u202e" not in shown and "\\u009b" in shown
        assert page.locator("img").count() == 0
        assert "u202etxt" in panel(page, "Files").inner_text()
