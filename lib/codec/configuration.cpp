// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/configuration.hpp"

#include "tessera/codec/registry.hpp"

#include <nlohmann/json.hpp>

namespace tessera::codec {

namespace {

/// Returns `configuration` with every default filled in, so that equal choices have equal texts.
std::string canonical(const nlohmann::json& configuration) {
  return make_codec(configuration.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace),
                    codec_elements{})
      ->to_json();
}

}  // namespace

configuration::configuration() : configuration(blosc{}) {}

configuration::configuration(none) : text_("null") {}

configuration::configuration(const blosc& options)
    : text_(canonical({{"id", "blosc"},
                       {"cname", options.cname},
                       {"clevel", options.clevel},
                       {"shuffle", static_cast<int>(options.shuffle)},
                       {"blocksize", options.blocksize}})) {}

configuration::configuration(const zlib& options)
    : text_(canonical({{"id", "zlib"}, {"level", options.level}})) {}

configuration::configuration(const gzip& options)
    : text_(canonical({{"id", "gzip"}, {"level", options.level}})) {}

configuration::configuration(const zstd& options)
    : text_(canonical({{"id", "zstd"}, {"level", options.level}, {"checksum", options.checksum}})) {
}

configuration configuration::from_json(std::string_view text) {
  configuration choice{none{}};
  if (!nlohmann::json::parse(text, nullptr, false).is_null()) {
    choice.text_ = make_codec(text, codec_elements{})->to_json();
  }
  return choice;
}

std::shared_ptr<const byte_codec> configuration::make(codec_elements elements) const {
  return is_none() ? nullptr : make_codec(text_, elements);
}

}  // namespace tessera::codec
