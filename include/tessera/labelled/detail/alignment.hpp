// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Alignment: arrays with names are seen with their axes in one order, and with axes of extent 1
/// for the names that they lack.

#include "tessera/expr/expression.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/expr/view_maps.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/meta/dims.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace tessera {

template <array_expression E, class Dims>
class labelled;

namespace detail {

/// Returns the layout with other names.
[[nodiscard]] array_layout named_layout(array_layout layout,
                                        std::span<const std::string_view> names);

template <class D, class Numbers>
struct reversed;
template <class D, std::size_t... I>
struct reversed<D, std::index_sequence<I...>> {
  static constexpr axis_numbers value = {{D::size - 1 - I...}, D::size};
};
template <class D>
using reversed_dims = chosen_dims_t<reversed<D, std::make_index_sequence<D::size>>, D>;

template <fixed_string From, fixed_string To, class D>
struct renamed;
template <fixed_string From, fixed_string To, fixed_string... Names>
struct renamed<From, To, dims<Names...>> {
  template <fixed_string Name>
  static constexpr auto name_of() {
    if constexpr (Name.view() == From.view()) {
      return dims<To>{};
    } else {
      return dims<Name>{};
    }
  }
  using type = joined_dims_t<dims<>, decltype(name_of<Names>())...>;
};
template <fixed_string From, fixed_string To, class D>
using renamed_dims = typename renamed<From, To, D>::type;

/// The order and the added axes by which an array of the names `From` is seen under the names `To`,
/// which include `From`. Broadcasting adds first axes, so that they are added only if `IsFull`.
template <class From, class To, bool IsFull>
struct alignment {
  std::array<std::size_t, From::size> order{};
  axis_mask added = 0;
  std::size_t rank = 0;
  bool is_in_order = true;

  constexpr alignment() {
    std::size_t kept = 0;
    for (std::size_t axis = 0; axis < To::size; ++axis) {
      const std::size_t position = position_of(To::names[axis], From::names);
      if (position < From::size) {
        is_in_order = is_in_order && position == kept;
        order[kept++] = position;
      } else if (IsFull || rank > 0) {
        added |= axis_mask{1} << rank;
      } else {
        continue;
      }
      ++rank;
    }
  }
};

/// Returns the array, seen under the names `To`.
template <class To, bool IsFull, class E, class From>
auto laid_along(const labelled<E, From>& x) {
  if constexpr (std::same_as<From, To>) {
    return x.array();
  } else {
    constexpr alignment<From, To, IsFull> aligned;
    const auto in_order = [&] {
      if constexpr (aligned.is_in_order) {
        return x.array();
      } else {
        const std::span<const std::size_t> order = aligned.order;
        return make_view<E::rank>("permute_dims", x.array(),
                                  map_permuted(x.array().layout().shape, order));
      }
    };
    if constexpr (aligned.added == 0) {
      return in_order();
    } else {
      return add_axes<aligned.rank>("expand_dims", in_order(), aligned.added);
    }
  }
}

/// Returns the result of a function, an array or several in a tuple or a vector, with the names
/// `D`. A result of another rank has no names.
template <class D, class R>
auto labelled_as(const R& result) {
  if constexpr (array_expression<R>) {
    if constexpr (R::rank == D::size) {
      return labelled<R, D>(result);
    } else {
      return result;
    }
  } else {
    return result;
  }
}
template <class D, class... Rs>
auto labelled_as(const std::tuple<Rs...>& results) {
  return std::apply([](const auto&... arrays) { return std::tuple(labelled_as<D>(arrays)...); },
                    results);
}
template <class D, class R>
auto labelled_as(const std::vector<R>& results) {
  std::vector<decltype(labelled_as<D>(results.front()))> arrays;
  for (const R& result : results) arrays.push_back(labelled_as<D>(result));
  return arrays;
}

}  // namespace detail
}  // namespace tessera
