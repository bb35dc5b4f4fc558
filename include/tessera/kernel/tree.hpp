// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The nodes of elementwise expression trees.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/detail/value.hpp"

#include <cstddef>
#include <type_traits>
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
  /// Aligned by its size, as GCC notes a change of its ABI if complex64 is aligned otherwise.
  alignas(sizeof(T)) T value;
};

namespace detail {

template <std::size_t I, class Child>
struct tree_child {
  Child value;
};

/// The children of a node, each a base: a std::tuple would cost compilers more.
template <class Numbers, class... Children>
struct tree_children;
template <std::size_t... I, class... Children>
struct tree_children<std::index_sequence<I...>, Children...> : tree_child<I, Children>... {};

template <class... Children>
using children_of = tree_children<std::index_sequence_for<Children...>, Children...>;

/// Calls `f` with the children of a node.
template <std::size_t... I, class... Children, class F>
auto with_children(const tree_children<std::index_sequence<I...>, Children...>& children, F f) {
  return f(static_cast<const tree_child<I, Children>&>(children).value...);
}

}  // namespace detail

/// The function `op` of the values of `children`.
///
/// `Op` is a tag that describes a function:
/// - `name`, `arity`, and a `label` to print if it is not `name({0}, ...)`;
/// - `value(x...)`, its value at one element of each operand. All have the element type that the
///   function works in, as promotion inserts conversions, but for integers that are compared; one
///   that does not take float16 is given floats. NumPy's results, no undefined behaviour, and no
///   branches if a loop over it shall vectorise;
/// - if there is one, `packet(x...)`, the same of Eigen's packets, and `packs`, how; with
///   `has_packets<T>` if that depends on the type;
/// - if it takes longer than an addition, `weight`, as long as how many of these; a user's function
///   without a weight is taken to be heavy;
/// - `state`, its one member, if it has a state: an object of the user.
template <class Op, class... Children>
struct tree_node {
  using value_type = decltype(detail::value_of(std::declval<const Op&>(),
                                               std::declval<typename Children::value_type>()...));
  static_assert(element<value_type>, "an elementwise function must return an element type");

  [[no_unique_address]] Op op;
  detail::children_of<Children...> children;
};

}  // namespace tessera
