// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether parameters that a file brings are those of a kernel.

#include "tessera/kernel/block_kernel.hpp"

namespace tessera::detail {

/// Tells whether a kernel gets parameters of the types of elements, and of the extents, that it is
/// called with over a whole domain, where parameters say some.
[[nodiscard]] bool parameters_fit(const block_kernel& kernel, const block_shapes& of_domain);

}  // namespace tessera::detail
