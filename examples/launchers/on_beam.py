#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for Beam: each copy of the program is an element of a collection, https://beam.apache.org.

The runner is in BEAM_OPTIONS, "--runner=DataflowRunner --project=...", or on this host, which runs the
copies one after the other unless BEAM_OPTIONS says more. Dataflow starts a copy again, three times; the
runner on this host repeats nothing. Beam limits no memory of programs.

    ./program --tessera-executor=launcher:command=examples/launchers/on_beam.py,workers=16
"""

import os
import subprocess
import sys

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

UNFIT = 78
variables = {name: value for name, value in os.environ.items() if name.startswith("TESSERA_")}
variables["TESSERA_WORKER_DIES_WITH_PARENT"] = "1"


def element(index, program, variables):
    """Runs a copy of the program. A program that cannot run there ends the pipeline, too."""
    ended = subprocess.run(program, env={**os.environ, **variables, "TESSERA_INDEX": str(index)},
                           stderr=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        raise RuntimeError(f"element {index}: exit code {ended.returncode}: {ended.stderr[-500:]}")


if __name__ == "__main__":
    options = PipelineOptions(os.environ.get("BEAM_OPTIONS", "").split())
    indices = range(int(variables["TESSERA_ARRAY_SIZE"]))
    try:
        with beam.Pipeline(options=options) as pipeline:
            pipeline | beam.Create(indices) | beam.Reshuffle() | beam.Map(element, sys.argv[1:], variables)
    except Exception as failure:
        text = str(failure)
        sys.exit(print(text, file=sys.stderr) or (UNFIT if f"exit code {UNFIT}:" in text else 1))
