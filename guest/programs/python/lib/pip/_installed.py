"""Packages that are installed."""

import importlib.metadata
import os
import pathlib
import site
import sys

from ._requirements import Requirement, canonical
from ._versions import Version


class Installed:
    """A package by its .dist-info folder, on sys.path or in one folder."""

    def __init__(self, distribution):
        self.distribution = distribution
        self.name = distribution.metadata["Name"]
        self.key = canonical(self.name)
        self.version = Version(distribution.version)
        self.info = pathlib.Path(str(distribution._path))
        self.folder = self.info.parent

    def requires(self, extras=()):
        found = [Requirement(text) for text in self.distribution.requires or []]
        return [requirement for requirement in found if requirement.applies(extras)]

    def files(self):
        """Relative to its folder; empty without a RECORD."""
        return [str(file) for file in self.distribution.files or []]

    def remove(self):
        """Its files, and the folders that are empty then."""
        parents = set()
        for name in self.files():
            path = pathlib.Path(os.path.normpath(self.folder / name))
            cached = path.parent / "__pycache__"
            for file in [path, *cached.glob(f"{path.stem}.*.pyc")]:
                try:
                    file.unlink()
                except FileNotFoundError:
                    pass
                parents.update(file.parents)
        for parent in sorted(parents, key=lambda path: -len(path.parts)):
            if self.folder in parent.parents:
                try:
                    parent.rmdir()
                except OSError:
                    pass


def all_installed(folder=None):
    """By canonical name; the first on the path counts."""
    found = {}
    for distribution in importlib.metadata.distributions(
        path=[str(folder)] if folder else sys.path
    ):
        if distribution.metadata["Name"] and distribution.metadata["Version"]:
            package = Installed(distribution)
            found.setdefault(package.key, package)
    return found


def user_folders():
    """Where packages go, and scripts."""
    return pathlib.Path(site.getusersitepackages()), pathlib.Path(site.getuserbase()) / "bin"
