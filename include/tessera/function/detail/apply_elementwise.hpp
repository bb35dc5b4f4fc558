// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the elementwise functions have in common: the rules that they state, and their nodes.

#include "tessera/expr/elementwise.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <utility>

namespace tessera {

namespace detail {

template <class Arg, class... Args>
auto first_array(const Arg& arg, const Args&... args) {
  if constexpr (array_expression<Arg> || sizeof...(Args) == 0) {
    return arg;
  } else {
    return first_array(args...);
  }
}

/// Returns the node of `op`; some array among `args` where a rule is broken, which the caller's
/// static_assert has said already.
template <class Op, class... Args>
auto apply_elementwise(Op op, const Args&... args) {
  if constexpr (sizeof...(Args) == 1) (lazy(args), ...);
  if constexpr (are_operands<Args...> && dtypes_accepted<Op, Args...>) {
    return make_elementwise(std::move(op), args...);
  } else {
    return first_array(args...);
  }
}

}  // namespace detail
}  // namespace tessera
