// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Scans: nodes that give of each element what a fold of all before it and itself would give.

#include "tessera/expr/expression.hpp"
#include "tessera/expr/layout.hpp"

#include <cstddef>
#include <string_view>

namespace tessera {
namespace op {

/// Scans along an axis with `Scan`, a tag that says what a scan is: its `name`, the dtype
/// `result<T>` that it gives for elements of type `T`, and `kernel<T>()`, what computes it.
template <class Scan>
struct scan {
  static constexpr std::string_view name = Scan::name;
  [[no_unique_address]] Scan what;
  std::size_t axis = 0;
  /// Whether it goes from the last element to the first.
  bool is_reversed = false;
  /// Whether what is there before the first element stands before all others.
  bool has_initial = false;
  /// How many elements are taken before the first that is given: those of a window but one.
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
    if constexpr (requires { op.what.length; }) {
      require_window(Scan::name, layout, op.axis, op.what.length);
      layout.shape[op.axis] -= op.skipped;
      layout.chunks = clip_chunks(layout.chunks, layout.shape);
    }
    return layout;
  }
};

}  // namespace tessera
