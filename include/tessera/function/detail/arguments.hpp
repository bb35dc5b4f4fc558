// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What functions of arrays take for arguments, and what is told to those who give them others.

#include "tessera/expr/elementwise.hpp"
#include "tessera/expr/expression.hpp"

#include <iosfwd>
#include <type_traits>

namespace tessera {

namespace detail {

/// Tells whether `X` is an array whose axes have names; see `labelled`.
template <class X>
inline constexpr bool has_names = false;

}  // namespace detail

/// Tells whether any of `Args` is an array, lazy or computed: what makes a function or operator
/// ours. Computed ones are then refused, with the remedy. Those whose axes have names have
/// functions of their own, which call these.
template <class... Args>
inline constexpr bool has_array = ((array_expression<Args> || detail::is_computed<Args>) || ...) &&
                                  !(detail::has_names<Args> || ...);

/// What a function of an array is called for.
template <class X>
concept array_argument = has_array<X>;

/// Tells whether each of `Args` can be an operand.
template <class... Args>
inline constexpr bool are_operands = (elementwise_operand<Args> && ...);

/// A stream of characters, which `<<` prints to.
template <class S>
inline constexpr bool is_stream = std::is_convertible_v<S*, std::ostream*>;

namespace detail {

/// Returns `x`, and refuses arrays that are computed.
template <class X>
decltype(auto) lazy(const X& x) {
  static_assert(are_operands<X>,
                "tessera: this function takes lazy arrays; asarray(m) is one of the ndarray m");
  return (x);
}

/// Arrays of different types between braces, which cannot be taken apart again; refused.
struct joined_in_braces {
  template <array_expression... Xs>
  requires(sizeof...(Xs) > 1) joined_in_braces(const Xs&...) {
    static_assert(is_allowed<Xs...>,
                  "tessera: concat({a, b}), stack({a, b}): requires arrays of one type in braces; "
                  "write concat(a, b, axis<0>), stack(a, b, axis<0>)");
  }
};
}  // namespace detail
}  // namespace tessera
