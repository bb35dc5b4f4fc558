// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/configuration.hpp"

#include "tessera/codec/registry.hpp"
#include "tessera/core/error.hpp"

#include <nlohmann/json.hpp>

namespace tessera::codec {

namespace {

using nlohmann::json;

/// Returns `configuration` with every default filled in, so that equal choices have equal texts.
std::string canonical(const json& configuration) {
  return make_codec(configuration.dump(-1, ' ', true, json::error_handler_t::replace),
                    codec_elements{})
      ->to_json();
}

/// As above, where the option `open` may be left open; it is null then, and what stands for it is
/// some type that every such codec takes.
std::string canonical(const json& configuration, const char* open) {
  if (!configuration[open].is_null()) return canonical(configuration);
  json sample = configuration;
  sample[open] = "float64";
  (void)canonical(sample);
  return configuration.dump();
}

/// Returns the name that NumPy has for a dtype of this machine's byte order; codecs refuse those of
/// which they know nothing.
json text_of(std::optional<tessera::dtype> type) {
  if (!type) return nullptr;
  return std::string(name_of(*type));
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

configuration::configuration(const bz2& options)
    : text_(canonical({{"id", "bz2"}, {"level", options.level}})) {}

configuration::configuration(const zstd& options)
    : text_(canonical({{"id", "zstd"}, {"level", options.level}, {"checksum", options.checksum}})) {
}

configuration::configuration(const lz4& options)
    : text_(canonical({{"id", "lz4"}, {"acceleration", options.acceleration}})) {}

configuration::configuration(const lzma& options)
    : text_(canonical({{"id", "lzma"},
                       {"format", options.format},
                       {"check", options.check},
                       {"preset", options.preset ? json(*options.preset) : json()}})) {}

configuration::configuration(const delta& options)
    : text_(canonical(
          {{"id", "delta"}, {"dtype", text_of(options.dtype)}, {"astype", text_of(options.astype)}},
          "dtype")) {
  if (options.dtype != dtype::boolean && options.astype != dtype::boolean) return;
  throw codec_error(
      "codec delta: the differences of booleans lose what they were; leave the filter out");
}

configuration::configuration(const fixedscaleoffset& options)
    : text_(canonical({{"id", "fixedscaleoffset"},
                       {"offset", options.offset},
                       {"scale", options.scale},
                       {"dtype", text_of(options.dtype)},
                       {"astype", text_of(options.astype)}},
                      "dtype")) {}

configuration::configuration(const quantize& options)
    : text_(canonical({{"id", "quantize"},
                       {"digits", options.digits},
                       {"dtype", text_of(options.dtype)},
                       {"astype", text_of(options.astype)}},
                      "dtype")) {}

configuration::configuration(const bitround& options)
    : text_(canonical({{"id", "bitround"}, {"keepbits", options.keepbits}})) {}

configuration::configuration(const astype& options)
    : text_(canonical({{"id", "astype"},
                       {"encode_dtype", text_of(options.encode_dtype)},
                       {"decode_dtype", text_of(options.decode_dtype)}},
                      "decode_dtype")) {}

configuration::configuration(const shuffle& options)
    : text_(canonical({{"id", "shuffle"}, {"elementsize", options.elementsize}})) {}

configuration::configuration(packbits) : text_(canonical({{"id", "packbits"}})) {}

configuration::configuration(const crc32& options)
    : text_(canonical({{"id", "crc32"}, {"location", options.location}})) {}

configuration::configuration(const adler32& options)
    : text_(canonical({{"id", "adler32"}, {"location", options.location}})) {}

configuration::configuration(const crc32c& options)
    : text_(canonical({{"id", "crc32c"}, {"location", options.location}})) {}

configuration::configuration(fletcher32) : text_(canonical({{"id", "fletcher32"}})) {}

configuration::configuration(base64) : text_(canonical({{"id", "base64"}})) {}

configuration configuration::from_json(std::string_view text) {
  configuration choice{none{}};
  if (!json::parse(text, nullptr, false).is_null()) {
    choice.text_ = make_codec(text, codec_elements{})->to_json();
  }
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
