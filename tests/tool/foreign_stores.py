# SPDX-License-Identifier: Apache-2.0
"""Stores as zarr-python, numcodecs and xarray write them, and a few that are edited by hand as other writers leave
them."""

import json

import numcodecs
import numpy as np
import xarray
import zarr


def _values(dtype, *shape):
    """Returns elements that differ, whatever the dtype is."""
    count = int(np.prod(shape))
    dtype = np.dtype(dtype)
    if dtype == bool:
        return (np.arange(count) % 3 == 0).reshape(shape)
    if dtype.kind in "SU":
        return np.array([str(i % 90) for i in range(count)]).astype(dtype).reshape(shape)
    if dtype.kind == "V":
        flat = np.zeros(count, dtype)
        flat.view("u1").reshape(count, -1)[:, 0] = np.arange(count) % 250
        return flat.reshape(shape)
    return np.arange(count).astype(dtype).reshape(shape)


def _array(path, values, chunks, **options):
    attributes = options.pop("attributes", {})
    array = zarr.open_array(str(path), mode="w", shape=values.shape, dtype=values.dtype, chunks=chunks, **options)
    array[...] = values
    array.attrs.update(attributes)
    return array


def _edit(path, **members):
    """Sets members of a JSON file."""
    content = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(content | members))


DTYPES = ["i1", "<i2", "<i4", ">i4", "<u8", "<f2", "<f4", ">f8", "<c8", "<c16", "?", "S5", "<U3", ">U3", "V7", "<M8[s]",
          "<m8[ns]", [("a", "<i4"), ("b", ">f8", (2,))]]

COMPRESSORS = [None, numcodecs.Blosc("lz4", 5, 1), numcodecs.Blosc("zstd", 3, 2), numcodecs.Blosc("blosclz", 9, 0),
               numcodecs.Zlib(6), numcodecs.GZip(1), numcodecs.BZ2(5), numcodecs.LZMA(), numcodecs.Zstd(7),
               numcodecs.LZ4(2)]

FILTERS = [("<i4", numcodecs.Delta("<i4")), ("<f8", numcodecs.FixedScaleOffset(0, 1, "<f8", "<i2")),
           ("<f8", numcodecs.Quantize(3, "<f8")), ("?", numcodecs.PackBits()), ("<i4", numcodecs.AsType("<i8", "<i4")),
           ("<i4", numcodecs.Shuffle(4)), ("<i4", numcodecs.CRC32())]

OBJECTS = [("texts", np.array(["a", "bcd", "", "\u00e4\u20ac"], object), numcodecs.VLenUTF8()),
           ("bytes", np.array([b"a", b"bcd", b"", b"\xff"], object), numcodecs.VLenBytes()),
           ("json", np.array([{"a": 1}, [2], None, "x"], object), numcodecs.JSON()),
           ("pickles", np.array([{"a": 1}, [2], None, "x"], object), numcodecs.Pickle())]


def _elements(folder):
    for i, dtype in enumerate(DTYPES):
        _array(folder / f"dtype-{i}", _values(dtype, 7, 5), (3, 2), fill_value=None)
    for i, compressor in enumerate(COMPRESSORS):
        _array(folder / f"compressor-{i}", _values("<f4", 9, 4), (4, 3), compressor=compressor)
    for i, (dtype, codec) in enumerate(FILTERS):
        _array(folder / f"filter-{i}", _values(dtype, 16), 8, filters=[codec])
    for name, values, codec in OBJECTS:
        zarr.open_array(str(folder / f"objects-{name}"), mode="w", shape=4, chunks=2, dtype=object,
                        object_codec=codec)[:] = values
    ragged = zarr.open_array(str(folder / "objects-ragged"), mode="w", shape=2, chunks=1, dtype=object,
                             object_codec=numcodecs.VLenArray("<i4"))
    ragged[0] = np.array([1, 2], "<i4")
    ragged[1] = np.array([3], "<i4")
    zarr.open_array(str(folder / "categories"), mode="w", shape=4, chunks=2, dtype=object, compressor=None,
                    filters=[numcodecs.Categorize(["a", "b"], dtype=object)])[:] = np.array(["a", "b", "b", "a"],
                                                                                            object)


def _layouts(folder):
    _array(folder / "order-F", _values("<i4", 7, 5), (3, 2), order="F")
    _array(folder / "nested", _values("<i4", 7, 5), (3, 2), dimension_separator="/")
    _array(folder / "rank-0", _values("<i4"), ())
    _array(folder / "empty", _values("<i4", 0, 5), (1000, 5))
    _array(folder / "wide-chunks", _values("<i4", 5), 100)
    _array(folder / "five-axes", _values("<i2", 2, 3, 2, 3, 2), (1, 2, 2, 2, 2))
    sparse = zarr.open_array(str(folder / "sparse"), mode="w", shape=(1000, 1000), chunks=(10, 10), dtype="<f4",
                             fill_value=0)
    sparse[0, 0] = 1
    for name, fill in (("nan", np.nan), ("infinity", -np.inf), ("number", 1e20)):
        array = zarr.open_array(str(folder / f"fill-{name}"), mode="w", shape=9, chunks=2, dtype="<f8", fill_value=fill)
        array[:3] = 1


def _edited(folder):
    root = folder / "netcdf-c"
    group = zarr.open_group(str(root), mode="w")
    group.create_dataset("v", data=_values("<i4", 4), chunks=2)
    _edit(root / "v/.zarray", _nczarr_array={"dimrefs": ["/x"], "storage": "chunked"}, node_type="array")
    _edit(root / ".zgroup", _nczarr_superblock={"version": "2.0.0"})

    _array(folder / "empty-attributes", _values("<i4", 4), 2)
    (folder / "empty-attributes/.zattrs").write_text("{}")
    for i, names in enumerate(("x", ["x", "y"], None)):
        _array(folder / f"names-{i}", _values("<i4", 4), 2, attributes={"_ARRAY_DIMENSIONS": names})
    _array(folder / "numbers-of-python", _values("<f8", 4), 2, attributes={
        "nan": float("nan"), "word": "NaN", "range": [float("-inf"), 1.5], "deep": {"a": [None, float("nan")]},
        "large": 2**70, "mixed": [1, "a", True]})

    root = folder / "implied-groups"
    zarr.open_group(str(root), mode="w").create_dataset("a/b/v", data=_values("<i4", 4), chunks=2)
    for path in ("a/.zgroup", "a/b/.zgroup"):
        (root / path).unlink()

    root = folder / "image"
    group = zarr.open_group(str(root), mode="w")
    group.attrs["multiscales"] = [{"version": "0.4", "axes": [{"name": "y"}, {"name": "x"}]}]
    for level in range(3):
        group.create_dataset(str(level), data=_values("<u2", 16 >> level, 16 >> level), chunks=128,
                             dimension_separator="/")
    group.create_group("labels")

    root = folder / "annotated"
    group = zarr.open_group(str(root), mode="w")
    group.create_dataset("X/data", data=_values("<f4", 9), chunks=4)
    group["X"].attrs["encoding-type"] = "csr_matrix"
    group.create_dataset("obs/_index", data=OBJECTS[0][1], dtype=object, object_codec=numcodecs.VLenUTF8())
    zarr.consolidate_metadata(str(root))


def _datasets():
    times = np.array(["2000-01-01", "NaT", "2000-01-03"], "M8[ns]")
    maps = xarray.DataArray(_values("<f4", 3, 2, 4), dims=("time", "lat", "lon"), attrs={"units": "K"})
    yield "maps", xarray.Dataset({"t": maps}, {"lat": [1., 2.], "time": times[[0, 2, 2]]}), {}
    yield "packed", xarray.Dataset({"t": maps}), {"t": {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -1}}
    yield "text", xarray.Dataset({"t": ("station", [1., 2.])}, {"station": np.array(["a", "bc"], object)}), {}
    yield "fixed-text", xarray.Dataset({"t": ("station", [1., 2.])}, {"station": ["a", "bc"]}), {}
    yield "missing", xarray.Dataset({"v": ("x", np.array([1, np.nan], "f4"))}), {
        "v": {"missing_value": np.float32("nan"), "_FillValue": np.float32("nan")}}
    yield "times", xarray.Dataset({"when": ("x", times)}), {
        "when": {"dtype": "i8", "units": "hours since 2000-01-01", "_FillValue": -9999}}
    yield "scalar", xarray.Dataset({"crs": ((), 0), "mask": ("x", [True, False])}, attrs={"title": "\u00e4"}), {}
    yield "chunked", xarray.Dataset({"t": maps}), {"t": {"chunks": (8, 4, 6)}}


def make_all(folder):
    """Makes the stores in `folder`; returns their paths."""
    _elements(folder)
    _layouts(folder)
    _edited(folder)
    for i, (name, dataset, encoding) in enumerate(_datasets()):
        dataset.to_zarr(str(folder / f"xarray-{name}"), encoding=encoding, consolidated=i % 2 == 0)
    return sorted(folder.iterdir())
