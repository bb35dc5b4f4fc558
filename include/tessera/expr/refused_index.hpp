// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused indices of NumPy, xtensor and Eigen: braces, and `all` for a whole axis.

#include "tessera/core/index.hpp"
#include "tessera/expr/refused_members.hpp"

#include <initializer_list>

namespace tessera::detail {

/// The parameter and the result of the overload of `all` that a refused index names.
struct index_of_all {};

/// An index between braces, or the function `all`. An overloaded function converts to a reference
/// of which one overload has the type.
struct refused_index {
  refused_index(std::initializer_list<index_t> /*indices*/) {}
  refused_index(index_of_all (&)(index_of_all)) {}
};

/// Any index behind or before a refused one.
struct adjacent_index : refused_index {
  using refused_index::refused_index;
  template <class T>
  adjacent_index(const T& /*index*/) : refused_index(std::initializer_list<index_t>()) {}
};

template <class X>
X refuse_as_index(const X& x) {
  static_assert(is_allowed<X>,
                "tessera: x({0, 10}), x(all): requires slice(0, 10) for NumPy's 0:10, index({0, "
                "10}) for its [0, 10], and whole for its colon");
  return x;
}

}  // namespace tessera::detail
