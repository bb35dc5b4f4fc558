// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/registry.hpp"

#include "tessera/core/error.hpp"

#include "codec/builtin.hpp"
#include "codec/option_reader.hpp"

#include <fmt/format.h>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace tessera {

namespace {

struct codec_registry {
  std::shared_mutex mutex;
  std::map<std::string, codec_factory, std::less<>> factories{
      {"adler32", &detail::make_adler32_codec},
      {"astype", &detail::make_astype_codec},
      {"base64", &detail::make_base64_codec},
      {"bitround", &detail::make_bitround_codec},
      {"blosc", &detail::make_blosc_codec},
      {"bz2", &detail::make_bz2_codec},
      {"crc32", &detail::make_crc32_codec},
      {"crc32c", &detail::make_crc32c_codec},
      {"delta", &detail::make_delta_codec},
      {"fixedscaleoffset", &detail::make_scale_offset_codec},
      {"fletcher32", &detail::make_fletcher32_codec},
      {"gzip", &detail::make_gzip_codec},
      {"jenkins_lookup3", &detail::make_lookup3_codec},
      {"lz4", &detail::make_lz4_codec},
      {"lzma", &detail::make_lzma_codec},
      {"packbits", &detail::make_packbits_codec},
      {"quantize", &detail::make_quantize_codec},
      {"shuffle", &detail::make_shuffle_codec},
      {"zlib", &detail::make_zlib_codec},
      {"zstd", &detail::make_zstd_codec},
  };
};

codec_registry& registry() {
  static codec_registry instance;
  return instance;
}

codec_factory factory_of(const std::string& id) {
  codec_registry& codecs = registry();
  const std::shared_lock lock(codecs.mutex);
  const auto found = codecs.factories.find(id);
  return found == codecs.factories.end() ? nullptr : found->second;
}

}  // namespace

void register_codec(std::string_view id, codec_factory factory) {
  codec_registry& codecs = registry();
  const std::unique_lock lock(codecs.mutex);
  codecs.factories.insert_or_assign(std::string(id), factory);
}

std::shared_ptr<const byte_codec> make_codec(std::string_view configuration,
                                             codec_elements elements) {
  const std::string id = detail::option_reader(configuration).id();
  const codec_factory factory = factory_of(id);
  if (factory == nullptr) {
    throw codec_error(
        fmt::format("unsupported codec id \"{}\": known are {}", id, fmt::join(codec_ids(), ", ")));
  }
  return factory(configuration, elements);
}

std::vector<std::string> codec_ids() {
  codec_registry& codecs = registry();
  const std::shared_lock lock(codecs.mutex);
  std::vector<std::string> ids;
  for (const auto& [id, factory] : codecs.factories) ids.push_back(id);
  return ids;
}

}  // namespace tessera
