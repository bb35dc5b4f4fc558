// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folder of the records of runs that name none.

#include <optional>
#include <string>

namespace tessera {

/// Returns the folder: the option --tessera-report of the program's `runtime`; else the value of
/// the environment variable TESSERA_REPORT; else nothing, and runs are not recorded.
///
/// Threads: may be called from several threads at the same time.
[[nodiscard]] std::string default_report();

/// Sets the folder, or unsets it (nullopt: the environment decides); returns the folder that was
/// set before.
std::optional<std::string> exchange_default_report(std::optional<std::string> folder);

}  // namespace tessera
