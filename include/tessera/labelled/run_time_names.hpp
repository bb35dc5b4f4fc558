// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Dimensions by names that are known when the program runs: names of the file, see
/// `array_interface::dimension_names`.

#include "tessera/array/any_array.hpp"
#include "tessera/array/array.hpp"
#include "tessera/array/chunk_lengths.hpp"
#include "tessera/array/detail/along.hpp"
#include "tessera/expr/slice.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/expr/view_maps.hpp"
#include "tessera/labelled/labelled.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/meta/dims.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// Returns the place of `name` among `names`. Throws: shape_error <- none is; the message lists
/// them.
[[nodiscard]] std::size_t axis_of_name(std::string_view function, std::string_view name,
                                       std::span<const std::string> names);

/// Returns the place of each name in `asked` among the `names` of the array `array_name`. An array
/// without any name has them in this order. Throws: shape_error <- it has different names.
[[nodiscard]] std::vector<std::size_t> order_of_names(const std::string& array_name,
                                                      std::span<const std::string> names,
                                                      std::span<const std::string_view> asked);

}  // namespace detail

/// Returns the axis of `x` that has a name: `mean(x, axis_named(x, "time"))`.
///
/// Throws: shape_error <- none has it; the message lists the names of `x`.
template <class X>
requires(array_expression<X> || labelled_array<X>) [[nodiscard]] run_time_axis
    axis_named(const X& x, std::string_view name) {
  return axis_at(static_cast<int>(detail::axis_of_name("axis_named", name, x.dimension_names())));
}
[[nodiscard]] run_time_axis axis_named(const any_array& x, std::string_view name);

/// Returns the part of `x` that an index selects along the dimension of a name: `isel(x, "time",
/// slice(0, 24))`; an integer drops it.
///
/// Throws: as `axis_named`, and as `x(...)`. Source: xarray's `isel`.
template <array_expression X>
[[nodiscard]] auto isel(const X& x, std::string_view name, const slice& part) {
  const std::size_t axis = detail::axis_of_name("isel", name, x.dimension_names());
  return detail::slice_along(x, axis, part);
}
template <array_expression X>
requires(X::rank > 0) [[nodiscard]] auto isel(const X& x, std::string_view name, index_t index) {
  const std::size_t axis = detail::axis_of_name("isel", name, x.dimension_names());
  return detail::index_along(x, axis, index);
}

/// Returns `x` with its type and its names, which the array may have in any order: `as<float,
/// dims<"time", "latitude">>(open_any("a.zarr/t"))`.
///
/// Throws: dtype_error, shape_error <- it has another dtype, rank or other names; the message has
/// both. An array without any name gets the names that are asked for.
template <element T, class Dims>
requires(detail::is_dims<Dims>)
    [[nodiscard]] labelled<array<T, Dims::size>, Dims> as(const any_array& x) {
  const array<T, Dims::size> opened = x.as<T, Dims::size>();
  const std::vector<std::size_t> order =
      detail::order_of_names(x.stored().name(), x.stored().dimension_names(), Dims::names);
  return labelled<array<T, Dims::size>, Dims>(array<T, Dims::size>(
      make_view<Dims::size>("permute_dims", opened, map_permuted(opened.layout().shape, order))));
}

/// Returns `x` in other chunks along the dimensions that are named, along the rest in its chunks:
/// `rechunk(open_any("maps.zarr"), {{"time", whole}, {"latitude", 72}})`.
///
/// Throws: shape_error <- `x` has no such dimension; otherwise as `rechunk` of it.
[[nodiscard]] any_array rechunk(const any_array& x,
                                const std::vector<std::pair<std::string, chunk_length>>& chunks);

}  // namespace tessera
