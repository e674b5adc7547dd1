"""The page for operators: who may see it, what it shows, in a real browser and with hostile names."""

import os
import re

import pytest

pytest.importorskip("fastapi", reason="fastapi is for who serves by it")
pytest.importorskip("uvicorn", reason="uvicorn is for who serves by it")
pytest.importorskip("prometheus_client", reason="prometheus_client is for who serves by it")

import browser
import httpx
from service_server import Issuer, Service, issued

from pinfold import MethodCapability, Sandbox
from pinfold.service.admin import Tickets, router
from pinfold.service.client import Client
from pinfold.service.problems import Problem

TOKEN = "0123456789abcdef" * 2
ADD = {"name": "add"}
#: Markup, what turns text around, what is invisible, and what is very long.
HOSTILE = ["<img src=x onerror=alert(1)>", "evil\u202eexe.txt", "zero\u200bwidth\x07\x1b[31m", "x" * 3000, "\U000e0041tag"]


@pytest.fixture
def service(tmp_path):
    issuer = Issuer()
    tenants = {"acme": {"keys": [issuer.public_key.hex()]}}
    made = Service(tmp_path / "agents.db", tenants, admin=TOKEN)
    made.client = Client(made.url, issued(issuer), timeout=2)
    made.token = issued(issuer)
    yield made
    made.stop()


def ask(service, path, token=TOKEN, method="GET"):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.request(method, f"{service.url}/admin{path}", headers=headers)


def filled(service):
    box = service.client.create("alice", tools=[ADD], record=True)
    box.run("echo 1 > n; tool add", tools={"add": lambda: 1})
    box.fork("bob", box.snapshots()[-1]["id"])
    box.start("echo $(tool add)")
    service.client.session("bob").run("echo bob > n")
    return box


def test_only_who_has_the_token_is_told(service):
    filled(service)
    paths = ["/api/sessions", "/api/tree?name=acme/alice", "/api/traces?name=acme/alice"]
    for path in paths:
        for token in (None, "x", TOKEN[:-1], TOKEN + "0", service.token):
            answer = ask(service, path, token)
            assert answer.status_code == 401 and "alice" not in answer.text
        assert ask(service, path).status_code == 200
    assert ask(service, "/api/tickets?kind=trace&id=1", "x", "POST").status_code == 401
    page = ask(service, "", None)
    assert "alice" not in page.text
    assert httpx.get(f"{service.url}/v1/sessions", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 401
    with pytest.raises(ValueError, match="32 characters"):
        router("short")


def test_there_is_no_page_without_a_token(tmp_path):
    made = Service(tmp_path / "agents.db", {"acme": {"keys": ["00" * 32]}})
    assert httpx.get(f"{made.url}/admin").status_code == 404
    made.stop()


def test_the_policy_has_no_holes(service):
    policy = ask(service, "", None).headers["content-security-policy"]
    parts = dict(part.partition(" ")[::2] for part in policy.split("; "))
    assert parts["default-src"] == "'none'" and parts["trusted-types"] == "'none'"
    for name in ("script-src", "style-src"):
        assert re.fullmatch(r"'sha256-[A-Za-z0-9+/=]+'", parts[name])
    assert "unsafe" not in policy and parts["frame-ancestors"] == "'none'"
    headers = ask(service, "/api/sessions").headers
    assert headers["cache-control"] == "no-store" and headers["x-content-type-options"] == "nosniff"


def test_what_is_told_of_sessions(service):
    box = filled(service)
    found = ask(service, "/api/sessions?prefix=acme/").json()
    assert [s["name"] for s in found["sessions"]] == ["acme/alice", "acme/bob"] and found["count"] == 2
    assert found["sessions"][0]["state"] == "waiting" and found["waiting"] == 1 and found["next"] is None
    tree = ask(service, "/api/tree?name=acme/alice").json()["snapshots"]
    said = {s["said"] for s in tree}
    assert "new" in said and "run 2: waits for 1 call" in said and "run 1: ok" in said
    assert [s["names"] for s in tree if s["names"]] == [["acme/bob"], ["acme/alice"]]
    assert ask(service, "/api/tree?name=acme/nobody").status_code == 404
    [trace] = ask(service, "/api/traces?name=acme/alice").json()["traces"]
    assert box.traces()[0]["id"] == trace["id"]


def test_a_ticket_is_good_once(service):
    box = filled(service)
    [trace] = box.traces()
    path = ask(service, f"/api/tickets?kind=trace&id={trace['id']}", method="POST").json()["path"]
    got = httpx.get(f"{service.url}/{path}")
    assert got.content == box.trace(trace["id"]) and "attachment" in got.headers["content-disposition"]
    assert httpx.get(f"{service.url}/{path}").status_code == 404
    assert ask(service, "/tickets/x").status_code == 404
    for query in ("kind=rm&id=1", "kind=trace&id=-1", "kind=trace&id=99999999999999999999"):
        assert ask(service, f"/api/tickets?{query}", method="POST").status_code == 422
    path = ask(service, "/api/tickets?kind=snapshot&id=999", method="POST").json()["path"]
    assert httpx.get(f"{service.url}/{path}").status_code == 404
    path = ask(service, f"/api/tickets?kind=view&id={trace['id']}", method="POST").json()["path"]
    view = httpx.get(f"{service.url}/{path}")
    assert "sandbox allow-scripts" in view.headers["content-security-policy"] and "<title>pinfold" in view.text
    tickets = Tickets()
    first = tickets.give("trace", 1)
    for _ in range(1000):
        tickets.give("trace", 1)
    with pytest.raises(Problem):
        tickets.take(first)  # there are not any number of them


def hostile(service):
    with Sandbox(capabilities=[MethodCapability("**")]) as sandbox:
        for name in HOSTILE:
            service.store.save(f"acme/{name}", sandbox, label=name)
    service.store.add_trace(f"acme/{HOSTILE[0]}", b"no trace")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1300), ("dark", 1300), ("light", 420)])
def test_in_a_browser(service, visit, scheme, width):
    filled(service)
    hostile(service)
    page = visit(f"{service.url}/admin", width=width, scheme=scheme)
    field = page.get_by_label("admin token")
    field.fill(TOKEN)
    field.press("Enter")
    page.get_by_role("heading", name="Sessions", exact=True).wait_for()
    assert TOKEN not in page.url and not any(TOKEN in url for url in page.asked)
    names = [button.inner_text() for button in page.locator("button.name").all()]
    assert names[:2] == ["acme/<img src=x onerror=alert(1)>", "acme/alice"] and len(names) == 7
    assert not any(mark in "".join(names) for mark in "\u202e\u200b\x07\x1b\U000e0041")
    assert "acme/evil\\u202eexe.txt" in names
    page.get_by_role("button", name="acme/alice", exact=True).click()
    page.get_by_role("heading", name="Traces (1)").wait_for()
    assert page.get_by_label("snapshots").locator("tr").count() >= 5
    assert "waits for 1 call" in page.get_by_label("snapshots").inner_text()
    assert page.evaluate(browser.CONTRAST) == [] and browser.names_missing(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if os.environ.get("PINFOLD_SHOTS"):
        page.screenshot(path=f"{os.environ['PINFOLD_SHOTS']}/admin-{scheme}-{width}.png", full_page=True)
    with page.expect_download() as got:
        page.get_by_role("button", name=re.compile("Download trace")).click()
    assert got.value.suggested_filename.endswith(".jsonl")
    with page.context.expect_page() as opened:
        page.get_by_role("button", name=re.compile("Open trace")).click()
    opened.value.locator("#app").wait_for(state="visible")
    if os.environ.get("PINFOLD_SHOTS"):
        opened.value.screenshot(path=f"{os.environ['PINFOLD_SHOTS']}/trace-{scheme}-{width}.png")
    for name in names:
        page.get_by_role("button", name=name, exact=True).first.click()
        browser.until(page, "pinfoldAdmin.settled")
        assert page.locator(".trouble").inner_text() == ""
    page.get_by_role("button", name=names[0], exact=True).click()
    page.get_by_role("button", name=re.compile("Open trace")).wait_for()
    assert page.locator("img").count() == 0


def test_a_wrong_token_is_told(service, visit):
    page = visit(f"{service.url}/admin")
    page.get_by_label("admin token").fill("wrong")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("this is not the admin token").wait_for()
    visit.troubles.clear()  # the console says 401, too
