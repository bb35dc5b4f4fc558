// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Fourier transforms of lines that are longer than the memory of a task: a four-step FFT.
///
/// Problem: an FFT needs the whole line, and no task holds it.
///
/// Idea: view the line of n = rows * columns elements as a matrix in row-major order. Write the
/// index as j = columns * j1 + j2, the frequency as k = k1 + rows * k2. Then
///
///     X[k1 + rows * k2] = sum over j2 of w_n^(j2 * k1) * w_columns^(j2 * k2)
///                                        * (sum over j1 of w_rows^(j1 * k1) * x[j1, j2])
///
/// in four operations: split the line into rows; transform the columns and multiply by the twiddle
/// factors w_n^(j2 * k1) ("turn"); transform the rows, transposed; join the rows of the result.
///
/// Invariant: the chunks of the arrays between the steps are short along both axes, so that each
/// step reads each chunk of its producer once.
/// References: Gentleman and Sande, "Fast Fourier transforms: for fun and profit" (1966); Bailey,
/// "FFTs in external or hierarchical memory" (1990). Real results come from the first half of the
/// coefficients, as `kernel/half_lines.hpp` says.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/plan/node.hpp"

#include "lower/out_of_core_lines.hpp"

#include <functional>

namespace tessera {

/// Tells whether `kernel` is a Fourier transform of lines.
[[nodiscard]] bool is_fft_kernel(const block_kernel& kernel);

/// Returns the transforms of `lines` in chunks of `chunks`. Returns nullptr if a task holds a line,
/// or if no factorisation fits and a line is not certain to be too long.
///
/// Throws: memory_error <- a line is too long and no rows and columns fit a task; the message names
///         a number of points that has such a factorisation, and the result of
///         `find_enough_memory`.
[[nodiscard]] array_handle make_out_of_core_fft(const out_of_core_lines& lines,
                                                const index_vector& chunks,
                                                const std::function<bytes()>& find_enough_memory);

}  // namespace tessera
