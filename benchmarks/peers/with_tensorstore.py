# SPDX-License-Identifier: Apache-2.0
"""The programs that move elements with TensorStore."""

import datasets
import measured
import numpy as np
import tensorstore

CONTEXT = tensorstore.Context({
    "cache_pool": {"total_bytes_limit": measured.ALLOWED_MEMORY},
    "data_copy_concurrency": {"limit": measured.THREADS},
    "file_io_concurrency": {"limit": measured.THREADS},
})


def opened(path):
    """An array, whose chunks stay in the cache until it is full."""
    spec = {"driver": "zarr", "kvstore": {"driver": "file", "path": str(path)}}
    return tensorstore.open(spec, context=CONTEXT, open=True).result()


def write(source, path, chunks):
    """Copies an array into a new one of `chunks`."""
    datasets.create(path, source.shape, chunks, source.dtype.numpy_dtype)
    opened(path).write(source).result()


def rechunk(data, results):
    u = opened(data / "u")
    write(u, results / "places", (u.shape[0], *measured.CHUNKS_OF_PLACES))
    write(opened(results / "places"), results / "times", u.chunk_layout.read_chunk.shape)


def copy(data, results):
    u = opened(data / "u")
    write(u, results / "copy", u.chunk_layout.read_chunk.shape)


def small_chunks(data, results):
    total = np.asarray(opened(data / "small").read().result().sum())
    measured.target(results / "sum", total)[...] = total


PROGRAMS = {run.__name__: run for run in (rechunk, copy, small_chunks)}

if __name__ == "__main__":
    measured.main(PROGRAMS)
