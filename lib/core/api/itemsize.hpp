// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The bytes of an element, as strides count them.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"

namespace tessera {

/// Returns the bytes of an element of type `type`.
[[nodiscard]] inline index_t itemsize_of(dtype type) { return static_cast<index_t>(size_of(type)); }

}  // namespace tessera
