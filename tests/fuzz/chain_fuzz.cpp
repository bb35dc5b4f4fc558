// SPDX-License-Identifier: Apache-2.0

/// \file
/// Chains: codecs of varying output in the middle, and configurations that come from the input.

#include "tessera/core/error.hpp"

#include "codec/api/codec_chain.hpp"
#include "fuzz/fuzz_codec.hpp"

#include <algorithm>
#include <string_view>

namespace {

using namespace tessera;

/// Reads the configuration in the input; returns none if it is refused.
codec::configuration read_configuration(std::string_view text) {
  try {
    return codec::configuration::from_json(text);
  } catch (const codec_error&) {
    return codec::none{};
  }
}

void decode(const byte_codec& codec, std::span<const std::byte> stored, std::size_t size) {
  std::vector<std::byte> decoded(size);
  try {
    codec.decode(stored, decoded);
  } catch (const codec_error&) {
  }
}

}  // namespace

/// An input is a configuration of a filter, a NUL, one of a compressor, a NUL, and an encoding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t first = std::min(text.find('\0'), size);
  const std::size_t second = std::min(text.find('\0', std::min(first + 1, size)), size);
  const std::vector<codec::configuration> filters{read_configuration(text.substr(0, first)),
                                                  codec::zlib{}};
  const auto compressor = first == size
                              ? codec::configuration(codec::none{})
                              : read_configuration(text.substr(first + 1, second - first - 1));
  try {
    const auto chain = make_codec_chain(filters, compressor, {4, 'f'});
    const auto stored = std::as_bytes(std::span(text)).subspan(second);
    for (const std::size_t decoded_size : {0UL, 60UL, 4096UL}) {
      // A plan refuses chains of large workspaces before it decodes anything.
      if (chain->workspace_size(decoded_size) > std::size_t{512} << 20) continue;
      decode(*chain, stored, decoded_size);
      const std::vector<std::byte> zeros(decoded_size);
      std::vector<std::byte> encoded(chain->max_encoded_size(decoded_size));
      encoded.resize(chain->encode(zeros, encoded));
      decode(*chain, encoded, decoded_size);
    }
  } catch (const codec_error&) {
  }
  return 0;
}
