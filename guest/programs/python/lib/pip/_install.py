"""pip install: finds wheels for what is asked for and for what that requires, and installs them."""

import os
import pathlib
import re
import urllib.parse

from ._installed import all_installed, user_folders
from ._requirements import Requirement
from ._wheels import Refused, Wheel

NO_NETWORK = (
    "There is no network in this sandbox, and so no package index. What can be done:\n"
    "  - a wheel that lies here: pip install ./NAME.whl, or\n"
    "    pip install --no-index --find-links FOLDER NAME\n"
    "  - ask for the package to be mounted or put into /workspace, and name its folder in\n"
    "    PYTHONPATH\n"
    "  - the standard library is whole: urllib.request, sqlite3, csv, json, decimal, statistics,\n"
    "    asyncio"
)
INSTEAD = {
    "requests": "urllib.request makes requests through the tool http/request, and requests does so, too, "
    "when its wheel is installed from a file",
    "httpx": "urllib.request makes requests through the tool http/request, and httpx does so, too, "
    "when its wheel is installed from a file",
    "pytz": "zoneinfo knows the time zones",
    "simplejson": "json is the same",
    "dataclasses": "dataclasses is part of Python 3.11",
    "pathlib": "pathlib is part of Python 3.11",
    "typing": "typing is part of Python 3.11",
}


class Wanted:
    """What the command line asks for: a requirement, or a wheel by its path."""

    def __init__(self, requirement, wheel=None, words=None):
        self.requirement, self.wheel, self.words = requirement, wheel, words

    @property
    def key(self):
        return self.wheel.key if self.wheel else self.requirement.key


def looks_like_path(text):
    return text.endswith(".whl") or os.sep in text or text in (".", "..") or "://" in text


def parse(text, base=None):
    """A word of the command line, or a line of a file of requirements."""
    if not looks_like_path(text.partition(";")[0].partition("@")[0].strip()):
        try:
            requirement = Requirement(text)
        except ValueError as error:
            raise Refused(str(error)) from None
        if requirement.url:
            return Wanted(requirement, Wheel(local_path(requirement.url)), requirement.url)
        return Wanted(requirement)
    found = re.fullmatch(r"(.*?)(\[[^\]]*\])?", text.strip())
    path = local_path(found[1])
    if base and not path.is_absolute():
        path = base / path
    if not path.exists():
        raise Refused(
            f"Invalid requirement: {text!r}\n"
            f"Hint: It looks like a path. File {str(path)!r} does not exist."
        )
    if path.suffix != ".whl":
        raise Refused(
            f"{text} is no wheel: nothing is built in this sandbox (that takes setuptools or the "
            "like, from the network).\n"
            "Build it outside (pip wheel .), or put the folder with the package into PYTHONPATH."
        )
    wheel = Wheel(path)
    return Wanted(Requirement(wheel.name + (found[2] or "")), wheel, found[1])


def local_path(text):
    scheme, _, rest = text.partition("://")
    if not rest:
        return pathlib.Path(text).expanduser()
    if scheme != "file":
        raise Refused(f"{text}: {NO_NETWORK}")
    return pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(text).path))


def read_file(name, options, constraint=False):
    """The lines of a file of requirements; its own options count."""
    path = pathlib.Path(name)
    try:
        text = path.read_text()
    except OSError as error:
        raise Refused(
            f"Could not open requirements file: [Errno {error.errno}] {error.strerror}: {name!r}"
        ) from None
    wanted = []
    for line in re.sub(r"\\\n", "", text).splitlines():
        line = re.sub(r"(^|\s)#.*$", "", line).strip()
        line = re.sub(r"\s--hash=\S+", "", line)
        if not line:
            continue
        option, _, value = re.sub(r"^(--?[a-z-]+)=", r"\1 ", line).partition(" ")
        if option in ("-r", "--requirement"):
            wanted += read_file(path.parent / value.strip(), options)
        elif option in ("-c", "--constraint"):
            options.constraints += read_file(path.parent / value.strip(), options)
        elif option in ("-f", "--find-links"):
            options.find_links.append(str(path.parent / value.strip()))
        elif option in (
            "--no-index",
            "--pre",
            "--prefer-binary",
            "-i",
            "--index-url",
            "--extra-index-url",
        ):
            options.pre |= option == "--pre"
        elif line.startswith("-"):
            raise Refused(f"{name}: {option}: this pip does not know this option")
        else:
            wanted.append(parse(line, path.parent))
    return wanted


class Plan:
    """What will be installed, in the order in which it is."""

    def __init__(self, options):
        self.options = options
        self.site, self.bin = user_folders()
        if options.target:
            self.site = pathlib.Path(options.target)
            self.bin = self.site / "bin"
        self.there = all_installed(self.site if options.target else None)
        self.chosen = {}  # by canonical name: the wheel
        self.order = []
        self.asked = set()

    def log(self, *words):
        if not self.options.quiet:
            print(*words)

    def add(self, wanted, why=None):
        """Chooses a wheel for it, and for what that requires."""
        requirement = wanted.requirement
        if not requirement.applies():
            self.log(
                f"Ignoring {requirement.name}: markers {requirement.marker.strip()!r} don't match "
                "your environment"
            )
            return
        suffix = f" (from {why})" if why else ""
        key = wanted.key
        began = key not in self.chosen
        if not began:
            self.check(requirement, self.chosen[key], suffix)
            wheel = self.chosen[key]
        else:
            wheel = self.find(wanted, suffix)
            if wheel is None:
                self.follow_installed(key, requirement)
                return
            self.chosen[key] = wheel
        if not self.options.no_deps:
            for needed in wheel.requires(requirement.extras):
                if (key, needed.text, tuple(requirement.extras)) not in self.asked:
                    self.asked.add((key, needed.text, tuple(requirement.extras)))
                    self.add(Wanted(needed_without_marker(needed)), wheel.name)
        if began and wheel not in self.order:
            self.order.append(wheel)

    def follow_installed(self, key, requirement):
        if self.options.no_deps or (key, "") in self.asked:
            return
        self.asked.add((key, ""))
        package = self.there[key]
        for needed in package.requires(requirement.extras):
            self.add(Wanted(needed_without_marker(needed)), package.name)

    def check(self, requirement, wheel, suffix):
        if not requirement.specifier.allows(wheel.version):
            raise Refused(
                f"Cannot install {requirement}{suffix} because {wheel.name} {wheel.version} is to "
                "be installed, too: these package versions have conflicting dependencies."
            )

    def find(self, wanted, suffix):
        """The wheel for it; None: what is installed will do."""
        requirement, options = wanted.requirement, self.options
        installed = self.there.get(wanted.key)
        if wanted.wheel:
            wheel = wanted.wheel
            if not wheel.fits:
                raise Refused(f"{wheel.path.name} is not a supported wheel on this platform.")
            self.log(f"Processing {wanted.words}")
            if installed and installed.version == wheel.version and not options.force:
                self.log(
                    f"{wheel.name} is already installed with the same version as the provided "
                    "wheel. Use --force-reinstall to force an installation of the wheel."
                )
                return None
        else:
            if installed and not options.force and not (options.upgrade and not suffix):
                if requirement.specifier.allows(installed.version):
                    return self.satisfied(requirement, installed, suffix)
            wheel = self.search(requirement, suffix)
            if installed and installed.version == wheel.version and not options.force:
                return self.satisfied(requirement, installed, suffix)
            self.log(f"Processing {wheel.path}{suffix}")
        if not wheel.fits_python():
            raise Refused(
                f"Package {wheel.name!r} requires a different Python: 3.11.2 not in "
                f"{wheel.metadata['Requires-Python']!r}"
            )
        return wheel

    def satisfied(self, requirement, package, suffix):
        where = f"{package.folder}{suffix} ({package.version})"
        self.log(f"Requirement already satisfied: {requirement} in {where}")

    def search(self, requirement, suffix):
        """The newest wheel of --find-links that fits."""
        found = [
            wheel for wheel in self.candidates() if wheel.key == requirement.key and wheel.fits
        ]
        limits = [requirement.specifier]
        limits += [
            c.requirement.specifier for c in self.options.constraints if c.key == requirement.key
        ]
        fitting = [w for w in found if all(limit.allows(w.version) for limit in limits)]
        if not (self.options.pre or any(limit.names_prerelease for limit in limits)):
            fitting = [w for w in fitting if not w.version.is_prerelease] or fitting
        if fitting:
            return max(fitting, key=lambda wheel: wheel.version.key())
        versions = (
            ", ".join(str(w.version) for w in sorted(found, key=lambda w: w.version.key()))
            or "none"
        )
        text = (
            f"Could not find a version that satisfies the requirement {requirement}{suffix} "
            f"(from versions: {versions})\n"
            f"ERROR: No matching distribution found for {requirement}"
        )
        if not self.options.no_index:
            text += "\n" + NO_NETWORK
            if requirement.key in INSTEAD:
                text += f"\n  - instead of {requirement.key}: {INSTEAD[requirement.key]}"
        raise Refused(text)

    def candidates(self):
        wheels = []
        for place in self.options.find_links:
            folder = local_path(place)
            files = [folder] if folder.is_file() else sorted(folder.glob("*.whl"))
            for file in files:
                try:
                    wheels.append(Wheel(file))
                except Refused:
                    pass
        return wheels

    def run(self, direct):
        if not self.order:
            return
        names = ", ".join(wheel.name for wheel in self.order)
        self.log(f"Installing collected packages: {names}")
        for wheel in self.order:
            self.replace(wheel)
            wheel.install(self.site, self.bin, wheel.key in direct)
        done = " ".join(f"{wheel.name}-{wheel.version}" for wheel in self.order)
        self.log(f"Successfully installed {done}")

    def replace(self, wheel):
        old = self.there.get(wheel.key)
        if not old:
            return
        if not os.access(old.folder, os.W_OK):
            if self.options.target or old.folder == self.site:
                raise Refused(
                    f"{old.folder} cannot be written, and {old.name} {old.version} is there"
                )
            return
        self.log(f"  Attempting uninstall: {wheel.name}")
        self.log(f"    Found existing installation: {old.name} {old.version}")
        old.remove()
        self.log(f"      Successfully uninstalled {old.name}-{old.version}")


def needed_without_marker(requirement):
    """One that is known to apply."""
    requirement.marker = None
    return requirement


def install(words, options):
    options.constraints = []
    wanted = [parse(word) for word in words]
    for name in options.requirement:
        wanted += read_file(name, options)
    for name in options.constraint:
        options.constraints += read_file(name, options)
    if not wanted:
        raise Refused('You must give at least one requirement to install (see "pip help install")')
    for place in options.find_links:
        if "://" not in place and not pathlib.Path(place).expanduser().exists():
            print(
                f"WARNING: Location {place!r} is ignored: it is either a non-existing path or "
                "lacks a specific scheme."
            )
    options.find_links = [
        p for p in options.find_links if pathlib.Path(p).expanduser().exists() or "://" in p
    ]
    plan = Plan(options)
    for one in wanted:
        plan.add(one)
    if options.dry_run:
        names = " ".join(f"{wheel.name}-{wheel.version}" for wheel in plan.order)
        if names:
            plan.log(f"Would install {names}")
        return 0
    try:
        plan.run({one.key for one in wanted})
    except OSError as error:
        raise Refused(f"Could not install packages due to an OSError: {error}") from None
    return 0
