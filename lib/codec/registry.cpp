// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/registry.hpp"

#include "tessera/codec/options.hpp"
#include "tessera/core/error.hpp"

#include "codec/option_reader.hpp"

#include <fmt/format.h>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace tessera {

namespace {

using factory_table = std::map<std::string, codec_factory, std::less<>>;

template <class... Options>
factory_table factories_of(codec::option_list<Options...>) {
  return {{std::string(Options::known.id), Options::known.make}...};
}

struct codec_registry {
  std::shared_mutex mutex;
  factory_table factories = factories_of(codec::builtin{});
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
