// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conditions for loops that shall vectorise: both operands are computed, so that nothing branches.

namespace tessera::detail {

constexpr bool either(bool a, bool b) { return a | b; }
constexpr bool both(bool a, bool b) { return a & b; }

}  // namespace tessera::detail
