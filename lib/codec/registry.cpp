// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/registry.hpp"

#include "tessera/codec/options.hpp"
#include "tessera/core/error.hpp"

#include "codec/api/v3_filters.hpp"
#include "codec/option_reader.hpp"
#include "core/api/registry.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace tessera {

namespace {

template <class... Options>
detail::registry<codec_factory>& new_registry(codec::option_list<Options...>) {
  return *new detail::registry<codec_factory>{{Options::known.id, Options::known.make}...,
                                              {"cast_value", &detail::make_cast_value_codec},
                                              {"scale_offset", &detail::make_scale_offset_codec}};
}

detail::registry<codec_factory>& factories() {
  static auto& table = new_registry(codec::builtin{});
  return table;
}

/// A codec with the arguments of its factory.
struct cached_codec {
  std::string configuration;
  codec_elements elements;
  std::shared_ptr<const byte_codec> codec;
};

/// The latest codecs, the oldest first: arrays of one encoding share a codec.
struct codec_cache {
  std::shared_mutex mutex;
  std::vector<cached_codec> codecs;
};

constexpr std::size_t max_cached = 16;

codec_cache& cache() {
  // Never destroyed, as the registry: static objects may encode when they are destroyed.
  static auto& codecs = *new codec_cache;
  return codecs;
}

/// Returns a codec of the cache, or nullptr if the cache does not hold it.
std::shared_ptr<const byte_codec> find_cached(std::string_view configuration,
                                              codec_elements elements) {
  const std::shared_lock lock(cache().mutex);
  const auto match = std::ranges::find_if(cache().codecs, [&](const cached_codec& codec) {
    return codec.elements == elements && codec.configuration == configuration;
  });
  return match == cache().codecs.end() ? nullptr : match->codec;
}

/// Adds a codec of `factory` to the cache. A factory that has been replaced adds none: the check is
/// under the lock that `register_codec` takes after it has replaced the factory.
void add_to_cache(const codec_factory& factory, const std::string& id, cached_codec codec) {
  const std::unique_lock lock(cache().mutex);
  if (factories().find(id) != &factory) return;
  std::vector<cached_codec>& codecs = cache().codecs;
  if (codecs.size() == max_cached) codecs.erase(codecs.begin());
  codecs.push_back(std::move(codec));
}

}  // namespace

void register_codec(std::string_view id, codec_factory factory) {
  factories().replace(id, factory);
  const std::unique_lock lock(cache().mutex);
  cache().codecs.clear();
}

std::shared_ptr<const byte_codec> make_codec(std::string_view configuration,
                                             codec_elements elements) {
  if (auto cached = find_cached(configuration, elements)) return cached;
  const std::string id = detail::option_reader(configuration).id();
  const codec_factory* const factory = factories().find(id);
  if (factory == nullptr) {
    throw codec_error(
        fmt::format("unsupported codec id \"{:.80}\"{}", id, factories().suggestion(id)));
  }
  auto codec = (*factory)(configuration, elements);
  add_to_cache(*factory, id, {std::string(configuration), elements, codec});
  return codec;
}

std::vector<std::string> codec_ids() {
  const std::vector<std::string_view> ids = factories().names();
  return {ids.begin(), ids.end()};
}

}  // namespace tessera
