// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Chunk lengths as a user states them.

#include "tessera/core/index.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/expr/slice.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

/// The type of `automatic`.
struct automatic_t {
  explicit automatic_t() = default;
};
/// Lets the library choose the lengths of chunks.
inline constexpr automatic_t automatic{};

/// The length of chunks along one axis: a number of elements, `whole` or `automatic`.
class chunk_length {
 public:
  enum class kind : unsigned char { fixed, whole, automatic };

  template <std::integral I>
  constexpr chunk_length(I length) : length_(static_cast<index_t>(length)) {}
  constexpr chunk_length(whole_t) : kind_(kind::whole) {}
  constexpr chunk_length(automatic_t) : kind_(kind::automatic) {}

  [[nodiscard]] constexpr kind length_kind() const { return kind_; }
  [[nodiscard]] constexpr index_t length() const { return length_; }

 private:
  kind kind_ = kind::fixed;
  index_t length_ = 0;
};

/// The lengths of chunks along every axis: `{100, whole, automatic}`, or one length for all axes.
class chunk_lengths {
 public:
  /// Automatic along every axis. Not inline, as other members: programs need not be compiled with
  /// them.
  chunk_lengths();
  chunk_lengths(const chunk_lengths& rhs);
  chunk_lengths(chunk_lengths&& rhs) noexcept;
  chunk_lengths& operator=(const chunk_lengths& rhs);
  chunk_lengths& operator=(chunk_lengths&& rhs) noexcept;
  ~chunk_lengths();

  chunk_lengths(automatic_t);
  chunk_lengths(whole_t);
  /// Of one length along every axis.
  template <std::integral I>
  chunk_lengths(I length) : chunk_lengths(for_all(length)) {}
  chunk_lengths(std::initializer_list<chunk_length> lengths);
  explicit chunk_lengths(std::vector<chunk_length> lengths);
  template <std::size_t N>
  chunk_lengths(const std::array<index_t, N>& lengths)
      : chunk_lengths(std::vector<chunk_length>(lengths.begin(), lengths.end())) {}
  template <std::integral I>
  chunk_lengths(const std::vector<I>& lengths)
      : chunk_lengths(std::vector<chunk_length>(lengths.begin(), lengths.end())) {}

  /// Tells whether each axis is left to the library.
  [[nodiscard]] bool is_automatic() const {
    return !given_ && for_all_.length_kind() == chunk_length::kind::automatic;
  }

  /// Returns the extents of a chunk of an array of `shape`.
  ///
  /// Automatic lengths make chunks of about 100 MB, and larger ones if by the costs of `limits` a
  /// request takes as long as 10 MB. A chunk takes at most a tenth of the memory that is allowed
  /// and not reserved. Lengths are equal along the axes as far as extents and multiples of `unit`
  /// let them. `unit` is the chunk of the array's operands; it may be empty.
  /// Throws: shape_error <- not as many lengths as axes. value_error <- a length is not positive.
  [[nodiscard]] index_vector resolve(std::string_view function, const index_vector& shape,
                                     std::size_t item_size, const spec& limits,
                                     const index_vector& unit = {}) const;

 private:
  [[nodiscard]] static chunk_lengths for_all(chunk_length length);

  bool given_ = false;
  chunk_length for_all_ = automatic;
  std::vector<chunk_length> lengths_;
};

}  // namespace tessera
