// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calls of `open` and `store` that are refused, with the remedy in one sentence. Without these,
/// compilers would list every overload.

#include "tessera/array/array.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/codec/configuration.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/meta/dims.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tessera {
namespace detail {

/// Arrays between braces that were to be stored together; refused.
struct stored_in_braces {
  template <array_expression... Xs>
  requires(sizeof...(Xs) > 1) stored_in_braces(const Xs&...) {
    static_assert(is_allowed<Xs...>,
                  "tessera::store({a, b}, path): requires a path for each array; write "
                  "store(stored(a, \"a.zarr\"), stored(b, \"b.zarr\"))");
  }
};

/// An array and its path between braces; refused.
struct target_in_braces {
  template <array_expression X>
  target_in_braces(const X&, const std::string&, const store_options& = {}) {}
};

}  // namespace detail

/// The dtype and rank of an array are known to the compiler.
template <class... Ts, class... Args>
requires(!(detail::is_dims<Ts> || ...)) [[nodiscard]] array<double, 1> open(const Args&...) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::open<T, N>(path): requires the dtype and rank of the array: "
                "open<double, 2>(path); for one of which they are not known, open_any(path)");
  return open<double, 1>(std::string());
}
template <class T, std::size_t N, class... Args>
requires(!element<T>) [[nodiscard]] array<double, N> open(const Args&...) {
  static_assert(detail::is_allowed<T>,
                "tessera::open<T, N>(path): requires a dtype: bool, std::int8_t to std::uint64_t, "
                "float16, float, double, complex64 or complex128");
  return open<double, N>(std::string());
}

/// A path of its own goes with each array, and after it.
inline void store(const detail::stored_in_braces&, const std::string&, const store_options& = {}) {}
template <std::same_as<detail::target_in_braces> Target = detail::target_in_braces>
void store(const Target&, const Target&) {
  static_assert(detail::is_allowed<Target>,
                "tessera::store({a, path}, ...): requires stored(a, path) for each of several "
                "arrays: store(stored(a, \"a.zarr\"), stored(b, \"b.zarr\"))");
}
template <std::same_as<detail::target_in_braces> Target = detail::target_in_braces>
void store(std::initializer_list<Target>) {
  static_assert(detail::is_allowed<Target>,
                "tessera::store({a, path}, ...): requires stored(a, path) for each of several "
                "arrays: store(stored(a, \"a.zarr\"), stored(b, \"b.zarr\"))");
}
template <unnamed_argument X>
void store(const X&) {
  static_assert(detail::is_allowed<X>,
                "tessera::store(x, path): requires a path: store(x, \"x.zarr\")");
}
template <unnamed_argument X>
void store(const std::string&, const X&, const store_options& = {}) {
  static_assert(detail::is_allowed<X>,
                "tessera::store(x, path): requires the array before the path: "
                "store(x, \"x.zarr\")");
}
template <unnamed_argument X, class Option>
requires(std::integral<Option> || std::convertible_to<const Option&, std::string_view> ||
         std::convertible_to<const Option&, codec::configuration>) void store(const X&,
                                                                              const std::string&,
                                                                              const Option&) {
  static_assert(detail::is_allowed<X>,
                "tessera::store(x, path, options): requires names of options: store(x, path, "
                "{.chunks = {m, n}, .compressor = codec::zstd{}})");
}

namespace detail {

/// Arrays between braces that were to be computed together; refused.
struct computed_in_braces {
  template <array_expression... Xs>
  requires(sizeof...(Xs) > 1) computed_in_braces(const Xs&...) {
    static_assert(is_allowed<Xs...>,
                  "tessera::compute(x, y): requires the arrays without braces: compute(x, y)");
  }
};

}  // namespace detail

// Not defined, as no call compiles.
std::array<ndarray<double, 0>, 2> compute(const detail::computed_in_braces&);

}  // namespace tessera
