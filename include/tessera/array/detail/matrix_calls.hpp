// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calls of functions of whole matrices, and their results.

#include "tessera/array/array.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/lower/lower_matrices.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/meta/promotion.hpp"
#include "tessera/meta/signature.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace detail {

/// The type in which elements of `T` are computed.
template <class T>
using matrix_element_t = std::conditional_t<std::same_as<T, float16>, float, floating_t<T>>;
template <class X>
inline constexpr bool are_matrices =
    rank_at_least<X::rank, 2>&& numeric_element<typename X::value_type>;

template <class T, array_expression X>
laid_out_array laid_out(const X& x) {
  const auto floating = converted<T>(x);
  return {lower_view(floating), floating.layout()};
}

template <class T, std::size_t N>
array<T, N> array_of(const laid_out_array& result) {
  return array<T, N>(result.view, result.layout);
}

/// Throws: shape_error <- matrices are not square.
void require_square(std::string_view function, const array_layout& of);

template <class T, class X>
laid_out_array of_square(std::string_view name, const block_kernel& (*kernel)(dtype),
                         const gufunc_signature& signature, const X& x, double of_nothing) {
  require_square(name, x.layout());
  return make_matrices(
             {.name = name, .kernel = kernel, .signature = &signature, .of_nothing = {of_nothing}},
             dtype_of<T>, {laid_out<T>(x)})
      .front();
}

/// Returns the fraction of the greatest singular value of matrices in `x` that counts as zero.
template <class T, class X>
double least_part(const X& x) {
  const index_vector& shape = x.layout().shape;
  return static_cast<double>(std::max(shape.back(), shape[shape.size() - 2])) *
         static_cast<double>(std::numeric_limits<real_t<T>>::epsilon());
}

}  // namespace detail

}  // namespace tessera
