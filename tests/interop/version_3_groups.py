# SPDX-License-Identifier: Apache-2.0
"""xarray and Tessera exchange groups of Zarr version 3: shards, names of dimensions, coordinates,
consolidated metadata.

usage: version_3_groups.py <zarr_exchange>

xarray writes a group. Tessera reads its arrays, consolidates it, and stores a result with the
coordinates of the group into another one; xarray opens both.
"""

import json
import pathlib
import sys
import tempfile
import warnings

import numpy as np
import xarray
import zarr

from exchange import exchange


def dataset():
    generator = np.random.default_rng(3)
    t2m = generator.integers(-100, 100, (7, 6, 10)).astype("<i2")
    t2m[0, :2] = 0  # a chunk of fill values
    return xarray.Dataset(
        {"t2m": (["time", "lat", "lon"], t2m, {"units": "K", "long_name": "temperature \u03bc"}),
         "height": ([], np.float32(2), {"units": "m"})},
        {"time": np.arange("2000-01-01", "2000-01-08", dtype="<M8[D]").astype("<M8[ns]"),
         "lat": np.linspace(-45, 45, 6), "lon": np.linspace(0, 320, 10).astype("<f4")})


def write_group(data, path, order):
    """Writes a group with shards of 2 x 2 x 5 chunks or, in another order of axes, without shards."""
    layout = {"chunks": (2, 3, 2), "shards": (4, 6, 10)} if order is None else {"chunks": (2, 3, 2)}
    codecs = {} if order is None else {"filters": [zarr.codecs.TransposeCodec(order=order)]}
    data.to_zarr(path, zarr_format=3, consolidated=False,
                 encoding={"t2m": layout | codecs, "lat": {"chunks": (4,)}})


def elements_of(program, group, directory, data):
    """Returns the faults of the elements that Tessera reads."""
    stored = xarray.open_zarr(str(group), consolidated=False, chunks=None, decode_cf=False)
    rows = [(group / name, directory / f"{name}.raw") for name in data.variables]
    failures = [f"{path}: {answer}" for path, answer in exchange(program, "read", rows, directory).items()]
    for path, raw in rows:
        if raw.read_bytes() != stored[path.name].values.tobytes():
            failures.append(f"Tessera reads other elements of {path.name}")
    return failures


def faults_of(group, consolidated, data):
    with warnings.catch_warnings():
        # A warning says that the metadata are not consolidated after all.
        warnings.simplefilter("error", RuntimeWarning)
        with xarray.open_zarr(str(group), consolidated=consolidated, chunks=None) as opened:
            return [] if opened.identical(data) else [f"xarray opens {opened} in place of {data}"]


def check(program, directory, order):
    data = dataset()
    group, result = directory / "theirs.zarr", directory / "result.zarr"
    write_group(data, group, order)
    failures = elements_of(program, group, directory, data)
    answers = exchange(program, "consolidate", [(group,)], directory)
    zarr.create_group(result, zarr_format=3)
    answers |= exchange(program, "first", [(group / "t2m", result / "first", group)], directory)
    failures += [f"{path}: {answer}" for path, answer in answers.items()]
    failures += faults_of(group, True, data) + faults_of(group, False, data)
    first = data["t2m"][..., 0].drop_vars("lon").rename("first").drop_attrs(deep=False).to_dataset()
    with xarray.open_zarr(str(result), consolidated=False, chunks=None) as opened:
        if not opened.equals(first):
            failures.append(f"xarray opens {opened} in place of {first}")
    document = json.loads((result / "first/zarr.json").read_text())
    if document["zarr_format"] != 3 or document["dimension_names"] != ["time", "lat"]:
        failures.append(f"the result has the document {document}")
    return failures


def main(program):
    failures = []
    for order in (None, (2, 0, 1)):
        with tempfile.TemporaryDirectory() as directory:
            failures += check(program, pathlib.Path(directory), order)
    print("\n".join(failures) or f"xarray {xarray.__version__} and Tessera read the same groups")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
