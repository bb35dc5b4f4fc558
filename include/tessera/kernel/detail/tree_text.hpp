// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What an expression tree is to people, and the dtypes that it reads.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/detail/tree_state.hpp"
#include "tessera/kernel/label.hpp"
#include "tessera/kernel/tree.hpp"
#include "tessera/meta/op.hpp"

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::detail {

template <class Op>
std::string label_of(const type_tag<Op>&) {
  return std::string(Op::label);
}

template <class T>
std::string label_of(const type_tag<op::astype<T>>&) {
  return std::string("astype<").append(name_of(dtype_of<T>)).append(">({0})");
}

template <class F, std::size_t Arity>
std::string label_of(const type_tag<op::map<F, Arity>>&) {
  // A function that has a name of its own is printed by that.
  std::string label;
  if constexpr (requires { F::name; }) {
    label.append(F::name).append("(");
  } else {
    label.append("map(f, ");
  }
  for (std::size_t i = 0; i < Arity; ++i) {
    label.append(i > 0 ? ", {" : "{").append(std::to_string(i)).append("}");
  }
  return label.append(")");
}

template <class T, std::size_t I>
std::string label_of_tree(const type_tag<tree_operand<T, I>>&, std::size_t&) {
  return std::string("{").append(std::to_string(I)).append("}");
}

template <class T>
std::string label_of_tree(const type_tag<tree_constant<T>>&, std::size_t& offset) {
  const std::size_t position = offset;
  offset += sizeof(T);
  std::string label("{#");
  label.append(std::to_string(position)).append(":").append(name_of(dtype_of<T>));
  return label.append("}");
}

/// `offset` is that of the node's plain state in the tree's, as `append_state` walks it.
template <class Op, class... Children>
std::string label_of_tree(const type_tag<tree_node<Op, Children...>>&, std::size_t& offset) {
  offset += plain_state_size<Op>;
  // Braces order the calls, which parentheses would not.
  return substitute_operands(label_of(type_tag<Op>{}),
                             {label_of_tree(type_tag<Children>{}, offset)...});
}

template <class Tree>
std::string tree_label() {
  std::size_t offset = 0;
  return label_of_tree(type_tag<Tree>{}, offset);
}

template <class T, std::size_t I>
void collect_dtypes(const type_tag<tree_operand<T, I>>&, std::vector<dtype>& types) {
  if (types.size() <= I) types.resize(I + 1);
  types[I] = dtype_of<T>;
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
