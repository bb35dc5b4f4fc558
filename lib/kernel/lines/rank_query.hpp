// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The ranks that are sought of a line, and their serialised form.

#include "tessera/core/index.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"

#include "kernel/api/radix_select.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// Fills `ranks` with the ranks of a query for a line of `size` sorted elements, in ascending
/// order; with zeros if the line has no ranks.
void find_ranks(const radix_select::rank_query& query, index_t size, std::vector<index_t>& ranks);

[[nodiscard]] std::string identity_of(const radix_select::rank_query& query);
/// Returns the ranks that `identity_of` wrote. Throws: value_error <- the bytes are not of ranks.
[[nodiscard]] radix_select::rank_query take_query(byte_reader& bytes);
[[nodiscard]] line::quantile_query take_quantile_query(byte_reader& bytes);

/// Returns the bytes of a digit.
[[nodiscard]] std::string identity_of(const radix_select::digit& by);
[[nodiscard]] radix_select::digit take_digit(byte_reader& bytes);

/// Returns the number of ranks of a row of `length_of_state` int64.
[[nodiscard]] constexpr index_t num_ranks(index_t length_of_state) {
  return (length_of_state - 1) / 2;
}
/// Tells whether a kernel gets `num_inputs` operands, the last with the known prefixes of lines,
/// and whether all have the axes before lines first.
[[nodiscard]] bool are_of_same_lines(const block_shapes& of, std::size_t num_inputs);

/// Returns the ranks that are a kernel's parameters.
inline const radix_select::rank_query& query_in(const void* parameters) {
  return *static_cast<const radix_select::rank_query*>(parameters);
}
[[nodiscard]] kernel_parameters restore_positions(std::string_view identity);

}  // namespace tessera::detail
