#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for Prefect: each copy of the program is a task of a flow, https://docs.prefect.io.

The copies run on this host, below this process; the server is that of PREFECT_API_URL, or one for the
duration of the flow. `prefect server start` serves all arrays, each of which starts a server otherwise.
Prefect starts a copy again, twice, if it was lost. Nothing limits the memory.

    ./program --tessera-executor=launcher:command=examples/launchers/on_prefect.py,workers=16
"""

import os
import subprocess
import sys

# A loaded host starts the server within a minute or two, not within Prefect's 20 seconds.
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "180")
from prefect import flow, task
from prefect.task_runners import ThreadPoolTaskRunner

UNFIT = 78


@task(retries=2)
def element(index):
    """Runs a copy of the program, and returns its exit code and its last words."""
    ended = subprocess.run(sys.argv[1:], env={**os.environ, "TESSERA_INDEX": str(index)},
                           stderr=subprocess.PIPE, text=True)
    if ended.returncode not in (0, UNFIT):
        raise RuntimeError(f"element {index}: exit code {ended.returncode}: {ended.stderr[-500:]}")
    return ended.returncode, ended.stderr[-500:]


@flow(name=os.environ["TESSERA_ARRAY_NAME"],
      task_runner=ThreadPoolTaskRunner(max_workers=int(os.environ["TESSERA_ARRAY_WORKERS"])))
def elements(size):
    """Runs all copies."""
    return element.map(range(size)).result()


if __name__ == "__main__":
    for code, words in elements(int(os.environ["TESSERA_ARRAY_SIZE"])):
        if code == UNFIT:
            sys.exit(print(words, file=sys.stderr) or UNFIT)
