"""The sandbox behind the real packages of agent frameworks; what is checked is in adapters.mjs."""

import json
import shutil

import pytest
from conftest import ROOT, call

PACKAGES = [
    "ai@6", "bash-tool@1", "openai@6", "@anthropic-ai/sdk", "@langchain/core@1", "@mastra/core",
    "@modelcontextprotocol/sdk@1", "zod@4",
]  # fmt: skip
CASES = [
    "openai", "openaiResponses", "anthropic", "aiSdk", "bashTool", "langchain", "mastra", "mcp", "mistakes",
]  # fmt: skip


@pytest.fixture(scope="module")
def project(package, tmp_path_factory):
    folder = tmp_path_factory.mktemp("adapters")
    (folder / "package.json").write_text(json.dumps({"type": "module", "private": True}))
    packed = call("npm", "pack", "--silent", "--pack-destination", str(folder))
    assert packed.returncode == 0, packed.stderr
    wanted = [str(folder / packed.stdout.split()[-1]), *PACKAGES]
    got = call("npm", "install", "--silent", "--no-audit", "--no-fund", *wanted, cwd=folder)
    if got.returncode:
        pytest.skip("npm cannot fetch the frameworks")
    shutil.copy(ROOT / "tests/js/adapters.mjs", folder)
    return folder


@pytest.mark.parametrize("case", CASES)
def test_adapter(project, case):
    run = call("node", "adapters.mjs", case, cwd=project)
    assert run.stdout == f"{case} ok\n", run.stderr
