// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The text of an expression tree for people, and the dtypes that it reads.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/detail/tree_state.hpp"
#include "tessera/kernel/label.hpp"
#include "tessera/kernel/tree.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Returns the text for `Op`: its label, a text or a function; `name({0}, ...)` if it has none.
template <class Op>
std::string label_of() {
  if constexpr (requires { Op::label(); }) {
    return Op::label();
  } else if constexpr (requires { Op::label; }) {
    return std::string(Op::label);
  } else {
    return call_label(Op::name, Op::arity);
  }
}

template <class T, std::size_t I>
std::string label_of_tree(const type_tag<tree_operand<T, I>>&, std::size_t&) {
  return operand_label(I);
}

template <class T>
std::string label_of_tree(const type_tag<tree_constant<T>>&, std::size_t& offset) {
  const std::size_t position = offset;
  offset += sizeof(T);
  return constant_label(position, dtype_of<T>);
}

/// `offset` is that of the node's plain state in the tree's, as `append_state` walks it.
template <class Op, class... Children>
std::string label_of_tree(const type_tag<tree_node<Op, Children...>>&, std::size_t& offset) {
  offset += plain_state_size<Op>;
  // Braces order the calls, which parentheses would not.
  return substitute_operands(label_of<Op>(), {label_of_tree(type_tag<Children>{}, offset)...});
}

template <class Tree>
std::string tree_label() {
  std::size_t offset = 0;
  return label_of_tree(type_tag<Tree>{}, offset);
}

/// Sets the dtype of operand `i`.
void set_dtype(std::vector<dtype>& types, std::size_t i, dtype type);

template <class T, std::size_t I>
void collect_dtypes(const type_tag<tree_operand<T, I>>&, std::vector<dtype>& types) {
  set_dtype(types, I, dtype_of<T>);
}

template <class T>
void collect_dtypes(const type_tag<tree_constant<T>>&, std::vector<dtype>&) {}

template <class Op, class... Children>
void collect_dtypes(const type_tag<tree_node<Op, Children...>>&, std::vector<dtype>& types) {
  (collect_dtypes(type_tag<Children>{}, types), ...);
}

/// Returns the dtypes of the operands that `Tree` reads.
template <class Tree>
std::vector<dtype> operand_dtypes() {
  std::vector<dtype> types;
  collect_dtypes(type_tag<Tree>{}, types);
  return types;
}

}  // namespace tessera::detail
