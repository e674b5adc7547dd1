"""The package as a stranger gets it: packed, installed in an empty folder, bundled, run in a browser."""

import json
import re
import shutil

import pytest
from conftest import call, serving, until

ENTRY = """
import { Sandbox, tool, WorkerSandbox } from "pinfold";
const tools = { two: tool({ execute: () => 2 }) };
const images = new URL("images/", document.baseURI);
const options = { tools, capabilities: ["two"], images };
const inside = await Sandbox.create(options);
const apart = await WorkerSandbox.create(options);
const code = "echo $(( $(two) * 21 )) | cat";
document.title = (await inside.run(code)).stdout + (await apart.run(code)).stdout;
"""
PAGE = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="./main.js"></script>'


@pytest.fixture(scope="module")
def installed(package, tmp_path_factory):
    """An empty folder with the package and the two bundlers."""
    folder = tmp_path_factory.mktemp("stranger")
    packed = call("npm", "pack", "--silent", "--pack-destination", str(folder))
    assert packed.returncode == 0, packed.stderr
    (folder / "package.json").write_text(json.dumps({"type": "module", "private": True}))
    wanted = [str(folder / packed.stdout.split()[-1]), "vite@7", "esbuild", "typescript@5.9", "zod@4"]
    wanted += ["@types/node@20"]
    got = call("npm", "install", "--silent", "--no-audit", "--no-fund", *wanted, cwd=folder)
    if got.returncode:
        pytest.skip("npm cannot fetch the bundlers")
    (folder / "main.js").write_text(ENTRY)
    (folder / "index.html").write_text(PAGE)
    return folder


def opens(open_page, folder):
    shutil.copytree(folder.parent / "node_modules/pinfold/images", folder / "images")
    with serving(folder) as server:
        page = open_page(server.url)
        until(page, "document.title !== ''")
        assert page.title().split() == ["42", "42"]


def test_esbuild(installed, open_page):
    out = installed / "by-esbuild"
    command = ["npx", "esbuild", "main.js", "--bundle", "--format=esm", "--minify", f"--outdir={out}"]
    made = call(*command, cwd=installed)
    assert made.returncode == 0, made.stderr
    shutil.copy(installed / "node_modules/pinfold/dist/worker.js", out)
    shutil.copy(installed / "index.html", out)
    opens(open_page, out)


def test_vite(installed, open_page):
    """Vite brings the worker along by itself."""
    out = installed / "by-vite"
    made = call("npx", "vite", "build", "--base=./", f"--outDir={out}", cwd=installed)
    assert made.returncode == 0, made.stdout + made.stderr
    assert list(out.glob("assets/worker-*.js"))
    opens(open_page, out)


def test_the_readme_in_typescript(installed, package):
    """Types are checked strictly, and it prints what it says."""
    (code,) = re.findall(r"```ts\n(.*?)```", (package / "README.md").read_text(), re.S)
    (installed / "first.ts").write_text(code)
    command = ["npx", "tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom"]
    made = call(*command, "first.ts", cwd=installed)
    assert made.returncode == 0, made.stdout
    run = call("node", "first.js", cwd=installed)
    assert run.stdout.splitlines() == re.findall(r"// prints (.*)$", code, re.M), run.stderr
