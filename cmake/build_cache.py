"""build_cache.py: results of slow build steps, kept in a folder by what they were made from.

cmake/wasm_image.py uses it where a compiler cache is in use (PF_CACHE in cmake/Cache.cmake), so that
another clone of the tree does not run Binaryen and wasm2c for the same module again. An entry's name
is a hash of everything that the result depends on; an entry is one compressed archive, put in place
in one step, so that several builds may share a folder.
"""

import hashlib
import os
import pathlib
import tempfile
import zipfile
import zlib

MAX_BYTES = 1 << 30  # the oldest entries go when there is more


def key(*parts: str | bytes) -> str:
    """A name for what is made from `parts`; their borders count."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()


class Cache:
    """A folder of entries; without a folder, one that never has anything."""

    def __init__(self, folder: pathlib.Path | None) -> None:
        self.folder = folder

    def fetch(self, name: str) -> dict[str, bytes] | None:
        """The files of an entry, by name. None: it is not there, or is damaged."""
        if self.folder is None:
            return None
        path = self.folder / name
        try:
            with zipfile.ZipFile(path) as archive:
                files = {member: archive.read(member) for member in archive.namelist()}
            os.utime(path)
            return files
        except (OSError, EOFError, zipfile.BadZipFile, zlib.error):
            return None

    def store(self, name: str, files: dict[str, bytes]) -> None:
        """Keeps an entry. A folder that cannot be written is no error: the next build works again."""
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, prefix=".", delete=False) as part:
                with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                    for member, data in files.items():
                        archive.writestr(member, data)
            os.replace(part.name, self.folder / name)
            self.trim()
        except OSError:
            pass

    def trim(self) -> None:
        """Removes the entries that were not used for longest, until the rest is small enough."""
        entries = []
        for path in self.folder.iterdir():
            try:
                status = path.stat()
            except FileNotFoundError:  # another build was quicker
                continue
            entries.append((status.st_mtime, status.st_size, path))
        total = 0
        for _, size, path in sorted(entries, reverse=True):
            total += size
            if total > MAX_BYTES:
                path.unlink(missing_ok=True)
