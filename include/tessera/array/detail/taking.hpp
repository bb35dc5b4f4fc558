// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// `take` with indices that are lazy arrays: functions of blocks that pass over the chunks of the
/// array.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/block_form.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/kernel/taking_kernel.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace tessera {

namespace detail {

/// The form of a `take`, and the parameters of its kernel.
struct taking {
  block_form form;
  kernel_parameters parameters;
};

/// Layouts and types of an array and of the indices into it.
struct taking_operands {
  operand_layouts layouts;
  std::span<const dtype> types;
};

/// Returns the form of a `take` along `axis`: the axes of the indices replace it.
///
/// Throws: shape_error <- the axis has no elements, and there are indices.
[[nodiscard]] taking taking_of_list(std::string_view function, std::size_t axis,
                                    const taking_operands& operands);
/// As `taking_of_list`, but each element of the result has an index along `axis`.
///
/// Throws: shape_error <- shapes do not fit.
[[nodiscard]] taking taking_along(std::string_view function, std::size_t axis,
                                  const taking_operands& operands);
/// As `taking_of_list`, but points have an index along each axis, or one index that numbers the
/// elements of the array in row-major order.
[[nodiscard]] taking taking_of_points(std::string_view function, const taking_operands& operands);

/// Takes elements of type `T` by indices of types `Is`.
template <element T, element... Is>
struct take_call {
  using result = T;

  static const block_kernel& kernel() {
    static_cast<void>(&known_at_start<&take_call::kernel>::is_known);
    static const block_kernel& known = taking_kernel(dtype_of<T>, std::array{dtype_of<Is>...});
    return known;
  }

  kernel_parameters indexing;
  [[nodiscard]] const kernel_parameters& parameters() const { return indexing; }
};

/// Returns the node of rank `N` that takes elements of `x`, in the form `form_of(operands)`.
template <std::size_t N, class Form, class X, class... Is>
auto make_taking(std::string_view name, Form form_of, const X& x, const Is&... indices) {
  using call_type = take_call<typename X::value_type, typename Is::value_type...>;
  using op_type = op::blocks<call_type, N>;
  const std::array<const array_layout*, 1 + sizeof...(Is)> layouts{&x.layout(),
                                                                   &indices.layout()...};
  constexpr std::array types{dtype_of<typename X::value_type>,
                             dtype_of<typename Is::value_type>...};
  taking arguments = form_of(taking_operands{layouts, types});
  return expression<op_type, X, Is...>(
      op_type{name, call_type{std::move(arguments.parameters)}, std::move(arguments.form)}, x,
      indices...);
}

/// Returns the elements of `x` at indices along `Axis`; the axes of the indices replace it.
template <std::size_t Axis, array_expression X, array_expression I>
auto take_list(std::string_view function, const X& x, const I& indices) {
  return make_taking<X::rank - 1 + I::rank>(
      function,
      [function](const taking_operands& operands) {
        return taking_of_list(function, Axis, operands);
      },
      x, indices);
}

/// Returns the elements of `x` at points: of an index along each axis, or one that numbers them.
template <array_expression X, array_expression... Is>
auto take_points(std::string_view function, const X& x, const Is&... indices) {
  return make_taking<std::max({Is::rank...})>(
      function,
      [function](const taking_operands& operands) { return taking_of_points(function, operands); },
      x, indices...);
}

}  // namespace detail
}  // namespace tessera
