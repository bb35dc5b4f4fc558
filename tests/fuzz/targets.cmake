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

# Random programs need the whole library. cmake/fuzz.sh compiles all of it with sanitizers. The tests
# take the other rooms from their own build, without sanitizers: kernels, primitives, gathers and the
# code of the program, which read and write elements, are watched all the same.
option(TESSERA_FUZZ_PROGRAMS "Build the whole library with sanitizers, for random programs" OFF)
set(TESSERA_FUZZ_LIBRARY "" CACHE STRING "A static library without sanitizers, for random programs")
if(TESSERA_FUZZ_PROGRAMS OR TESSERA_FUZZ_LIBRARY)
  list(APPEND TESSERA_FUZZ_TARGETS program)
endif()
