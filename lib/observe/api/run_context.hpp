// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Facts of the host and the program, for the record of a run.

#include <map>
#include <string>

namespace tessera {

/// Returns host, processor, cores, memory, kernel, compiler, version and program by their names.
/// Arguments of the program are left out: they may hold secrets.
[[nodiscard]] std::map<std::string, std::string> context_of_run();

}  // namespace tessera
