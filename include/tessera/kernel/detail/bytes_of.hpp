// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The bytes of a value, which identify it.

#include "tessera/core/dtype.hpp"

#include <string>
#include <type_traits>

namespace tessera::detail {

/// Returns the bytes of `value`; a type with padding has none that identify it.
template <class T>
requires(std::is_trivially_copyable_v<T> && (std::has_unique_object_representations_v<T> ||
                                             element<T>)) std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

}  // namespace tessera::detail
