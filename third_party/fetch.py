"""fetch.py: what a Cargo.toml of third_party names, into the build tree.

Called by pf_fetch() in third_party/CMakeLists.txt when Cargo.lock has changed. Cargo fetches the crates (from
wherever the user's Cargo configuration says); each archive's SHA-256 is checked against Cargo.lock
once more here, and only the crates that Cargo.toml names are unpacked, so that nothing that was
changed in Cargo's cache is built.
"""

import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tomllib

# Cargo leaves out what other systems need (150 MB of Windows libraries).
TARGET = "x86_64-unknown-linux-gnu"


def fetch(folder: pathlib.Path) -> None:
    command = ["cargo", "fetch", "--quiet", "--locked", "--target", TARGET]
    try:
        result = subprocess.run(command, cwd=folder, text=True, capture_output=True, check=False)
    except FileNotFoundError:
        sys.exit("fetching C libraries needs cargo. On Debian: apt install cargo-web")
    if result.returncode:
        sys.exit("cargo fetch failed; it needs the network once, and cargo 1.85 or newer "
                 f"(on Debian 12: cargo-web).\n{result.stderr.strip()}")


def archive_of(name: str, version: str) -> pathlib.Path:
    """Cargo keeps what it fetched in registry/cache/INDEX/NAME-VERSION.crate."""
    home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    found = sorted(home.glob(f"registry/cache/*/{name}-{version}.crate"))
    if not found:
        sys.exit(f"cargo keeps no archive of {name} {version} below {home}; "
                 "a replaced registry must leave .crate files there")
    return found[0]


def unpack(archive: pathlib.Path, checksum: str, to: pathlib.Path) -> None:
    if hashlib.sha256(archive.read_bytes()).hexdigest() != checksum:
        sys.exit(f"{archive} is not the file that third_party/Cargo.lock names: delete it")
    part = to.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    shutil.rmtree(to, ignore_errors=True)
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            path = pathlib.PurePosixPath(member.name)
            if path.is_absolute() or ".." in path.parts or not (member.isfile() or member.isdir()):
                sys.exit(f"{archive} holds {member.name}, which is no plain file")
        tar.extractall(part)
    (inner,) = part.iterdir()
    inner.rename(to)
    part.rmdir()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--manifest", type=pathlib.Path, required=True)
    parser.add_argument("--vendor", type=pathlib.Path, required=True)
    args = parser.parse_args()
    folder = args.manifest.parent
    wanted = tomllib.loads(args.manifest.read_text())["dependencies"]
    lock = tomllib.loads((folder / "Cargo.lock").read_text())
    fetch(folder)
    args.vendor.mkdir(parents=True, exist_ok=True)
    for name, version in wanted.items():
        if not isinstance(version, str):
            version = version["version"]
        version = version.removeprefix("=")
        # The lock file also names the version of the library inside: 2.0.16+zstd.1.5.7.
        (package,) = [p for p in lock["package"]
                      if p["name"] == name and p["version"].partition("+")[0] == version]
        unpack(archive_of(name, package["version"]), package["checksum"], args.vendor / name)


if __name__ == "__main__":
    main()
