// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// This program once more, as a process that has built no expression.

#include <string>
#include <vector>

namespace tessera::testing {

/// Starts this program anew with `arguments` and returns its output.
///
/// "run <plan file> <result> <bytes>" runs a plan, writes that many bytes of its first output to
/// the file `result`, and prints the program's identity; "identity" prints `identity_of_a_program`.
[[nodiscard]] std::string run_in_another_process(const std::vector<std::string>& arguments);

/// Returns the identity of a plan with a random array, a function object and a constant.
[[nodiscard]] std::string identity_of_a_program(double constant = 2, unsigned seed = 1);

}  // namespace tessera::testing
