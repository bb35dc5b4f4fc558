// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads of values, large ones in several requests.

#include "tessera/store/transfers.hpp"

#include "store/s3/bucket.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::s3 {

/// A read of a part of a value.
///
/// A part of more than 8 MiB is read by requests of 8 MiB. The first one tells the size and the
/// version of the value; the rest begins with its end, on the condition that the version is the
/// same:
///
///     | first 8 MiB | 8 MiB, If-Match | 8 MiB, If-Match | rest, If-Match |
class value_read {
 public:
  static constexpr std::size_t piece_size = std::size_t{8} << 20;

  /// Begins the read of a key that is well-formed. A value of more than `max_size` bytes is refused
  /// before a byte is stored. Throws: store_error <- as `bucket::new_request`.
  value_read(bucket& target, const read_request& request,
             std::uint64_t max_size = byte_range::everything);

  [[nodiscard]] bool is_complete();
  /// Waits. Throws: store_error <- the read fails, as "cannot <purpose>: ...".
  std::optional<value_part> wait(std::string_view purpose);

 private:
  void begin_rest(const http::request& first);

  bucket& target_;
  std::string full_key_;
  byte_range range_;
  std::span<std::byte> into_;
  value_version expected_;
  call first_;
  bool has_rest_ = false;
  std::vector<std::unique_ptr<call>> rest_;
};

}  // namespace tessera::s3
