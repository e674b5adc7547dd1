"""The playground in Chromium, as a stranger uses it: by keyboard and pointer, and what is then seen."""

import re

import pytest
from conftest import BUILD, ROOT, call, serving, until

PLAYGROUND = f"{BUILD}/playground"
FIRST_BYTES_MAX = 6 << 20


@pytest.fixture(scope="module")
def playground(package):
    fetched = call("make", "-C", str(ROOT), "web/node_modules/.package-lock.json")
    if fetched.returncode:
        pytest.skip("npm cannot fetch what the TypeScript is compiled with")
    made = call("make", "-C", str(ROOT), "playground", f"BUILD={BUILD}")
    assert made.returncode == 0, made.stdout + made.stderr
    with serving(PLAYGROUND) as server:
        yield server


@pytest.fixture
def page(playground, open_page):
    playground.asked.clear()
    page = open_page(playground.url, permissions=["clipboard-read", "clipboard-write"])
    ready(page)
    return page


def ready(page):
    page.wait_for_selector("html[data-ready]", state="attached")
    page.wait_for_selector("#editor .cm-content")
    state(page, "ready")


def state(page, name):
    page.wait_for_selector(f'#status[data-state="{name}"]')


def screen(page):
    """The terminal's rows, without blanks at their ends."""
    return page.evaluate(
        "[...document.querySelectorAll('.xterm-rows > div')].map((row) => row.textContent.trimEnd()).join('\\n').trimEnd()"
    ).replace("\xa0", " ")


def shows(page, text):
    """Waits until the terminal shows a text."""
    for _ in range(600):
        if text in screen(page):
            return screen(page)
        page.wait_for_timeout(50)
    raise AssertionError(f"{text!r} is not in:\n{screen(page)}")


def typed(page, line, then):
    page.locator("#terminal .xterm-helper-textarea").focus()
    page.keyboard.insert_text(line)
    page.keyboard.press("Enter")
    return shows(page, then)


def tab(page, name):
    page.get_by_role("tab", name=re.compile(name)).click()


def example(page, name):
    page.get_by_label("Example").select_option(label=name)
    page.get_by_role("button", name="Run").click()


def test_a_shell(page, playground):
    asked = {path for path in playground.asked if "python" in path or "git" in path}
    assert asked == set(), "what the first prompt does not need is not fetched"
    moved = page.evaluate(
        "performance.getEntriesByType('resource').reduce((sum, one) => sum + one.encodedBodySize, 0)"
    )
    assert 100_000 < moved < FIRST_BYTES_MAX
    typed(page, "mkdir d; cd d; x=41; echo $((x + 1))", "\n42\n")
    shows(page, "~/d$")
    typed(page, "for i in a b", "\n>")
    typed(page, "do echo \"<$i>\"; done | tac", "<b>\n<a>")
    typed(page, "echo né日本; nonsense", "command not found")
    assert "né日本" in screen(page)


def test_keys_of_the_line(page):
    keys = page.keyboard
    typed(page, "echo first", "\nfirst\n")
    keys.press("ArrowUp")
    keys.press("Control+a")
    keys.press("Control+k")
    keys.insert_text("echo secondx")
    keys.press("Backspace")
    keys.press("Control+ArrowLeft")
    keys.insert_text("the ")
    keys.press("Enter")
    shows(page, "\nthe second\n")
    keys.press("Control+r")
    keys.insert_text("fir")
    keys.press("Enter")
    page.wait_for_timeout(200)
    state(page, "ready")
    assert screen(page).count("\nfirst") == 2
    keys.insert_text("cat /etc/pass")
    keys.press("Tab")
    shows(page, "cat /etc/passwd")
    keys.press("Control+c")
    typed(page, "echo on", "\non\n")


def test_control_c_ends_what_runs(page):
    page.locator("#terminal .xterm-helper-textarea").focus()
    page.keyboard.insert_text("echo begins; while :; do :; done")
    page.keyboard.press("Enter")
    shows(page, "\nbegins")
    page.keyboard.press("Control+c")
    state(page, "ready")
    typed(page, "echo $?", "\n130\n")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Pipelines", "80  lamp\n15  shade\n2   bulb\nlamps: 2"),
        ("JavaScript: calls at once", "total 84\nCapabilityError: "),
        ("Python: a small analysis", "Counter({'lamp': 2, 'bulb': 2})\nmean 21"),
        ("A repository", "README.md | 1 +"),
        ("Branches", "run 1 of this session"),
    ],
)
def test_examples(page, name, wanted):
    example(page, name)
    shows(page, wanted)
    state(page, "ready")


def test_a_call_is_answered_by_hand(page):
    example(page, "Tools and their policy")
    state(page, "waiting")
    assert "refused, with status 126" in screen(page)
    card = page.get_by_role("article", name="refund waits for an answer")
    assert '"amount": 40' in card.inner_text()
    answer = card.get_by_label("Answer, as JSON")
    answer.fill("{no JSON")
    card.get_by_role("button", name="Answer").click()
    assert "no JSON" in page.locator("#toast").inner_text()
    answer.fill('{"refunded": 40}')
    card.get_by_role("button", name="Answer").click()
    shows(page, '{"refunded":40}\ndone')
    assert "customer must be one of" in page.locator("#calls").inner_text()
    typed(page, "refund --order 2 --amount 1; echo status $?", "refund")
    page.get_by_role("button", name="Deny").click()
    shows(page, "a person said no")
    typed(page, "refund --order 2 --amount 51", "amount must be")


def test_a_link_with_a_waiting_call_opens_elsewhere(page, playground, open_page):
    typed(page, "echo kept > file; refund --order 1 --amount 5; cat file", "refund")
    state(page, "waiting")
    page.get_by_role("button", name="Share").click()
    page.wait_for_selector("#toast.shown")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(playground.url + "#s=")
    assert len(link) < 40_000
    other = open_page(link)
    state(other, "waiting")
    assert "refund" in other.locator("#calls").inner_text()
    other.get_by_role("button", name="Answer").click()
    shows(other, '{"ok":true}\nkept')
    state(page, "waiting")
    cut = open_page(link[: len(link) // 2])
    shows(cut, "could not be opened")
    ready(cut)
    typed(cut, "echo alive", "\nalive\n")


def test_history_goes_back_and_branches_are_compared(page):
    typed(page, "echo one > f", "$")
    state(page, "ready")
    typed(page, "echo two > f; x=2", "x=2")
    tab(page, "History")
    page.get_by_role("button", name="echo one > f", exact=True).click()
    page.wait_for_selector("#toast.shown")
    typed(page, "cat f; echo \"x is <$x>\"", "one\nx is <>")
    typed(page, "echo three > f", "three")
    rows = page.locator("#history .moment")
    until(page, "document.querySelectorAll('#history .moment').length === 5")
    depths = [rows.nth(i).evaluate("(row) => row.style.getPropertyValue('--depth')") for i in range(5)]
    assert depths == ["0", "0", "0", "1", "1"]
    page.get_by_label("Compare echo two > f; x=2").check()
    page.get_by_label("Compare echo three > f").check()
    page.get_by_role("button", name="Compare", exact=True).click()
    text = page.get_by_role("dialog").inner_text()
    assert "/workspace/f" in text
    assert "-two" in text
    assert "+three" in text


def test_tools_and_policy_are_changed_while_the_sandbox_goes_on(page):
    typed(page, "x=5; ping", "command not found")
    tab(page, "Tools")
    page.get_by_role("button", name="Add a tool").click()
    card = page.locator("#tools details").last
    card.get_by_label("Name").fill("ping")
    card.get_by_label("Who answers").select_option("code")
    card.get_by_label("Its answer").fill("({ text }) => ({ pong: text })")
    policy = page.get_by_label("Capabilities, as JSON")
    policy.fill(policy.input_value().rstrip().removesuffix("]") + ', {"method": "ping"}]')
    page.get_by_role("button", name="Apply").click()
    page.wait_for_selector("#toast.shown")
    typed(page, "ping --text hi; echo $x", '{"pong":"hi"}\n5')
    tab(page, "Tools")
    policy.fill('[{"method": "ping", "constraints": [{"param": "text", "op": "no such", "value": 1}]}]')
    page.get_by_role("button", name="Apply").click()
    assert "no such" in page.get_by_role("dialog").inner_text()
    page.get_by_role("button", name="Cancel").click()
    typed(page, "ping --text on", '{"pong":"on"}')


def test_files_go_in_and_out(page, tmp_path):
    tab(page, "Files")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add…").click()
    (tmp_path / "data.bin").write_bytes(bytes(range(256)))
    chooser.value.set_files(str(tmp_path / "data.bin"))
    page.locator("#files").get_by_text("data.bin").wait_for()
    typed(page, "wc -c data.bin; mkdir in; cp data.bin in/copy", "256 data.bin")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save data.bin to this computer").click()
    assert (tmp_path / "data.bin").read_bytes() == download.value.path().read_bytes()
    page.get_by_role("button", name="in/", exact=True).click()
    page.get_by_role("button", name="copy", exact=True).wait_for()
    page.evaluate("""() => {
      const given = new DataTransfer();
      given.items.add(new File(["dropped\\n"], "note.txt"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: given, bubbles: true, cancelable: true }));
    }""")
    page.get_by_role("button", name="note.txt", exact=True).click()
    until(page, "document.querySelector('#opened').textContent === '/workspace/note.txt'")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("more")
    page.get_by_role("button", name="Save", exact=True).click()
    typed(page, "cat note.txt", "dropped\nmore")


def test_processes_are_seen_while_they_wait(page):
    tab(page, "Processes")
    typed(page, "refund --order 1 --amount 1 | cat", "refund")
    state(page, "waiting")
    tab(page, "Processes")
    table = page.locator("#processes")
    table.get_by_text("cat", exact=True).wait_for()
    assert "waits" in table.inner_text()
    page.get_by_role("button", name="Stop").click()
    state(page, "ready")


def test_what_computes_for_ever_is_stopped(page):
    typed(page, "echo kept > f", "$")
    state(page, "ready")
    page.get_by_label("Language").select_option("javascript")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(r'/^(a+a+)+\1c$/.test("a".repeat(60) + "b")')
    page.get_by_role("button", name="Run").click()
    state(page, "running")
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Stop").click()
    state(page, "ready")
    typed(page, "cat f", "\nkept\n")


def test_offline(page, playground):
    page.evaluate("navigator.serviceWorker.ready.then(() => {})")
    until(page, "navigator.serviceWorker.controller !== null")
    page.context.set_offline(True)
    page.reload()
    ready(page)
    typed(page, "echo offline", "\noffline\n")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1360])
def test_light_dark_narrow(playground, open_page, scheme, width):
    page = open_page(
        playground.url, viewport={"width": width, "height": 780}, color_scheme=scheme
    )
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    seen = page.evaluate("""() => [...document.querySelectorAll("button, select")]
      .filter((one) => one.checkVisibility())
      .map((one) => one.getBoundingClientRect())
      .filter((box) => box.left < -1 || box.right > innerWidth + 1 || box.width < 20).length""")
    assert seen == 0
    low = page.evaluate(CONTRAST)
    assert low == []
    if width < 860:
        page.get_by_role("button", name="Sandbox").click()
        tab(page, "History")
        assert page.locator("#history").is_visible()
        assert not page.locator("#terminal").is_visible()


# Texts whose contrast is below 4.5, as WCAG counts it.
CONTRAST = """() => {
  const parts = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((one) => one / 255)
    .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (colour.startsWith("rgb") && (parts(colour)[3] ?? 1) === 1) return parts(colour);
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const one of document.querySelectorAll("header *, aside *, .head *, nav *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !one.checkVisibility() || one.disabled || one.closest(":disabled")) continue;
    const [a, b] = [light(parts(getComputedStyle(one).color)), light(behind(one))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push([one.textContent, ratio]);
  }
  return bad;
}"""


def test_by_keyboard_alone(page):
    """Everything has a name, Tab goes through all of it, and out of the terminal."""
    unnamed = page.evaluate("""() => [...document.querySelectorAll("button, select, input, textarea, [role=tab]")]
      .filter((one) => one.checkVisibility() && !one.closest(".xterm"))
      .filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels?.length))
      .map((one) => one.outerHTML)""")
    assert unnamed == []
    page.locator("#terminal .xterm-helper-textarea").focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('#terminal') !== null")
    page.get_by_role("tab", name="Tools").focus()
    for name in ("Calls", "Files", "Processes", "History"):
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.textContent").startswith(name)
        assert page.get_by_role("tab", name=name).get_attribute("aria-selected") == "true"
    split = page.get_by_role("separator")
    before = split.get_attribute("aria-valuenow")
    split.press("ArrowUp")
    assert split.get_attribute("aria-valuenow") != before
