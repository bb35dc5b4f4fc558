// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Scans: prefix folds, whose value at each element is the fold of all before it and itself.

#include "tessera/expr/expression.hpp"
#include "tessera/expr/layout.hpp"

#include <cstddef>
#include <string_view>

namespace tessera {
namespace op {

/// Scans along an axis with `Scan`, a tag that describes a scan. It has a `name`, the dtype
/// `result<T>` for elements of type `T`, and a `kernel<T>()`.
template <class Scan>
struct scan {
  static constexpr std::string_view name = Scan::name;
  [[no_unique_address]] Scan function;
  std::size_t axis = 0;
  /// Whether it goes from the last element to the first.
  bool is_reversed = false;
  /// Whether the initial value, the scan of no elements, stands before all others.
  bool has_initial = false;
  /// The elements that are taken before the first result: one less than a window has.
  index_t skipped = 0;
};

}  // namespace op

template <class Scan, class X>
struct node_rule<op::scan<Scan>, X> {
  using value_type = typename Scan::template result<typename X::value_type>;
  static constexpr std::size_t rank = X::rank;

  static array_layout lay_out(const op::scan<Scan>& op, const X& x) {
    array_layout layout = x.layout();
    if (op.has_initial) {
      ++layout.shape[op.axis];
      require_countable(Scan::name, layout.shape);
    }
    if constexpr (requires { op.function.length; }) {
      require_window(Scan::name, layout, op.axis, op.function.length);
      layout.shape[op.axis] -= op.skipped;
      layout.chunks = clip_chunks(layout.chunks, layout.shape);
    }
    return layout;
  }
};

}  // namespace tessera
