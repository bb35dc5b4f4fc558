// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Fourier transforms of lines that are longer than what a task holds.

#include "tessera/core/index.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/plan/node.hpp"

#include "lower/long_lines.hpp"

namespace tessera {

/// Tells whether `kernel` makes Fourier transforms of lines.
[[nodiscard]] bool is_transform(const block_kernel& kernel);

/// Returns the transforms, in chunks of `chunks`, of `lines` that no task holds; null where one
/// does, or may.
///
/// A line of n = rows * columns elements is taken as that many rows: its columns are transformed,
/// turned, then what has become of each row is transformed, and the result is read column by column
/// (Gentleman and Sande 1966; Bailey 1990). Between these steps lie arrays whose chunks are short
/// along both axes, so that each step reads what the one before it made once. Real elements come of
/// the first half of their coefficients as `kernel/half_lines.hpp` says.
///
/// Throws: memory_error <- there are no rows and columns that tasks hold; it says how many points
///         have some.
[[nodiscard]] array_handle transform_in_steps(const long_lines& lines, const index_vector& chunks);

}  // namespace tessera
