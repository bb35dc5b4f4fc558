// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The index of a shard: the position and size of each part in the shard's value.

#include "tessera/core/index.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tessera::detail {

/// The encoding of an index: the member "index_codecs" of "sharding_indexed".
struct shard_index_format {
  std::endian byte_order = std::endian::little;
  /// The permutation of the axes of the index, the parts' axes and the pair; empty: none.
  index_vector order = {};
  /// The number of checks (crc32c), each of 4 bytes, behind one another.
  std::size_t num_checks = 1;
  bool is_at_start = false;

  [[nodiscard]] bool operator==(const shard_index_format&) const = default;
};

/// The bytes of a part in the value of its shard.
struct shard_part {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  [[nodiscard]] bool operator==(const shard_part&) const = default;
};

/// Returns the number of parts of a grid.
///
/// Throws: codec_error <- it exceeds 2^59, so that the index would overflow.
[[nodiscard]] std::size_t num_parts(const index_vector& parts);

/// Returns the bytes of the index of a shard with `parts` parts along each axis.
///
/// Throws: as `num_parts`.
[[nodiscard]] std::size_t index_size(const shard_index_format& format, const index_vector& parts);

/// Returns the row-major number of a part, over the parts of each axis.
[[nodiscard]] std::size_t part_number(const index_vector& part, const index_vector& parts);

/// The index of a shard, read from its encoding, which need not be trusted. Allocates nothing
/// beyond its extents. The encoding must outlive it.
class shard_index {
 public:
  /// Reads `encoded`, all bytes of the index.
  ///
  /// Throws: codec_error <- the size differs from `index_size`, or a check fails.
  shard_index(const shard_index_format& format, const index_vector& parts,
              std::span<const std::byte> encoded);

  /// Returns the index of `value`, a whole shard.
  ///
  /// Throws: codec_error <- the value is shorter than the index, or a check fails.
  [[nodiscard]] static shard_index of_value(const shard_index_format& format,
                                            const index_vector& parts,
                                            std::span<const std::byte> value);

  [[nodiscard]] std::size_t size() const { return num_parts_; }

  /// Returns the place of the part of a row-major number, or nullopt if the part is missing.
  ///
  /// A part has at most `bound` bytes, and exactly as many if `is_fixed`.
  ///
  /// Throws: codec_error <- one of both marks is set, the part leaves a value of `value_size`
  /// bytes, or its size is wrong.
  [[nodiscard]] std::optional<shard_part> part(std::size_t number, std::uint64_t value_size,
                                               std::uint64_t bound, bool is_fixed = false) const;

 private:
  [[nodiscard]] std::uint64_t word(std::size_t number, std::size_t member) const;

  std::span<const std::byte> words_;
  std::size_t num_parts_;
  std::endian byte_order_;
  /// The parts along each axis, and the strides of the encoded words; empty unless permuted.
  index_vector parts_;
  index_vector strides_;
};

/// Writes an index. Entries may be set in any order; all are missing at first.
class shard_index_writer {
 public:
  /// Writes to `encoded`, of `index_size` bytes, which must outlive the writer.
  shard_index_writer(const shard_index_format& format, const index_vector& parts,
                     std::span<std::byte> encoded);

  void set(std::size_t number, const shard_part& part);
  /// Adds the checks. No entry may be set afterwards.
  void finish();

 private:
  void set_word(std::size_t number, std::size_t member, std::uint64_t value);

  std::span<std::byte> encoded_;
  std::size_t num_parts_;
  std::size_t num_checks_;
  std::endian byte_order_;
  index_vector parts_;
  index_vector strides_;
};

}  // namespace tessera::detail
