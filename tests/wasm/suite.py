"""suite.py: the WebAssembly specification's own tests, on what the build makes of wasm modules.

usage: suite.py --suite DIR --work DIR --wast2json PROGRAM TOOLS [--jobs N] [--all] [FILE...]

Each FILE of the suite (wasm-v1/i32.wast; without any: SAMPLE, with --all all) is converted, its
modules go through the chain (chain.py) in each of its flavours, as they are and after wasm-opt with
Asyncify, and run on host/cpu: results bit for bit, each trap of its kind.

What the chain does not take is left_out.txt, exactly: file, how many modules, why. One more or one
less is a failure. --write-left-out writes it anew.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import sys

from chain import FLAVOURS, HERE, Chain, Edges, Generated, LeftOut, Tools, run

SETS = ["wasm-v1", "wasm-v2"]
# What runs with every `make test`: edges of memories and tables, traps, control, conversions.
SAMPLE = ["wasm-v1/address", "wasm-v1/br_table", "wasm-v1/call_indirect", "wasm-v1/conversions",
          "wasm-v1/fac", "wasm-v1/globals", "wasm-v1/i32", "wasm-v1/i64", "wasm-v1/labels",
          "wasm-v1/loop", "wasm-v1/memory_grow", "wasm-v1/memory_trap",
          "wasm-v1/skip-stack-guard-page", "wasm-v1/switch", "wasm-v1/traps", "wasm-v1/unwind",
          "wasm-v2/bulk", "wasm-v2/memory_fill"]
# The converter of 1.0.32 does not read them; wasm-v1 has the first two as they were.
UNREAD = {"wasm-v2/comments", "wasm-v2/if", "wasm-v2/table_fill", "wasm-v2/table_get",
          "wasm-v2/table_grow", "wasm-v2/table_set", "wasm-v2/table_size"}
TRAPS = {"out of bounds memory access": "memory", "out of bounds table access": "memory",
         "unreachable": "unreachable", "integer overflow": "overflow",
         "invalid conversion to integer": "conversion", "integer divide by zero": "zero",
         "undefined element": "indirect", "uninitialized element": "indirect",
         "uninitialized element 2": "indirect", "uninitialized element 7": "indirect",
         "indirect call type mismatch": "indirect", "call stack exhausted": "stack"}
TYPES = {"i32": "i", "i64": "I", "f32": "f", "f64": "F"}
LEFT_OUT = HERE / "left_out.txt"
# Binaryen writes `unreachable` for memory.init that it sees to be past a segment's end or the memory's,
# or of a segment that was dropped.
OTHER_TRAPS = {("wasm-v2/bulk", 176): "unreachable",
               **{("wasm-v2/memory_init", line): "unreachable"
                  for line in (217, 224, 253, 260, 267, 274, 288, 309)}}
# Lines that are not met: gcc takes x * 1, x / 1 and x - 0 for x, so that a signalling NaN stays one.
# (-fsignaling-nans would do it as the specification says.)
NOT_QUIET = {75, 76, 106, 107, 136, 137, 148, 149, 160, 161, 172, 173}
DEVIATIONS = {"wasm-v1/float_exprs": NOT_QUIET | set(range(2349, 2361)),
              "wasm-v2/float_exprs": NOT_QUIET | set(range(2403, 2415))}
# Lines that are met or not: where gcc makes a loop of a recursion, nothing exhausts the stack.
LOOPS = {"wasm-v1/fac": {89}}
VARIANTS = [(flavour, optimised) for flavour in FLAVOURS for optimised in (False, True)]


def expectation(values: list[dict]) -> str:
    if not values:
        return "none"
    (value,) = values
    kind, bits = TYPES[value["type"]], value["value"]
    return f"nan {kind} {bits[4:]}" if bits.startswith("nan:") else f"is {kind} {bits}"


class File:
    """One file of the suite in one flavour."""

    def __init__(self, chain: Chain, name: str, script: pathlib.Path, optimised: bool) -> None:
        self.chain, self.name, self.optimised = chain, name, optimised
        self.script = script
        self.modules: list[Generated] = []
        self.left_out: collections.Counter[str] = collections.Counter()
        self.lines: list[str] = []
        self.skipped = 0
        self.registered: dict[str, str | None] = {}
        self.numbers: dict[str | None, int | None] = {}

    def module(self, filename: str) -> int | None:
        """Its number for the driver; None: left out."""
        try:
            module = self.chain.generate(self.script.parent / filename, optimised=self.optimised,
                                         imports="spectest.*")
        except LeftOut as error:
            self.left_out[str(error).partition(":")[0]] += 1
            self.lost(self.script.parent / filename)
            return None
        self.modules.append(module)
        return len(self.modules) - 1

    def lost(self, wasm: pathlib.Path) -> None:
        """What a module that is left out would have done to the memory, table or global of another:
        nobody knows what is in there from now on."""
        for module, _, kind in Edges(wasm.read_bytes()).imports:
            if kind and module in self.registered:
                self.numbers[self.registered[module]] = None

    def action(self, number: int, line: int, action: dict, expected: str) -> None:
        arguments = action.get("args", [])
        self.lines.append(" ".join(
            ["call", str(line), str(number), action["field"].encode().hex() or "-",
             str(len(arguments)),
             *(a["value"] for a in arguments), expected]))

    def read(self) -> None:
        names, last = self.numbers, None
        for command in json.loads(self.script.read_text())["commands"]:
            kind, line = command["type"], command["line"]
            if kind == "module":
                last = command.get("name") or f"line {line}"
                current = names[last] = self.module(command["filename"])
                if current is not None:
                    self.lines.append(f"new {line} {current}")
            elif kind == "register":
                self.registered[command["as"]] = command.get("name") or last
            elif kind == "assert_uninstantiable":
                number = self.module(command["filename"])
                if number is not None:
                    self.lines.append(f"untrue {line} {number} {TRAPS[command['text']]}")
            elif kind in ("action", "assert_return", "assert_trap", "assert_exhaustion"):
                action = command["action"]
                number = names[action.get("module") or last]
                if number is None:
                    self.skipped += 1
                elif kind == "action":
                    self.action(number, line, action, "any")
                elif kind == "assert_return":
                    self.action(number, line, action, expectation(command["expected"]))
                else:
                    trap = OTHER_TRAPS.get((self.name, line)) if self.optimised else None
                    self.action(number, line, action, f"trap {trap or TRAPS[command['text']]}")

    def run(self) -> str:
        """What went wrong, or nothing."""
        self.read()
        if not self.modules:
            return ""
        where = self.chain.folder / (self.name.replace("/", "-") + "-o" * self.optimised)
        commands = where.with_suffix(".txt")
        commands.write_text("".join(line + "\n" for line in self.lines))
        self.chain.link(self.modules, where)
        result = run([where, commands], timeout=600)
        failed = {int(line) for line in re.findall(r"^line (\d+):", result.stdout, re.M)}
        counted = failed - LOOPS.get(self.name, set())
        if counted == DEVIATIONS.get(self.name, set()) and result.returncode == bool(failed):
            return ""
        return f"status {result.returncode}\n{result.stdout}{result.stderr}"


def variant_name(flavour: str, optimised: bool) -> str:
    return flavour + ("+asyncify" if optimised else "")


Left = dict[tuple[str, str], list[str]]  # of a file in a variant


def read_left_out() -> Left:
    left: Left = collections.defaultdict(list)
    for line in LEFT_OUT.read_text().splitlines():
        if line and line[0] != "#":
            name, variant, rest = line.split(" ", 2)
            for each in [variant] if variant != "all" else [variant_name(*v) for v in VARIANTS]:
                left[name, each].append(rest)
    return {key: sorted(rest) for key, rest in left.items()}


def write_left_out(left: Left) -> None:
    lines = [line for line in LEFT_OUT.read_text().splitlines() if line.startswith("#")]
    variants = [variant_name(*v) for v in VARIANTS]
    for name in dict.fromkeys(name for name, _ in left):
        found = [left.get((name, variant), []) for variant in variants]
        if all(rest == found[0] for rest in found):
            lines += [f"{name} all {rest}" for rest in found[0]]
        else:
            lines += [f"{name} {v} {rest}" for v, some in zip(variants, found) for rest in some]
    LEFT_OUT.write_text("\n".join([*lines, ""]))


@dataclasses.dataclass
class Outcome:
    wrong: str = ""
    left: Left = dataclasses.field(default_factory=dict)
    done: int = 0
    skipped: int = 0
    past: int = 0


def try_file(chains: dict[str, Chain], args, name: str) -> Outcome:
    script = args.work / "json" / f"{name}.json"
    script.parent.mkdir(parents=True, exist_ok=True)
    converted = run([args.wast2json, args.suite / f"{name}.wast", "-o", script])
    if name in UNREAD:
        return Outcome("" if converted.returncode else "is read by wast2json: take it off UNREAD")
    if converted.returncode:
        return Outcome(converted.stderr)
    outcome = Outcome()
    for flavour, optimised in VARIANTS if args.all else VARIANTS[1::2]:
        file = File(chains[flavour], name, script, optimised)
        failure, variant = file.run(), variant_name(flavour, optimised)
        if failure:
            outcome.wrong += f"{name} ({variant}): {failure}\n"
        outcome.left[name, variant] = sorted(f"{n} {reason}" for reason, n in file.left_out.items())
        outcome.done += len(file.lines)
        outcome.skipped += file.skipped
        outcome.past += sum(module.past for module in file.modules)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--suite", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--wast2json", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--write-left-out", action="store_true")
    parser.add_argument("files", nargs="*")
    Tools.add_to(parser)
    args = parser.parse_args()
    everything = sorted(f"{s}/{path.stem}" for s in SETS for path in (args.suite / s).glob("*.wast"))
    names = [f.removesuffix(".wast") for f in args.files] or (everything if args.all else SAMPLE)
    if not everything or set(names) - set(everything):
        print(f"{args.suite} has not all of {', '.join(names)}")
        return 1
    known, left = read_left_out(), {}
    chains = {f: Chain(Tools.of(args), args.work, f) for f in FLAVOURS}
    failed = done = skipped = past = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, outcome in zip(names, pool.map(lambda n: try_file(chains, args, n), names)):
            done, skipped = done + outcome.done, skipped + outcome.skipped
            past += outcome.past
            left |= outcome.left
            if outcome.wrong:
                failed += 1
                print(f"{name}: {outcome.wrong}")
            for key, lines in outcome.left.items():
                if lines != known.get(key, []) and not args.write_left_out:
                    failed += 1
                    print(f"{' '.join(key)}: left out are {lines}, not {known.get(key, [])}")
    if args.write_left_out:
        write_left_out(left)
    if not past and not args.files:
        failed += 1
        print("no module's data has gone past wasm2c, as that of images does")
    print(f"{len(names)} files, {done} commands, {skipped} of modules that were left out, "
          f"{past} modules whose data went past wasm2c, {failed} failures")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
