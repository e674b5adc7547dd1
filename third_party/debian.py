"""debian.py: the source of one Debian package that debian.toml names, into the build tree.

Called by pf_fetch_debian() in third_party/CMakeLists.txt. Apt's own downloader fetches the archive, so
that the machine's mirrors and proxies are used and no list of packages is changed; without apt it is
Python's. The SHA-256 decides whether it is the file. Archives are kept in a folder of the user's
cache, which clones share.
"""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import urllib.error
import urllib.request

APT_HELPER = "/usr/lib/apt/apt-helper"
OFFICIAL = "http://deb.debian.org/debian"
SNAPSHOT = "http://snapshot.debian.org/archive/debian"


def mirrors() -> list[str]:
    """Where this machine's apt finds Debian's main archive, then where everybody does."""
    found = []
    folder = pathlib.Path("/etc/apt")
    for path in [folder / "sources.list", *sorted(folder.glob("sources.list.d/*"))]:
        if path.suffix not in (".list", ".sources"):
            continue
        try:
            text = re.sub(r"^\s*#.*$", "", path.read_text(), flags=re.M)
        except (OSError, UnicodeDecodeError):
            continue
        found += re.findall(r"\bhttps?://\S+/debian\b", text)
    return list(dict.fromkeys([*found, OFFICIAL]))


def is_it(path: pathlib.Path, checksum: str) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == checksum


def download(url: str, to: pathlib.Path, checksum: str) -> str:
    """Fetches one address; what went wrong, or nothing."""
    to.unlink(missing_ok=True)
    if os.access(APT_HELPER, os.X_OK):
        result = subprocess.run(
            [APT_HELPER, "download-file", url, str(to), f"SHA256:{checksum}"],
            capture_output=True,
            text=True,
            check=False,
        )
        why = result.stderr.strip() if result.returncode else ""
    else:
        try:
            with urllib.request.urlopen(url, timeout=60) as answer, to.open("wb") as out:
                shutil.copyfileobj(answer, out)
            why = ""
        except (OSError, urllib.error.URLError) as error:
            why = str(error)
    if not why and not is_it(to, checksum):
        why = "what came is not the file that third_party/debian.toml names"
    return why


def fetch(package: dict, kept: pathlib.Path) -> pathlib.Path:
    name = pathlib.PurePosixPath(package["pool"]).name
    archive, checksum = kept / name, package["sha256"]
    if is_it(archive, checksum):
        return archive
    kept.mkdir(parents=True, exist_ok=True)
    part = kept / f".{name}.{os.getpid()}"
    bases = [*mirrors(), f"{SNAPSHOT}/{package['snapshot']}"]
    reasons = []
    for base in bases:
        url = f"{base}/{package['pool']}"
        why = download(url, part, checksum)
        if not why:
            part.replace(archive)
            return archive
        reasons.append(f"  {url}: {why}")
    part.unlink(missing_ok=True)
    sys.exit(
        f"{name} could not be fetched; it needs the network once. Without it: put the file into "
        f"{kept}, or leave the program out (PF_PROGRAMS in CMakeLists.txt).\n" + "\n".join(reasons)
    )


def wanted(path: pathlib.PurePosixPath, package: dict) -> bool:
    """Whether a member, its path without the archive's own folder, is unpacked."""
    if len(path.parts) == 1:
        return path.name.startswith("LICENSE")
    return path.parts[0] in package["folders"] and not any(
        path.is_relative_to(folder) for folder in package["leave"]
    )


def unpack(archive: pathlib.Path, package: dict, to: pathlib.Path) -> None:
    part = to.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    shutil.rmtree(to, ignore_errors=True)
    with tarfile.open(archive) as tar:
        members = []
        for member in tar.getmembers():
            path = pathlib.PurePosixPath(member.name)
            if path.is_absolute() or ".." in path.parts or not (member.isfile() or member.isdir()):
                sys.exit(f"{archive} holds {member.name}, which is no plain file")
            if member.isfile() and wanted(pathlib.PurePosixPath(*path.parts[1:]), package):
                members.append(member)
        tar.extractall(part, members)
    (inner,) = part.iterdir()
    inner.rename(to)
    part.rmdir()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True, help="a table of debian.toml")
    parser.add_argument("--vendor", type=pathlib.Path, required=True)
    args = parser.parse_args()
    package = tomllib.loads(pathlib.Path(__file__).with_suffix(".toml").read_text())[args.name]
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    args.vendor.mkdir(parents=True, exist_ok=True)
    unpack(fetch(package, cache / "pinfold-sources"), package, args.vendor / args.name)


if __name__ == "__main__":
    main()
