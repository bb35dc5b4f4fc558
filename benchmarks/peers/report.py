# SPDX-License-Identifier: Apache-2.0
"""The tables and the plot of a comparison."""

import datetime
import math
import os
import platform
from importlib import metadata
from xml.sax.saxutils import escape

import agreement
import datasets
import measured

TITLES = {
    "chain": "`sqrt(u*u + v*v) - 0.5*u`, stored",
    "moments": "mean and standard deviation of `u`",
    "sums": "sums of `u` over times, over columns",
    "quadratic_means": "means of `u*u`, `v*v`, `u*v` over times",
    "rechunk": "`u` from times to places, stored, and back",
    "matmul": "product of two matrices, stored",
    "anomaly": "`(u - mean(u)) / std(u)` over times, stored",
    "copy": "`u`, copied",
    "small_chunks": "sum of small chunks",
    "planning": "a plan of quadratic means, not run",
    "group_by": "means of `u` by month",
    "neighbours": "the nearest point of each query",
}
COLOURS = ("#222222", "#d9822b", "#2b6cb0", "#2f855a", "#9b2c8a", "#c53030")


def seconds_text(outcome):
    if outcome is None:
        return "-"
    return outcome.failure or f"{outcome.seconds:.3g}"


def memory_text(outcome):
    if outcome is None or outcome.failure:
        return "-"
    return f"{outcome.memory / 1e9:.2f}"


def progress(program, outcomes):
    """A line of the seconds of a program."""
    times = ", ".join(f"{peer} {seconds_text(o)}" for peer, o in outcomes.items())
    return f"{program}: {times}"


def table(outcomes, peers, text):
    """A row for each program, a column for each peer."""
    lines = ["| program | " + " | ".join(peers) + " |", "| --- |" + " ---: |" * len(peers)]
    for program, row in outcomes.items():
        cells = " | ".join(text(row.get(peer)) for peer in peers)
        lines.append(f"| {TITLES[program]} | {cells} |")
    return "\n".join(lines)


def ratios(row):
    """Tessera's time divided by that of each peer that has one."""
    first = row["Tessera"]
    if first.failure:
        return {}
    return {peer: first.seconds / o.seconds for peer, o in row.items()
            if peer != "Tessera" and not o.failure}


def slower(outcomes):
    """A line for each program in which a peer takes less time than Tessera."""
    lines = []
    for program, row in outcomes.items():
        worse = [f"{ratio:.2f} times {peer}'s time" for peer, ratio in ratios(row).items()
                 if ratio > 1]
        if worse:
            lines.append(f"- {TITLES[program]}: " + ", ".join(worse))
    if not lines:
        return "Tessera is slower in no line."
    return "Tessera is slower in these lines:\n\n" + "\n".join(lines)


def tolerances(outcomes):
    """The largest difference from NumPy beside the tolerance of each program."""
    words = []
    for program, row in outcomes.items():
        found = [o.difference for o in row.values() if o.difference is not None]
        if found:
            words.append(f"{program} {max(found):.1e} ({agreement.TOLERANCES[program]:.0e})")
    return ("Results agree with NumPy's; the largest differences relative to the largest element, "
            "with their tolerances: " + ", ".join(words) + ".")


def processor():
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def circumstances(options, sizes):
    """The machine, the versions, the date and the data."""
    names = ("dask", "cubed", "tensorstore", "zarrs", "numpy", "zarr", "flox")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in names)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    load = "{:.1f}, {:.1f}, {:.1f}".format(*os.getloadavg())
    return (f"{datetime.date.today()}; {os.cpu_count()} cores of {processor()}, {memory:.0f} GB, "
            f"{platform.system()} {platform.release()}, load at the end {load}; "
            f"Tessera {options.version}, {versions}, Python {platform.python_version()}; "
            f"{measured.THREADS} threads each. Data: {datasets.described(sizes)}; Zarr v2, Blosc "
            f"(lz4, 5, bytes shuffled), in the cache of files. The least of {options.rounds} x "
            f"{options.repeat} runs (processes x runs in each), in turns; without imports.")


def markdown(outcomes, peers, context):
    parts = ["Seconds:", table(outcomes, peers, seconds_text), slower(outcomes),
             "Largest memory of a process, in GB:", table(outcomes, peers, memory_text),
             tolerances(outcomes), context]
    return "\n\n".join(parts) + "\n"


# The plot, in pixels.
WIDTH, LABELS, ROW, TOP = 900, 330, 28, 60


def horizontal(ratio, decades):
    """The place of a peer's time over Tessera's, on a logarithmic axis."""
    low, high = decades
    return LABELS + (WIDTH - LABELS - 30) * (math.log10(ratio) - low) / (high - low)


def decades_of(outcomes):
    logs = [-math.log10(r) for row in outcomes.values() for r in ratios(row).values()] + [0]
    return min(-1, math.floor(min(logs))), max(1, math.ceil(max(logs)))


def text_at(x, y, words, anchor="start"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(words)}</text>'


def grid(decades, bottom):
    parts = []
    for power in range(decades[0], decades[1] + 1):
        x = horizontal(10.0**power, decades)
        colour = "#222222" if power == 0 else "#dddddd"
        parts.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="{colour}"/>')
        parts.append(text_at(x, bottom + 18, f"{10.0**power:g}", "middle"))
    return parts


def legend(peers):
    parts = [text_at(10, 20, "Time of a peer, divided by Tessera's (right of 1: Tessera is faster)")]
    for i, peer in enumerate(peers[1:], start=1):
        x = LABELS + 100 * (i - 1)
        parts.append(f'<circle cx="{x}" cy="40" r="5" fill="{COLOURS[i]}"/>')
        parts.append(text_at(x + 9, 44, peer))
    return parts


def points(outcomes, peers, decades):
    parts = []
    for row, (program, times) in enumerate(outcomes.items()):
        y = TOP + ROW * (row + 0.5)
        parts.append(text_at(10, y + 4, TITLES[program].replace("`", "")))
        for peer, ratio in ratios(times).items():
            x, colour = horizontal(1 / ratio, decades), COLOURS[peers.index(peer)]
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}" '
                         f'fill-opacity="0.85"><title>{peer}: {1 / ratio:.2f}</title></circle>')
    return parts


def svg(outcomes, peers):
    """A row of points for each program."""
    decades = decades_of(outcomes)
    bottom = TOP + ROW * len(outcomes)
    parts = legend(peers) + grid(decades, bottom) + points(outcomes, peers, decades)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + 30}" '
            'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" '
            'fill="white"/>')
    return head + "\n" + "\n".join(parts) + "\n</svg>\n"
