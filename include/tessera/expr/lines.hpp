// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Lines: nodes that make of all elements along an axis at once others: sorted ones, quantiles,
/// Fourier coefficients.

#include "tessera/core/index.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/meta/axes.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace tessera {

/// What a line of elements becomes.
struct line_made {
  /// How many elements, which lie along one axis; nothing: a single one, without an axis.
  std::optional<index_t> length = std::nullopt;
  /// Whether that is the first axis of the result; else it is in the place of the first that goes.
  bool is_first = false;
};

/// Returns the layout of what the lines along `lined` become.
///
/// Chunks: those of `of`; what lines become is one chunk, unless they keep their axis, or that
///         would be large: then it has chunks as long as those of `of`.
[[nodiscard]] array_layout lines_layout(std::string_view function, const array_layout& of,
                                        axis_mask lined, const line_made& made);

/// Throws shape_error where a line has no elements, or becomes a transform of less than one point.
void require_points(std::string_view function, index_t extent, index_t points);

namespace op {

/// Makes an array of rank `N` with `Line`, a tag that says what becomes of a line: its `name`, the
/// dtype `result<T>` that it gives for elements of type `T`, `kernel(dtype)`, which computes it of
/// blocks whose last axes are lines, and its `parameters()`.
template <class Line, std::size_t N>
struct lines {
  static constexpr std::string_view name = Line::name;
  Line what;
  axis_mask lined = 0;
  line_made made;
};

}  // namespace op

template <class Line, std::size_t N, class X>
struct node_rule<op::lines<Line, N>, X> {
  using value_type = typename Line::template result<typename X::value_type>;
  static constexpr std::size_t rank = N;

  static array_layout lay_out(const op::lines<Line, N>& op, const X& x) {
    return lines_layout(Line::name, x.layout(), op.lined, op.made);
  }
};

}  // namespace tessera
