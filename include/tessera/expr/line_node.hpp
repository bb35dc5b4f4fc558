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

/// The result of a line of elements.
struct line_output {
  /// The number of elements, which lie along one axis; nothing: a single element, without an axis.
  std::optional<index_t> length = std::nullopt;
  /// Whether that is the first axis of the result; else it is in the place of the first that goes.
  bool is_first = false;
};

/// Returns the layout of the results of lines along `lined`.
///
/// Chunks: those of `of`. The result of a line is one chunk, unless it keeps the line's axis, or
///         that would be large: then it has chunks as long as those of `of`.
[[nodiscard]] array_layout lines_layout(std::string_view function, const array_layout& of,
                                        axis_mask lined, const line_output& line_result);

/// Throws shape_error if a line has no elements, or becomes a transform of less than one point.
void require_points(std::string_view function, index_t extent, index_t points);

namespace op {

/// Makes an array of rank `N` with `Line`, a tag that describes a function of lines. It has a
/// `name`, and the dtype `result<T>` for elements of type `T`. Its `kernel(dtype)` computes blocks
/// whose last axes are lines, with its `parameters()`.
template <class Line, std::size_t N>
struct lines {
  static constexpr std::string_view name = Line::name;
  Line function;
  axis_mask lined = 0;
  line_output result;
};

}  // namespace op

template <class Line, std::size_t N, class X>
struct node_rule<op::lines<Line, N>, X> {
  using value_type = typename Line::template result<typename X::value_type>;
  static constexpr std::size_t rank = N;

  static array_layout lay_out(const op::lines<Line, N>& op, const X& x) {
    return lines_layout(Line::name, x.layout(), op.lined, op.result);
  }
};

}  // namespace tessera
