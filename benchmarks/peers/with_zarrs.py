# SPDX-License-Identifier: Apache-2.0
"""The programs that move elements with zarrs, as the codec pipeline of zarr-python."""

import measured
import with_numpy
import zarr
import zarrs  # noqa: F401 (the pipeline of the configuration)

zarr.config.set({
    "codec_pipeline.path": "zarrs.ZarrsCodecPipeline",
    "codec_pipeline.chunk_concurrent_maximum": measured.THREADS,
    "threading.max_workers": measured.THREADS,
})

PROGRAMS = {name: with_numpy.PROGRAMS[name] for name in ("rechunk", "copy", "small_chunks")}

if __name__ == "__main__":
    measured.main(PROGRAMS)
