"""The list of what the product is made of: valid, complete, and the same each time."""

import json
import re
import subprocess
import sys
import tomllib
import uuid

import pytest
from stranger import BUILD, ROOT, run

TOOL = ROOT / "tools" / "sbom.py"
LENGTHS = {"SHA-256": 64, "SHA-512": 128}
# What expressions are made of here; LicenseRef- is for what SPDX has no name for.
LICENCES = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ICU", "MIT", "PSF-2.0", "Zlib",
    # libgit2's: its exception lets a program of any licence be linked with it.
    "GPL-2.0-only", "GCC-exception-2.0", "LGPL-2.1-or-later",
    "blessing", "bzip2-1.0.6", "LLVM-exception", "PCRE2-exception", "LicenseRef-public-domain",
}


@pytest.fixture(scope="module")
def bom(tmp_path_factory):
    path = tmp_path_factory.mktemp("sbom") / "pinfold.cdx.json"
    run(sys.executable, TOOL, path)
    return json.loads(path.read_text())


def test_is_cyclonedx(bom):
    assert (bom["bomFormat"], bom["specVersion"], bom["version"]) == ("CycloneDX", "1.5", 1)
    assert uuid.UUID(bom["serialNumber"].removeprefix("urn:uuid:")).version == 5
    parts = [bom["metadata"]["component"], *bom["components"]]
    refs = [part["bom-ref"] for part in parts]
    assert len(set(refs)) == len(refs)
    for part in parts:
        assert part["type"] == "library" and part["name"] and part["version"]
        assert re.fullmatch(r"pkg:(cargo|npm|deb/debian|pypi)/[\w.%~-]+(/[\w.-]+)?(@[\w.%:~-]+)?", part["purl"])
        (licence,) = part["licenses"]
        assert "GPL-2.0-only" not in licence["expression"] or "GPL-2.0-only WITH" in licence["expression"]
        words = re.findall(r"[^\s()]+", licence["expression"])
        assert set(words) - {"AND", "OR", "WITH"} <= LICENCES, licence
        for digest in part.get("hashes", []):
            assert re.fullmatch(f"[0-9a-f]{{{LENGTHS[digest['alg']]}}}", digest["content"])
    assert {entry["ref"] for entry in bom["dependencies"]} == set(refs)
    assert set(bom["dependencies"][0]["dependsOn"]) == set(refs[1:])


def test_valid_by_the_schema(bom):
    validation = pytest.importorskip("cyclonedx.validation.json", reason="cyclonedx-python-lib is not installed")
    from cyclonedx.schema import SchemaVersion

    validator = validation.JsonStrictValidator(SchemaVersion.V1_5)
    assert validator.validate_str(json.dumps(bom)) is None


def test_names_what_the_build_fetches(bom):
    """Every crate, every bundled package, with the digest of its lock file."""
    by_purl = {part["purl"]: part for part in bom["components"]}
    crates = tomllib.loads((ROOT / "third_party" / "Cargo.toml").read_text())["dependencies"]
    locked = tomllib.loads((ROOT / "third_party" / "Cargo.lock").read_text())["package"]
    for package in locked:
        if package["name"] in crates:
            purl = f"pkg:cargo/{package['name']}@{package['version'].replace('+', '%2B')}"
            assert by_purl[purl]["hashes"][0]["content"] == package["checksum"]
    named = {part["name"] for part in bom["components"]}
    assert crates.keys() <= named
    direct = json.loads((ROOT / "third_party" / "package.json").read_text())["devDependencies"]
    assert set(direct) - {"esbuild"} <= named
    assert "wasi-libc" in named and "esbuild" not in named


def test_same_bytes_each_time(tmp_path):
    texts = []
    for name in ("a", "b"):
        run(sys.executable, TOOL, tmp_path / name)
        texts.append((tmp_path / name).read_bytes())
    assert texts[0] == texts[1]


def test_a_crate_that_nobody_described_is_refused(tmp_path):
    """From a copy of the tree with one crate more."""
    for name in ("tools/sbom.py", "CMakeLists.txt", "third_party/README.md",
                 "third_party/Cargo.toml", "third_party/Cargo.lock", "third_party/package-lock.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    manifest = tmp_path / "third_party/Cargo.toml"
    manifest.write_text(manifest.read_text() + 'openssl-src = "=1.0.0"\n')
    done = subprocess.run([sys.executable, tmp_path / "tools/sbom.py", tmp_path / "out"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and "openssl-src" in done.stderr


def test_installed_with_the_library(tmp_path):
    run("cmake", "--install", BUILD, "--prefix", tmp_path)
    (found,) = tmp_path.rglob("pinfold.cdx.json")
    assert json.loads(found.read_text())["metadata"]["component"]["name"] == "pinfold"
