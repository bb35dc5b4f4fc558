// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of lines that are longer than what a task holds.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/expr/lines.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/order_search.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/plan/node.hpp"
#include "tessera/plan/operation.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// What `kernel` makes of the lines of `x` along `lined`, in several passes over them. Each counts
/// elements by some bits of their keys, and so bounds those that are sought more closely.
struct long_lines {
  std::string_view name;
  const block_kernel& kernel;
  const kernel_parameters& parameters;
  const array_layout& of;
  const array_view& x;
  axis_set lined;
  const line_made& made;
  /// The block of the domain in which a task holds whole lines.
  const index_vector& block;

  /// Returns the array of `shape` in chunks of `chunks`; null where a task holds a line, or the
  /// kernel must.
  [[nodiscard]] array_handle in_passes(const index_vector& shape, const index_vector& chunks) const;

  /// Return the bytes that a task may take, and those that one takes for a line.
  [[nodiscard]] double room() const;
  [[nodiscard]] double memory_of_line() const;

 private:
  /// Returns the last axis of a domain that goes beyond that of `x`.
  [[nodiscard]] index_vector beside_lines(index_t length) const;
  [[nodiscard]] std::vector<std::size_t> loops() const;
  [[nodiscard]] array_handle known(const order_search::places& sought) const;
  [[nodiscard]] array_handle counted(const std::string& pass, const array_handle& known,
                                     const order_search::digit& by, bool is_descending) const;
  [[nodiscard]] array_handle narrowed(const array_handle& counts, const array_handle& known,
                                      const order_search::digit& by,
                                      const order_search::places& sought) const;
  [[nodiscard]] array_handle quantiles(const index_vector& shape, const index_vector& chunks) const;
  /// Returns how many elements of a line, in order, a task makes, of a result in chunks of `chunk`.
  [[nodiscard]] index_t length_of_run(std::size_t axis, index_t chunk) const;
  /// Returns the lines along `axis` in chunks that have a few at most.
  [[nodiscard]] array_view apart(std::size_t axis) const;
  [[nodiscard]] array_handle sorted(const block_kernel& run, const index_vector& chunks) const;
};

}  // namespace tessera
