// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The command of this program.

#include <string>
#include <vector>

namespace tessera {

/// Returns the command that starts this program with its arguments, from any directory.
///
/// Throws: value_error <- the program has not made a runtime.
[[nodiscard]] std::vector<std::string> this_program();

}  // namespace tessera
