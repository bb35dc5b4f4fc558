// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The kernel by which transforms of complex lines become those from coefficients back to real
/// elements.
///
/// The coefficients of n real elements are conjugate, c(n - k) to c(k). So these are the real part
/// of twice the transform of the first n / 2 + 1 of them, with zeros behind them. Coefficients
/// without a partner are halved before: c(0), and c(n / 2) if n is even.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/kernel.hpp"

namespace tessera::line {

/// Return the kernels of halves and of real parts of complex numbers.
[[nodiscard]] const strip_kernel& halved(dtype type);
[[nodiscard]] const strip_kernel& real_part(dtype type);

}  // namespace tessera::line
