"""The examples of the service: a client of OpenAI's API, and curl."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("fastapi", reason="fastapi is for who serves by it")
pytest.importorskip("uvicorn", reason="uvicorn is for who serves by it")
pytest.importorskip("prometheus_client", reason="prometheus_client is for who serves by it")

from service_server import Issuer, Service, issued

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/serve"


@pytest.fixture
def service(tmp_path):
    issuer = Issuer()
    made = Service(tmp_path / "agents.db", {"acme": {"keys": [issuer.public_key.hex()]}})
    made.env = os.environ | {"PINFOLD_URL": made.url, "PINFOLD_TOKEN": issued(issuer)}
    made.env["PYTHONPATH"] = os.pathsep.join(sys.path)
    yield made
    made.stop()


@pytest.fixture
def model():
    """Says these scripts, one after the other, and in the end what it was told."""
    scripts, told = ["tool orders > o; total=$(jq 'map(.cents) | add' o); echo $total", "echo still $total"], []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            results = [m["content"] for m in body["messages"] if m["role"] == "tool"]
            message = {"role": "assistant", "content": f"told: {results}"}
            if len(results) < len(scripts):
                function = {"name": "shell", "arguments": json.dumps({"code": scripts[len(results)]})}
                call = {"id": f"c{len(results)}", "type": "function", "function": function}
                message = {"role": "assistant", "content": None, "tool_calls": [call]}
            told.append(body)
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            answer = {"id": "x", "object": "chat.completion", "created": 0, "model": "any", "choices": [choice]}
            data = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *what):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


def test_a_client_of_openai(service, model):
    pytest.importorskip("openai", reason="openai is for who has its client")
    env = service.env | {"OPENAI_BASE_URL": model, "OPENAI_API_KEY": "none"}
    command = [sys.executable, str(EXAMPLES / "agent.py"), "orders", "What is the total?"]
    for _ in range(2):  # the second finds the session
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
        assert done.stdout == "told: ['2050\\n[exit 0]', 'still 2050\\n[exit 0]']\n", done.stderr[-2000:]


def test_curl(service):
    if not shutil.which("curl") or not shutil.which("jq"):
        pytest.skip("curl or jq is not installed")
    command = ["sh", str(EXAMPLES / "agent.sh"), "by-hand"]
    done = subprocess.run(command, env=service.env, capture_output=True, text=True, timeout=120)
    assert done.stdout == "it asks: life\nanswer: 42\nanswer: 42\nresult\n", done.stderr
    assert service.store.names() == []
