#!/usr/bin/env python3
"""test_cpython: CPython's own tests, Lib/test of its archive, run by the python3 of the sandbox.

    tools/test_cpython.py [--jobs N] [--seconds N] [MODULE...]

Each module runs in a sandbox of its own, with its folder mounted. What fails must be what
tests/cpython/failures.txt lists, each with its reason: anything more is a failure here, and so is a
listed test that passes. Without modules it runs all that tests/cpython/modules.txt names. A module
that neither stands there nor in tests/cpython/excluded.txt, with the reason, is a failure, too. A
single test that would keep its module from ending stands there as well, and is not run.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import sys
import tarfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "third_party"))

import debian  # noqa: E402

from pinfold import Limits, Sandbox  # noqa: E402

LIMITS = {
    "wall_seconds": 1800,
    "memory_bytes": 1 << 30,
    "process_memory_bytes": 1 << 29,
    "output_bytes": 1 << 24,
}
TESTS = ("Lib/test", "Lib/unittest/test")
EXCLUDED = ROOT / "tests" / "cpython" / "excluded.txt"
RUN = """
import importlib, json, sys, unittest
import test.support
from test.support import socket_helper

class Result(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        seen[test.id()] = "ended here"
    def stopTest(self, test):
        super().stopTest(test)
        if seen.get(test.id()) == "ended here":
            seen[test.id()] = ""
        save()
    def note(self, test, error, kind=None):
        name = test.id()
        if hasattr(test, "test_case"):
            name = test.test_case.id()
        if not kind and issubclass(error[0], ImportError) and error[1].name in NOT_BUILT:
            seen.pop(name, None)
            skipped.append(name)
            return
        seen[name] = kind or f"{error[0].__name__}: {error[1]}".strip().partition("\\n")[0][:200]
    def addError(self, test, error):
        super().addError(test, error)
        self.note(test, error)
    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.note(test, error)
    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.note(test, error)
    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note(test, None, "unexpected success")
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        skipped.append(test.id())

seen, skipped = {}, []
# C of the tests: who needs it is skipped.
NOT_BUILT = {"_testcapi", "_testinternalcapi", "_testbuffer", "_testmultiphase", "xxsubtype"}
def save():
    with open("/tmp/result.json", "w") as out:
        json.dump({"seen": seen, "skipped": len(skipped)}, out)

# The suite but for the tests that are not to be run.
def without(suite):
    kept = [without(test) if isinstance(test, unittest.TestSuite) else test for test in suite]
    return type(suite)(test for test in kept
                       if isinstance(test, unittest.TestSuite) or test.id() not in sys.argv[2:])

def run(suite):
    suite = without(suite)
    unittest.TextTestRunner(resultclass=Result, verbosity=0).run(suite)

# Of the C of the tests, which is not built: how the interpreter was configured.
class Internal(type(sys)):
    get_config = staticmethod(lambda: {"code_debug_ranges": 1})
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise ImportError("C of the tests", name="_testinternalcapi")
sys.modules["_testinternalcapi"] = Internal("_testinternalcapi")
if sys.argv[1].startswith("test.test_sqlite3"):  # which asks for no more than these
    limits = sys.modules["_testcapi"] = type(sys)("_testcapi")
    limits.INT_MAX, limits.ULLONG_MAX = 2**31 - 1, 2**64 - 1
socket_helper._bind_nix_socket_error = OSError("there is no network")  # who needs it is skipped
test.support.use_resources = ["cpu", "decimal", "subprocess", "tzdata", "walltime"]
save()
try:
    module = importlib.import_module(sys.argv[1])
    if hasattr(module, "test_main"):  # it says what its tests are
        test.support._run_suite = run
        module.test_main()
    else:
        run(unittest.defaultTestLoader.loadTestsFromModule(module))
except unittest.SkipTest as reason:
    skipped.append(str(reason))
save()
"""


def tests_folder(build: pathlib.Path) -> pathlib.Path:
    """Lib, with the folders of tests alone, unpacked once."""
    folder = build / "cpython-tests"
    if not (folder / "complete").exists():
        package = tomllib.loads((ROOT / "third_party" / "debian.toml").read_text())["cpython"]
        cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
        with tarfile.open(debian.fetch(package, cache / "pinfold-sources")) as tar:
            for member in tar.getmembers():
                path = pathlib.PurePosixPath(*pathlib.PurePosixPath(member.name).parts[1:])
                if member.isfile() and any(map(path.is_relative_to, TESTS)):
                    member.name = str(path)
                    tar.extract(member, folder, filter="data")
        (folder / "complete").touch()
    return folder / "Lib"


def run(module: str, folder: pathlib.Path, seconds: float) -> tuple[str, dict[str, str], int, str]:
    """What each test said (nothing: it passed), how many were skipped, how the module ended."""
    names = [name.removeprefix("Lib/") for name in TESTS]
    mounts = {f"/usr/lib/python3.11/{name}": folder / name for name in names}
    limits = Limits(**LIMITS, cpu_seconds=seconds)
    with Sandbox(limits=limits, mounts=mounts) as sandbox:
        sandbox.files["/tmp/run.py"] = RUN
        left_out = [f" test.{name}" for name in listed(EXCLUDED) if name.startswith(f"{module}.")]
        result = sandbox.run(f"cd /tmp && python3 run.py test.{module}{''.join(left_out)}")
        try:
            told = json.loads(sandbox.files.read("/tmp/result.json"))
        except OSError:
            told = {"seen": {}, "skipped": 0}
    seen = {name.removeprefix("test."): why for name, why in told["seen"].items()}
    ended = "" if result.exit_code == 0 else result.stderr.strip().rpartition("\n")[2][:200]
    if result.exit_code != 0:
        seen[module] = ended or f"status {result.exit_code}"
    return module, seen, told["skipped"], ended


def listed(path: pathlib.Path) -> dict[str, str]:
    lines = [line for line in path.read_text().splitlines() if line and line[0] != "#"]
    return {name: why for name, _, why in (line.partition(" -- ") for line in lines)}


def unlisted(folder: pathlib.Path) -> list[str]:
    """Modules of which nobody has said whether they run."""
    lists = ROOT / "tests" / "cpython"
    told = {*listed(lists / "modules.txt"), *listed(EXCLUDED)}
    told |= {name.partition(".")[0] for name in told}  # some packages are run module by module
    found = {path.stem for path in (folder / "test").glob("test_*") if path.suffix in ("", ".py")}
    return sorted(found - told)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1, help="modules at once")
    parser.add_argument("--seconds", type=float, default=300, help="of processor time for a module")
    parser.add_argument("modules", nargs="*")
    args = parser.parse_args()
    modules = args.modules or list(listed(ROOT / "tests" / "cpython" / "modules.txt"))
    known = listed(ROOT / "tests" / "cpython" / "failures.txt")
    folder = tests_folder(args.build)
    total = failed = skips = 0
    surprises = 0 if args.modules else len(unlisted(folder))
    for module in [] if args.modules else unlisted(folder):
        print(f"{module} is not listed")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for module, seen, skipped, ended in pool.map(
            lambda name: run(name, folder, args.seconds), modules
        ):
            bad = {name: why for name, why in seen.items() if why}
            total, failed, skips = total + len(seen), failed + len(bad), skips + skipped
            print(
                f"{module}: {len(seen)} tests, {len(bad)} fail, {skipped} skipped {ended}",
                flush=True,
            )
            for name, why in sorted(bad.items()):
                if name not in known:
                    surprises += 1
                    print(f"    {name} -- {why}", flush=True)
            for name in known:
                if name in seen and not seen[name]:
                    surprises += 1
                    print(f"    {name} passes: take it from the list", flush=True)
    share = 100 * (total - failed) / max(total, 1)
    print(f"{total} tests, {failed} fail, {skips} skipped: {share:.1f} % pass")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
