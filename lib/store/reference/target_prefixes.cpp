// SPDX-License-Identifier: Apache-2.0
#include "store/reference/target_prefixes.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"

#include "core/api/file_names.hpp"
#include "core/api/location_names.hpp"
#include "store/api/percent.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace tessera::detail {

namespace {

bool is_http(std::string_view location) {
  return location.starts_with("https://") || location.starts_with("http://");
}

/// Returns a location without user and query, for messages.
std::string shown(std::string_view location) {
  std::string text(location.substr(0, location.find('?')).substr(0, 200));
  if (!has_user(text)) return text;
  const std::size_t host = text.find(scheme_end) + scheme_end.size();
  return text.erase(host, text.rfind('@', text.find('/', host)) + 1 - host);
}

std::string checked_prefix(const std::string& given) {
  const auto refuse = [&](std::string_view reason) {
    throw value_error(fmt::format(
        "the targets \"{}\" of a reference store {}; write a folder, as in \"/data/\" or "
        "\"https://host/data/\"",
        shown(given), reason));
  };
  if (!given.ends_with('/')) refuse("must end in \"/\"");
  if (has_user(given)) refuse("must have no user");
  if (given.find('?') != std::string::npos) refuse("must have no query");
  if (is_url(given)) return absolute_target(given, "");
  return std::filesystem::path(absolute_name(given)).lexically_normal().string();
}

}  // namespace

bool is_url(std::string_view location) {
  const std::size_t colon = location.find(scheme_end);
  return colon != std::string_view::npos && colon > 0 &&
         std::ranges::all_of(location.substr(0, colon), [](char c) {
           return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
                  c == '+' || c == '-' || c == '.';
         });
}

bool has_user(std::string_view location) {
  if (!is_url(location)) return false;
  location.remove_prefix(location.find(scheme_end) + scheme_end.size());
  return location.substr(0, location.find_first_of("/?#")).find('@') != std::string_view::npos;
}

std::string absolute_target(std::string_view target, std::string_view folder) {
  if (!is_url(target)) {
    if (target.starts_with('/')) return std::string(target);
    while (target.starts_with("./")) target.remove_prefix(2);
    return fmt::format("{}{}", folder, target);
  }
  const std::size_t colon = target.find(scheme_end);
  std::string scheme(target.substr(0, colon));
  for (char& c : scheme) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const std::string_view place = target.substr(colon + scheme_end.size());
  if (scheme == "file" && place.starts_with('/')) return std::string(place);
  return fmt::format("{}{}{}", scheme, scheme_end, place);
}

target_prefixes::target_prefixes(std::string folder, const std::vector<std::string>& given)
    : prefixes_{std::move(folder)} {
  for (const std::string& prefix : given) prefixes_.push_back(checked_prefix(prefix));
  stores_.resize(prefixes_.size());
}

reference_target target_prefixes::resolve(std::string_view target) const {
  const std::string location = absolute_target(target, prefixes_.front());
  for (std::size_t i = 0; i < prefixes_.size(); ++i) {
    if (!location.starts_with(prefixes_[i])) continue;
    std::string key = location.substr(prefixes_[i].size());
    if (is_http(location)) {
      if (key.find_first_of("?#") != std::string::npos) {
        throw store_error(fmt::format(
            "the target \"{}\" has a query or a fragment, which no file has", shown(location)));
      }
      // The store encodes its keys.
      key = percent_decoded(key);
    }
    validate_key(key);
    return {static_cast<std::uint32_t>(i), std::move(key)};
  }
  throw store_error(
      fmt::format("the target \"{}\" lies outside of \"{}\", the folder of the document; name its "
                  "folder in the option targets",
                  shown(target), prefixes_.front()),
      store_failure::denied);
}

std::shared_ptr<key_value_store> target_prefixes::store_at(std::uint32_t prefix) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<key_value_store>& store = stores_.at(prefix);
  if (store == nullptr) store = open_store(prefixes_[prefix]);
  return store;
}

}  // namespace tessera::detail
