#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for Ray: each copy of the program is a task of Ray, https://docs.ray.io.

The cluster is that of RAY_ADDRESS, or one on this host. Ray starts a copy again, twice, if it was lost or
its worker died. Ray limits no memory of programs.

    ./program --tessera-executor=launcher:command=examples/launchers/on_ray.py,workers=16
"""

import os
import subprocess
import sys

import ray

UNFIT = 78
variables = {name: value for name, value in os.environ.items() if name.startswith("TESSERA_")}
variables["TESSERA_WORKER_DIES_WITH_PARENT"] = "1"
program = sys.argv[1:]


@ray.remote(num_cpus=1, max_retries=2, retry_exceptions=True)
def element(index):
    """Runs a copy of the program, and returns its exit code and its last words."""
    ended = subprocess.run(program, env={**os.environ, **variables, "TESSERA_INDEX": str(index)},
                           stderr=subprocess.PIPE, text=True)
    if ended.returncode not in (0, UNFIT):
        raise RuntimeError(f"element {index}: exit code {ended.returncode}: {ended.stderr[-500:]}")
    return ended.returncode, ended.stderr[-500:]


if __name__ == "__main__":
    own_cluster = {} if "RAY_ADDRESS" in os.environ else {
        "num_cpus": int(variables["TESSERA_ARRAY_WORKERS"]), "include_dashboard": False}
    ray.init(**own_cluster)
    indices = range(int(variables["TESSERA_ARRAY_SIZE"]))
    for code, words in ray.get([element.remote(index) for index in indices]):
        if code == UNFIT:
            sys.exit(print(words, file=sys.stderr) or UNFIT)
