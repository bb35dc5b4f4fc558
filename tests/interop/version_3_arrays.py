# SPDX-License-Identifier: Apache-2.0
"""Random arrays of Zarr version 3, and their writers and readers: zarr-python 3, zarr-python with the
codecs of zarrs, TensorStore.

An array is a document, zarr.json, and its elements in NumPy. Documents vary in data type, fill value,
chunks, shards (nested, transposed, compressed), codecs and chunk keys.
"""

import base64
import json

import ml_dtypes
import numpy as np
import tensorstore
import zarr

SEED = 20261127
NUMBERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
           "float32", "float64", "complex64", "complex128"]
OTHERS = ["datetime64[10s]", "timedelta64[ns]", "S5", "U3", "V3", ml_dtypes.bfloat16]


def pick(rng, options):
    return options[int(rng.integers(len(options)))]


def in_memory(elements):
    """Returns elements as Tessera has them: bfloat16 as float32."""
    return elements.astype("f4") if elements.dtype == ml_dtypes.bfloat16 else elements


def codec(name, **configuration):
    is_bare = not configuration and not name.startswith("numcodecs.")
    return {"name": name} if is_bare else {"name": name, "configuration": configuration}


def name_of_type(dtype):
    """Returns the data type as zarr.json states it."""
    length = {"length_bytes": dtype.itemsize}
    if dtype.kind in "mM":
        unit, factor = np.datetime_data(dtype)
        kind = "numpy.datetime64" if dtype.kind == "M" else "numpy.timedelta64"
        return codec(kind, unit=unit, scale_factor=factor)
    names = {"S": "null_terminated_bytes", "U": "fixed_length_utf32", "V": "raw_bytes"}
    if dtype.kind in names and dtype != ml_dtypes.bfloat16:
        return codec(names[dtype.kind], **length)
    return dtype.name


def random_elements(rng, dtype, count):
    """Returns elements of random bits; every NaN is the usual one."""
    bits = rng.integers(0, 256, count * dtype.itemsize, dtype=np.uint8)
    if dtype.kind == "b":
        return (bits % 2).view(dtype)
    if dtype.kind == "S":
        return (bits % 3 + 97).view(dtype)
    if dtype.kind == "U":
        return (bits.view("<u4") % 0xD800).view(dtype)
    elements = bits.view(dtype)
    if dtype == ml_dtypes.bfloat16 or dtype.kind in "fc":
        with np.errstate(invalid="ignore"):
            if dtype.kind == "c":
                parts = elements.view(dtype.char.lower())
                parts[np.isnan(parts)] = np.nan
            else:
                elements[np.isnan(elements)] = np.nan
    return elements


def float_json(value):
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)


def fill_json(fill):
    """Returns an element of NumPy as the fill value of zarr.json."""
    kind = fill.dtype.kind
    if kind == "c":
        return [float_json(fill.real), float_json(fill.imag)]
    if fill.dtype == ml_dtypes.bfloat16 or kind == "f":
        return float_json(fill)
    if kind in "mM":
        return "NaT" if np.isnat(fill) else int(fill.view("i8"))
    if kind == "b":
        return bool(fill)
    if kind in "SV":
        return base64.standard_b64encode(fill.tobytes()).decode()
    return str(fill) if kind == "U" else int(fill)


def bytes_codec(rng, dtype):
    if dtype.itemsize == 1 or dtype.kind in "SV" and dtype != ml_dtypes.bfloat16:
        return codec("bytes")
    return codec("bytes", endian=pick(rng, ["little", "big"]))


def compressors(rng, dtype):
    """Returns up to two codecs of bytes, seldom of numcodecs, which zarr-python alone has."""
    choices = [codec("gzip", level=int(rng.integers(0, 10))),
               codec("zstd", level=int(rng.integers(-3, 10)), checksum=bool(rng.integers(2))),
               codec("blosc", cname=pick(rng, ["lz4", "zstd", "zlib"]), clevel=5, blocksize=0,
                     shuffle=pick(rng, ["noshuffle", "shuffle", "bitshuffle"]),
                     typesize=dtype.itemsize),
               codec("crc32c")]
    if rng.integers(6) == 0:
        choices = [codec("numcodecs.zlib", level=int(rng.integers(1, 10))),
                   codec("numcodecs.lz4", acceleration=1), codec("numcodecs.bz2", level=1),
                   codec("numcodecs.shuffle", elementsize=dtype.itemsize), codec("numcodecs.adler32"),
                   codec("numcodecs.crc32"), codec("numcodecs.fletcher32")]
    return [pick(rng, choices) for _ in range(int(rng.integers(0, 3)))]


def last_codecs(rng, dtype):
    """Returns the codec that makes bytes, perhaps behind a filter, and the codecs of bytes."""
    if dtype.kind in "iu" and dtype.itemsize > 1 and rng.integers(8) == 0:
        delta = codec("numcodecs.delta", dtype=f"<{dtype.str[1:]}")
        return [delta, bytes_codec(rng, dtype)] + compressors(rng, dtype)
    if dtype.kind in "iu" and dtype.itemsize < 8 and rng.integers(12) == 0:
        # zarr-python has this codec from 3.2 on.
        wide = np.dtype("i8" if dtype.kind == "i" else "u8")
        cast = codec("cast_value", data_type=wide.name)
        return [cast, bytes_codec(rng, wide)] + compressors(rng, wide)
    return [bytes_codec(rng, dtype)] + compressors(rng, dtype)


def divisor(rng, length):
    return pick(rng, [part for part in range(1, length + 1) if length % part == 0])


def codecs_of(rng, dtype, chunks, depth=0):
    """Returns a list of codecs for chunks of these lengths."""
    rank = len(chunks)
    front = []
    if rank > 0 and rng.integers(3) == 0:
        order = [int(axis) for axis in rng.permutation(rank)]
        front = [codec("transpose", order=order)]
        chunks = [chunks[axis] for axis in order]
    if depth == 2 or rank == 0 or rng.integers(2) == 0:
        return front + last_codecs(rng, dtype)
    parts = [divisor(rng, length) for length in chunks]
    index = [codec("bytes", endian=pick(rng, ["little", "big"]))] + [codec("crc32c")] * pick(rng, [0, 1, 1])
    return front + [codec("sharding_indexed", chunk_shape=parts,
                          codecs=codecs_of(rng, dtype, parts, depth + 1), index_codecs=index,
                          index_location=pick(rng, ["start", "end"]))]


def random_type(rng, others):
    if others and rng.integers(4) == 0:
        return np.dtype(pick(rng, others))
    return np.dtype(pick(rng, NUMBERS))


def random_array(rng, others=()):
    """Returns a document and the elements of an array, of a number type or one of `others`."""
    dtype = random_type(rng, others)
    rank = int(rng.integers(0, 4))
    chunks = [int(rng.integers(1, 9)) for _ in range(rank)]
    shape = [int(length * rng.integers(1, 3)) - int(rng.integers(0, length)) for length in chunks]
    fill = random_elements(rng, dtype, 1)[0]
    if rng.integers(2) == 0 and dtype.kind not in "SUV":
        fill = np.zeros(1, dtype)[0]
    data = random_elements(rng, dtype, int(np.prod(shape))).reshape(shape)
    # More than half of the array is fill.
    data[rng.random(shape) < 0.5] = fill
    if rank > 0:
        data[shape[0] // 2:] = fill
    document = {"zarr_format": 3, "node_type": "array", "shape": shape,
                "data_type": name_of_type(dtype),
                "chunk_grid": codec("regular", chunk_shape=chunks), "fill_value": fill_json(fill),
                "chunk_key_encoding": codec(pick(rng, ["default", "v2"]), separator=pick(rng, "/.")),
                "codecs": codecs_of(rng, dtype, chunks), "attributes": {}}
    return document, data


def open_tensorstore(folder, driver="zarr3"):
    return tensorstore.open({"driver": driver, "kvstore": {"driver": "file", "path": str(folder)}},
                            open=True).result()


def with_pipeline(name, folder, mode, use):
    """Calls `use` with the array of zarr-python, whose codecs are of `name`."""
    pipeline = {"zarr": "zarr.core.codec_pipeline.BatchedCodecPipeline",
                "zarrs": "zarrs.ZarrsCodecPipeline"}[name]
    with zarr.config.set({"codec_pipeline.path": pipeline}):
        return use(zarr.open_array(str(folder), mode=mode))


IMPLEMENTATIONS = ["zarr", "zarrs", "tensorstore"]


def read(name, folder):
    if name == "tensorstore":
        return open_tensorstore(folder).read().result()
    return with_pipeline(name, folder, "r", lambda array: array[...])


def same_bits(elements, data):
    """Tells whether two arrays have the same shape, type and bits."""
    native = np.asarray(elements)
    if native.dtype.kind in "iufcmMUb":
        native = native.astype(native.dtype.newbyteorder("="))
    return native.shape == data.shape and native.dtype == data.dtype and native.tobytes() == data.tobytes()


def reads(name, folder, data):
    """Tells whether an implementation reads these elements. Each lacks some types and codecs."""
    try:
        return same_bits(read(name, folder), data)
    except Exception:  # pylint: disable=broad-exception-caught
        return False


def create(folder, document):
    folder.mkdir(parents=True)
    (folder / "zarr.json").write_text(json.dumps(document))


def assign(array, data):
    array[...] = data


def write(name, folder, document, data):
    """Stores the array. Returns the implementations that read it; an empty list if the writer lacks
    something."""
    create(folder, document)
    try:
        if name == "tensorstore":
            open_tensorstore(folder).write(data).result()
        else:
            with_pipeline(name, folder, "r+", lambda array: assign(array, data))
    except Exception:  # pylint: disable=broad-exception-caught
        return []
    readers = [reader for reader in IMPLEMENTATIONS if reads(reader, folder, data)]
    # zarrs exchanges the parts of complex numbers of the other byte order, both ways.
    return readers if readers != ["zarrs"] else []
