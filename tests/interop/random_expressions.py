# SPDX-License-Identifier: Apache-2.0
"""Results of random expressions of named arrays, stored into one group: xarray opens it, and finds
the dimensions, extents and values that it gets for the same expressions.

usage: random_expressions.py <expression_exchange> [<seed>]
"""

import itertools
import pathlib
import random
import sys
import tempfile
import warnings

import numpy as np
import xarray
import zarr

from exchange import exchange

NUM_GROUPS = 12
NUM_RESULTS = 8
UNNAMED = "unnamed"


def inputs(rng):
    """Returns a data set of arrays over time, lat and lon."""
    generator = np.random.default_rng(rng.randrange(2**32))
    extents = {name: rng.randrange(2, 9) for name in ("time", "lat", "lon")}
    dims = {"u": ("time", "lat", "lon"), "v": ("time", "lat", "lon"), "w": ("lat", "lon"),
            "t": ("time",), "s": ()}
    return xarray.Dataset({name: (over, generator.random([extents[d] for d in over]))
                           for name, over in dims.items()})


class Expression:
    """An expression as xarray computes it, and in the words of expression_exchange.

    An axis whose extent is no more that of the input has no name in Tessera; xarray, where each
    has one, calls it by a new one here.
    """

    numbers = itertools.count()

    def __init__(self, words, value):
        self.words, self.value = words, value

    def named(self, words, value):
        """Returns the expression with axes that lose their names if their extents differ."""
        old = dict(zip(self.value.dims, self.value.shape))
        lost = {name: f"{UNNAMED}{next(self.numbers)}" for name, size in zip(value.dims, value.shape)
                if old.get(name, size) != size}
        return Expression(words, value.rename(lost))

    def changed(self, rng):
        """Returns some function of the expression."""
        value, rank = self.value, self.value.ndim
        kind = rng.choice(["root", "rechunk", "transpose", "square"] if rank == 0 else
                          ["root", "rechunk", "transpose", "square", "mean", "sum", "max", "centre",
                           "centre", "flip", "slice", "pick", "outer", "concat", "stack"])
        if kind == "root":
            return Expression(f"{self.words} root", np.sqrt(abs(value) + 1))
        if kind == "rechunk":
            return Expression(f"{self.words} rechunk", value)
        if kind == "transpose":
            return Expression(f"{self.words} transpose", value.T)
        if kind == "square":
            return Expression(f"{self.words} {self.words} multiply", value * value)
        axis = rng.randrange(rank)
        name, size = value.dims[axis], value.shape[axis]
        words = f"{self.words} {kind} {axis}"
        if kind in ("mean", "sum") or (kind == "max" and size > 0):
            return Expression(words, getattr(value, kind)(name))
        if kind == "centre":
            return Expression(words, value - value.mean(name))
        if kind == "flip":
            return Expression(words, value.isel({name: slice(None, None, -1)}))
        if kind == "slice":
            start, step = min(size, rng.choice([0, 0, 1])), rng.choice([1, 1, 2])
            stop = rng.choice([size, rng.randrange(start, size + 1)])
            return self.named(f"{words} {start} {stop} {step}",
                              value.isel({name: slice(start, stop, step)}))
        if kind == "pick" and size > 0:
            index = rng.randrange(-size, size)
            return Expression(f"{words} {index}", value.isel({name: index}))
        if kind == "concat":
            return self.named(f"{self.words} {self.words} {words.removeprefix(self.words)}",
                              xarray.concat([value, value], name))
        if kind == "stack" and rank < 3:
            new = f"{UNNAMED}{next(self.numbers)}"
            stacked = xarray.concat([value, value], new).transpose(
                *value.dims[:axis], new, *value.dims[axis:])
            return Expression(f"{self.words} {self.words} {words.removeprefix(self.words)}", stacked)
        if kind == "outer" and rank > 1:
            # What is left of the first axis is broadcast against all of it.
            reduced = value.mean(value.dims[0])
            return Expression(f"{self.words} {self.words} mean 0 subtract",
                              (value - reduced).transpose(*value.dims))
        return self

    def combined(self, operand, rng):
        """Returns a function of two expressions; the operand has the last dimensions of this."""
        ours, theirs = self.value, operand.value
        if ours.dims[ours.ndim - theirs.ndim:] != theirs.dims or theirs.ndim > ours.ndim or (
                ours.shape[ours.ndim - theirs.ndim:] != theirs.shape):
            return self
        kind, function = rng.choice([("add", np.add), ("subtract", np.subtract),
                                     ("multiply", np.multiply)])
        return Expression(f"{self.words} {operand.words} {kind}",
                          function(ours, theirs).transpose(*ours.dims))


def random_expression(data, rng):
    expression = Expression("u", data["u"])
    for name in rng.sample(sorted(data), 2):
        expression = expression.changed(rng).combined(Expression(name, data[name]), rng)
        start = Expression(name, data[name]).changed(rng)
        expression = rng.choice([expression, expression, start]).changed(rng)
    return expression


def differences(name, result, expected):
    """Yields the faults of the result `name`."""
    dims = tuple(f"{name}_dim_{axis}" if dim.startswith(UNNAMED) else dim
                 for axis, dim in enumerate(expected.dims))
    if result.dims != dims:
        yield f"the dimensions are {result.dims}, not {dims}"
    elif result.shape != expected.shape:
        yield f"the extents are {result.shape}, not {expected.shape}"
    elif not np.allclose(result.values, expected.values, rtol=1e-12, atol=1e-12, equal_nan=True):
        yield "the values differ"


def check_group(program, data, rng, directory):
    """Returns the faults of a group of results."""
    data.to_zarr(str(directory / "in.zarr"))
    results = {f"r{i}": random_expression(data, rng) for i in range(NUM_RESULTS)}
    group = directory / "out.zarr"
    answers = exchange(program, "evaluate",
                       [(group / name, directory / "in.zarr", expression.words)
                        for name, expression in results.items()], directory)
    failures = [f"{path}: {answer}" for path, answer in answers.items()]
    zarr.consolidate_metadata(str(group))
    for consolidated in (False, True):
        with xarray.open_zarr(str(group), consolidated=consolidated, chunks=None) as opened:
            for name, expression in results.items():
                if name not in opened:
                    failures.append(f"{expression.words}: xarray does not find it")
                    continue
                failures += [f"{expression.words}: {difference}"
                             for difference in differences(name, opened[name], expression.value)]
    return failures


def main(program, seed):
    print(f"seed {seed}")
    rng = random.Random(seed)
    failures = []
    for _ in range(NUM_GROUPS):
        with tempfile.TemporaryDirectory() as directory:
            failures += check_group(program, inputs(rng), rng, pathlib.Path(directory))
    print("\n".join(failures) or f"{NUM_GROUPS} groups of {NUM_RESULTS} results agree")
    return 1 if failures else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2**32)))
