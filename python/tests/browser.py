"""A real Chromium for tests of the page: pip's playwright drives the one that is installed."""

import contextlib
import shutil

import pytest


@contextlib.contextmanager
def chromium():
    """The browser; a test is skipped where there is none."""
    driver = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("there is no Chromium")
    with driver.sync_playwright() as made:
        browser = made.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextlib.contextmanager
def visiting(browser):
    """Opens addresses, and fails in the end if anything in them went wrong."""
    opened, troubles = [], []

    def visit(address, width=1300, height=850, scheme="dark", motion=None):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion=motion
        )
        page = context.new_page()
        page.set_default_timeout(20000)
        opened.append(context)
        page.on("console", lambda said: said.type == "error" and troubles.append(said.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(str(address))
        page.locator("#app").wait_for(state="visible")
        return page

    visit.troubles = troubles
    yield visit
    for context in opened:
        context.close()
    assert not troubles


def line_of(page):
    return page.evaluate("pinfoldPage.at")


def panel(page, name):
    """A panel, chosen by keyboard alone, when it shows this moment."""
    names = [tab.inner_text() for tab in page.get_by_role("tab").all()]
    page.locator("#events").focus()
    page.keyboard.press(str(names.index(name) + 1))
    assert page.evaluate("document.activeElement.innerText") == name
    settle(page)
    return page.locator("#content")


def settle(page):
    """Until what is shown is of this moment."""
    until(page, "pinfoldPage.settled")


def until(page, what):
    """Until an expression holds. The page's policy has no place for playwright's own way to wait."""
    for _ in range(1000):
        if page.evaluate(what):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"it does not come to {what}")


def by_tab(page, selector, most=40):
    """Goes to an element with the Tab key."""
    for _ in range(most):
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return page.locator(":focus")
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {selector}")


CONTRAST = """() => {
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(at).backgroundColor);
      if (a > 0) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest("script, style, .unseen, dialog:not([open])") || element.disabled) continue;
    const a = light(parse(getComputedStyle(element).color)), b = light(behind(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${element.className} ${walker.currentNode.data.slice(0, 40)}`);
  }
  return found;
}"""


def names_missing(page):
    """What a screen reader would have no name for, in the browser's own tree of them."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = ("button", "tab", "slider", "listbox", "textbox", "searchbox", "checkbox", "combobox", "tree", "treeitem",
             "tabpanel", "log", "table", "toolbar", "group", "dialog", "region", "option")
    return [
        node["role"]["value"]
        for node in nodes
        if not node.get("ignored") and node["role"]["value"] in roles and not node.get("name", {}).get("value", "").strip()
        and node["role"]["value"] != "group"
    ]
