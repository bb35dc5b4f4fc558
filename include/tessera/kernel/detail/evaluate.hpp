// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The loop that computes an expression tree over a strip.

#include "tessera/kernel/detail/eigen_core.hpp"
#include "tessera/kernel/detail/packets.hpp"
#include "tessera/kernel/detail/value.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/packing.hpp"
#include "tessera/kernel/tree.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <utility>

namespace tessera::detail {

/// The number of operand strips that a tree reads: one more than the greatest operand number.
template <class Tree>
inline constexpr std::size_t num_operands = 0;
template <class T, std::size_t I>
inline constexpr std::size_t num_operands<tree_operand<T, I>> = I + 1;
template <class Op, class... Children>
inline constexpr std::size_t num_operands<tree_node<Op, Children...>> =
    std::max({std::size_t{0}, num_operands<Children>...});

/// Whether a tree gives masks of packets of `T`.
template <class Tree, class T>
inline constexpr bool packs_mask = false;

/// Whether a tree computes in packets of `T` throughout.
template <class Tree, class T>
inline constexpr bool packs = false;
template <class T, std::size_t I>
inline constexpr bool packs<tree_operand<T, I>, T> = true;
template <class T>
inline constexpr bool packs<tree_constant<T>, T> = true;

template <class T, class Mask, class... Values>
inline constexpr bool packs_choice = packs_mask<Mask, T> && (packs<Values, T> && ...);

template <class T, class Op, class... Children>
consteval bool packs_node() {
  constexpr packing mode = packing_of<Op, T>();
  if constexpr (mode == packing::exact || mode == packing::close) {
    return (packs<Children, T> && ...);
  } else if constexpr (mode == packing::choice) {
    return packs_choice<T, Children...>;
  } else {
    return false;
  }
}

template <class T, class Op, class... Children>
consteval bool packs_mask_node() {
  constexpr packing mode = packing_of<Op, T>();
  if constexpr (mode == packing::comparison) {
    return (packs<Children, T> && ...);
  } else if constexpr (mode == packing::masks) {
    return (packs_mask<Children, T> && ...);
  } else {
    return false;
  }
}

template <class Op, class... Children, class T>
inline constexpr bool packs<tree_node<Op, Children...>, T> = packs_node<T, Op, Children...>();
template <class Op, class... Children, class T>
inline constexpr bool packs_mask<tree_node<Op, Children...>, T> =
    packs_mask_node<T, Op, Children...>();

/// Whether a tree gives the same values on packets as on elements.
template <class Tree>
inline constexpr bool packs_exactly = true;
template <class Op, class... Children>
inline constexpr bool packs_exactly<tree_node<Op, Children...>> =
    packing_of<Op, typename tree_node<Op, Children...>::value_type>() != packing::close &&
    (packs_exactly<Children> && ...);

/// Whether a tree is computed in packets.
template <class Tree, class T = typename Tree::value_type>
inline constexpr bool has_packets = (std::floating_point<T> ||
                                     (complex_element<T> && has_complex_packets)) &&
                                    packets::packet_traits<T>::Vectorizable&& packs<Tree, T>;

/// The elements of a tree over one strip, as a function of their position.
///
/// It is Eigen's nullary functor of one whole tree, rather than an Eigen expression per node: one
/// shallow instantiation per tree instead of four classes per node. A tree is computed in Eigen's
/// packets if all its values are float32, float64, complex64 or complex128, and its functions have
/// packets. All other trees are simple enough for the compiler to vectorise.
template <class Tree>
class strip_function {
 public:
  using value_type = typename Tree::value_type;

  explicit strip_function(const strip& s) : tree_(*static_cast<const Tree*>(s.parameters)) {
    std::copy_n(s.inputs, inputs_.size(), inputs_.begin());
  }

  value_type operator()(Eigen::Index i) const {
    if constexpr (has_packets<Tree> && !packs_exactly<Tree>) {
      // An element's value must not depend on whether it falls in a whole packet.
      using packet_type = typename packets::packet_traits<value_type>::type;
      return packets::pfirst(packet<packet_type, false>(tree_, i));
    } else {
      return value(tree_, i);
    }
  }

  template <class Packet>
  Packet packetOp(Eigen::Index i) const {
    return packet<Packet, true>(tree_, i);
  }

 private:
  template <class T, std::size_t I>
  const T* input() const {
    return static_cast<const T*>(static_cast<const void*>(inputs_[I]));
  }

  template <class T, std::size_t I>
  T value(const tree_operand<T, I>&, Eigen::Index i) const {
    return input<T, I>()[i];
  }

  template <class T>
  T value(const tree_constant<T>& constant, Eigen::Index) const {
    return constant.value;
  }

  template <class Op, class... Children>
  auto value(const tree_node<Op, Children...>& node, Eigen::Index i) const {
    return with_children(node.children, [&](const Children&... child) {
      return value_of(node.op, value(child, i)...);
    });
  }

  /// The packet that starts at element `i` if `Whole`, and one of copies of element `i` otherwise.
  template <class Packet, bool Whole, class T, std::size_t I>
  Packet packet(const tree_operand<T, I>&, Eigen::Index i) const {
    if constexpr (Whole) {
      return packets::ploadu<Packet>(input<T, I>() + i);
    } else {
      return packets::pset1<Packet>(input<T, I>()[i]);
    }
  }

  template <class Packet, bool Whole, class T>
  Packet packet(const tree_constant<T>& constant, Eigen::Index) const {
    return packets::pset1<Packet>(constant.value);
  }

  template <class Packet, bool Whole, class Op, class... Children>
  Packet packet(const tree_node<Op, Children...>& node, Eigen::Index i) const {
    return with_children(node.children, [&](const Children&... child) {
      return node.op.packet(packet<Packet, Whole>(child, i)...);
    });
  }

  Tree tree_;
  std::array<const std::byte*, num_operands<Tree>> inputs_{};
};

/// Computes one strip of `Tree`.
template <class Tree>
void run_tree(const strip& s) {
  using value_type = typename Tree::value_type;
  auto* const out = static_cast<value_type*>(static_cast<void*>(s.outputs[0]));
  const strip_function<Tree> f(s);
  if constexpr (has_packets<Tree>) {
    using strip_array = Eigen::Array<value_type, Eigen::Dynamic, 1>;
    Eigen::Map<strip_array>(out, s.size) = strip_array::NullaryExpr(s.size, f);
  } else {
    // A copy, as results that are int64 might be the size for all that compilers know.
    const Eigen::Index size = s.size;
    for (Eigen::Index i = 0; i < size; ++i) out[i] = f(i);
  }
}

}  // namespace tessera::detail

template <class Tree>
struct Eigen::internal::functor_traits<tessera::detail::strip_function<Tree>> {
  enum { Cost = 1, PacketAccess = tessera::detail::has_packets<Tree>, IsRepeatable = true };
};
