// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/configuration.hpp"

#include "tessera/codec/registry.hpp"
#include "tessera/core/error.hpp"

#include "json/values.hpp"

namespace tessera::codec {

using nlohmann::json;

// The default is validated and formatted once, because every description of an array begins with
// it.
configuration::configuration() {
  static const configuration of_zarr_python{blosc{}};
  *this = of_zarr_python;
}

configuration::configuration(none) : text_("null") {}

configuration configuration::from_json(std::string_view text, const char* open) {
  configuration choice{none{}};
  json object = fields::parse_or_discard(text);
  if (object.is_null()) return choice;
  if (open == nullptr || !object[open].is_null()) {
    // With all defaults filled in, so that equal choices have equal texts.
    choice.text_ = make_codec(text, codec_elements{})->to_json();
    return choice;
  }
  choice.text_ = object.dump();
  // For validation, any type that all such codecs accept replaces the open option.
  object[open] = "float64";
  (void)make_codec(object.dump(), codec_elements{});
  return choice;
}

configuration configuration::completed(codec_elements elements) const {
  configuration choice(*this);
  const bool is_open = text_.find("dtype\":null") != std::string::npos;
  if (is_open) choice.text_ = make_codec(text_, elements)->to_json();
  return choice;
}

std::shared_ptr<const byte_codec> configuration::make(codec_elements elements) const {
  return is_none() ? nullptr : make_codec(text_, elements);
}

}  // namespace tessera::codec
