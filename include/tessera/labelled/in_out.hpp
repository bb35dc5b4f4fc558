// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Opens and stores arrays with names: the attribute `_ARRAY_DIMENSIONS`.

#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/store_target.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/labelled/detail/names.hpp"
#include "tessera/labelled/labelled.hpp"
#include "tessera/store/key_value_store.hpp"
#include "tessera/task/run_with.hpp"

#include <concepts>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

namespace detail {

template <class Dims, element T, std::size_t N>
labelled<array<T, N>, Dims> opened_under_names(array<T, N> opened) {
  static_assert(names_differ<Dims>,
                "tessera::open<T, dims<...>>(path): requires names that differ from each other");
  require_names(opened.view(), opened.layout(), Dims::names);
  return labelled<array<T, N>, Dims>(std::move(opened));
}

/// An open array of the dtype and names of `X`.
template <class X>
using labelled_handle = labelled<array<typename X::value_type, X::rank>, typename X::dims>;

}  // namespace detail

/// Opens a Zarr array with names: `open<float, dims<"time", "latitude">>("a.zarr/t")`.
///
/// Throws: as `open` without names; shape_error <- the array has other names, or in another order.
///         An array without any name gets the names that are asked for.
template <element T, class Dims>
requires(detail::is_dims<Dims>)
    [[nodiscard]] labelled<array<T, Dims::size>, Dims> open(const std::string& path,
                                                            const open_options& options = {}) {
  return detail::opened_under_names<Dims>(open<T, Dims::size>(path, options));
}
template <element T, class Dims>
requires(detail::is_dims<Dims>)
    [[nodiscard]] labelled<array<T, Dims::size>, Dims> open(const std::string& path,
                                                            const spec& limits) {
  return detail::opened_under_names<Dims>(open<T, Dims::size>(path, limits));
}
template <element T, class Dims>
requires(detail::is_dims<Dims>)
    [[nodiscard]] labelled<array<T, Dims::size>, Dims> open(std::shared_ptr<key_value_store> store,
                                                            std::string_view path,
                                                            const open_options& options = {}) {
  return detail::opened_under_names<Dims>(open<T, Dims::size>(std::move(store), path, options));
}
template <element T, class Dims>
requires(detail::is_dims<Dims>)
    [[nodiscard]] labelled<array<T, Dims::size>, Dims> open(std::shared_ptr<key_value_store> store,
                                                            std::string_view path,
                                                            const spec& limits) {
  return detail::opened_under_names<Dims>(open<T, Dims::size>(std::move(store), path, limits));
}

/// The result of `stored` of an array with the names `Dims`. The stored array has them too.
template <element T, std::size_t N, class Dims>
class labelled_stored : public stored_expression<T, N> {
 public:
  explicit labelled_stored(stored_expression<T, N> x) : stored_expression<T, N>(std::move(x)) {}
};

namespace detail {

template <element T, std::size_t N, class Dims>
struct request<labelled_stored<T, N, Dims>> : request<stored_expression<T, N>> {
  using result = labelled<array<T, N>, Dims>;

  static result receive(const computed_output& output, const array_layout& layout) {
    return result(request<stored_expression<T, N>>::receive(output, layout));
  }
};
template <element T, std::size_t N, class Dims>
inline constexpr bool comes_in_memory<labelled_stored<T, N, Dims>> = false;

template <element T, std::size_t N, class Dims>
inline constexpr bool are_stored<labelled_stored<T, N, Dims>> = true;
template <element T, std::size_t N, class Dims>
inline constexpr bool are_stored<labelled_stored<T, N, Dims>, run_with> = true;
template <element T, std::size_t N, class Dims, class... Args>
inline constexpr bool are_stored<labelled_stored<T, N, Dims>, Args...> = are_stored<Args...>;

/// Returns the array `x` with names as a result of a plan, stored at `to`.
template <class X>
auto stored_under_names(const X& x, const std::shared_ptr<const array_destination>& to) {
  return labelled_stored<typename X::value_type, X::rank, typename X::dims>(
      stored_at(x.array(), to));
}

}  // namespace detail

/// Return `x` as something that a plan stores, under its names, and gives back with them; otherwise
/// as `stored` of an array without names.
template <labelled_array X>
[[nodiscard]] auto stored(const X& x, const std::string& path, const store_options& options = {}) {
  return detail::stored_under_names(
      x, detail::destination_of(path, dtype_of<typename X::value_type>, x.layout(), options));
}
template <labelled_array X>
[[nodiscard]] auto stored(const X& x, std::shared_ptr<key_value_store> store, std::string_view path,
                          const store_options& options = {}) {
  return detail::stored_under_names(
      x, detail::destination_of(std::move(store), path, dtype_of<typename X::value_type>,
                                x.layout(), options));
}

/// Computes `x` and stores it under its names, unless options name the dimensions; otherwise as
/// `store` of an array without names.
///
/// Returns: the stored array, open, with its names.
template <labelled_array X>
detail::labelled_handle<X> store(const X& x, const std::string& path,
                                 const store_options& options = {}, const run_with& settings = {}) {
  return detail::labelled_handle<X>(detail::store_one(stored(x, path, options), settings));
}
template <labelled_array X>
detail::labelled_handle<X> store(const X& x, std::shared_ptr<key_value_store> store,
                                 std::string_view path, const store_options& options = {},
                                 const run_with& settings = {}) {
  return detail::labelled_handle<X>(
      detail::store_one(stored(x, std::move(store), path, options), settings));
}
template <labelled_array X, std::same_as<run_with> Settings>
detail::labelled_handle<X> store(const X& x, const std::string& path, const Settings& settings) {
  return store(x, path, store_options{}, settings);
}
template <labelled_array X, std::same_as<run_with> Settings>
detail::labelled_handle<X> store(const X& x, std::shared_ptr<key_value_store> store,
                                 std::string_view path, const Settings& settings) {
  return tessera::store(x, std::move(store), path, store_options{}, settings);
}

/// Prints the names, shape, chunks and dtype of `x`; nothing is computed.
template <class Stream, labelled_array X>
requires is_stream<Stream> std::ostream& operator<<(Stream& out, const X& x) {
  return detail::print_named(out, dtype_of<typename X::value_type>, x.layout());
}

}  // namespace tessera
