#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries launchers of examples/launchers with a program, by hand before a release.

usage: try_launchers.py [--page PAGE] PROGRAM [LAUNCHER...]      by default all that run on this host
       try_launchers.py --install [LAUNCHER...]                  makes the virtual environments alone

PROGRAM is chaos_program, which stores an array of random numbers, and then the results of a plan of four
operations. Each launcher has a virtual environment with its package of PyPI, below
~/.cache/tessera/launchers; Prefect has one server for all arrays. The arrays must equal those of the serial
executor byte for byte. A row of a table for each launcher tells the version, the times, and the processes
that are left. With --page the rows replace those of a page, between its two marks.

cmake/launchers.sh calls it without a network: some systems listen on all addresses and report their use.
"""
import argparse
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import lambda_stand_in

LAUNCHERS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "launchers"
PACKAGES = {"dask": "distributed", "ray": "ray", "spark": "pyspark", "beam": "apache-beam", "lithops": "lithops",
            "prefect": "prefect", "parsl": "parsl", "lambda": "botocore"}
ENVIRONMENTS = pathlib.Path.home() / ".cache" / "tessera" / "launchers"
PATIENCE = 10
LONGEST = 1000  # seconds of a run
MAX_ELEMENTS = 4
RESULTS = {"prepare": ["input"], "run": ["result", "result-max"]}
BEGIN, END = "<!-- trials: cmake/launchers.sh -->\n", "<!-- end of trials -->\n"
HEAD = "| launcher | package | an array of 64 tasks | a plan of four operations | processes left |\n| --- | --- | --- | --- | --- |\n"


def contents_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def python_with(package):
    """Returns the interpreter of a virtual environment with a package, and the package's version."""
    folder = ENVIRONMENTS / package
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", package], check=True)
    script = f"import importlib.metadata; print(importlib.metadata.version('{package}'))"
    return python, subprocess.run([python, "-c", script], capture_output=True, text=True, check=True).stdout.strip()


@contextlib.contextmanager
def prefect_server(python, folder):
    """Runs a server for all arrays of a trial, and yields it and variables for its clients."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}/api"
    variables = {"PREFECT_HOME": str(folder), "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}
    command = [python, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port), "--no-ui"]
    with subprocess.Popen(command, env=os.environ | variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as server:
        try:
            while not answers(f"{address}/health"):
                if server.poll() is not None:
                    sys.exit(f"the server of Prefect has ended with {server.returncode}")
                time.sleep(0.2)
            yield server, variables | {"PREFECT_API_URL": address}
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)


def answers(address):
    try:
        with urllib.request.urlopen(address, timeout=10):
            return True
    except OSError:
        return False


def processes_with(folder):
    """Returns the processes whose environment names a folder: workers, and daemons of a launcher."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f":{folder}".encode() in (process / "environ").read_bytes():
                found.append(process.name)
    return found


def num_left(folder):
    """Returns the number of processes that are left some seconds after the end of a run."""
    end = time.monotonic() + PATIENCE
    while processes_with(folder) and time.monotonic() < end:
        time.sleep(0.1)
    return len(processes_with(folder))


def run(program, mode, folder, executor, **variables):
    """Runs the program in a folder, and returns its exit code and its words."""
    folder.mkdir(exist_ok=True)
    words = [program, mode, folder, *(["result"] if mode == "run" else []), f"--tessera-executor={executor}"]
    with subprocess.Popen(words, text=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env=os.environ | variables) as process:
        try:
            _, text = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.terminate()
            _, text = process.communicate()
            return f"not within {LONGEST} s", text
        return process.returncode, text


def try_mode(mode, program, folder, name, executor, variables):
    """Returns the outcome of a run by a launcher in words, and a complaint."""
    begin = time.monotonic()
    code, words = run(program, mode, folder / name, executor, **variables)
    seconds = time.monotonic() - begin
    if code != 0:
        return f"ended with {code}", words[-2000:]
    for result in RESULTS[mode]:
        if contents_of(folder / name / result) != contents_of(folder / "serial" / result):
            return "other bytes", f"{result} differs from that of the serial executor"
    return f"{seconds:.0f} s", ""


def try_launcher(name, program, folder):
    """Runs the program by a launcher, and returns the row of the table and a complaint."""
    python, version = python_with(PACKAGES[name])
    executor = (f"launcher:command={python} {LAUNCHERS}/on_{name}.py,workers=2,max_elements={MAX_ELEMENTS},"
                f"directory={folder}/runs")
    place = contextlib.nullcontext((None, {}))
    if name == "lambda":
        place = lambda_stand_in.sandboxes(program, LAUNCHERS / "lambda_bootstrap.sh", 2)
    if name == "prefect":
        place = prefect_server(python, folder / "prefect")
    with place as (_, variables):
        path = f"{python.parent}:{os.environ['PATH']}"
        outcomes, complaints = zip(*(try_mode(mode, program, folder, name, executor, variables | {"PATH": path})
                                     for mode in RESULTS))
    row = f"| `on_{name}.py` | {PACKAGES[name]} {version} | {' | '.join(outcomes)} | {num_left(folder)} |"
    print(row, flush=True)
    return row, "\n".join(filter(None, complaints))


def write_page(page, rows):
    """Replaces rows in the table of a page. Rows of other launchers stay."""
    text = page.read_text()
    before, _, rest = text.partition(BEGIN)
    table, mark, after = rest.partition(END)
    if not mark:
        sys.exit(f"{page} has no marks of a table")
    launchers = {row.split("|")[1]: row for row in table.splitlines() if row.startswith("| `on_")}
    launchers |= {row.split("|")[1]: row for row in rows}
    place = (f"Trials of {time.strftime('%Y-%m-%d')}, {os.cpu_count()} processors, Python "
             f"{sys.version_info.major}.{sys.version_info.minor}, {MAX_ELEMENTS} copies, two at once; a time says "
             "that the bytes were those of `serial`:\n\n")
    table = "".join(f"{row}\n" for row in launchers.values())
    page.write_text(f"{before}{BEGIN}{place}{HEAD}{table}{END}{after}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    if arguments.install:
        for name in arguments.words or PACKAGES:
            python_with(PACKAGES[name])
        return
    program, *names = arguments.words
    program = str(pathlib.Path(program).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for mode in RESULTS:
            run(program, mode, folder / "serial", "serial")
        trials = {each: try_launcher(each, program, folder) for each in names or PACKAGES}
    for launcher, (_, complaint) in trials.items():
        print(f"{launcher}: {complaint or 'the bytes of serial'}")
    if arguments.page:
        write_page(arguments.page, [row for row, _ in trials.values()])
    sys.exit(any(complaint for _, complaint in trials.values()))


if __name__ == "__main__":
    main()
