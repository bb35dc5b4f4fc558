// SPDX-License-Identifier: Apache-2.0

/// \file
/// Fill values of each kind of data type. An input is a byte that chooses the type, and the JSON.

#include "fuzz/fuzz_metadata.hpp"
#include "json/document.hpp"
#include "zarr/v2/element_json.hpp"

#include <array>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  static const std::array types{
      data_type::parse("\"|b1\""),  data_type::parse("\"|i1\""),
      data_type::parse("\">u8\""),  data_type::parse("\"<i8\""),
      data_type::parse("\"<f2\""),  data_type::parse("\"<f4\""),
      data_type::parse("\">f8\""),  data_type::parse("\"<c8\""),
      data_type::parse("\"<c16\""), data_type::parse("\"|S5\""),
      data_type::parse("\"<U3\""),  data_type::parse("\"|V3\""),
      data_type::parse("\"<M8\""),  data_type::parse(R"([["a", ">i2"], ["b", "|b1", [2]]])"),
  };
  if (size == 0) return 0;
  const data_type& type = types[data[0] % types.size()];
  const auto parse = [&](std::string_view text) {
    return detail::parse_element(detail::parse_json(text, "fill value"), type);
  };
  return testing::fuzz_metadata(data + 1, size - 1, parse, [&](const element_bytes& value) {
    return detail::format_element(value, type);
  });
}
