// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Names of dimensions as compile-time values: `dims<"time", "latitude">`, `dim<"time">`.

#include "tessera/meta/axes.hpp"
#include "tessera/meta/fixed_string.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace tessera {

/// The names of an array's axes, in their order; "" for an axis without one.
template <fixed_string... Names>
struct dims {
  static constexpr std::size_t size = sizeof...(Names);
  static constexpr std::array<std::string_view, size> names{Names.view()...};
};

/// An index along the axis of a name: `dim<"time">(slice(0, 24))`.
template <class Name, class Index>
struct named_index {
  using name = Name;
  Index index;
};

/// Axes by their names.
template <fixed_string... Names>
struct dim_list {
  static constexpr std::size_t size = sizeof...(Names);
  static constexpr std::array<std::string_view, size> names{Names.view()...};

  /// Returns an index along the axis: `x(dim<"time">(3), dim<"latitude">(slice(0, 90)))`.
  template <class Index>
  [[nodiscard]] constexpr named_index<dims<Names...>, Index> operator()(const Index& index) const
      requires(size == 1) {
    return {index};
  }
};

/// The axes that a function works along, by their names: `mean(x, dim<"time">)`, wherever `axis`
/// goes.
template <fixed_string... Names>
inline constexpr dim_list<Names...> dim{};

namespace detail {

template <class T>
inline constexpr bool is_dims = false;
template <fixed_string... Names>
inline constexpr bool is_dims<dims<Names...>> = true;

template <class T>
inline constexpr bool is_dim_list = false;
template <fixed_string... Names>
inline constexpr bool is_dim_list<dim_list<Names...>> = true;

template <fixed_string... Names, class... Options>
struct find_axes<dim_list<Names...>, Options...> {
  using type = dim_list<Names...>;
};

template <class T>
inline constexpr bool is_named_index = false;
template <class Name, class Index>
inline constexpr bool is_named_index<named_index<Name, Index>> = true;

/// Position of a name in `names`; N if it is not among them.
template <std::size_t N>
constexpr std::size_t position_of(std::string_view name,
                                  const std::array<std::string_view, N>& names) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}
/// Tells whether `names` are all among `others`.
template <std::size_t M, std::size_t N>
constexpr bool are_among(const std::array<std::string_view, M>& names,
                         const std::array<std::string_view, N>& others) {
  return std::all_of(names.begin(), names.end(),
                     [&others](std::string_view name) { return position_of(name, others) < N; });
}
/// Tells whether no name but "" is there twice.
template <std::size_t N>
constexpr bool are_distinct(const std::array<std::string_view, N>& names) {
  for (std::size_t i = 0; i < N; ++i) {
    if (!names[i].empty() && position_of(names[i], names) != i) return false;
  }
  return true;
}

/// Numbers of axes, at most as many as there may be.
struct axis_numbers {
  std::array<std::size_t, 2 * 32> of{};
  std::size_t size = 0;
  constexpr void add(std::size_t axis) { of[size++] = axis; }
};

template <std::size_t I, fixed_string Name>
struct numbered_name {};
template <class Numbers, fixed_string... Names>
struct numbered_names;
template <std::size_t... I, fixed_string... Names>
struct numbered_names<std::index_sequence<I...>, Names...> : numbered_name<I, Names>... {};

template <std::size_t I, fixed_string Name>
dims<Name> name_at(const numbered_name<I, Name>&);

template <class... Ds>
struct joined_dims {
  using type = dims<>;
};
template <fixed_string... Names>
struct joined_dims<dims<Names...>> {
  using type = dims<Names...>;
};
template <fixed_string... As, fixed_string... Bs, class... Ds>
struct joined_dims<dims<As...>, dims<Bs...>, Ds...> : joined_dims<dims<As..., Bs...>, Ds...> {};

/// All names of several arrays, in their order.
template <class... Ds>
using joined_dims_t = typename joined_dims<Ds...>::type;

template <class Chosen, class D, class Numbers>
struct chosen_dims;
template <class Chosen, fixed_string... Names, std::size_t... I>
struct chosen_dims<Chosen, dims<Names...>, std::index_sequence<I...>> {
  using numbered = numbered_names<std::make_index_sequence<sizeof...(Names)>, Names...>;
  using type = joined_dims_t<dims<>, decltype(name_at<Chosen::value.of[I]>(numbered{}))...>;
};
/// The names of `D` that stand at `Chosen::value`.
template <class Chosen, class D>
using chosen_dims_t =
    typename chosen_dims<Chosen, D, std::make_index_sequence<Chosen::value.size>>::type;

/// Positions of the first occurrence of each name.
template <class D>
struct first_occurrences {
  static constexpr axis_numbers value = [] {
    axis_numbers result;
    for (std::size_t i = 0; i < D::size; ++i) {
      if (position_of(D::names[i], D::names) == i) result.add(i);
    }
    return result;
  }();
};
/// The names of several arrays, each once, in the order in which they come.
template <class... Ds>
using union_of_dims =
    chosen_dims_t<first_occurrences<joined_dims_t<dims<>, Ds...>>, joined_dims_t<dims<>, Ds...>>;

/// Positions of the axes of `D` that are not in a mask.
template <class D, axis_mask Removed>
struct axes_outside_mask {
  static constexpr axis_numbers value = [] {
    axis_numbers result;
    for (std::size_t i = 0; i < D::size; ++i) {
      if ((Removed >> i & 1) == 0) result.add(i);
    }
    return result;
  }();
};
/// The names without those of the axes in a mask.
template <class D, axis_mask Removed>
using dims_without = chosen_dims_t<axes_outside_mask<D, Removed>, D>;

/// The axes that names stand for among the names `D`.
template <class D, class List>
struct axes_by_name;
template <class D, fixed_string... Names>
struct axes_by_name<D, dim_list<Names...>> {
  using type = axis_list<static_cast<int>(position_of(Names.view(), D::names))...>;
};

}  // namespace detail
}  // namespace tessera
