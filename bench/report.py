"""A table of figures: on the terminal while it grows, as Markdown, and as a picture."""

import dataclasses
import datetime
import os
import pathlib
import platform

#: Told apart also by those who do not see colours; pinfold stands out.
COLOURS = ["#0b5fff", "#e66100", "#5d3a9b", "#008a5a", "#b8860b", "#c2185b", "#707070"]
MARKERS = "osD^vPX"


@dataclasses.dataclass(frozen=True)
class Figure:
    value: float  #: of the best round
    spread: float  #: from there to the middle one


def shown(cell: "float | str | Figure") -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Figure):
        text = shown(cell.value)
        return f"{text} +{cell.spread / cell.value:.0%}" if cell.value else text
    return f"{cell:.2f}" if cell < 10 else f"{cell:.1f}" if cell < 100 else f"{cell:.0f}"


class Table:
    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.rows: list[tuple[str, str, list[float | str | Figure]]] = []
        self._print("", names)

    def add(self, what: str, unit: str, cells: list[float | str | Figure]) -> None:
        self.rows.append((what, unit, cells))
        self._print(f"{what}, {unit}", [shown(cell) for cell in cells])

    def _print(self, what: str, cells: list[str]) -> None:
        print(f"{what:46}" + "".join(f"{text:>18}" for text in cells), flush=True)

    def markdown(self) -> str:
        lines = [
            "| | " + " | ".join(self.names) + " |",
            "|---|" + "---:|" * len(self.names),
        ]
        for what, unit, cells in self.rows:
            escaped = what.replace("|", "\\|")
            lines.append(f"| {escaped}, {unit} | " + " | ".join(shown(c) for c in cells) + " |")
        today = datetime.date.today().isoformat()
        cores = os.cpu_count()
        lines += [
            "",
            f"{today}, {cores} cores, {platform.machine()}, Python {platform.python_version()}, "
            f"with {os.getloadavg()[2]:.0f} programs at work on the machine.",
        ]
        lines += [
            "The best of several rounds, in which the contenders take turns, and how far the "
            "middle round lies from it; – is what a contender has not, or what cannot be told from "
            "noise. " + versions()
        ]
        return "\n".join(lines) + "\n"


def versions() -> str:
    from importlib import metadata

    found = []
    for name in ("bashkit", "amla-sandbox", "quickjs-rs", "pydantic-monty"):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(found) + "." if found else ""


def values(cells: list[float | str | Figure]) -> list[float | str]:
    return [cell.value if isinstance(cell, Figure) else cell for cell in cells]


SECONDS = {"µs": 1e-6, "ms": 1e-3}


def draw(table: Table, path: pathlib.Path) -> None:
    """Times as points on a logarithmic axis, a line for each piece of work; left is faster."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [(what, unit, values(cells)) for what, unit, cells in table.rows if unit in SECONDS]
    rows = [row for row in rows if sum(isinstance(cell, float) for cell in row[2]) > 1]
    pyplot.rcParams["svg.hashsalt"] = "pinfold"
    figure, axes = pyplot.subplots(figsize=(9, 0.42 * len(rows) + 1.7))
    for index, name in enumerate(table.names):
        points = [
            (cells[index] * SECONDS[unit], line)
            for line, (_, unit, cells) in enumerate(rows)
            if isinstance(cells[index], float)
        ]
        if not points:
            continue
        first = index == 0
        axes.scatter(
            *zip(*points, strict=True),
            label=name,
            color=COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            s=80 if first else 38,
            alpha=1 if first else 0.85,
            zorder=4 if first else 3,
            edgecolors="white",
            linewidths=0.6,
        )
    for line, (_, unit, cells) in enumerate(rows):
        times = [cell * SECONDS[unit] for cell in cells if isinstance(cell, float)]
        axes.plot([min(times), max(times)], [line, line], color="#d5d8de", linewidth=2, zorder=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [row[0].replace("$", r"\$") for row in rows])
    axes.invert_yaxis()
    ticks = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1]
    low, high = axes.get_xlim()
    names = ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"]
    kept = [(tick, name) for tick, name in zip(ticks, names, strict=True) if low <= tick <= high]
    axes.set_xticks([tick for tick, _ in kept], [name for _, name in kept])
    axes.minorticks_off()
    axes.set_xlim(low, high)
    axes.grid(axis="x", color="#eceef2")
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_title("Time for one, less is better", loc="left", fontsize=11)
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.06), ncols=4, frameon=False, fontsize=9)
    figure.savefig(path, bbox_inches="tight", facecolor="white", metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), bbox_inches="tight", facecolor="white", dpi=110)
    pyplot.close(figure)
