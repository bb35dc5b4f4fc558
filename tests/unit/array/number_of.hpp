// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Numbers of each dtype, for tables: complex ones have two parts.

#include "tessera/core/element.hpp"
#include "tessera/meta/promotion.hpp"

namespace tessera::testing {

/// Returns a number of type `T`: both parts if `T` is complex, else `real`.
template <element T>
T number_of(double real, double imaginary) {
  if constexpr (complex_element<T>) {
    return {static_cast<real_t<T>>(real), static_cast<real_t<T>>(imaginary)};
  } else {
    return static_cast<T>(real);
  }
}

}  // namespace tessera::testing
