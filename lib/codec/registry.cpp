// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/registry.hpp"

#include "tessera/codec/options.hpp"
#include "tessera/core/error.hpp"

#include "codec/option_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace tessera {

namespace {

using factory_table = std::map<std::string, codec_factory, std::less<>>;

template <class... Options>
factory_table factories_of(codec::option_list<Options...>) {
  return {{std::string(Options::known.id), Options::known.make}...};
}

/// A codec as it was asked for.
struct made_codec {
  std::string configuration;
  codec_elements elements;
  std::shared_ptr<const byte_codec> codec;
};

struct codec_registry {
  std::shared_mutex mutex;
  factory_table factories = factories_of(codec::builtin{});
  /// Those that were made last, the oldest first: arrays that are encoded alike share theirs.
  std::vector<made_codec> made = {};
};

constexpr std::size_t most_kept = 16;

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

/// Returns a codec that was made before; a null pointer if none is kept.
std::shared_ptr<const byte_codec> kept_codec(std::string_view configuration,
                                             codec_elements elements) {
  codec_registry& codecs = registry();
  const std::shared_lock lock(codecs.mutex);
  const auto found =
      std::find_if(codecs.made.begin(), codecs.made.end(), [&](const made_codec& each) {
        return each.elements == elements && each.configuration == configuration;
      });
  return found == codecs.made.end() ? nullptr : found->codec;
}

/// Keeps what `factory` made, if that still stands for `id`.
void keep(const std::string& id, codec_factory factory, made_codec made) {
  codec_registry& codecs = registry();
  const std::unique_lock lock(codecs.mutex);
  if (codecs.factories[id] != factory) return;
  if (codecs.made.size() == most_kept) codecs.made.erase(codecs.made.begin());
  codecs.made.push_back(std::move(made));
}

}  // namespace

void register_codec(std::string_view id, codec_factory factory) {
  codec_registry& codecs = registry();
  const std::unique_lock lock(codecs.mutex);
  codecs.factories.insert_or_assign(std::string(id), factory);
  codecs.made.clear();
}

std::shared_ptr<const byte_codec> make_codec(std::string_view configuration,
                                             codec_elements elements) {
  if (auto kept = kept_codec(configuration, elements)) return kept;
  const std::string id = detail::option_reader(configuration).id();
  const codec_factory factory = factory_of(id);
  if (factory == nullptr) {
    throw codec_error(
        fmt::format("unsupported codec id \"{}\": known are {}", id, fmt::join(codec_ids(), ", ")));
  }
  auto codec = factory(configuration, elements);
  keep(id, factory, {std::string(configuration), elements, codec});
  return codec;
}

std::vector<std::string> codec_ids() {
  codec_registry& codecs = registry();
  const std::shared_lock lock(codecs.mutex);
  std::vector<std::string> ids;
  for (const auto& [id, factory] : codecs.factories) ids.push_back(id);
  return ids;
}

}  // namespace tessera
