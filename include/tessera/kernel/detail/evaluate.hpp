// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The loop that computes an expression tree over a strip.

#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/tree.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>

namespace tessera::detail {

/// The number of operand strips that a tree reads: one more than the greatest operand number.
template <class Tree>
inline constexpr std::size_t num_operands = 0;
template <class T, std::size_t I>
inline constexpr std::size_t num_operands<tree_operand<T, I>> = I + 1;
template <class Op, class... Children>
inline constexpr std::size_t num_operands<tree_node<Op, Children...>> =
    std::max({std::size_t{0}, num_operands<Children>...});

/// The elements of a tree over one strip, as a function of their position.
///
/// It is Eigen's nullary functor of one whole tree, rather than an Eigen expression per node: one
/// shallow instantiation per tree instead of four classes per node, and one place that decides
/// whether the tree has packets.
template <class Tree>
class strip_function {
 public:
  using value_type = typename Tree::value_type;

  explicit strip_function(const strip& s) : tree_(*static_cast<const Tree*>(s.parameters)) {
    std::copy_n(s.inputs, inputs_.size(), inputs_.begin());
  }

  value_type operator()(Eigen::Index i) const { return value(tree_, i); }

 private:
  template <class T, std::size_t I>
  T value(const tree_operand<T, I>&, Eigen::Index i) const {
    return static_cast<const T*>(static_cast<const void*>(inputs_[I]))[i];
  }

  template <class T>
  T value(const tree_constant<T>& constant, Eigen::Index) const {
    return constant.value;
  }

  template <class Op, class... Children>
  auto value(const tree_node<Op, Children...>& node, Eigen::Index i) const {
    return std::apply([&](const Children&... child) { return apply(node.op, value(child, i)...); },
                      node.children);
  }

  Tree tree_;
  std::array<const std::byte*, num_operands<Tree>> inputs_{};
};

/// Computes one strip of `Tree`.
template <class Tree>
void run_tree(const strip& s) {
  using strip_array = Eigen::Array<typename Tree::value_type, Eigen::Dynamic, 1>;
  auto* const out = static_cast<typename Tree::value_type*>(static_cast<void*>(s.outputs[0]));
  Eigen::Map<strip_array>(out, s.size) = strip_array::NullaryExpr(s.size, strip_function<Tree>(s));
}

}  // namespace tessera::detail
