"""The command: pip, pip3, python3 -m pip."""

import argparse
import json
import os
import sys

from . import __version__
from ._install import NO_NETWORK, install
from ._installed import all_installed
from ._requirements import canonical
from ._wheels import Refused

USAGE = """
Usage:
  pip <command> [options]

Commands:
  install                     Install wheels that lie in the sandbox.
  uninstall                   Uninstall packages.
  freeze                      Output installed packages in requirements format.
  list                        List installed packages.
  show                        Show information about installed packages.
  check                       Verify installed packages have compatible dependencies.
  help                        Show help for commands.

There is no network: packages come from files (pip install ./NAME.whl, --find-links FOLDER).
"""
NO_COMMAND = (
    "download",
    "wheel",
    "search",
    "index",
    "cache",
    "config",
    "hash",
    "debug",
    "completion",
    "inspect",
)
IGNORED = (
    "--disable-pip-version-check",
    "--no-input",
    "--no-color",
    "--no-cache-dir",
    "--isolated",
    "--no-warn-script-location",
)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        raise Refused(message.replace("unrecognized arguments", "no such option"))


def parser(command):
    p = Parser(prog=f"pip {command}", usage=f"pip {command} [options] ...", allow_abbrev=False)
    p.add_argument("-q", "--quiet", action="count", default=0)
    p.add_argument("-v", "--verbose", action="count", default=0)
    for option in IGNORED:
        p.add_argument(option, action="store_true", help=argparse.SUPPRESS)
    return p


def for_install():
    p = parser("install")
    p.add_argument("words", nargs="*", metavar="requirement or wheel")
    p.add_argument("-r", "--requirement", action="append", default=[], metavar="file")
    p.add_argument("-c", "--constraint", action="append", default=[], metavar="file")
    p.add_argument("-f", "--find-links", action="append", default=[], metavar="folder")
    p.add_argument("-t", "--target", metavar="dir", help="Install packages into <dir>.")
    p.add_argument("-U", "--upgrade", action="store_true")
    p.add_argument("--force-reinstall", dest="force", action="store_true")
    p.add_argument("--no-deps", action="store_true")
    p.add_argument("--no-index", action="store_true")
    p.add_argument("--pre", action="store_true")
    p.add_argument("--dry-run", action="store_true")
    for option in (
        "--user",
        "--break-system-packages",
        "--no-compile",
        "--compile",
        "--prefer-binary",
    ):
        p.add_argument(option, action="store_true", help=argparse.SUPPRESS)
    for option in (
        "-i",
        "--index-url",
        "--extra-index-url",
        "--only-binary",
        "--no-binary",
        "--root-user-action",
        "--upgrade-strategy",
        "--trusted-host",
        "--timeout",
        "--retries",
        "--progress-bar",
    ):
        p.add_argument(option, help=argparse.SUPPRESS)
    return p


def do_install(words):
    options = for_install().parse_args(words)
    return install(options.words, options)


def do_uninstall(words):
    p = parser("uninstall")
    p.add_argument("words", nargs="*", metavar="package")
    p.add_argument("-r", "--requirement", action="append", default=[], metavar="file")
    p.add_argument("-y", "--yes", action="store_true")
    p.add_argument("--break-system-packages", action="store_true", help=argparse.SUPPRESS)
    options = p.parse_args(words)
    from ._install import read_file

    options.constraints, options.find_links, options.pre = [], [], False
    names = options.words + [
        w.requirement.name for f in options.requirement for w in read_file(f, options)
    ]
    if not names:
        raise Refused(
            'You must give at least one requirement to uninstall (see "pip help uninstall")'
        )
    for name in names:
        package = all_installed().get(canonical(name))
        if not package:
            print(f"WARNING: Skipping {name} as it is not installed.", file=sys.stderr)
            continue
        if not os.access(package.folder, os.W_OK):
            raise Refused(f"{package.folder} cannot be written: {package.name} stays")
        print(f"Found existing installation: {package.name} {package.version}")
        print(f"Uninstalling {package.name}-{package.version}:")
        if not options.yes:
            print("  Would remove:")
            for file in package.files():
                print(f"    {os.path.normpath(package.folder / file)}")
            if input("Proceed (Y/n)? ").strip().lower() not in ("", "y", "yes"):
                continue
        package.remove()
        print(f"  Successfully uninstalled {package.name}-{package.version}")
    return 0


def sorted_packages(path=None):
    return [package for _, package in sorted(all_installed(path).items())]


def do_list(words):
    p = parser("list")
    p.add_argument("--format", choices=("columns", "freeze", "json"), default="columns")
    p.add_argument("--path")
    p.add_argument("-o", "--outdated", action="store_true")
    p.add_argument("--user", action="store_true")
    p.add_argument("--not-required", action="store_true")
    options = p.parse_args(words)
    if options.outdated:
        raise Refused("what is newer cannot be known. " + NO_NETWORK)
    packages = sorted_packages(options.path)
    if options.not_required:
        needed = {r.key for package in packages for r in package.requires()}
        packages = [package for package in packages if package.key not in needed]
    if options.format == "json":
        print(json.dumps([{"name": p.name, "version": str(p.version)} for p in packages]))
    elif options.format == "freeze":
        for package in packages:
            print(f"{package.name}=={package.version}")
    elif packages:
        rows = [("Package", "Version"), *((p.name, str(p.version)) for p in packages)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, tuple("-" * width for width in widths))
        for row in rows:
            print(
                " ".join(
                    cell.ljust(width) for cell, width in zip(row, widths, strict=True)
                ).rstrip()
            )
    return 0


def do_freeze(words):
    p = parser("freeze")
    p.add_argument("--all", action="store_true")
    p.add_argument("--user", action="store_true")
    p.add_argument("--path")
    for package in sorted_packages(p.parse_args(words).path):
        print(f"{package.name}=={package.version}")
    return 0


def do_show(words):
    p = parser("show")
    p.add_argument("words", nargs="*", metavar="package")
    p.add_argument("-f", "--files", action="store_true")
    options = p.parse_args(words)
    if not options.words:
        print("WARNING: ERROR: Please provide a package name or names.", file=sys.stderr)
        return 1
    everything = all_installed()
    missing = [name for name in options.words if canonical(name) not in everything]
    if missing:
        print(f"WARNING: Package(s) not found: {', '.join(missing)}", file=sys.stderr)
    found = [everything[canonical(n)] for n in options.words if canonical(n) in everything]
    for number, package in enumerate(found):
        if number:
            print("---")
        show(package, everything, options.files)
    return 0 if found else 1


def show(package, everything, files):
    metadata = package.distribution.metadata
    requires = sorted({r.name for r in package.requires()}, key=str.lower)
    users = sorted(
        (p.name for p in everything.values() if package.key in {r.key for r in p.requires()}),
        key=str.lower,
    )
    for label, value in (
        ("Name", package.name),
        ("Version", package.version),
        ("Summary", metadata.get("Summary", "")),
        ("Home-page", metadata.get("Home-page", "")),
        ("Author", metadata.get("Author", "")),
        ("Author-email", metadata.get("Author-email", "")),
        ("License", metadata.get("License", "")),
        ("Location", package.folder),
        ("Requires", ", ".join(requires)),
        ("Required-by", ", ".join(users)),
    ):
        print(f"{label}: {value}")
    if files:
        print("Files:")
        for file in sorted(package.files()):
            print(f"  {file}")


def do_check(words):
    parser("check").parse_args(words)
    everything, status = all_installed(), 0
    for _, package in sorted(everything.items()):
        for needed in package.requires():
            there = everything.get(needed.key)
            if there and needed.specifier.allows(there.version):
                continue
            status = 1
            start = f"{package.name} {package.version}"
            if there:
                print(
                    f"{start} has requirement {needed}, but you have {there.name} {there.version}."
                )
            else:
                print(f"{start} requires {needed.name}, which is not installed.")
    if not status:
        print("No broken requirements found.")
    return status


def do_help(words):
    if words and words[0] == "install":
        for_install().print_help()
    else:
        print(USAGE)
    return 0


COMMANDS = {
    "install": do_install,
    "uninstall": do_uninstall,
    "list": do_list,
    "freeze": do_freeze,
    "show": do_show,
    "check": do_check,
    "help": do_help,
}


def main(words=None):
    words = list(sys.argv[1:] if words is None else words)
    while words and words[0] in IGNORED:
        words.pop(0)
    if not words or words[0] in ("-h", "--help"):
        return do_help(words[1:])
    if words[0] in ("-V", "--version"):
        print(f"pip {__version__} from {os.path.dirname(__file__)} (python 3.11)")
        return 0
    command = words.pop(0)
    try:
        if command in COMMANDS:
            return COMMANDS[command](words)
        if command in NO_COMMAND:
            raise Refused(f"this pip has no command {command!r}. {NO_NETWORK}")
        raise Refused(f'unknown command "{command}"')
    except Refused as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, EOFError):
        print("ERROR: Operation cancelled by user", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
