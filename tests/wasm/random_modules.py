"""random_modules.py: random modules, through the build's chain and in another engine.

usage: random_modules.py --work DIR [--seed N] [--count N | --seconds N] [--jobs N] TOOLS
                         --wasm2wat PROGRAM --wat2wasm PROGRAM --wasm-interp PROGRAM

Binaryen's generator makes modules of the language that clang writes by default. wabt's wasm-interp
says what their functions return, what they tell their imports, where they trap, and what is in their
memory; the C of both rewrites has to do the same on host/cpu, as it is and after wasm-opt with
Asyncify. With Asyncify each also runs unwound and rewound at every call of an import, and at every
third, which must change nothing.

A failure names its seed: --seed N --count 1 shows it again.
"""

import argparse
import concurrent.futures
import pathlib
import random
import re
import sys
import time

from chain import FLAVOURS, Chain, LeftOut, Tools, run

FEATURES = ["--enable-bulk-memory", "--enable-mutable-globals", "--enable-sign-ext"]
ERRORS = [("unreachable executed", "unreachable"), ("out of bounds memory", "memory"),
          ("integer overflow", "overflow"), ("integer divide by zero", "zero"),
          ("invalid conversion", "conversion"), ("undefined table index", "indirect"),
          ("uninitialized table element", "indirect"),
          ("indirect call signature mismatch", "indirect")]
IMPORT = re.compile(r'"fuzzing-support" "log-(\w+)"')
MEMORY = re.compile(r"\(memory \(;0;\) (\d+) (\d+)\)")
VARIANTS = [(flavour, optimised) for flavour in FLAVOURS for optimised in (False, True)]
NEVER = "1000000000"  # the stack to unwind to is there, and nobody unwinds


class Unusable(Exception):
    """Nothing can be said about this module."""


def generate(args, seed: int, stem: pathlib.Path) -> pathlib.Path:
    """A module whose imports driver.c has, with a page of memory that its code knows nothing of."""
    rng = random.Random(seed)
    source, wat = stem.with_suffix(".bin"), stem.with_suffix(".wat")
    made, wasm = stem.with_suffix(".made.wasm"), stem.with_suffix(".wasm")
    source.write_bytes(rng.randbytes(rng.randrange(400, 6000)))
    for command in ([args.wasm_opt, "-ttf", source, "-o", made, "--denan", *FEATURES],
                    [args.wasm2wat, made, "-o", wat]):
        result = run(command)
        if result.returncode:
            raise SystemExit(f"seed {seed}: {result.stderr}")
    text = IMPORT.sub(r'"spectest" "print_\1"', wat.read_text())
    text, memories = MEMORY.subn(lambda m: f"(memory {int(m[1]) + 1} {int(m[2]) + 1})", text)
    if memories != 1:
        raise SystemExit(f"seed {seed}: has {memories} memories")
    wat.write_text(text)
    result = run([args.wat2wasm, wat, "-o", wasm])
    if result.returncode:
        raise SystemExit(f"seed {seed}: {result.stderr}")
    return wasm


def expected(args, wasm: pathlib.Path) -> list[str]:
    """What wasm-interp says, in the driver's words."""
    lines = []
    result = run([args.wasm_interp, wasm, "--run-all-exports", "--dummy-import-func"], timeout=60)
    for line in result.stdout.splitlines():
        if called := re.fullmatch(r"called host spectest\.print_\w+\((.*)\) =>", line.rstrip()):
            lines.append(f"log {called[1]}")
            continue
        name, _, value = line.partition("() =>")
        if value.startswith(" error: "):
            kinds = [kind for text, kind in ERRORS if text in value]
            if not kinds:
                raise Unusable(value)  # its own stack is exhausted, which is not ours
            value = f" trap {kinds[0]}"
        lines.append(f"{name.encode().hex()} {value.strip()}".rstrip())
    if result.returncode and not lines:
        raise Unusable(result.stderr)  # it traps while it is instantiated
    return lines


def answers(program: pathlib.Path, every: str) -> list[str]:
    result = run([program, "--invoke", every], timeout=300)
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    return lines if result.returncode == 0 else [*lines, f"status {result.returncode}"]


def difference(wanted: list[str], got: list[str], optimised: bool) -> str:
    if optimised:  # Binaryen keeps traps, not their kinds
        wanted, got = ([re.sub(" trap .*", " trap", s) for s in lines] for lines in (wanted, got))
    for i, (a, b) in enumerate(zip([*wanted, "the end"], [*got, "the end"])):
        if a != b:
            return f"line {i + 1}: {b}, wanted {a}"
    return "" if len(wanted) == len(got) else "another number of lines"


def try_seed(chains: dict[str, Chain], args, seed: int) -> tuple[list[str], bool]:
    """What is wrong; and could anything be said?"""
    stem, wrong = args.work / f"seed{seed}", []
    try:
        wasm = generate(args, seed, stem)
        wanted = expected(args, wasm)
    except Unusable:
        return [], False
    for flavour, optimised in VARIANTS:
        variant = f"seed {seed} ({flavour}{', asyncify' * optimised})"
        try:
            module = chains[flavour].generate(wasm, optimised=optimised, imports="spectest.*")
        except LeftOut as error:
            wrong.append(f"{variant}: {error}")
            continue
        program = chains[flavour].folder / f"seed{seed}{'-o' * optimised}"
        objects = chains[flavour].link([module], program)
        if found := difference(wanted, answers(program, "0"), optimised):
            wrong.append(f"{variant}: {found}")
        elif optimised and not difference(wanted, answers(program, NEVER), True):
            # Its code does not look at the page.
            for every in ("1", "3"):
                if found := difference(wanted, answers(program, every), True):
                    wrong.append(f"{variant}, unwound at every {every}: {found}")
        if not wrong:
            for path in [program, *objects, *program.parent.glob(program.name + ".glue.*"),
                         *chains[flavour].folder.glob(f"{module.name}*")]:
                path.unlink(missing_ok=True)
    if not wrong:
        for path in args.work.glob(f"seed{seed}.*"):
            path.unlink()
    return wrong, True


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--seconds", type=float, help="instead of --count")
    parser.add_argument("--jobs", type=int, default=1)
    for tool in ("--wasm2wat", "--wat2wasm", "--wasm-interp"):
        parser.add_argument(tool, required=True)
    Tools.add_to(parser)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    chains = {f: Chain(Tools.of(args), args.work, f) for f in FLAVOURS}
    end = time.monotonic() + args.seconds if args.seconds else None
    seed, done, unusable, failed = args.seed, 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        while time.monotonic() < end if end else seed < args.seed + args.count:
            batch = range(seed, seed + args.jobs)
            for wrong, usable in pool.map(lambda s: try_seed(chains, args, s), batch):
                done, unusable, failed = done + 1, unusable + (not usable), failed + bool(wrong)
                print(*wrong, sep="\n", end="\n" if wrong else "", flush=True)
            seed += args.jobs
    print(f"{done} random modules, {unusable} of them say nothing, {failed} failures")
    return failed != 0 or done == unusable


if __name__ == "__main__":
    sys.exit(main())
