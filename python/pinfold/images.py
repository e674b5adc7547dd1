"""The images of a build as one file, with which a later version continues what that build began.

A snapshot in the middle of a run is the memory of that build's programs, and means nothing to others. So
who upgrades keeps the old images (``pinfold images export FILE``), and
``Sandbox.restore(data, images=FILE, isolation="process")`` lets a worker of the old version go on, under the
policy, limits and ledger of this one.

An images file is a zip: ``manifest.json``, which names the build, the protocol that its worker speaks
and the digests of the files, and the package without what only an embedder needs. It is native code
that runs in the worker before that is shut in: take one only from where you would install pinfold.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import platform
import shutil
import tempfile
import zipfile
from pathlib import Path

from . import _native
from .errors import SnapshotError
from .wire import PROTOCOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from typing import Any

FORMAT = 1
_MANIFEST = "manifest.json"
_MOST_FILES = 2000
_MOST_BYTES = 1 << 30
_MANIFEST_BYTES = 1 << 20


class ImagesError(SnapshotError):
    """A file of images that is damaged, or that this pinfold cannot use; the message names it."""


class Images:
    """The images of one build, in a file that `export` made.

    `build` is its digest in hexadecimal, as snapshots name it, `version` that of pinfold.
    ``digest``, if given, is the SHA-256 of the whole file in hexadecimal, which you have noted where
    nobody else writes: another file is an `ImagesError`.
    """

    def __init__(self, path: str | PathLike[str], *, digest: str | None = None) -> None:
        self.path = os.fspath(path)
        self.digest = _digest(self.path)
        if digest is not None and digest.lower() != self.digest:
            raise ImagesError(f"{self.path}: its digest is {self.digest}, not {digest}")
        manifest = self._read()
        self.build: str = manifest["build"]
        self.version: str = manifest["version"]
        self.protocol: int = manifest["protocol"]
        self.machine: str = manifest["machine"]
        self._files: dict[str, str] = manifest["files"]
        self._home: str | None = None

    def _read(self) -> dict[str, Any]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                if archive.getinfo(_MANIFEST).file_size > _MANIFEST_BYTES:
                    raise ValueError("its manifest is too large")
                manifest = json.loads(archive.read(_MANIFEST))
        except (zipfile.BadZipFile, KeyError, ValueError, RecursionError) as error:
            raise ImagesError(f"{self.path}: this is no file of images: {error}") from None
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            shown = manifest.get("format") if isinstance(manifest, dict) else None
            raise ImagesError(f"{self.path}: images of format {shown}; this pinfold reads {FORMAT}")
        for name, kind in _SHAPE.items():
            if type(manifest.get(name)) is not kind:
                raise ImagesError(f"{self.path}: its manifest does not say {name}")
        return manifest

    def check(self) -> None:
        """Can a worker of it work for this version? Otherwise `ImagesError`, which says why."""
        if self.protocol != PROTOCOL:
            raise ImagesError(
                f"{self.path}: a worker of pinfold {self.version} speaks protocol {self.protocol},"
                f" and this one {PROTOCOL}: continue the snapshot with a version between them"
            )
        if self.machine != platform.machine():
            raise ImagesError(f"{self.path}: images for {self.machine}, not {platform.machine()}")

    def home(self) -> str:
        """Where the package lies, unpacked for this process."""
        if self._home is None:
            self.check()
            self._home = self._unpack()
        return self._home

    def _unpack(self) -> str:
        place = tempfile.mkdtemp(prefix="pinfold-images-")
        atexit.register(_remove, os.getpid(), place)
        left = _MOST_BYTES
        with zipfile.ZipFile(self.path) as archive:
            if len(self._files) > _MOST_FILES:
                raise ImagesError(f"{self.path}: it has too many files")
            for name, digest in self._files.items():
                if not _is_plain(name):
                    raise ImagesError(f"{self.path}: it has a file {name!r}")
                try:
                    with archive.open(name) as member:
                        data = member.read(left + 1)
                except (KeyError, zipfile.BadZipFile, OSError) as error:
                    raise ImagesError(f"{self.path}: {name}: {error}") from None
                left -= len(data)
                if left < 0 or hashlib.sha256(data).hexdigest() != digest:
                    raise ImagesError(f"{self.path}: {name} is damaged")
                to = Path(place, name)
                to.parent.mkdir(exist_ok=True)
                to.write_bytes(data)
        return place

    def __repr__(self) -> str:
        return f"<Images of pinfold {self.version}, build {self.build[:16]}…>"


_SHAPE = {"build": str, "version": str, "protocol": int, "machine": str, "files": dict}


def export(path: str | PathLike[str]) -> Images:
    """Writes the images of this build, some tens of MB, to a file that is there whole or not at all."""
    package = Path(__file__).parent
    names = sorted(entry.name for entry in package.iterdir() if _is_needed(entry))
    place = Path(path)
    part = place.with_name(place.name + f".{os.getpid()}.part")
    files = {}
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                data = (package / name).read_bytes()
                # With no time: the same bytes each time.
                member = zipfile.ZipInfo(f"pinfold/{name}")
                member.compress_type = zipfile.ZIP_DEFLATED
                member.external_attr = 0o644 << 16
                archive.writestr(member, data)
                files[member.filename] = hashlib.sha256(data).hexdigest()
            manifest = {
                "format": FORMAT,
                "build": build(),
                "version": _native.version,
                "protocol": PROTOCOL,
                "machine": platform.machine(),
                "files": files,
            }
            archive.writestr(zipfile.ZipInfo(_MANIFEST), json.dumps(manifest, indent=1))
        part.replace(place)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return Images(place)


def build() -> str:
    """The digest of this build, in hexadecimal, as its snapshots name it."""
    from .sandbox import Sandbox

    with Sandbox() as sandbox:
        return _native.snapshot_info(sandbox.snapshot())[5]


def chosen(images: Any, data: bytes) -> Images | None:
    """Of these images (a path, `Images`, or several) those of the build that made a snapshot."""
    wanted = _native.snapshot_info(data)[5]
    for given in _several(images):
        one = given if isinstance(given, Images) else Images(given)
        if one.build == wanted:
            return one
    return None


def needed(images: Any, data: bytes, isolation: str | None) -> Images | None:
    """The images that a snapshot goes on with; ``None``: this build itself takes it.

    `SnapshotError`: none of them is of its build.
    """
    from .portable import kind_of

    if images is None or kind_of(data) == "portable":
        return None
    facts = _native.snapshot_info(data)
    if facts[2]:
        return None
    found = chosen(images, data)
    if found is None:
        raise SnapshotError(
            f"the snapshot comes from the build {facts[5][:16]}…, and none of the images is of that"
        )
    if isolation != "process":
        raise ValueError(
            "images of another build run in a worker of their own: give isolation='process' as well"
        )
    found.check()
    return found


def _several(images: str | PathLike[str] | Images | Iterable[Any]) -> Iterable[Any]:
    if isinstance(images, (str, os.PathLike, Images)):
        return [images]
    return images


def _is_needed(entry: Path) -> bool:
    """What a worker imports: modules, the native one, the library. No programs, no caches."""
    name = entry.name
    return entry.is_file() and (
        name.endswith((".py", ".abi3.so")) or name.startswith("libpinfold.so")
    )


def _is_plain(name: object) -> bool:
    parts = name.split("/") if isinstance(name, str) else []
    return len(parts) == 2 and parts[0] == "pinfold" and parts[1] not in ("", ".", "..")


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _remove(owner: int, place: str) -> None:
    if os.getpid() == owner:  # a child of fork() leaves it to its parent
        shutil.rmtree(place, ignore_errors=True)
