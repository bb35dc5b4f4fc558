// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The nodes of elementwise expression trees.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/detail/apply.hpp"

#include <cstddef>
#include <tuple>
#include <utility>

namespace tessera {

/// The operand number `I`, whose elements are of type `T`.
template <element T, std::size_t I>
struct tree_operand {
  using value_type = T;
};

/// The same value at every element.
template <element T>
struct tree_constant {
  using value_type = T;
  T value;
};

/// `op` applied to the values of `children`.
///
/// `Op` is a tag of `tessera::op`. The children have the element type that the function works in,
/// as promotion puts `op::astype` where it is needed; the value's type follows from theirs.
template <class Op, class... Children>
struct tree_node {
  using value_type = decltype(detail::apply(std::declval<const Op&>(),
                                            std::declval<typename Children::value_type>()...));
  static_assert(element<value_type>, "an elementwise function must return an element type");

  [[no_unique_address]] Op op;
  std::tuple<Children...> children;
};

}  // namespace tessera
