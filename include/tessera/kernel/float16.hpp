// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The type `float16`, complete: Eigen's, computed in float.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/detail/eigen_core.hpp"

namespace tessera {

static_assert(sizeof(float16) == size_of(dtype::float16));

}  // namespace tessera
