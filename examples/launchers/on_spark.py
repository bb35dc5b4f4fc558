#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for Spark: each copy of the program is a task of Spark, https://spark.apache.org.

The cluster is that of SPARK_MASTER, or one on this host. Spark starts a copy again, twice, if it was lost
or its executor died. Spark limits no memory of programs outside of its own.

    ./program --tessera-executor=launcher:command=examples/launchers/on_spark.py,workers=16
"""

import os
import subprocess
import sys

from pyspark import SparkConf, SparkContext

UNFIT = 78
variables = {name: value for name, value in os.environ.items() if name.startswith("TESSERA_")}
variables["TESSERA_WORKER_DIES_WITH_PARENT"] = "1"
program = sys.argv[1:]


def element(index):
    """Runs a copy of the program, and returns its exit code and its last words."""
    ended = subprocess.run(program, env={**os.environ, **variables, "TESSERA_INDEX": str(index)},
                           stderr=subprocess.PIPE, text=True)
    if ended.returncode not in (0, UNFIT):
        raise RuntimeError(f"element {index}: exit code {ended.returncode}: {ended.stderr[-500:]}")
    return ended.returncode, ended.stderr[-500:]


if __name__ == "__main__":
    this_host = f"local[{variables['TESSERA_ARRAY_WORKERS']},3]"
    conf = SparkConf().setMaster(os.environ.get("SPARK_MASTER", this_host))
    conf.setAppName(variables["TESSERA_ARRAY_NAME"]).set("spark.task.maxFailures", "3")
    size = int(variables["TESSERA_ARRAY_SIZE"])
    with SparkContext(conf=conf) as spark:
        outcomes = spark.parallelize(range(size), size).map(element).collect()
    for code, words in outcomes:
        if code == UNFIT:
            sys.exit(print(words, file=sys.stderr) or UNFIT)
