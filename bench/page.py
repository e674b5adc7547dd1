#!/usr/bin/env python3
"""page: a long recording in a browser: how soon it is there, how smoothly one moves about in it.

    bench/page.py [--events 100000] [--frames 120] [--no-sandbox]

A recording of so many events is made, its page is written and opened in Chromium (it and pip's
playwright have to be there). Told are: the page's size, when something and when everything was to
be seen, the time between two frames while one goes to events all over the recording, a panel at a
time, with what a frame takes of the processor, and, with `pinfold debug`, how long the files at any
event take. Times are milliseconds: median, 95 of 100, most.
"""

import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

from playwright.sync_api import Page, sync_playwright

from pinfold import MethodCapability, Sandbox

SCRIPT = """for i in $(seq 40); do
  n=$(tool stock --item $i | jq .n)
  echo "$i,$n" >> report.csv
  [ $((i % 8)) != 0 ] || sort -r report.csv | head -3
done"""

FRAMES = """async ([panel, frames]) => {
  const app = pinfoldPage, count = app.trace.lines.length, times = [];
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  if (panel === "stepping") app.go(Math.floor(count / 2));
  else app.choosePanel(app.panels.find((each) => each.id === panel));
  await frame();
  let last = performance.now();
  for (let i = 0; i < frames; i++) {
    if (panel === "stepping") app.step(1);
    else app.go(Math.floor((((i * 37) % frames) / frames) * count));
    await frame();
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  return times;
}"""


def told(what: str, times: list[float]) -> None:
    ordered = sorted(times)
    some = [ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)], ordered[-1]]
    print(f"{what:34}" + "".join(f"{value:9.1f}" for value in some))


def record(path: pathlib.Path, events: int) -> int:
    def stock(item: int) -> dict[str, int]:
        return {"n": item % 7}

    granted = [MethodCapability("stock")]
    with Sandbox(tools=[stock], capabilities=granted, record=path) as sandbox:
        lines = 0
        while lines < events:
            result = sandbox.run(SCRIPT)
            assert result.ok, result
            lines = path.read_bytes().count(b"\n")
    return lines


def first(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#app").wait_for(state="visible")
    page.wait_for_timeout(500)
    times: dict[str, Any] = page.evaluate("""() => Object.fromEntries(
        performance.getEntries().filter((e) => e.startTime).map((e) => [e.name, e.startTime]))""")
    print(f"something is to be seen after {times['first-contentful-paint']:.0f} ms")
    print(f"everything is there after {times['ready']:.0f} ms")
    print(f"elements in the page: {page.evaluate('document.querySelectorAll(`*`).length')}")


def frames(page: Page, count: int) -> None:
    panels = ("output", "files", "processes", "calls", "changes", "event")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def work() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    for panel in (*panels, "stepping"):
        before = work()
        told(f"between frames, {panel}", page.evaluate(FRAMES, [panel, count]))
        print(f"{'  of the processor, a frame':34}{(work() - before) / count:9.1f}", flush=True)


def served(page: Page, trace: pathlib.Path, lines: int) -> None:
    command = [sys.executable, "-m", "pinfold", "debug", str(trace), "--max-seconds", "none"]
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        print(f"pinfold debug is there after {time.monotonic() - began:.1f} s")
        page.goto(address)
        page.locator("#app").wait_for(state="visible")
        ask = """async (line) => { const from = performance.now();
            await pinfoldPage.states.tree({line}); return performance.now() - from; }"""
        told("files at an event", [page.evaluate(ask, random.randrange(lines)) for _ in range(60)])
        process.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=120)
    parser.add_argument("--no-sandbox", action="store_true", help="only the page that stands alone")
    given = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        trace, html = pathlib.Path(folder, "long.jsonl"), pathlib.Path(folder, "long.html")
        lines = record(trace, given.events)
        began = time.monotonic()
        words = [sys.executable, "-m", "pinfold", "trace", str(trace), "-o", str(html)]
        alone = ["--no-files"] if given.no_sandbox else ["--max-seconds", "none"]
        subprocess.run([*words, *alone], check=True)
        print(
            f"{lines} lines, {trace.stat().st_size >> 10} KB; the page: {html.stat().st_size >> 10}"
            f" KB, written in {time.monotonic() - began:.1f} s"
        )
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            first(page, html.as_uri())
            frames(page, given.frames)
            if not given.no_sandbox:
                served(page, trace, lines)
            browser.close()


if __name__ == "__main__":
    main()
