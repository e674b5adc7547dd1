"""mutant_tests.py: the test programs with every mutation in them, for tools/mutate.py.

Everything is compiled and linked once, as the build does it, into a folder of its own: each library
with its files changed, each test program with it. A failed check ends a program at once, and what
its main() calls can be run alone.
"""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import time

from mutations import Mutation, changed

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = [
    *(f"unit_test_capability_{n}" for n in
      ("constraint", "fault", "gate", "pattern", "policy", "random", "regex", "reserved", "schema",
       "token")),
    "unit_test_cpu",
    *(f"fuzz_{n}" for n in ("policy", "schema", "call", "token", "snapshot", "restore", "trace")),
    *(f"api_{n}" for n in
      ("authority", "misuse", "fork", "snapshot", "restore", "proofs", "bounds", "hostile",
       "limits", "timer", "fault", "interrupt", "replay", "hostile_kernel")),
]
CALL = re.compile(r"^(    )((?:test|show)_\w+)(\(.*\);)$", re.M)
INCLUDED = re.compile(r'^#include "(.*)/\w+\.c"', re.M)
NAMED = re.compile(r'^        \{"(\w+)", test_\w+\},$', re.M)


@dataclasses.dataclass
class Test:
    """One function of a test program's main(), or all of it."""

    program: pathlib.Path
    function: str
    arguments: list[str]
    seconds: float = 0.0
    seen: bytes = b""

    @property
    def name(self) -> str:
        return f"{self.program.name} {self.function}".strip()

    def run(self, mutation: int = -1, seen: pathlib.Path | None = None) -> str:
        """"passed", "failed" or "hangs": what takes ten times as long as it should, and more."""
        env = {**os.environ, "MUTANT": str(mutation)}
        if self.function:
            env["MUTANT_TEST"] = self.function
        if seen:
            env["MUTANT_SEEN"] = str(seen)
        most = int(10 + 10 * self.seconds) if self.seen else 300

        with tempfile.TemporaryFile() as output:
            try:
                result = subprocess.run(
                    ["prlimit", f"--cpu={most}", "--core=0", self.program, *self.arguments],
                    env=env, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                    cwd=self.program.parent, timeout=3 * most)
            except subprocess.TimeoutExpired:
                return "hangs"
        if result.returncode in (-24, -9):
            return "hangs"
        return "failed" if result.returncode else "passed"


class Programs:
    """Compiles and links as the build does."""

    def __init__(self, build: pathlib.Path, work: pathlib.Path, jobs: int) -> None:
        self.build, self.work, self.jobs = build.resolve(), work.resolve(), jobs
        self.objects = {}  # output: its entry in compile_commands.json
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            entry["words"], output = words, words[words.index("-o") + 1]
            self.objects.setdefault(output, entry)

    def compile(self, entry: dict, text: str, out: pathlib.Path) -> None:
        source = pathlib.Path(entry["file"])
        out.parent.mkdir(parents=True, exist_ok=True)
        out.with_suffix(".c").write_text(text)
        words = [w for w in entry["words"] if w not in ("-MD", "-g", str(source), "-c")]
        for option in ("-o", "-MF", "-MT"):
            if option in words:
                at = words.index(option)
                del words[at:at + 2]
        folders = [out.parent, self.work / "changed", source.parent, ROOT,
                   *(ROOT / folder for folder in INCLUDED.findall(text))]
        words += ["-w", *(f"-iquote{folder}" for folder in folders), "-c",
                  str(out.with_suffix(".c")), "-o", str(out)]
        self.call(words, entry["directory"])

    def call(self, words: list, folder: str | pathlib.Path) -> str:
        result = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        if result.returncode:
            raise SystemExit(f"{shlex.join(map(str, words))}:\n{result.stderr[-3000:]}")
        return result.stdout

    def libraries(self, mutations: list[Mutation]) -> None:
        """The libraries with the mutations in them."""
        numbered: dict[str, list[tuple[int, Mutation]]] = {}
        for number, mutation in enumerate(mutations):
            numbered.setdefault(str(ROOT / mutation.file), []).append((number, mutation))
        mine = [(output, entry) for output, entry in self.objects.items()
                if entry["file"] in numbered and output.startswith("host/")]

        def one(job: tuple[str, dict]) -> None:
            output, entry = job
            source = pathlib.Path(entry["file"])
            text = changed(source.read_text(), numbered[entry["file"]])
            copy = self.work / "changed" / source.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text)  # for a test that includes it
            self.compile(entry, text, self.work / output)

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(one, mine))
        for output, _ in mine:
            folder, _, rest = output.partition("/CMakeFiles/")
            library = f"{folder}/lib{rest.split('.dir/')[0]}.a"
            if not (self.work / library).exists():
                shutil.copyfile(self.build / library, self.work / library)
            self.call(["ar", "r", self.work / library, self.work / output], self.work)

    def link(self, target: str) -> pathlib.Path:
        """The program with what is in our folder instead of what is in the build."""
        lines = self.call(["ninja", "-t", "commands", target], self.build).splitlines()
        words = shlex.split(lines[-1])[2:-2]
        program = self.work / words[words.index("-o") + 1]
        program.parent.mkdir(parents=True, exist_ok=True)
        for word in words:
            if re.search(r"test_\w+\.c\.o$|harness\.c\.o$", word):
                self.compile_test(word)
        words = [str(self.work / w) if (self.work / w).exists() and w[0] not in "-/" else w
                 for w in words]
        words[words.index("-o") + 1] = str(program)
        first = next(i for i, w in enumerate(words) if w.endswith(".o"))
        words.insert(first, str(self.work / "mutant.o"))
        self.call(words, self.build)
        return program

    def compile_test(self, output: str) -> None:
        """A test that ends with its first failure, and can run one function of its main()."""
        entry, out = self.objects[output], self.work / output
        source = pathlib.Path(entry["file"])
        out.parent.mkdir(parents=True, exist_ok=True)
        for file in (source.parent / "check.h", source.parent / "harness.h", source):
            if file.exists():
                text = re.sub(r"\bchecks?_failed\+\+;", "mutant_noticed(__FILE__, __LINE__);",
                              file.read_text())
                head, main, body = text.partition("\nint main(")
                body = CALL.sub(r'\1if (mutant_wants("\2")) \2\3', body)
                body = body.replace(" tests[i].test();",
                                    " if (mutant_wants(tests[i].name)) tests[i].test();")
                text = '#include "tests/mutation/mutant.h"\n' + head + main + body
                if file == source:
                    self.compile(entry, text, out)
                else:
                    (out.parent / file.name).write_text(text)

    def functions(self, target: str) -> list[str]:
        """What can be run alone."""
        folder, _, name = target.partition("_")
        source = ROOT / "tests" / folder / (name if folder == "unit" else f"test_{name}")
        if not source.with_suffix(".c").exists():
            return [""]
        main = source.with_suffix(".c").read_text().partition("\nint main(")[2]
        names = [m[2] for m in CALL.finditer(main)] + NAMED.findall(main)
        return list(dict.fromkeys(names)) or [""]

    def tests(self, mutations: list[Mutation], word: str) -> list[Test]:
        """The tests of programs with this word, each run once as it is, which tells how long it
        takes and which mutations it reaches."""
        shutil.rmtree(self.work / "tests", ignore_errors=True)
        shutil.rmtree(self.work / "host", ignore_errors=True)
        self.work.mkdir(parents=True, exist_ok=True)
        source = ROOT / "tests/mutation/mutant.c"
        self.call(["cc", "-O2", "-fPIC", "-c", source, "-o", self.work / "mutant.o"], self.work)
        self.libraries(mutations)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            programs = list(pool.map(self.link, [p for p in PROGRAMS if word in p]))
            found = [Test(program, function, seeds(program.name)) for program in programs
                     for function in self.functions(program.name)]
            list(pool.map(lambda test: self.measure(test, len(mutations)), found))
        return found

    def measure(self, test: Test, count: int) -> None:
        seen = self.work / f"seen {test.name}"
        seen.write_bytes(bytes(count + 1))
        start = time.monotonic()
        outcome = test.run(seen=seen)
        test.seconds = time.monotonic() - start
        if outcome != "passed":  # a test about time may fail once
            outcome = test.run(seen=seen)
        test.seen = seen.read_bytes()
        seen.unlink()
        if outcome != "passed":
            print(f"{test.name} does not pass alone, without a mutation: {outcome}", flush=True)
            test.seen = bytes(count + 1)


def seeds(program: str) -> list[str]:
    """Fuzzers run their seeds."""
    if not program.startswith("fuzz_"):
        return []
    return sorted(str(p) for p in (ROOT / "tests/fuzz/seeds" / program[5:]).iterdir())
