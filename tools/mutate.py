#!/usr/bin/env python3
"""Takes the checks of the boundary away, one at a time: some test has to fail. `make mutate`.

usage: mutate.py [--build DIR] [--work DIR] [--shard I/N] [--fresh] [--list] [FILE...]

Each FILE (without any: all that tools/mutations.py names) is changed in one place, compiled, and
linked in front of the library that it belongs to into the test programs of its line there; sources
and build are left alone. A test that fails, or does not end, kills the mutation. One that survives
all of them is a failure, unless tests/mutation/survivors.txt names it with a reason; so is a
survivor of that list that is killed, or that does not exist any more.

What is done is kept in DIR/results.jsonl: a run that was stopped goes on there. --fresh forgets it.
--shard 2/4 takes every fourth mutation from the second on; --list only names them.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import resource
import shlex
import shutil
import subprocess
import sys

from mutations import Mutation, find, tests_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
SURVIVORS = ROOT / "tests/mutation/survivors.txt"
# A test that goes on for longer hangs: processor time, then time, on a machine with other work.
CPU_SECONDS, WALL_SECONDS = 120, 900


class Build:
    """Compiles and links as the build does, but for one object."""

    def __init__(self, build: pathlib.Path, work: pathlib.Path) -> None:
        self.build, self.work = build.resolve(), work.resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        entries = json.loads((self.build / "compile_commands.json").read_text())
        # A file may be compiled again for the tests of sanitizers.
        self.entries = {e["file"]: e for e in reversed(entries)
                        if " -o tests/security" not in e["command"]}
        self.links: dict[str, list[str]] = {}

    def compile(self, source: pathlib.Path, text: str, out: pathlib.Path) -> bool:
        entry = self.entries[str(source)]
        changed = out.with_suffix(".c")
        changed.write_text(text)
        words, command, skip = shlex.split(entry["command"]), [], False
        for word in words:
            if skip:
                skip = False
            elif word in ("-o", "-MF", "-MT"):
                skip = True
            elif word == str(source):
                command.append(str(changed))
            elif word not in ("-MD", "-g"):
                command.append(word)
        command += ["-w", "-iquote", str(source.parent), "-o", str(out)]
        return subprocess.run(command, cwd=entry["directory"], capture_output=True).returncode == 0

    def link_command(self, target: str) -> list[str]:
        if target not in self.links:
            lines = subprocess.run(["ninja", "-C", self.build, "-t", "commands", target],
                                   capture_output=True, text=True, check=True).stdout.splitlines()
            words = shlex.split(lines[-1])
            start = next(i for i, w in enumerate(words) if "/" in w and w[0] != "-")
            end = words.index("&&", start) if "&&" in words[start:] else len(words)
            self.links[target] = words[start:end]
        return self.links[target]

    def link(self, target: str, changed: pathlib.Path) -> pathlib.Path:
        """The target with the changed object: the library's is not asked for any more."""
        program = self.work / target
        words = list(self.link_command(target))
        words[words.index("-o") + 1] = str(program)
        first = next(i for i, w in enumerate(words) if w.endswith(".o"))
        words.insert(first, str(changed))
        result = subprocess.run(words, cwd=self.build, capture_output=True, text=True)
        if result.returncode:
            raise SystemExit(f"{target} does not link: {result.stderr[-2000:]}")
        return program


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def passes(program: pathlib.Path, arguments: list[str]) -> str:
    """"passed", "failed" or "hangs"."""
    try:
        result = subprocess.run([program, *arguments], cwd=program.parent, capture_output=True,
                                stdin=subprocess.DEVNULL, preexec_fn=limit, timeout=WALL_SECONDS)
    except subprocess.TimeoutExpired:
        return "hangs"
    if result.returncode in (-24, -9):
        return "hangs"
    return "failed" if result.returncode else "passed"


def outcome_of(program: pathlib.Path, arguments: list[str]) -> str:
    """A failure counts when it comes again: on a busy machine a test about time may fail once."""
    first = passes(program, arguments)
    return first if first == "passed" else passes(program, arguments)


def arguments_of(target: str) -> list[str]:
    """Fuzzers run their seeds."""
    if not target.startswith("fuzz_"):
        return []
    seeds = (ROOT / "tests/fuzz/seeds" / target.removeprefix("fuzz_")).iterdir()
    return sorted(str(path) for path in seeds)


def try_mutation(build: Build, mutation: Mutation) -> tuple[str, str]:
    """What became of it, and by which test."""
    changed = build.work / "changed.o"
    if not build.compile(ROOT / mutation.file, mutation.text(), changed):
        return "does not compile", ""
    for target in tests_of(mutation.file):
        outcome = outcome_of(build.link(target, changed), arguments_of(target))
        if outcome != "passed":
            return ("killed" if outcome == "failed" else "hangs"), target
    return "survived", ""


def read_survivors() -> dict[str, str]:
    """The mutations that are known to survive, with the reason of each."""
    survivors = {}
    if SURVIVORS.exists():
        for line in SURVIVORS.read_text().splitlines():
            if line and not line.startswith("#"):
                name, _, reason = line.partition(" -- ")
                if not reason:
                    raise SystemExit(f"{SURVIVORS}: no reason: {line}")
                survivors[name.strip()] = reason
    return survivors


def unchanged_passes(build: Build, files: list[str]) -> None:
    """Without a mutation all tests pass, or nothing can be said."""
    for file in files:
        changed = build.work / "changed.o"
        if not build.compile(ROOT / file, (ROOT / file).read_text(), changed):
            raise SystemExit(f"{file} does not compile as it is")
        for target in tests_of(file):
            if outcome_of(build.link(target, changed), arguments_of(target)) != "passed":
                raise SystemExit(f"{target} does not pass with {file} as it is")


def verdict(results: dict[str, str], mutations: list[Mutation], files: list[str]) -> int:
    """Prints what is not as it should be; how many."""
    known, wrong = read_survivors(), 0
    there = {m.name for m in mutations}
    for name, outcome in results.items():
        if outcome == "survived" and name not in known:
            wrong += 1
            print(f"survived: {name}")
        if outcome in ("killed", "hangs", "does not compile") and name in known:
            wrong += 1
            print(f"is {outcome}: take it off {SURVIVORS.name}: {name}")
    for name in known:
        if name.split(" ")[0] in files and name not in there:
            wrong += 1
            print(f"does not exist any more: take it off {SURVIVORS.name}: {name}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    shard, shards = map(int, args.shard.split("/"))
    work = args.work or args.build / f"mutate{shard if shards > 1 else ''}"
    files = args.files or tests_of(None)
    mutations = [m for file in files for m in find(ROOT, file)]
    mine = mutations[shard - 1::shards]
    if args.list:
        print(*(m.name for m in mine), sep="\n")
        return 0
    if args.fresh:
        shutil.rmtree(work, ignore_errors=True)
    build = Build(args.build, work)
    log, done = work / "results.jsonl", {}
    if log.exists():
        for line in log.read_text().splitlines():
            entry = json.loads(line)
            done[entry["name"], entry["source"]] = entry["outcome"]
    wanted = {target for m in mine for target in tests_of(m.file)}
    subprocess.run(["ninja", "-C", build.build, *sorted(wanted)], check=True,
                   stdout=subprocess.DEVNULL)
    sources = {f: hashlib.sha256((ROOT / f).read_bytes()).hexdigest()[:16] for f in files}
    left = [m for m in mine if (m.name, sources[m.file]) not in done]
    unchanged_passes(build, sorted({m.file for m in left}))
    results = {m.name: done[m.name, sources[m.file]] for m in mine
               if (m.name, sources[m.file]) in done}
    for number, mutation in enumerate(left):
        outcome, test = try_mutation(build, mutation)
        results[mutation.name] = outcome
        print(f"{number + 1}/{len(left)} {outcome} {test}: {mutation.name}", flush=True)
        with log.open("a") as file:
            file.write(json.dumps({"name": mutation.name, "source": sources[mutation.file],
                                   "outcome": outcome, "test": test}) + "\n")
    wrong = verdict(results, mutations, files)
    counts = collections.Counter(results.values())
    print(f"{len(results)} mutations:", ", ".join(f"{n} {what}" for what, n in counts.items()),
          f"; {wrong} not as they should be")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
