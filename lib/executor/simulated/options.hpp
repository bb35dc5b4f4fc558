// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The options of a simulated executor: what they must be, and their form as text.

#include "tessera/executor/simulated.hpp"

#include <string>
#include <string_view>

namespace tessera {

/// Throws: value_error <- there is no worker, a probability is not in [0, 1], a straggler is faster
///         than others, or a time is negative.
void check_simulated_options(const simulated_options& options);

/// Reads the options that stand behind the colon in `name`: "simulated:workers=10,seed=1".
///
/// Throws: value_error <- there is no such option, or its value has another form.
[[nodiscard]] simulated_options parse_simulated_options(std::string_view name);

/// Returns the name with the options that are not at their default.
[[nodiscard]] std::string format_simulated_options(const simulated_options& options);

}  // namespace tessera
