// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The status file of computations of a detached driver.

#include <memory>
#include <optional>
#include <string>

namespace tessera {

class observer;

/// Sets the path of the file with the state of the program's computations, or unsets it; returns
/// the previous one. The next computation overwrites it.
std::optional<std::string> exchange_default_status(std::optional<std::string> path);

/// Returns an observer that writes the file, or null without a path.
///
/// Threads: may be called from several threads at the same time.
[[nodiscard]] std::shared_ptr<observer> default_status();

}  // namespace tessera
