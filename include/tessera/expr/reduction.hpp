// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reductions: nodes that fold the elements along some axes into one.

#include "tessera/expr/expression.hpp"
#include "tessera/meta/promotion.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {
namespace op {

/// Which dtypes a fold takes.
enum class fold_rule : std::uint8_t {
  any,      ///< all of them
  numeric,  ///< numbers
  real,     ///< real numbers
};

/// Folds the axes in `Reduced` with `Fold`, a tag that says what a fold is:
/// - its `name` and its `rule`, and the dtype `result<T>` that it gives for elements of type `T`;
/// - `kernel<T>()`, what computes it, and `parameters()`, where that has any;
/// - `needs_elements`, true where it has no result of nothing.
template <class Fold, axis_mask Reduced>
struct reduce {
  static constexpr std::string_view name = Fold::name;
  [[no_unique_address]] Fold fold;
};

}  // namespace op

/// Tells whether the reduction `Fold` takes elements of type `T`.
template <class Fold, class T>
inline constexpr bool fold_takes = Fold::rule == op::fold_rule::any ||
                                   (Fold::rule == op::fold_rule::numeric ? numeric_element<T>
                                                                         : real_element<T>);

template <class Fold, axis_mask Reduced, class X>
struct node_rule<op::reduce<Fold, Reduced>, X> {
  using value_type = typename Fold::template result<typename X::value_type>;
  static constexpr std::size_t rank = X::rank - std::popcount(Reduced);

  static array_layout lay_out(const op::reduce<Fold, Reduced>&, const X& x) {
    if constexpr (requires { requires Fold::needs_elements; }) {
      require_elements(Fold::name, x.layout(), Reduced);
    }
    return reduced_layout(Fold::name, x.layout(), Reduced);
  }
};

}  // namespace tessera
