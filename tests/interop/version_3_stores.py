# SPDX-License-Identifier: Apache-2.0
"""Copies of random arrays of Zarr version 3 hold the elements that their writers stored.

usage: version_3_stores.py <array_exchange> [rounds]

zarr-python, zarrs or TensorStore write each array. Tessera copies it as it is, to version 2, and from
there to version 3. All readers read the copies that read the original.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import zarr

from version_3_arrays import (IMPLEMENTATIONS, OTHERS, SEED, in_memory, open_tensorstore,
                              random_array, reads, same_bits, write)

ROUNDS = 120


def run(program, mode, folder, pairs):
    """Copies arrays; returns the errors that are reported."""
    table = folder / "list"
    table.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    done = subprocess.run([program, mode, str(table)], check=False, capture_output=True, text=True)
    return done.stdout


def version_2_faults(copy, data, readers):
    faults = []
    array = zarr.open_array(str(copy), mode="r")
    if array.metadata.zarr_format != 2:
        faults.append(f"{copy.name} is of version {array.metadata.zarr_format}")
    if not same_bits(array[...], data):
        faults.append(f"zarr-python reads other elements of {copy.name}")
    # TensorStore reads version 2 with few compressors, and without filters.
    document = json.loads((copy / ".zarray").read_text())
    compressor = document["compressor"] or {"id": None}
    is_known = compressor["id"] in (None, "zlib", "gzip", "zstd", "blosc") and "checksum" not in compressor
    if "tensorstore" in readers and is_known and not document["filters"]:
        elements = open_tensorstore(copy, "zarr").read().result()
        if not same_bits(elements, data):
            faults.append(f"TensorStore reads other elements of {copy.name}")
    return faults


def faults_of(folder, document, data, readers):
    """Returns the faults of the three copies of an array."""
    copies = {"as_it_is": data, "v2": in_memory(data), "v3": in_memory(data)}
    if "cast_value" in json.dumps(document):
        # Version 2 cannot state this codec.
        copies = {"as_it_is": data}
    missing = [name for name in copies if not (folder / name).exists()]
    if missing:
        return [f"{name} is missing" for name in missing]
    faults = []
    if "v2" in copies:
        faults = version_2_faults(folder / "v2", copies.pop("v2"), readers)
    # A copy from version 2 has the codecs of the original, but no shards.
    for reader in readers:
        faults += [f"{reader} reads other elements of {name}" for name, elements in copies.items()
                   if not reads(reader, folder / name, elements)]
    return faults


def main():
    warnings.simplefilter("ignore")
    print(f"zarr-python {zarr.__version__}, seed {SEED}")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    rng = np.random.default_rng(SEED)
    arrays = []
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        for number in range(rounds):
            document, data = random_array(rng, OTHERS)
            for writer in IMPLEMENTATIONS:
                folder = place / f"{writer}-{number}"
                readers = write(writer, folder / "theirs", document, data)
                if readers:
                    arrays.append((folder, document, data, readers))
        copies = {"copy": ("theirs", "as_it_is"), "to_v2": ("theirs", "v2"), "to_v3": ("v2", "v3")}
        for mode, (source, target) in copies.items():
            print(run(sys.argv[1], mode, place,
                      [(array[0] / source, array[0] / target) for array in arrays]), end="")
        failed = 0
        counts = collections.Counter(reader for array in arrays for reader in array[3])
        for folder, document, data, readers in arrays:
            faults = faults_of(folder, document, data, readers)
            failed += bool(faults)
            if faults:
                print(f"{folder.name}: {'; '.join(faults)}: {json.dumps(document)}")
    print(f"{len(arrays)} arrays, {dict(counts)}, {failed} with faults")
    sys.exit(1 if failed or min(counts[name] for name in IMPLEMENTATIONS) < rounds else 0)


main()
