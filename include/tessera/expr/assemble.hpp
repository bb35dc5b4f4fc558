// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Assemblies: nodes that put an array together from boxes of other arrays.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/expr/elementwise_node.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/layout.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera {

/// A box of an assembly, which shows an operand through a map.
struct assembled_piece {
  region where;
  std::size_t operand = 0;
  index_map map;
};

/// The pieces of an assembly, which cover it and do not overlap, and its layout.
struct assembly {
  std::vector<assembled_piece> pieces;
  array_layout layout;
};

/// The elements beyond the ends of an array; names and elements are those of NumPy's `pad`.
enum class boundary : std::uint8_t {
  constant,   ///< a value
  edge,       ///< the last element: a a | a b c | c c
  reflect,    ///< the elements backwards without the last one: c b | a b c | b a
  symmetric,  ///< the elements backwards: b a | a b c | c b
  wrap,       ///< the elements from the other end: b c | a b c | a b
};

/// Returns the arrays joined along `axis`. Throws: as `concat_layout`.
[[nodiscard]] assembly assemble_joined(operand_layouts operands, std::size_t axis);

/// Returns the arrays joined along a new axis in front of `axis`. Throws: as `stack_layout`.
[[nodiscard]] assembly assemble_stacked(operand_layouts operands, std::size_t axis);

/// Returns an array whose elements are moved on by `shifts` along `axes`; elements that leave at
/// one end come in at the other.
[[nodiscard]] assembly assemble_rolled(const array_layout& of, std::span<const std::size_t> axes,
                                       std::span<const index_t> shifts);

/// Returns an array with `widths[k]` elements more before and behind axis `k`; a constant is that
/// of operand 1, an array of rank 0.
///
/// Throws: shape_error <- a width is negative, or beyond what a boundary can show.
[[nodiscard]] assembly assemble_padded(const array_layout& of,
                                       std::span<const std::array<index_t, 2>> widths,
                                       boundary beyond);

namespace op {

/// An array of rank `N` that is put together from pieces of its operands.
template <std::size_t N>
struct assemble {
  std::string_view name;
  tessera::assembly assembly;
};

}  // namespace op

template <std::size_t N, class X, class... Xs>
struct node_rule<op::assemble<N>, X, Xs...> {
  using value_type = typename X::value_type;
  static constexpr std::size_t rank = N;

  static array_layout lay_out(const op::assemble<N>& op, const X&, const Xs&...) {
    return op.assembly.layout;
  }
};

/// Returns the assembly `pieces` of arrays of one dtype; `name` is a string literal.
template <std::size_t N, array_expression... Xs>
[[nodiscard]] auto make_assembly(std::string_view name, assembly pieces, Xs... xs) {
  return expression<op::assemble<N>, Xs...>(op::assemble<N>{name, std::move(pieces)},
                                            std::move(xs)...);
}

}  // namespace tessera
