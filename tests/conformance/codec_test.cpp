// SPDX-License-Identifier: Apache-2.0
#include "conformance/codec_conformance.hpp"

namespace tessera::testing {
namespace {

using namespace codec;

bool add(const std::string& name, const configuration& choice, promise kept = promise::gives_back) {
  return register_codec_conformance(name, choice, kept);
}

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
const bool bzip1 = add("bz2", bz2{});
const bool bzip9 = add("bz2_9", bz2{.level = 9});
const bool plain_lz4 = add("plain_lz4", codec::lz4{});
const bool fast_lz4 = add("plain_lz4_fast", codec::lz4{.acceleration = 50});
const bool xz = add("lzma", lzma{.preset = 0});
const bool xz_crc = add("lzma_crc32", lzma{.check = 1, .preset = 1});
const bool alone = add("lzma_alone", lzma{.format = 2, .preset = 0});
const bool raw = add("lzma_raw", configuration::from_json(
    R"({"id": "lzma", "format": 3, "filters": [{"id": 3, "dist": 4}, {"id": 33, "preset": 0}]})"));
const bool delta4 = add("delta", delta{.dtype = dtype::int32});
const bool delta8 = add("delta_wide", delta{.dtype = dtype::uint32, .astype = dtype::int64});
const bool scaled = add("fixedscaleoffset", fixedscaleoffset{.offset = 0.5, .scale = 100, .dtype = dtype::float32, .astype = dtype::int16}, promise::rounds);
const bool digits = add("quantize", quantize{.digits = 2, .dtype = dtype::float32}, promise::rounds);
const bool bits = add("bitround", bitround{.keepbits = 7}, promise::rounds);
const bool wide = add("astype", astype{.encode_dtype = dtype::int64, .decode_dtype = dtype::int32});
const bool narrow = add("astype_narrow", astype{.encode_dtype = dtype::int16, .decode_dtype = dtype::float32}, promise::rounds);
const bool planes = add("shuffle", shuffle{});
const bool planes7 = add("shuffle_none", shuffle{.elementsize = 1});
const bool bools = add("packbits", packbits{}, promise::rounds);
const bool crc = add("crc32", crc32{});
const bool crc_end = add("crc32_end", crc32{.location = "end"});
const bool castagnoli = add("crc32c", crc32c{});
const bool adler = add("adler32", adler32{});
const bool fletcher = add("fletcher32", fletcher32{});
const bool lookup = add("jenkins_lookup3", jenkins_lookup3{});
const bool text = add("base64", base64{});
// clang-format on

}  // namespace
}  // namespace tessera::testing
