#!/usr/bin/env python3
"""Runs all fuzzers together for a given time: `make fuzz SECONDS=n`.

usage: fuzz.py --seconds N [--seed N] [--jobs N] [--work DIR] [--report FILE.xml] FUZZER...

A FUZZER is a program fuzz_NAME. Its seeds are tests/fuzz/seeds/NAME and what fuzz_seeds.py finds,
what it learns stays in DIR/corpus/NAME, its words, if there are any, are tests/fuzz/words/NAME. One
that was built without libFuzzer (tests/fuzz/replay.c) is told by its answer to -help=1.

N seconds are the time of the whole: JOBS lanes of N seconds, in which every fuzzer has its share.
What one finds fails the run at its end; until then it and the others go on. A finding lies in
DIR/findings and is told with the command that shows it again. An input that seemed to take too long
is only a finding when it does so again, in processor time, which a busy machine does not change.
"""

import argparse
import concurrent.futures
import os
import re
import resource
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as tree
from pathlib import Path

import fuzz_seeds

ROOT = Path(__file__).resolve().parent.parent
# Languages have more to be looked for than formats: shares of time.
WEIGHTS = {"shell": 2, "script": 2, "awk": 2, "sed": 2, "archive": 2, "regex": 2}
INPUT_CPU_SECONDS = 20  # an input that takes longer is a finding; the slowest build, a slow machine
INPUT_WALL_SECONDS = 60  # when to have a look at it
END_GRACE = 300  # seconds after its time when a fuzzer that does not end is a finding
SEEDS_PER_SECOND = 4  # libFuzzer looks at all of them before it looks at the time
FINDINGS_MAX = 5  # of one fuzzer; more of them are mostly the same again


class Fuzzer:
    def __init__(self, path, work, seed):
        self.path = path.resolve()
        self.name = path.name.removeprefix("fuzz_")
        self.work = work
        self.seed = seed
        self.seeds = ROOT / "tests/fuzz/seeds" / self.name
        self.corpus = work / "corpus" / self.name
        self.more_seeds = work / "seeds" / self.name
        self.words = ROOT / "tests/fuzz/words" / self.name
        self.log = work / "log" / self.name
        help_text = subprocess.run([self.path, "-help=1"], capture_output=True, text=True, cwd=work)
        self.is_libfuzzer = "libFuzzer" in help_text.stdout + help_text.stderr
        self.findings = []
        self.inputs = 0
        self.seconds = 0.0
        self.coverage = ""
        for folder in (self.corpus, self.more_seeds, self.log.parent, work / "findings"):
            folder.mkdir(parents=True, exist_ok=True)
        self.log.write_bytes(b"")

    def run(self, seconds):
        """Runs for about `seconds`, again after each finding."""
        start = time.monotonic()
        while (left := start + seconds - time.monotonic()) > 0:
            before = len(self.findings)
            if self.is_libfuzzer:
                self._libfuzzer(max(1, round(left)))
            else:
                self._random(max(1, round(left)))
            if len(self.findings) == before or len(self.findings) >= FINDINGS_MAX:
                break
        self.seconds += time.monotonic() - start

    def _process(self, args, seconds):
        """The command's status and output; it is aborted when it goes on for much longer."""
        with open(self.log, "ab") as log:
            at = log.tell()
            process = subprocess.Popen(
                args, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.work
            )
            try:
                process.wait(seconds + END_GRACE)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGABRT)
                process.wait()
        with open(self.log, "rb") as log:
            log.seek(at)
            return process.returncode, log.read().decode("utf-8", "replace")

    def _libfuzzer(self, seconds):
        fuzz_seeds.make(self.name, self.more_seeds, seconds * SEEDS_PER_SECOND)
        prefix = self.work / "findings" / f"{self.name}-"
        args = [self.path, "-close_fd_mask=2", "-print_final_stats=1", "-rss_limit_mb=4096"]
        args += ["-report_slow_units=1000000"]  # by the clock, which says little
        args += [f"-timeout={INPUT_WALL_SECONDS}", f"-max_total_time={seconds}"]
        args += [f"-artifact_prefix={prefix}"]
        if self.seed is not None:
            args.append(f"-seed={self.seed}")
        if self.words.exists():
            args.append(f"-dict={self.words}")
        status, output = self._process([*args, self.corpus, self.seeds, self.more_seeds], seconds)
        self.inputs += sum(int(n) for n in re.findall(r"number_of_executed_units: (\d+)", output))
        self.coverage = (re.findall(r"cov: (\d+)", output) or [self.coverage])[-1]
        if status == 0:
            return
        written = re.findall(r"Test unit written to (\S+)", output)
        if not written:
            self._found(f"ended with status {status}, no input written", f"see {self.log}", output)
        for path in map(Path, written):
            if path.name.startswith(f"{self.name}-timeout-") and not self._is_slow(path):
                path.unlink()
                continue
            self._found(path.name, f"{self.path} {path}", output)

    def _is_slow(self, path):
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (INPUT_CPU_SECONDS, INPUT_CPU_SECONDS))

        args = [self.path, "-timeout=100000", path]
        how = {"capture_output": True, "cwd": self.work, "timeout": END_GRACE}
        try:
            again = subprocess.run(args, preexec_fn=limit, **how)
        except subprocess.TimeoutExpired:
            return True
        return again.returncode != 0

    def _random(self, seconds):
        seeds = sorted(self.seeds.iterdir())
        args = [self.path, "--seconds", str(seconds)]
        if self.seed is not None:
            args += ["--seed", str(self.seed)]
        status, output = self._process([*args, *seeds], seconds)
        self.inputs += sum(int(n) for n in re.findall(r"(\d+) changed ones", output))
        if status == 0:
            return
        seed = re.findall(r"--seed\s+(\d+)", output)
        again = f"see {self.log}"
        if seed:
            again = f"{self.path} --seconds 0 --seed {seed[-1]} {self.seeds}/*"
        self._found(f"ended with status {status}", again, output)

    def _found(self, what, again, output):
        self.findings.append((what, again, output[-8000:]))
        print(f"fuzz_{self.name}: FOUND {what}\n    again: {again}", flush=True)

    def line(self):
        coverage = f", {self.coverage} edges" if self.coverage else ""
        work = f"{self.seconds:6.0f} s {self.inputs:10} inputs{coverage}"
        return f"fuzz_{self.name:9} {work}, {len(self.findings)} found"


def plan(fuzzers, seconds, jobs):
    """Lanes of (fuzzer, from, to). All shares in one row, cut into lanes: a fuzzer that is cut runs
    at the end of one lane and at the start of the next, never twice at a time."""
    total = sum(WEIGHTS.get(f.name, 1) for f in fuzzers)
    lanes, at = [[] for _ in range(jobs)], 0.0
    for f in fuzzers:
        end = at + min(seconds, seconds * jobs * WEIGHTS.get(f.name, 1) / total)
        while at < end - 1e-6:
            lane = min(int(at / seconds + 1e-9), jobs - 1)
            stop = min(end, seconds * (lane + 1)) if lane < jobs - 1 else end
            lanes[lane].append((f, at - lane * seconds, stop - lane * seconds))
            at = stop
    return lanes


def run_lane(slots, start):
    """A slot that could not begin in time, because the one before it took longer, is shorter."""
    for fuzzer, _, end in slots:
        fuzzer.run(max(1.0, start + end - time.monotonic()))


def write_report(path, fuzzers):
    suite = tree.Element("testsuite", name="fuzz", tests=str(len(fuzzers)), errors="0", skipped="0")
    suite.set("failures", str(sum(bool(f.findings) for f in fuzzers)))
    for f in fuzzers:
        case = tree.SubElement(suite, "testcase", classname="fuzz", name=f"fuzz_{f.name}")
        case.set("time", f"{f.seconds:.1f}")
        for what, again, output in f.findings:
            failure = tree.SubElement(case, "failure", message=what)
            # XML knows no control characters, of which inputs are full.
            failure.text = re.sub(r"[^\t\n\x20-\ud7ff]", "?", f"again: {again}\n{output}")
    path.parent.mkdir(parents=True, exist_ok=True)
    tree.ElementTree(suite).write(path, encoding="unicode", xml_declaration=True)


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--seconds", type=float, required=True)
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--work", type=Path, default=Path("build/fuzz"))
    p.add_argument("--report", type=Path)
    p.add_argument("--seed", type=int, help="what is random begins with; else with the time")
    p.add_argument("fuzzers", nargs="+", type=Path)
    a = p.parse_args()
    work = a.work.resolve()
    # Nothing is found by one that is missing.
    missing = [str(f) for f in a.fuzzers if not os.access(f, os.X_OK)]
    if missing:
        p.error(f"no such fuzzer: {' '.join(missing)}")
    fuzzers = [Fuzzer(path, work, a.seed) for path in a.fuzzers]
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        lanes = [pool.submit(run_lane, slots, start) for slots in plan(fuzzers, a.seconds, a.jobs)]
        for lane in lanes:
            lane.result()
    for f in fuzzers:
        print(f.line())
    if a.report:
        write_report(a.report, fuzzers)
    found = sum(len(f.findings) for f in fuzzers)
    took = time.monotonic() - start
    print(f"{len(fuzzers)} fuzzers, {took:.0f} s on {a.jobs} lanes, {found} found")
    for f in fuzzers:
        for what, again, _ in f.findings:
            print(f"fuzz_{f.name}: {what}\n    again: {again}")
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
