// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The options of a simulated executor: their validity, and their form as text.

#include "tessera/executor/simulated.hpp"

#include <string>

namespace tessera {

/// Throws: value_error <- there is no worker, a probability is not in [0, 1], a straggler is faster
///         than others, or a time is negative.
void check_simulated_options(const simulated_options& options);

/// Returns the costs of work on the simulated workers. Options that are not set leave the defaults.
[[nodiscard]] costs costs_of(const simulated_options& options);

/// Returns the name of the executor with all options that differ from their defaults.
[[nodiscard]] std::string format_simulated_options(const simulated_options& options);

}  // namespace tessera
