// SPDX-License-Identifier: Apache-2.0
#include "conformance/codec_conformance.hpp"

namespace tessera::testing {
namespace {

using namespace codec;

// clang-format off
const bool by_default = register_codec_conformance("default", {});
const bool blosclz = register_codec_conformance("blosclz", blosc{.cname = "blosclz", .clevel = 9});
const bool lz4 = register_codec_conformance("lz4", blosc{.cname = "lz4", .shuffle = no_shuffle});
const bool lz4hc = register_codec_conformance("lz4hc", blosc{.cname = "lz4hc", .shuffle = bit_shuffle});
const bool snappy = register_codec_conformance("snappy", blosc{.cname = "snappy", .shuffle = auto_shuffle});
const bool bloscz = register_codec_conformance("blosc_zlib", blosc{.cname = "zlib", .clevel = 1});
const bool bloscs = register_codec_conformance("blosc_zstd", blosc{.cname = "zstd", .shuffle = bit_shuffle});
const bool blocks = register_codec_conformance("blosc_blocks", blosc{.cname = "zstd", .blocksize = 512});
const bool copied = register_codec_conformance("blosc_copy", blosc{.clevel = 0});
const bool zlib1 = register_codec_conformance("zlib", zlib{});
const bool zlib9 = register_codec_conformance("zlib9", zlib{.level = 9});
const bool zlib0 = register_codec_conformance("zlib_stored", zlib{.level = 0});
const bool gzip1 = register_codec_conformance("gzip", gzip{});
const bool gzip9 = register_codec_conformance("gzip9", gzip{.level = 9});
const bool zstd0 = register_codec_conformance("zstd", zstd{});
const bool zstd9 = register_codec_conformance("zstd9", zstd{.level = 9, .checksum = true});
const bool zstdn = register_codec_conformance("zstd_fast", zstd{.level = -5});
// clang-format on

}  // namespace
}  // namespace tessera::testing
