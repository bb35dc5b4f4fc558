# SPDX-License-Identifier: Apache-2.0
"""Runs twelve programs with Tessera and its peers in turns, and reports times and memory.

usage: compare.py --tessera=PROGRAM --out=FOLDER [option]...; cmake/peers.sh calls it.
"""

import argparse
import multiprocessing
import os
import shutil
import subprocess
import sys
import threading
from collections import namedtuple
from pathlib import Path

import agreement
import datasets
import measured
import report

HERE = Path(__file__).parent
PEERS = ("Tessera", "Dask", "Cubed", "TensorStore", "zarrs", "NumPy")
REFERENCE = "NumPy"
MOVING = ("rechunk", "copy", "small_chunks")

# The least time in seconds, the largest memory in bytes, and the difference from the reference;
# or the reason why there are none.
Outcome = namedtuple("Outcome", "seconds memory difference failure", defaults=(None,) * 4)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tessera", required=True, help="the program tessera_peers")
    parser.add_argument("--out", type=Path, required=True, help="data, results and reports")
    parser.add_argument("--version", default="", help="Tessera's, for the report")
    parser.add_argument("--size", type=float, default=1, help="of 1: u and v of 521 MB each")
    parser.add_argument("--small", action="store_true", help="data of 110 MB, for a trial")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each program")
    parser.add_argument("--repeat", type=int, default=2, help="runs in a process")
    parser.add_argument("--limit", type=float, default=600, help="seconds of a process")
    parser.add_argument("--programs", default="", help="some of them, with commas between")
    return parser.parse_args()


def can_run(peer, program):
    if peer in ("TensorStore", "zarrs"):
        return program in MOVING
    return peer != "NumPy" or program != "planning"


def command(options, peer, program):
    """The command of one process, and its results."""
    results = options.out / "results" / peer
    data = options.out / "data"
    if peer == "Tessera":
        first = [options.tessera, "--tessera-executor=threads:" + str(measured.THREADS),
                 "--tessera-memory=" + str(measured.ALLOWED_MEMORY),
                 "--tessera-work-dir=" + str(options.out / "work")]
    else:
        first = [sys.executable, "-B", str(HERE / f"with_{peer.lower()}.py")]
    return [*first, program, str(data), str(results), str(options.repeat)]


def environment(peer):
    """NumPy's products take all threads; those of a task, one."""
    threads = str(measured.THREADS if peer == "NumPy" else 1)
    return {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}


def run(options, peer, program):
    """One process of a program."""
    log = options.out / "logs" / f"{program}-{peer}.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as errors:
        process = subprocess.Popen(command(options, peer, program), stdout=subprocess.PIPE,
                                   stderr=errors, text=True, env=environment(peer))
        timer = threading.Timer(options.limit, process.kill)
        timer.start()
        times = [float(line) for line in process.stdout]
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        ended = timer.finished.is_set()
        timer.cancel()
    if process.returncode != 0:
        return Outcome(failure=f"> {options.limit:.0f}" if ended else "failed")
    return Outcome(seconds=min(times), memory=1024 * usage.ru_maxrss)


def best(outcomes):
    """The least time of several processes, with the largest memory."""
    for outcome in outcomes:
        if outcome.failure:
            return outcome
    return Outcome(seconds=min(o.seconds for o in outcomes), memory=max(o.memory for o in outcomes))


def difference_of(options, peer, program):
    """The difference of a peer's results from the reference, in a process of its own."""
    folder = options.out / "results"
    words = [sys.executable, "-B", str(HERE / "agreement.py"), program, str(options.out / "data"),
             str(folder / peer), str(folder / REFERENCE)]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def checked(options, peer, program, outcome):
    """The outcome with its difference; one that does not agree has failed."""
    if outcome.failure or program not in agreement.TOLERANCES or peer == REFERENCE:
        return outcome
    difference = difference_of(options, peer, program)
    if difference > agreement.TOLERANCES[program]:
        return Outcome(failure=f"differs by {difference:.1e}")
    return outcome._replace(difference=difference)


def outcomes_of(options, program):
    """The outcome of each peer, measured in turns."""
    peers = [peer for peer in PEERS if can_run(peer, program)]
    runs = {peer: [] for peer in peers}
    for _ in range(options.rounds):
        for peer in peers:
            if not any(outcome.failure for outcome in runs[peer]):
                runs[peer].append(run(options, peer, program))
    outcomes = {peer: checked(options, peer, program, best(runs[peer])) for peer in peers}
    shutil.rmtree(options.out / "results", ignore_errors=True)
    return outcomes


def is_wrong(failure):
    """Tells whether a program failed or disagreed, rather than took too long."""
    return failure is not None and not failure.startswith(">")


def write_report(options, sizes, outcomes):
    """The reports of all programs until now: an interrupted comparison has some."""
    text = report.markdown(outcomes, PEERS, report.circumstances(options, sizes))
    (options.out / "peers.md").write_text(text)
    (options.out / "peers.svg").write_text(report.svg(outcomes, PEERS))


def write_data(options, sizes):
    """Writes the data in a process of its own: Linux counts the peak of the process that starts a
    program as memory of the program."""
    writer = multiprocessing.get_context("spawn").Process(
        target=datasets.write_all, args=(options.out / "data", sizes))
    writer.start()
    writer.join()
    if writer.exitcode != 0:
        sys.exit("the data were not written")


def main():
    options = arguments()
    sizes = datasets.SMALL if options.small else datasets.Sizes().grown(options.size)
    write_data(options, sizes)
    programs = options.programs.split(",") if options.programs else list(report.TITLES)
    outcomes = {}
    for program in programs:
        outcomes[program] = outcomes_of(options, program)
        print(report.progress(program, outcomes[program]), file=sys.stderr, flush=True)
        write_report(options, sizes, outcomes)
    print((options.out / "peers.md").read_text())
    return any(is_wrong(o.failure) for row in outcomes.values() for o in row.values())


if __name__ == "__main__":
    sys.exit(main())
