# SPDX-License-Identifier: Apache-2.0
"""xarray opens a group that Tessera wrote: dimensions, coordinates, CF attributes, consolidated.

usage: xarray_groups.py <zarr_exchange>
"""

import json
import pathlib
import sys
import tempfile
import warnings

import numpy as np
import xarray

from exchange import exchange

CHUNKS = {"lat": 4, "lon": 9, "time": 2}


def dataset():
    """Returns, by name: dimensions, values as they are stored, attributes."""
    generator = np.random.default_rng(1)
    packed = generator.integers(-100, 100, (3, 4, 9)).astype("<i2")
    packed[0, 0, 0] = -999
    return {
        "time": (["time"], np.arange(3, dtype="<i4"),
                 {"units": "days since 2000-01-01", "calendar": "proleptic_gregorian"}),
        "lat": (["lat"], np.linspace(-45, 45, 4), {"units": "degrees_north"}),
        "lon": (["lon"], np.linspace(0, 320, 9).astype("<f4"), {"units": "degrees_east"}),
        "area": (["lat", "lon"], generator.random((4, 9)), {"long_name": "area \u03bc"}),
        "height": ([], np.array(2.0), {"units": "m"}),
        "t2m": (["time", "lat", "lon"], packed,
                {"units": "K", "scale_factor": 0.5, "add_offset": 273.0, "_FillValue": -999,
                 "coordinates": "area height", "valid_max": float("inf")}),
    }


def rows_of(directory, group, variables):
    """Returns the rows from which zarr_exchange writes the variables."""
    rows = []
    for name, (dims, values, attributes) in variables.items():
        raw, metadata, attrs = (directory / f"{name}.{end}" for end in ("raw", "json", "attrs"))
        raw.write_bytes(values.tobytes())
        metadata.write_text(json.dumps({
            "zarr_format": 2, "shape": values.shape, "chunks": [CHUNKS[dim] for dim in dims],
            "dtype": values.dtype.str, "compressor": {"id": "zlib", "level": 1}, "fill_value": None,
            "order": "C", "filters": None}))
        # Python writes infinity as a bare word, and so does Tessera.
        attrs.write_text(json.dumps({"_ARRAY_DIMENSIONS": dims, **attributes}))
        rows.append((group / name, raw, metadata, attrs))
    return rows


def check(opened, variables):
    """Returns the faults of a data set that xarray opened."""
    failures = []
    if set(opened.coords) != {"time", "lat", "lon", "area", "height"}:
        failures.append(f"the coordinates are {set(opened.coords)}")
    for name, (dims, values, _) in variables.items():
        if list(opened[name].dims) != dims:
            failures.append(f"{name}: the dimensions are {opened[name].dims}, not {dims}")
        if name not in ("t2m", "time") and not np.array_equal(opened[name].values, values):
            failures.append(f"{name}: the values differ")
    expected = variables["t2m"][1] * 0.5 + 273.0
    expected[0, 0, 0] = np.nan
    if not np.allclose(opened["t2m"].values, expected, equal_nan=True):
        failures.append("t2m: the values differ")
    if str(opened["time"].values[2])[:10] != "2000-01-03":
        failures.append(f"time: the third day is {opened['time'].values[2]}")
    if opened["area"].attrs["long_name"] != "area \u03bc":
        failures.append(f"area: the attributes are {opened['area'].attrs}")
    if opened["t2m"].attrs["valid_max"] != float("inf"):
        failures.append(f"t2m: the attributes are {opened['t2m'].attrs}")
    return failures


def check_coordinates(opened, variables):
    """Returns the faults of a result that was stored with coordinates."""
    failures = []
    if set(opened.coords) != {"time", "lat"}:
        failures.append(f"the coordinates of a result are {set(opened.coords)}")
    if not np.array_equal(opened["lat"].values, variables["lat"][1]):
        failures.append("the latitudes of a result differ")
    days = [str(time)[:10] for time in opened["time"].values]
    if days != ["2000-01-01", "2000-01-02", "2000-01-03"]:
        failures.append(f"the times of a result are {days}")
    if not np.array_equal(opened["first"].values, variables["t2m"][1][..., 0]):
        failures.append("the elements of a result differ")
    return failures


def main(program):
    variables = dataset()
    with tempfile.TemporaryDirectory() as path:
        directory = pathlib.Path(path)
        group = directory / "ours.zarr"
        answers = exchange(program, "write", rows_of(directory, group, variables), directory)
        answers |= exchange(program, "consolidate", [(group,)], directory)
        failures = [f"{path}: {answer}" for path, answer in answers.items()]
        for consolidated in (True, False):
            # A warning says that the metadata are not consolidated after all.
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                with xarray.open_zarr(str(group), consolidated=consolidated, chunks=None) as opened:
                    failures += check(opened, variables)
        result = directory / "result.zarr"
        answers = exchange(program, "first", [(group / "t2m", result / "first", group)], directory)
        failures += [f"{path}: {answer}" for path, answer in answers.items()]
        with xarray.open_zarr(str(result), consolidated=False, chunks=None) as opened:
            failures += check_coordinates(opened, variables)
        # Only the attribute that is infinite has a word that JSON does not have.
        for file in group.rglob(".z*"):
            words = []
            json.loads(file.read_text(), parse_constant=words.append)
            expected = ["Infinity"] if file in (group / ".zmetadata", group / "t2m/.zattrs") else []
            if words != expected:
                failures.append(f"{file}: {words}")
    print("\n".join(failures) or "xarray reads what it should")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
