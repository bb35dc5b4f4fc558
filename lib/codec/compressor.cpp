// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/compressor.hpp"

#include "tessera/codec/registry.hpp"

#include <nlohmann/json.hpp>

namespace tessera::codec {

namespace {

/// Returns `configuration` with every default filled in, so that equal choices have equal texts.
std::string canonical(const nlohmann::json& configuration) {
  constexpr std::size_t any_itemsize = 1;
  return make_codec(configuration.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace),
                    any_itemsize)
      ->to_json();
}

}  // namespace

compressor::compressor() : compressor(blosc{}) {}

compressor::compressor(none) : configuration_("null") {}

compressor::compressor(const blosc& options)
    : configuration_(canonical({{"id", "blosc"},
                                {"cname", options.cname},
                                {"clevel", options.clevel},
                                {"shuffle", static_cast<int>(options.shuffle)},
                                {"blocksize", options.blocksize}})) {}

compressor::compressor(const zlib& options)
    : configuration_(canonical({{"id", "zlib"}, {"level", options.level}})) {}

compressor::compressor(const gzip& options)
    : configuration_(canonical({{"id", "gzip"}, {"level", options.level}})) {}

compressor::compressor(const zstd& options)
    : configuration_(
          canonical({{"id", "zstd"}, {"level", options.level}, {"checksum", options.checksum}})) {}

compressor compressor::from_json(std::string_view text) {
  compressor choice{none{}};
  if (!nlohmann::json::parse(text, nullptr, false).is_null()) {
    choice.configuration_ = make_codec(text, 1)->to_json();
  }
  return choice;
}

std::shared_ptr<const byte_codec> compressor::make(std::size_t itemsize) const {
  return is_none() ? nullptr : make_codec(configuration_, itemsize);
}

}  // namespace tessera::codec
