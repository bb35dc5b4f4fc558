// SPDX-License-Identifier: Apache-2.0
#include "store/http/http_store.hpp"

#include "tessera/core/error.hpp"

#include "store/http/client.hpp"
#include "store/http/document_key.hpp"
#include "store/http/host_limits.hpp"
#include "store/http/read_queue.hpp"
#include "store/http/recipe_options.hpp"
#include "store/http/server_access.hpp"

#include <fmt/format.h>
#include <utility>

namespace tessera::http {

http_store::http_store(url_parts url, http_options options)
    : url_(std::move(url)), options_(std::move(options)) {
  access_ = make_access(url_, options_);
}

std::optional<store_recipe> http_store::recipe() const {
  if (!url_.user.empty() || !url_.query.empty()) return std::nullopt;
  const std::string place = url_.path.empty() ? url_.host : url_.host + "/" + url_.path;
  return store_recipe{url_.scheme, place, text_of(options_)};
}

store_traits http_store::traits() const {
  return {.has_ranges = true,
          .has_lists = false,
          .is_writable = false,
          .latency = std::chrono::milliseconds(30),
          .bandwidth = bytes(60'000'000),
          .num_requests = host_limits::max_window,
          .kept = bytes(12'000'000),
          .kept_per_request = bytes(300'000)};
}

std::string http_store::location_of(std::string_view key) const {
  return fmt::format("key \"{}\" ({})", key, name());
}

std::shared_ptr<request> http_store::new_request(std::string_view key) const {
  validate_key(key);
  auto asked = std::make_shared<request>();
  asked->url = url_.of_key(key);
  asked->access = access_;
  return asked;
}

std::shared_ptr<request> http_store::part_request(const read_request& asked) const {
  auto next = new_request(asked.key);
  next->wanted = wanted_part(asked.range, asked.into.size());
  next->into = asked.range.count == 0 ? std::span<std::byte>() : asked.into;
  next->expected = asked.expected;
  return next;
}

std::optional<value_part> http_store::result_of(const request& ended, std::string_view key,
                                                const byte_range& range) const {
  switch (ended.result) {
    case request_result::missing:
      return std::nullopt;
    case request_result::success: {
      value_part part = ended.part;
      part.first = clip_range(range, part.value_size).first;
      return part;
    }
    default:
      break;
  }
  if (ended.is_forbidden && options_.denied_is_missing && !is_document_key(key)) {
    return std::nullopt;
  }
  const bool has_size = ended.kind == store_failure::too_large && ended.part.value_size > 0;
  throw store_error(fmt::format("cannot read {}: {}", location_of(key), ended.message), ended.kind,
                    has_size ? std::optional(ended.part.value_size) : std::nullopt);
}

std::optional<value_part> http_store::read_part(std::string_view key, const byte_range& range,
                                                std::span<std::byte> into) const {
  const pending_request asked(part_request({key, range, into}));
  return result_of(asked.wait(), key, range);
}

std::optional<std::size_t> http_store::read(std::string_view key, std::span<std::byte> into) const {
  auto next = new_request(key);
  next->into = into;
  const pending_request asked(std::move(next));
  const auto part = result_of(asked.wait(), key, {});
  return part ? std::optional(part->size) : std::nullopt;
}

std::optional<std::vector<std::byte>> http_store::read_all(std::string_view key,
                                                           std::size_t limit) const {
  std::vector<std::byte> value;
  auto next = new_request(key);
  next->growing = &value;
  next->limit = limit;
  const pending_request asked(std::move(next));
  if (!result_of(asked.wait(), key, {})) return std::nullopt;
  return value;
}

std::optional<std::size_t> http_store::size(std::string_view key) const {
  const auto part = read_part(key, {0, 1}, {});
  return part ? std::optional(static_cast<std::size_t>(part->value_size)) : std::nullopt;
}

std::unique_ptr<read_queue> http_store::reads() const {
  return std::make_unique<http_read_queue>(*this);
}

void http_store::refuse_write(std::string_view key) const {
  throw store_error(
      fmt::format("cannot write {}: stores on HTTP servers are read-only", location_of(key)),
      store_failure::unsupported);
}

void http_store::refuse_list(std::string_view folder) const {
  throw store_error(
      fmt::format("cannot list folder \"{}\" ({}): HTTP servers have no lists; open a group with "
                  "consolidated metadata, or an array by its path",
                  folder, name()),
      store_failure::unsupported);
}

void http_store::write(std::string_view key, std::span<const std::byte> /*value*/) {
  validate_key(key);
  refuse_write(key);
}

bool http_store::write_if(std::string_view key, std::span<const std::byte> /*value*/,
                          const value_version& /*expected*/) {
  validate_key(key);
  refuse_write(key);
}

std::unique_ptr<value_writer> http_store::writer(std::string_view key) {
  validate_key(key);
  refuse_write(key);
}

void http_store::erase(std::string_view key) {
  validate_key(key);
  refuse_write(key);
}

void http_store::erase_all(std::string_view folder) {
  validate_folder(folder);
  refuse_write(folder);
}

std::vector<std::string> http_store::list(std::string_view folder) const {
  validate_folder(folder);
  refuse_list(folder);
}

std::vector<std::string> http_store::list_folder(std::string_view folder) const {
  validate_folder(folder);
  refuse_list(folder);
}

}  // namespace tessera::http
