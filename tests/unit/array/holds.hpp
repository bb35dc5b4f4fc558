// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conditions of elements, for assertions about lazy arrays.

#include "tessera/array/compute.hpp"
#include "tessera/function/quantifiers.hpp"

namespace tessera::test {

/// Tells whether a condition, a lazy array of bool, holds for every element.
template <array_expression X>
bool holds(const X& condition) {
  return all(condition).compute()();
}

}  // namespace tessera::test
