// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays with names of axes that the compiler knows.

#include "tessera/array/array.hpp"
#include "tessera/array/compute.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/labelled/detail/alignment.hpp"
#include "tessera/labelled/detail/call.hpp"
#include "tessera/labelled/detail/selection.hpp"
#include "tessera/meta/dims.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Tells whether `Dims` are as many names as an array of rank `Rank` has axes.
template <class Dims, std::size_t Rank>
inline constexpr bool names_all_axes = Dims::size == Rank;

/// Tells whether no two axes have the same name.
template <class Dims>
inline constexpr bool names_differ = detail::are_distinct(Dims::names);

/// Tells whether an array of the names `From` is one of the names `To` in another order.
template <class From, class To>
inline constexpr bool names_are_those_of = From::size ==
                                           To::size&& detail::are_among(From::names, To::names);

/// The expression `E` with the names `Dims` of its axes: `labelled<array<float, 2>, dims<"y",
/// "x">>`.
///
/// A wrapper: no node, and nothing at run time. Functions of arrays take it in the place of `E`,
/// and their results have names: `mean(x, dim<"time">)` has all names but "time". Elementwise
/// functions align their operands by names, whatever the order of axes. The result has all names,
/// in the order in which they come first. An axis keeps its name through every function that keeps
/// the axis, even with another extent. If a result has new axes, as `reshape` gives, it is an array
/// without names.
template <array_expression E, class Dims>
class labelled {
 public:
  using expression_type = E;
  using value_type = typename E::value_type;
  using dims = Dims;
  static constexpr std::size_t rank = E::rank;

  /// Gives the axes of `x` their names, as `label<...>(x)` does.
  explicit labelled(E x) : array_(std::move(x)) {}

  /// Makes a handle on `x`, with its axes in the order of `Dims`: `labelled<array<double, 2>,
  /// dims<"y", "x">> r = a + b;`, for variables that take other values in loops.
  template <class F, class Names>
  requires(!std::same_as<labelled<F, Names>, labelled>) labelled(const labelled<F, Names>& x)
      : array_(ordered(x)) {}

  /// Returns the array without its names.
  [[nodiscard]] const E& array() const { return array_; }

  [[nodiscard]] shape_array<rank> shape() const { return array_.shape(); }
  [[nodiscard]] shape_array<rank> chunks() const { return array_.chunks(); }
  [[nodiscard]] std::vector<std::string> dimension_names() const {
    return {Dims::names.begin(), Dims::names.end()};
  }
  [[nodiscard]] index_t size() const { return array_.size(); }
  [[nodiscard]] tessera::spec spec() const { return array_.spec(); }
  /// Returns the extent along one axis: `x.extent(dim<"time">)`.
  template <fixed_string Name>
  [[nodiscard]] index_t extent(dim_list<Name>) const {
    constexpr bool has_dimension = detail::are_among(dim_list<Name>::names, Dims::names);
    static_assert(has_dimension, "tessera: x.extent(dim<...>): requires a dimension that x has");
    if constexpr (has_dimension) {
      return array_.layout().shape[detail::position_of(Name.view(), Dims::names)];
    } else {
      return 0;
    }
  }
  /// Returns how it is laid out, under its names.
  [[nodiscard]] array_layout layout() const {
    return detail::named_layout(array_.layout(), Dims::names);
  }

  /// Computes the elements. See `tessera::compute`.
  [[nodiscard]] auto compute() const { return array_.compute(); }
  [[nodiscard]] auto compute(const run_with& settings) const { return array_.compute(settings); }
  /// Returns the plan that `compute` runs. See `tessera::plan`.
  [[nodiscard]] auto plan() const { return array_.plan(); }
  [[nodiscard]] auto plan(const run_with& settings) const { return array_.plan(settings); }

  /// Returns a part of the array: `x(dim<"time">(3), dim<"latitude">(slice(0, 90)))`, in any order
  /// of the names, or by indices in the order of the axes. Axes without an index are whole. Axes of
  /// one index are dropped.
  ///
  /// Indices and errors: as of an array without names.
  template <class... Indices>
  [[nodiscard]] auto operator()(const Indices&... indices) const {
    if constexpr ((detail::is_named_index<Indices> || ...)) {
      return detail::select_by_name<Dims>(*this, indices...);
    } else {
      return detail::labelled_as<detail::selected_dims<Dims, Indices...>>(array_(indices...));
    }
  }
  /// Returns it with its axes in reverse order.
  [[nodiscard]] auto T() const {
    return detail::labelled_as<detail::reversed_dims<Dims>>(array_.T());
  }

 private:
  template <class F, class Names>
  [[nodiscard]] static E ordered(const labelled<F, Names>& x) {
    constexpr bool are_same = names_are_those_of<Names, Dims>;
    static_assert(
        are_same,
        "tessera: labelled<E, dims<...>> x = y: requires y to have the names of x, in any "
        "order");
    if constexpr (are_same) {
      return E(detail::laid_along<Dims, true>(x));
    } else {
      std::terminate();
    }
  }

  [[no_unique_address]] E array_;
};

namespace detail {

template <class E, class Dims>
inline constexpr bool has_names<labelled<E, Dims>> = true;

template <class E, class Dims>
struct unnamed<labelled<E, Dims>> {
  using type = E;
};

template <class E, class Dims>
struct dims_in<labelled<E, Dims>> {
  using type = Dims;
};

/// The request for a plan or for elements: as of the array without names.
template <class E, class Dims>
struct request<labelled<E, Dims>> : request<E> {
  static const array_layout& layout(const labelled<E, Dims>& x) { return x.array().layout(); }
  static plan_output output(const labelled<E, Dims>& x) { return request<E>::output(x.array()); }
};
template <class E, class Dims>
inline constexpr bool comes_in_memory<labelled<E, Dims>> = true;

}  // namespace detail

/// An array with names.
template <class X>
concept labelled_array = detail::has_names<X>;

/// Returns `x` with names for its axes: `label<"time", "latitude">(x)`. They replace names that `x`
/// has.
template <fixed_string... Names, class X>
requires(array_expression<X> || labelled_array<X>) [[nodiscard]] auto label(const X& x) {
  using names = dims<Names...>;
  constexpr bool are_enough = names_all_axes<names, X::rank>;
  constexpr bool differ = names_differ<names>;
  static_assert(are_enough, "tessera::label<names...>(x): requires one name for each axis of x");
  static_assert(differ, "tessera::label<names...>(x): requires names that differ from each other");
  if constexpr (!are_enough || !differ) {
    return x;
  } else if constexpr (labelled_array<X>) {
    return labelled<typename X::expression_type, names>(x.array());
  } else {
    return labelled<X, names>(x);
  }
}

/// Returns `x` with the name `To` for the axis that is named `From`: `rename<"time", "month">(x)`.
template <fixed_string From, fixed_string To, labelled_array X>
[[nodiscard]] auto rename(const X& x) {
  using names = detail::renamed_dims<From, To, typename X::dims>;
  constexpr bool has_dimension = detail::are_among(dims<From>::names, X::dims::names);
  static_assert(has_dimension,
                "tessera::rename<from, to>(x): requires from to be a dimension that x has");
  static_assert(names_differ<names>,
                "tessera::rename<from, to>(x): requires to to be no other dimension of x");
  if constexpr (has_dimension && names_differ<names>) {
    return labelled<typename X::expression_type, names>(x.array());
  } else {
    return x;
  }
}

}  // namespace tessera
