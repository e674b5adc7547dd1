"""From figures of one machine to many: a model, with its assumptions, and a plot.

usage: bench/scale.py --service --json > here.json; bench/projection.py here.json [--svg FILE]

The model has five terms, each a figure that was measured and a count: memory and cores of live
sandboxes, the disk of waiting ones, and the store's transactions. It is checked where one machine
reaches: `--check N` makes N live sandboxes in this process and compares their memory and time with
what the model says.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import NamedTuple

#: Shares of a machine that are kept free.
_HEADROOM = 0.7
#: What PostgreSQL keeps of a row beside its bytes, in three tables and their indices.
_ROW_BYTES = 600


class Machine(NamedTuple):
    """What one has for sandboxes."""

    cores: int = 32
    memory_gb: int = 128


class Need(NamedTuple):
    """What some sandboxes need."""

    machines: int
    memory_gb: float
    store_gb: float
    seconds: float  #: until all of them are made, on these machines


def need(
    figures: dict[str, dict[str, float]], live: int, waiting: int, machine: Machine, process: bool
) -> Need:
    """Live sandboxes are bounded by memory and made by cores; waiting ones lie in the store."""
    each = figures["a waiting sandbox"]["memory_bytes"]
    if process:
        each += figures["a worker process"]["memory_bytes"]
    memory = live * each / 1e9
    machines = max(1, -(-int(memory * 1e6) // int(machine.memory_gb * _HEADROOM * 1e6)))
    name = "create, run, wait" + (", isolation=process" if process else "")
    rate = 1000 / figures[name]["p50_ms"]  # of one core; the mean is of a machine that is shared
    cores = machines * machine.cores * _HEADROOM
    store = waiting * (figures["a waiting sandbox"]["bytes"] + _ROW_BYTES) / 1e9
    return Need(machines, memory, store, live / (rate * cores))


def table(figures: dict[str, dict[str, float]], machine: Machine) -> str:
    lines = [
        f"| live | waiting | isolation | machines ({machine.cores} cores, {machine.memory_gb} GB) |"
        " memory | store | made in |",
        "|---|---|---|---|---|---|---|",
    ]
    for live, waiting in ((1_000, 10_000), (10_000, 100_000), (100_000, 1_000_000)):
        for process in (False, True):
            found = need(figures, live, waiting, machine, process)
            lines.append(
                f"| {live:,} | {waiting:,} | {'process' if process else 'none'} | {found.machines}"
                f" | {found.memory_gb:.1f} GB | {found.store_gb:.1f} GB | {found.seconds:.2g} s |"
            )
    return "\n".join(lines)


def checked(figures: dict[str, dict[str, float]], count: int) -> str:
    """So many live ones, here: memory and seconds beside those of the model."""
    from scale import resident, waiting

    before, begun = resident(), time.perf_counter()
    sandboxes = [waiting() for _ in range(count)]
    seconds, taken = time.perf_counter() - begun, resident() - before
    for sandbox in sandboxes:
        sandbox.close()
    said = count * figures["a waiting sandbox"]["memory_bytes"]
    time_said = count * figures["create, run, wait"]["p50_ms"] / 1000
    return (
        f"{count} live sandboxes: {taken / 1e6:.0f} MB, the model says {said / 1e6:.0f} MB;"
        f" made, run and waiting in {seconds:.2f} s on one core, it says {time_said:.2f} s"
    )


def plot(figures: dict[str, dict[str, float]], machine: Machine) -> str:
    """Machines that live sandboxes need, both axes logarithmic, as SVG."""
    import math

    counts = [10 ** (2 + step / 8) for step in range(33)]  # a hundred to a million
    width, height, left, bottom, top = 640, 320, 60, 40, 30
    most = max(need(figures, int(n), 0, machine, True).machines for n in counts)
    decades = max(1, math.ceil(math.log10(most)))

    def place(n: float, machines: float) -> tuple[float, float]:
        x = left + (math.log10(n) - 2) / 4 * (width - left - 20)
        y = height - bottom - math.log10(machines) / decades * (height - bottom - top)
        return x, y

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="12" role="img">',
        "<title>Machines that live sandboxes need</title>",
        "<style>text{fill:#444}line{stroke:#bbb}polyline{fill:none;stroke-width:2}"
        "@media(prefers-color-scheme:dark){text{fill:#ccc}line{stroke:#555}}</style>",
    ]
    for decade in range(5):
        x, y = place(10 ** (2 + decade), 1)
        parts.append(f'<line x1="{x:.0f}" y1="{top}" x2="{x:.0f}" y2="{y:.0f}"/>')
        label = f"{10 ** (2 + decade):,}"
        anchor = "end" if decade == 4 else "middle"
        parts.append(f'<text x="{x:.0f}" y="{y + 16:.0f}" text-anchor="{anchor}">{label}</text>')
    for decade in range(decades + 1):
        x, y = place(100, 10**decade)
        parts.append(f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{width - 20}" y2="{y:.0f}"/>')
        label = f'<text x="{x - 6:.0f}" y="{y + 4:.0f}" text-anchor="end">{10**decade:,}</text>'
        parts.append(label)
    for process, colour, name in (
        (False, "#1559b8", "in one process"),
        (True, "#b35c00", 'isolation="process"'),
    ):
        line = [place(n, need(figures, int(n), 0, machine, process).machines) for n in counts]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
        parts.append(f'<polyline points="{points}" stroke="{colour}"/>')
        at = 16 + 18 * process
        parts.append(f'<text x="{left + 10}" y="{top + at}" style="fill:{colour}">{name}</text>')
    title = f"machines of {machine.cores} cores and {machine.memory_gb} GB, by live sandboxes"
    parts.append(f'<text x="{left}" y="18">{title}</text></svg>')
    return "\n".join(parts) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("figures", help="what bench/scale.py --json printed")
    parser.add_argument("--svg", help="where the plot goes")
    parser.add_argument("--check", type=int, metavar="N", help="make N live sandboxes, and compare")
    given = parser.parse_args()
    with open(given.figures) as file:
        figures = json.load(file)["figures"]
    print(table(figures, Machine()))
    if given.check:
        print(checked(figures, given.check))
    if given.svg:
        with open(given.svg, "w") as file:
            file.write(plot(figures, Machine()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
