// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Parts of arrays with names.

#include "tessera/expr/indexing.hpp"
#include "tessera/labelled/detail/alignment.hpp"
#include "tessera/meta/dims.hpp"

#include <concepts>
#include <cstddef>
#include <utility>

namespace tessera::detail {

/// The place among the names of each axis that `Indices` keep, in the order of the axes. The place
/// of a new axis is behind all names.
template <class D, class... Indices>
struct selected_axes {
  static constexpr axis_numbers value = [] {
    axis_numbers result;
    std::size_t axis = 0;
    constexpr std::size_t given = count_axes<whole_for_list<Indices>...>;
    const auto keep = [&](std::size_t count) {
      while (count-- > 0 && axis < D::size) result.add(axis++);
    };
    [[maybe_unused]] const auto take = [&]<class Index>(type_tag<Index>) {
      if constexpr (std::same_as<Index, newaxis_t>) {
        result.add(D::size);
      } else if constexpr (std::same_as<Index, ellipsis_t>) {
        keep(given < D::size ? D::size - given : 0);
      } else if constexpr (is_integer_index<Index>) {
        ++axis;
      } else {
        keep(1);
      }
    };
    (take(type_tag<Indices>{}), ...);
    keep(D::size);
    return result;
  }();
};
template <class D, class... Indices>
using selected_dims =
    chosen_dims_t<selected_axes<D, Indices...>, joined_dims_t<dims<>, D, dims<"">>>;

/// Tells whether each of `Indices` names an axis of an array of the names `D`.
template <class D, class Index>
inline constexpr bool selects_in = false;
template <class D, class Name, class Index>
inline constexpr bool selects_in<D, named_index<Name, Index>> = are_among(Name::names, D::names);

/// The names that `Indices` select along.
template <class Index>
struct selected_name {
  using type = dims<>;
};
template <class Name, class Index>
struct selected_name<named_index<Name, Index>> {
  using type = Name;
};

/// Returns the index along the axis of a name among `indices`, or the whole axis if none has it.
template <class Name>
auto index_of() {
  return whole;
}
template <class Name, class Index, class... Indices>
auto index_of(const Index& index, const Indices&... indices) {
  if constexpr (Name::names == Index::name::names) {
    return index.index;
  } else {
    return index_of<Name>(indices...);
  }
}

template <class X, fixed_string... Names, class... Indices>
auto select_axes(const X& x, dims<Names...>, const Indices&... indices) {
  return x(index_of<dims<Names>>(indices...)...);
}

/// Returns the part of `x` that indices with names select.
template <class D, class X, class... Indices>
auto select_by_name(const X& x, const Indices&... indices) {
  constexpr bool have_dimensions = (selects_in<D, Indices> && ...);
  static_assert(have_dimensions,
                "tessera: x(dim<...>(index)...): requires dimensions that x has, each with an "
                "index");
  constexpr bool differ =
      are_distinct(joined_dims_t<dims<>, typename selected_name<Indices>::type...>::names);
  static_assert(differ,
                "tessera: x(dim<...>(index)...): requires dimensions that differ from each other");
  if constexpr (have_dimensions && differ) {
    return select_axes(x, D{}, indices...);
  } else {
    return x;
  }
}

}  // namespace tessera::detail
