# SPDX-License-Identifier: Apache-2.0
"""The command line of the programs in Python: PROGRAM DATA RESULTS REPEAT."""

import shutil
import sys
import time
from pathlib import Path

import datasets
import numpy as np

THREADS = 2
ALLOWED_MEMORY = 2_000_000_000
CHUNKS_OF_PLACES = (20, 40)


def months(times):
    """The month of each time: twelve of ten times in a year."""
    return np.arange(times) // 10 % 12


def target(path, array, chunks=None):
    """An array for the result `array`, in its chunks."""
    return datasets.create(path, array.shape, chunks or array.shape, array.dtype)


def seconds_of(run, data, results):
    """The time of one run, from opening arrays to storing results."""
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    begin = time.perf_counter()
    run(data, results)
    return time.perf_counter() - begin


def main(programs):
    """Runs the program of the command line; prints the seconds of each run."""
    name, data, results, repeat = sys.argv[1:]
    for _ in range(int(repeat)):
        print(seconds_of(programs[name], Path(data), Path(results)), flush=True)
