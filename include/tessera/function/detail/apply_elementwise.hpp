// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The nodes of elementwise functions.

#include "tessera/expr/elementwise_node.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <utility>

namespace tessera {

namespace detail {

template <class Arg, class... Args>
auto first_array(const Arg& arg, const Args&... args) {
  if constexpr (lazy_array<Arg> || sizeof...(Args) == 0) {
    return arg;
  } else {
    return first_array(args...);
  }
}

/// Returns the node of `op`, with names if an operand has names. If a rule is broken, the
/// caller's static_assert has said so, and the result is the first array.
template <class Op, class... Args>
auto apply_elementwise(Op op, const Args&... args) {
  if constexpr (sizeof...(Args) == 1) (lazy(args), ...);
  if constexpr (!are_operands<Args...> || !dtypes_accepted<Op, Args...>) {
    return first_array(args...);
  } else if constexpr (have_names<Args...>) {
    return by_names([&op](const auto&... xs) { return apply_elementwise(op, xs...); }, args...);
  } else {
    return make_elementwise(std::move(op), args...);
  }
}

}  // namespace detail
}  // namespace tessera
