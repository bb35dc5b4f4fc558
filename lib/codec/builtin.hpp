// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The codecs that the registry knows from the start.

#include "tessera/codec/byte_codec.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

namespace tessera::detail {

[[nodiscard]] std::shared_ptr<const byte_codec> make_blosc_codec(std::string_view configuration,
                                                                 codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_zlib_codec(std::string_view configuration,
                                                                codec_elements elements);

[[nodiscard]] std::shared_ptr<const byte_codec> make_gzip_codec(std::string_view configuration,
                                                                codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_zstd_codec(std::string_view configuration,
                                                                codec_elements elements);

}  // namespace tessera::detail
