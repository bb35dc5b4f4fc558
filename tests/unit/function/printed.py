# SPDX-License-Identifier: Apache-2.0
"""Reads what programs print by print_arrays.hpp: arrays, and results with the Python that is to give
the same."""

import subprocess

import numpy as np


def results(program, names):
    """Runs a program, and gives the relation, the text and the array of each of its results.

    `names` has the arrays that were printed before a result, and the effects of lines of Python."""
    run = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True)
    for line in run.stdout.splitlines():
        relation, text, *fields = line.split("\t")
        if relation == "run":
            exec(text, names)
            continue
        kind, shape, elements = fields
        shape = tuple(int(n) for n in shape.split(",")[:-1])
        array = np.frombuffer(bytes.fromhex(elements), kind).reshape(shape)
        if relation == "let":
            names[text] = array
        else:
            yield relation, text, array
