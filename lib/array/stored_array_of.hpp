// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stored array that a view shows.

#include "tessera/plan/node.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include <variant>

namespace tessera::detail {

/// Returns the stored array that `view` shows; null where it shows another one.
[[nodiscard]] inline const zarr_array* stored_array_of(const array_view& view) {
  const auto* const source = std::get_if<stored_source>(&view.array->source);
  return source == nullptr ? nullptr : zarr_array_of(*source->array);
}

}  // namespace tessera::detail
