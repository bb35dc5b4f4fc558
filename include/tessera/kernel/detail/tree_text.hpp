// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What identifies an expression tree: its label, its operands' dtypes, the bytes of its state.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/label.hpp"
#include "tessera/kernel/tree.hpp"
#include "tessera/meta/op.hpp"

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Returns what of an operation is not said by its type: a user's function object, or nothing.
template <class Op>
const Op& state_of(const Op& op) {
  return op;
}
template <class F, std::size_t Arity>
const F& state_of(const op::map<F, Arity>& op) {
  return op.function;
}

template <class Op>
using state_type = std::remove_cvref_t<decltype(state_of(std::declval<const Op&>()))>;

/// Whether an operation's bytes are its value; an empty one has none.
template <class Op>
inline constexpr bool is_portable_op = std::is_empty_v<state_type<Op>> ||
                                       (std::is_trivially_copyable_v<state_type<Op>> &&
                                        std::has_unique_object_representations_v<state_type<Op>>);

template <class Tree>
inline constexpr bool is_portable_tree = true;
template <class Op, class... Children>
inline constexpr bool is_portable_tree<tree_node<Op, Children...>> = is_portable_op<Op> &&
                                                                     (is_portable_tree<Children> &&
                                                                      ...);

template <class T, std::size_t I>
void append_state(std::string&, const tree_operand<T, I>&) {}

template <class T>
void append_state(std::string& state, const tree_constant<T>& constant) {
  state += bytes_of(constant.value);
}

template <class Op, class... Children>
void append_state(std::string& state, const tree_node<Op, Children...>& node) {
  if constexpr (!std::is_empty_v<state_type<Op>>) state += bytes_of(state_of(node.op));
  std::apply([&](const Children&... child) { (append_state(state, child), ...); }, node.children);
}

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

/// `offset` is that of the node's state in the tree's, as `append_state` walks it.
template <class Op, class... Children>
std::string label_of_tree(const type_tag<tree_node<Op, Children...>>&, std::size_t& offset) {
  if constexpr (!std::is_empty_v<state_type<Op>>) offset += sizeof(state_type<Op>);
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
