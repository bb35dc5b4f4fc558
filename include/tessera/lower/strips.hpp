// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Turns a maximal elementwise subtree into one strip kernel and the arrays that it reads.

#include "tessera/expr/elementwise.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/kernel/elementwise.hpp"
#include "tessera/lower/nodes.hpp"

#include <boost/hana/at.hpp>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// Returns the arrays that a node outside of every elementwise subtree stands for, as a view.
template <array_expression E>
[[nodiscard]] array_view lower_view(const E& e);

namespace detail {

/// The tree of a node, whose operands are numbered from `First`; `count` is their number.
///
/// The primary template is for what is no part of an elementwise subtree: one operand.
template <class E, std::size_t First>
struct strip_tree {
  using type = tree_operand<typename E::value_type, First>;
  static constexpr std::size_t count = 1;

  static type build(const E& e, const index_map& map, strip_source& source) {
    source.add_operand(lower_view(e), map);
    return {};
  }
};

template <class T, std::size_t First>
struct strip_tree<scalar<T>, First> {
  using type = tree_constant<T>;
  static constexpr std::size_t count = 0;

  static type build(const scalar<T>& s, const index_map&, strip_source&) { return {s.value}; }
};

template <std::size_t N, class X, std::size_t First>
struct strip_tree<expression<op::view<N>, X>, First> : strip_tree<X, First> {
  static auto build(const expression<op::view<N>, X>& e, const index_map& map,
                    strip_source& source) {
    return strip_tree<X, First>::build(boost::hana::at_c<0>(e.operands()), compose(e.op().map, map),
                                       source);
  }
};

/// Puts a conversion over a child whose dtype is not the one that the function works in.
template <class T, class Tree>
auto convert_tree(Tree tree) {
  if constexpr (std::same_as<typename Tree::value_type, T>) {
    return tree;
  } else {
    return tree_node<op::astype<T>, Tree>{{}, {{std::move(tree)}}};
  }
}

/// Returns the number of operands before child `I`.
template <class... Children, std::size_t... Counts>
consteval std::size_t operands_before(std::size_t child, std::index_sequence<Counts...>) {
  std::size_t before = 0;
  std::size_t at = 0;
  ((at++ < child ? before += Counts : 0), ...);
  return before;
}

template <elementwise_op Op, class... Children, std::size_t First>
struct strip_tree<expression<Op, Children...>, First> {
  using node = expression<Op, Children...>;
  /// How many operands each child has; that does not depend on where their numbers start.
  using counts = std::index_sequence<strip_tree<Children, 0>::count...>;
  static constexpr std::size_t count = (std::size_t{0} + ... + strip_tree<Children, 0>::count);

  template <std::size_t I>
  using child = std::tuple_element_t<I, std::tuple<Children...>>;
  template <std::size_t I>
  using child_tree = strip_tree<child<I>, First + operands_before(I, counts{})>;

  template <std::size_t I>
  static auto build_child(const node& e, const index_map& map, strip_source& source) {
    using type = op::operand_t<Op, I, typename Children::value_type...>;
    const auto& operand = boost::hana::at_c<I>(e.operands());
    if constexpr (is_scalar<child<I>>) {
      return convert_tree<type>(child_tree<I>::build(operand, map, source));
    } else {
      const index_map into = broadcast_map(operand.layout().shape, e.layout().shape);
      return convert_tree<type>(child_tree<I>::build(operand, compose(into, map), source));
    }
  }

  static auto build(const node& e, const index_map& map, strip_source& source) {
    return build_children(e, map, source, std::index_sequence_for<Children...>{});
  }

 private:
  template <std::size_t... I>
  static auto build_children(const node& e, const index_map& map, strip_source& source,
                             std::index_sequence<I...>) {
    using type = tree_node<Op, decltype(build_child<I>(e, map, source))...>;
    // Braces keep the children, and so their operands, in order.
    return type{e.op(), {{build_child<I>(e, map, source)}...}};
  }
};

/// Tells whether `E` is an elementwise node, or a view of one.
template <class E>
inline constexpr bool is_elementwise = false;
template <elementwise_op Op, class... Operands>
inline constexpr bool is_elementwise<expression<Op, Operands...>> = true;
template <std::size_t N, class X>
inline constexpr bool is_elementwise<expression<op::view<N>, X>> = is_elementwise<X>;

/// The name of the function at the top of an elementwise subtree.
template <class E>
inline constexpr std::string_view elementwise_name = "copy";
template <elementwise_op Op, class... Operands>
inline constexpr std::string_view elementwise_name<expression<Op, Operands...>> = Op::name;
template <std::size_t N, class X>
inline constexpr std::string_view elementwise_name<expression<op::view<N>, X>> =
    elementwise_name<X>;

}  // namespace detail

/// Returns what computes the elements of `e` at `map(index)`: one kernel for its whole elementwise
/// subtree.
template <array_expression E>
[[nodiscard]] strip_source lower_strips(const E& e, const index_map& map) {
  strip_source source;
  const auto tree = detail::strip_tree<E, 0>::build(e, map, source);
  if constexpr (detail::is_elementwise<E>) {
    source.kernel = &elementwise_kernel<std::remove_const_t<decltype(tree)>>();
    source.parameters = elementwise_parameters(tree);
  }
  return source;
}

/// Returns what computes the elements of `e`.
template <array_expression E>
[[nodiscard]] strip_source lower_strips(const E& e) {
  return lower_strips(e, index_map::identity(E::rank));
}

}  // namespace tessera
