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
[[nodiscard]] std::shared_ptr<const byte_codec> make_bz2_codec(std::string_view configuration,
                                                               codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_zstd_codec(std::string_view configuration,
                                                                codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_lz4_codec(std::string_view configuration,
                                                               codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_lzma_codec(std::string_view configuration,
                                                                codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_delta_codec(std::string_view configuration,
                                                                 codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_scale_offset_codec(
    std::string_view configuration, codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_quantize_codec(std::string_view configuration,
                                                                    codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_bitround_codec(std::string_view configuration,
                                                                    codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_astype_codec(std::string_view configuration,
                                                                  codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_shuffle_codec(std::string_view configuration,
                                                                   codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_packbits_codec(std::string_view configuration,
                                                                    codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_crc32_codec(std::string_view configuration,
                                                                 codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_adler32_codec(std::string_view configuration,
                                                                   codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_crc32c_codec(std::string_view configuration,
                                                                  codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_fletcher32_codec(
    std::string_view configuration, codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_base64_codec(std::string_view configuration,
                                                                  codec_elements elements);
[[nodiscard]] std::shared_ptr<const byte_codec> make_lookup3_codec(std::string_view configuration,
                                                                   codec_elements elements);

}  // namespace tessera::detail
