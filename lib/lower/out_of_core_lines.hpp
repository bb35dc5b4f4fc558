// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of lines that are longer than the memory of a task: out-of-core selection and sorting.
///
/// Problem: `quantile`, `sort` and `argsort` see a whole line. A line of 10^10 elements fits in no
/// task, and a task may not spill.
///
/// Idea: a radix select, most significant digit first. Keys are integers in the order of the
/// elements. Each pass streams the line once. It counts the values of one digit among the elements
/// with the known leading digits. The counts then fix the next digit of each query:
///
///     zeros -> count digit 1 -> narrow -> count digit 2 -> narrow -> ... -> keys of the ranks
///
/// `quantile` reads the keys of its ranks. `sort` and `argsort` query the ranks of evenly spaced
/// splitters; then the task of run `i` streams the line and sorts the elements between splitters
/// `i` and `i + 1`.
///
/// Invariant: counts of parts of a line add up, so the passes run in parallel and in any chunks.
/// A pass holds `lines * queries * 2^bits` counts; `bits` is chosen so that these fit.
/// References: Knuth, The Art of Computer Programming 3, section 5.2.5; `kernel/radix_select.hpp`.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/expr/line_node.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/plan/node.hpp"
#include "tessera/plan/operation.hpp"

#include "kernel/api/radix_select.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// `kernel` on the lines of `x` along `line_axes`, in several passes over the lines.
struct out_of_core_lines {
  std::string_view name;
  const block_kernel& kernel;
  const kernel_parameters& parameters;
  const array_layout& layout;
  const array_view& x;
  axis_set line_axes;
  const line_output& line_result;
  /// The block of the domain in which a task holds whole lines.
  const index_vector& block;

  /// Returns the quantiles or the sorted lines, of `shape` in chunks of `chunks`. Returns nullptr
  /// if a task holds a line or the kernel needs no order.
  [[nodiscard]] array_handle make_ordered(const index_vector& shape,
                                          const index_vector& chunks) const;

  /// Return the bytes that a task may use, and the bytes that a task needs for one whole line.
  [[nodiscard]] double memory_limit() const;
  [[nodiscard]] double line_memory() const;

 private:
  /// Returns the block along the loop axes, and `length` behind them.
  [[nodiscard]] index_vector block_with_length(index_t length) const;
  [[nodiscard]] std::vector<std::size_t> loop_axes() const;
  [[nodiscard]] array_handle state(const radix_select::rank_query& query) const;
  /// Returns the search state after all digits: the key of each rank of `query`.
  [[nodiscard]] array_handle search(const radix_select::rank_query& query) const;
  /// Returns the counts of `key_digit` in the lines, for the prefixes in `state`.
  [[nodiscard]] array_handle count_digits(const std::string& pass, const array_handle& state,
                                          const radix_select::digit& key_digit,
                                          bool is_descending) const;
  /// Returns `state` with the digit that `counts` tell.
  [[nodiscard]] array_handle narrow_search(const array_handle& counts, const array_handle& state,
                                           const radix_select::digit& key_digit,
                                           const radix_select::rank_query& query) const;
  [[nodiscard]] array_handle make_quantiles(const index_vector& shape,
                                            const index_vector& chunks) const;
  /// Returns the length of a sorted run, which one task makes, for a result in chunks of `chunk`.
  [[nodiscard]] index_t run_length(std::size_t axis, index_t chunk) const;
  /// Returns `x`, or a copy in chunks of single lines if its chunks hold many lines along `axis`.
  [[nodiscard]] array_view separate_lines(std::size_t axis) const;
  [[nodiscard]] array_handle make_sorted(const block_kernel& run, const index_vector& chunks) const;
};

}  // namespace tessera
