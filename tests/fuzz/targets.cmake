# SPDX-License-Identifier: Apache-2.0
#
# The fuzz targets. Each <name> has its source tests/fuzz/<name>_fuzz.cpp and its committed corpus
# tests/fuzz/corpus/<name>/; the build of the targets and the tests both read this list.
set(TESSERA_FUZZ_TARGETS
    # codecs
    blosc
    bz2
    chain
    checks
    deflate
    lz4
    lzma
    numbers
    shard_index
    zstd
    # whole stores
    reference
    store
    store_v3
    # plans, and logs of runs
    plan
    run_log
    # metadata
    chunk_key
    data_type
    fill_value
    zarr_json
    zarray
    zattrs
    zmetadata)

# The rooms of the library that read foreign bytes, or compute by them.
set(TESSERA_FUZZ_FOLDERS
    core
    json
    codec
    kernel
    function
    store
    storage
    zarr
    primitive
    plan)

# Random programs need the whole library; its build with sanitizers takes long. cmake/fuzz.sh turns
# them on.
option(TESSERA_FUZZ_PROGRAMS "Fuzz random programs as well" OFF)
if(TESSERA_FUZZ_PROGRAMS)
  list(APPEND TESSERA_FUZZ_TARGETS program)
endif()
