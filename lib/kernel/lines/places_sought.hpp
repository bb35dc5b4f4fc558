// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The places in order that are sought of a line, and their bytes.

#include "tessera/core/index.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/order_search.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// Fills `places` with those that are sought of a line of `size` elements in order, in ascending
/// order; with zeros where there are none.
void find_places(const order_search::places& sought, index_t size, std::vector<index_t>& places);

[[nodiscard]] std::string identity_of(const order_search::places& sought);
/// Returns what that made bytes of. Throws: value_error <- it did not.
[[nodiscard]] order_search::places take_places(byte_reader& bytes);
[[nodiscard]] line::quantiles_sought take_quantiles(byte_reader& bytes);

/// The same of a digit.
[[nodiscard]] std::string identity_of(const order_search::digit& by);
[[nodiscard]] order_search::digit take_digit(byte_reader& bytes);

/// Returns of how many places so many int64 tell.
[[nodiscard]] constexpr index_t num_places(index_t length_of_known) {
  return (length_of_known - 1) / 2;
}
/// Tells whether a kernel gets `num_inputs` operands, the last of which tells what is known of
/// lines, and whether all have the axes of these lines first.
[[nodiscard]] bool are_of_same_lines(const block_shapes& of, std::size_t num_inputs);

/// Returns the places that are a kernel's parameters.
inline const order_search::places& places_in(const void* parameters) {
  return *static_cast<const order_search::places*>(parameters);
}
[[nodiscard]] kernel_parameters restore_places(std::string_view identity);

}  // namespace tessera::detail
