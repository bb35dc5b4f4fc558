// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The formats of stored arrays that plans of expressions know.

namespace tessera::detail {

/// Registers the formats in which plans keep results and intermediates. Returns true.
[[nodiscard]] bool register_storage_formats();

}  // namespace tessera::detail
