// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// From bytes as they are stored to bytes as this machine has them, and back.

#include "tessera/zarr/data_type.hpp"

#include <cstddef>
#include <span>

namespace tessera::detail {

/// Tells whether every component of an element has this machine's byte order.
[[nodiscard]] bool has_native_order(const data_type& type);

/// Returns the type with all components in this machine's byte order: what elements are in memory.
[[nodiscard]] data_type with_native_order(const data_type& type);

/// Tells whether `make_native` and `make_stored` leave elements of this type as they are.
[[nodiscard]] bool is_native(const data_type& type);

/// Makes stored elements values of this machine's types: of its byte order, component by component,
/// and booleans 0 or 1.
void make_native(std::span<std::byte> elements, const data_type& type);

/// Makes values of this machine's types stored elements.
void make_stored(std::span<std::byte> elements, const data_type& type);

}  // namespace tessera::detail
