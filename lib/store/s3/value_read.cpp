// SPDX-License-Identifier: Apache-2.0
#include "store/s3/value_read.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera::s3 {

namespace {

using http::request_result;

/// Returns the bytes that the first request has room for.
std::span<std::byte> first_piece(const byte_range& range, std::span<std::byte> into) {
  if (range.count == 0) return {};
  return range.from_end ? into : into.first(std::min(into.size(), value_read::piece_size));
}

operation first_operation(std::string full_key, const byte_range& range, std::span<std::byte> into,
                          const value_version& expected, std::uint64_t max_size) {
  const std::span<std::byte> piece = first_piece(range, into);
  return {.full_key = std::move(full_key),
          .wanted = http::wanted_part(range, piece.size()),
          .into = piece,
          .expected = expected,
          .max_value_size = max_size};
}

}  // namespace

value_read::value_read(bucket& target, const read_request& request, std::uint64_t max_size)
    : target_(target),
      full_key_(target.location().full_key(request.key)),
      range_(request.range),
      into_(request.into),
      expected_(request.expected),
      first_(target, first_operation(full_key_, range_, into_, expected_, max_size)) {}

bool value_read::is_complete() {
  if (!first_.is_complete()) return false;
  try {
    if (!has_rest_) begin_rest(first_.wait());
  } catch (const store_error&) {
    // The wait meets the failure.
    return true;
  }
  return std::ranges::all_of(rest_, [](const auto& piece) { return piece->is_complete(); });
}

/// Begins the requests behind the first one, which has ended.
void value_read::begin_rest(const http::request& first) {
  // Those of a begin that failed.
  rest_.clear();
  const bool has_one_piece =
      first.result != request_result::success || range_.from_end || range_.count == 0;
  const byte_range part = clip_range(range_, first.part.value_size);
  const std::size_t size = has_one_piece ? 0 : std::min<std::uint64_t>(part.count, into_.size());
  for (std::size_t at = first.part.size; at < size; at += piece_size) {
    const std::size_t count = std::min(piece_size, size - at);
    operation next{.full_key = full_key_,
                   .wanted = http::wanted_part({part.first + at, count}, count),
                   .into = into_.subspan(at, count),
                   .expected = first.part.version};
    rest_.push_back(std::make_unique<call>(target_, std::move(next)));
  }
  has_rest_ = true;
}

std::optional<value_part> value_read::wait(std::string_view purpose) {
  const http::request& first = first_.require(purpose, true);
  if (first.result == request_result::missing) return std::nullopt;
  if (!has_rest_) begin_rest(first);
  value_part part = first.part;
  part.first = clip_range(range_, part.value_size).first;
  for (const auto& piece : rest_) {
    const http::request& next = piece->require(purpose);
    if (next.part.value_size != part.value_size) {
      throw store_error(fmt::format("cannot {}: the value changed while it was read", purpose),
                        store_failure::changed);
    }
    part.size += next.part.size;
  }
  return part;
}

}  // namespace tessera::s3
