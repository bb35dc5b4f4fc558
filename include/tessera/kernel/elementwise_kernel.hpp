// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elementwise expression trees, and the strip kernel that computes one in a single loop.
///
/// A tree is a value: operands by number, constants, and nodes that are a function of their
/// children. Nothing between the operands and the result is ever stored, not even a strip.
///
/// ```cpp
/// using x = tree_operand<double, 0>;
/// tree_node<op::add, x, tree_constant<double>> tree{{}, {x{}, {2.0}}};
/// const strip_kernel& kernel = elementwise_kernel<decltype(tree)>();  // "({0} + {#0:float64})"
/// kernel_parameters parameters = elementwise_parameters(tree);       // holds the 2.0
/// ```

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/detail/evaluate.hpp"
#include "tessera/kernel/detail/tree_state.hpp"
#include "tessera/kernel/detail/tree_text.hpp"
#include "tessera/kernel/detail/tree_weight.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/kernel/tree.hpp"

#include <string>
#include <string_view>
#include <typeinfo>

namespace tessera {

namespace detail {

/// Returns the function that makes the parameters of `Tree` from their identity; null if there is
/// none.
template <class Tree>
restore_function restore_tree() {
  if constexpr (is_portable_tree<Tree>) {
    return [](std::string_view identity) {
      return kernel_parameters(restored_tree<Tree>(identity), std::string(identity));
    };
  } else {
    return nullptr;
  }
}

}  // namespace detail

/// Returns the kernel that computes `Tree` from strips of its operands `0, 1, ...`.
///
/// Its parameters are those of `elementwise_parameters`, which hold the tree's constants. In its
/// label `{0}` stands for an operand and `{#8:float64}` for the constant of that dtype at byte 8 of
/// the parameters' identity; `print_label` puts both in.
/// Requires: every operand has one element type; the operands that occur are numbered from 0.
template <class Tree>
[[nodiscard]] const strip_kernel& elementwise_kernel() {
  static_cast<void>(&detail::known_at_start<&elementwise_kernel<Tree>>::is_known);
  static const strip_kernel kernel{typeid(Tree).name(),
                                   detail::tree_label<Tree>(),
                                   detail::operand_dtypes<Tree>(),
                                   {dtype_of<typename Tree::value_type>},
                                   [](const strip& s) { detail::run_tree<Tree>(s); },
                                   detail::restore_tree<Tree>(),
                                   detail::tree_weight<Tree>};
  static const strip_kernel& known = register_kernel(kernel);
  return known;
}

/// Returns the parameters of `elementwise_kernel<Tree>()`.
///
/// Their identity is the bytes of all constants and of the states of all function objects. A user's
/// function object is portable if its bytes are its value: if it can be copied byte for byte and
/// holds neither pointers nor references nor unions. Any other becomes so by two members:
/// `std::string save() const`, equal exactly for function objects that compute the same, and
/// `static F load(std::string_view)`, which makes an `F` of the text of `save` and throws if it
/// cannot. Parameters that hold a function object of neither kind are not portable.
template <class Tree>
[[nodiscard]] kernel_parameters elementwise_parameters(const Tree& tree) {
  if constexpr (detail::is_portable_tree<Tree>) {
    return {tree, detail::tree_state(tree)};
  } else {
    return kernel_parameters::not_portable(tree, *detail::tree_obstacle<Tree>::find());
  }
}

}  // namespace tessera
