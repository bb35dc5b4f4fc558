// SPDX-License-Identifier: Apache-2.0

/// \file
/// The filters that compute with numbers, and packed bits.

#include "fuzz/fuzz_codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::codec;
  static const std::vector<configuration> choices{
      packbits{},
      delta{.dtype = tessera::dtype::int32},
      delta{.dtype = tessera::dtype::uint16, .astype = tessera::dtype::float64},
      fixedscaleoffset{.offset = 1,
                       .scale = 10,
                       .dtype = tessera::dtype::float64,
                       .astype = tessera::dtype::int8},
      fixedscaleoffset{.offset = 0.5,
                       .scale = 2,
                       .dtype = tessera::dtype::int16,
                       .astype = tessera::dtype::uint64},
      quantize{.digits = 3, .dtype = tessera::dtype::float32},
      astype{.encode_dtype = tessera::dtype::uint64, .decode_dtype = tessera::dtype::float32},
      configuration::from_json(R"({"id": "astype", "encode_dtype": "<f2", "decode_dtype": ">f8"})"),
      configuration::from_json(R"({"id": "delta", "dtype": ">f2", "astype": "|i1"})"),
      bitround{.keepbits = 3}};
  return tessera::testing::fuzz_codec(choices, false, data, size);
}
