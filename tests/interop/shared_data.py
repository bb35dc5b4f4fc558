# SPDX-License-Identifier: Apache-2.0
"""Reads every array of a directory of Zarr groups by Tessera, and compares all elements with what
zarr-python reads and some with the results in expected.json.

usage: shared_data.py <directory> <zarr_exchange>
"""

import json
import math
import pathlib
import sys
import tempfile

import numpy as np
import zarr

from exchange import exchange

def arrays_in(root):
    """Returns the path of each array below `root`."""
    return sorted(metadata.parent for metadata in root.glob("*/*/.zarray"))


def compare(path, answer, raw):
    """Returns the fault of an array, or None."""
    array = zarr.open_array(str(path), mode="r")
    if answer is not None:
        return f"{path}: {answer}"
    if raw.read_bytes() != np.ascontiguousarray(array[...]).tobytes():
        return f"{path}: the values differ from those of zarr-python"
    return None


def check_results(root, raws):
    """Returns the faults of the wind fields of eraint_uv_f4.zarr."""
    results = json.loads((root / "expected.json").read_text())["results"]["eraint_uvz.zarr"]
    failures = []
    for name in "uv":
        expected = results[name]
        raw = raws[root / "eraint_uv_f4.zarr" / name]
        values = np.frombuffer(raw.read_bytes(), "<f4").reshape(expected["shape"])
        # The results are of the packed data, of which these are the values rounded to float32.
        mean = math.fsum(values.astype("f8").ravel()) / values.size
        if abs(mean - expected["statistics"]["mean"]) > 1e-6:
            failures.append(f"{name}: mean {mean}, expected {expected['statistics']['mean']}")
        for point in expected["points"]:
            value = values[tuple(point["index"])]
            if value != np.float32(point["value"]):
                failures.append(f"{name}{point['index']}: {value}, expected {point['value']}")
    return failures


def main(root, program):
    root = pathlib.Path(root).resolve()
    with tempfile.TemporaryDirectory() as directory:
        raws = {path: pathlib.Path(directory) / f"{i}.raw"
                for i, path in enumerate(arrays_in(root))}
        answers = exchange(program, "read", list(raws.items()), directory)
        failures = [failure for path, raw in raws.items()
                    if (failure := compare(path, answers.get(str(path)), raw))]
        failures += check_results(root, raws)
    print("\n".join(failures) or f"{len(raws)} arrays agree")
    return 1 if failures or not raws else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
