// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sums of products of several arrays.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/contraction_node.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/meta/fixed_string.hpp"
#include "tessera/meta/promotion.hpp"
#include "tessera/meta/subscripts.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace detail {

/// The type in which elements of `T` are multiplied and summed.
template <class T>
using summed_as = std::conditional_t<std::same_as<T, float16>, float, T>;

/// Tells whether products of elements of `Xs` can be summed.
template <class... Xs>
inline constexpr bool have_products = numeric_element<promote_t<typename Xs::value_type...>>;

/// Returns the array of rank `N` of the sums of products with the axes `letters`.
template <std::size_t N, class... Xs>
auto contract(std::string_view function, const contraction_letters& letters, const Xs&... xs) {
  using type = promote_t<typename Xs::value_type...>;
  using op_type = op::contraction<N>;
  using summed = summed_as<type>;
  return converted<type>(expression<op_type, decltype(converted<summed>(xs))...>(
      op_type{function, contract_form(function, letters, std::array{&xs.layout()...})},
      converted<summed>(xs)...));
}

/// Returns the greatest number of axes that three dots stand for, for operands of the ranks
/// `ranks`.
template <std::size_t N>
consteval std::size_t num_dotted(const subscripts& of, const std::array<std::size_t, N>& ranks) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < N; ++i) {
    if (of.operands[i].has(subscripts::group::dots)) {
      most = std::max(most, ranks[i] - (of.operands[i].size - 1));
    }
  }
  return most;
}

/// Tells whether each of `Xs` has an axis for each letter of its group.
template <fixed_string Text, class... Xs>
consteval bool subscripts_fit() {
  const std::array ranks{Xs::rank...};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!subscripts_of<Text>.fits(i, ranks[i])) return false;
  }
  return true;
}

/// As `einsum`, of subscripts that are right.
template <fixed_string Text, class... Xs>
auto contract_as(std::string_view function, const Xs&... xs) {
  constexpr std::array ranks{Xs::rank...};
  constexpr const subscripts& of = subscripts_of<Text>;
  return contract<of.result_rank(num_dotted(of, ranks))>(function, letters_of(of, ranks), xs...);
}

}  // namespace detail

/// Returns sums of products of elements of arrays: `einsum<"bij,bjk->bik">(a, b)`.
///
/// `Subscripts` have a letter for each axis of each array, and of the result. Axes of one letter
/// are one axis, also within an array: its diagonal. Sums run along the letters that the result
/// lacks. Without `->`, the result has the letters that occur once, in alphabetical order. Three
/// dots stand for all other axes of an array, which are broadcast.
/// Chunks:   along a letter as the array that has it; of several, as the one of the largest chunk.
/// Dtype:    the promotion of all; floats and complex numbers accumulate in the dtype itself in
///           products of matrices, float16 in float32; integers wrap.
/// Memory:   for each product of matrices one block of each factor and of the result; for other
///           terms one block of each array.
/// Requires: elements that are numbers.
/// Throws:   shape_error <- a letter stands for different extents. value_error <- specs differ.
/// Complexity: a pair of arrays with the form of matrices is a product of matrices, batch by batch;
///             other terms are one pass over all indices. Of several arrays, first each array with
///             the letters of another one alone is multiplied into it. Then the pair whose product
///             has the fewest terms is multiplied, the first pair of several. The order depends on
///             extents alone.
/// Source:   numpy.einsum.
template <fixed_string Subscripts, class... Xs>
requires has_unnamed_array<Xs...>
[[nodiscard]] auto einsum(const Xs&... xs) {
  constexpr bool are_arrays = (array_expression<Xs> && ...);
  static_assert(are_arrays,
                "tessera::einsum<subscripts>(xs...): requires each of xs to be a lazy array; "
                "asarray(m) is one of the ndarray m");
  constexpr const subscripts& of = subscripts_of<Subscripts>;
  constexpr bool has_groups = of.is_valid && of.num_operands == sizeof...(Xs);
  static_assert(has_groups,
                "tessera::einsum<subscripts>(xs...): requires one group of letters for each of xs, "
                "as in ij,jk->ik");
  if constexpr (are_arrays && has_groups) {
    constexpr bool has_axes = detail::subscripts_fit<Subscripts, Xs...>();
    static_assert(has_axes,
                  "tessera::einsum<subscripts>(xs...): requires one letter for each axis of each "
                  "of xs; ... stands for any number");
    constexpr bool is_known = of.is_known();
    static_assert(is_known,
                  "tessera::einsum<subscripts>(xs...): requires each letter of the result to be "
                  "one of an array, and ... in the result where an array has them");
    constexpr bool is_distinct = of.is_distinct();
    static_assert(is_distinct,
                  "tessera::einsum<subscripts>(xs...): requires letters of the result that differ "
                  "from each other");
    constexpr bool are_numbers = detail::have_products<Xs...>;
    static_assert(are_numbers,
                  "tessera::einsum<subscripts>(xs...): requires elements that are numbers, not "
                  "bool");
    if constexpr (has_axes && is_known && is_distinct && are_numbers) {
      return detail::contract_as<Subscripts>("einsum", xs...);
    } else {
      return detail::first_array(xs...);
    }
  } else {
    return detail::first_array(xs...);
  }
}

}  // namespace tessera
