// SPDX-License-Identifier: Apache-2.0
#include "conformance/codec_conformance.hpp"

namespace tessera::testing {
namespace {

using namespace codec;

constexpr auto add = &register_codec_conformance;

// clang-format off
const bool by_default = add("default", {});
const bool blosclz = add("blosclz", blosc{.cname = "blosclz", .clevel = 9});
const bool lz4 = add("lz4", blosc{.cname = "lz4", .shuffle = no_shuffle});
const bool lz4hc = add("lz4hc", blosc{.cname = "lz4hc", .shuffle = bit_shuffle});
const bool snappy = add("snappy", blosc{.cname = "snappy", .shuffle = auto_shuffle});
const bool bloscz = add("blosc_zlib", blosc{.cname = "zlib", .clevel = 1});
const bool bloscs = add("blosc_zstd", blosc{.cname = "zstd", .shuffle = bit_shuffle});
const bool blocks = add("blosc_blocks", blosc{.cname = "zstd", .blocksize = 512});
const bool copied = add("blosc_copy", blosc{.clevel = 0});
const bool zlib1 = add("zlib", zlib{});
const bool zlib9 = add("zlib9", zlib{.level = 9});
const bool zlib0 = add("zlib_stored", zlib{.level = 0});
const bool gzip1 = add("gzip", gzip{});
const bool gzip9 = add("gzip9", gzip{.level = 9});
const bool zstd0 = add("zstd", zstd{});
const bool zstd9 = add("zstd9", zstd{.level = 9, .checksum = true});
const bool zstdn = add("zstd_fast", zstd{.level = -5});
// clang-format on

}  // namespace
}  // namespace tessera::testing
