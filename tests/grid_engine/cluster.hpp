// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The Grid Engine that cluster.sh runs for the tests, and options that suit it.

#include "tessera/executor/grid_engine.hpp"

#include <cstddef>
#include <string>

namespace tessera::testing {

/// Returns a folder that is there for as long as the program runs.
[[nodiscard]] const std::string& test_folder();

/// Returns options for a fast Grid Engine on this host.
[[nodiscard]] grid_engine_options quick_options(std::size_t workers);

/// Runs a line of shell and returns its output; fails the test if the line fails.
std::string shell(const std::string& line);

/// Does an action of cluster.sh: "kill-node".
void cluster(const std::string& action);

}  // namespace tessera::testing
