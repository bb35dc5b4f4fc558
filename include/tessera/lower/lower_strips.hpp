// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Turns a maximal elementwise subtree into one strip kernel and the arrays that it reads.

#include "tessera/expr/elementwise_node.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/kernel/elementwise_kernel.hpp"
#include "tessera/lower/nodes.hpp"

#include <array>
#include <boost/hana/at.hpp>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// Returns the array of a node outside of every elementwise subtree, as a view.
template <array_expression E>
[[nodiscard]] array_view lower_view(const E& e);

namespace detail {

/// Tells whether `E` is an elementwise node, or a view of one.
template <class E>
inline constexpr bool is_elementwise = false;
template <elementwise_op Op, class... Operands>
inline constexpr bool is_elementwise<expression<Op, Operands...>> = true;
template <std::size_t N, class X>
inline constexpr bool is_elementwise<expression<op::view<N>, X>> = is_elementwise<X>;

/// The most operands of a kernel; a function of more is split into several kernels. A task with
/// all of them at once may need more memory than is allowed. A planner can fuse kernels, but split
/// none.
inline constexpr std::size_t most_operands = 7;

/// Returns the number of operands that each child of a node adds to a kernel, `counts` at first.
/// While there are too many, the largest child that `may_be_one` gets a kernel of its own.
template <std::size_t N>
consteval std::array<std::size_t, N> operands_of_children(std::array<std::size_t, N> counts,
                                                          const std::array<bool, N>& may_be_one) {
  for (;;) {
    std::size_t total = 0;
    std::size_t largest = N;
    for (std::size_t i = 0; i < N; ++i) {
      total += counts[i];
      if (!may_be_one[i] || counts[i] < 2) continue;
      if (largest == N || counts[i] > counts[largest]) largest = i;
    }
    if (total <= most_operands || largest == N) return counts;
    counts[largest] = 1;
  }
}

/// The tree of a node in a kernel, whose operands are numbered from `First`; `count` is their
/// number.
///
/// The primary template is for a node outside of the kernel: one operand.
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

/// Converts a child to the dtype that the function computes in.
template <class T, class Tree>
auto convert_tree(Tree tree) {
  if constexpr (std::same_as<typename Tree::value_type, T>) {
    return tree;
  } else {
    return tree_node<op::astype<T>, Tree>{{}, {{std::move(tree)}}};
  }
}

/// The dtype that child `I` is converted to. Integers that are compared with a number stay as they
/// are: the number may be none of theirs, and the loop is that of their size.
template <class Op, std::size_t I, class... Children>
consteval auto converted_tag() {
  constexpr bool are_integers = (integer_element<typename Children::value_type> && ...);
  if constexpr (is_comparison(Op::rule) && are_integers && (is_scalar<Children> || ...)) {
    return type_tag<typename std::tuple_element_t<I, std::tuple<Children...>>::value_type>{};
  } else {
    return type_tag<op::operand_t<Op, I, typename Children::value_type...>>{};
  }
}

/// Returns the number of operands before child `child`.
template <std::size_t N>
consteval std::size_t operands_before(std::size_t child, const std::array<std::size_t, N>& counts) {
  std::size_t before = 0;
  for (std::size_t i = 0; i < child; ++i) before += counts[i];
  return before;
}

template <elementwise_op Op, class... Children, std::size_t First>
struct strip_tree<expression<Op, Children...>, First> {
  using node = expression<Op, Children...>;
  /// The number of operands of each child, before and after the split; the first number of a child
  /// does not change it. A broadcast child is computed in the kernel: it is small, and not needed
  /// as an array.
  static constexpr std::array all_counts{strip_tree<Children, 0>::count...};
  static constexpr std::array counts =
      operands_of_children(all_counts, std::array{Children::rank == node::rank...});
  static constexpr std::size_t count = operands_before(counts.size(), counts);

  template <std::size_t I>
  using child = std::tuple_element_t<I, std::tuple<Children...>>;
  template <std::size_t I>
  using child_tree = strip_tree<child<I>, First + operands_before(I, counts)>;

  template <std::size_t I>
  static auto build_child(const node& e, const index_map& map, strip_source& source) {
    using type = typename decltype(converted_tag<Op, I, Children...>())::type;
    const auto& operand = boost::hana::at_c<I>(e.operands());
    if constexpr (is_scalar<child<I>>) {
      return convert_tree<type>(child_tree<I>::build(operand, map, source));
    } else {
      const index_map into = compose(broadcast_map(operand.layout().shape, e.layout().shape), map);
      if constexpr (counts[I] < all_counts[I]) {
        source.add_operand(lower_view(operand), into);
        return convert_tree<type>(
            tree_operand<typename child<I>::value_type, First + operands_before(I, counts)>{});
      } else {
        return convert_tree<type>(child_tree<I>::build(operand, into, source));
      }
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

/// The name of the function at the top of an elementwise subtree.
template <class E>
inline constexpr std::string_view elementwise_name = "copy";
template <elementwise_op Op, class... Operands>
inline constexpr std::string_view elementwise_name<expression<Op, Operands...>> = Op::name;
template <std::size_t N, class X>
inline constexpr std::string_view elementwise_name<expression<op::view<N>, X>> =
    elementwise_name<X>;

}  // namespace detail

/// Returns the source of the elements of `e` at `map(index)`: one kernel for its elementwise
/// subtree, or for the top of a subtree with many operands.
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

/// Returns the source of the elements of `e`.
template <array_expression E>
[[nodiscard]] strip_source lower_strips(const E& e) {
  return lower_strips(e, index_map::identity(E::rank));
}

}  // namespace tessera
