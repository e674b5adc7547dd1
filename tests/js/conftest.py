"""The npm package, built as `make js` does."""

import contextlib
import functools
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import threading
import time

import firefox as bidi
import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = os.environ.get("PINFOLD_BUILD", str(ROOT / "build"))
OLDEST = (18, 19)


def call(*command, timeout=1200, **options):
    return subprocess.run(
        command,
        cwd=options.pop("cwd", ROOT / "js"),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        **options,
    )


@pytest.fixture(scope="module")
def package():
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("Node or npm is not there")
    version = tuple(map(int, re.findall(r"\d+", call("node", "--version").stdout)[:2]))
    if version < OLDEST:
        pytest.skip("Node is older than 18.19")
    fetched = call("make", "-C", str(ROOT), "js/node_modules/.package-lock.json")
    if fetched.returncode:
        pytest.skip("npm cannot fetch what the TypeScript is compiled with")
    made = call("make", "-C", str(ROOT), "js", f"BUILD={BUILD}")
    assert made.returncode == 0, made.stdout + made.stderr
    return ROOT / "js"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Static files, with headers of the test's."""

    extensions_map = {  # noqa: RUF012
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
    }

    def end_headers(self):
        for name, value in self.server.more_headers.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_):
        self.server.asked.append(self.path)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


@contextlib.contextmanager
def serving(folder, headers=None):
    """A file server: its `url`, and in `asked` what it was asked for."""
    server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    server.more_headers = headers or {}
    server.asked = []
    server.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def until(page, expression, timeout=120):
    """Waits until an expression of JavaScript is true; wait_for_function() needs eval."""
    end = time.monotonic() + timeout
    while not page.evaluate(f"() => Boolean({expression})"):
        assert time.monotonic() < end, f"{expression} does not come true"
        page.wait_for_timeout(50)


@pytest.fixture(scope="module")
def chromium():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not there")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        pytest.skip("Chromium is not there")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Opens pages that no error of theirs passes by."""
    contexts, errors = [], []

    def opened(url, **options):
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console",
            lambda message: errors.append(message.text) if message.type == "error" else None,
        )
        page.goto(url)
        return page

    opened.errors = errors
    yield opened
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture(scope="module")
def firefox():
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if not program:
        pytest.skip("Firefox is not there")
    with bidi.running(program) as browser:
        yield browser


@pytest.fixture
def open_in_firefox(firefox):
    """As open_page(), in Firefox."""
    pages = []

    def opened(url):
        pages.append(firefox.open(url))
        return pages[-1]

    firefox.errors.clear()
    yield opened
    for page in pages:
        page.close()
    assert firefox.errors == []
