# SPDX-License-Identifier: Apache-2.0
"""Arrays of HDF5 files are read by the reference documents that kerchunk and VirtualiZarr write.

usage: references.py <zarr_exchange> [<directory of Zarr groups>]

Random datasets, and the climate data of the groups, are written to HDF5 and NetCDF4 files. kerchunk
and VirtualiZarr write reference documents of the files. Tessera reads each array of a document from
where its chunks lie; its elements are those that h5py reads. Needs h5py, h5netcdf, kerchunk,
VirtualiZarr, xarray.
"""

import json
import pathlib
import sys
import tempfile
import warnings

import h5py
import numpy as np
import xarray

from exchange import exchange

SEED = 20261127
TYPES = ["<f4", ">f8", "<i2", ">i4", "|u1", "|i1", "<u8", "|b1", "<f2"]


def random_values(rng, dtype, shape):
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    return rng.integers(0, 2 if dtype == "|b1" else 100, shape).astype(dtype)


def name_dimensions(dataset):
    """Gives each axis the dimension of its extent: VirtualiZarr needs dimensions of one extent."""
    for axis, extent in enumerate(dataset.shape):
        name = f"d{extent}"
        if name not in dataset.parent:
            dataset.parent.create_dataset(name, data=np.arange(extent)).make_scale(name)
        dataset.dims[axis].attach_scale(dataset.parent[name])


def write_random(path, rng):
    """Writes an HDF5 file whose datasets have all layouts and filters that references know."""
    with h5py.File(path, "w") as file:
        for number in range(40):
            rank = int(rng.integers(0, 4))
            shape = tuple(int(n) for n in rng.integers(1, 12, rank))
            data = random_values(rng, TYPES[number % len(TYPES)], shape)
            options = {}
            if rank > 0 and rng.random() < 0.7:
                options["chunks"] = tuple(int(rng.integers(1, n + 1)) for n in shape)
                options["shuffle"] = bool(rng.random() < 0.5)
                if rng.random() < 0.5:
                    options["compression"] = "gzip"
            name_dimensions(file.create_dataset(f"{'ab'[number % 2]}/v{number}", data=data, **options))
        partial = file.create_dataset("a/partial", (9,), "<i4", chunks=(2,), fillvalue=7)
        partial[2:4] = [1, 2]
        name_dimensions(partial)


def write_climate(source, path):
    """Writes a Zarr group as NetCDF4 with packed and compressed variables."""
    data = xarray.open_zarr(source, consolidated=False, decode_cf=False)
    packing = {name: {"zlib": True, "shuffle": True, "chunksizes": tuple(-(-n // 2) for n in x.shape)}
               for name, x in data.variables.items() if x.ndim > 1}
    for variable in data.variables.values():
        variable.encoding = {}
    data.to_netcdf(path, engine="h5netcdf", encoding=packing)


def write_kerchunk(source, path, inline_threshold):
    from kerchunk.hdf import SingleHdf5ToZarr
    document = SingleHdf5ToZarr(str(source), inline_threshold=inline_threshold).translate()
    # Relative to the folder of the document.
    path.write_text(json.dumps(document).replace(f'"{source}"', f'"{source.name}"'))
    old = path.with_name("v0-" + path.name)
    old.write_text(json.dumps(document["refs"]))
    return [path, old]


def write_virtualizarr(source, path, group):
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore
    from virtualizarr import open_virtual_dataset
    from virtualizarr.parsers import HDFParser
    registry = ObjectStoreRegistry({"file://": LocalStore()})
    with open_virtual_dataset(f"file://{source}", registry=registry, parser=HDFParser(group=group),
                              loadable_variables=[], decode_times=False) as data:
        data.vz.to_kerchunk(str(path), format="json")
    return path


def arrays_of(document):
    """Returns the paths of the arrays of a document."""
    references = json.loads(document.read_text())
    references = references.get("refs", references)
    return sorted(key[:-len("/.zarray")] for key in references if key.endswith("/.zarray"))


def compare(file, group, document, program, folder):
    """Returns the faults of a document, and the number of its arrays."""
    raws = {f"reference://{document}/{path}": (path, folder / f"{i}.raw")
            for i, path in enumerate(arrays_of(document))}
    answers = exchange(program, "read", [(url, raw) for url, (_, raw) in raws.items()], folder)
    faults = [f"{url}: {answer}" for url, answer in answers.items()]
    with h5py.File(file) as data:
        for url, (path, raw) in raws.items():
            if url in answers:
                continue
            expected = data[f"{group}/{path}"][...]
            # Tessera gives elements in the byte order of this machine.
            expected = expected.astype(expected.dtype.newbyteorder("="))
            stored = np.frombuffer(raw.read_bytes(), np.uint8)
            if stored.tobytes() != np.ascontiguousarray(expected).tobytes():
                faults.append(f"{url}: the elements differ from those of h5py")
    return faults, len(raws)


def documents_of(file, groups, folder):
    """Returns the documents of a file, each with the group that it describes."""
    documents = [(document, "") for threshold in (0, 200)
                 for document in write_kerchunk(file, folder / f"kerchunk-{threshold}.json", threshold)]
    for group in groups:
        path = folder / f"virtualizarr-{group.strip('/')}.json"
        documents.append((write_virtualizarr(file, path, group or None), group))
    return documents


def main(program, climate):
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(SEED)
    num_arrays, faults = 0, []
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place).resolve()
        files = [(place / "random" / "x.h5", ["a", "b"])]
        files[0][0].parent.mkdir()
        write_random(files[0][0], rng)
        for source in sorted(climate.glob("*.zarr")) if climate else []:
            files.append((place / source.stem / "x.nc", [""]))
            files[-1][0].parent.mkdir()
            write_climate(source, files[-1][0])
        for file, groups in files:
            for document, group in documents_of(file, groups, file.parent):
                new_faults, count = compare(file, group, document, program, file.parent)
                faults += new_faults
                num_arrays += count
    print("\n".join(faults) or f"{num_arrays} arrays agree")
    return 1 if faults or num_arrays < 100 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None))
