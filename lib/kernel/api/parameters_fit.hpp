// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether parameters that a file brings are those of a kernel.

#include "tessera/kernel/block_kernel.hpp"

namespace tessera::detail {

/// Tells whether the parameters of a kernel fit the types of elements, and the extents, of a call
/// over a whole domain, if parameters restrict them.
[[nodiscard]] bool parameters_fit(const block_kernel& kernel, const block_shapes& of_domain);

}  // namespace tessera::detail
