// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Eigen's core; included from here alone, as the first inclusion decides GCC's warnings.

// GCC 12 warns of registers that AVX-512's intrinsics leave undefined on purpose (bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <Eigen/Core>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
