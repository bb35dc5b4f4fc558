#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for Lithops: each copy of the program is a function, https://lithops-cloud.github.io.

The backend is that of Lithops' configuration, or this host. A copy that was lost is started again, twice.
On this host nothing limits the memory; a function of a cloud has the memory of the configuration.

    ./program --tessera-executor=launcher:command=examples/launchers/on_lithops.py,workers=16
"""

import os
import subprocess
import sys
import tempfile

# Lithops copies itself there. A launcher that runs beside this one would overwrite the copy amid the start of a
# function, for which Lithops would wait forever.
folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
tempfile.tempdir = os.environ["TMPDIR"] = folder.name

from lithops import FunctionExecutor
from lithops.retries import RetryingFunctionExecutor

UNFIT = 78
variables = {name: value for name, value in os.environ.items() if name.startswith("TESSERA_")}
variables["TESSERA_WORKER_DIES_WITH_PARENT"] = "1"
program = sys.argv[1:]


def element(index):
    """Runs a copy of the program, and returns its exit code and its last words."""
    ended = subprocess.run(program, env={**os.environ, **variables, "TESSERA_INDEX": str(index)},
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ended.returncode not in (0, UNFIT):
        raise RuntimeError(f"element {index}: exit code {ended.returncode}: {ended.stderr[-500:]}")
    return ended.returncode, ended.stderr[-500:]


if __name__ == "__main__":
    at_once = int(variables["TESSERA_ARRAY_WORKERS"])
    functions = FunctionExecutor(max_workers=at_once)
    # On this host all files are in the folder. Lithops' cleaner would outlive it.
    functions.data_cleaner = functions.config["lithops"]["backend"] != "localhost"
    with RetryingFunctionExecutor(functions) as executor:
        futures = executor.map(element, list(range(int(variables["TESSERA_ARRAY_SIZE"]))), retries=2)
        done, _ = executor.wait(futures, throw_except=True)
        outcomes = [future.result() for future in done]
    for code, words in outcomes:
        if code == UNFIT:
            sys.exit(print(words, file=sys.stderr) or UNFIT)
