// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes stored arrays longer.

#include "tessera/array/in_out.hpp"
#include "tessera/meta/axes.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

namespace detail {

/// Returns the destination behind the end, along `axis`, of the array at `path`, for an array of
/// `type` and `shape`.
[[nodiscard]] std::shared_ptr<const array_destination> destination_behind(const std::string& path,
                                                                          dtype type,
                                                                          const index_vector& shape,
                                                                          std::size_t axis);
[[nodiscard]] std::shared_ptr<const array_destination> destination_behind(
    std::shared_ptr<key_value_store> store, std::string_view path, dtype type,
    const index_vector& shape, std::size_t axis);

/// Returns the axis that the list `along` has, normalised.
template <std::size_t Rank, int... Axes>
constexpr std::size_t axis_of_append(axis_list<Axes...>) {
  constexpr bool is_one = sizeof...(Axes) == 1;
  static_assert(is_one, "tessera::append(x, path, axis<...>): requires exactly one axis");
  constexpr bool is_in_range = !is_one || axes_in_range<Rank, Axes...>;
  static_assert(is_in_range,
                "tessera::append(x, path, axis<k>): requires an axis in [-rank, rank)");
  std::size_t along = 0;
  if constexpr (is_one && is_in_range) along = (normalised_axis(Axes, Rank), ...);
  return along;
}

}  // namespace detail

/// Returns `x` as something that a plan appends to the array at `path`; nothing is written yet.
///
/// Example: `ts::plan(ts::appended(u, "a.zarr/u", ts::axis<0>),
///                    ts::appended(t, "a.zarr/time", ts::axis<0>)).execute();`
/// Chunks: chunks, codecs, fill value and attributes of the stored array hold for the new elements.
/// Throws: zarr_error <- no array is there. dtype_error, shape_error <- it has another dtype, rank
///         or extents along the other axes.
template <array_expression X, int... Axes>
[[nodiscard]] auto appended(const X& x, const std::string& path, axis_list<Axes...> along) {
  const std::size_t axis = detail::axis_of_append<X::rank>(along);
  return detail::stored_at(x, detail::destination_behind(path, dtype_of<typename X::value_type>,
                                                         x.layout().shape, axis));
}
/// Returns `x` as something that a plan appends to the array at `path` in a store.
template <array_expression X, int... Axes>
[[nodiscard]] auto appended(const X& x, std::shared_ptr<key_value_store> store,
                            std::string_view path, axis_list<Axes...> along) {
  const std::size_t axis = detail::axis_of_append<X::rank>(along);
  return detail::stored_at(
      x, detail::destination_behind(std::move(store), path, dtype_of<typename X::value_type>,
                                    x.layout().shape, axis));
}

/// Computes `x` with the options `settings` and appends it to the array at `path` along an axis.
///
/// Readers see all of it or nothing: the array gets its new extents when all is written. A run that
/// was stopped goes on when it is begun again, and does not append twice.
///
/// Example: `ts::append(day, "era5.zarr/u", ts::axis<0>);`
/// Returns: the longer array, open. Memory: at most the allowed memory for one task.
/// Throws:  as `appended` and `plan::compute`; store_error <- a chunk cannot be written. zarr_error
///          <- another run appends, or replaces the array, now; or another writer has changed the
///          extents since the plan was made: append again. value_error <- two targets of one run
///          overlap.
template <array_expression X, int... Axes>
array<typename X::value_type, X::rank> append(const X& x, const std::string& path,
                                              axis_list<Axes...> along,
                                              const run_with& settings = {}) {
  return detail::store_one(appended(x, path, along), settings);
}
template <array_expression X, int... Axes>
array<typename X::value_type, X::rank> append(const X& x, std::shared_ptr<key_value_store> store,
                                              std::string_view path, axis_list<Axes...> along,
                                              const run_with& settings = {}) {
  return detail::store_one(appended(x, std::move(store), path, along), settings);
}

}  // namespace tessera
