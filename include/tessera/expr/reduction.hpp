// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reductions: nodes that fold the elements along some axes into one.

#include "tessera/expr/expression.hpp"
#include "tessera/meta/promotion.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tessera {
namespace op {

/// The dtype of sums and products: floats and complex numbers keep theirs, integers get 64 bits.
template <element T>
using accumulated_t =
    std::conditional_t<floating_element<T> || complex_element<T>, T,
                       std::conditional_t<std::is_unsigned_v<T> && !std::same_as<T, bool>,
                                          std::uint64_t, std::int64_t>>;

// clang-format off
struct sum { static constexpr std::string_view name = "sum"; template <class T> using result = accumulated_t<T>; };
struct prod { static constexpr std::string_view name = "prod"; template <class T> using result = accumulated_t<T>; };
struct min { static constexpr std::string_view name = "min"; template <class T> using result = T; };
struct max { static constexpr std::string_view name = "max"; template <class T> using result = T; };
struct mean { static constexpr std::string_view name = "mean"; template <class T> using result = floating_t<T>; };
struct var { static constexpr std::string_view name = "var"; template <class T> using result = floating_t<T>; };
struct stddev { static constexpr std::string_view name = "stddev"; template <class T> using result = floating_t<T>; };
struct any { static constexpr std::string_view name = "any"; template <class T> using result = bool; };
struct all { static constexpr std::string_view name = "all"; template <class T> using result = bool; };
// clang-format on

/// Folds the axes in `Reduced` with `Fold`, one of the tags above.
template <class Fold, axis_mask Reduced>
struct reduce {
  static constexpr std::string_view name = Fold::name;
  /// What variances take from the number of elements.
  double correction = 0;
};

}  // namespace op

template <class Fold, axis_mask Reduced, class X>
struct node_rule<op::reduce<Fold, Reduced>, X> {
  using value_type = typename Fold::template result<typename X::value_type>;
  static constexpr std::size_t rank = X::rank - std::popcount(Reduced);

  static array_layout lay_out(const op::reduce<Fold, Reduced>&, const X& x) {
    if constexpr (std::same_as<Fold, op::min> || std::same_as<Fold, op::max>) {
      require_elements(Fold::name, x.layout(), Reduced);
    }
    return reduced_layout(Fold::name, x.layout(), Reduced);
  }
};

}  // namespace tessera
