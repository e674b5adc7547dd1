#!/usr/bin/env python3
"""Two clean builds in different folders give the same files: `make reproducible`.

usage: reproducible.py --work DIR [--jobs N] [--programs A;B;…] [--keep]

Copies what git knows of the tree (with changes that are not committed) to two folders of different
length, builds the product and the wheel in each, without caches, and compares: programs, libraries,
modules, the wheel, the installed files. --programs builds only those images: minutes instead of
half an hour.
"""

import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["a", "another/one/with/a/longer/name"]
EPOCH = "1700000000"  # a wheel's members have the time that this says


def copy(to: pathlib.Path) -> None:
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in names:
        source = ROOT / name
        if name and source.is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, to / name)


def build(folder: pathlib.Path, args) -> None:
    environment = os.environ | {"CCACHE_DISABLE": "1", "SOURCE_DATE_EPOCH": EPOCH}
    def run(*command) -> None:
        done = subprocess.run([str(word) for word in command], cwd=folder, env=environment,
                              capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{folder}: {command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    options = [f"-DPF_PROGRAMS={args.programs}"] if args.programs else []
    run("cmake", "-S", ".", "-B", "build", "-G", "Ninja", f"-DPF_CACHE={folder}/cache", "-DBUILD_TESTING=OFF",
        *options)
    run("cmake", "--build", "build", "-j", args.jobs, "--target", "product")
    run("cmake", "--install", "build", "--prefix", folder / "installed")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
        "-w", folder / "wheel",
        f"--config-settings=cmake.define.PF_PACKAGE={folder}/build/python/pinfold",
        f"--config-settings=build-dir={folder}/wheel-build", ".")


def results(folder: pathlib.Path) -> dict[str, str]:
    """Digests of all that was made for people, and of the modules on the way."""
    files = {p.relative_to(folder): p for p in (folder / "installed").rglob("*") if p.is_file()}
    files |= {p.relative_to(folder): p for p in (folder / "build/wasm").glob("*.wasm")}
    files |= {p.relative_to(folder): p for p in (folder / "wheel").glob("*.whl")}
    files |= {p.relative_to(folder): p for p in (folder / "build/python/pinfold").glob("_*") if not p.is_symlink()}
    return {str(name): hashlib.sha256(path.read_bytes()).hexdigest()
            for name, path in sorted(files.items())}


def explain(name: str, a: pathlib.Path, b: pathlib.Path) -> str:
    """Where two files differ first, or which members of two wheels do."""
    if name.endswith(".whl"):
        with zipfile.ZipFile(a) as one, zipfile.ZipFile(b) as two:
            left = [(i.filename, i.date_time, i.CRC, i.external_attr) for i in one.infolist()]
            right = [(i.filename, i.date_time, i.CRC, i.external_attr) for i in two.infolist()]
        return f"members {[x for x in left if x not in right]}, {[x for x in right if x not in left]}"
    x, y = a.read_bytes(), b.read_bytes()
    at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
    return f"at {at}: {x[max(0, at - 32):at + 32]!r}, {y[max(0, at - 32):at + 32]!r}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", default=str(os.cpu_count()))
    parser.add_argument("--programs", default="")
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    shutil.rmtree(args.work, ignore_errors=True)
    folders = [args.work.resolve() / name for name in FOLDERS]
    for folder in folders:
        folder.mkdir(parents=True)
        copy(folder)
        build(folder, args)
    one, two = map(results, folders)
    different = [name for name in {**one, **two} if one.get(name) != two.get(name)]
    for name in different:
        print(f"differs: {name}", end=" ")
        here = [folder / name for folder in folders]
        print(explain(name, *here) if all(p.exists() for p in here) else "is only in one")
    print(f"{len(one)} files, {len(different)} differ")
    if not args.keep and not different:
        shutil.rmtree(args.work)
    return bool(different) or not one


if __name__ == "__main__":
    sys.exit(main())
