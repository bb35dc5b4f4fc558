// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copies as maps.

#include "tessera/primitive/primitive.hpp"

namespace tessera {

/// Returns the map that computes the elements of `op`, strip by strip, or nullptr if there is none.
/// A map sweeps, and a copy does not.
[[nodiscard]] primitive_handle as_map(const primitive& op);

}  // namespace tessera
