// SPDX-License-Identifier: Apache-2.0
#include "store/reference/reference_store.hpp"

#include "tessera/core/error.hpp"

#include "core/api/fingerprint.hpp"
#include "store/api/percent.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <utility>

namespace tessera::detail {

namespace {

constexpr std::string_view targets_option = "targets";

/// Returns the text behind the last key in a folder: "a/" gives "a0".
std::string end_of_folder(std::string folder) {
  folder.back() = static_cast<char>('/' + 1);
  return folder;
}

}  // namespace

reference_store::reference_store(document_location location, reference_options options)
    : location_(std::move(location)),
      options_(std::move(options)),
      document_(share_document(location_, options_)) {}

std::string reference_store::name() const {
  return fmt::format("{}://{}{}{}", reference_scheme, location_.document(),
                     location_.folder.empty() ? "" : "/", location_.folder);
}

std::optional<store_recipe> reference_store::recipe() const {
  std::string options;
  for (const std::string& prefix : options_.targets) {
    options += fmt::format("{}{}={}", options.empty() ? "" : "&", targets_option,
                           percent_encoded_option(prefix));
  }
  const std::string scheme(reference_scheme);
  return store_recipe{scheme, name().substr(scheme.size() + 3), options};
}

const reference_table& reference_store::table() const {
  const std::lock_guard lock(mutex_);
  if (table_ == nullptr) table_ = document_->table();
  return *table_;
}

store_traits reference_store::traits() const {
  const reference_table& references = table();
  const std::lock_guard lock(mutex_);
  if (traits_) return *traits_;
  store_traits traits{.has_ranges = true, .is_writable = false};
  std::set<std::uint32_t> prefixes;
  for (const reference_target& target : references.targets()) {
    if (!prefixes.insert(target.prefix).second) continue;
    const store_traits inner = document_->store_of(target)->traits();
    traits.has_ranges &= inner.has_ranges;
    traits.latency = std::max(traits.latency, inner.latency);
    traits.bandwidth = std::max(traits.bandwidth, inner.bandwidth);
    traits.num_requests = std::max(traits.num_requests, inner.num_requests);
    traits.kept = std::max(traits.kept, inner.kept);
    traits.kept_per_request = std::max(traits.kept_per_request, inner.kept_per_request);
  }
  // A table that grows takes twice its memory.
  traits.kept += bytes(static_cast<std::int64_t>(2 * references.memory()));
  traits_ = traits;
  return traits;
}

std::string reference_store::in_document(std::string_view key) const {
  return location_.folder.empty() ? std::string(key) : fmt::format("{}/{}", location_.folder, key);
}

std::string reference_store::location_of(std::string_view key) const {
  return fmt::format("key \"{}\" ({})", key, name());
}

const value_reference* reference_store::find(std::string_view key) const {
  validate_key(key);
  return table().find(in_document(key));
}

void reference_store::require_size(std::uint64_t size, std::string_view key,
                                   std::size_t limit) const {
  if (size <= limit) return;
  throw store_error(
      fmt::format("{} has {} B, at most {} B are expected", location_of(key), size, limit),
      store_failure::too_large, size);
}

/// Reads a range of the value of a target.
value_part reference_store::read_target(const value_reference& reference, std::string_view key,
                                        const byte_range& range, std::span<std::byte> into) const {
  const reference_target& target = table().target_of(reference);
  const auto store = document_->store_of(target);
  std::optional<value_part> part;
  try {
    part = store->read_part(target.key, range, into);
  } catch (const store_error& failure) {
    throw store_error(fmt::format("cannot read {}: {}", location_of(key), failure.what()),
                      failure.kind());
  }
  if (part) return *part;
  throw store_error(fmt::format("cannot read {}: its target \"{}\" ({}) does not exist",
                                location_of(key), target.key, store->name()));
}

/// Returns the size of a value, which a target may not have.
std::uint64_t reference_store::size_of(const value_reference& reference,
                                       std::string_view key) const {
  return reference.is_whole() ? read_target(reference, key, {0, 0}, {}).value_size : reference.size;
}

void reference_store::refuse_short_target(const value_reference& reference, std::string_view key,
                                          std::uint64_t target_size) const {
  throw store_error(
      fmt::format("cannot read {}: {} B from byte {} on are referred to, but its "
                  "target \"{}\" has {} B",
                  location_of(key), reference.size, reference.first,
                  table().target_of(reference).key, target_size));
}

value_part reference_store::part_of(const value_reference& reference, std::string_view key,
                                    const byte_range& range, std::span<std::byte> into) const {
  if (reference.is_whole()) return read_target(reference, key, range, into);
  const byte_range clipped = clip_range(range, reference.size);
  const std::size_t size = std::min<std::uint64_t>(clipped.count, into.size());
  value_part part{clipped.first, size, reference.size};
  if (size == 0) return part;
  if (reference.is_inline()) {
    const std::string_view value = table().inline_value(reference);
    std::memcpy(into.data(), value.data() + clipped.first, size);
    return part;
  }
  const byte_range wanted{reference.first + clipped.first, size};
  const value_part stored = read_target(reference, key, wanted, into.first(size));
  if (stored.size < size) refuse_short_target(reference, key, stored.value_size);
  part.version = stored.version;
  return part;
}

std::optional<value_part> reference_store::read_part(std::string_view key, const byte_range& range,
                                                     std::span<std::byte> into) const {
  const value_reference* const reference = find(key);
  if (reference == nullptr) return std::nullopt;
  return part_of(*reference, key, range, into);
}

std::optional<std::size_t> reference_store::read(std::string_view key,
                                                 std::span<std::byte> into) const {
  const value_reference* const reference = find(key);
  if (reference == nullptr) return std::nullopt;
  // A target of unknown size is looked at first: nothing is read of one that does not fit.
  const std::uint64_t size = size_of(*reference, key);
  require_size(size, key, into.size());
  return part_of(*reference, key, {0, size}, into.first(size)).size;
}

std::optional<std::vector<std::byte>> reference_store::read_all(std::string_view key,
                                                                std::size_t limit) const {
  const value_reference* const reference = find(key);
  if (reference == nullptr) return std::nullopt;
  const std::uint64_t size = size_of(*reference, key);
  require_size(size, key, limit);
  if (!reference->is_inline() && !reference->is_whole()) {
    // A document may claim any size: memory is allocated for bytes that the target has.
    const std::uint64_t there = read_target(*reference, key, {0, 0}, {}).value_size;
    if (reference->first + size > there) refuse_short_target(*reference, key, there);
  }
  std::vector<std::byte> value(size);
  value.resize(part_of(*reference, key, {}, value).size);
  return value;
}

std::optional<std::size_t> reference_store::size(std::string_view key) const {
  const value_reference* const reference = find(key);
  if (reference == nullptr) return std::nullopt;
  return static_cast<std::size_t>(size_of(*reference, key));
}

std::vector<std::string> reference_store::list(std::string_view folder) const {
  validate_folder(folder);
  const std::string beginning = folder.empty() ? location_.folder : in_document(folder);
  const reference_table& references = table();
  std::size_t first = 0;
  std::size_t last = references.references().size();
  if (!beginning.empty()) {
    first = references.lower_bound(beginning + "/");
    last = references.lower_bound(end_of_folder(beginning + "/"));
  }
  const std::size_t cut = location_.folder.empty() ? 0 : location_.folder.size() + 1;
  std::vector<std::string> keys;
  keys.reserve(last - first);
  for (; first < last; ++first) {
    keys.emplace_back(references.key_of(references.references()[first]).substr(cut));
  }
  return keys;
}

std::vector<std::string> reference_store::list_folder(std::string_view folder) const {
  validate_folder(folder);
  std::string beginning = folder.empty() ? location_.folder : in_document(folder);
  if (!beginning.empty()) beginning += '/';
  const reference_table& references = table();
  std::vector<std::string> names;
  for (std::size_t i = references.lower_bound(beginning); i < references.references().size();) {
    const std::string_view key = references.key_of(references.references()[i]);
    if (!key.starts_with(beginning)) break;
    const std::size_t slash = key.find('/', beginning.size());
    const std::size_t end = slash == std::string_view::npos ? key.size() : slash + 1;
    names.emplace_back(key.substr(beginning.size(), end - beginning.size()));
    // A folder's keys are passed over at once: an array may have millions of them.
    i = slash == std::string_view::npos
            ? i + 1
            : references.lower_bound(end_of_folder(std::string(key.substr(0, end))));
  }
  return names;
}

std::string reference_store::state(std::string_view folder) const {
  const reference_table& references = table();
  fingerprint values;
  std::set<std::uint32_t> targets;
  for (const std::string& key : list(folder)) {
    if (key[key.rfind('/') + 1] == '.') continue;
    const value_reference& reference = *references.find(in_document(key));
    if (reference.is_inline()) {
      values.add(fmt::format("{} {}\n", key, reference.size));
      values.add(references.inline_value(reference));
      continue;
    }
    const reference_target& target = references.target_of(reference);
    values.add(fmt::format("{} {} {} {} {}\n", key, target.prefix, target.key, reference.first,
                           reference.size));
    if (!targets.insert(reference.target).second) continue;
    if (!document_->store_of(target)->traits().has_lists) continue;
    const value_part there = read_target(reference, key, {0, 0}, {});
    values.add(fmt::format("{} {}\n", there.value_size, there.version.text()));
  }
  return values.digits();
}

void reference_store::refuse_write(std::string_view key) const {
  throw store_error(
      fmt::format("cannot write {}: reference stores are read-only", location_of(key)),
      store_failure::unsupported);
}

void reference_store::write(std::string_view key, std::span<const std::byte> /*value*/) {
  validate_key(key);
  refuse_write(key);
}

bool reference_store::write_if(std::string_view key, std::span<const std::byte> /*value*/,
                               const value_version& /*expected*/) {
  validate_key(key);
  refuse_write(key);
}

std::unique_ptr<value_writer> reference_store::writer(std::string_view key) {
  validate_key(key);
  refuse_write(key);
}

void reference_store::erase(std::string_view key) {
  validate_key(key);
  refuse_write(key);
}

void reference_store::erase_all(std::string_view folder) {
  validate_folder(folder);
  refuse_write(folder);
}

std::shared_ptr<key_value_store> open_references(const store_recipe& recipe) {
  reference_options options;
  for (std::string_view rest = recipe.options; !rest.empty();) {
    const std::string_view option = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(option.size() + 1, rest.size()));
    const std::size_t equals = std::min(option.find('='), option.size());
    if (option.substr(0, equals) != targets_option || equals == option.size()) {
      throw value_error(
          fmt::format("a reference store has the option \"targets=<prefix>\", found \"{:.40}\"",
                      option.substr(0, equals)));
    }
    options.targets.push_back(percent_decoded(option.substr(equals + 1)));
  }
  return std::make_shared<reference_store>(parse_document_location(recipe.place),
                                           std::move(options));
}

}  // namespace tessera::detail

namespace tessera {

std::shared_ptr<key_value_store> open_reference_store(const std::string& location,
                                                      const reference_options& options) {
  constexpr std::string_view prefix = "reference://";
  std::string_view document = location;
  if (document.starts_with(prefix)) document.remove_prefix(prefix.size());
  return std::make_shared<detail::reference_store>(detail::parse_document_location(document),
                                                   options);
}

}  // namespace tessera
