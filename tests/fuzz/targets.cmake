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
    zstd
    # whole stores
    store
    # plans
    plan
    program
    # metadata
    chunk_key
    data_type
    fill_value
    zarray
    zattrs
    zmetadata)
