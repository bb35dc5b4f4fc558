// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The codecs that are known by identifier; compressors and filters share this one registry.

#include "tessera/codec/byte_codec.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Makes a codec from its configuration, a JSON object, for `elements`.
using codec_factory = std::shared_ptr<const byte_codec> (*)(std::string_view configuration,
                                                            codec_elements elements);

/// A codec as the registry knows it.
struct known_codec {
  std::string_view id;
  codec_factory make = nullptr;
};

/// Registers `factory` for `id`, in place of an earlier one. Thread-safe.
void register_codec(std::string_view id, codec_factory factory);

/// Returns the codec that `configuration`, a JSON object with a member "id", states. Thread-safe.
///
/// Throws: codec_error <- not a JSON object, no "id", an "id" or an option that is not known, or an
/// option that is out of range.
[[nodiscard]] std::shared_ptr<const byte_codec> make_codec(std::string_view configuration,
                                                           codec_elements elements);

/// Returns the identifiers that are known, sorted. Thread-safe.
[[nodiscard]] std::vector<std::string> codec_ids();

}  // namespace tessera
