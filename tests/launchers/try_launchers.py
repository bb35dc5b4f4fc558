#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries launchers of examples/launchers with a program, by hand before a release.

usage: try_launchers.py PROGRAM [LAUNCHER...]      by default all that run on this host

PROGRAM is chaos_program, which stores an array of random numbers. Each launcher has a virtual environment
with its package of PyPI, below ~/.cache/tessera/launchers. The array must equal that of the serial executor
byte for byte. A line for each launcher tells the version, the time, and the processes that are left.

Some systems listen on all addresses and report their use: `unshare --net` and `ip link set lo up` before.
"""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import lambda_stand_in

LAUNCHERS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "launchers"
PACKAGES = {"dask": "distributed", "ray": "ray", "spark": "pyspark", "beam": "apache-beam", "lithops": "lithops",
            "prefect": "prefect", "parsl": "parsl", "lambda": "botocore"}
ENVIRONMENTS = pathlib.Path.home() / ".cache" / "tessera" / "launchers"
PATIENCE = 10
LONGEST = 240  # seconds of a run
MAX_ELEMENTS = 4


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


def store(program, folder, executor, **variables):
    """Stores the array in a folder, and returns the process that has ended."""
    folder.mkdir()
    with subprocess.Popen([program, "prepare", folder, f"--tessera-executor={executor}"], text=True, cwd=folder,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ | variables) as process:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LONGEST)
        process.terminate()
        return process.wait(), process.stderr.read()


def try_launcher(name, program, folder):
    """Stores the array by a launcher, and returns a complaint."""
    python, version = python_with(PACKAGES[name])
    executor = (f"launcher:command={python} {LAUNCHERS}/on_{name}.py,workers=2,max_elements={MAX_ELEMENTS},"
                f"directory={folder}/runs")
    place = contextlib.nullcontext((None, {}))
    if name == "lambda":
        place = lambda_stand_in.sandboxes(program, LAUNCHERS / "lambda_bootstrap.sh", 2)
    begin = time.monotonic()
    with place as (_, variables):
        code, words = store(program, folder / name, executor,
                            PATH=f"{python.parent}:{os.environ['PATH']}", **variables)
    seconds = time.monotonic() - begin
    print(f"{name}: {PACKAGES[name]} {version}, {seconds:.1f} s, exit code {code}, "
          f"{num_left(folder)} processes are left", flush=True)
    if code != 0:
        return words[-2000:]
    equal = contents_of(folder / name / "input") == contents_of(folder / "serial" / "input")
    return "" if equal else "the array differs from that of the serial executor"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        store(program, folder / "serial", "serial")
        complaints = {each: try_launcher(each, program, folder) for each in sys.argv[2:] or PACKAGES}
    for launcher, complaint in complaints.items():
        print(f"{launcher}: {complaint or 'the bytes of serial'}")
    sys.exit(any(complaints.values()))


if __name__ == "__main__":
    main()
