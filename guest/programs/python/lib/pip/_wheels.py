"""Wheels: their names, their metadata, and where their files go."""

import base64
import csv
import email
import hashlib
import io
import os
import pathlib
import sys
import zipfile

from ._requirements import Requirement, canonical
from ._versions import Specifier, Version

SCRIPT = """#!{python}
import sys
from {module} import {first}
if __name__ == "__main__":
    sys.argv[0] = sys.argv[0].removesuffix(".exe")
    sys.exit({function}())
"""


class Refused(Exception):
    """What pip says after ERROR:"""


class Wheel:
    """A file NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        parts = self.path.name.removesuffix(".whl").split("-")
        if self.path.suffix != ".whl" or len(parts) not in (5, 6):
            raise Refused(f"Invalid wheel filename: {self.path.name}")
        self.name, self.key = parts[0].replace("_", "-"), canonical(parts[0])
        try:
            self.version = Version(parts[1].replace("_", "-"))
        except ValueError:
            raise Refused(f"Invalid wheel filename: {self.path.name}") from None
        self.tags = [tag.split(".") for tag in parts[-3:]]
        self._metadata = None

    @property
    def fits(self):
        """Is it of Python alone, for a version that is here?"""
        pythons, abis, platforms = self.tags
        minors = range(sys.version_info[1] + 1)
        known = {"py3", "cp3", *(f"{kind}3{minor}" for kind in ("py", "cp") for minor in minors)}
        return "any" in platforms and "none" in abis and not known.isdisjoint(pythons)

    def open(self):
        try:
            return zipfile.ZipFile(self.path)
        except FileNotFoundError:
            raise Refused(
                "Could not install packages due to an OSError: [Errno 2] No such file or "
                f"directory: {str(self.path)!r}"
            ) from None
        except (OSError, zipfile.BadZipFile) as error:
            raise Refused(
                f"Wheel {self.name!r} located at {self.path} is invalid: {error}"
            ) from None

    def info_folder(self, archive):
        wanted = self.path.name.split("-")[0]
        for name in archive.namelist():
            folder, _, rest = name.partition("/")
            if rest == "METADATA" and folder.endswith(".dist-info"):
                if canonical(folder.split("-")[0]) == canonical(wanted):
                    return folder
        raise Refused(f"{self.path.name} has no .dist-info folder of its name, with METADATA")

    @property
    def metadata(self):
        if self._metadata is None:
            with self.open() as archive:
                text = archive.read(f"{self.info_folder(archive)}/METADATA").decode()
            self._metadata = email.message_from_string(text)
        return self._metadata

    def requires(self, extras):
        found = [Requirement(text) for text in self.metadata.get_all("Requires-Dist") or []]
        return [requirement for requirement in found if requirement.applies(extras)]

    def fits_python(self):
        wanted = self.metadata.get("Requires-Python")
        return not wanted or Specifier(wanted).allows(Version(sys.version.split()[0]))

    def install(self, site, bin_folder, requested):
        """Puts its files below `site`, scripts into `bin_folder`."""
        record = []
        with self.open() as archive:
            info = self.info_folder(archive)
            for member in archive.infolist():
                if not member.is_dir() and member.filename != f"{info}/RECORD":
                    self._put(archive, member, site, bin_folder, record)
            points = f"{info}/entry_points.txt"
            if points in archive.namelist():
                _put_scripts(archive.read(points).decode(), site, bin_folder, record)
        _write(site, site / info / "INSTALLER", b"pip\n", record)
        if requested:
            _write(site, site / info / "REQUESTED", b"", record)
        text = io.StringIO()
        rows = [*record, [f"{info}/RECORD", "", ""]]
        csv.writer(text, lineterminator="\n").writerows(rows)
        (site / info / "RECORD").write_text(text.getvalue())

    def _put(self, archive, member, site, bin_folder, record):
        name, data = member.filename, archive.read(member)
        first, _, rest = name.partition("/")
        folder = site
        mode = (member.external_attr >> 16) & 0o111
        if first.endswith(".data"):
            scheme, _, name = rest.partition("/")
            if scheme == "scripts":
                folder, mode = bin_folder, 0o111
                if data.startswith((b"#!python", b"#!pythonw")):
                    line, _, text = data.partition(b"\n")
                    data = b"#!" + sys.executable.encode() + b"\n" + text
            elif scheme == "data":
                folder = bin_folder.parent
            elif scheme == "headers":
                folder = bin_folder.parent / "include" / "python3.11" / self.name
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise Refused(f"{self.path.name} has a file outside of where it is installed: {name}")
        _write(site, path, data, record)
        if mode:
            path.chmod(0o755)


def _write(site, path, data, record):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record.append([os.path.relpath(path, site), f"sha256={digest}", str(len(data))])


def _put_scripts(text, site, bin_folder, record):
    import configparser

    points = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    points.optionxform = str
    points.read_string(text)
    for section in ("console_scripts", "gui_scripts"):
        for name, value in points.items(section) if points.has_section(section) else ():
            module, _, function = value.partition("[")[0].strip().partition(":")
            script = SCRIPT.format(
                python=sys.executable,
                module=module.strip(),
                function=function.strip(),
                first=function.strip().split(".")[0],
            )
            path = bin_folder / name
            _write(site, path, script.encode(), record)
            path.chmod(0o755)
