"""`pinfold debug` as a process, and questions to it."""

import contextlib
import http.client
import json
import pathlib
import subprocess
import sys
import urllib.parse

from pinfold import MethodCapability, Sandbox, ToolError

WORK = """while read item; do
  n=$(tool stock --item $item | jq .n)
  if [ $n -gt 0 ]; then tool ship --item $item >> log.txt && echo "$item,$n" >> report.csv && echo "shipped $item"
  else tool refund --item $item || : > report.csv; echo "no $item left" >&2; fi
done < order.txt"""


def record(path):
    """Three items; the one that is out empties the report."""

    def stock(item: str) -> dict:
        return {"n": 0 if item == "pen" else 3}

    def ship(item: str) -> str:
        return "shipped"

    def refund(item: str) -> str:
        raise ToolError("the service is late")

    granted = [MethodCapability("stock"), MethodCapability("ship", ask=True), MethodCapability("refund")]
    tools, files = [stock, ship, refund], {"order.txt": "tea\npen\ncup\n"}
    with Sandbox(
        tools=tools, capabilities=granted, files=files, record=path, approve=lambda call: True
    ) as sandbox:
        sandbox.run("echo start; sort order.txt > sorted.txt")
        sandbox.run(WORK)
        sandbox.run("sum(n for n in range(10))", "python")
        sandbox.run("tool pay; rm sorted.txt; cat report.csv; false")
    return path


def lines_of(trace):
    return [json.loads(line) for line in pathlib.Path(trace).read_bytes().splitlines()]


def line_of_call(lines, method, nth=0):
    return [e["n"] for e in lines if e.get("out") == "call" and e.get("method") == method][nth]


class Debugger:
    def __init__(self, url):
        self.url = url
        parts = urllib.parse.urlsplit(url)
        self.host, self.path = parts.netloc, parts.path

    def request(self, method="GET", path=None, body=None, **headers):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        with contextlib.closing(connection):
            connection.putrequest(method, self.path if path is None else path, skip_host="Host" in headers)
            if body is not None:
                headers = {"Content_Length": str(len(body)), **headers}
            for name, value in headers.items():
                if value is not None:
                    connection.putheader(name.replace("_", "-"), value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

    def ask(self, name, **given):
        """As the page asks; what is wrong with it is an AssertionError."""
        headers = {"Origin": f"http://{self.host}", "Content_Type": "application/json"}
        body = json.dumps(given).encode()
        status, _, data = self.request("POST", f"{self.path}api/{name}", body, **headers)
        answer = json.loads(data)
        assert status == 200, answer["error"]
        return answer


@contextlib.contextmanager
def debugger(*arguments):
    command = [sys.executable, "-m", "pinfold", "debug", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            url = process.stdout.readline().strip()
            assert url, process.stderr.read()
            made = Debugger(url)
            made.process = process
            yield made
        finally:
            process.terminate()
            process.wait(60)
