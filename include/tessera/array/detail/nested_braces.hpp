// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Nested braces, as the rows of an array.

#include "tessera/core/error.hpp"
#include "tessera/core/index.hpp"

#include <cstddef>
#include <initializer_list>
#include <string>

namespace tessera::detail {

/// `N` nested braces around values of `T`.
template <class T, std::size_t N>
struct nested_braces {
  using inner = typename nested_braces<T, N - 1>::type;
  using type = std::initializer_list<inner>;
};
template <class T>
struct nested_braces<T, 0> {
  using inner = void*;
  using type = T;
};

/// Writes the extents of `braces`, as its first elements tell them.
template <class T>
void brace_extents(const T&, index_t*) {}
template <class Braces>
void brace_extents(const std::initializer_list<Braces>& braces, index_t* extents) {
  *extents = static_cast<index_t>(braces.size());
  if (braces.size() != 0) brace_extents(*braces.begin(), extents + 1);
}

/// Writes the values of `braces` to `out` and returns the position after the last.
template <class T>
T* copy_braces(const T& value, const index_t*, T* out) {
  *out = value;
  return out + 1;
}
template <class Braces, class T>
T* copy_braces(const std::initializer_list<Braces>& braces, const index_t* extents, T* out) {
  if (static_cast<index_t>(braces.size()) != *extents) {
    throw shape_error("ndarray::of: rows of " + std::to_string(*extents) + " and of " +
                      std::to_string(braces.size()) +
                      " values stand side by side; rows of one axis must have equal lengths");
  }
  for (const Braces& inner : braces) out = copy_braces(inner, extents + 1, out);
  return out;
}

}  // namespace tessera::detail
