#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for Dask: each copy of the program is a task of Dask.

The cluster is that of DASK_SCHEDULER_ADDRESS, or one on this host. Its workers see the program and the
run's folder under the same names, with one thread for each copy. Dask starts a copy again, twice or as often as
its configuration `tessera.retries` says, if it was lost or its worker died. Dask limits no memory of programs.

    ./program --tessera-executor=launcher:command=examples/launchers/on_dask.py,workers=16
"""

import os
import subprocess
import sys

import dask
from dask.distributed import Client, wait

UNFIT = 78
variables = {name: value for name, value in os.environ.items() if name.startswith("TESSERA_")}
variables["TESSERA_WORKER_DIES_WITH_PARENT"] = "1"
program = sys.argv[1:]


def element(index):
    """Runs a copy of the program, and returns its exit code and its last words."""
    ended = subprocess.run(program, env={**os.environ, **variables, "TESSERA_INDEX": str(index)},
                           stderr=subprocess.PIPE, text=True)
    if ended.returncode not in (0, UNFIT):
        raise subprocess.CalledProcessError(ended.returncode, f"element {index}", stderr=ended.stderr[-500:])
    return ended.returncode, ended.stderr[-500:]


if __name__ == "__main__":
    at_once = int(variables["TESSERA_ARRAY_WORKERS"])
    own_cluster = {} if "DASK_SCHEDULER_ADDRESS" in os.environ else {
        "n_workers": at_once, "threads_per_worker": 1, "dashboard_address": None}
    with Client(**own_cluster) as client:
        indices = range(int(variables["TESSERA_ARRAY_SIZE"]))
        copies = client.map(element, indices, pure=False, retries=dask.config.get("tessera.retries", 2))
        wait(copies)  # a lost copy does not end the rest
        outcomes = client.gather([copy for copy in copies if copy.status == "finished"])
        lost = [copy.exception() for copy in copies if copy.status != "finished"]
        outcomes += [(getattr(error, "returncode", 1), f"{error} {getattr(error, 'stderr', '')}") for error in lost]
    for code, words in sorted(outcomes, key=lambda outcome: outcome[0] != UNFIT):  # 78 ends the run
        if code != 0:  # as a shell says it: a signal is 128 and its number
            sys.exit(print(words, file=sys.stderr) or (code if code > 0 else 128 - code))
