// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays of any rank as the functions of typed arrays take them: as lines or matrices of one rank.

#include "tessera/array/any_array.hpp"
#include "tessera/array/run_time_elementwise.hpp"
#include "tessera/core/error.hpp"
#include "tessera/expr/view_maps.hpp"

#include "array_api/call.hpp"

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera::array_api {

/// An element type that the standard has.
template <class T>
concept standard_element = element<T> && !std::same_as<T, float16>;

/// Returns the view of `x` by `mapped`, or a gather if the map needs one.
[[nodiscard]] any_array view_of(const char* name, const any_array& x, const mapped_shape& mapped);
[[nodiscard]] any_array reshaped(const any_array& x, const index_vector& shape);
[[nodiscard]] any_array permuted(const any_array& x, const std::vector<std::size_t>& order);
[[nodiscard]] any_array broadcast(const any_array& x, const index_vector& shape);
/// Returns `x` with axis `from` at the place `to` of the result.
[[nodiscard]] any_array moved(const any_array& x, std::size_t from, std::size_t to);

/// Returns `x` with all axes but the last `kept` as one.
[[nodiscard]] any_array stacked(const any_array& x, std::size_t kept);
/// Returns `x` of which `stacked` made an array with these axes in front.
[[nodiscard]] any_array unstacked(const any_array& x, const index_vector& front);
/// Returns the extents of all axes of `x` but the last `kept`.
[[nodiscard]] index_vector front_of(const any_array& x, std::size_t kept);
[[nodiscard]] index_t product(const index_vector& extents);

/// Returns `f` of `x` as an `array<T, N>`. Throws: dtype_error <- it does not take this dtype.
template <std::size_t N, class F>
[[nodiscard]] any_array apply(const any_array& x, F f) {
  return visit_dtype(x.dtype(), [&]<class T>(type_tag<T>) -> any_array {
    if constexpr (std::invocable<F&, const tessera::array<T, N>&>) {
      return tessera::array(f(x.as<T, N>()));
    } else {
      throw dtype_error("does not take " + std::string(name_of(x.dtype())));
    }
  });
}
/// Returns `f` of two arrays, both in the dtype that they have in common.
template <std::size_t N, class F>
[[nodiscard]] any_array apply(const any_array& a, const any_array& b, F f) {
  const dtype type = result_type({a.dtype(), b.dtype()});
  return apply<N>(
      astype(a, type), [&]<class T>(const tessera::array<T, N>& typed) requires std::invocable<
                           F&, const tessera::array<T, N>&, const tessera::array<T, N>&> {
        return f(typed, astype(b, type).template as<T, N>());
      });
}

/// Returns the lines of `x` along an axis as the rows of a matrix.
[[nodiscard]] any_array lines_of(const any_array& x, std::size_t axis);
/// Returns rows as lines along an axis of an array that has otherwise the shape of `x`.
[[nodiscard]] any_array from_lines(const any_array& rows, const any_array& x, std::size_t axis);

}  // namespace tessera::array_api
