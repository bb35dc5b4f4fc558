// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conversion between stored bytes and values of this machine.

#include "tessera/storage/data_type.hpp"

#include <cstddef>
#include <span>

namespace tessera::detail {

/// Tells whether every component of an element has this machine's byte order.
[[nodiscard]] bool has_native_order(const data_type& type);

/// Returns the type of elements in memory: all components in this machine's byte order.
[[nodiscard]] data_type with_native_order(const data_type& type);

/// Tells whether `make_native` and `make_stored` change no element of this type.
[[nodiscard]] bool is_native(const data_type& type);

/// Converts stored elements to values of this machine: swaps the bytes of each component if needed,
/// and makes booleans 0 or 1.
void make_native(std::span<std::byte> elements, const data_type& type);

/// Converts values of this machine to stored elements.
void make_stored(std::span<std::byte> elements, const data_type& type);

}  // namespace tessera::detail
