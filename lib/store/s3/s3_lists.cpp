// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lists, erasures and states of folders.

#include "tessera/core/error.hpp"

#include "core/api/fingerprint.hpp"
#include "store/http/document_key.hpp"
#include "store/s3/hashes.hpp"
#include "store/s3/s3_store.hpp"
#include "store/s3/server_claim.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace tessera::s3 {

namespace {

using http::request_method;
using http::request_result;

/// The largest page of a list, and the largest batch of erasures.
constexpr std::size_t page_size = 1000;
constexpr std::size_t max_page = std::size_t{8} << 20;
constexpr std::size_t max_keys_of_state = 100'000;

}  // namespace

/// Returns a page of the keys below a folder, or, if `is_flat`, of the names in it.
list_page s3_store::page_of(std::string_view folder, const std::string& token, bool is_flat) const {
  std::string prefix = bucket_.location().full_key(folder);
  if (!prefix.empty()) prefix += '/';
  std::vector<name_value> query = {{"list-type", "2"},
                                   {"encoding-type", "url"},
                                   {"max-keys", std::to_string(page_size)},
                                   {"prefix", std::move(prefix)}};
  if (is_flat) query.emplace_back("delimiter", "/");
  if (!token.empty()) query.emplace_back("continuation-token", token);
  std::vector<std::byte> body;
  call list(bucket_, {.query = std::move(query), .growing = &body, .limit = max_page});
  list.require(fmt::format("list folder \"{}\" ({})", folder, name()));
  return parse_list(body);
}

void s3_store::for_each_page(std::string_view folder, bool is_flat,
                             const std::function<bool(const list_page&)>& visit) const {
  validate_folder(folder);
  std::string token;
  do {
    const list_page page = page_of(folder, token, is_flat);
    if (!visit(page)) return;
    if (!token.empty() && page.next == token) {
      throw store_error(fmt::format(
          "cannot list folder \"{}\" ({}): the server's list repeats a page", folder, name()));
    }
    token = page.next;
  } while (!token.empty());
}

/// Returns the key of a key in the bucket. Returns nullopt for claims, and if the store cannot have
/// it, as for the entries of folders, which end in a slash.
std::optional<std::string> s3_store::key_of(std::string_view full_key) const {
  const std::string& folder = bucket_.location().folder;
  if (!folder.empty()) full_key.remove_prefix(std::min(folder.size() + 1, full_key.size()));
  try {
    validate_key(full_key);
  } catch (const store_error&) {
    return std::nullopt;
  }
  if (is_of_claims(full_key)) return std::nullopt;
  return std::string(full_key);
}

void s3_store::list_pages(std::string_view folder, const page_visitor& visit) const {
  for_each_page(folder, false, [&](const list_page& page) {
    std::vector<std::string> keys;
    for (const listed_value& value : page.values) {
      if (auto key = key_of(value.key)) keys.push_back(std::move(*key));
    }
    return keys.empty() || visit(keys);
  });
}

std::vector<std::string> s3_store::list(std::string_view folder) const {
  std::vector<std::string> keys;
  list_pages(folder, [&](std::span<const std::string> page) {
    keys.insert(keys.end(), page.begin(), page.end());
    return true;
  });
  std::ranges::sort(keys);
  return keys;
}

std::vector<std::string> s3_store::list_folder(std::string_view folder) const {
  std::set<std::string> names;
  const auto add = [&](std::string_view full_key, std::string_view end) {
    if (const auto key = key_of(full_key)) {
      names.insert(fmt::format("{}{}", key->substr(key->rfind('/') + 1), end));
    }
  };
  for_each_page(folder, true, [&](const list_page& page) {
    for (const listed_value& value : page.values) add(value.key, "");
    for (const std::string& name : page.folders) {
      add(std::string_view(name).substr(0, name.size() - 1), "/");
    }
    return true;
  });
  return {names.begin(), names.end()};
}

void s3_store::for_each_size(std::string_view folder, const detail::size_visitor& visit) const {
  for_each_page(folder, false, [&](const list_page& page) {
    for (const listed_value& value : page.values) {
      if (const auto key = key_of(value.key)) visit(*key, value.size);
    }
    return true;
  });
}

std::vector<std::string> s3_store::names_of_claims(std::string_view folder) const {
  std::vector<std::string> names;
  for_each_page(folder, true, [&](const list_page& page) {
    for (const listed_value& value : page.values) {
      names.push_back(value.key.substr(value.key.rfind('/') + 1));
    }
    return true;
  });
  return names;
}

std::string s3_store::state(std::string_view folder) const {
  return state_of(folder, [](std::string_view) { return true; });
}

std::string s3_store::state_of(std::string_view folder, const detail::counted_key& counts) const {
  const std::size_t above = folder.empty() ? 0 : folder.size() + 1;
  fingerprint values;
  std::size_t num_keys = 0;
  for_each_page(folder, false, [&](const list_page& page) {
    for (const listed_value& value : page.values) {
      if (std::string_view(value.key).substr(value.key.rfind('/') + 1).starts_with('.')) continue;
      if (!counts(std::string_view(value.key).substr(above))) continue;
      values.add(fmt::format("{} {} {}\n", value.key, value.size, value.etag));
      ++num_keys;
    }
    return num_keys <= max_keys_of_state;
  });
  if (num_keys <= max_keys_of_state) return values.digits();
  // Dots are in front of digits, so that the documents are in the first page.
  fingerprint documents;
  for (const listed_value& value : page_of(folder, {}, true).values) {
    if (!http::is_document_key(value.key)) continue;
    documents.add(fmt::format("{} {}\n", value.key, value.etag));
  }
  return documents.digits();
}

void s3_store::erase(std::string_view key) {
  validate_key(key);
  call erase(bucket_,
             {.method = request_method::erase, .full_key = bucket_.location().full_key(key)});
  erase.require("erase " + location_of(key), true);
}

/// Erases at most `page_size` keys by one request.
void s3_store::erase_batch(std::span<const std::string> full_keys) {
  if (full_keys.empty()) return;
  const std::string document = erase_document(full_keys);
  const std::string purpose = fmt::format("erase {} keys ({})", full_keys.size(), name());
  std::vector<std::byte> body;
  call erase(bucket_, {.method = request_method::post,
                       .query = {{"delete", ""}},
                       .headers = {{"content-md5", md5_base64(document)}},
                       .body = std::as_bytes(std::span(document)),
                       .growing = &body,
                       .limit = max_page});
  erase.require(purpose);
  for (const kept_key& kept : parse_erase_result(body)) {
    if (kept.code == "NoSuchKey") continue;
    throw store_error(
        fmt::format("cannot {}: the server keeps key \"{}\" ({})", purpose, kept.key, kept.code),
        kept.code == "AccessDenied" ? store_failure::denied : store_failure::passing);
  }
}

void s3_store::erase_many(std::span<const std::string> keys) {
  std::vector<std::string> full_keys;
  for (const std::string& key : keys) {
    validate_key(key);
    full_keys.push_back(bucket_.location().full_key(key));
  }
  for (std::span<const std::string> rest = full_keys; !rest.empty();) {
    const std::size_t size = std::min(page_size, rest.size());
    erase_batch(rest.first(size));
    rest = rest.subspan(size);
  }
}

void s3_store::erase_all(std::string_view folder) {
  validate_folder(folder);
  std::vector<std::string> documents;
  for (const listed_value& value : page_of(folder, {}, true).values) {
    if (http::is_document_key(value.key)) documents.push_back(value.key);
  }
  erase_batch(documents);
  for_each_page(folder, false, [&](const list_page& page) {
    std::vector<std::string> full_keys;
    for (const listed_value& value : page.values) full_keys.push_back(value.key);
    erase_batch(full_keys);
    return true;
  });
}

}  // namespace tessera::s3
