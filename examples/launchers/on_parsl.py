#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for Parsl: each copy of the program is an app, https://parsl.readthedocs.io.

The copies run on this host; another provider in the configuration, as SlurmProvider, asks for nodes. Parsl
starts a copy again, twice, if it was lost or its worker died. Parsl limits no memory of programs.

    ./program --tessera-executor=launcher:command=examples/launchers/on_parsl.py,workers=16
"""

import os
import sys
import tempfile

import parsl
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.providers import LocalProvider

UNFIT = 78
variables = {name: value for name, value in os.environ.items() if name.startswith("TESSERA_")}
variables["TESSERA_WORKER_DIES_WITH_PARENT"] = "1"


@parsl.python_app
def element(index, program, variables, accepted):
    """Runs a copy of the program, and returns its exit code and its last words."""
    import os
    import subprocess
    ended = subprocess.run(program, env={**os.environ, **variables, "TESSERA_INDEX": str(index)},
                           stderr=subprocess.PIPE, text=True)
    if ended.returncode not in accepted:
        raise RuntimeError(f"element {index}: exit code {ended.returncode}: {ended.stderr[-500:]}")
    return ended.returncode, ended.stderr[-500:]


if __name__ == "__main__":
    workers = HighThroughputExecutor(address="127.0.0.1", loopback_address="127.0.0.1", encrypted=False,
                                     max_workers_per_node=int(variables["TESSERA_ARRAY_WORKERS"]),
                                     provider=LocalProvider(init_blocks=1, max_blocks=1))
    with tempfile.TemporaryDirectory() as logs, parsl.load(
            Config(executors=[workers], retries=2, run_dir=logs, usage_tracking=0)):
        copies = [element(index, sys.argv[1:], variables, (0, UNFIT))
                  for index in range(int(variables["TESSERA_ARRAY_SIZE"]))]
        for code, words in [copy.result() for copy in copies]:
            if code == UNFIT:
                sys.exit(print(words, file=sys.stderr) or UNFIT)
