// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reductions: nodes that fold the elements along some axes into one.

#include "tessera/expr/expression.hpp"
#include "tessera/meta/promotion.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {
namespace op {

/// The dtypes that a fold takes.
enum class fold_rule : std::uint8_t {
  any,      ///< all of them
  real,     ///< real numbers
  ordered,  ///< real numbers and bools
};

/// Folds `NumAxes` axes with `Fold`, a tag that describes a fold:
/// - its `name` and its `rule`, and the dtype `result<Ts...>` that it gives for elements of types
///   `Ts`, one for each operand;
/// - `kernel<Ts...>()`, its kernel, and `parameters()`, if that has any;
/// - `needs_elements`, true if it has no result of nothing;
/// - `takes_positions`, true if it takes, behind its operands, the positions of the elements: the
///   index along the one axis that is folded, or in row-major order of the whole array;
/// - `is_labelled`, true if the last operand is the label: it tells which of the groups
/// `extra_axes` an
///   element goes into.
template <class Fold, std::size_t NumAxes, std::size_t NumExtra = 0>
struct reduce {
  static constexpr std::string_view name = Fold::name;
  [[no_unique_address]] Fold fold;
  axis_mask reduced;
  /// The extents of the axes that the result has in the place of the first that is folded.
  std::array<index_t, NumExtra> extra_axes = {};
};

}  // namespace op

/// Tells whether the reduction `Fold` takes elements of type `T`.
template <class Fold, class T>
inline constexpr bool fold_takes = [] {
  switch (Fold::rule) {
    case op::fold_rule::real:
      return real_element<T>;
    case op::fold_rule::ordered:
      return real_element<T> || boolean_element<T>;
    default:
      return element<T>;
  }
}();

namespace detail {

template <class Fold>
inline constexpr bool needs_elements = requires {
  requires Fold::needs_elements;
};
template <class Fold>
inline constexpr bool takes_positions = requires {
  requires Fold::takes_positions;
};
template <class Fold>
inline constexpr bool is_labelled = requires {
  requires Fold::is_labelled;
};

/// Returns the layout that is folded: that of the operands, broadcast.
template <class X>
const array_layout& folded_layout(std::string_view /*function*/, const X& x) {
  return x.layout();
}
template <class X, class... Xs>
array_layout folded_layout(std::string_view function, const X& x, const Xs&... xs) {
  return broadcast_layout(function, std::array{&x.layout(), &xs.layout()...});
}

}  // namespace detail

template <class Fold, std::size_t NumAxes, std::size_t NumExtra, class... Xs>
struct node_rule<op::reduce<Fold, NumAxes, NumExtra>, Xs...> {
  using value_type = typename Fold::template result<typename Xs::value_type...>;
  static constexpr std::size_t rank = std::max({Xs::rank...}) - NumAxes + NumExtra;

  static array_layout lay_out(const op::reduce<Fold, NumAxes, NumExtra>& op, const Xs&... xs) {
    const array_layout& folded = detail::folded_layout(Fold::name, xs...);
    if constexpr (detail::needs_elements<Fold>) {
      require_elements(Fold::name, folded, op.reduced);
    }
    return reduced_layout(Fold::name, folded, op.reduced, op.extra_axes);
  }
};

}  // namespace tessera
