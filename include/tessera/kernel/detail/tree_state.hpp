// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The state of an expression tree, constants and function objects, as bytes and back.
///
/// Plain state comes first, in the order of the tree, so that its offsets follow from the tree's
/// type. Behind it comes the saved state of function objects, each with its length before it.

#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/tree.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace tessera::detail {

/// A function object that says itself how its state is saved.
template <class F>
concept saves_state = requires(const F& f, std::string_view saved) {
  { f.save() } -> std::convertible_to<std::string>;
  { F::load(saved) } -> std::convertible_to<F>;
};

/// Returns the part of a function that its type does not tell: a user's object, or nothing.
template <class Op>
const auto& state_of(const Op& op) {
  if constexpr (requires { op.state; }) {
    return op.state;
  } else {
    return op;
  }
}

template <class Op>
using state_type = std::remove_cvref_t<decltype(state_of(std::declval<const Op&>()))>;

/// The bytes of an operation's state if they are its value; an empty one has none.
template <class Op>
inline constexpr std::size_t plain_state_size = std::is_empty_v<state_type<Op>> ||
                                                        saves_state<state_type<Op>>
                                                    ? 0
                                                    : sizeof(state_type<Op>);

template <class State>
inline constexpr bool is_portable_state = saves_state<State> || is_plain_bytes<State>;

/// The reason for which a `State` is not portable.
template <class State>
inline constexpr portability_obstacle state_obstacle{&typeid(State), bytes_obstacle<State>};

/// Whether the bytes of a tree's state are its value.
template <class Tree>
inline constexpr bool is_portable_tree = true;
template <class Op, class... Children>
inline constexpr bool is_portable_tree<tree_node<Op, Children...>> =
    is_portable_state<state_type<Op>> && (is_portable_tree<Children> && ...);

/// Returns the reason of the first state of a tree that is not portable, or null if all are.
template <class Tree>
struct tree_obstacle {
  static const portability_obstacle* find() { return nullptr; }
};
template <class Op, class... Children>
struct tree_obstacle<tree_node<Op, Children...>> {
  static const portability_obstacle* find() {
    if constexpr (!is_portable_state<state_type<Op>>) {
      return &state_obstacle<state_type<Op>>;
    } else {
      const portability_obstacle* obstacle = nullptr;
      static_cast<void>(((obstacle = tree_obstacle<Children>::find()) || ...));
      return obstacle;
    }
  }
};

/// The bytes of the plain state of a tree.
template <class Tree>
inline constexpr std::size_t plain_tree_size = 0;
template <class T>
inline constexpr std::size_t plain_tree_size<tree_constant<T>> = sizeof(T);
template <class Op, class... Children>
inline constexpr std::size_t plain_tree_size<tree_node<Op, Children...>> =
    (plain_state_size<Op> + ... + plain_tree_size<Children>);

template <class T, std::size_t I>
void append_state(std::string&, std::string&, const tree_operand<T, I>&) {}

template <class T>
void append_state(std::string& plain, std::string&, const tree_constant<T>& constant) {
  plain += bytes_of(constant.value);
}

template <class Op, class... Children>
void append_state(std::string& plain, std::string& saved, const tree_node<Op, Children...>& node) {
  if constexpr (saves_state<state_type<Op>>) {
    const std::string state = state_of(node.op).save();
    saved += bytes_of(static_cast<std::uint64_t>(state.size())) + state;
  } else if constexpr (plain_state_size<Op> > 0) {
    plain += bytes_of(state_of(node.op));
  }
  with_children(node.children,
                [&](const Children&... child) { (append_state(plain, saved, child), ...); });
}

/// Returns the state of a tree as bytes.
template <class Tree>
std::string tree_state(const Tree& tree) {
  std::string plain;
  std::string saved;
  append_state(plain, saved, tree);
  plain += saved;
  return plain;
}

/// Makes a tree from its state.
struct tree_reader {
  byte_reader plain;
  byte_reader saved;

  template <class T, std::size_t I>
  tree_operand<T, I> read(const type_tag<tree_operand<T, I>>&) {
    return {};
  }

  template <class T>
  tree_constant<T> read(const type_tag<tree_constant<T>>&) {
    return {plain.take<T>()};
  }

  template <class Op, class... Children>
  tree_node<Op, Children...> read(const type_tag<tree_node<Op, Children...>>&) {
    // Braces order the calls, which parentheses would not.
    return {{read_state<state_type<Op>>()}, {{read(type_tag<Children>{})}...}};
  }

 private:
  template <class F>
  F read_state() {
    if constexpr (saves_state<F>) {
      const auto size = saved.take<std::uint64_t>();
      return F::load(saved.take_bytes(size));
    } else if constexpr (std::is_empty_v<F>) {
      return F{};
    } else {
      return plain.take<F>();
    }
  }
};

/// Makes a tree from the bytes of `tree_state`.
///
/// Throws: value_error <- the bytes are no state of such a tree.
template <class Tree>
Tree restored_tree(std::string_view state) {
  byte_reader whole(state);
  const std::string_view plain = whole.take_bytes(plain_tree_size<Tree>);
  tree_reader reader{byte_reader(plain), byte_reader(state.substr(plain.size()))};
  const Tree tree = reader.read(type_tag<Tree>{});
  reader.saved.require_end();
  return tree;
}

}  // namespace tessera::detail
