// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Contractions: nodes that sum products of several arrays over axes that they share.

#include "tessera/core/index.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/meta/subscripts.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A letter for each axis of some arrays, and of their contraction.
///
/// Axes of one letter are one; it is summed along if the result has it not. Axes of a letter for
/// which `is_broadcast` may have the extent 1 instead.
struct contraction_letters {
  std::vector<std::string> operands;
  std::string result;

  /// Returns the letters of `number` axes that are broadcast; those of fewer are its last ones.
  [[nodiscard]] static std::string broadcast(std::size_t number);
  [[nodiscard]] static bool is_broadcast(char letter) { return letter < ' '; }
};

/// Returns the letters of `of` for operands of the ranks `ranks`.
[[nodiscard]] contraction_letters letters_of(const subscripts& of,
                                             std::span<const std::size_t> ranks);

/// Returns the letters of `a` and `b`, of these ranks, whose axes `of_a[k]` and `of_b[k]` are one
/// and summed; the others are those of `a`, and then those of `b`.
[[nodiscard]] contraction_letters letters_of_pairs(std::size_t rank_a, std::size_t rank_b,
                                                   std::span<const std::size_t> of_a,
                                                   std::span<const std::size_t> of_b);

/// Returns the letters of `a` and `b`, of these ranks, whose axes `of_a` and `of_b` are one and
/// summed; the others are broadcast.
[[nodiscard]] contraction_letters letters_along(std::size_t rank_a, std::size_t of_a,
                                                std::size_t rank_b, std::size_t of_b);

/// The letters, extents and chunks of a contraction and its operands.
struct contraction_form {
  struct operand {
    std::string letters;
    index_vector shape;
    index_vector chunks;
  };
  std::vector<operand> operands;
  std::string result;
  array_layout layout;
};

/// Returns the form of the contraction of `operands` by `letters`.
///
/// Chunks: as of an elementwise function of the operands' axes; longer where `matmul` says so.
/// Throws: shape_error <- a letter stands for different extents, or as `require_countable`.
///         value_error <- as `common_spec`.
[[nodiscard]] std::shared_ptr<const contraction_form> contract_form(
    std::string_view function, const contraction_letters& letters, operand_layouts operands);

namespace op {

/// Makes an array of rank `N` of sums of products.
template <std::size_t N>
struct contraction {
  std::string_view name;
  std::shared_ptr<const contraction_form> form;
};

}  // namespace op

/// Its operands are of one dtype.
template <std::size_t N, class X, class... Xs>
struct node_rule<op::contraction<N>, X, Xs...> {
  using value_type = typename X::value_type;
  static constexpr std::size_t rank = N;

  static array_layout lay_out(const op::contraction<N>& op, const X&, const Xs&...) {
    return op.form->layout;
  }
};

}  // namespace tessera
