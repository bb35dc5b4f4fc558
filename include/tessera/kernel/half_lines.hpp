// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What makes transforms of complex lines of those from coefficients back to real elements.
///
/// The coefficients of n real elements are conjugate, c(n - k) to c(k). So these are the real part
/// of twice the transform of the first n / 2 + 1 of them, with zeros behind them, in which those
/// that stand alone are halved: c(0), and c(n / 2) where n is even.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/kernel.hpp"

namespace tessera::line {

/// Return the kernels of halves and of real parts of complex numbers.
[[nodiscard]] const strip_kernel& halved(dtype type);
[[nodiscard]] const strip_kernel& real_part(dtype type);

}  // namespace tessera::line
